package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

func failure(t *testing.T, err error) *llm.Error {
	t.Helper()
	var failed *llm.Error
	if !errors.As(err, &failed) {
		t.Fatalf("%v is no *llm.Error", err)
	}
	return failed
}

func TestAWaitAboveTheLongestStopsTheRunAndSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			return answer{status: 429, header: http.Header{"Retry-After": {"3600"}}, body: `{"error":{"message":"slow down"}}`}
		}}
		_, err := client(t, options(t, e)).Complete(context.Background(), request())
		f := failure(t, err)
		if f.Kind != llm.KindLimited || !f.Fatal() || f.RetryAfter != time.Hour || e.calls() != 1 {
			t.Errorf("%+v after %d calls", f, e.calls())
		}
		if want := "come back after 2000-01-01 01:00:00 UTC, or allow longer waits with --max-wait"; f.Hint != want {
			t.Errorf("hint is %q", f.Hint)
		}
	})
}

// Every kind of answer, what it is taken for, and how many calls are made of it within a budget of 10 s.

// lesson D64, D71

func TestAServerThatNeverAnswersIsATimeoutAndTheStatusNamesIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return answer{hang: true} }}
		c := client(t, options(t, e))
		done := make(chan error)
		go func() {
			_, err := c.Complete(context.Background(), request())
			done <- err
		}()
		time.Sleep(30 * time.Second)
		want := "gpt-test at https://llm.example.test/v1: 1 in flight, the oldest for 30s"
		if got := c.Status().String(); got != want {
			t.Errorf("status is %q, want %q", got, want)
		}
		f := failure(t, <-done)
		if f.Kind != llm.KindTimeout || f.Text != "no complete answer within 2m0s" || len(f.Attempts) < 3 {
			t.Errorf("%+v", f)
		}
		if got := c.Status().String(); got != "gpt-test at https://llm.example.test/v1: idle; last error: no complete answer within 2m0s" {
			t.Errorf("status is %q", got)
		}
	})
}

type slowBody struct{ done <-chan struct{} }

func (b slowBody) Read([]byte) (int, error) { <-b.done; return 0, context.DeadlineExceeded }

func (slowBody) Close() error { return nil }

type slow struct{}

func (slow) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: slowBody{r.Context().Done()}, Request: r}, nil
}

func TestTheTimeOfAnAttemptIncludesReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := options(t, &endpoint{})
		o.Transport, o.Timeout, o.Budget = slow{}, 5*time.Second, time.Second
		_, err := client(t, o).Complete(context.Background(), request())
		if f := failure(t, err); f.Kind != llm.KindTimeout || f.Attempts[0].Latency != 5*time.Second {
			t.Errorf("%+v", f)
		}
	})
}

func TestTheEndOfTheContextEndsACallAtOnce(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]func(int, map[string]any) answer{
		"in flight":     func(int, map[string]any) answer { return answer{hang: true} },
		"between tries": func(int, map[string]any) answer { return fails(503, `{}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: reply}
				c := client(t, options(t, e))
				stop := errors.New("interrupted")
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(7*time.Second, func() { cancel(stop) })
				began := time.Now()
				var wg sync.WaitGroup
				for range 5 { // one goes alone, the others wait for it
					wg.Go(func() {
						if _, err := c.Complete(ctx, request()); !errors.Is(err, stop) {
							t.Errorf("%v, want the cause of the context", err)
						}
					})
				}
				wg.Wait()
				if took := time.Since(began); took != 7*time.Second {
					t.Errorf("ended after %v", took)
				}
			})
		})
	}
}

// lesson C50

func TestTooManyFailuresInARowStopTheClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			if n == 3 {
				return well()
			}
			return fails(400, `{"error":{"message":"bad request"}}`)
		}}
		c := client(t, options(t, e))
		var kinds []llm.Kind
		for range 15 {
			_, err := c.Complete(context.Background(), request())
			if err == nil {
				kinds = append(kinds, "")
				continue
			}
			kinds = append(kinds, failure(t, err).Kind)
		}
		r, many := llm.KindRefused, llm.KindTooMany
		if diff := cmp.Diff([]llm.Kind{r, r, "", r, r, r, r, r, r, r, r, r, many, many, many}, kinds); diff != "" {
			t.Error(diff)
		}
		if e.calls() != 13 {
			t.Errorf("%d calls, want 13: none after the client has stopped", e.calls())
		}
	})
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	hot := 3.0
	for name, set := range map[string]func(*llm.Options){
		"no transport":    func(o *llm.Options) { o.Transport = nil },
		"no clock":        func(o *llm.Options) { o.Now = nil },
		"no model":        func(o *llm.Options) { o.Endpoint.Model = "" },
		"temperature":     func(o *llm.Options) { o.Temperature = &hot },
		"negative budget": func(o *llm.Options) { o.Budget = -1 },
		"negative rpm":    func(o *llm.Options) { o.RPM = -1 },
		"format":          func(o *llm.Options) { o.Format = "xml" },
		"extra body":      func(o *llm.Options) { o.ExtraBody = map[string]json.RawMessage{"a": json.RawMessage("{")} },
		"stream":          func(o *llm.Options) { o.ExtraBody = map[string]json.RawMessage{"stream": json.RawMessage("true")} },
	} {
		o := options(t, &endpoint{})
		set(&o)
		if _, err := llm.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
