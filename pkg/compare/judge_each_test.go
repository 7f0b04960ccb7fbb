package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

// With one task the adjusted P of a gate on each is the rule of the interval.
func TestEachOfOneTaskIsTheIntervalRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(rt, "n")
		fixed, broken := rapid.Float64Range(0, 0.4).Draw(rt, "fixed"), rapid.Float64Range(0, 0.4).Draw(rt, "broken")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		base, now := noisyPair(n, fixed, broken, r)
		var scenarios []string
		if rapid.Bool().Draw(rt, "scenarios") {
			for i := range n {
				scenarios = append(scenarios, fmt.Sprint(i%7))
			}
		}
		margin := rapid.Float64Range(0, 0.3).Draw(rt, "margin")
		rule := rapid.SampledFrom([]string{"score drop <= %v", "category drop <= %v", "score >= %v", "category_accuracy drop < %v", "score rise >= %v"}).Draw(rt, "rule")
		gate := fmt.Sprintf(rule, margin)
		c := compared(t, gated(t, "desk-easy", base, scenarios), gated(t, "desk-easy", now, scenarios))
		got, err := Judge(c, parsed(t, gate, "each."+gate), JudgeOptions{})
		if err != nil {
			rt.Fatal(err)
		}
		one, each := got[0], got[1]
		if each.Scope != "desk-easy" || math.IsNaN(each.P) && each.Interval != nil && !always(each.Gate) {
			rt.Fatalf("scope %s, P %v", each.Scope, each.P)
		}
		if always(each.Gate) { // such as score >= 0, which asks for no test
			if one.Outcome != Pass || each.Outcome != Pass {
				rt.Fatalf("%s and %s of a gate that every figure meets", one.Outcome, each.Outcome)
			}
			return
		}
		if each.Interval != nil && (each.P < 0.05) != (each.Interval.High < margin || each.Interval.Low > margin) {
			rt.Fatalf("P %v, interval %v, margin %v", each.P, each.Interval, margin)
		}
		each.Gate, each.Scope = one.Gate, one.Scope
		if diff := cmp.Diff(one, each, cmpopts.EquateNaNs()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// Of several tasks one interval may lie beyond the margin by chance: Holm allows for that.
func TestEachOfSeveralTasksIsAdjusted(t *testing.T) {
	t.Parallel()
	runs := map[string][2]int{"desk-easy": {2, 14}, "desk-medium": {5, 5}, "desk-hard": {2, 40}}
	var base, now *Side
	for _, task := range []string{"desk-easy", "desk-medium", "desk-hard"} {
		b, n := flippedRuns(200, runs[task][0], runs[task][1])
		if base == nil {
			base, now = gated(t, task, b, nil), gated(t, task, n, nil)
		} else {
			base, now = base.and(gated(t, task, b, nil)), now.and(gated(t, task, n, nil))
		}
	}
	want := []string{
		"inconclusive desk-easy: the drop of score is 0.06 (95 %: 0.019 to 0.1), on either side of 0.02 (p 0.114 among 3 tasks); 200 tickets show a drop of 0.098 or more 80 % of the time; about 526 tickets would settle it if the drop is what it is here; if nothing has changed, about 711 tickets would | scenarios are not known: tickets are taken for independent",
		"inconclusive desk-medium: the drop of score is 0 (95 %: -0.034 to 0.034), on either side of 0.02 (p 0.245 among 3 tasks); 200 tickets show a drop of 0.109 or more 80 % of the time; about 1,400 tickets would settle it if the drop is what it is here | scenarios are not known: tickets are taken for independent",
		"regression desk-hard: the drop of score is 0.19 (95 %: 0.129 to 0.247), above 0.02 (p 2.2e-07 among 3 tasks) | scenarios are not known: tickets are taken for independent",
	}
	got := judged(t, base, now, "each.score drop <= 0.02")
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
	ps := make([]float64, 3)
	for i, task := range compared(t, base, now).Tasks {
		g := stats.Guard(task.Score.Strata, -1, 1)
		ps[i] = stats.TwoSidedT((g.Center+0.02)/g.SE, g.DF)
	}
	for i, p := range stats.Holm(ps) {
		if math.Abs(got[i].P-p) > 1e-9 {
			t.Errorf("P %v, that of the guarded differences is %v", got[i].P, p)
		}
	}
}
