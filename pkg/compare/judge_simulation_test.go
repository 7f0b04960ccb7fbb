package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// simulate compares and judges so many pairs of noisy runs, and gives the verdicts.
func simulate(t *testing.T, pairs, n int, fixed, broken float64, gate string, seed uint64) []Verdict {
	t.Helper()
	if testing.Short() {
		t.Skip("thousands of comparisons take long under the race detector")
	}
	r := rand.New(rand.NewPCG(seed, 42))
	out := make([]Verdict, pairs)
	for i := range out {
		base, now := noisyPair(n, fixed, broken, r)
		out[i] = judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), gate)[0]
	}
	return out
}

func shareOf(list []Verdict, is func(v *Verdict) bool) float64 {
	n := 0
	for i := range list {
		if is(&list[i]) {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

func regressed(v *Verdict) bool { return v.Outcome == Regression }

// Runs of one agent that flips 5 % of 200 tickets each way by chance: the gate calls no more than 2.5 % of the pairs a
// regression, a plain tolerance of 2 points about 16 %. lessons B27, B29, B30
func TestTheGateRaisesFewFalseAlarms(t *testing.T) {
	t.Parallel()
	list := simulate(t, 1000, 200, 0.05, 0.05, "score drop <= 0.02", 1)
	gate := shareOf(list, regressed)
	plain := shareOf(list, func(v *Verdict) bool { return v.Value > 0.02+1e-9 })
	unsure := shareOf(list, func(v *Verdict) bool { return v.Outcome == Inconclusive })
	t.Logf("of 1,000 pairs without a change the gate calls %.1f %% a regression and %.1f %% inconclusive; a plain tolerance of 2 points calls %.1f %% a drop", 100*gate, 100*unsure, 100*plain)
	if gate > 0.025 || math.Abs(plain-0.16) > 0.03 {
		t.Error("the gate's false alarms are more than 2.5 %, or those of a plain tolerance not about 16 %")
	}
}

func TestTheGateFindsALargeDrop(t *testing.T) {
	t.Parallel()
	list := simulate(t, 1000, 200, 0.05, 0.17, "score drop <= 0.02", 2)
	found := shareOf(list, regressed)
	t.Logf("of 1,000 pairs with a drop of 12 points the gate finds %.1f %%", 100*found)
	if found < 0.85 {
		t.Error("less than 85 % were found")
	}
}

// What verdicts print as the smallest drop that they would have found in 80 % is found in 80 %.
func TestThePrintedPowerIsTheSimulatedOne(t *testing.T) {
	t.Parallel()
	const n = 100
	unchanged := simulate(t, 300, n, 0.05, 0.05, "score drop <= 0.02", 3)
	printed := make([]float64, len(unchanged))
	for i := range unchanged {
		printed[i] = unchanged[i].Smallest
	}
	slices.Sort(printed)
	drop := printed[len(printed)/2]
	dropped := simulate(t, 1000, n, 0.05, 0.05+drop, "score drop <= 0.02", 4)
	power := shareOf(dropped, regressed)
	t.Logf("at n = %d verdicts on runs without a change print a drop of %.3f (half of them %.3f to %.3f) for %.0f %%; of 1,000 with that drop %.1f %% are found", n, drop,
		printed[len(printed)/4], printed[3*len(printed)/4], 100*Power, 100*power)
	if math.Abs(power-Power) > 0.03 {
		t.Errorf("%.1f %% are more than 3 points from what is printed", 100*power)
	}
	// The same from inside of a run that has the drop: what the verdicts print there is about the same.
	slices.SortFunc(dropped, func(a, b Verdict) int { return int(1000*a.Smallest) - int(1000*b.Smallest) })
	if inside := dropped[len(dropped)/2].Smallest; math.Abs(inside-drop) > 0.02 {
		t.Errorf("runs that have the drop print %.3f", inside)
	}
}

// Of tickets whose scenarios resemble each other fewer are worth as much: the same promises hold.
func TestTheGateKeepsItsPromisesWithScenarios(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("hundreds of comparisons take long under the race detector")
	}
	const scenarios, each = 40, 5
	r := rand.New(rand.NewPCG(9, 9))
	names := make([]string, scenarios*each)
	for i := range names {
		names[i] = string(rune('a' + i/each))
	}
	draw := func(drop float64) Verdict {
		base, now := make([]float64, len(names)), make([]float64, len(names))
		for s := range scenarios {
			// Three in four of a scenario's flips come for the whole scenario at once.
			all, flipAll := r.Float64(), r.Float64() < 0.75
			for k := range each {
				u := all
				if !flipAll {
					u = r.Float64()
				}
				i := s*each + k
				switch {
				case u < 0.05:
					now[i] = 1
				case u < 0.10+drop:
					base[i] = 1
				default:
					base[i], now[i] = 1, 1
				}
			}
		}
		return judged(t, gated(t, "desk-easy", base, names), gated(t, "desk-easy", now, names), "score drop <= 0.02")[0]
	}
	const runs = 400
	var same []Verdict
	var printed []float64
	for range runs {
		v := draw(0)
		same = append(same, v)
		if !math.IsNaN(v.Smallest) {
			printed = append(printed, v.Smallest)
		}
	}
	slices.Sort(printed)
	drop := printed[len(printed)/2]
	var dropped []Verdict
	for range runs {
		dropped = append(dropped, draw(drop))
	}
	alarms, power := shareOf(same, regressed), shareOf(dropped, regressed)
	t.Logf("%d scenarios of %d: %.1f %% false alarms; of a drop of %.3f, printed for %.0f %%, %.1f %% are found", scenarios, each, 100*alarms, drop, 100*Power, 100*power)
	if alarms > 0.025+0.01 || math.Abs(power-Power) > 0.08 {
		t.Error("the gate does not keep its promises")
	}
}
