package grade_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

var close9 = cmpopts.EquateApprox(0, 1e-12)

// truth is the ticket of most tests here: blended, so that a second team earns something.
var truth = triage.QueueTruth{Route: triage.Billing, Urgency: triage.UrgencyHigh, Difficulty: triage.ResolutionMedium, Priority: 60,
	Secondary: triage.Technical}

func right(t *triage.QueueTruth) triage.QueueAction {
	return triage.QueueAction{Route: t.Route, Urgency: t.Urgency, Difficulty: t.Difficulty, Priority: triage.IntOf(t.Priority)}
}

func TestQueueRewardOfTheContract(t *testing.T) {
	t.Parallel()
	with := func(change func(a *triage.QueueAction)) triage.QueueAction {
		a := right(&truth)
		change(&a)
		return a
	}
	for _, tt := range []struct {
		name    string
		a       triage.QueueAction
		reward  float64
		touches float64
	}{
		{"all right", right(&truth), 1, 1},
		{"empty", triage.QueueAction{}, 0, 3},
		{"secondary team", with(func(a *triage.QueueAction) { a.Route = triage.Technical }), 0.4*0.3 + 0.5*0.6, 1.5},
		{"wrong team", with(func(a *triage.QueueAction) { a.Route = triage.Spam }), 0.25 * 0.6, 2},
		{"no route", with(func(a *triage.QueueAction) { a.Route = "" }), 0.25 * 0.6, 2},
		{"urgency one over", with(func(a *triage.QueueAction) { a.Urgency = triage.UrgencyCritical }), 1 - 0.125, 1.25},
		{"urgency one under", with(func(a *triage.QueueAction) { a.Urgency = triage.UrgencyMedium }), 1 - 0.125, 1.5},
		{"urgency two under", with(func(a *triage.QueueAction) { a.Urgency = triage.UrgencyLow }), 0.75, 2},
		{"no urgency", with(func(a *triage.QueueAction) { a.Urgency = "" }), 0.75, 2.5},
		{"difficulty one over", with(func(a *triage.QueueAction) { a.Difficulty = triage.ResolutionHard }), 1 - 0.075, 1},
		{"difficulty one under", with(func(a *triage.QueueAction) { a.Difficulty = triage.ResolutionEasy }), 1 - 0.075, 1.25},
		{"no difficulty", with(func(a *triage.QueueAction) { a.Difficulty = "" }), 0.85, 1.5},
		{"priority two off is right", with(func(a *triage.QueueAction) { a.Priority = triage.IntOf(62) }), 1, 1},
		{"priority two under is right", with(func(a *triage.QueueAction) { a.Priority = triage.IntOf(58) }), 1, 1},
		{"priority three off", with(func(a *triage.QueueAction) { a.Priority = triage.IntOf(63) }), 0.8 + 0.2*12/13, 1},
		{"priority fourteen off", with(func(a *triage.QueueAction) { a.Priority = triage.IntOf(46) }), 0.8 + 0.2/13, 1},
		{"priority fifteen off", with(func(a *triage.QueueAction) { a.Priority = triage.IntOf(45) }), 0.8, 1},
		{"no priority", with(func(a *triage.QueueAction) { a.Priority = triage.Int{} }), 0.8, 1},
		{"a priority and nothing else", triage.QueueAction{Priority: triage.IntOf(60)}, 0.25 * 0.2, 4},
		{"a route and nothing else", triage.QueueAction{Route: triage.Billing}, 0.4, 3},
		{"all wrong", triage.QueueAction{Route: triage.Spam, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionHard, Priority: triage.IntOf(0)},
			0.25 * 0.075, 3},
		{"an absent priority with a value is empty", triage.QueueAction{Priority: triage.Int{Value: 60}}, 0, 3},
	} {
		got := grade.Queue(nil, &truth, &tt.a)
		if d := cmp.Diff(tt.reward, got.Total, close9); d != "" {
			t.Errorf("%s: reward (-want +got):\n%s", tt.name, d)
		}
		if d := cmp.Diff(tt.touches, grade.Touches(&truth, &tt.a), close9); d != "" {
			t.Errorf("%s: touches (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestQueuePartsSayWhatTheyAreWorthAndWhy(t *testing.T) {
	t.Parallel()
	a := triage.QueueAction{Route: triage.Technical, Urgency: triage.UrgencyMedium, Priority: triage.IntOf(61)}
	want := []triage.Part{
		{Name: "route", Value: 0.3, Weight: 0.4, Why: triage.Why{Code: triage.WhySecondary, Got: "technical", Want: "billing"}},
		{Name: "urgency", Value: 0.5, Weight: 0.25, Why: triage.Why{Code: triage.WhyOneOff, Got: "medium", Want: "high"}},
		{Name: "difficulty", Weight: 0.15, Why: triage.Why{Code: triage.WhyAbsent, Want: "medium"}},
		{Name: "priority", Value: 1, Weight: 0.2, Why: triage.Why{Code: triage.WhyNear, Got: "61", Want: "60"}},
	}
	if d := cmp.Diff(want, grade.Queue(nil, &truth, &a).Parts); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
	a = triage.QueueAction{Route: triage.Spam, Urgency: triage.UrgencyLow, Difficulty: triage.ResolutionMedium, Priority: triage.IntOf(20)}
	want = []triage.Part{
		{Name: "route", Weight: 0.4, Why: triage.Why{Code: triage.WhyWrong, Got: "spam", Want: "billing"}},
		{Name: "urgency", Weight: 0.25, Why: triage.Why{Code: triage.WhyFar, Got: "low", Want: "high"}},
		{Name: "difficulty", Value: 1, Weight: 0.15, Why: triage.Why{Code: triage.WhyExact, Got: "medium", Want: "medium"}},
		{Name: "priority", Weight: 0.2, Why: triage.Why{Code: triage.WhyFar, Got: "20", Want: "60"}},
	}
	if d := cmp.Diff(want, grade.Queue(nil, &truth, &a).Parts); d != "" {
		t.Errorf("parts of another answer (-want +got):\n%s", d)
	}
	a.Priority = triage.Int{}
	a.Route = ""
	if got := grade.Queue(nil, &truth, &a); got.Parts[0].Why.Code != triage.WhyAbsent || got.Parts[3].Why.Code != triage.WhyAbsent {
		t.Errorf("absent fields have the reasons %v and %v", got.Parts[0].Why, got.Parts[3].Why)
	}
}

func TestQueueUsesTheBufferAndLeavesWhatIsInIt(t *testing.T) {
	t.Parallel()
	buf := make([]triage.Part, 1, 1+2*grade.QueueParts)
	buf[0].Name = "kept"
	a := right(&truth)
	first := grade.Queue(buf, &truth, &a)
	second := grade.Queue(buf[:1+grade.QueueParts], &truth, &triage.QueueAction{})
	if len(first.Parts) != grade.QueueParts || first.Parts[0].Value != 1 || second.Parts[0].Value != 0 || buf[0].Name != "kept" {
		t.Errorf("scores share parts: %+v and %+v", first, second)
	}
	if alone := grade.Queue(nil, &truth, &a); !cmp.Equal(alone, first) {
		t.Errorf("with a buffer %+v, without %+v", first, alone)
	}
}

func TestGradingAQueueTicketAllocatesNothing(t *testing.T) {
	buf := make([]triage.Part, 0, grade.QueueParts)
	a := triage.QueueAction{Route: triage.Technical, Urgency: triage.UrgencyLow, Priority: triage.IntOf(99)}
	sum := 0.0
	if n := testing.AllocsPerRun(200, func() {
		s := grade.Queue(buf, &truth, &a)
		sum += s.Total + grade.Touches(&truth, &a)
	}); n != 0 {
		t.Errorf("%v allocations a ticket, want none", n)
	}
}

// queueTruth draws any right answer.
func queueTruth() *rapid.Generator[triage.QueueTruth] {
	return rapid.Custom(func(t *rapid.T) triage.QueueTruth {
		out := triage.QueueTruth{Route: rapid.SampledFrom(triage.Routes()).Draw(t, "route"), Urgency: rapid.SampledFrom(triage.Urgencies()).Draw(t, "urgency"),
			Difficulty: rapid.SampledFrom(triage.Resolutions()).Draw(t, "difficulty"), Priority: rapid.IntRange(0, 100).Draw(t, "priority")}
		if rapid.Bool().Draw(t, "blended") {
			out.Secondary = rapid.SampledFrom(triage.Routes()).Filter(func(r triage.Route) bool { return r != out.Route }).Draw(t, "secondary")
		}
		return out
	})
}

// queueAnswer draws any valid answer, with absent fields.
func queueAnswer() *rapid.Generator[triage.QueueAction] {
	return rapid.Custom(func(t *rapid.T) triage.QueueAction {
		a := triage.QueueAction{Route: rapid.SampledFrom(append(triage.Routes(), "")).Draw(t, "route"),
			Urgency:    rapid.SampledFrom(append(triage.Urgencies(), "")).Draw(t, "urgency"),
			Difficulty: rapid.SampledFrom(append(triage.Resolutions(), "")).Draw(t, "difficulty")}
		if rapid.Bool().Draw(t, "has priority") {
			a.Priority = triage.IntOf(rapid.IntRange(0, 100).Draw(t, "priority"))
		}
		return a
	})
}

func isRight(w *triage.QueueTruth, a *triage.QueueAction) bool {
	off := a.Priority.Value - w.Priority
	return a.Route == w.Route && a.Urgency == w.Urgency && a.Difficulty == w.Difficulty && a.Priority.Set && off >= -2 && off <= 2
}

func TestQueueScoresKeepTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, a := queueTruth().Draw(t, "truth"), queueAnswer().Draw(t, "answer")
		s := grade.Queue(nil, &w, &a)
		weights, sum := 0.0, 0.0
		for _, p := range s.Parts {
			if p.Value < 0 || p.Value > 1 || math.IsNaN(p.Value) {
				t.Errorf("part %s has value %v", p.Name, p.Value)
			}
			weights += p.Weight
			sum += p.Weight * p.Value
		}
		if math.Abs(weights-1) > 1e-12 {
			t.Errorf("the weights sum to %v", weights)
		}
		if s.Total < 0 || s.Total > 1 || s.Total > sum+1e-12 {
			t.Errorf("total %v of parts that are worth %v", s.Total, sum)
		}
		if all := isRight(&w, &a); (s.Total == 1) != all {
			t.Errorf("total %v, all right %v", s.Total, all)
		}
		touches := grade.Touches(&w, &a)
		if touches < 1 || touches > 5.5 {
			t.Errorf("%v touches", touches)
		}
		easier := a.Route == w.Route && a.Urgency == w.Urgency && a.Difficulty.Level() >= w.Difficulty.Level()
		if (touches == 1) != easier {
			t.Errorf("%v touches; route and urgency right and difficulty not under-called: %v", touches, easier)
		}
		best := right(&w)
		if got := grade.Queue(nil, &w, &best); got.Total != 1 || grade.Touches(&w, &best) != 1 {
			t.Errorf("the truth earns %v with %v touches", got.Total, grade.Touches(&w, &best))
		}
	})
}

// nearer moves one field of the answer a step nearer to the truth, or makes it right.
func nearer(t *rapid.T, w *triage.QueueTruth, a triage.QueueAction) triage.QueueAction {
	step := func(got, want int) int {
		switch {
		case got < want:
			return got + 1
		case got > want:
			return got - 1
		}
		return got
	}
	switch rapid.SampledFrom([]string{"route", "urgency", "difficulty", "priority"}).Draw(t, "moved") {
	case "route":
		a.Route = w.Route
	case "urgency":
		if l := a.Urgency.Level(); l >= 0 {
			a.Urgency = triage.Urgencies()[step(l, w.Urgency.Level())]
		}
	case "difficulty":
		if l := a.Difficulty.Level(); l >= 0 {
			a.Difficulty = triage.Resolutions()[step(l, w.Difficulty.Level())]
		}
	default:
		if a.Priority.Set {
			a.Priority.Value = step(a.Priority.Value, w.Priority)
		}
	}
	return a
}

func TestNearerToTheTruthIsNeverWorse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, a := queueTruth().Draw(t, "truth"), queueAnswer().Draw(t, "answer")
		b := nearer(t, &w, a)
		before, after := grade.Queue(nil, &w, &a), grade.Queue(nil, &w, &b)
		if after.Total < before.Total-1e-12 {
			t.Errorf("nearer to the truth the reward falls from %v to %v: %+v, %+v", before.Total, after.Total, a, b)
		}
		// Over-calls of urgency and difficulty may cost less than under-calls: nearer means fewer touches on one side.
		if grade.Touches(&w, &b) > grade.Touches(&w, &a) {
			t.Errorf("nearer to the truth touches rise from %v to %v: %+v, %+v", grade.Touches(&w, &a), grade.Touches(&w, &b), a, b)
		}
	})
}

func TestAbsentIsNeverBetterThanRightAndNeverWorseThanNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, a := queueTruth().Draw(t, "truth"), queueAnswer().Draw(t, "answer")
		field := rapid.SampledFrom([]string{"route", "urgency", "difficulty", "priority"}).Draw(t, "field")
		absent, good, worth := a, a, 0.0
		switch field {
		case "route":
			absent.Route, good.Route = "", w.Route
		case "urgency":
			absent.Urgency, good.Urgency, worth = "", w.Urgency, 0.25
		case "difficulty":
			absent.Difficulty, good.Difficulty, worth = "", w.Difficulty, 0.15
		default:
			absent.Priority, good.Priority, worth = triage.Int{}, triage.IntOf(w.Priority), 0.20
		}
		x, y := grade.Queue(nil, &w, &absent).Total, grade.Queue(nil, &w, &good).Total
		if x > y || x < 0 {
			t.Errorf("without %s the reward is %v, with the right one %v", field, x, y)
		}
		if field != "route" && y-x > worth+1e-12 {
			t.Errorf("an absent %s costs %v, which is more than it is worth, %v", field, y-x, worth)
		}
		if field == "route" && (a.Route != "" && a.Route != w.Route && a.Route != w.Secondary) {
			if z := grade.Queue(nil, &w, &a).Total; x != z {
				t.Errorf("without a route the reward is %v, with a wrong one %v", x, z)
			}
		}
	})
}

func ExampleQueue() {
	w := triage.QueueTruth{Route: triage.Billing, Urgency: triage.UrgencyHigh, Difficulty: triage.ResolutionEasy, Priority: 54}
	a := triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyMedium, Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(50)}
	s := grade.Queue(nil, &w, &a)
	fmt.Printf("%.4f\n", s.Total)
	for _, p := range s.Parts {
		fmt.Printf("%s %.4f of %.2f: %s\n", p.Name, p.Value, p.Weight, p.Why)
	}
	// Output:
	// 0.8442
	// route 1.0000 of 0.40: billing is right
	// urgency 0.5000 of 0.25: medium is one off; right is high
	// difficulty 1.0000 of 0.15: easy is right
	// priority 0.8462 of 0.20: 50 is near; right is 54
}
