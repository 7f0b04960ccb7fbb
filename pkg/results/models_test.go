package results_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// answered is an episode of a model with one step a reply.
func answered(task string, seed int64, score float64, replies ...triage.Reply) *triage.Episode {
	ep := &triage.Episode{Key: triage.Key{Agent: "m", Task: task, Seed: seed}, Score: pointer(score), Ended: triage.EndedComplete}
	for i := range replies {
		s := triage.Step{Reply: &replies[i], Score: &triage.Score{Total: score}, Usage: &triage.Usage{Calls: 1 + len(replies[i].Before), TokensIn: triage.IntOf(10),
			TokensOut: triage.IntOf(3), TokensCached: triage.IntOf(0), CostNano: triage.IntOf(1000 + i)}}
		if replies[i].Stage == "none" {
			s.Error = "no readable answer"
		}
		ep.Steps = append(ep.Steps, s)
	}
	return ep
}

func TestModelFiguresAreSumsThatDoNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	exact, fenced := triage.Reply{Stage: "exact"}, triage.Reply{Stage: "fenced"}
	marked := triage.Reply{Stage: "exact", Fingerprint: "fp"}
	coerced := triage.Reply{Stage: "exact", Coerced: []string{"x"}}
	none := triage.Reply{Stage: "none", Cause: "truncated"}
	again := triage.Reply{Stage: "exact", Before: []triage.Reply{none}}
	episodes := []*triage.Episode{answered("queue-easy", 1, 0.5, exact, fenced), answered("queue-easy", 2, 1, marked, marked),
		answered("queue-easy", 3, 0.8, none, again, coerced, exact)}
	broke := answered("queue-easy", 4, 0, exact)
	broke.Score, broke.Ended, broke.Steps[0].Usage.CostNano = nil, triage.EndedError, triage.Int{}
	episodes = append(episodes, broke)
	want := results.ModelFigures{Decisions: 9, Stages: map[string]int{"exact": 7, "fenced": 1, "none": 1}, Causes: map[string]int{"truncated": 1}, Coerced: 1,
		Reasked: 1, Calls: 10, Served: map[string]int{}, Fingerprints: map[string]int{"fp": 2}, In: results.Total{Sum: 90}, Out: results.Total{Sum: 27}, Reasoning: results.Total{Unknown: 9},
		Cost: results.Total{Sum: 8008, Unknown: 1}}
	for trial := range 10 {
		m := results.NewModels()
		for _, i := range rand.New(rand.NewPCG(1, uint64(trial))).Perm(len(episodes)) {
			m.Add(i, episodes[i])
		}
		got, ok := m.Of("m", "queue-easy")
		strict := got.Strict
		got.Strict = want.Strict
		if d := cmp.Diff(want, got); d != "" || !ok {
			t.Fatalf("figures (-want +got):\n%s", d)
		}
		// 0.25 of the first, 1 of the second, 0.2 of the third; the fourth broke.
		if mean := (0.25 + 1 + 0.2) / 3; strict.Mean != mean || strict.CI95 == nil {
			t.Errorf("strict score %+v, want %v", strict, mean)
		}
	}
}

func TestAnAgentWithoutAModelHasNoFigures(t *testing.T) {
	t.Parallel()
	m := results.NewModels()
	m.Add(0, episodeAt(0))
	if f, ok := m.Of("heuristic", "queue-hard"); ok {
		t.Errorf("figures %+v", f)
	}
}

func TestADeskEpisodeIsStrictIfEveryReplyIs(t *testing.T) {
	t.Parallel()
	exact, fenced := triage.Reply{Stage: "exact"}, triage.Reply{Stage: "fenced"}
	for _, tt := range []struct {
		want    float64
		replies []triage.Reply
	}{{0.75, []triage.Reply{exact}}, {0.75, []triage.Reply{exact, exact}}, {0, []triage.Reply{fenced, exact}}, {0, []triage.Reply{exact, fenced}}} {
		m := results.NewModels()
		ep := answered("desk-hard", 1, 0.75, tt.replies...)
		if len(ep.Steps) > 1 {
			ep.Steps[0].Score = nil
		}
		m.Add(0, ep)
		if f, _ := m.Of("m", "desk-hard"); f.Strict.Mean != tt.want {
			t.Errorf("%v: strict score %v, want %v", tt.replies, f.Strict.Mean, tt.want)
		}
	}
}

func TestFiguresOfTasksJoin(t *testing.T) {
	t.Parallel()
	m := results.NewModels()
	m.Add(0, answered("queue-easy", 1, 1, triage.Reply{Stage: "exact", Model: "a-2026"}))
	m.Add(1, answered("desk-easy", 1, 1, triage.Reply{Stage: "fenced", Cause: "ambiguous", Model: "a-2026"}))
	var sum results.ModelFigures
	for _, task := range []string{"queue-easy", "desk-easy"} {
		f, _ := m.Of("m", task)
		sum.Join(&f)
	}
	want := results.ModelFigures{Decisions: 2, Stages: map[string]int{"exact": 1, "fenced": 1}, Causes: map[string]int{"ambiguous": 1}, Calls: 2,
		Served: map[string]int{"a-2026": 2}, Fingerprints: map[string]int{},
		In: results.Total{Sum: 20}, Out: results.Total{Sum: 6}, Reasoning: results.Total{Unknown: 2}, Cost: results.Total{Sum: 2000}}
	if d := cmp.Diff(want, sum); d != "" {
		t.Errorf("sum (-want +got):\n%s", d)
	}
	if v, ok := sum.Reasoning.Known(); ok {
		t.Errorf("%d reasoning tokens are known that nobody told", v)
	}
}
