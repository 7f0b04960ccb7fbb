package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

// far is a far end: it answers the n-th request, from 0.
type far func(n int, req *http.Request) (*http.Response, error)

// counter counts the requests to a far end.
type counter struct {
	far far
	n   int
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.n++
	return c.far(c.n-1, req)
}

func says(status int, body string, header ...string) (*http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestWhatAnAddressAnswersDecidesWhoseFaultItIs has the lessons C50, D64 (no answer at all) and D68 (secrets in headers), and of
// E80 and E93 what is true of an agent's address too.
func TestWhatAnAddressAnswersDecidesWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	always := func(status int, body string, header ...string) far {
		return func(int, *http.Request) (*http.Response, error) { return says(status, body, header...) }
	}
	refused := func(int, *http.Request) (*http.Response, error) {
		return nil, errors.New("dial tcp 127.0.0.1:1: connect: connection refused")
	}
	for name, tt := range map[string]struct {
		far   far
		want  string
		calls int
		took  time.Duration
	}{
		"an answer":             {far: always(200, right), want: "bug", calls: 1},
		"no action":             {far: always(200, "{\n\"category\": \"Bgu\"}\n"), want: "raw desk {\n\"category\": \"Bgu\"}", calls: 1},
		"no JSON":               {far: always(200, "<html>"), want: "raw desk <html>", calls: 1},
		"nothing":               {far: always(200, ""), want: "raw desk ", calls: 1},
		"an answer without end": {far: always(200, strings.Repeat(" ", agent.MaxAnswer)+right), want: "mine: its answer is longer than 1 MiB", calls: 1},
		"another 2xx":           {far: always(204, ""), want: "unavailable: mine: it answers 204 No Content", calls: 1},
		"a redirect": {far: always(302, "", "Location", "https://u:secret@elsewhere.example/act"),
			want: "unusable: mine: it answers 302 Found to https://u:xxxxx@elsewhere.example/act: give that address, redirects are not followed", calls: 1},
		"a redirect to nowhere": {far: always(301, ""), want: "unusable: mine: it answers 301 Moved Permanently", calls: 1},
		"400":                   {far: always(400, "no such\x1b field\n"), want: "unavailable: mine: it answers 400 Bad Request: no such  field", calls: 1},
		"401": {far: always(401, `{"error": "token secret-1234 or hunter22 is wrong"}`),
			want: `unusable: mine: it answers 401 Unauthorized: {"error": "token [hidden] or [hidden] is wrong"}`, calls: 1},
		"403": {far: always(403, ""), want: "unusable: mine: it answers 403 Forbidden", calls: 1},
		"404": {far: always(404, strings.Repeat("x", 300)), want: "unusable: mine: it answers 404 Not Found: " + strings.Repeat("x", 200) + " …", calls: 1},
		"405": {far: always(405, ""), want: "unusable: mine: it answers 405 Method Not Allowed", calls: 1},
		"500 for ever": {far: always(500, "<h1>oops</h1>"), want: "unavailable: mine: 10 attempts: it answers 500 Internal Server Error: <h1>oops</h1>",
			calls: 10, took: 30 * time.Second},
		"nobody there": {far: refused, want: "unavailable: mine: 10 attempts: dial tcp 127.0.0.1:1: connect: connection refused", calls: 10, took: 30 * time.Second},
		"503 three times, then well": {far: func(n int, _ *http.Request) (*http.Response, error) {
			if n < 3 {
				return says(503, "loading")
			}
			return says(200, right)
		}, want: "bug", calls: 4, took: 1750 * time.Millisecond},
		"429 with Retry-After": {far: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 0 {
				return says(429, "", "Retry-After", "7")
			}
			return says(200, right)
		}, want: "bug", calls: 2, took: 7 * time.Second},
		"Retry-After beyond the budget": {far: always(503, "", "Retry-After", "31"),
			want: "unavailable: mine: it answers 503 Service Unavailable", calls: 1},
		"an answer that is cut off": {far: func(n int, _ *http.Request) (*http.Response, error) {
			r, err := says(200, "")
			if r.Body = io.NopCloser(strings.NewReader(right)); n == 0 {
				r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"cat`), iotest.ErrReader(io.ErrUnexpectedEOF)))
			}
			return r, err
		}, want: "bug", calls: 2, took: 250 * time.Millisecond},
		"no answer in time": {far: func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}, want: "unavailable: mine: 3 attempts: no answer came in 12s", calls: 3, took: 36*time.Second + 750*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &counter{far: tt.far}
				h, err := agent.NewHTTP(agent.HTTPOptions{Name: "mine", URL: "http://me:hunter22@127.0.0.1:1/act?x=1", Transport: c,
					Headers: http.Header{"Authorization": {"Bearer secret-1234"}}, Timeout: 12 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				if d := cmp.Diff(tt.want, act(t.Context(), h)); d != "" {
					t.Errorf("answer (-want +got):\n%s", d)
				}
				if took := time.Since(begin); c.n != tt.calls || took != tt.took {
					t.Errorf("%d calls in %s, want %d in %s", c.n, took, tt.calls, tt.took)
				}
			})
		})
	}
}

func TestTheRequestHasTheObservationTheEpisodeAndTheHeaders(t *testing.T) {
	t.Parallel()
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = append(got, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Accept"), " ", user, password, " ",
			r.Header.Get("X-Triage-Episode"), " ", r.Header.Get("X-Mine"), " ", string(body)))
		_, _ = io.WriteString(w, right)
	}))
	defer s.Close()
	h, err := agent.NewHTTP(agent.HTTPOptions{URL: strings.Replace(s.URL, "http://", "me:pw@", 1) + "/a?b=c#d", Headers: http.Header{"x-mine": {"1"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []triage.Key{{}, {Agent: "http:x", Task: "desk-easy", Seed: 7}, {Agent: "a", Task: "queue-hard", Seed: 1, Position: triage.IntOf(2), Trial: 1}} {
		if key.Task != "" {
			h.Start(key)
		}
		if a := act(t.Context(), h); a != "bug" {
			t.Error(a)
		}
	}
	body, err := ticket.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	const head = "POST /a?b=c application/json application/json mepw "
	if d := cmp.Diff([]string{head + " 1 " + string(body), head + "desk-easy/7 1 " + string(body), head + "queue-hard/1/2#1 1 " + string(body)}, got); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnAddressThatNeverAnswersStopsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{far: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return says(200, right)
			}
			return says(400, "")
		}}
		crashes := &agent.Crashes{}
		var got []string
		for range 4 {
			h, err := agent.NewHTTP(agent.HTTPOptions{Name: "mine", URL: "127.0.0.1:1", Transport: c, Crashes: crashes, MaxConsecutive: 2})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, act(t.Context(), h))
		}
		if d := cmp.Diff([]string{"unavailable: mine: it answers 400 Bad Request", "bug", "unavailable: mine: it answers 400 Bad Request",
			"unusable: mine: 2 observations in a row without an answer: it answers 400 Bad Request"}, got); d != "" {
			t.Errorf("answers (-want +got):\n%s", d)
		}
	})
}

func TestAnInterruptedCallEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, far := range map[string]far{
		"in the call": func(_ int, req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		},
		"in the wait": func(int, *http.Request) (*http.Response, error) { return says(503, "", "Retry-After", "20") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, err := agent.NewHTTP(agent.HTTPOptions{URL: "127.0.0.1:1", Transport: &counter{far: far}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				begin := time.Now()
				time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
				if got := act(ctx, h); got != "interrupted" || time.Since(begin) != time.Second {
					t.Errorf("%s after %s", got, time.Since(begin))
				}
			})
		})
	}
}

func TestAddressesOfAgents(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://127.0.0.1:8000/act": "http://127.0.0.1:8000/act", " 127.0.0.1:8000 ": "http://127.0.0.1:8000", "//host/x": "http://host/x",
		"https://u:p@host/?q=1#r": "https://u:xxxxx@host/?q=1",
		"":                        `"http:": it names no host`,
		"http://":                 `"http:": it names no host`,
		"ftp://host":              `"ftp://host": its scheme must be http or https`,
		"http://u:secret@h:x/":    "it cannot be read",
		"http://a b/":             "it cannot be read",
		"unix://u:secret@/sock":   `"unix://u:xxxxx@/sock": its scheme must be http or https`,
	} {
		h, err := agent.NewHTTP(agent.HTTPOptions{URL: address})
		if strings.HasPrefix(want, "http") {
			if err != nil || h.Name() != want {
				t.Errorf("%q: %v", address, err)
			}
			continue
		}
		if d := cmp.Diff("address of an agent: "+want+", as in http://127.0.0.1:8000/act", fmt.Sprint(err)); d != "" || triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%q: code %q, message (-want +got):\n%s", address, triage.CodeOf(err), d)
		}
	}
}
