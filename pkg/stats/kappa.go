package stats

import (
	"fmt"
	"math"
)

// Weights says how much a pair of labels that are not the same still agrees, for [Kappa].
type Weights int

// The weights, for labels i and j of a scale of k: an exact match counts 1 with all of them. Unweighted gives everything else
// 0 (Cohen 1960); Linear gives 1 − |i−j|/(k−1) (Cicchetti and Allison 1971), Quadratic 1 − (i−j)²/(k−1)² (Cohen 1968).
const (
	Unweighted Weights = iota
	Linear
	Quadratic
)

// of is the agreement of two labels, 0..1.
func (w Weights) of(i, j, k int) float64 {
	d := math.Abs(float64(i-j)) / float64(max(1, k-1))
	switch {
	case i == j:
		return 1
	case w == Linear:
		return 1 - d
	case w == Quadratic:
		return 1 - float64(d*d)
	}
	return 0
}

// Kappa is Cohen's kappa of two raters, (observed − expected)/(1 − expected) agreement, whose answers a table counts: one
// rater's are its rows, the other's its columns. The labels stand in the order of the table; with weights that is the scale, and
// a label that no scale has does not belong into it. The interval is the asymptotic one of Fleiss, Cohen and Everitt (1969,
// Psychological Bulletin 72), within −1 and 1; it is rough below some 50 pairs, and a warning says so. There is no kappa (NaN and a
// warning) without pairs and where both raters give one and the same label only: nothing could disagree. There is no interval
// where they agree in everything, as the formula gives it no width, and where one of them gave one label only: kappa is 0 then.
func Kappa(c *Confusion, w Weights) Estimate {
	if c.n == 0 {
		return nothing(0, "no pairs: there is no kappa")
	}
	k, n := len(c.names), float64(c.n)
	rows, columns := make([]float64, k), make([]float64, k)
	constant := false // a rater gave one label only
	for i := range k {
		a, b := c.marginals(i)
		rows[i], columns[i] = float64(a)/n, float64(b)/n
		constant = constant || a == c.n || b == c.n
	}
	observed, expected := 0.0, 0.0
	rowMean, columnMean := make([]float64, k), make([]float64, k) // mean weight of a row's label, and of a column's
	for i := range k {
		for j := range k {
			v := w.of(i, j, k)
			observed += float64(float64(c.counts[[2]int{i, j}]) / n * v)
			expected += float64(rows[i] * columns[j] * v)
			rowMean[i] += float64(columns[j] * v)
			columnMean[j] += float64(rows[i] * v)
		}
	}
	if 1-expected < 1e-12 {
		return nothing(c.n, "one label only: nothing could disagree, there is no kappa")
	}
	e := Estimate{N: c.n, Mean: (observed - expected) / (1 - expected)}
	if observed > 1-1e-12 {
		e.Mean = 1
		e.warn("no disagreement: there is no interval")
		return e
	}
	if constant {
		e.warn("one rater gave one label only, so kappa is 0 whatever the other answered: there is no interval")
		e.Mean = 0
		return e
	}
	sum := 0.0
	for i := range k {
		for j := range k {
			if p := float64(c.counts[[2]int{i, j}]) / n; p > 0 {
				d := w.of(i, j, k) - float64((rowMean[i]+columnMean[j])*(1-e.Mean))
				sum += float64(p * d * d)
			}
		}
	}
	less := e.Mean - float64(expected*(1-e.Mean))
	variance := (sum - float64(less*less)) / float64(n*(1-expected)*(1-expected))
	half := float64(z975 * math.Sqrt(max(0, variance)))
	e.CI95 = &Interval{Low: max(-1, e.Mean-half), High: min(1, e.Mean+half)}
	if c.n < roughKappa {
		e.warn("%d pairs: the interval is rough", c.n)
	}
	return e
}

// roughKappa is the number of pairs below which the interval of kappa is called rough.
const roughKappa = 50

// Alpha is Krippendorff's alpha (Krippendorff 2019, Content Analysis, 12) of any number of raters: 1 − observed/expected
// disagreement over the pairs of answers within a unit. Each unit is the list of its answers, whoever gave them: numbers of
// labels from 0 to k−1, and −1 for none; a unit with fewer than two answers counts nowhere. Ordered labels have the ordinal metric,
// others the nominal one. n is the number of units that count. It is an error if an answer is none of the labels, and where
// nothing could disagree: no unit with two answers, or one label in all of them.
func Alpha(units [][]int, k int, ordered bool) (alpha float64, n int, err error) {
	coincidences := make([]float64, k*k)
	for i, unit := range units {
		var list []int
		for _, v := range unit {
			if v < -1 || v >= k {
				return 0, 0, fmt.Errorf("unit %d: label %d is not within -1 and %d", i, v, k-1)
			}
			if v >= 0 {
				list = append(list, v)
			}
		}
		if len(list) < 2 {
			continue
		}
		n++
		for a := range list {
			for b := range list {
				if a != b {
					coincidences[list[a]*k+list[b]] += 1 / float64(len(list)-1)
				}
			}
		}
	}
	totals, total := make([]float64, k), 0.0
	for c := range k {
		for d := range k {
			totals[c] += coincidences[c*k+d]
		}
		total += totals[c]
	}
	observed, expected := 0.0, 0.0
	for c := range k {
		for d := range k {
			far := distance(totals, c, d, ordered)
			observed += float64(coincidences[c*k+d] * far)
			expected += float64(totals[c] * totals[d] * far)
		}
	}
	if expected == 0 {
		return 0, n, fmt.Errorf("%d units with two answers and nothing that could disagree: there is no alpha", n)
	}
	return 1 - float64((total-1)*observed)/expected, n, nil
}

// distance is Krippendorff's squared difference of two labels.
func distance(totals []float64, c, d int, ordered bool) float64 {
	switch {
	case c == d:
		return 0
	case !ordered:
		return 1
	}
	if c > d {
		c, d = d, c
	}
	sum := -(totals[c] + totals[d]) / 2
	for g := c; g <= d; g++ {
		sum += totals[g]
	}
	return float64(sum * sum)
}
