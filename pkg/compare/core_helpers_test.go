package compare_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// runSettings are those of a generated run; more are changed and added by pairs.
func runSettings(agents string, more ...string) map[string]string {
	s := map[string]string{"agents": agents, "bank": "public", "episodes": "1", "generator": "2-aaaa", "grader": "1-bbbb", "secret": "", "seed": "42", "shard": "1/1", "split": "test"}
	for i := 0; i+1 < len(more); i += 2 {
		s[more[i]] = more[i+1]
	}
	return s
}

// played is one episode to write into a log.
type played struct {
	agent, task string
	seed        int64
	position    int // −1 for a whole episode
	trial       int
	broke       string // why; the steps before stay
	tickets     []ticketPlayed
}

// ticketPlayed is one ticket of it: its score and what decides it.
type ticketPlayed struct {
	score              float64
	text, scenario     string
	traps              []string
	got, why, errorWas string
}

// queueOf is an episode of queue-easy with these scores; tickets have texts and scenarios by place.
func queueOf(agent string, seed int64, scores ...float64) played {
	p := played{agent: agent, task: "queue-easy", seed: seed, position: -1}
	for i, s := range scores {
		p.tickets = append(p.tickets, ticketPlayed{score: s, text: fmt.Sprintf("text %d/%d", seed, i), scenario: fmt.Sprintf("scenario/%d-%d", seed, i)})
	}
	return p
}

// line is the episode as a log has it.
func (p played) line(t testing.TB) string {
	t.Helper()
	key := map[string]any{"agent": p.agent, "task": p.task, "seed": p.seed}
	if p.position >= 0 {
		key["position"] = p.position
	}
	if p.trial > 0 {
		key["trial"] = p.trial
	}
	var steps []any
	sum := 0.0
	for i, x := range p.tickets {
		sum += x.score
		steps = append(steps, p.step(i, x))
	}
	out := map[string]any{"key": key, "steps": steps, "ended": "complete", "error": nil}
	if score := sum / float64(max(1, len(p.tickets))); p.broke == "" {
		out["score"], out["efficiency"], out["reward"] = score, score/2, score
	} else {
		out["score"], out["efficiency"], out["reward"], out["ended"], out["error"] = nil, nil, nil, "error", p.broke
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func (p played) step(i int, x ticketPlayed) any {
	id := fmt.Sprintf("TKT-%d-%d", p.seed, i)
	why := x.why
	if why == "" {
		why = "because"
	}
	var observation, action, parts any
	switch {
	case strings.HasPrefix(p.task, "queue"):
		observation = map[string]any{"task": p.task, "position": i, "ticket": map[string]any{"ticket_id": id, "subject": x.text, "description": x.text, "metadata": map[string]any{"channel": "chat"}}}
		action = map[string]any{"route_category": x.got}
		parts = []any{map[string]any{"name": "route", "value": x.score, "weight": 1, "got": x.got, "want": "billing", "why": why}}
	case strings.HasPrefix(p.task, "desk"):
		observation = map[string]any{"ticket_id": id, "issue_text": x.text + "\n\nbody", "step_count": i}
		action = map[string]any{"category": x.got}
		parts = []any{map[string]any{"name": "category", "value": x.score, "weight": 1, "got": x.got, "want": "Bug", "why": why}}
	default:
		observation = map[string]any{"ticket_id": id, "subject": x.text, "body": x.text, "fields": map[string]any{}, "labels": map[string]any{"kind": []string{"a", "b"}, "team": []string{"x"}}}
		action = map[string]any{"kind": x.got}
		value := func(at float64) float64 { // of two columns
			if x.score >= at {
				return 1
			}
			return 0
		}
		parts = []any{map[string]any{"name": "kind", "value": value(0.5), "weight": 0.5, "got": x.got, "want": "a", "why": why},
			map[string]any{"name": "team", "value": value(1), "weight": 0.5, "got": "", "want": "x", "why": why}}
	}
	out := map[string]any{"observation": observation, "action": action, "score": map[string]any{"total": x.score, "parts": parts}, "usage": nil, "error": nil}
	if x.scenario != "" {
		out["about"] = map[string]any{"scenario": x.scenario, "traps": x.traps}
	}
	if x.errorWas != "" {
		out["error"] = x.errorWas
	}
	return out
}

// writeRun makes a run folder; file is episodes.jsonl or journal.jsonl.
func writeRun(t testing.TB, settings map[string]string, file, text string) *results.Folder {
	t.Helper()
	dir := t.TempDir()
	run, err := json.Marshal(map[string]any{"schema": "triage.run/1", "digest": results.Settings(settings).Digest(), "settings": settings})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"run.json": string(run), file: text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	f, err := results.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sideOf is the only side of a run folder with these episodes.
func sideOf(t testing.TB, settings map[string]string, from string, list ...played) *compare.Side {
	t.Helper()
	var text strings.Builder
	for _, p := range list {
		text.WriteString(p.line(t))
	}
	sides, err := compare.FromFolder(from, writeRun(t, settings, results.EpisodesFile, text.String()), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(sides) != 1 {
		t.Fatalf("%d sides, want 1", len(sides))
	}
	return sides[0]
}

// compared is new against base.
func compared(t testing.TB, base, new *compare.Side, allow ...string) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(base, new, compare.Options{Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// usageOf is the message of a refusal, which must have CodeUsage.
func usageOf(t testing.TB, err error) string {
	t.Helper()
	if triage.CodeOf(err) != triage.CodeUsage {
		t.Fatalf("%v is no usage error", err)
	}
	return err.Error()
}
