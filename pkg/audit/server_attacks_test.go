package audit

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

// TestAttacksThatSucceedOnAServerFail breaks what the attacks on a server are about.
func TestAttacksThatSucceedOnAServerFail(t *testing.T) {
	t.Parallel()
	idlers := []section{{enterBlind, judgeBlind}, {enterIdlers, judgeIdlers}}
	for _, c := range []struct {
		name, task string
		kind       kind
		spoil      *spoiler
		list       []section
		want       []string // among the failing checks
	}{
		{name: "the route is ignored", task: "queue-easy", kind: kind{change: stepped(routed)}, list: idlers[:1], want: []string{"constant", "majority"}},
		{name: "the truth is graded down", task: "desk-easy", kind: kind{change: func(e triage.Env) triage.Env {
			return &broken{Env: e, score: func(s triage.Summary) triage.Summary { s.Score *= 0.9; return s }}
		}}, list: []section{{enterServerRegenerator, judgeServerRegenerator}}, want: []string{"regenerator:open"}},
		{name: "a sealed server has no secret", task: "queue-easy", kind: kind{sealed: true, tokens: twoTokens},
			list: []section{{enterBlind, judgeBlind}, {enterServerRegenerator, judgeServerRegenerator}}, want: []string{"regenerator:secret"}},
		{name: "a sealed server pays at once for tickets that come again", task: "queue-easy",
			kind: kind{sealed: true, secret: true, tokens: twoTokens, change: func(e triage.Env) triage.Env { return &broken{Env: e, seeds: 1, step: paid} }},
			list: []section{{enterBlind, judgeBlind}, {enterReplay, judgeReplay}}, want: []string{"replay:same", "replay:new-environments"}},
		{name: "a sealed desk has one ticket", task: "desk-easy",
			kind: kind{sealed: true, secret: true, tokens: twoTokens, change: func(e triage.Env) triage.Env { return &broken{Env: e, seeds: 1} }},
			list: []section{{enterBlind, judgeBlind}, {enterReplay, judgeReplay}}, want: []string{"replay:same", "replay:new-environments"}},
		{name: "wrong values are taken", task: "queue-easy", spoil: &spoiler{sent: mild}, list: idlers,
			want: []string{"idle:wrong-values", "idle:flood:refused"}},
		{name: "steps after the end pay", task: "queue-easy", spoil: &spoiler{frame: generous}, list: idlers, want: []string{"idle:repeats"}},
		{name: "ids tell the label", task: "queue-easy", kind: kind{change: labelled}, list: []section{{enterServerTree, judgeServerTree}},
			want: []string{"tree:ids:route"}},
		{name: "any recommendation is good", task: "desk-hard", kind: kind{change: func(e triage.Env) triage.Env {
			return &broken{Env: e, last: admired}
		}}, list: []section{{enterServerRecommenders, judgeServerRecommenders}}, want: []string{"recommendation:every-kind", "recommendation:rare-words"}},
		{name: "any recommendation is good, with a secret", task: "desk-hard", kind: kind{secret: true, change: func(e triage.Env) triage.Env {
			return &broken{Env: e, last: admired}
		}}, list: []section{{enterServerRecommenders, judgeServerRecommenders}}, want: []string{"recommendation:right-kind", "recommendation:observation"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, c.kind)
			if c.spoil != nil {
				c.spoil.t, c.spoil.upstream = t, address
				address = c.spoil.serve()
			}
			o := few(t, c.task)
			o.Episodes = map[triage.Track]int{triage.Queue: 12, triage.Desk: 24}
			o.Sample = 1600
			if strings.HasPrefix(c.name, "steps after") {
				o.Workers = 1
			}
			s := met(t, serverDeps(t, address, c.kind.tokens...), o)
			checks, err := s.play(t.Context(), s.tracks()[0], c.list)
			if err != nil {
				t.Fatal(err)
			}
			got := failing(checks)
			for _, name := range c.want {
				if !slices.Contains(got, c.task+"/"+name) {
					t.Errorf("%s holds: %+v", name, find(t, checks, c.task+"/"+name))
				}
			}
		})
	}
}

// stepped makes an environment with another step.
func stepped(step func(*broken, triage.Action) (triage.StepResult, error)) func(triage.Env) triage.Env {
	return func(e triage.Env) triage.Env { return &broken{Env: e, step: step} }
}

func routed(b *broken, a triage.Action) (triage.StepResult, error) {
	if x, ok := b.Truth(); ok {
		a.Queue.Route = x.Queue.Route
	}
	return b.Env.Step(context.Background(), a)
}

// paid pays each ticket at once.
func paid(b *broken, a triage.Action) (triage.StepResult, error) {
	r, err := b.Env.Step(context.Background(), a)
	if s := b.LastScore(); s != nil && !r.Done {
		r.Reward = s.Total
	}
	return r, err
}

// admired takes every recommendation for a good one.
func admired(s *triage.Score) *triage.Score {
	out := triage.Score{Total: s.Total, Parts: slices.Clone(s.Parts)}
	for i := range out.Parts {
		if out.Parts[i].Name == partRecommendation {
			out.Parts[i].Value = 1
		}
	}
	return &out
}

// labelled shows ids that end with the route's number.
func labelled(e triage.Env) triage.Env {
	b := &broken{Env: e}
	b.look = func(o *triage.Observation) {
		if x, ok := b.Truth(); ok && o.Queue.Ticket != nil {
			q, ticket := *o.Queue, *o.Queue.Ticket
			ticket.ID = ticket.ID[:len(ticket.ID)-1] + string(rune('0'+place(triage.Routes(), x.Queue.Route)))
			q.Ticket, o.Queue = &ticket, &q
		}
	}
	return b
}

// mild sends something that is allowed in place of a wrong value.
func mild(_ *spoiler, _ string, data []byte) []byte {
	action, ok := bytes.CutPrefix(data, []byte(`{"data":`))
	action, found := bytes.CutSuffix(action, []byte(`,"type":"step"}`))
	if !ok || !found {
		return data
	}
	if _, err := triage.ParseAction(triage.Queue, action, nil); err == nil {
		return data
	}
	return []byte(`{"data":{"urgency_assessment":"medium","resolution_difficulty":"medium"},"type":"step"}`)
}

// generous answers steps after the end with a last observation that pays.
func generous(s *spoiler, _ string, data []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case bytes.Contains(data, []byte(`"done":true`)) && bytes.Contains(data, []byte(`"type":"observation"`)):
		s.kept = data
	case bytes.Contains(data, []byte(`EXECUTION_ERROR`)) && s.kept != nil:
		return s.kept
	}
	return data
}

// Three standard errors are not enough where every server has other tickets; few episodes do not tell how much they vary.
func TestCeilingsOnAServerHaveAMargin(t *testing.T) {
	t.Parallel()
	local, remote := &arena{audit: &audit{}}, &arena{audit: &audit{server: &server{}}}
	for _, c := range []struct {
		a        *arena
		se       float64
		episodes int
		want     float64
		said     string
	}{
		{local, 0.1, 2, 0, ""}, {remote, 0.1, 20, 0.4, " + 0.400 (4 s.e.)"}, {remote, 0, 20, 0, " + 0.000 (4 s.e.)"},
		{remote, 0, 4, 1, " + 1.000 (4 s.e.)"}, {remote, 0.6, 4, 2.4, " + 2.400 (4 s.e.)"}, {remote, 0, 0, 2, " + 2.000 (4 s.e.)"},
	} {
		if got, said := c.a.slack(c.se, c.episodes); got != c.want || said != c.said {
			t.Errorf("%v of %d episodes: %v %q, want %v %q", c.se, c.episodes, got, said, c.want, c.said)
		}
	}
}

func TestFindingsSayWhatWasSeen(t *testing.T) {
	t.Parallel()
	f := func(change func(*finding)) string {
		x := claim("a/b", "what", "well")
		change(x)
		c := x.check("things")
		return strings.Join([]string{c.ID, c.Seen, c.Skipped, map[bool]string{true: "holds", false: "fails"}[c.Passed]}, "|")
	}
	for want, change := range map[string]func(*finding){
		"server/a/b||there was nothing to look at|fails": func(*finding) {},
		"server/a/b|2 things||holds":                     func(x *finding) { x.saw(); x.unless(true, "no") },
		"server/a/b||why|fails":                          func(x *finding) { x.saw(); x.skip("why") },
		"server/a/b|no 1 ||fails":                        func(x *finding) { x.skip("why"); x.unless(false, "no %d\n", 1) },
		"server/a/b|1; 2; 3; and 2 more||fails": func(x *finding) {
			for i := range 5 {
				x.fault("%d", i+1)
			}
		},
	} {
		if got := f(change); got != want {
			t.Errorf("finding is %s, want %s", got, want)
		}
	}
}

func TestNeedlesAreWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := &server{ServerDeps: ServerDeps{Deps: deps(t)}}
	l := s.looker()
	slug := l.Bank[0].Slug
	for text, want := range map[string]string{
		"billing": "billing", "x-hint: spam; q=1": "spam", `{route="technical"}`: "technical", "nobilling": "", "no-store": "", "hard": "", "medium easy": "",
		"Bug": "Bug", "bug": "", "about " + slug: slug, "critical,": "critical", "": "", "sha256-low+spam/x": "",
	} {
		if got := l.needle(text); got != want {
			t.Errorf("in %q there is %q, want %q", text, got, want)
		}
	}
}

func TestKeysAreFoundOutsideOfTexts(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"why":1}`: "why", `{"a":{"truth":{}}}`: "truth", `{"a":"\"why\": 1"}`: "", `{"a":"why"}`: "", `{"whys":1}`: "",
	} {
		if got := keyIn([]byte(data), neverKeys); got != want {
			t.Errorf("%s has the key %q, want %q", data, got, want)
		}
	}
}

func TestSeriesThatGrowDifferently(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b map[string]string
		want string
	}{
		{map[string]string{"x": "1"}, map[string]string{"x": "1"}, ""},
		{map[string]string{"x": "1"}, map[string]string{"x": "2", "y": "0"}, "x grows by 1 and by 2"},
		{map[string]string{}, map[string]string{"y": "3"}, "y grows by  and by 3"},
	} {
		if got := unequal(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
