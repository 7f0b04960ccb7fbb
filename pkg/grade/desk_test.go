package grade_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// login is a Bug about failing logins of an escalated ticket.
var login = triage.DeskTruth{Category: triage.Bug, Priority: triage.PriorityHigh, UrgencyDays: 2, Department: triage.Engineering,
	Credit:      [4]float64{1, 0, 0, 0.5},
	Entities:    [][]string{{"authentication service", "sign-in service"}, {"login", "log-in", "sign-in"}, {"error 4012"}, {"password reset", "reset link"}},
	Distractors: []string{"invoice", "export button"},
	Text: "Nobody gets in\n\nSince this morning the login page refuses every password with error 4012 and the reset link does not help. " +
		"The export button that I wrote about last week works again, you can close that one. The invoice is right too."}

const full = "Check authentication service logs for failed login attempts"

func rightDesk(w *triage.DeskTruth) triage.DeskAction {
	return triage.DeskAction{Category: w.Category, Priority: w.Priority, UrgencyDays: triage.IntOf(w.UrgencyDays), Department: w.Department,
		Recommendation: handbook.SampleRecommendation(w)}
}

func TestDeskCorrectnessOfTheContract(t *testing.T) {
	t.Parallel()
	days := func(d int) triage.Int { return triage.IntOf(d) }
	for _, tt := range []struct {
		name               string
		a                  triage.DeskAction
		easy, medium, hard float64
	}{
		{"all right", triage.DeskAction{Category: "Bug", Priority: "High", UrgencyDays: days(2), Department: "Engineering", Recommendation: full}, 1, 1, 1},
		{"empty", triage.DeskAction{}, 0, 0, 0},
		{"category only", triage.DeskAction{Category: "Bug"}, 1, 1. / 3, 1. / 4},
		{"wrong category", triage.DeskAction{Category: "Question", Priority: "High", UrgencyDays: days(2), Department: "Engineering", Recommendation: full}, 0, 2. / 3, 3. / 4},
		{"priority one over", triage.DeskAction{Priority: "Critical"}, 0, 0.5 / 3, 0.5 / 4},
		{"priority one under", triage.DeskAction{Priority: "Medium"}, 0, 0.5 / 3, 0.5 / 4},
		{"priority two under", triage.DeskAction{Priority: "Low"}, 0, 0, 0},
		{"one day early", triage.DeskAction{UrgencyDays: days(1)}, 0, 0.5 / 3, 0},
		{"one day late", triage.DeskAction{UrgencyDays: days(3)}, 0, 0.5 / 3, 0},
		{"two days late", triage.DeskAction{UrgencyDays: days(4)}, 0, 0.25 / 3, 0},
		{"three days late", triage.DeskAction{UrgencyDays: days(5)}, 0, 0, 0},
		{"right department", triage.DeskAction{Department: "Engineering"}, 0, 0, 1. / 4},
		{"half the department", triage.DeskAction{Department: "Management"}, 0, 0, 0.5 / 4},
		{"wrong department", triage.DeskAction{Department: "Support"}, 0, 0, 0},
		{"recommendation only", triage.DeskAction{Recommendation: full}, 0, 0, 1. / 4},
	} {
		for d, want := range map[triage.Difficulty]float64{triage.Easy: tt.easy, triage.Medium: tt.medium, triage.Hard: tt.hard} {
			if diff := cmp.Diff(want, grade.Desk(d, &login, &tt.a).Total, close9); diff != "" {
				t.Errorf("%s, %s: correctness (-want +got):\n%s", tt.name, d, diff)
			}
		}
	}
}

func TestDeskPartsAreThoseOfTheDifficulty(t *testing.T) {
	t.Parallel()
	third, quarter := 1./3, 1./4
	a := triage.DeskAction{Category: triage.Question, Priority: triage.PriorityCritical, UrgencyDays: triage.IntOf(4), Department: triage.Management}
	category := triage.Part{Name: "category", Weight: 1, Why: triage.Why{Code: triage.WhyWrong, Got: "Question", Want: "Bug"}}
	priority := triage.Part{Name: "priority", Value: 0.5, Weight: third, Why: triage.Why{Code: triage.WhyOneOff, Got: "Critical", Want: "High"}}
	days := triage.Part{Name: "urgency_days", Value: 0.25, Weight: third, Why: triage.Why{Code: triage.WhyTwoOff, Got: "4", Want: "2"}}
	department := triage.Part{Name: "department", Value: 0.5, Weight: quarter, Why: triage.Why{Code: triage.WhyPartial, Got: "Management", Want: "Engineering"}}
	recommendation := triage.Part{Name: "recommendation", Weight: quarter, Why: triage.Why{Code: triage.WhyText, Want: "no recommendation"}}
	weigh := func(p triage.Part, w float64) triage.Part { p.Weight = w; return p }
	for d, want := range map[triage.Difficulty][]triage.Part{
		triage.Easy:   {category},
		triage.Medium: {weigh(category, third), priority, days},
		triage.Hard:   {weigh(category, quarter), weigh(priority, quarter), department, recommendation},
	} {
		if diff := cmp.Diff(want, grade.Desk(d, &login, &a).Parts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d, diff)
		}
	}
	absent := grade.Desk(triage.Medium, &login, &triage.DeskAction{})
	for _, p := range absent.Parts {
		if p.Why.Code != triage.WhyAbsent {
			t.Errorf("the absent %s has the reason %s", p.Name, p.Why)
		}
	}
	second := login
	second.Credit = [4]float64{1, 0, 0, 1}
	got, _ := grade.Desk(triage.Hard, &second, &triage.DeskAction{Department: triage.Management}).Part("department")
	want := triage.Part{Name: "department", Value: 1, Weight: quarter, Why: triage.Why{Code: triage.WhyExact, Got: "Management", Want: "Management"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a second department with full credit (-want +got):\n%s", diff)
	}
}

func TestDeskEfficiencyAndReward(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		category    triage.Category
		steps       int
		correctness float64
		efficiency  float64
		reward      float64
	}{
		{triage.Bug, 1, 1, 1, 1},
		{triage.Bug, 2, 1, 2. / 3, 0.7 + 0.3*2/3},
		{triage.Bug, 3, 1, 1. / 3, 0.8},
		{triage.Bug, 1, 0.5, 1, 0.65},
		{triage.Question, 1, 2. / 3, 0, 0.7 * 2 / 3},
		{"", 3, 0, 0, 0},
	} {
		e := grade.DeskEfficiency(&login, &triage.DeskAction{Category: tt.category}, tt.steps)
		if d := cmp.Diff([]float64{tt.efficiency, tt.reward}, []float64{e, grade.DeskReward(tt.correctness, e)}, close9); d != "" {
			t.Errorf("category %q, %d steps: efficiency and reward (-want +got):\n%s", tt.category, tt.steps, d)
		}
	}
	if got := grade.DeskReward(1, 1); got != 1 {
		t.Errorf("the reward of a perfect answer is %v, not 1", got)
	}
	if got := grade.DeskEfficiency(&login, &triage.DeskAction{Category: triage.Bug}, 0); got != 0 {
		t.Errorf("the efficiency of no step is %v", got)
	}
}

// deskTruth draws what the handbook can give.
func deskTruth() *rapid.Generator[triage.DeskTruth] {
	return rapid.Custom(func(t *rapid.T) triage.DeskTruth {
		f := triage.Facts{Primary: triage.Request{Category: rapid.SampledFrom(triage.Categories()).Draw(t, "category"),
			Severity: rapid.SampledFrom(triage.Severities()).Draw(t, "severity"), Deadline: rapid.SampledFrom(triage.Deadlines()).Draw(t, "deadline"),
			Stake: rapid.SampledFrom(triage.Stakes()).Draw(t, "stake")},
			WaitHours: float64(rapid.IntRange(0, 960).Draw(t, "tenths")) / 10, Escalated: rapid.Bool().Draw(t, "escalated"),
			Sentiment: float64(rapid.IntRange(-100, 100).Draw(t, "hundredths")) / 100, Entities: login.Entities, Distractors: login.Distractors}
		return handbook.Desk(&f, login.Text)
	})
}

func deskAnswer() *rapid.Generator[triage.DeskAction] {
	return rapid.Custom(func(t *rapid.T) triage.DeskAction {
		a := triage.DeskAction{Category: rapid.SampledFrom(append(triage.Categories(), "")).Draw(t, "category"),
			Priority:       rapid.SampledFrom(append(triage.Priorities(), "")).Draw(t, "priority"),
			Department:     rapid.SampledFrom(append(triage.Departments(), "")).Draw(t, "department"),
			Recommendation: phrases().Draw(t, "recommendation")}
		if rapid.Bool().Draw(t, "has days") {
			a.UrgencyDays = triage.IntOf(rapid.IntRange(1, 7).Draw(t, "days"))
		}
		return a
	})
}

func TestDeskScoresKeepTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, a := deskTruth().Draw(t, "truth"), deskAnswer().Draw(t, "answer")
		d := rapid.SampledFrom(triage.Difficulties()).Draw(t, "difficulty")
		s := grade.Desk(d, &w, &a)
		weights, sum, all := 0.0, 0.0, true
		for _, p := range s.Parts {
			if p.Value < 0 || p.Value > 1 || math.IsNaN(p.Value) {
				t.Errorf("part %s has value %v", p.Name, p.Value)
			}
			weights += p.Weight
			sum += p.Weight * p.Value
			all = all && p.Value == 1
		}
		if math.Abs(weights-1) > 1e-12 || math.Abs(sum-s.Total) > 1e-12 {
			t.Errorf("weights sum to %v; the total is %v and the parts are worth %v", weights, s.Total, sum)
		}
		if (s.Total == 1) != all {
			t.Errorf("total %v, all parts right: %v", s.Total, all)
		}
		steps := rapid.IntRange(1, grade.DeskMaxSteps).Draw(t, "steps")
		e := grade.DeskEfficiency(&w, &a, steps)
		if r := grade.DeskReward(s.Total, e); r < 0 || r > 1 || e < 0 || e > 1 || (r == 1) != (s.Total == 1 && e == 1) {
			t.Errorf("correctness %v, efficiency %v, reward %v", s.Total, e, r)
		}
		best := rightDesk(&w)
		if got := grade.Desk(d, &w, &best); got.Total != 1 {
			t.Errorf("the truth earns %v: %+v", got.Total, got.Parts)
		}
	})
}

func TestDeskAnswersNearerToTheTruthAreNeverWorse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, a := deskTruth().Draw(t, "truth"), deskAnswer().Draw(t, "answer")
		b := a
		switch rapid.SampledFrom([]string{"category", "priority", "days", "department"}).Draw(t, "moved") {
		case "category":
			b.Category = w.Category
		case "department":
			b.Department = w.Department
		case "priority":
			if got, want := a.Priority.Level(), w.Priority.Level(); got >= 0 && got != want {
				b.Priority = triage.Priorities()[got+(want-got)/max(want-got, got-want)]
			}
		default:
			if got, want := a.UrgencyDays.Value, w.UrgencyDays; a.UrgencyDays.Set && got != want {
				b.UrgencyDays.Value = got + (want-got)/max(want-got, got-want)
			}
		}
		for _, d := range triage.Difficulties() {
			if x, y := grade.Desk(d, &w, &a).Total, grade.Desk(d, &w, &b).Total; y < x-1e-12 {
				t.Errorf("%s: nearer to the truth the correctness falls from %v to %v", d, x, y)
			}
		}
		// What is absent earns nothing, and costs nothing beyond that.
		c := a
		c.Priority, c.UrgencyDays, c.Department, c.Recommendation = "", triage.Int{}, "", ""
		for _, d := range triage.Difficulties() {
			if x, y := grade.Desk(d, &w, &c).Total, grade.Desk(d, &w, &a).Total; x > y+1e-12 || x < 0 {
				t.Errorf("%s: with less the correctness rises from %v to %v", d, y, x)
			}
		}
	})
}

func TestLabelsOfImportedTickets(t *testing.T) {
	t.Parallel()
	columns := []string{"queue", "team", "tag"}
	for _, tt := range []struct {
		name       string
		truth, got map[string]string
		want       triage.Score
	}{
		{"all right", map[string]string{"queue": "a", "team": "b", "tag": "c"}, map[string]string{"queue": "a", "team": "b", "tag": "c"},
			triage.Score{Total: 1, Parts: []triage.Part{
				{Name: "queue", Value: 1, Weight: 1. / 3, Why: triage.Why{Code: triage.WhyExact, Got: "a", Want: "a"}},
				{Name: "team", Value: 1, Weight: 1. / 3, Why: triage.Why{Code: triage.WhyExact, Got: "b", Want: "b"}},
				{Name: "tag", Value: 1, Weight: 1. / 3, Why: triage.Why{Code: triage.WhyExact, Got: "c", Want: "c"}}}}},
		{"what is unknown drops out and the weights are renormalised", map[string]string{"queue": "a", "team": "", "tag": "c"},
			map[string]string{"queue": "a", "team": "x"}, triage.Score{Total: 0.5, Parts: []triage.Part{
				{Name: "queue", Value: 1, Weight: 0.5, Why: triage.Why{Code: triage.WhyExact, Got: "a", Want: "a"}},
				{Name: "tag", Weight: 0.5, Why: triage.Why{Code: triage.WhyAbsent, Want: "c"}}}}},
		{"wrong", map[string]string{"team": "b"}, map[string]string{"team": "x", "queue": "a"}, triage.Score{Parts: []triage.Part{
			{Name: "team", Weight: 1, Why: triage.Why{Code: triage.WhyWrong, Got: "x", Want: "b"}}}}},
		{"nothing is known", nil, map[string]string{"team": "x"}, triage.Score{}},
		{"nothing is answered", map[string]string{"team": "b"}, nil, triage.Score{Parts: []triage.Part{
			{Name: "team", Weight: 1, Why: triage.Why{Code: triage.WhyAbsent, Want: "b"}}}}},
	} {
		if d := cmp.Diff(tt.want, grade.Labels(columns, tt.truth, tt.got), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}
