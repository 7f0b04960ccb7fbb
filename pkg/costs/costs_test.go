package costs_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/costs"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

const ordered = "labels:\n  urgency_assessment:\n    ordered: {under: 4, over: 1}\n"

func fit(text string, fields []costs.Field) (*costs.Matrix, error) {
	d, err := costs.Read(strings.NewReader(text), "m.yaml")
	if err != nil {
		return nil, err
	}
	return d.Fit(fields)
}

func TestAMatrixWithAMistakeIsRefusedWithLineValueAndWhatIsAllowed(t *testing.T) {
	t.Parallel()
	route := "labels:\n  route_category:\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "m.yaml: it is empty"},
		"a list":              {"- 1\n", "m.yaml:1: the file is a list"},
		"no YAML":             {"labels: [", "cost matrix m.yaml: line 1"},
		"two documents":       {ordered + "---\nlabels: {}\n", "more than one document"},
		"no labels":           {"unit: EUR\n", "m.yaml:1: there are no labels"},
		"an unknown key":      {ordered + "handover: 3\n", `m.yaml:4: unknown key "handover"; allowed are labels, refused and unit`},
		"a key twice":         {ordered + "labels: {}\n", `has "labels" twice`},
		"an unknown label":    {"labels:\n  urgency: {wrong: 1}\n", `m.yaml:2: unknown label "urgency"; the labels are route_category, urgency_assessment`},
		"an unknown value":    {route + "    costs:\n      sales: {spam: 1}\n    wrong: 1\n", `m.yaml:4: route_category: unknown value "sales"; allowed is one of billing, technical, feature, feedback, spam`},
		"an unknown answer":   {route + "    costs:\n      spam:\n        sales: 1\n    wrong: 1\n", `m.yaml:5: route_category: unknown value "sales"`},
		"a negative cost":     {route + "    wrong: -1\n", "m.yaml:3: route_category: wrong is -1; allowed is a number from 0 to 1000000000000"},
		"no number":           {route + "    wrong: dear\n", `m.yaml:3: route_category: wrong is "dear"; allowed is a number`},
		"not a number at all": {route + "    wrong: .nan\n", "m.yaml:3: route_category: wrong is .nan"},
		"infinite":            {route + "    wrong: .inf\n", "wrong is .inf"},
		"no cost":             {route + "    missing: 1\n", "m.yaml:2: route_category has no cost of a wrong answer"},
		"steps of no scale":   {route + "    ordered: {under: 1, over: 1}\n", "m.yaml:3: route_category has no order"},
		"half a step":         {"labels:\n  urgency_assessment:\n    ordered: {under: 1}\n", "m.yaml:3: urgency_assessment: ordered needs under and over"},
		"a pair without cost": {route + "    costs: {spam: {billing: 1}}\n", "19 wrong answers have no cost, such as billing answered as technical"},
		"a number by pairs":   {"labels:\n  priority_score:\n    costs: {1: {2: 3}}\n", "priority_score is a number: give ordered or wrong"},
		"a number too high":   {"labels:\n  priority_score:\n    wrong: 1\n    costs: {1: {101: 3}}\n", `unknown value "101"; allowed is an integer from 0 to 100`},
		"an alias":            {"labels:\n  route_category: &a {wrong: 1}\n  department: *a\n", "m.yaml:3: department is an alias"},
		"a terminal's code":   {"labels:\n  \"\\e[2J\": {wrong: 1}\n", `unknown label " [2J"`},
		"too long":            {strings.Repeat("#", 2<<20), "longer than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fit(c.text, costs.BankFields())
			if err == nil || !strings.Contains(err.Error(), c.want) || triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := costs.Read(iotest.ErrReader(errors.New("torn")), "m.yaml"); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// queue is a graded ticket of a queue task: what is right, what was answered, how sure.
func queue(seed int64, sure float64, refused string, pairs ...string) *triage.Episode {
	s := &triage.Score{}
	names := []string{"route", "urgency"}
	for i := 0; i+1 < len(pairs); i += 2 {
		s.Parts = append(s.Parts, triage.Part{Name: names[i/2], Why: triage.Why{Want: pairs[i], Got: pairs[i+1]}})
	}
	step := triage.Step{Score: s, Error: refused, Action: triage.Action{Track: triage.Queue}}
	if sure >= 0 {
		step.Action.Confidence = triage.SureOf(sure)
	}
	return &triage.Episode{Key: triage.Key{Agent: "a", Task: "queue-easy", Seed: seed}, Score: new(float64), Ended: triage.EndedComplete, Steps: []triage.Step{step}}
}

func costOf(t *testing.T, text string, handover *float64, episodes ...*triage.Episode) *results.CostFigures {
	t.Helper()
	m, err := fit(text, costs.BankFields())
	if err != nil {
		t.Fatal(err)
	}
	tally := costs.NewTally(m)
	for _, ep := range episodes {
		tally.Add(ep)
	}
	return tally.Of("a", "queue-easy", handover)
}

const both = "refused: 50\nlabels:\n  route_category: {costs: {spam: {billing: 7}}, wrong: 3, missing: 11}\n  urgency_assessment: {ordered: {under: 4, over: 1}, costs: {critical: {low: 60}}}\n"

func TestAnswersCostWhatTheMatrixSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ep   *triage.Episode
		want float64
	}{
		"right":                          {queue(1, -1, "", "spam", "spam", "low", "low"), 0},
		"a named pair":                   {queue(1, -1, "", "spam", "billing", "low", "low"), 7},
		"another wrong one":              {queue(1, -1, "", "billing", "spam", "low", "low"), 3},
		"missing":                        {queue(1, -1, "", "billing", "", "low", "low"), 11},
		"two steps under":                {queue(1, -1, "", "spam", "spam", "critical", "medium"), 8},
		"a pair goes before steps":       {queue(1, -1, "", "spam", "spam", "critical", "low"), 60},
		"two steps over":                 {queue(1, -1, "", "spam", "spam", "low", "high"), 2},
		"missing costs as the dearest":   {queue(1, -1, "", "spam", "spam", "low", ""), 60},
		"labels add up":                  {queue(1, -1, "", "spam", "billing", "low", "medium"), 8},
		"refused":                        {queue(1, -1, "invalid", "spam", "", "low", ""), 50},
		"what has no cost costs nothing": {queue(1, -1, "", "spam", "spam"), 0},
	} {
		if got := costOf(t, both, nil, c.ep); got.Cost.Mean != c.want || got.Handover != nil {
			t.Errorf("%s: %v, want %v", name, got.Cost.Mean, c.want)
		}
	}
	broken := queue(1, -1, "", "spam", "billing")
	broken.Ended, broken.Score = triage.EndedError, nil
	if got := costOf(t, both, nil, broken); got != nil {
		t.Errorf("an episode that broke costs %+v", got)
	}
}

func TestHandingOverIsReckonedAtTheCheapestConfidence(t *testing.T) {
	t.Parallel()
	episodes := []*triage.Episode{queue(1, 0.9, "", "spam", "spam"), queue(2, 0.8, "", "spam", "spam"), queue(3, 0.3, "", "spam", "billing"), queue(4, -1, "", "spam", "spam")}
	for _, c := range []struct {
		handover, threshold, mean float64
		taken                     int
	}{{2, 0.8, 1, 2}, {100, 0.3, 107.0 / 4, 3}, {0, math.NaN(), 0, 0}} {
		for range 2 { // in any order
			episodes[0], episodes[2] = episodes[2], episodes[0]
			h := costOf(t, both, &c.handover, episodes...).Handover
			got := []float64{h.Threshold, h.Mean.Mean, float64(h.Taken), h.Coverage.Mean}
			want := []float64{c.threshold, c.mean, float64(c.taken), float64(c.taken) / 4}
			if d := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })); d != "" {
				t.Errorf("handover %v (-want +got):\n%s", c.handover, d)
			}
		}
	}
}

func TestTheIntervalOfCostsIsOverSeedsWhereTicketsCameTogether(t *testing.T) {
	t.Parallel()
	var alone, together []*triage.Episode
	for i := range int64(6) {
		answer := "spam"
		if i%3 == 0 {
			answer = "billing"
		}
		ep, trial := queue(i, -1, "", "spam", answer), queue(i, -1, "", "spam", answer)
		trial.Key.Trial = 1
		alone, together = append(alone, ep), append(together, ep, trial)
	}
	a, b := costOf(t, both, nil, alone...).Cost, costOf(t, both, nil, together...).Cost
	if a.Mean != b.Mean || a.CI95 == nil || b.CI95 == nil || math.Abs(a.CI95.High-b.CI95.High) > 1e-9 {
		t.Errorf("the same tickets played twice: %+v, want %+v", b, a)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{both, ordered, "labels: {a: {wrong: 1}}", "{\"labels\":{}}", "labels: &a\n  x: *a\n", "\ufeff" + ordered, "? [a]\n: b\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := fit(text, costs.BankFields())
		if err != nil {
			if code := triage.CodeOf(err); code != triage.CodeUsage {
				t.Fatalf("%q: %v has code %v", text, err, code)
			}
			return
		}
		tally := costs.NewTally(m)
		tally.Add(queue(1, 0.5, "", "spam", "billing", "low", "high"))
		if c := tally.Of("a", "queue-easy", nil); c != nil && !(c.Cost.Mean >= 0 && c.Cost.Mean <= 1e15) {
			t.Fatalf("%q costs %v", text, c.Cost.Mean)
		}
	})
}
