package llm_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhenTheFirstCallIsCancelledAnotherGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			a := well()
			if a.after = time.Second; n == 1 {
				a.hang = true
			}
			return a
		}}
		o := options(t, e)
		o.Limiter = limiter(t, 8)
		c := client(t, o)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { _, _ = c.Complete(ctx, request()) }()
		synctest.Wait()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := c.Complete(context.Background(), request()); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(10 * time.Second)
		if e.calls() != 1 {
			t.Errorf("%d calls while the first is on its way", e.calls())
		}
		cancel()
		wg.Wait()
		// The second goes alone too, and then all others at once.
		if took := e.times[8].Sub(e.times[1]); e.calls() != 9 || took != time.Second || e.times[2].Sub(e.times[1]) != time.Second {
			t.Errorf("%d calls, the last %v after the second", e.calls(), took)
		}
	})
}

func TestAFatalAnswerEndsEveryWaitAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			switch {
			case n == 1:
				return well()
			case n < 5:
				return fails(503, `{"error":{"message":"Loading model"}}`)
			}
			return fails(401, `{"error":{"message":"the key was taken back"}}`)
		}}
		o := options(t, e)
		o.RPM, o.Limiter = 1, limiter(t, 4)
		c := client(t, o)
		began := time.Now()
		failed := 0
		for _, err := range together(c, 30) {
			if err != nil {
				failed++
			}
		}
		// Five calls a minute apart, then nobody waits for another minute.
		if took := time.Since(began); failed != 29 || e.calls() != 5 || took != 4*time.Minute {
			t.Errorf("%d failed after %d calls in %v", failed, e.calls(), took)
		}
	})
}
