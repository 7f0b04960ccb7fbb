package stats

import (
	"math"
	"slices"
)

// Confusion counts answers by truth: rows are right labels, columns given ones. The zero value is empty.
type Confusion struct {
	labels map[string]int
	names  []string
	counts map[[2]int]int
	n      int
}

// Add counts one answer; given may be a label that is never right, such as the empty one.
func (c *Confusion) Add(truth, given string) {
	cell := [2]int{c.index(truth), c.index(given)}
	c.counts[cell]++
	c.n++
}

// NewConfusion makes an empty table; order gives the labels that are known beforehand, in the order of their scale.
func NewConfusion(order []string) *Confusion {
	c := &Confusion{}
	for _, l := range order {
		c.index(l)
	}
	return c
}

func (c *Confusion) index(label string) int {
	i, ok := c.labels[label]
	if !ok {
		if c.labels == nil {
			c.labels, c.counts = map[string]int{}, map[[2]int]int{}
		}
		i = len(c.names)
		c.labels[label] = i
		c.names = append(c.names, label)
	}
	return i
}

// N is the number of answers.
func (c *Confusion) N() int { return c.n }

// Labels lists all labels that are known: those of the scale, then the others in the order in which they first occurred.
func (c *Confusion) Labels() []string { return slices.Clone(c.names) }

// Count is how many answers gave one label where another was right, 0 for labels that are not known.
func (c *Confusion) Count(truth, given string) int {
	i, ok := c.labels[truth]
	j, okay := c.labels[given]
	if !ok || !okay {
		return 0
	}
	return c.counts[[2]int{i, j}]
}

// Marginals are how often a label was right (the sum of its row) and how often it was given (that of its column).
func (c *Confusion) Marginals(label string) (truths, givens int) {
	if i, ok := c.labels[label]; ok {
		return c.marginals(i)
	}
	return 0, 0
}

func (c *Confusion) marginals(i int) (truths, givens int) {
	for j := range c.names {
		truths += c.counts[[2]int{i, j}]
		givens += c.counts[[2]int{j, i}]
	}
	return truths, givens
}

// Accuracy is the share of right answers, or NaN for none.
func (c *Confusion) Accuracy() float64 {
	right := 0
	for i := range c.names {
		right += c.counts[[2]int{i, i}]
	}
	return float64(right) / float64(c.n)
}

// MacroF1 is the plain mean of the F1 of all labels that occur as truth or as answer (a label that is never right and
// never given does not count; the empty answer is no label), as scikit-learn's f1_score(average="macro") with
// zero_division=0 over the labels present. It is NaN where no label occurs.
func (c *Confusion) MacroF1() float64 {
	sum, labels := 0.0, 0
	for i, name := range c.names {
		truths, givens := c.marginals(i)
		if truths+givens == 0 || name == "" {
			continue
		}
		labels++
		sum += 2 * float64(c.counts[[2]int{i, i}]) / float64(truths+givens)
	}
	return sum / float64(labels)
}

// WeightedKappa is Cohen's kappa with quadratic weights over the labels of the scale that [NewConfusion] was given:
// 1 − Σ w·observed / Σ w·expected with w = (i−j)²/(k−1)² (Cohen 1968). Answers outside the scale count as the farthest;
// truths outside of it are left out.
// It is NaN where the truth has a single label and so do the answers: nothing could disagree.
func (c *Confusion) WeightedKappa(k int) float64 {
	if k < 2 || len(c.names) < k {
		return math.NaN()
	}
	rows, columns := make([]float64, k), make([]float64, k)
	observed, total := 0.0, 0.0
	for i := range k {
		for j := range c.names {
			n := float64(c.counts[[2]int{i, j}])
			if n == 0 {
				continue
			}
			at := j
			if j >= k { // no label of the scale: the end farther from the truth
				at = 0
				if 2*i < k {
					at = k - 1
				}
			}
			rows[i] += n
			columns[at] += n
			total += n
			observed += float64(n * weight(i, at, k))
		}
	}
	expected := 0.0
	for i := range k {
		for j := range k {
			expected += float64(rows[i] * columns[j] * weight(i, j, k))
		}
	}
	expected /= total
	if total == 0 || expected == 0 {
		return math.NaN()
	}
	return 1 - observed/expected
}

func weight(i, j, k int) float64 {
	d := float64(i-j) / float64(k-1)
	return float64(d * d)
}
