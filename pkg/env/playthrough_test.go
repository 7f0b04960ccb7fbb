package env_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// playthroughs is where the committed transcripts lie, one a task. They are played on the small fixed bank beside them, so
// that work on the real one does not change them.
var playthroughs = filepath.Join("testdata", "playthroughs")

var fixedBank = sync.OnceValues(func() (*scenario.Bank, error) { return scenario.LoadDir(os.DirFS(filepath.Join("testdata", "bank"))) })

// synthetic makes an environment over a bank.
func synthetic(t testing.TB, bank *scenario.Bank, task triage.Task, split triage.Split) env.Grading {
	t.Helper()
	e, err := env.New(task, split, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// turn is one line of a playthrough.
type turn struct {
	Action      *triage.Action      `json:"action,omitempty"`
	Error       string              `json:"error,omitempty"`
	Observation *triage.Observation `json:"observation,omitempty"`
	Reward      *float64            `json:"reward,omitempty"`
	Done        bool                `json:"done,omitempty"`
	Score       *triage.Score       `json:"score,omitempty"`
	Summary     *triage.Summary     `json:"summary,omitempty"`
}

// scripted are the answers to step i, in the order in which they are tried: a refused one is followed by another.
func scripted(t testing.TB, e env.Grading, task triage.Task, i int) []triage.Action {
	t.Helper()
	right := rightAnswer(t, e)
	empty := triage.Action{Track: task.Track}
	if task.Track == triage.Desk {
		part, wrong := empty, right
		part.Desk.Category = pick(triage.Categories(), int64(len(task.Asked)))
		part.Desk.Recommendation = "Please look into it."
		wrong.Desk.Priority = pick(triage.Priorities(), int64(right.Desk.Priority.Level()+1))
		return [][]triage.Action{{invalid(task.Track), part}, {empty}, {{Track: task.Track, Raw: json.RawMessage(`{"category": "bug", "mood": 1}`)}, wrong}}[i%3]
	}
	wrong, part, near := right, empty, right
	wrong.Queue.Route = pick(triage.Routes(), int64(slices.Index(triage.Routes(), right.Queue.Route)+2))
	part.Queue.Urgency = right.Queue.Urgency
	near.Queue.Urgency = pick(triage.Urgencies(), int64(right.Queue.Urgency.Level()+1))
	near.Queue.Priority = triage.IntOf((right.Queue.Priority.Value + 7) % 101)
	return [][]triage.Action{{right}, {wrong}, {invalid(task.Track), part}, {near}, {empty}, {{Track: task.Track, Raw: json.RawMessage(`["billing"]`)}, right}}[i%6]
}

// play renders an episode of scripted answers, a line a call.
func play(t testing.TB, e env.Grading, task triage.Task, opts triage.ResetOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	write := func(x turn) {
		if err := enc.Encode(x); err != nil {
			t.Fatal(err)
		}
	}
	r := reset(t, e, opts)
	write(turn{Observation: &r.Observation, Reward: &r.Reward, Done: r.Done})
	for i := 0; !r.Done; i++ {
		for _, a := range scripted(t, e, task, i) {
			next, err := e.Step(context.Background(), a)
			if err != nil {
				write(turn{Action: &a, Error: err.Error()})
				continue
			}
			r = next
			write(turn{Action: &a, Observation: &r.Observation, Reward: &r.Reward, Done: r.Done, Score: e.LastScore()})
			break
		}
	}
	s, ok := e.Summary()
	if !ok {
		t.Fatal("no summary at the end")
	}
	write(turn{Summary: &s})
	return b.Bytes()
}

func TestPlaythroughs(t *testing.T) {
	t.Parallel()
	bank, err := fixedBank()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range triage.Tasks() {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(playthroughs, task.Name+".jsonl")
			got := play(t, synthetic(t, bank, task, triage.Train), task, triage.ResetOptions{Seed: 42})
			checkSeen(t, got)
			testkit.Golden(t, name, got)
		})
	}
}

func TestEveryPlaythroughBelongsToATask(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(playthroughs)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range entries {
		if _, err := triage.TaskByName(strings.TrimSuffix(x.Name(), ".jsonl")); err != nil {
			t.Errorf("%s: %v", x.Name(), err)
		}
	}
}

// checkSeen checks that no observation of a playthrough holds what decides the labels.
func checkSeen(t *testing.T, transcript []byte) {
	t.Helper()
	seen := 0
	for line := range bytes.Lines(transcript) {
		var x struct{ Observation json.RawMessage }
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		if x.Observation != nil {
			seen++
		}
		for _, bad := range append([]string{`"why"`, `"want"`, `"got"`, "is right", "ixture"}, slugs(t)...) {
			if strings.Contains(string(x.Observation), bad) {
				t.Errorf("an observation holds %q: %s", bad, x.Observation)
			}
		}
	}
	if seen < 2 {
		t.Errorf("the playthrough has %d observations", seen)
	}
}

func slugs(t testing.TB) []string {
	t.Helper()
	bank, err := fixedBank()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range bank.Scenarios {
		_, name, _ := strings.Cut(s.Slug, "/")
		out = append(out, s.Slug, name)
	}
	return out
}

// The embedded bank changes; only what must hold of any bank is checked on it.
func TestTheEmbeddedBankKeepsTheContract(t *testing.T) {
	t.Parallel()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range triage.Tasks() {
		for _, split := range triage.Splits() {
			t.Run(task.Name+"/"+string(split), func(t *testing.T) {
				t.Parallel()
				e := synthetic(t, bank, task, split)
				seeds := int64(3)
				if task.Track == triage.Desk {
					seeds = 60
				}
				first := ""
				for seed := range seeds {
					r := reset(t, e, triage.ResetOptions{Seed: seed})
					for !r.Done {
						r = step(t, e, rightAnswer(t, e))
					}
					if s, _ := e.Summary(); s.Score != 1 || s.Reward != 1 {
						t.Errorf("seed %d: the truth scores %+v: %+v", seed, s, e.LastScore())
					}
					text := transcript(t, e, task, triage.ResetOptions{Seed: seed})
					if text == first {
						t.Errorf("seed %d gives the episode of seed 0", seed)
					}
					if seed == 0 {
						first = text
						if d := cmp.Diff(first, transcript(t, synthetic(t, bank, task, split), task, triage.ResetOptions{})); d != "" {
							t.Errorf("the same seed gives another episode (-first +second):\n%s", d)
						}
					}
					for _, s := range bank.Scenarios {
						if strings.Contains(text, s.Slug) {
							t.Errorf("seed %d: an observation names the scenario %s", seed, s.Slug)
						}
					}
				}
			})
		}
	}
}
