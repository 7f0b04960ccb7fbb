package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestCountsAreComparedAsTheyAre(t *testing.T) {
	t.Parallel()
	base, now := gated(t, "desk-easy", ones(30, 20), nil), gated(t, "desk-easy", ones(30, 20), nil)
	base.Tasks[0].Counts = map[string]int64{"calls": 1200, "tokens_in": 5, "cost_nano_usd": 2_000_000_000, "refused": 7}
	now.Tasks[0].Counts = map[string]int64{"calls": 1500, "cost_nano_usd": 1_500_000_000, "refused": 7}
	for gate, want := range map[string]string{
		"calls <= 1500":      "pass overall: calls is 1,500, which holds",
		"calls < 1500":       "regression overall: calls is 1,500, which does not hold",
		"calls > 1500":       "regression overall: calls is 1,500, which does not hold",
		"calls >= 1500":      "pass overall: calls is 1,500, which holds",
		"calls != 0":         "pass overall: calls is 1,500, which holds",
		"calls == 1500":      "pass overall: calls is 1,500, which holds",
		"cost drop >= 0.5":   "pass overall: drop of cost is 0.5, which holds",
		"calls rise <= 300":  "pass overall: rise of calls is 300, which holds",
		"refused drop == 0":  "pass overall: drop of refused is 0, which holds",
		"flips_fixed == 0":   "pass overall: flips_fixed is 0, which holds",
		"errors == 0":        "pass overall: errors is 0, which holds", // counted from the episodes
		"desk-easy.n >= 100": "regression desk-easy: n is 30, which does not hold",
	} {
		if diff := cmp.Diff([]string{want}, saidAll(judged(t, base, now, gate))); diff != "" {
			t.Errorf("%s: %s", gate, diff)
		}
	}
	// Only base tells how many tokens there were.
	if _, err := Judge(compared(t, base, now), parsed(t, "tokens_in rise <= 5"), JudgeOptions{}); err == nil {
		t.Error("a count that new does not have is judged")
	}
}

func TestTasksThatNewLacksAreToldOf(t *testing.T) {
	t.Parallel()
	base := gated(t, "desk-easy", ones(30, 20), nil).and(gated(t, "desk-hard", ones(30, 20), nil))
	now := gated(t, "desk-easy", ones(30, 20), nil)
	got := judged(t, base, now, "score drop <= 0.1", "desk-easy.score drop <= 0.1", "identical", "errors == 0")
	want := []string{
		"inconclusive overall: the drop of score is 0: none of 30 tickets has another score; what happens to up to 11.6 % of all may show in none of 30 tickets; about 36 tickets that are alike would settle it | scenarios are not known: tickets are taken for independent | not judged, as new does not have them: desk-hard",
		"inconclusive desk-easy: the drop of score is 0: none of 30 tickets has another score; what happens to up to 11.6 % of all may show in none of 30 tickets; about 36 tickets that are alike would settle it | scenarios are not known: tickets are taken for independent",
		"regression overall: the canonical bytes of what both have are the same; but desk-hard is only in base: new did not play it | not judged, as new does not have them: desk-hard",
		"inconclusive overall: errors is 0, which holds; but desk-hard is only in base: new did not play it | not judged, as new does not have them: desk-hard",
	}
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
}

// Two runs on other tickets are two samples: judged, with an interval that is wider.
func TestUnpairedRunsAreJudgedByTheirOwnInterval(t *testing.T) {
	t.Parallel()
	base, now := gated(t, "desk-easy", ones(100, 90), nil), gated(t, "desk-easy", ones(100, 30), nil)
	now.Identity["generator"] = "3-y"
	for i := range now.Tasks[0].Episodes {
		now.Tasks[0].Episodes[i].Tickets[0].Text += 1000
	}
	c, err := Compare(base, now, Options{Moved: -1, Allow: []string{"generator"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Judge(c, parsed(t, "score drop <= 0.1", "each.score drop <= 0.1", "desk.category drop <= 0.1"), JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		if v.Outcome != Regression || v.Interval == nil || math.Abs(v.Value-0.6) > 1e-12 || math.Abs(v.Interval.High-v.Interval.Low-0.2168) > 0.001 {
			t.Errorf("%s %v", said(v), v.Interval)
		}
	}
}

// A ticket counts once however often it was tried.
func TestTrialsNarrowNoInterval(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	x, y := noisyPair(60, 0.05, 0.25, r)
	base, now := gated(t, "desk-easy", x, nil), gated(t, "desk-easy", y, nil)
	gates := []string{"score drop <= 0.05", "score >= 0.5", "category_accuracy drop <= 0.05"}
	want := judged(t, base, now, gates...)
	got := judged(t, trials([]*Side{base, base, base}), trials([]*Side{now, now, now}), gates...)
	for i := range want {
		// What one trial a ticket tells of passes and failures (the smallest drop) is not known of shares of trials.
		want[i].Smallest, got[i].Smallest = 0, 0
		want[i].Why, got[i].Why = "", ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// importedSide is a run over 80 imported tickets, of which so many are right; parts gives those of ticket i.
func importedSide(t *testing.T, right int, parts func(i int, score float64) []triage.Part) *Side {
	t.Helper()
	s := gated(t, "desk-easy", ones(80, right), nil)
	task := &s.Tasks[0]
	task.Task = triage.Task{Name: "tickets", Track: triage.Dataset, Tickets: 1}
	for i := range task.Episodes {
		e := &task.Episodes[i]
		e.Seed, e.Position = 0, int32(i)
		e.Tickets[0].Parts = parts(i, e.Score)
	}
	return s
}

func TestLabelsOfImportedTicketsAreParts(t *testing.T) {
	t.Parallel()
	imported := func(right int) *Side {
		return importedSide(t, right, func(_ int, score float64) []triage.Part {
			return []triage.Part{{Name: "Ticket Type", Value: score}, {Name: "score", Value: 1}}
		})
	}
	got := judged(t, imported(70), imported(40), `"Ticket Type" drop <= 0.1`, `tickets."Ticket Type_accuracy" >= 0.7`, `"score" >= 0.9`, "score >= 0.9")
	var outcomes []Outcome
	for _, v := range got {
		outcomes = append(outcomes, v.Outcome)
	}
	if diff := cmp.Diff([]Outcome{Regression, Regression, Pass, Regression}, outcomes); diff != "" {
		t.Errorf("%s %q", diff, saidAll(got))
	}
	_, err := Judge(compared(t, imported(70), imported(40)), parsed(t, "success_rate >= 0.5"), JudgeOptions{})
	want := `gate: what was compared has no "success_rate"; it has score, reward, floor_margin, "Ticket Type", "Ticket Type_accuracy", "score", score_accuracy, errors, refused, n, flips_fixed, flips_broken
  success_rate >= 0.5
  ^`
	if err == nil || cmp.Diff(want, err.Error()) != "" {
		t.Errorf("%v", err)
	}
}

// A ticket that lacks a label is not asked for it: it is in no figure of that label, neither in a difference nor in a gate.
func TestALabelThatATicketLacksIsInNoFigure(t *testing.T) {
	t.Parallel()
	imported := func(right int) *Side {
		return importedSide(t, right, func(i int, score float64) []triage.Part {
			parts := []triage.Part{{Name: "priority", Value: 1}, {Name: "route", Value: score}}
			if i%4 == 3 {
				return parts[:1]
			}
			return parts
		})
	}
	base, now := imported(80), imported(40)
	for _, d := range compared(t, base, now).Tasks[0].Others {
		want := map[string][3]float64{"priority": {80, 1, 1}, "priority_accuracy": {80, 1, 1}, "route": {60, 1, 0.5}, "route_accuracy": {60, 1, 0.5}}[d.Metric]
		if got := [3]float64{float64(d.Delta.N), d.Base, d.New}; want[0] > 0 && got != want {
			t.Errorf("%s: n, base and new are %v, not %v", d.Metric, got, want)
		}
	}
	if differ := compared(t, base, imported(80)).Tasks[0].Differ; differ != 0 {
		t.Errorf("%d tickets of a run differ from themselves", differ)
	}
	if got := judged(t, base, now, "route >= 0.9")[0]; got.N != 60 || got.Value != 0.5 {
		t.Errorf("%+v", got)
	}
}

// Tickets of one scenario that flip together are worth fewer: the printed drop is larger than for tickets that stand alone.
func TestScenariosMakeTheSmallestDropLarger(t *testing.T) {
	t.Parallel()
	names := make([]string, 200)
	base, now := ones(200, 200), ones(200, 200)
	for i := range names {
		names[i] = fmt.Sprint("s", i/5)
		switch {
		case i < 10:
			base[i] = 0
		case i < 20:
			now[i] = 0
		}
	}
	alone := judged(t, gated(t, "desk-easy", base, nil), gated(t, "desk-easy", now, nil), "score drop <= 0.02")[0]
	together := judged(t, gated(t, "desk-easy", base, names), gated(t, "desk-easy", now, names), "score drop <= 0.02")[0]
	if !(together.Smallest > 1.5*alone.Smallest && together.Smallest < 3*alone.Smallest) || together.Needed < 3*alone.Needed {
		t.Errorf("alone %v %d, in scenarios %v %d", alone.Smallest, alone.Needed, together.Smallest, together.Needed)
	}
}

func TestFiguresAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.5: "0.5", 0.12345: "0.123", -0.0004: "-0.0004", 1e-9: "1e-09", 1234567: "1,234,567", -1000: "-1,000", 999: "999", 12.3456: "12.346",
		math.Inf(1): "+Inf"} {
		if got := number(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if got := number(math.NaN()); got != "not known" {
		t.Error(got)
	}
	for n, want := range map[int]int{0: 0, 7: 7, 999: 999, 1000: 1000, 1001: 1100, 25_398: 26_000, 9_999_999: 10_000_000} {
		if got := roughly(n); got != want {
			t.Errorf("%d is about %d, want %d", n, got, want)
		}
	}
	if got := listed([]string{"a", "b", "c", "d", "e", "f", "g", "h"}); got != "a, b, c, d, e, f and 2 more" {
		t.Error(got)
	}
	if got := against(0.7999, 0.8); got != "0.799900" {
		t.Error(got)
	}
}
