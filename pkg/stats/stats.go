// Package stats has the statistics of the project on plain numbers. It knows no tickets. Doubts about a number travel
// with it as warnings.
package stats

import (
	"fmt"
	"math"
)

// Interval is a two-sided confidence interval.
type Interval struct{ Low, High float64 }

// Estimate is a mean with its 95 % interval and what is to be doubted about it.
type Estimate struct {
	N    int
	Mean float64 // NaN for nothing: a mean of nothing is no 0
	// CI95 is nil where the sample is too small for an interval.
	CI95     *Interval
	Warnings []string
}

// Mean estimates the mean of a sample with Student's t interval (mean ± t(0.975, n−1)·s/√n), which covers how the
// tickets that happened to be drawn vary, not how an agent varies on the same ticket. Bounds are kept within low and high.
func Mean(sample []float64, low, high float64) Estimate {
	e := Estimate{N: len(sample), Mean: math.NaN()}
	if len(sample) == 0 {
		e.Warnings = []string{"no values: there is no mean"}
		return e
	}
	n := float64(len(sample))
	sum := 0.0
	for _, v := range sample {
		sum += v
	}
	e.Mean = sum / n
	if len(sample) == 1 {
		e.Warnings = []string{"one value: there is no interval"}
		return e
	}
	squares := 0.0
	for _, v := range sample {
		d := v - e.Mean
		squares += float64(d * d)
	}
	half := float64(StudentT975(len(sample)-1) * math.Sqrt(squares/(n-1)/n))
	e.CI95 = &Interval{Low: max(low, e.Mean-half), High: min(high, e.Mean+half)}
	if len(sample) < 5 {
		e.Warnings = []string{fmt.Sprintf("%d values: the interval is rough", len(sample))}
	}
	return e
}

// t975 are the 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (standard tables).
var t975 = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
	2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// StudentT975 is the 97.5 % quantile of Student's t with df degrees of freedom: from the table up to 30, beyond it by the
// expansion of Fisher and Cornish to the third order (Abramowitz and Stegun 26.7.5), which is right to 1e-4 there.
func StudentT975(df int) float64 {
	if df < 1 {
		return math.NaN()
	}
	if df <= len(t975) {
		return t975[df-1]
	}
	const z = 1.959963984540054
	z3 := float64(z * z * z)
	z5 := float64(z3 * z * z)
	z7 := float64(z5 * z * z)
	n := float64(df)
	g1 := (z3 + z) / 4
	g2 := (float64(5*z5) + float64(16*z3) + float64(3*z)) / 96
	g3 := (float64(3*z7) + float64(19*z5) + float64(17*z3) - float64(15*z)) / 384
	return z + g1/n + g2/float64(n*n) + g3/float64(n*n*n)
}

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
// zero_division=0 over the labels present.
func (c *Confusion) MacroF1() float64 {
	sum, labels := 0.0, 0
	for i, name := range c.names {
		truths, givens := 0, 0
		for j := range c.names {
			truths += c.counts[[2]int{i, j}]
			givens += c.counts[[2]int{j, i}]
		}
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

// MeanOfCounts is [Mean] of a sample in which values[i] occurs counts[i] times.
func MeanOfCounts(values []float64, counts []int, low, high float64) Estimate {
	n := 0
	for _, c := range counts {
		n += c
	}
	if n < 5 {
		sample := make([]float64, 0, n)
		for i, c := range counts {
			for range c {
				sample = append(sample, values[i])
			}
		}
		return Mean(sample, low, high)
	}
	e := Estimate{N: n}
	sum := 0.0
	for i, c := range counts {
		sum += float64(values[i] * float64(c))
	}
	e.Mean = sum / float64(n)
	squares := 0.0
	for i, c := range counts {
		d := values[i] - e.Mean
		squares += float64(float64(d*d) * float64(c))
	}
	half := float64(StudentT975(n-1) * math.Sqrt(squares/float64(n-1)/float64(n)))
	e.CI95 = &Interval{Low: max(low, e.Mean-half), High: min(high, e.Mean+half)}
	return e
}
