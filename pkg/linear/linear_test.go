package linear_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/linear"
)

func Example() {
	examples := []linear.Example{
		{Texts: []linear.Text{{Name: "body", Text: "I was charged twice"}}},
		{Texts: []linear.Text{{Name: "body", Text: "why was I charged a fee"}}},
		{Texts: []linear.Text{{Name: "body", Text: "the app crashes at start"}}},
		{Texts: []linear.Text{{Name: "body", Text: "it crashes again and again"}}},
	}
	labels := linear.Labels{Name: "route", Values: []string{"billing", "technical"}, Of: []int{0, 0, 1, 1}}
	bundle, _, err := linear.Train(context.Background(), examples, []linear.Labels{labels}, linear.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := bundle.Models()[0]
	p := m.Probabilities(bundle.Vector(linear.Example{Texts: []linear.Text{{Name: "body", Text: "Charged for nothing!"}}}))
	fmt.Println(m.Values()[m.Decide(p)])
	// Output: billing
}

func TestWordsAndFieldsAreLearned(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(600, 0, 1)
	b, _ := trained(t, examples, linear.Options{}, route, urgency)
	fresh, freshRoute, freshUrgency := synthetic(200, 0, 2)
	for _, l := range []linear.Labels{freshRoute, freshUrgency} {
		m := model(t, b, l.Name)
		for i, e := range fresh {
			if got, p := answer(b, m, e); got != l.Values[l.Of[i]] {
				t.Fatalf("%s of %v is %q %v, want %q", l.Name, e, got, p, l.Values[l.Of[i]])
			}
		}
	}
}

func TestTheSameWordWeighsByThePartItStandsIn(t *testing.T) {
	t.Parallel()
	var examples []linear.Example
	labels := linear.Labels{Name: "l", Values: []string{"a", "b"}}
	for i := range 40 {
		parts := []string{"refund", "crash"}
		examples = append(examples, linear.Example{Texts: []linear.Text{{Name: "subject", Text: parts[i%2]}, {Name: "body", Text: parts[1-i%2]}}})
		labels.Of = append(labels.Of, i%2)
	}
	b, _ := trained(t, examples, linear.Options{}, labels)
	for i, want := range labels.Of[:2] {
		if got, p := answer(b, b.Models()[0], examples[i]); got != labels.Values[want] || p[want] < 0.9 {
			t.Errorf("%v: %q %v", examples[i], got, p)
		}
	}
}

func TestTextsOfOneNameAreReadAsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(300, 0, 1)
	b, _ := trained(t, examples, linear.Options{Words: 1}, route)
	whole := linear.Example{Texts: []linear.Text{{Name: "body", Text: "refund please refund my account"}}}
	cut := linear.Example{Texts: []linear.Text{{Name: "body", Text: "refund please"}, {Name: "body", Text: "refund my account"}}}
	m := b.Models()[0]
	if diff := cmp.Diff(m.Probabilities(b.Vector(whole)), m.Probabilities(b.Vector(cut))); diff != "" {
		t.Error(diff)
	}
}

// TestConfidenceIsRightWhereLabelsAreNoise: a fifth of labels are drawn anew, so that 1 − 0.2·2/3 of them are what the words say.
func TestConfidenceIsRightWhereLabelsAreNoise(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(3000, 0.2, 1)
	b, report := trained(t, examples, linear.Options{C: 0.1}, route)
	fresh, _, _ := synthetic(500, 0, 2)
	mean := 0.0
	for _, e := range fresh {
		_, p := answer(b, b.Models()[0], e)
		mean += max(p[0], p[1], p[2]) / float64(len(fresh))
	}
	if math.Abs(mean-0.867) > 0.04 {
		t.Errorf("mean confidence %v, want about 0.867; %+v", mean, report.Columns)
	}
}

func TestAnOrderedScaleIsDecidedByTheLeastExpectedDistance(t *testing.T) {
	t.Parallel()
	examples, _, urgency := synthetic(200, 0, 1)
	nominal := urgency
	nominal.Name, nominal.Ordered = "nominal", false
	dear := urgency
	dear.Name = "dear"
	for truth := range 4 {
		row := make([]float64, 4)
		for a := range row {
			row[a] = math.Abs(float64(truth - a))
			if a < truth {
				row[a] *= 10
			}
		}
		dear.Cost = append(dear.Cost, row)
	}
	b, _ := trained(t, examples, linear.Options{}, urgency, nominal, dear)
	p := []float64{0.4, 0.15, 0.15, 0.3}
	got := map[string]int{}
	for _, m := range b.Models() {
		got[m.Name()] = m.Decide(p)
	}
	if diff := cmp.Diff(map[string]int{"urgency": 1, "nominal": 0, "dear": 3}, got); diff != "" {
		t.Error(diff)
	}
	m := model(t, b, "nominal")
	if a, err := m.DecideBy(p, dear.Cost); a != 3 || err != nil {
		t.Errorf("answer %d, error %v", a, err)
	}
	if _, err := m.DecideBy(p, dear.Cost[:3]); err == nil || !strings.Contains(err.Error(), "3 rows: it needs one for each of 4 values") {
		t.Errorf("error %v", err)
	}
	if a := m.Decide([]float64{0.25, 0.25, 0.25, 0.25}); a != 0 {
		t.Errorf("of equals it takes %d", a)
	}
}

func TestExamplesWithoutALabelAreLeftOutOfTheirColumnOnly(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(300, 0, 1)
	for i := range route.Of[:200] {
		route.Of[i] = linear.NoLabel
	}
	_, report := trained(t, examples, linear.Options{}, route, urgency)
	if r, u := report.Columns[0], report.Columns[1]; r.Labelled != 100 || u.Labelled != 300 || r.Seen[0]+r.Seen[1]+r.Seen[2] != 100 {
		t.Errorf("%+v", report)
	}
}

func TestAColumnOfOneValueIsAlwaysAnsweredSo(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(30, 0, 1)
	for i := range route.Of {
		route.Of[i] = 2
	}
	b, report := trained(t, examples, linear.Options{}, route)
	got, p := answer(b, b.Models()[0], body("refund"))
	if diff := cmp.Diff([]float64{0, 0, 1}, p); got != "feature" || diff != "" {
		t.Errorf("%q %s", got, diff)
	}
	want := []string{`no example of "billing": it will never be the answer`, `no example of "technical": it will never be the answer`}
	if diff := cmp.Diff(append([]string{"all examples have one value: it will always be the answer"}, want...), report.Columns[0].Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestValuesWithOneExampleOrNoneAreNoTrouble(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(40, 0, 1)
	route.Values = append(route.Values, "legal", "nobody")
	route.Of[7] = 3
	b, report := trained(t, examples, linear.Options{}, route)
	for _, e := range append(examples, body("")) {
		got, p := answer(b, b.Models()[0], e)
		if got == "nobody" || p[4] != 0 {
			t.Fatalf("answer %q, %v", got, p)
		}
		sound(t, p)
	}
	want := []string{`only 1 of "legal": too few to learn from`, `no example of "nobody": it will never be the answer`}
	if diff := cmp.Diff(want, report.Columns[0].Warnings); diff != "" {
		t.Error(diff)
	}
}

func TestOneExampleIsEnoughToTrain(t *testing.T) {
	t.Parallel()
	b, report := trained(t, []linear.Example{body("hello")}, linear.Options{}, linear.Labels{Name: "l", Values: []string{"a", "b"}, Of: []int{1}})
	if got, p := answer(b, b.Models()[0], body("x")); got != "b" || p[1] != 1 || report.Columns[0].Held != 0 {
		t.Errorf("%q %v %+v", got, p, report)
	}
}

// sound demands probabilities.
func sound(t testing.TB, p []float64) {
	t.Helper()
	sum := 0.0
	for _, v := range p {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("probabilities %v", p)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("probabilities %v add up to %v", p, sum)
	}
}

func TestHostileTextsAreTrainedOnAndAnswered(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", " ", "\x00\x1b[31m\u202e", "\xff\xfe\x80", strings.Repeat("\x80", 1<<20), strings.Repeat("a", 1<<20), strings.Repeat("refund ", 1<<17),
		strings.Repeat("é", 1<<19), "<script>alert(1)</script> | =cmd() ' \"", "退款 请 帮忙", "\u0301\u0301\u0301", strings.Repeat("🙂", 100), "\n\n\n",
	}
	var examples []linear.Example
	labels := linear.Labels{Name: "l", Values: []string{"a", "b", "c"}}
	for i, text := range append(texts, texts...) {
		examples = append(examples, linear.Example{Texts: []linear.Text{{Name: text[:min(len(text), 9)], Text: text}, {Text: text}}, Fields: []string{text, ""}})
		labels.Of = append(labels.Of, i%3)
	}
	examples, labels.Of = append(examples, linear.Example{}), append(labels.Of, 0)
	b, _ := trained(t, examples, linear.Options{MinExamples: 1}, labels)
	m := b.Models()[0]
	for _, e := range examples {
		_, p := answer(b, m, e)
		sound(t, p)
		list, err := b.Explain(m, e, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if math.IsNaN(c.Weight) || math.IsInf(c.Weight, 0) {
				t.Fatalf("%+v", c)
			}
			if c.Kind != "field" && strings.ContainsAny(c.Text, "\x00\x1b\u202e\n") {
				t.Fatalf("control characters in %q", c.Text)
			}
		}
	}
}

func TestATextIsReadUpToItsLimit(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(300, 0, 1)
	b, _ := trained(t, examples, linear.Options{MaxBytes: 10}, route)
	m := b.Models()[0]
	// The limit falls into the é, which is left out as a whole.
	short, long := m.Probabilities(b.Vector(body("refund xy"))), m.Probabilities(b.Vector(body("refund xyé crash crash crash crash")))
	if diff := cmp.Diff(short, long); diff != "" {
		t.Error(diff)
	}
}

func TestTrainingStopsWithTheContext(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(300, 0, 1)
	ctx, cancel := context.WithCancel(context.Background())
	_, _, err := linear.Train(ctx, examples, []linear.Labels{route}, linear.Options{Workers: 1, MaxFeatures: 50, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := linear.CrossValidate(ctx, examples, route, 3, linear.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestProgressCountsUpToAll(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(100, 0, 1)
	var got []int
	trained(t, examples, linear.Options{Folds: 2, Workers: 3, Progress: func(done, total int) { got = append(got, done, total) }}, route, urgency)
	want := []int{1, 6, 2, 6, 3, 6, 4, 6, 5, 6, 6, 6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestASmallerModelKeepsWhatDecides(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(600, 0, 1)
	b, report := trained(t, examples, linear.Options{MaxFeatures: 60}, route, urgency)
	if report.Features != 60 || b.Features() != 60 {
		t.Fatalf("%+v", report)
	}
	right := 0
	fresh, freshRoute, _ := synthetic(200, 0, 2)
	for i, e := range fresh {
		if got, _ := answer(b, model(t, b, "route"), e); got == freshRoute.Values[freshRoute.Of[i]] {
			right++
		}
	}
	if right < 190 {
		t.Errorf("%d of 200 are right", right)
	}
}

func TestBalancedTrainingFindsMoreOfARareValue(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(2000, 0.5, 1)
	// Most of what is about bugs is not labelled.
	kept := 0
	for i, of := range route.Of {
		if of == 1 {
			if kept++; kept > 60 {
				route.Of[i] = linear.NoLabel
			}
		}
	}
	recall := func(o linear.Options) float64 {
		e, err := linear.CrossValidate(context.Background(), examples, route, 3, o)
		if err != nil {
			t.Fatal(err)
		}
		return e.Classes[1].Recall
	}
	if plain, balanced := recall(linear.Options{}), recall(linear.Options{Balanced: true}); balanced <= plain {
		t.Errorf("recall %v plain, %v balanced", plain, balanced)
	}
}
