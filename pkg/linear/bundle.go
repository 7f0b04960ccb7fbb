package linear

import (
	"context"
	"fmt"
	"slices"
)

// bundle makes the models of the trained parts.
func (t *trainer) bundle() (*Bundle, Report) {
	b := &Bundle{space: t.space}
	report := Report{Examples: len(t.examples), Features: len(t.space.keys)}
	for _, c := range t.columns {
		all := c.parts[len(c.parts)-1]
		r := ColumnReport{Name: c.Name, Labelled: len(all.of), Seen: slices.Clone(c.seen)}
		for _, n := range all.epochs {
			r.Epochs += n
		}
		t.calibrate(c, &r)
		r.warn(c)
		m := c.model(all, r.Temperature)
		b.models = append(b.models, m)
		report.Weights += len(m.weights.weight)
		report.Columns = append(report.Columns, r)
	}
	return b, report
}

func (c *column) model(p *part, temperature float64) *Model {
	m := &Model{
		name: c.Name, values: slices.Clone(c.Values), ordered: c.Ordered, seen: p.seen,
		weights: sparseOf(p.weights, len(c.Values)), scale: p.scale, bias: p.bias, temperature: temperature,
	}
	for _, row := range c.costs() {
		var rounded []float64
		for _, v := range row {
			rounded = append(rounded, float64(float32(v)))
		}
		m.cost = append(m.cost, rounded)
	}
	return m
}

// calibrate fits the temperature on the scores that each fold's model gives to the examples it has not seen. An example of a
// class that its model has not seen either says nothing about the temperature and is left out.
func (t *trainer) calibrate(c *column, r *ColumnReport) {
	var scores [][]float64
	var of []int
	var held []*Model
	for _, p := range c.parts {
		held = append(held, c.model(p, rough))
	}
	for i, f := range c.folds {
		if f < 0 || c.parts[f].seen[c.Of[i]] == 0 {
			continue
		}
		scores = append(scores, held[f].scores(t.quants[i]))
		for class, seen := range held[f].seen {
			if seen == 0 {
				// It gets no share of the probability.
				scores[len(scores)-1][class] = -1e6
			}
		}
		of = append(of, c.Of[i])
	}
	r.Held = len(of)
	r.Temperature = float64(float32(temperature(scores, of, c.seen)))
	cost := c.costs()
	for i, s := range scores {
		p := softmax(s, c.seen, r.Temperature)
		r.LogLoss += surprise(p[of[i]]) / float64(len(of))
		if decide(p, c.seen, cost) == of[i] {
			r.Accuracy += 1 / float64(len(of))
		}
	}
}

// warn says what a reader should doubt.
func (r *ColumnReport) warn(c *column) {
	if c.classes() == 1 {
		r.Warnings = append(r.Warnings, "all examples have one value: it will always be the answer")
	}
	for class, n := range c.seen {
		switch {
		case n == 0:
			r.Warnings = append(r.Warnings, fmt.Sprintf("no example of %q: it will never be the answer", c.Values[class]))
		case n < 5:
			r.Warnings = append(r.Warnings, fmt.Sprintf("only %d of %q: too few to learn from", n, c.Values[class]))
		}
	}
	if r.Held == 0 && c.classes() > 1 {
		r.Warnings = append(r.Warnings, "probabilities are not calibrated")
	}
}

// narrow trains once, keeps the features that weigh most over all columns, and takes the space of those.
func (t *trainer) narrow(ctx context.Context, keep int) error {
	t.vectors(ctx)
	often := make([]float64, len(t.space.keys))
	for i, row := range t.matrix.rows {
		v := float64(t.matrix.values[i])
		often[row] += float64(v * v)
	}
	weigh := make([]float64, len(often))
	for _, c := range t.columns {
		all := c.parts[len(c.parts)-1]
		whole := *c
		whole.parts = []*part{all}
		sub := trainer{opt: t.opt, examples: t.examples, space: t.space, columns: []*column{&whole}, matrix: t.matrix}
		sub.opt.Progress = nil
		if err := sub.run(ctx, sub.plan()); err != nil {
			return err
		}
		all.weigh(often, weigh)
	}
	t.space = t.space.keep(largest(weigh, keep))
	return nil
}

// weigh adds to each feature its share of what moves this part's scores: the squares of its weights and of its values.
func (p *part) weigh(often, weigh []float64) {
	classes := len(p.scale)
	mine := make([]float64, len(often))
	total := 0.0
	for row := range often {
		for c, w := range p.weights[row*classes:][:classes] {
			x := float64(float64(w) * p.scale[c])
			mine[row] += float64(x * x)
		}
		mine[row] = float64(mine[row] * often[row])
		total += mine[row]
	}
	if total == 0 {
		return
	}
	for row, m := range mine {
		weigh[row] += m / total
	}
}

// largest gives the places of the n largest, rising; of equals the first.
func largest(of []float64, n int) []int {
	places := make([]int, len(of))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		if of[a] > of[b] {
			return -1
		}
		if of[a] < of[b] {
			return 1
		}
		return 0
	})
	places = places[:n]
	slices.Sort(places)
	return places
}
