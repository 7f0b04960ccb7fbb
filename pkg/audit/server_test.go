package audit

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	ours "github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// held is a server of ours with what the audit must say of it.
type held struct {
	name   string
	kind   kind
	tokens []string
	looked bool // only looked at, not played on
	// said is what is printed of the server; skipped holds a part of each reason.
	said, skipped map[string]string
}

func kinds() []held {
	return []held{
		{name: "plain", kind: plain, said: map[string]string{"sealed": "no", "tokens": "no", "secret": "no", "control": "yes, under /reset, /web/reset"},
			skipped: map[string]string{"server/tokens/needed": "needs no tokens", "server/sessions/other-token": "needs no tokens",
				"server/sealed/once": "not sealed", "queue-hard/regenerator:secret": "has no secret"}},
		{name: "secret", kind: withSecret, said: map[string]string{"sealed": "no", "secret": "yes"},
			skipped: map[string]string{"queue-hard/regenerator:open": "has a secret", "queue-hard/tree:ids:route": "not known"}},
		{name: "sealed", kind: sealed, tokens: twoTokens, said: map[string]string{"sealed": "yes", "secret": "yes", "tokens": "yes; the audit has 2"},
			skipped: map[string]string{"server/seeds": "chooses the seeds", "server/endpoints/review": "sealed/review", "queue-hard/replay:fewer-tickets": "sealed/options",
				"desk-hard/recommendation:every-kind": "no parts"}},
		{name: "one token of two", looked: true, kind: tokened, tokens: twoTokens[:1], said: map[string]string{"tokens": "yes; the audit has 1"},
			skipped: map[string]string{"server/sessions/other-token": "two tokens"}},
		{name: "two tokens", looked: true, kind: tokened, tokens: twoTokens, said: map[string]string{"tokens": "yes; the audit has 2"}},
		{name: "no plain HTTP", looked: true, kind: kind{mode: ours.Production, noWeb: true}, said: map[string]string{"control": "no"},
			skipped: map[string]string{"server/sessions/shared-id": "plain HTTP", "server/endpoints/observations": "plain HTTP", "server/endpoints/review": "no page"}},
		{name: "page only", looked: true, kind: kind{mode: ours.Production}, said: map[string]string{"control": "yes, under /web/reset"}},
		{name: "sealed, no plain HTTP", looked: true, kind: kind{secret: true, sealed: true, tokens: twoTokens, mode: ours.Production, noWeb: true}, tokens: twoTokens,
			said: map[string]string{"sealed": "yes"}},
	}
}

// TestServersOfOursHold audits servers of every kind: all that is checked holds, and all have the same lines.
func TestServersOfOursHold(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ids := map[string][]string{}
	t.Run("kinds", func(t *testing.T) {
		for _, c := range kinds() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				checks := c.audit(t)
				c.check(t, checks)
				mu.Lock()
				defer mu.Unlock()
				for _, x := range checks {
					ids[c.name] = append(ids[c.name], x.ID)
				}
			})
		}
	})
	for _, other := range []string{"secret", "sealed"} {
		if d := cmp.Diff(ids["plain"], ids[other]); d != "" {
			t.Errorf("ids (-plain +%s):\n%s", other, d)
		}
	}
}

func (c *held) audit(t *testing.T) []triage.Check {
	t.Helper()
	tasks := []string{"queue-hard", "desk-hard"}
	if testing.Short() { // under the race detector the queue takes two minutes
		tasks = tasks[1:]
	}
	d, o := serverDeps(t, serve(t, c.kind), c.tokens...), few(t, tasks...)
	if !c.looked {
		checks, err := RunServer(t.Context(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		return checks
	}
	s := met(t, d, o)
	checks, err := s.look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return append(s.told(), checks...)
}

func (c *held) check(t *testing.T, checks []triage.Check) {
	t.Helper()
	for _, x := range checks {
		if !x.Passed && !x.Printed && x.Skipped == "" {
			t.Errorf("%s fails: expected %s, seen %s", x.ID, x.Expected, x.Seen)
		}
		if x.Description == "" || x.Expected == "" || x.Seen == "" && x.Skipped == "" || x.Seen != "" && x.Skipped != "" {
			t.Errorf("check is not filled in: %+v", x)
		}
	}
	for id, want := range c.said {
		if got := find(t, checks, "server/"+id); got.Seen != want || !got.Printed {
			t.Errorf("server/%s says %q, want %q", id, got.Seen, want)
		}
	}
	for id, want := range c.skipped {
		if testing.Short() && strings.HasPrefix(id, "queue-hard/") {
			continue
		}
		if got := find(t, checks, id); !strings.Contains(got.Skipped, want) {
			t.Errorf("%s is skipped for %q, want a reason with %q", id, got.Skipped, want)
		}
	}
}

func TestSessionsAtOnceDoNotChangeWhatIsSeen(t *testing.T) {
	t.Parallel()
	d := serverDeps(t, serve(t, withSecret))
	play := func(workers int) []triage.Check {
		o := few(t, "queue-medium", "desk-easy")
		o.Workers = workers
		steps := 0
		o.Step = func(done, total int) {
			if steps++; done != steps || total != 7 {
				t.Errorf("step %d says %d of %d", steps, done, total)
			}
		}
		s := met(t, d, o)
		s.books["bank"] = newBook(nil) // it takes long to make
		var out []triage.Check
		for _, track := range s.tracks() {
			checks, err := s.play(t.Context(), track, serverSections())
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, checks...)
		}
		return out
	}
	if d := cmp.Diff(play(1), play(3)); d != "" {
		t.Errorf("three sessions give other checks than one (-one +three):\n%s", d)
	}
}

func TestWhatCannotBeAuditedIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, address string
		tokens        []string
		change        func(*ServerOptions)
		want          string
		code          triage.Code
	}{
		{name: "nobody answers", address: "http://127.0.0.1:1", want: "GET /health", code: triage.CodeUnavailable},
		{name: "no token", address: serve(t, tokened), want: "the server needs a token", code: triage.CodeUnavailable},
		{name: "a wrong token", address: serve(t, tokened), tokens: []string{"0123456789abcdef-bad"}, want: "GET /metadata answers 401", code: triage.CodeUnavailable},
		{name: "no episodes", address: serve(t, plain), change: func(o *ServerOptions) { o.Episodes = nil }, want: "audit of 0 episodes of track queue", code: triage.CodeUsage},
		{name: "no sessions", address: serve(t, plain), change: func(o *ServerOptions) { o.Workers = 0 }, want: "in 0 sessions", code: triage.CodeUsage},
		{name: "unhealthy", address: (&spoiler{t: t, upstream: serve(t, plain), answer: at("/health", func(_ *spoiler, a *spoilt) { a.status = 503 })}).serve(),
			want: "GET /health answers 503", code: triage.CodeUnavailable},
		{name: "another environment", address: (&spoiler{t: t, upstream: serve(t, plain), answer: at("/metadata", func(_ *spoiler, a *spoilt) { a.replace(`"name":"triage"`, `"name":"chess"`) })}).serve(),
			want: `the server has the environment "chess"`, code: triage.CodeUnavailable},
		{name: "no resets", address: (&spoiler{t: t, upstream: serve(t, plain), frame: swap(`"observation"`, `"type":"observation"`, `"type":"error"`)}).serve(),
			want: "a reset of queue-easy is answered with", code: triage.CodeUnavailable},
		{name: "frames that are none", address: (&spoiler{t: t, upstream: serve(t, plain), frame: swap(`"observation"`, `{"type"`, `{"type`)}).serve(),
			want: "is no frame", code: triage.CodeUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := few(t, "queue-easy")
			if c.change != nil {
				c.change(&o)
			}
			_, err := RunServer(t.Context(), serverDeps(t, c.address, c.tokens...), o)
			if err == nil || !strings.Contains(err.Error(), c.want) || triage.CodeOf(err) != c.code {
				t.Errorf("error is %v (%s), want %s (%s)", err, triage.CodeOf(err), c.want, c.code)
			}
		})
	}
}

// What a server is, is found out although it hides a part of it.
func TestWhatAServerIsIsFoundOut(t *testing.T) {
	t.Parallel()
	unset := func(_ *spoiler, _ string, data []byte) []byte {
		return bytes.ReplaceAll(data, []byte(`"seed":`), []byte(`"ignored":`))
	}
	for _, c := range []struct {
		name    string
		kind    kind
		spoil   *spoiler
		sealed  bool
		open    bool
		failing []string
	}{
		{name: "plain", open: true},
		{name: "secret", kind: withSecret},
		{name: "sealed", kind: sealed, sealed: true},
		{name: "sealed without a secret", kind: kind{sealed: true, tokens: twoTokens}, sealed: true, open: true},
		{name: "sealed, takes seeds", kind: sealed, spoil: &spoiler{sent: unset}, sealed: true},
		{name: "sealed, takes seeds and shows stats", kind: sealed, spoil: &spoiler{sent: unset, frame: swap(`"observation"`, `"stats":null`, `"stats":{"processed":0}`)}, sealed: true},
		{name: "seeds mean nothing", spoil: &spoiler{sent: func(s *spoiler, _ string, data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(`"seed":42`), fmt.Appendf(nil, `"seed":%d`, s.next()))
		}}, failing: []string{"server/seeds"}},
		{name: "another text", spoil: &spoiler{frame: swap(`"observation"`, `"subject":"`, `"subject":"Re: `)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.spoil == nil {
				c.spoil = &spoiler{}
			}
			c.spoil.t, c.spoil.upstream = t, serve(t, c.kind)
			s := met(t, serverDeps(t, c.spoil.serve(), c.kind.tokens...), few(t, "queue-easy"))
			if s.sealed != c.sealed || s.open["queue-easy"] != c.open {
				t.Errorf("sealed is %t, open %t; want %t and %t", s.sealed, s.open["queue-easy"], c.sealed, c.open)
			}
			if d := cmp.Diff(c.failing, failing(s.told())); d != "" {
				t.Errorf("failing checks (-want +got):\n%s", d)
			}
		})
	}
}

// A server that goes away in the middle is no finding: the audit ends.
func TestAServerThatGoesAwayEndsTheAudit(t *testing.T) {
	t.Parallel()
	s := &spoiler{t: t, upstream: serve(t, plain)}
	s.frame = func(s *spoiler, _ string, data []byte) []byte {
		if s.next() > 60 {
			return []byte("gone")
		}
		return data
	}
	_, err := RunServer(t.Context(), serverDeps(t, s.serve()), few(t, "queue-easy"))
	if triage.CodeOf(err) != triage.CodeUnavailable {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	o := few(t, "desk-easy")
	o.Step = func(int, int) { cancel(context.DeadlineExceeded) }
	if _, err := RunServer(ctx, serverDeps(t, serve(t, plain)), o); err == nil {
		t.Error("an interruption is no error")
	}
}

// What a proxy adds to every answer is no leak.
func TestHeadersThatAlwaysChangeAreNoFinding(t *testing.T) {
	t.Parallel()
	s := &spoiler{t: t, upstream: serve(t, plain), answer: func(s *spoiler, _ *http.Request, a *spoilt) {
		a.header.Set("X-Request-Id", fmt.Sprint(s.next()))
	}}
	x := met(t, serverDeps(t, s.serve()), few(t, "desk-easy"))
	checks, err := x.checkEndpoints(t.Context())
	if d := cmp.Diff([]string(nil), failing(checks)); d != "" || err != nil {
		t.Errorf("failing checks: %v\n%s", err, d)
	}
}
