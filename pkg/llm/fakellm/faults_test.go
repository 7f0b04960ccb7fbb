package fakellm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestAShareOfRequestsFailsAndAlwaysTheSame(t *testing.T) {
	t.Parallel()
	s := server(t, "faults: [{share: 0.5, reply: 400}]", fakellm.Options{})
	failed := 0
	for i := range 200 {
		a, b := post(t.Context(), s, chat(fmt.Sprint(i))), post(t.Context(), s, chat(fmt.Sprint(i), `"temperature":0`))
		if a.status != b.status {
			t.Fatalf("request %d: status %d, then %d", i, a.status, b.status)
		}
		if a.status == http.StatusBadRequest {
			failed++
		}
	}
	if failed < 75 || failed > 125 {
		t.Errorf("%d of 200 fail", failed)
	}
}

func TestFaultsHoldForTheCallsThatTheyName(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"faults: [{calls: 1..3, reply: 503_loading}]":                                     "503 503 503 200 200 200 200 200",
		"faults: [{calls: [2, 5..6], status: 500}]":                                       "200 500 200 200 500 500 200 200",
		"faults: [{every: 2, reply: 429}, {calls: 7.., reply: 402}]":                      "200 429 200 429 200 429 402 429",
		"faults: [{after: 6, reply: 401}]":                                                "200 200 200 200 200 200 401 401",
		"faults: [{model: n, reply: 500}, {on: models, reply: 500}]":                      "200 200 200 200 200 200 200 200",
		"faults: [{model: m, calls: 1, reply: 500, status: 529}, {after: 9, reply: 400}]": "529 200 200 200 200 200 200 200",
	} {
		s := server(t, script, fakellm.Options{})
		var got []string
		for range 8 {
			got = append(got, fmt.Sprint(post(t.Context(), s, chat("a")).status))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", script, got)
		}
	}
	models := server(t, "faults: [{on: models, reply: 500}]", fakellm.Options{})
	if r := send(t.Context(), models.Transport(), "GET", "http://fake/v1/models", ""); r.status != 500 {
		t.Errorf("models: status %d", r.status)
	}
}

func TestAFaultIsWrittenByHand(t *testing.T) {
	t.Parallel()
	s := server(t, `faults:
- {calls: 1, status: 429, headers: {x-limit: "3"}, body: 'slow down', retry_after: 2}
- {calls: 2, reply: 429_retry_after, retry_after: 7, body: ''}
- {calls: 3, reply: 503_loading, retry_after_date: 90s}
- {calls: 4, reply: 200_error, code: 429}
- {calls: 5, reply: redirect, location: 'http://other.example/v1', status: 307}`, fakellm.Options{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
	want := []string{`429 2 3 "" slow down`, `429 7  "" `, `503 Fri, 15 Jan 2027 08:01:30 GMT  "" {"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
		`200   "" {"id":"gen-fake","error":{"code":429,"message":"Provider returned error","metadata":{"provider_name":"Fake","raw":"upstream"}},"user_id":"user_fake"}`,
		`307   "http://other.example/v1" `}
	for i, w := range want {
		r := post(t.Context(), s, chat("a"))
		if got := fmt.Sprintf("%d %s %s %q %s", r.status, r.header.Get("Retry-After"), r.header.Get("X-Limit"), r.header.Get("Location"), r.body); got != w {
			t.Errorf("call %d: %s\nwant %s", i+1, got, w)
		}
	}
}

func TestLatencyAndWaitsPassInABubble(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][2]time.Duration{
		"latency: 200ms":                              {200 * time.Millisecond, 200 * time.Millisecond},
		"latency: 100ms..300ms":                       {100 * time.Millisecond, 300 * time.Millisecond},
		"faults: [{reply: slow_body}]":                {time.Second, time.Second},
		"faults: [{reply: slow_body, hang_for: 30s}]": {30 * time.Second, 30 * time.Second},
		"faults: [{reply: 500, wait: 3s}]":            {3 * time.Second, 3 * time.Second},
		"faults: [{reply: hang, hang_for: 40s}]":      {40 * time.Second, 40 * time.Second},
		"faults: [{reply: hang}]":                     {60 * time.Second, 60 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := server(t, script, fakellm.Options{Now: time.Now})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			start := time.Now()
			r := post(ctx, s, chat("a"))
			if took := time.Since(start); took < want[0] || took > want[1] {
				t.Errorf("%s takes %s", script, took)
			}
			switch {
			case script == "faults: [{reply: hang}]":
				if !errors.Is(r.err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", script, r.err)
				}
			case strings.Contains(script, "hang,"):
				if !errors.Is(r.err, io.EOF) {
					t.Errorf("%s: %v", script, r.err)
				}
			case r.err != nil || !json.Valid([]byte(r.body)):
				t.Errorf("%s: %v %s", script, r.err, r.body)
			}
		})
	}
}

func TestCloseEndsWhatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server(t, "faults: [{reply: hang}]", fakellm.Options{})
		time.AfterFunc(time.Hour, s.Close)
		if r := post(t.Context(), s, chat("a")); r.err == nil {
			t.Errorf("got %+v", r)
		}
		s.Close()
	})
}

func TestASocketBreaksAsTheMemoryDoes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		want   error
	}{
		"cut":      {"faults: [{reply: cut_body}]", io.ErrUnexpectedEOF},
		"reset":    {"faults: [{reply: reset}]", syscall.ECONNRESET},
		"hang for": {"faults: [{reply: hang, hang_for: 1ms}]", io.EOF},
		"hang":     {"faults: [{reply: hang}]", context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, tt.script, fakellm.Options{})
			web := httptest.NewServer(s)
			t.Cleanup(web.Close)
			t.Cleanup(s.Close)
			timeout := 10 * time.Second
			if name == "hang" {
				timeout = 20 * time.Millisecond
			}
			for where, transport := range map[string]http.RoundTripper{"memory": s.Transport(), "socket": &http.Transport{DisableKeepAlives: true}} {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				if r := send(ctx, transport, "POST", web.URL+"/v1/chat/completions", chat("a")); !errors.Is(r.err, tt.want) {
					t.Errorf("%s: %v, want %v", where, r.err, tt.want)
				}
				cancel()
			}
		})
	}
}
