// Package linear is a text classifier: hashed word and character n-grams with TF-IDF weights, a linear support vector
// machine for each class trained by dual coordinate descent, probabilities by a temperature fitted on held-out folds,
// and decisions by least expected cost.
//
// It is not a neural network and needs no download; it knows no tickets, only texts, strings of metadata and numbered
// labels. It is built for 50 to 100,000 short texts in any language that puts spaces between words (others live by the
// character n-grams), on one machine, in seconds. Text is read, never stored: a model has hashes and weights. Still, who
// has a model can ask it whether a word was in the texts it was trained on, so it is as private as they are.
//
// The same examples, options and seed give the same bytes with any number of workers, and a model gives the same
// answers on every architecture: no product is rounded together with a sum, and exp and ln are its own.
//
// Start at [Train], which gives a [Bundle] of one [Model] for each column of labels. [Bundle.Vector] turns an example
// into numbers once; [Model.Probabilities], [Model.Decide] and [Model.Explain] use them. [Bundle.Write] and [Read] keep
// it in a file, [CrossValidate] says what it is worth.
package linear

import (
	"fmt"
	"math"
	"runtime"
	"slices"
)

// Text is a text of an example and the name of the part it comes from, like subject or body. The same word has another
// weight in each part.
type Text struct {
	Name, Text string
}

// Example is what a classifier reads.
type Example struct {
	// Texts are read up to [Options.MaxBytes] each. Texts of one name are read as one after the other. Broken UTF-8 is no
	// error: it separates words.
	Texts []Text
	// Fields are metadata as whole strings, like "channel=email"; each is one feature that is there or not. Numbers are to
	// be cut into ranges first.
	Fields []string
	// Group names examples that must not be torn apart when folds are made, like the mails of one conversation or near
	// copies of a text. Empty is a group of its own.
	Group string
}

// NoLabel in [Labels.Of] says that an example has no label in the column: it is left out there.
const NoLabel = -1

// Labels are a column of labels.
type Labels struct {
	// Name is the column's, unique within a bundle.
	Name string
	// Values are what may be answered, in the order of the scale where Ordered; no value twice.
	Values []string
	// Ordered says that the values are a scale, so that one step beside is less wrong than two: [Model.Decide] takes the
	// value with the least expected distance. It is ignored where there is a Cost.
	Ordered bool
	// Cost, if any, is what an answer costs: Cost[truth][answer], finite, 0 or more. Nil means 1 for each wrong answer, or
	// the distance where Ordered.
	Cost [][]float64
	// Of has for each example the place of its label in Values, or [NoLabel].
	Of []int
}

// Options say how to train. The zero value means the defaults, which are those that did best in cross-validation on the
// train part of BANKING77; zero numbers in a field mean that field's default.
type Options struct {
	// Words is the longest word n-gram (default 2), Chars the longest character n-gram within a word (default 4), at
	// least MinChars (default 2). -1 leaves the kind out. At most 8.
	Words, MinChars, Chars int
	// Bits: n-grams are hashed into 1<<Bits buckets (default 20, 8..22).
	Bits int
	// MinExamples is how many examples must have an n-gram or field, else it is left out (default 2).
	MinExamples int
	// MaxFeatures, if not 0, keeps that many n-grams and fields, those that weigh most in a first training, and trains
	// again on them: a smaller model, for twice the time.
	MaxFeatures int
	// MaxBytes of each text are read (default 32768).
	MaxBytes int
	// FieldWeight is what a field weighs beside a text, the n-grams of which have together 1 a kind (default 0.5, at most 100, kept to
	// 1/65536).
	FieldWeight float64
	// C is the cost of an error in training against the size of the weights (default 0.5): more fits closer.
	C float64
	// Balanced multiplies C for rare classes by how rare they are, for a higher macro-F1 at the price of accuracy.
	Balanced bool
	// Tolerance is the largest violation of the conditions of the optimum at which training stops (default 0.1, as
	// liblinear), Epochs how many passes it makes at most (default 1000).
	Tolerance float64
	Epochs    int
	// Folds for fitting the temperature (default 5), each held out once, until 2,000 examples were. -1 fits none: probabilities are
	// rough then.
	Folds int
	// Seed orders the examples and makes the folds.
	Seed uint64
	// Workers train classes side by side (default: as many as there are processors). They do not change the result.
	Workers int
	// Progress, if any, is called after each finished class with how many are done of how many, never twice at once.
	Progress func(done, total int)
}

func orDefault[T int | float64](v *T, def T) {
	if *v == 0 {
		*v = def
	}
}

// filled gives the options with the defaults put in, or an error that names the option, its value and what is allowed.
func (o Options) filled() (Options, error) {
	orDefault(&o.Words, 2)
	orDefault(&o.MinChars, 2)
	orDefault(&o.Chars, 4)
	orDefault(&o.Bits, 20)
	orDefault(&o.MinExamples, 2)
	orDefault(&o.MaxBytes, 32768)
	orDefault(&o.FieldWeight, 0.5)
	orDefault(&o.C, 0.5)
	orDefault(&o.Tolerance, 0.1)
	orDefault(&o.Epochs, 1000)
	orDefault(&o.Folds, 5)
	orDefault(&o.Workers, runtime.GOMAXPROCS(0))
	for _, r := range []struct {
		name      string
		v, lo, hi int
	}{
		{"words", o.Words, -1, 8}, {"chars", o.Chars, -1, 8}, {"min chars", o.MinChars, 1, 8}, {"bits", o.Bits, 8, maxBits},
		{"min examples", o.MinExamples, 1, math.MaxInt32}, {"max features", o.MaxFeatures, 0, 1 << 24},
		{"max bytes", o.MaxBytes, 1, 1 << 24}, {"epochs", o.Epochs, 1, 1 << 20}, {"folds", o.Folds, -1, 1000},
		{"workers", o.Workers, 1, 1 << 16},
	} {
		if r.v < r.lo || r.v > r.hi {
			return o, fmt.Errorf("option %s is %d: allowed are %d to %d", r.name, r.v, r.lo, r.hi)
		}
	}
	if o.Folds == 1 {
		return o, fmt.Errorf("option folds is 1: allowed are -1 for none, or 2 and more")
	}
	if o.Chars > 0 && o.Chars < o.MinChars {
		return o, fmt.Errorf("option chars is %d: it must be at least min chars, %d", o.Chars, o.MinChars)
	}
	for _, r := range []struct {
		name string
		v    float64
	}{{"c", o.C}, {"tolerance", o.Tolerance}, {"field weight", o.FieldWeight}} {
		if !(r.v > 0 && r.v <= 1e6) {
			return o, fmt.Errorf("option %s is %v: allowed is more than 0, up to 1000000", r.name, r.v)
		}
	}
	if o.FieldWeight > 100 {
		return o, fmt.Errorf("option field weight is %v: allowed is more than 0, up to 100", o.FieldWeight)
	}
	o.FieldWeight = math.Round(o.FieldWeight*one) / one
	return o, nil
}

// check says what is wrong with a column for so many examples.
func (l Labels) check(examples int) error {
	if len(l.Of) != examples {
		return fmt.Errorf("labels %q: %d labels for %d examples: each needs one, NoLabel where there is none", l.Name, len(l.Of), examples)
	}
	if len(l.Values) == 0 || len(l.Values) > maxClasses {
		return fmt.Errorf("labels %q: %d values: allowed are 1 to %d", l.Name, len(l.Values), maxClasses)
	}
	for i, v := range l.Values {
		if slices.Contains(l.Values[:i], v) {
			return fmt.Errorf("labels %q: value %q is there twice", l.Name, v)
		}
	}
	some := false
	for i, of := range l.Of {
		if of < NoLabel || of >= len(l.Values) {
			return fmt.Errorf("labels %q: example %d has label %d: allowed are %d for none and 0 to %d", l.Name, i, of, NoLabel, len(l.Values)-1)
		}
		some = some || of != NoLabel
	}
	if !some {
		return fmt.Errorf("labels %q: no example has a label", l.Name)
	}
	return checkCost(l.Name, l.Cost, len(l.Values))
}

func checkCost(name string, cost [][]float64, classes int) error {
	if cost == nil {
		return nil
	}
	if len(cost) != classes {
		return fmt.Errorf("labels %q: the cost has %d rows: it needs one for each of %d values", name, len(cost), classes)
	}
	for t, row := range cost {
		if len(row) != classes {
			return fmt.Errorf("labels %q: row %d of the cost has %d numbers: it needs one for each of %d values", name, t, len(row), classes)
		}
		for a, c := range row {
			if !(c >= 0 && c <= math.MaxFloat32) {
				return fmt.Errorf("labels %q: cost of answering %d where %d is true is %v: it must be 0 or more, and finite", name, a, t, c)
			}
		}
	}
	return nil
}

// costs is the matrix that decides: the given one, the distance, or nil where every wrong answer costs the same.
func (l Labels) costs() [][]float64 {
	if l.Cost != nil || !l.Ordered {
		return l.Cost
	}
	out := make([][]float64, len(l.Values))
	for t := range out {
		out[t] = make([]float64, len(l.Values))
		for a := range out[t] {
			out[t][a] = math.Abs(float64(t - a))
		}
	}
	return out
}
