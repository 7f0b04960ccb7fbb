package llm_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

// lesson E72
func TestTemperatureZeroIsOnTheWireAsZero(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		r, err := client(t, options(t, e)).Complete(context.Background(), request())
		if err != nil {
			t.Fatal(err)
		}
		want := &llm.Reply{
			Text: `{"category":"billing"}`, Finish: "stop", Model: "m-1", Fingerprint: "fp", Format: llm.FormatJSONSchema,
			Usage:    llm.Usage{In: llm.Count{N: 100, Known: true}, Out: llm.Count{N: 10, Known: true}},
			Attempts: []llm.Attempt{{Status: 200, Sent: len(e.bodies[0]), Got: len(well().body)}},
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Error(diff)
		}
		wantBody := `{"model":"gpt-test","messages":[{"role":"system","content":"You sort tickets."},{"role":"user","content":"a ticket"}],"stream":false,` +
			`"temperature":0,"max_tokens":256,"seed":7,"response_format":{"json_schema":{"name":"triage","schema":{"type":"object","properties":{"category":{"type":"string"}},` +
			`"required":["category"],"additionalProperties":false},"strict":true},"type":"json_schema"}}`
		if diff := cmp.Diff(wantBody, e.bodies[0]); diff != "" {
			t.Error(diff)
		}
		if got := e.header[0].Get("Authorization"); got != "Bearer "+secretKey {
			t.Errorf("Authorization is %q", got)
		}
	})
}

func TestAWrongKeyCostsOneCallHoweverManyWorkersThereAre(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"401":                      fails(401, `{"error":{"message":"Incorrect API key provided: `+secretKey+`","type":"invalid_request_error","code":"invalid_api_key"}}`),
		"quota 429, lesson E78":    fails(429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`),
		"402":                      fails(402, `{"error":{"message":"Insufficient credits","code":402}}`),
		"model 404 as a text, E85": fails(404, `{"error":"model 'gpt-test' not found"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return a }}
				o := options(t, e)
				o.Limiter = limiter(t, 64)
				c := client(t, o)
				for i, err := range together(c, 64) {
					var failed *llm.Error
					if !errors.As(err, &failed) || !failed.Fatal() || failed.Hint == "" {
						t.Fatalf("call %d: %v, want a fatal error with a hint", i, err)
					}
				}
				if n := e.calls(); n > 2 {
					t.Errorf("%d calls, want at most 2", n)
				}
				if _, err := c.Complete(context.Background(), request()); err == nil {
					t.Error("a call after the fatal one went well")
				}
			})
		})
	}
}

// lesson E79
func TestRetryAfterIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"seconds":      {http.Header{"Retry-After": {"2"}}, 2 * time.Second},
		"milliseconds": {http.Header{"Retry-After-Ms": {"2500"}}, 2500 * time.Millisecond},
		"HTTP date":    {http.Header{"Retry-After": {"Sat, 01 Jan 2000 00:00:09 GMT"}}, 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(n int, _ map[string]any) answer {
					if n == 1 {
						return answer{status: 429, header: c.header, body: `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`}
					}
					return well()
				}}
				r, err := client(t, options(t, e)).Complete(context.Background(), request())
				if err != nil {
					t.Fatal(err)
				}
				if got := e.times[1].Sub(e.times[0]); got != c.want || r.Attempts[1].Wait != c.want {
					t.Errorf("waited %v, recorded %v, want %v", got, r.Attempts[1].Wait, c.want)
				}
			})
		})
	}
}

// lesson E93
func TestAServerThatLoadsItsModelIsWaitedForWithinTheBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(n int, _ map[string]any) answer {
			if n <= 20 {
				return fails(503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
			}
			return well()
		}}
		began := time.Now()
		r, err := client(t, options(t, e)).Complete(context.Background(), request())
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 5*time.Minute || len(r.Attempts) != 21 {
			t.Errorf("took %v and %d attempts", took, len(r.Attempts))
		}
	})
}
