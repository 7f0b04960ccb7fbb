package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// repeated gives so many runs of an agent that is right on 85 % of the tickets, and wrong by chance on 5 % of those.
func repeated(t testing.TB, runs, n int) []*Side {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	out := make([]*Side, runs)
	for i := range out {
		scores := ones(n, n*85/100)
		for k := range scores {
			if r.Float64() < 0.05 {
				scores[k] = 1 - scores[k]
			}
		}
		out[i] = gated(t, "desk-easy", scores, nil)
		out[i].Name = fmt.Sprint("noisy ", i)
	}
	return out
}

// trials puts runs into one side, as trials of the same tickets.
func trials(runs []*Side) *Side {
	out := *runs[0]
	out.Name = "noisy"
	task := runs[0].Tasks[0]
	task.Episodes = nil
	for i := range runs[0].Tasks[0].Episodes {
		for k, r := range runs {
			e := r.Tasks[0].Episodes[i]
			e.Trial = int16(k)
			task.Episodes = append(task.Episodes, e)
		}
	}
	out.Tasks = []TaskSide{task}
	return &out
}

// lesson B30: the same agent twice is no regression, whichever run comes first; and where the gate cannot tell it says so.
func TestRepeatsOfOneAgentAreNoRegression(t *testing.T) {
	t.Parallel()
	gates := parsed(t, "score drop <= 0.05", "each.category_accuracy drop <= 0.05", "score >= 0.5", "score rise >= 0.01", "score drop <= 0.05")
	runs := repeated(t, 4, 100)
	want := &Repeats{Sides: []string{"noisy 0", "noisy 1", "noisy 2", "noisy 3"}, Pairs: 12, Gates: []RepeatedGate{
		{Gate: gates[0], Passes: 4, Inconclusive: 8, Disjoint: 2, Chance: 1},
		{Gate: gates[1], Passes: 4, Inconclusive: 8, Disjoint: 2, Chance: 1},
		{Gate: gates[2], Skipped: "it is about new's own figure, not about a change"},
		{Gate: gates[3], Skipped: "it asks for a change, and between repeats there is none"},
	}}
	got, err := AA(runs, gates, Options{}, JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || !got.Holds() {
		t.Error(diff)
	}
	for i := range want.Sides {
		want.Sides[i] = fmt.Sprintf("noisy, trial %d", i)
	}
	if got, err = AA([]*Side{trials(runs)}, gates, Options{}, JudgeOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as trials of one run: %s", diff)
	}
}

func TestAGateThatRepeatsDoNotMeetIsFoundOut(t *testing.T) {
	t.Parallel()
	gates := parsed(t, "identical")
	got, err := AA(repeated(t, 3, 60), gates, Options{}, JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Holds() || got.Gates[0].Regressions != 6 || got.Gates[0].Self != 0 || got.Gates[0].Worst == nil || got.Gates[0].Base != "noisy 0" || got.Gates[0].New != "noisy 1" {
		t.Errorf("%+v", got.Gates[0])
	}
}

func TestADeterministicAgentRepeatsItself(t *testing.T) {
	t.Parallel()
	gates := parsed(t, "score drop <= 0", "identical")
	side := gated(t, "desk-easy", ones(30, 20), nil).deterministic()
	again := gated(t, "desk-easy", ones(30, 20), nil).deterministic()
	again.Name = "again"
	if _, err := AA([]*Side{side}, gates, Options{}, JudgeOptions{}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("one run is a repeat of nothing: %v", err)
	}
	for _, sides := range [][]*Side{{side, again}} {
		got, err := AA(sides, gates, Options{}, JudgeOptions{})
		if err != nil || !got.Holds() || got.Pairs != len(sides)*(len(sides)-1) || got.Gates[0].Passes != got.Pairs {
			t.Errorf("%+v %v", got, err)
		}
	}
}

func TestWhatIsNoRepeatIsRefused(t *testing.T) {
	t.Parallel()
	side := gated(t, "desk-easy", ones(30, 20), nil)
	other := gated(t, "desk-easy", ones(30, 20), nil)
	other.Agent = "other"
	drop := parsed(t, "score drop <= 0.05")
	for name, tt := range map[string]struct {
		sides []*Side
		gates []Gate
		want  string
	}{
		"nothing":           {nil, drop, "check gates on repeats: no run was given"},
		"one trial":         {[]*Side{side}, drop, `check gates on repeats: "noisy" has one trial: give two runs of one agent or more, or one that was played with --trials 2 or more`},
		"two agents":        {[]*Side{side, other}, drop, `check gates on repeats: "noisy" and "other" are two agents: repeats are runs of one`},
		"no gate on change": {[]*Side{side, side}, parsed(t, "errors == 0"), "check gates on repeats: no gate limits a drop or asks for the same bytes, such as score drop <= 0.05"},
		"no such metric":    {[]*Side{side, side}, parsed(t, "x drop <= 0.1"), "gate: what was compared has no \"x\"; it has score, reward, success_rate, category, category_accuracy, errors, refused\n  x drop <= 0.1\n  ^"},
	} {
		_, err := AA(tt.sides, tt.gates, Options{}, JudgeOptions{})
		if err == nil || err.Error() != tt.want || name != "no such metric" && triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	mine := gated(t, "desk-easy", ones(30, 20), nil)
	mine.Settings = map[string]string{"temperature": "0"}
	if _, err := AA([]*Side{side, mine}, drop, Options{}, JudgeOptions{}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("other settings: %v", err)
	}
}

// An agent whose draws are seeded by the trial gives other answers in each, and the same ones whenever it runs.
func TestTrialsOfASeededAgentAreASample(t *testing.T) {
	t.Parallel()
	runs := repeated(t, 3, 60)
	got, err := AA([]*Side{trials(runs).deterministic()}, parsed(t, "score drop <= 0.05"), Options{}, JudgeOptions{})
	if err != nil || !got.Holds() {
		t.Errorf("%+v %v", got, err)
	}
}

// A sound gate at a margin of 0 calls 2.5 % of the ordered pairs a regression, so that of ten repeats, which have 90, some pair nearly
// always is one: what is held against chance are disjoint pairs.
func TestASoundGateHoldsForManyRepeats(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many comparisons take long under the race detector")
	}
	r := rand.New(rand.NewPCG(21, 22))
	failed, any := 0, 0
	const runs = 30
	for range runs {
		sides := make([]*Side, 8)
		for i := range sides {
			scores := make([]float64, 60)
			for k := range scores {
				if r.Float64() < 0.7 {
					scores[k] = 1
				}
			}
			sides[i] = gated(t, "desk-easy", scores, nil)
			sides[i].Name = fmt.Sprint(i)
		}
		got, err := AA(sides, parsed(t, "score drop <= 0"), Options{}, JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if g := &got.Gates[0]; g.Regressions > 0 {
			if any++; g.Share() <= 0 || !g.Settles() {
				t.Errorf("%+v", g)
			}
		}
		if !got.Holds() {
			failed++
		}
	}
	if failed > 3 || any < 3*failed || any == 0 {
		t.Errorf("of %d sets of repeats %d fail, %d have a regression", runs, failed, any)
	}
}

func TestRepeatsOfWhichNothingIsSettledSaySo(t *testing.T) {
	t.Parallel()
	got, err := AA(repeated(t, 2, 10), parsed(t, "score drop <= 0.02"), Options{}, JudgeOptions{})
	if err != nil || !got.Holds() || got.Gates[0].Settles() || got.Gates[0].Inconclusive != 2 || got.Gates[0].Disjoint != 1 {
		t.Errorf("%+v %v", got, err)
	}
}

// Two repeats are one pair: a regression in it is more than chance gives.
func TestARegressionOfTwoRepeatsFailsTheGate(t *testing.T) {
	t.Parallel()
	a, b := gated(t, "desk-easy", ones(100, 90), nil), gated(t, "desk-easy", ones(100, 40), nil)
	b.Name = "b"
	for _, sides := range [][]*Side{{a, b}, {b, a}} {
		got, err := AA(sides, parsed(t, "score drop <= 0.05"), Options{}, JudgeOptions{})
		if err != nil || got.Holds() || got.Gates[0].Alarms != 1 || got.Gates[0].Chance != 0.05 {
			t.Errorf("%+v %v", got, err)
		}
	}
}
