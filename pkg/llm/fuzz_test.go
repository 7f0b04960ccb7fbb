package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/llm"
)

// FuzzAnswer: whatever an endpoint answers, a call ends after a bounded number of attempts in a reply or an error of one
// line, and no secret is in it.
func FuzzAnswer(f *testing.F) {
	for _, r := range refusals {
		f.Add(400, r.body)
	}
	f.Add(200, well().body)
	f.Add(429, `[{"error":{"details":[{"retryDelay":"99999.5s"}]}}]`)
	f.Add(400, `{"error":{"failed_generation":"`+secretKey+`"}}`)
	f.Add(401, secretKey+"\n\x00\xff")
	f.Add(503, "")
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		e := &endpoint{reply: func(int, map[string]any) answer { return fails(status, body) }}
		o := options(t, e)
		o.ReasoningEffort, o.Budget, o.MaxWait = "low", time.Nanosecond, time.Nanosecond
		c := client(t, o)
		r, err := c.Complete(context.Background(), request())
		if e.calls() > 16 {
			t.Errorf("%d calls", e.calls())
		}
		if err == nil {
			if r == nil {
				t.Error("neither reply nor error")
			}
			return
		}
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind == "" {
			t.Fatalf("%v", err)
		}
		said := err.Error() + failed.Hint + c.Status().String()
		if strings.Contains(said, secretKey) || strings.ContainsAny(said, "\n\r\x00") || !utf8.ValidString(said) || len(failed.Text) > 800 {
			t.Errorf("%q", said)
		}
	})
}
