package llm_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/llm"
)

func TestRequestsInFlightNeverExceedTheLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			if n%7 == 3 {
				return answer{status: 503, body: `{}`, after: 50 * time.Millisecond}
			}
			a := well()
			a.after = 200 * time.Millisecond
			return a
		}}
		l := limiter(t, 8)
		o := options(t, e)
		o.Limiter = l
		other := o
		other.Endpoint.Model = "other"
		var wg sync.WaitGroup
		for _, c := range []*llm.Client{client(t, o), client(t, other)} {
			wg.Go(func() {
				for _, err := range together(c, 100) {
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		inFlight, allowed, most := l.Load()
		if e.most != 8 || most != 8 || inFlight != 0 || allowed != 8 {
			t.Errorf("at most %d at the endpoint and %d in the limiter, %d left, %d allowed", e.most, most, inFlight, allowed)
		}
	})
}

func TestOnlyA429ShrinksTheLimiterAndSuccessGrowsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := 0
		e := &endpoint{}
		e.reply = func(int, map[string]any) answer {
			time.Sleep(100 * time.Millisecond)
			e.mu.Lock()
			defer e.mu.Unlock()
			if limit > 0 && e.now > limit {
				return answer{status: 429, header: http.Header{"Retry-After": {"1"}}, body: `{"error":{"message":"slow down"}}`}
			}
			return well()
		}
		l := limiter(t, 16)
		o := options(t, e)
		o.Limiter = l
		c := client(t, o)
		together(c, 64)
		if _, allowed, _ := l.Load(); allowed != 16 {
			t.Errorf("%d allowed without a 429", allowed)
		}
		limit = 4
		lowest := 16
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
					_, allowed, _ := l.Load()
					lowest = min(lowest, allowed)
				}
			}
		}()
		for _, err := range together(c, 64) {
			if err != nil {
				t.Error(err)
			}
		}
		close(stop)
		<-stopped
		if lowest > 8 {
			t.Errorf("never fewer than %d allowed under 429", lowest)
		}
	})
}

// lesson E81
func TestCallsKeepTheirPace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*llm.Options)
		want time.Duration
	}{
		"requests a minute": {func(o *llm.Options) { o.RPM = 30 }, 19 * 2 * time.Second},
		"tokens a minute":   {func(o *llm.Options) { o.TPM = 600 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
				o := options(t, e)
				o.Limiter = limiter(t, 8)
				c.set(&o)
				together(client(t, o), 20)
				took := e.times[19].Sub(e.times[0])
				if c.want > 0 && took.Round(time.Millisecond) != c.want {
					t.Errorf("20 calls took %v, want %v", took, c.want)
				}
				// 20 calls of 110 real tokens, 600 a minute, 100 at once: 210 s, and a little for the last, which is estimated too high.
				if c.want == 0 && (took < 190*time.Second || took > 300*time.Second) {
					t.Errorf("20 calls of 110 tokens took %v", took)
				}
			})
		})
	}
}

func TestTheCostLimitHoldsBeforeTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		prices, err := llm.ParsePrices([]byte("providers: {openai: {models: {gpt-test: {in: 1, out: 2}}}}"), "p")
		if err != nil {
			t.Fatal(err)
		}
		// A call costs 100·1000 + 10·2000 = 120,000 nano-dollars; its estimate is some 640,000.
		o.Prices = prices
		if o.Purse, err = llm.NewPurse(1_500_000); err != nil {
			t.Fatal(err)
		}
		o.Limiter = limiter(t, 4)
		c := client(t, o)
		for range 20 {
			if _, err = c.Complete(context.Background(), request()); err != nil {
				break
			}
		}
		f := failure(t, err)
		spent, limit := o.Purse.Spent()
		if f.Kind != llm.KindCost || !f.Fatal() || spent > limit || spent != int64(e.calls())*120_000 || e.calls() < 6 {
			t.Errorf("%v; spent %d of %d in %d calls", f, spent, limit, e.calls())
		}
	})
}

func TestACostLimitWithoutAPriceIsAnErrorAtTheStart(t *testing.T) {
	t.Parallel()
	o := options(t, &endpoint{})
	purse, err := llm.NewPurse(1)
	if err != nil {
		t.Fatal(err)
	}
	o.Purse = purse
	if _, err := llm.New(o); err == nil || !strings.Contains(err.Error(), "no known price") {
		t.Errorf("%v", err)
	}
}
