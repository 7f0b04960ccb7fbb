package linear_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/linear"
)

func TestFiguresOfAnEvaluationAreThoseOfTheFormulas(t *testing.T) {
	t.Parallel()
	labels := linear.Labels{Name: "l", Values: []string{"a", "b", "c", "d"}, Ordered: true, Of: []int{0, 0, 1, 2, linear.NoLabel}}
	probabilities := [][]float64{{0.8, 0.2, 0, 0}, {0.4, 0.6, 0, 0}, {0.3, 0.7, 0, 0}, {0.5, 0.25, 0.25, 0}, nil}
	got, err := linear.Evaluate(labels, probabilities, []int{0, 1, 1, 0, linear.NoLabel})
	if err != nil {
		t.Fatal(err)
	}
	want := linear.Evaluation{
		N: 4, Right: 2, Accuracy: 0.5, MacroF1: (0.5 + 2.0/3 + 0) / 3, Majority: 0.5, Cost: 3.0 / 4,
		LogLoss: -(math.Log(0.8) + math.Log(0.4) + math.Log(0.7) + math.Log(0.25)) / 4,
		// Each answer is in a bin of its own: 0.8 right, 0.6 wrong, 0.7 right, 0.5 wrong.
		ECE: (0.2 + 0.6 + 0.3 + 0.5) / 4,
		Classes: []linear.ClassScore{
			{Value: "a", N: 2, Answered: 2, Right: 1, Precision: 0.5, Recall: 0.5, F1: 0.5},
			{Value: "b", N: 1, Answered: 2, Right: 1, Precision: 0.5, Recall: 1, F1: 2.0 / 3},
			{Value: "c", N: 1}, {Value: "d"},
		},
		Confusion:     [][]int{{1, 1, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}},
		Probabilities: probabilities, Answers: []int{0, 1, 1, 0, linear.NoLabel},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesInWhatIsEvaluatedAreNamed(t *testing.T) {
	t.Parallel()
	labels := linear.Labels{Name: "l", Values: []string{"a", "b"}, Of: []int{0}}
	for name, c := range map[string]struct {
		probabilities [][]float64
		answers       []int
		want          string
	}{
		"too many answers": {nil, []int{0, 1}, `evaluating: labels "l": 1 labels for 2 examples: each needs one, NoLabel where there is none`},
		"no probabilities": {nil, []int{0}, `evaluating labels "l": 0 lists of probabilities for 1 answers`},
		"no answer":        {[][]float64{{1, 0}}, []int{linear.NoLabel}, `evaluating labels "l": example 0 has answer -1 and 2 probabilities for 2 values`},
		"too few":          {[][]float64{{1}}, []int{0}, `evaluating labels "l": example 0 has answer 0 and 1 probabilities for 2 values`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := linear.Evaluate(labels, c.probabilities, c.answers); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestCrossValidationAnswersEachExampleByAModelThatHasNotSeenIt(t *testing.T) {
	t.Parallel()
	// Each text is a word of its own, so that only a model that has seen it could know.
	var examples []linear.Example
	labels := linear.Labels{Name: "l", Values: []string{"a", "b"}}
	for i := range 60 {
		examples, labels.Of = append(examples, body(fmt.Sprintf("%c%c%c", 'a'+i%26, 'a'+i/26, 'z'-i%26))), append(labels.Of, i%2)
	}
	opt := linear.Options{MinExamples: 1, Chars: -1}
	e, err := linear.CrossValidate(context.Background(), examples, labels, 5, opt)
	if err != nil {
		t.Fatal(err)
	}
	if e.N != 60 || e.Accuracy > 0.7 {
		t.Errorf("accuracy %v of %d", e.Accuracy, e.N)
	}
	// Copies that are not held together give them away, copies of one group do not.
	for i, x := range examples {
		x.Group = fmt.Sprint(i)
		examples[i] = x
		examples, labels.Of = append(examples, x), append(labels.Of, labels.Of[i])
	}
	grouped, err := linear.CrossValidate(context.Background(), examples, labels, 5, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range examples {
		examples[i].Group = ""
	}
	torn, err := linear.CrossValidate(context.Background(), examples, labels, 5, opt)
	if err != nil {
		t.Fatal(err)
	}
	if grouped.Accuracy > 0.7 || torn.Accuracy < 0.8 {
		t.Errorf("accuracy %v with groups, %v without", grouped.Accuracy, torn.Accuracy)
	}
}

func TestCrossValidationIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(300, 0.2, 1)
	var all []linear.Evaluation
	var calls []int
	for _, workers := range []int{1, 4} {
		e, err := linear.CrossValidate(context.Background(), examples, route, 3, linear.Options{Workers: workers, Progress: func(done, total int) { calls = append(calls, done, total) }})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 3, 2, 3, 3, 3, 1, 3, 2, 3, 3, 3}, calls); diff != "" {
		t.Error(diff)
	}
	if e := all[0]; e.Accuracy < 0.75 || e.Majority > 0.45 || e.ECE > 0.15 {
		t.Errorf("accuracy %v, majority %v, ECE %v", e.Accuracy, e.Majority, e.ECE)
	}
}

func TestFoldsThatCannotBeMadeAreAnError(t *testing.T) {
	t.Parallel()
	examples, route, _ := synthetic(4, 0, 1)
	for _, n := range []int{-1, 0, 1, 5} {
		_, err := linear.CrossValidate(context.Background(), examples, route, n, linear.Options{})
		want := fmt.Sprintf(`cross-validating labels "route": %d folds: allowed are 2 to the number of groups with a label`, n)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := linear.CrossValidate(context.Background(), examples, route, 4, linear.Options{}); err != nil {
		t.Error(err)
	}
}
