package linear

import (
	"context"
	"fmt"
	"slices"
)

// Evaluation says how answers compare with labels. Figures are over the examples that have a label.
type Evaluation struct {
	// N examples have a label; Right is how many were answered as labelled.
	N, Right int
	// Accuracy is Right / N. MacroF1 is the mean F1 of the values that were a label or an answer. Majority is the accuracy of always
	// answering the most frequent label.
	Accuracy, MacroF1, Majority float64
	// Cost is the mean cost of an answer: [Labels.Cost], the distance where Ordered, else 1 for a wrong one.
	Cost float64
	// LogLoss is the mean -ln of the probability given to the label (nats; 0 is best; at least 1e-15 is counted). ECE is the expected
	// calibration error of the answer's probability in 15 bins of equal width, 0..1.
	LogLoss, ECE float64
	// Classes has for each of the values its figures.
	Classes []ClassScore
	// Confusion counts Confusion[label][answer].
	Confusion [][]int
	// Probabilities and Answers are those of each example, in the order given, nil and -1 where it has no label. Those of CrossValidate
	// are by a model that has not seen the example.
	Probabilities [][]float64
	Answers       []int
}

// ClassScore is how one value was answered.
type ClassScore struct {
	Value string
	// N examples have the label, Answered got it, Right both.
	N, Answered, Right int
	// Precision is Right / Answered, Recall Right / N, F1 their harmonic mean; 0 where there is nothing to divide by.
	Precision, Recall, F1 float64
}

// CrossValidate deals the examples into so many folds, at least 2, the labels evenly and examples of a group together, trains on
// all but one with the options, answers that one, and compares all answers with the labels. Everything, also the space of
// features and the temperature, is learned anew without the fold. It stops with the context's error. Progress counts the folds.
func CrossValidate(ctx context.Context, examples []Example, labels Labels, n int, options Options) (Evaluation, error) {
	opt, err := options.filled()
	if err != nil {
		return Evaluation{}, fmt.Errorf("cross-validating: %w", err)
	}
	if err := checkAll(examples, []Labels{labels}); err != nil {
		return Evaluation{}, fmt.Errorf("cross-validating: %w", err)
	}
	deal := folds(examples, labels.Of, len(labels.Values), max(n, 1), opt.Seed^crossSeed)
	if most := slices.Max(deal) + 1; n < 2 || most < n {
		return Evaluation{}, fmt.Errorf("cross-validating labels %q: %d folds: allowed are 2 to the number of groups with a label", labels.Name, n)
	}
	probabilities, answers := make([][]float64, len(examples)), slices.Repeat([]int{NoLabel}, len(examples))
	inner := options
	inner.Progress = nil
	for f := range n {
		if err := without(ctx, f, deal, examples, labels, inner, probabilities, answers); err != nil {
			return Evaluation{}, fmt.Errorf("cross-validating: fold %d of %d: %w", f+1, n, err)
		}
		if options.Progress != nil {
			options.Progress(f+1, n)
		}
	}
	return Evaluate(labels, probabilities, answers)
}

const crossSeed = 0xc0557a1d

// without trains without a fold and answers it.
func without(ctx context.Context, f int, deal []int, examples []Example, labels Labels, opt Options, probabilities [][]float64, answers []int) error {
	var seen []Example
	train := labels
	train.Of = nil
	for i, of := range deal {
		if of >= 0 && of != f {
			seen, train.Of = append(seen, examples[i]), append(train.Of, labels.Of[i])
		}
	}
	b, _, err := Train(ctx, seen, []Labels{train}, opt)
	if err != nil {
		return err
	}
	m := b.models[0]
	workers := b.space.opt.Workers
	spread(ctx, workers, len(examples), func(i int) {
		if deal[i] == f {
			probabilities[i] = m.Probabilities(b.Vector(examples[i]))
			answers[i] = m.Decide(probabilities[i])
		}
	})
	return ctx.Err()
}

// Evaluate compares answers, as places in the values, with the labels. Examples without a label or with [NoLabel] as the answer to
// a missing label are left out. It is an error if there is no label, if lists differ in length, or if an answer is not a place.
func Evaluate(labels Labels, probabilities [][]float64, answers []int) (Evaluation, error) {
	if err := labels.check(len(answers)); err != nil {
		return Evaluation{}, fmt.Errorf("evaluating: %w", err)
	}
	if len(probabilities) != len(answers) {
		return Evaluation{}, fmt.Errorf("evaluating labels %q: %d lists of probabilities for %d answers", labels.Name, len(probabilities), len(answers))
	}
	e := Evaluation{Probabilities: probabilities, Answers: answers}
	for range labels.Values {
		e.Confusion = append(e.Confusion, make([]int, len(labels.Values)))
	}
	costs := labels.costs()
	var bins [15]bin
	for i, of := range labels.Of {
		if of == NoLabel {
			continue
		}
		a := answers[i]
		if a < 0 || a >= len(labels.Values) || len(probabilities[i]) != len(labels.Values) {
			return Evaluation{}, fmt.Errorf("evaluating labels %q: example %d has answer %d and %d probabilities for %d values", labels.Name, i, a, len(probabilities[i]), len(labels.Values))
		}
		e.Confusion[of][a]++
		e.N++
		p := probabilities[i][a]
		b := &bins[max(0, min(int(p*float64(len(bins))), len(bins)-1))]
		b.sum += p
		if a == of {
			e.Right++
			b.right++
		}
		if costs != nil {
			e.Cost += costs[of][a]
		}
		e.LogLoss += surprise(probabilities[i][of])
	}
	e.finish(labels, costs != nil, bins[:])
	return e, nil
}

// bin is one of the bins of confidences.
type bin struct {
	sum, right float64
}

func (e *Evaluation) finish(labels Labels, costed bool, bins []bin) {
	n := float64(e.N)
	e.Accuracy = float64(e.Right) / n
	e.LogLoss /= n
	if e.Cost /= n; !costed {
		e.Cost = float64(e.N-e.Right) / n
	}
	for _, b := range bins {
		e.ECE += max(b.sum-b.right, b.right-b.sum) / n
	}
	present := 0
	for c, value := range labels.Values {
		s := ClassScore{Value: value, Right: e.Confusion[c][c]}
		for o := range labels.Values {
			s.N += e.Confusion[c][o]
			s.Answered += e.Confusion[o][c]
		}
		if s.Right > 0 {
			s.Precision, s.Recall = float64(s.Right)/float64(s.Answered), float64(s.Right)/float64(s.N)
			s.F1 = 2 * float64(s.Right) / float64(s.Answered+s.N)
		}
		if s.N+s.Answered > 0 {
			present++
			e.MacroF1 += s.F1
		}
		e.Majority = max(e.Majority, float64(s.N)/n)
		e.Classes = append(e.Classes, s)
	}
	e.MacroF1 /= float64(present)
}
