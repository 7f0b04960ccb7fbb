package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What base broke counts as 0 and hides a drop as large as its share.
func TestWhatBaseBrokeMayHideADrop(t *testing.T) {
	t.Parallel()
	base, now := flippedRuns(400, 4, 12)
	broken := make([]float64, len(base))
	copy(broken, base)
	for i := range 20 {
		broken[100+i] = math.NaN()
	}
	const gate = "score drop <= 0.05"
	if v := judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), gate)[0]; v.Outcome != Pass {
		t.Error(said(v))
	}
	v := judged(t, gated(t, "desk-easy", broken, nil), gated(t, "desk-easy", now, nil), gate)[0]
	if v.Outcome != Inconclusive || !strings.Contains(v.Why, "but had base got the 20 tickets right that it broke, the drop of score could be larger by 0.05") ||
		!strings.Contains(strings.Join(v.Warnings, "\n"), "20 tickets of base broke and count as 0, which makes new look better") {
		t.Error(said(v))
	}
	// A margin with room for them, and a gate on a gain that is held against it.
	for gate, want := range map[string]Outcome{"score drop <= 0.2": Pass, "score rise >= -0.2": Pass, "score rise >= -0.03": Inconclusive, "score >= 0.5": Pass} {
		if v := judged(t, gated(t, "desk-easy", broken, nil), gated(t, "desk-easy", now, nil), gate)[0]; v.Outcome != want {
			t.Error(said(v))
		}
	}
	// Of two samples too.
	other := gated(t, "desk-easy", now, nil)
	other.Identity["generator"] = "3-y"
	for i := range other.Tasks[0].Episodes {
		other.Tasks[0].Episodes[i].Tickets[0].Text += 1000
	}
	c, err := Compare(gated(t, "desk-easy", broken, nil), other, Options{Moved: -1, Allow: []string{"generator"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Judge(c, parsed(t, gate), JudgeOptions{})
	if err != nil || got[0].Outcome != Inconclusive || !strings.Contains(got[0].Why, "could be larger by 0.05") {
		t.Errorf("%v %v", saidAll(got), err)
	}
}

// A true drop of 10 points, of which 8 % of base's own breaks hide most: it passes in few runs.
func TestADropThatBaseHidesDoesNotPass(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(91, 22))
	for range 100 {
		base, now := noisyPair(200, 0.02, 0.12, r)
		for i := range 16 {
			base[i] = math.NaN()
		}
		if v := judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), "score drop <= 0.05")[0]; v.Outcome == Pass {
			t.Fatal(said(v))
		}
	}
}

func TestAGatePassesOnlyWithAllTasksOfBase(t *testing.T) {
	t.Parallel()
	two := func() *Side {
		return gated(t, "desk-easy", ones(200, 150), nil).and(gated(t, "queue-hard", ones(30, 20), nil)).deterministic()
	}
	one := func() *Side { return gated(t, "desk-easy", ones(200, 150), nil).deterministic() }
	const lacks = "queue-hard is only in base: new did not play it"
	for gate, want := range map[string][]string{
		"score drop <= 0.05":           {"inconclusive overall: a deterministic agent, and the canonical bytes of both are the same; but " + lacks + " | not judged, as new does not have them: queue-hard"},
		"desk-easy.score drop <= 0.05": {"pass desk-easy: a deterministic agent, and the canonical bytes of both are the same"},
		"desk.score drop <= 0.05":      {"pass desk: a deterministic agent, and the canonical bytes of both are the same"},
		"each.score drop <= 0.05":      {"pass desk-easy: a deterministic agent, and the canonical bytes of both are the same", "inconclusive queue-hard: " + lacks},
		"identical":                    {"regression overall: the canonical bytes of what both have are the same; but " + lacks + " | not judged, as new does not have them: queue-hard"},
		"each.identical":               {"pass desk-easy: the canonical bytes of what both have are the same", "regression queue-hard: " + lacks},
		"errors == 0":                  {"inconclusive overall: errors is 0, which holds; but " + lacks + " | not judged, as new does not have them: queue-hard"},
		"flips_broken <= 0":            {"inconclusive overall: flips_broken is 0, which holds; but " + lacks + " | not judged, as new does not have them: queue-hard"},
		"n >= 50":                      {"pass overall: n is 200, which holds | not judged, as new does not have them: queue-hard"},
		"score >= 0.5":                 {"pass overall: the score is 0.75, which is exact: a deterministic agent, which gives the same on the same tickets | not judged, as new does not have them: queue-hard"},
	} {
		if diff := cmp.Diff(want, saidAll(judged(t, two(), one(), gate))); diff != "" {
			t.Errorf("%s: %s", gate, diff)
		}
	}
}

func TestAComparisonThatIsNotCompleteIsInconclusive(t *testing.T) {
	t.Parallel()
	side := gated(t, "desk-easy", ones(400, 300), nil)
	c := compared(t, side, side)
	c.Tasks[0].Incomplete = "new was cut short after 400 of 900 episodes"
	got, err := Judge(c, parsed(t, "score drop <= 0.05", "identical", "flips_broken == 0", "each.score drop <= 0.05", "score >= 0.5"), JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got[:4] {
		if v.Outcome != Inconclusive || !strings.Contains(v.Why, "but desk-easy is not complete: new was cut short after 400 of 900 episodes") {
			t.Error(said(v))
		}
	}
	if got[4].Outcome != Pass {
		t.Error(said(got[4]))
	}
}

func TestGatesThatNothingCanFailPass(t *testing.T) {
	t.Parallel()
	side := gated(t, "desk-easy", ones(3, 1), nil)
	for _, gate := range []string{"success_rate >= 0", "score <= 1", "score >= 0", "score drop <= 1", "score rise >= -1", "each.category >= 0"} {
		if v := judged(t, side, otherBytes(gated(t, "desk-easy", ones(3, 2), nil)), gate)[0]; v.Outcome != Pass {
			t.Error(said(v))
		}
	}
}

func TestGatesThatNothingCanMeetAreRefused(t *testing.T) {
	t.Parallel()
	for gate, want := range map[string]string{
		"score drop <= -1":   "gate: no drop of score is <= -1: the gate could never pass; the drop of score is within -1 and 1\n  score drop <= -1\n                ^",
		"score drop < -1":    "gate: no drop of score is < -1: the gate could never pass; the drop of score is within -1 and 1\n  score drop < -1\n               ^",
		"score rise >= 1":    "gate: no rise of score is >= 1: the gate could never pass; the rise of score is within -1 and 1\n  score rise >= 1\n                ^",
		"score > 1":          "gate: no score is > 1: the gate could never pass; the score is within 0 and 1\n  score > 1\n          ^",
		"score < 0":          "gate: no score is < 0: the gate could never pass; the score is within 0 and 1\n  score < 0\n          ^",
		"broken <= 2":        "gate: 2 is out of range for a part of that name; did you mean the count flips_broken?\n  broken <= 2\n            ^",
		"tokens <= 2000":     "gate: 2000 is out of range for a part of that name; did you mean the count tokens_in?\n  tokens <= 2000\n            ^",
		"score drop <= 5%%":  "gate: \"%\" after the number, where the gate should end; one % is enough\n  score drop <= 5%%\n                  ^",
		"score drop <= 0.05": "",
		"score >= 1":         "",
	} {
		_, err := ParseGate(gate)
		if got := text(err); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", gate, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestVerdictsStayWithinWhatIsPossible(t *testing.T) {
	t.Parallel()
	for _, gate := range []string{"score drop <= 0.05", "score >= 0.5", "floor_margin >= 0.1"} {
		v := judged(t, gated(t, "desk-easy", []float64{1, 0, 1}, nil), gated(t, "desk-easy", []float64{0.25, 1, 0.5}, nil), gate)[0]
		low, high := -1.0, 1.0
		switch gate {
		case "score >= 0.5":
			low = 0
		case "floor_margin >= 0.1":
			low, high = -0.4, 0.6
		}
		if v.Interval == nil || v.Interval.Low < low-1e-9 || v.Interval.High > high+1e-9 {
			t.Errorf("%s: %+v", gate, v.Interval)
		}
	}
}

func TestAGainByADeterministicAgentIsCalledOne(t *testing.T) {
	t.Parallel()
	base, now := gated(t, "desk-easy", ones(50, 40), nil).deterministic(), gated(t, "desk-easy", ones(50, 45), nil).deterministic()
	for _, gate := range []string{"score drop <= 0.05", "identical"} {
		v := judged(t, base, now, gate)[0]
		if v.Outcome != Regression || !v.Changed || gate != "identical" && !strings.HasPrefix(v.Why, "a deterministic agent changed, higher by 0.1: ") {
			t.Errorf("%+v", v)
		}
	}
	if v := judged(t, gated(t, "desk-easy", ones(50, 40), nil), gated(t, "desk-easy", ones(50, 10), nil), "score drop <= 0.05")[0]; v.Outcome != Regression || v.Changed {
		t.Errorf("%+v", v)
	}
}

// Of the two figures of one gate the interval and the P of each say the same: scenarios count in both.
func TestEachKnowsScenariosAsTheIntervalDoes(t *testing.T) {
	t.Parallel()
	names, scores := make([]string, 300), ones(300, 300)
	for i := range names {
		names[i] = string(rune('a' + i%20))
	}
	side := gated(t, "desk-easy", scores, names).and(gated(t, "desk-hard", scores, names))
	for _, v := range judged(t, side, side, "each.score >= 0.97", "each.score >= 0.6") {
		want := Pass
		if v.Gate.Number == 0.97 {
			want = Inconclusive
		}
		if v.Outcome != want {
			t.Error(said(v))
		}
	}
}
