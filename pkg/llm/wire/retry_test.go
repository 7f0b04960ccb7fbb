package wire_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestHowLongToWaitIsReadFromTheHeaders(t *testing.T) { // lesson E79
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rows := []struct {
		name   string
		status int
		header []string
		want   time.Duration
		ok     bool
	}{
		{"nothing", 429, nil, 0, false},
		{"seconds", 503, []string{"Retry-After", "7"}, 7 * time.Second, true},
		{"fractions", 429, []string{"Retry-After", " 1.5 "}, 1500 * time.Millisecond, true},
		{"zero", 429, []string{"Retry-After", "0"}, 0, true},
		{"negative", 429, []string{"Retry-After", "-3"}, 0, true},
		{"far too long", 429, []string{"Retry-After", "1e300"}, 1e9 * time.Second, true},
		{"no number", 429, []string{"Retry-After", "NaN"}, 0, false},
		{"a duration", 429, []string{"Retry-After", "1m30s"}, 90 * time.Second, true},
		{"a date", 429, []string{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT"}, time.Minute, true},
		{"a date that has passed", 429, []string{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT"}, 0, true},
		{"what cannot be read", 429, []string{"Retry-After", "soon"}, 0, false},
		{"milliseconds before seconds", 429, []string{"Retry-After", "3", "retry-after-ms", "2500"}, 2500 * time.Millisecond, true},
		{"a limit's reset", 429, []string{"x-ratelimit-reset-requests", "6m0s"}, 6 * time.Minute, true},
		{"the longer of two", 429, []string{"x-ratelimit-reset-requests", "20ms", "x-ratelimit-reset-tokens", "7.66s"}, 7660 * time.Millisecond, true},
		{"the one that is spent", 429, []string{"x-ratelimit-reset-requests", "1h0m0s", "x-ratelimit-remaining-requests", "5", "x-ratelimit-reset-tokens", "2s", "x-ratelimit-remaining-tokens", "0"}, 2 * time.Second, true},
		{"Retry-After before a reset", 429, []string{"Retry-After", "1", "x-ratelimit-reset-requests", "6m0s"}, time.Second, true},
		{"a reset without 429", 503, []string{"x-ratelimit-reset-requests", "6m0s"}, 0, false},
		{"a reset in seconds", 429, []string{"x-ratelimit-reset", "30"}, 30 * time.Second, true},
		{"a reset since 1970", 429, []string{"x-ratelimit-reset", "1767323055"}, 10 * time.Second, true},
		{"a reset since 1970 in milliseconds", 429, []string{"x-ratelimit-reset", "1767323055500"}, 10500 * time.Millisecond, true},
		{"Anthropic's reset", 429, []string{"anthropic-ratelimit-tokens-reset", "2026-01-02T03:04:25Z"}, 20 * time.Second, true},
		{"a reset that cannot be read", 429, []string{"x-ratelimit-reset-tokens", "later"}, 0, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{}
			for i := 0; i < len(r.header); i += 2 {
				h.Set(r.header[i], r.header[i+1])
			}
			if got, ok := wire.Wait(r.status, h, now); got != r.want || ok != r.ok {
				t.Errorf("wait %v, %v, want %v, %v", got, ok, r.want, r.ok)
			}
		})
	}
}

func FuzzWait(f *testing.F) {
	f.Add("7", "6m0s")
	f.Add("-Inf", "1e11")
	f.Fuzz(func(t *testing.T, after, reset string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}, "Retry-After-Ms": {after}}
		if d, ok := wire.Wait(429, h, time.Unix(1e9, 0)); d < 0 || !ok && d != 0 {
			t.Errorf("%q, %q: wait %v, %v", after, reset, d, ok)
		}
	})
}
