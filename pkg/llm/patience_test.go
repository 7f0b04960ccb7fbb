package llm_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/wire"
)

// What others have set aside comes back as soon as they have cost what they have: a call waits for it rather than end the run.
func TestTheCostLimitWaitsForCallsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			a := well()
			a.after = time.Second
			return a
		}}
		o := options(t, e)
		prices, err := llm.ParsePrices([]byte("providers: {openai: {models: {gpt-test: {in: 1, out: 2}}}}"), "p")
		if err != nil {
			t.Fatal(err)
		}
		// A call costs 120,000 nano-dollars; its estimate is some 640,000, so that two are never set aside at once.
		o.Prices, o.MaxConsecutiveErrors = prices, 100
		if o.Purse, err = llm.NewPurse(1_200_000); err != nil {
			t.Fatal(err)
		}
		o.Limiter = limiter(t, 4)
		c := client(t, o)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { _, errs[i] = c.Complete(context.Background(), request()) })
		}
		wg.Wait()
		spent, _ := o.Purse.Spent()
		for i, err := range errs {
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		}
		if spent != 4*120_000 {
			t.Errorf("spent %d", spent)
		}
	})
}

func TestAnAddressAtWhichNobodyHasAnsweredIsGivenUpAfterAMinute(t *testing.T) {
	t.Parallel()
	refused := answer{err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	for name, tt := range map[string]struct {
		reply func(n int, at time.Duration) answer
		fatal bool
		least time.Duration
		most  time.Duration
	}{
		"nobody ever":          {func(int, time.Duration) answer { return refused }, true, time.Minute, 2 * time.Minute},
		"somebody after 40 s":  {func(_ int, at time.Duration) answer { return pick(at > 40*time.Second, well(), refused) }, false, 40 * time.Second, 2 * time.Minute},
		"gone after an answer": {func(n int, _ time.Duration) answer { return pick(n == 1, answer{status: 503, body: "{}"}, refused) }, false, 4 * time.Minute, 7 * time.Minute},
		"gone, and back again": {func(n int, at time.Duration) answer {
			return pick(n == 1, answer{status: 503, body: "{}"}, pick(at > 3*time.Minute, well(), refused))
		}, false, 3 * time.Minute, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				e := &endpoint{reply: func(n int, _ map[string]any) answer { return tt.reply(n, time.Since(begun)) }}
				_, err := client(t, options(t, e)).Complete(context.Background(), request())
				took := time.Since(begun)
				if took < tt.least || took > tt.most {
					t.Errorf("it took %s, want %s to %s; error %v", took, tt.least, tt.most, err)
				}
				if tt.fatal {
					if f := failure(t, err); !f.Fatal() || f.Kind != llm.KindNetwork {
						t.Errorf("error %v", f)
					}
				}
			})
		})
	}
}

func pick(yes bool, a, b answer) answer {
	if yes {
		return a
	}
	return b
}

// A 404 or 403 in the middle of a run is about one call, or passes: key and model were right a moment ago.
func TestAForbiddenCallAfterGoodOnesDoesNotStopTheRun(t *testing.T) {
	t.Parallel()
	for _, status := range []int{403, 404} {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			return pick(n%2 == 1, well(), answer{status: status, body: `{"error":{"message":"no healthy upstream"}}`})
		}}
		c := client(t, options(t, e))
		for n := range 4 {
			_, err := c.Complete(context.Background(), request())
			if n%2 == 0 {
				if err != nil {
					t.Errorf("%d, call %d: %v", status, n, err)
				}
			} else if f := failure(t, err); f.Fatal() || f.Kind != llm.KindRefused {
				t.Errorf("%d, call %d: %v, fatal %v", status, n, f, f.Fatal())
			}
		}
	}
}

// Replies longer than was reckoned with are reckoned with from then on.
func TestTheCostLimitLearnsHowLongRepliesAre(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			return answer{status: 200, after: time.Second, body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20000}}`}
		}}
		o := options(t, e)
		prices, err := llm.ParsePrices([]byte("providers: {openai: {models: {gpt-test: {in: 1, out: 10}}}}"), "p")
		if err != nil {
			t.Fatal(err)
		}
		o.Prices, o.MaxOutputTokens, o.Limiter = prices, 100, limiter(t, 16)
		if o.Purse, err = llm.NewPurse(1_000_000_000); err != nil { // five calls
			t.Fatal(err)
		}
		c := client(t, o)
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { _, _ = c.Complete(context.Background(), request()) })
		}
		wg.Wait()
		if spent, limit := o.Purse.Spent(); spent > limit || e.calls() != 4 {
			t.Errorf("spent %d of %d in %d calls", spent, limit, e.calls())
		}
	})
}

func TestAnAnswerThatIsTooLongIsNotPaidForTwice(t *testing.T) {
	t.Parallel()
	e := &endpoint{reply: func(int, map[string]any) answer {
		return answer{status: 200, body: strings.Repeat(" ", wire.MaxBody+1)}
	}}
	_, err := client(t, options(t, e)).Complete(context.Background(), request())
	if f := failure(t, err); f.Kind != llm.KindRefused || f.Fatal() || e.calls() != 1 || !strings.Contains(f.Text, "longer than what is read") {
		t.Errorf("%d calls, error %v", e.calls(), f)
	}
}
