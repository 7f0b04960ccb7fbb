package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/triagebench/triage/pkg/stats"
)

// all gives n times the same score.
func all(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// otherBytes makes a side whose bytes are not those of any other.
func otherBytes(s *Side) *Side {
	for i := range s.Tasks {
		s.Tasks[i].Digest = "other"
	}
	return s
}

func TestASampleInWhichNothingDiffersPassesOnlyWhatItWouldShow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n      int
		margin string
		want   Outcome
		needed int
	}{{5, "0.05", Inconclusive, 72}, {71, "0.05", Inconclusive, 72}, {72, "0.05", Pass, 0}, {182, "0.02", Inconclusive, 183}, {183, "0.02", Pass, 0}, {400, "0", Inconclusive, 0}} {
		base := gated(t, "desk-easy", ones(tt.n, tt.n), nil)
		for _, now := range []*Side{base, otherBytes(gated(t, "desk-easy", ones(tt.n, tt.n), nil))} { // equal bytes of an agent that is not deterministic settle nothing
			for _, change := range []string{"score drop <= " + tt.margin, "category_accuracy drop <= " + tt.margin, "each.score drop <= " + tt.margin} {
				v := judged(t, base, now, change)[0]
				if v.Outcome != tt.want || v.Needed != tt.needed {
					t.Errorf("%d tickets, %s: %s, %d needed", tt.n, change, said(v), v.Needed)
				}
			}
		}
	}
	// Where both are deterministic they do, however few there are.
	side := gated(t, "desk-easy", ones(5, 5), nil).deterministic()
	other := gated(t, "desk-easy", ones(5, 5), nil).deterministic()
	other.Agent = "other"
	for _, now := range []*Side{side, other} {
		if v := judged(t, side, now, "score drop <= 0")[0]; v.Outcome != Pass {
			t.Error(said(v))
		}
	}
}

// Scenarios, not tickets, are what has to show it.
func TestScenariosAreWhatHasToShowADrop(t *testing.T) {
	t.Parallel()
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprint("s", i/5)
	}
	v := judged(t, gated(t, "desk-easy", ones(200, 200), names), gated(t, "desk-easy", ones(200, 200), names), "score drop <= 0.05")[0]
	want := "inconclusive overall: the drop of score is 0: none of 200 tickets has another score; what happens to up to 8.9 % of all may show in none of 40 scenarios; about 360 tickets of as many more scenarios that are alike would settle it"
	if diff := cmp.Diff(want, said(v)); diff != "" {
		t.Error(diff)
	}
}

func TestFiguresOfFewAreNoMoreThanThat(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		base, new []float64
		gate      string
		want      Outcome
	}{
		"two that score the same":            {all(2, 0.7), all(2, 0.7), "score >= 0.69", Inconclusive},
		"many that score the same":           {all(400, 0.7), all(400, 0.7), "score >= 0.69", Pass},
		"five that lose within the margin":   {all(5, 0.7), all(5, 0.6), "score drop <= 0.9", Inconclusive},
		"thirty that lose within the margin": {all(30, 0.7), all(30, 0.6), "score drop <= 0.25", Pass},
		"five that lose more":                {all(5, 0.7), all(5, 0.6), "score drop <= 0.05", Inconclusive},
		"six that lose more":                 {all(6, 0.7), all(6, 0.6), "score drop <= 0.05", Regression},
	} {
		if v := judged(t, gated(t, "desk-easy", tt.base, nil), gated(t, "desk-easy", tt.new, nil), tt.gate)[0]; v.Outcome != tt.want {
			t.Errorf("%s: %s", name, said(v))
		}
	}
	// Equal scores in three tasks: what counts are the scenarios, not one degree of freedom.
	side := gated(t, "desk-easy", all(10, 0.7), nil).and(gated(t, "desk-hard", all(10, 0.7), nil)).and(gated(t, "desk-medium", all(10, 0.7), nil))
	if v := judged(t, side, side, "score drop <= 0.2")[0]; v.Outcome != Pass || !strings.Contains(v.Why, "none of 30 tickets") {
		t.Error(said(v))
	}
}

// True drops of a little more than the margin pass in few samples, where Student's interval passes up to an eighth, and samples in which
// nothing differs did so in up to 70 %.
func TestFalsePassesAreRare(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		n     int
		drop  float64
		gate  string
		limit float64
	}{{5, 0.07, "score drop <= 0.05", 0.025}, {30, 0.1, "score drop <= 0.1", 0.045}, {60, 0.05, "score drop <= 0.05", 0.045}, {200, 0.02, "score drop <= 0.02", 0.045}} {
		list := simulate(t, 300, tt.n, 0, tt.drop, tt.gate, uint64(50+i))
		if passed := shareOf(list, func(v *Verdict) bool { return v.Outcome == Pass }); passed > tt.limit+0.015 {
			t.Errorf("of %d tickets with a drop of %v %s passes in %.1f %%", tt.n, tt.drop, tt.gate, 100*passed)
		}
	}
}

// gradedPair draws graded scores of which a share moves by chance each way, and further tickets lose so much that the mean falls by drop.
func gradedPair(n int, q, drop float64, r *rand.Rand) (base, now []float64) {
	base, now = all(n, 0.9), all(n, 0.9)
	for i := range n {
		lost := 0.3 + float64(0.4*r.Float64())
		switch u := r.Float64(); {
		case u < q:
			base[i] -= lost
		case u < 2*q+drop/0.5:
			now[i] -= lost
		}
	}
	return base, now
}

// The printed smallest drop of graded scores is found in about 80 %, where some tickets lose much and the others nothing.
func TestThePrintedDropOfGradedScoresIsFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of comparisons take long under the race detector")
	}
	r := rand.New(rand.NewPCG(81, 22))
	for _, tt := range []struct {
		n    int
		q    float64
		gate string
	}{{120, 0.02, "score drop <= 0.05"}, {240, 0.02, "score drop <= 0.02"}, {100, 0.2, "score drop <= 0.05"}} {
		draw := func(drop float64) Verdict {
			base, now := gradedPair(tt.n, tt.q, drop, r)
			return judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), tt.gate)[0]
		}
		var printed []float64
		for range 100 {
			if v := draw(0); !math.IsNaN(v.Smallest) {
				printed = append(printed, v.Smallest)
			}
		}
		slices.Sort(printed)
		drop := printed[len(printed)/2]
		var list []Verdict
		for range 250 {
			list = append(list, draw(drop))
		}
		found := shareOf(list, regressed)
		if t.Logf("%+v: a drop of %.3f is found in %.1f %%", tt, drop, 100*found); math.Abs(found-Power) > 0.08 {
			t.Errorf("%+v: a drop of %.3f is found in %.1f %%", tt, drop, 100*found)
		}
	}
}

// A part that is right or wrong is the score here: what is printed of both is the same, with scenarios too.
func TestPartsAreJudgedByTheirTicketsAsTheScoreIs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprint("s", i/5)
	}
	for _, scenarios := range [][]string{nil, names} {
		base, now := noisyPair(200, 0.05, 0.12, r)
		got := judged(t, gated(t, "desk-easy", base, scenarios), gated(t, "desk-easy", now, scenarios), "score drop <= 0.02", "category_accuracy drop <= 0.02", "category drop <= 0.02", "success_rate drop <= 0.02")
		for _, v := range got[1:] {
			if v.Smallest != got[0].Smallest || v.Needed != got[0].Needed || cmp.Diff(v.Interval, got[0].Interval) != "" || v.Outcome != got[0].Outcome {
				t.Errorf("%s\n%s", said(got[0]), said(v))
			}
		}
	}
}

func TestWhatIsNeededIsSaidForWhatIsAndForNoChange(t *testing.T) {
	t.Parallel()
	base, now := flippedRuns(1000, 20, 41)
	v := judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), "score drop <= 0.02")[0]
	want := "inconclusive overall: the drop of score is 0.021 (95 %: 0.005 to 0.036), on either side of 0.02; 1,000 tickets show a drop of 0.046 or more 80 % of the time; " +
		"more than 100,000 tickets would settle it if the drop is what it is here; if nothing has changed, so many as these would 80 % of the time | scenarios are not known: tickets are taken for independent"
	if diff := cmp.Diff(want, said(v)); diff != "" || v.Needed != MostNeeded+1 {
		t.Error(diff)
	}
	// Tickets that would settle it if each were of its own scenario.
	names := make([]string, 200)
	base, now = ones(200, 200), ones(200, 200)
	for i := range names {
		if names[i] = fmt.Sprint("s", i/20); i < 20 && i >= 1 {
			now[i] = 0
		}
	}
	v = judged(t, gated(t, "desk-easy", base, names), gated(t, "desk-easy", now, names), "score drop <= 0.02")[0]
	if v.Outcome != Inconclusive || !strings.Contains(v.Why, "tickets of as many more scenarios would settle it") || !strings.Contains(v.Why, "more tickets of these scenarios will not help, others will") {
		t.Error(said(v))
	}
}

func TestScenariosThatAreNotKnownOrOneAreToldOf(t *testing.T) {
	t.Parallel()
	base, now := flippedRuns(100, 3, 5)
	one := make([]string, 100)
	for i := range one {
		one[i] = "s"
	}
	for _, tt := range []struct {
		scenarios []string
		want      string
	}{{nil, "scenarios are not known: tickets are taken for independent"}, {one, "all tickets come from one scenario: they are taken for independent, and say nothing of others"}} {
		for _, v := range judged(t, gated(t, "desk-easy", base, tt.scenarios), gated(t, "desk-easy", now, tt.scenarios), "score drop <= 0.02", "category drop <= 0.02") {
			if !strings.Contains(strings.Join(v.Warnings, "\n"), tt.want) {
				t.Errorf("%q", v.Warnings)
			}
		}
	}
}

// The tickets of a scenario flip together: as many independent flips would be a find in a third of the runs without a change.
func TestFlipsOfScenariosAreTestedByScenario(t *testing.T) {
	t.Parallel()
	const scenarios, each = 40, 5
	r := rand.New(rand.NewPCG(4, 6))
	names := make([]string, scenarios*each)
	plain, by, runs := 0, 0, 300
	for range runs {
		base, now := ones(len(names), len(names)), ones(len(names), len(names))
		for s := range scenarios {
			u := r.Float64()
			for k := range each {
				i := s*each + k
				names[i] = fmt.Sprint("s", s)
				if u < 0.15 {
					base[i] = 0
				} else if u < 0.3 {
					now[i] = 0
				}
			}
		}
		f := compared(t, gated(t, "desk-easy", base, names), gated(t, "desk-easy", now, names)).Tasks[0].Flips
		if f.By != ByScenarios || f.Test != stats.McNemar(f.Fixed, f.Broken) {
			t.Fatalf("%+v", f)
		}
		if f.P < 0.05 {
			by++
		}
		if f.Test.TwoSided < 0.05 {
			plain++
		}
	}
	if by > runs*8/100 || plain < runs*20/100 {
		t.Errorf("of %d runs without a change %d are finds by scenario, %d by ticket", runs, by, plain)
	}
	base, now := flippedRuns(50, 2, 9)
	if f := compared(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil)).Tasks[0].Flips; f.By != ByMcNemar || f.P != f.Test.TwoSided {
		t.Errorf("%+v", f)
	}
}
