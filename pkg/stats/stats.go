// Package stats has the statistics of the project on plain numbers. It knows no tickets, reads nothing, writes nothing and
// holds no state.
//
// What it holds: means with intervals ([Mean], [Share], [MeanByCluster], [BootstrapBCa]), comparisons in pairs ([PairedT],
// [SignFlip], [McNemar], [Holm]), what gates decide by ([Guard], [ExactShare]), what a comparison could have seen ([PowerOfGate], [NeededN], [DetectableFlips]), how
// answers agree with truth ([Confusion]) and how confidences do ([Calibrate], [Cover]), and pass^k ([PassHat]). What it is
// not: a general library; for that there is gonum, which it stands on. Start at [Mean] and [PairedT].
//
// Doubts about a number travel with it as warnings. Where there is no number, there is a reason in its place: an [Estimate]
// of nothing has the Mean NaN and a warning, and that is the only NaN that leaves besides those of [Confusion], which say so.
//
// The same arguments give the same bits on every machine. Products that are added are rounded first (float64 around them),
// as some processors fuse the two; sums run over sorted values where their order could vary; and what comes from functions
// that machines compute differently in the last digits is rounded to 10 or 12 digits before it is used.
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
	Mean float64 // NaN for nothing: a mean of nothing is no 0; the reason is the first warning
	// CI95 is nil where the sample is too small for an interval.
	CI95     *Interval
	Warnings []string
}

// warn adds a doubt.
func (e *Estimate) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

const (
	noValues = "no values: there is no mean"
	noNumber = "a value is no number, or their sum is too large for one: there is no mean"
)

// nothing is the estimate of n values that have no mean.
func nothing(n int, reason string) Estimate {
	return Estimate{N: n, Mean: math.NaN(), Warnings: []string{reason}}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Mean estimates the mean of a sample with Student's t interval (mean ± t(0.975, n−1)·s/√n), which covers which
// tickets were drawn and how the agent varies from play to play, and does not tell the two apart. Bounds are kept within low and high.
func Mean(sample []float64, low, high float64) Estimate {
	mean, half, reason := student(sample)
	if reason != "" {
		return nothing(len(sample), reason)
	}
	e := Estimate{N: len(sample), Mean: mean}
	if len(sample) == 1 {
		e.warn("one value: there is no interval")
		return e
	}
	e.CI95 = &Interval{Low: max(low, mean-half), High: min(high, mean+half)}
	if len(sample) < 5 {
		e.warn("%d values: the interval is rough", len(sample))
	}
	return e
}

// student gives the mean and the half width of its interval, 0 for one value, or why there is no mean.
func student(sample []float64) (mean, half float64, reason string) {
	if len(sample) == 0 {
		return 0, 0, noValues
	}
	mean, squares := moments(sample)
	if !finite(mean) || !finite(squares) {
		return 0, 0, noNumber
	}
	if len(sample) == 1 {
		return mean, 0, ""
	}
	n := float64(len(sample))
	return mean, float64(StudentT975(len(sample)-1) * math.Sqrt(squares/(n-1)/n)), ""
}

// moments are the mean of at least one value and the sum of the squared distances from it.
func moments(sample []float64) (mean, squares float64) {
	for _, v := range sample {
		mean += v
	}
	mean /= float64(len(sample))
	for _, v := range sample {
		d := v - mean
		squares += float64(d * d)
	}
	return mean, squares
}

// MeanOfCounts is [Mean] of a sample in which values[i] occurs counts[i] times.
func MeanOfCounts(values []float64, counts []int, low, high float64) Estimate {
	n := 0
	for _, c := range counts {
		n += c
	}
	if n < 5 {
		sample := make([]float64, 0, max(n, 0))
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
	if !finite(e.Mean) || !finite(squares) {
		return nothing(n, noNumber)
	}
	half := float64(StudentT975(n-1) * math.Sqrt(squares/float64(n-1)/float64(n)))
	e.CI95 = &Interval{Low: max(low, e.Mean-half), High: min(high, e.Mean+half)}
	return e
}
