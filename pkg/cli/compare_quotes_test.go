package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/triage"
)

// unquoting is the heuristic with a mistake: it takes the mails that hang below a ticket's text for the sender's own words.
type unquoting struct{ triage.Agent }

// Act answers what the heuristic answers to the text without its marks of quoting.
func (u unquoting) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	plain := func(text string) string {
		var out []string
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			quoted := strings.HasPrefix(line, ">")
			line = strings.TrimLeft(line, "> ")
			if !quoted && strings.HasSuffix(line, ":") && len(out) > 0 && out[len(out)-1] == "" {
				continue // "On Tuesday somebody wrote:"
			}
			out = append(out, line)
		}
		return strings.Join(out, "\n")
	}
	if o.Queue != nil && o.Queue.Ticket != nil {
		q, t := *o.Queue, *o.Queue.Ticket
		t.Description = plain(t.Description)
		q.Ticket, o.Queue = &t, &q
	}
	if o.Desk != nil {
		d := *o.Desk
		d.IssueText = plain(d.IssueText)
		o.Desk = &d
	}
	return u.Agent.Act(ctx, o)
}

// playQuotes plays the heuristic on queue-hard and desk-hard, or a later version of it that has the mistake.
func playQuotes(t *testing.T, out string, mistaken bool) {
	t.Helper()
	o := &playOptions{app: newTestApp().App, given: map[string]bool{}, Agents: []string{"heuristic"}, Tasks: []string{"queue-hard", "desk-hard"}, Episodes: 60, Seed: 42,
		Split: "test", Out: out, NoMeta: true, NoFloor: true, Trials: 1, Format: "table", Progress: "off"}
	p, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if mistaken {
		o.cast.members[0].make = func() (triage.Agent, error) {
			inner, err := agent.New("heuristic")
			return unquoting{inner}, err
		}
	}
	if err := p.run(t.Context(), (*playResult).writeFolder); err != nil {
		t.Fatal(err)
	}
}

func TestAHeuristicThatIgnoresQuotesIsFoundAndItsTicketsAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base, fresh := filepath.Join(dir, "base"), filepath.Join(dir, "new")
	playQuotes(t, base, false)
	playQuotes(t, fresh, true)
	for name, row := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"by its bytes":      {[]string{"--gate", "score drop <= 0.05"}, ExitCheck, []string{"a deterministic agent changed"}},
		"as a sample":       {[]string{"--gate", "score drop <= 0.02", "--as-sample"}, ExitCheck, []string{"regression"}},
		"without a gate":    {nil, ExitOK, []string{"New is lower overall"}},
		"of the other side": {[]string{"--gate", "score rise >= 0.02", "--as-sample"}, ExitCheck, []string{"regression"}},
	} {
		app := newTestApp()
		if code := app.run(t.Context(), append([]string{"compare", base, fresh}, row.args...)...); code != row.code {
			t.Errorf("%s: exit code %d: %s%s", name, code, app.errs.String(), app.out.String())
		}
		for _, want := range row.want {
			if !strings.Contains(app.out.String(), want) {
				t.Errorf("%s: it does not print %q:\n%s", name, want, app.out.String())
			}
		}
	}
	got := comparedBy(t, base, fresh, "--moved", "20")
	with := 0
	for _, m := range got.Moved {
		if strings.Contains(m.Traps, "thread") {
			with++
		}
	}
	t.Logf("%d of %d rows of moved tickets have a thread of mails below", with, len(got.Moved))
	if len(got.Moved) < 40 || with < len(got.Moved)*9/10 {
		t.Errorf("of %d rows of tickets that moved only %d name one with a thread of mails below", len(got.Moved), with)
	}
}
