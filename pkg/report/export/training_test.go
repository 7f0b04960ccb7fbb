package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/triage"
)

func TestRewardsOfStepsSumToTheReward(t *testing.T) {
	t.Parallel()
	run := queueRun()[:1]
	run[0].Score, run[0].Reward = value(0.333333), value(0.333333)
	run[0].Steps = nil
	for i := range 12 {
		run[0].Steps = append(run[0].Steps, queueStep(i, "s", "b", float64(i%3)/6, "billing"))
	}
	for name, episodes := range map[string][]*triage.Episode{"twelve": run, "queue": queueRun(), "desk": deskRun(), "imported": importedRun()} {
		lines := strings.Split(strings.TrimSpace(written(t, episodes, func(w io.Writer) export.Writer { return export.NewChat(w) })), "\n")
		for i, line := range lines {
			var row struct {
				Messages []struct{ Role, Content string }
				Reward   json.Number
				Steps    []float64 `json:"step_rewards"`
			}
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, r := range row.Steps {
				sum += math.Round(r * 1e6)
			}
			want, err := row.Reward.Float64()
			if err != nil || sum != math.Round(want*1e6) {
				t.Errorf("%s, line %d: %v sum to %v, not %v", name, i, row.Steps, sum, row.Reward)
			}
			if len(row.Messages) != 1+2*len(row.Steps) || row.Messages[0].Role != "system" {
				t.Errorf("%s, line %d: %d messages for %d steps", name, i, len(row.Messages), len(row.Steps))
			}
		}
	}
}

func TestARefusedReplyIsWhatTheModelSaid(t *testing.T) {
	t.Parallel()
	for replies, want := range map[bool][2]string{
		false: {`{"route_category":"billing","priority_score":7}`, strings.ToValidUTF8(strings.ReplaceAll(hostile, "\xff\xfe", "\ufffd\ufffd"), "")},
		true:  {"```json\n{\"route_category\":\"billing\"}\n```", strings.ToValidUTF8(strings.ReplaceAll(hostile, "\xff\xfe", "\ufffd\ufffd"), "")},
	} {
		text := written(t, queueRun()[2:3], func(w io.Writer) export.Writer {
			c := export.NewChat(w)
			c.Replies = replies
			return c
		})
		var row struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{row.Messages[2].Content, row.Messages[4].Content}; got != want {
			t.Errorf("replies %v: %q", replies, got)
		}
	}
}

func TestPairsAreOfOneTicketAndDifferInScore(t *testing.T) {
	t.Parallel()
	type pair struct {
		Prompt, Chosen, Rejected []struct{ Content string }
		Better                   float64 `json:"chosen_score"`
		Worse                    float64 `json:"rejected_score"`
		Key                      struct{ Seed, Position int }
		From                     struct {
			Agent string
			Trial int
		} `json:"chosen_from"`
	}
	pairs := func(o export.PairOptions, episodes []*triage.Episode) []string {
		var out []string
		for _, line := range strings.Split(strings.TrimSpace(written(t, episodes, func(w io.Writer) export.Writer { return export.NewPairs(w, o) })), "\n") {
			if line == "" {
				continue
			}
			var p pair
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			if p.Better <= p.Worse || p.Chosen[0].Content == p.Rejected[0].Content || strings.Contains(p.Prompt[1].Content, `"processed"`) {
				t.Errorf("no pair: %s", line)
			}
			out = append(out, fmt.Sprintf("%d/%d %v over %v of %s#%d", p.Key.Seed, p.Key.Position, p.Better, p.Worse, p.From.Agent, p.From.Trial))
		}
		return out
	}
	run := queueRun()
	// The model's first answer is the heuristic's, so that they are one; the tickets of seed 43 were played by one agent.
	run[2].Steps[0].Action.Queue.Urgency = "high"
	for name, c := range map[string]struct {
		options  export.PairOptions
		episodes []*triage.Episode
		want     []string
	}{
		"all":            {export.PairOptions{}, run, []string{"42/0 1 over 0.2 of heuristic#0", "42/0 1 over 0.6 of heuristic#0", "42/0 0.6 over 0.2 of llamacpp:tiny#0", "42/1 0.4 over 0 of heuristic#0"}},
		"one a ticket":   {export.PairOptions{Most: 1}, run, []string{"42/0 1 over 0.2 of heuristic#0", "42/1 0.4 over 0 of heuristic#0"}},
		"wide ones":      {export.PairOptions{MinGap: 0.4}, run, []string{"42/0 1 over 0.2 of heuristic#0", "42/0 1 over 0.6 of heuristic#0", "42/0 0.6 over 0.2 of llamacpp:tiny#0", "42/1 0.4 over 0 of heuristic#0"}},
		"wider ones":     {export.PairOptions{MinGap: 0.41}, run, []string{"42/0 1 over 0.2 of heuristic#0"}},
		"another order":  {export.PairOptions{}, []*triage.Episode{run[3], run[1], run[2], run[0]}, []string{"42/0 1 over 0.2 of heuristic#0", "42/0 1 over 0.6 of heuristic#0", "42/0 0.6 over 0.2 of llamacpp:tiny#0", "42/1 0.4 over 0 of heuristic#0"}},
		"one agent":      {export.PairOptions{}, run[:1], nil},
		"desk, imported": {export.PairOptions{}, append(deskRun(), importedRun()...), nil},
	} {
		if d := cmp.Diff(c.want, pairs(c.options, c.episodes)); d != "" {
			t.Errorf("%s (-want +got): %s", name, d)
		}
	}
}

func TestAnswersToOtherTicketsAreNoPair(t *testing.T) {
	t.Parallel()
	run := []*triage.Episode{queueRun()[0], queueRun()[3]}
	for i := range run[1].Steps { // as a perturbed agent sees it
		run[1].Steps[i].Observation.Queue.Ticket.Description += " typo"
	}
	if got := written(t, run, func(w io.Writer) export.Writer { return export.NewPairs(w, export.PairOptions{}) }); got != "" {
		t.Errorf("there are pairs: %s", got)
	}
	// and those of another split, generator or bank are others even where the text is the same
	var b bytes.Buffer
	p := export.NewPairs(&b, export.PairOptions{})
	other := source()
	other.Split = "test"
	for i, src := range []*export.Source{source(), other} {
		if err := p.Episode(src, logged(t, queueRun())[i*2]); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil || b.Len() > 0 || p.Written != 0 {
		t.Errorf("%v: splits are mixed: %s", err, b.String())
	}
}
