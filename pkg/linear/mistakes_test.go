package linear_test

import (
	"context"
	"math"
	"testing"

	"github.com/triagebench/triage/pkg/linear"
)

func TestMistakesInWhatIsTrainedOnAreNamed(t *testing.T) {
	t.Parallel()
	two := []linear.Example{body("a"), body("b")}
	good := linear.Labels{Name: "l", Values: []string{"x", "y"}, Of: []int{0, 1}}
	with := func(f func(*linear.Labels)) []linear.Labels {
		l := good
		f(&l)
		return []linear.Labels{l}
	}
	for name, c := range map[string]struct {
		examples []linear.Example
		columns  []linear.Labels
		options  linear.Options
		want     string
	}{
		"no examples":    {nil, []linear.Labels{good}, linear.Options{}, "no examples"},
		"no columns":     {two, nil, linear.Options{}, "0 columns of labels: allowed are 1 to 64"},
		"name twice":     {two, []linear.Labels{good, good}, linear.Options{}, `two columns of labels are named "l"`},
		"labels too few": {two, with(func(l *linear.Labels) { l.Of = []int{0} }), linear.Options{}, `labels "l": 1 labels for 2 examples: each needs one, NoLabel where there is none`},
		"no values":      {two, with(func(l *linear.Labels) { l.Values = nil }), linear.Options{}, `labels "l": 0 values: allowed are 1 to 10000`},
		"value twice":    {two, with(func(l *linear.Labels) { l.Values = []string{"x", "x"} }), linear.Options{}, `labels "l": value "x" is there twice`},
		"label too high": {two, with(func(l *linear.Labels) { l.Of = []int{0, 2} }), linear.Options{}, `labels "l": example 1 has label 2: allowed are -1 for none and 0 to 1`},
		"no labels":      {two, with(func(l *linear.Labels) { l.Of = []int{-1, -1} }), linear.Options{}, `labels "l": no example has a label`},
		"cost rows":      {two, with(func(l *linear.Labels) { l.Cost = [][]float64{{0, 1}} }), linear.Options{}, `labels "l": the cost has 1 rows: it needs one for each of 2 values`},
		"cost ragged":    {two, with(func(l *linear.Labels) { l.Cost = [][]float64{{0, 1}, {0}} }), linear.Options{}, `labels "l": row 1 of the cost has 1 numbers: it needs one for each of 2 values`},
		"cost below 0":   {two, with(func(l *linear.Labels) { l.Cost = [][]float64{{0, -1}, {1, 0}} }), linear.Options{}, `labels "l": cost of answering 1 where 0 is true is -1: it must be 0 or more, and finite`},
		"cost NaN":       {two, with(func(l *linear.Labels) { l.Cost = [][]float64{{0, math.NaN()}, {1, 0}} }), linear.Options{}, `labels "l": cost of answering 1 where 0 is true is NaN: it must be 0 or more, and finite`},
		"bits":           {two, []linear.Labels{good}, linear.Options{Bits: 30}, "option bits is 30: allowed are 8 to 22"},
		"one fold":       {two, []linear.Labels{good}, linear.Options{Folds: 1}, "option folds is 1: allowed are -1 for none, or 2 and more"},
		"chars":          {two, []linear.Labels{good}, linear.Options{MinChars: 5}, "option chars is 4: it must be at least min chars, 5"},
		"C":              {two, []linear.Labels{good}, linear.Options{C: -1}, "option c is -1: allowed is more than 0, up to 1000000"},
		"NaN":            {two, []linear.Labels{good}, linear.Options{Tolerance: math.NaN()}, "option tolerance is NaN: allowed is more than 0, up to 1000000"},
		"field weight":   {two, []linear.Labels{good}, linear.Options{FieldWeight: 101}, "option field weight is 101: allowed is more than 0, up to 100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := linear.Train(context.Background(), c.examples, c.columns, c.options)
			if err == nil || err.Error() != "training: "+c.want {
				t.Errorf("error %v, want %q", err, "training: "+c.want)
			}
		})
	}
}

func TestAModelThatIsNotThereIsNamedWithThoseThatAre(t *testing.T) {
	t.Parallel()
	examples, route, urgency := synthetic(30, 0, 1)
	b, _ := trained(t, examples, linear.Options{}, route, urgency)
	if _, err := b.Model("rout"); err == nil || err.Error() != `no model for labels "rout": there are ["route" "urgency"]` {
		t.Errorf("error %v", err)
	}
}
