package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

var approx = cmp.Options{cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()}

func TestStudentsQuantilesAreThoseOfTheTables(t *testing.T) {
	t.Parallel()
	for df, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201,
		12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086, 21: 2.080, 22: 2.074, 23: 2.069, 24: 2.064, 25: 2.060,
		26: 2.056, 27: 2.052, 28: 2.048, 29: 2.045, 30: 2.042, 31: 2.0395, 35: 2.0301, 40: 2.0211, 45: 2.0141, 50: 2.0086, 60: 2.0003, 70: 1.9944, 80: 1.9901,
		90: 1.9867, 100: 1.9840, 120: 1.9799, 1000: 1.9623, 1 << 40: 1.959964} {
		tolerance := 1e-3
		if df > 30 {
			tolerance = 1e-4
		}
		if got := stats.StudentT975(df); math.Abs(got-want) > tolerance {
			t.Errorf("%d degrees of freedom: %v, want %v", df, got, want)
		}
	}
	for df := 2; df < 2000; df++ {
		if a, b := stats.StudentT975(df-1), stats.StudentT975(df); b >= a {
			t.Errorf("the quantile does not fall from %d to %d degrees of freedom: %v, %v", df-1, df, a, b)
		}
	}
	for _, df := range []int{0, -1, math.MinInt} {
		if got := stats.StudentT975(df); !math.IsNaN(got) {
			t.Errorf("%d degrees of freedom: %v, want NaN", df, got)
		}
	}
}

func TestMeanWithItsInterval(t *testing.T) {
	t.Parallel()
	interval := func(low, high float64) *stats.Interval { return &stats.Interval{Low: low, High: high} }
	for _, tt := range []struct {
		name   string
		sample []float64
		want   stats.Estimate
	}{
		{"nothing", nil, stats.Estimate{Mean: math.NaN(), Warnings: []string{"no values: there is no mean"}}},
		{"one value", []float64{0.25}, stats.Estimate{N: 1, Mean: 0.25, Warnings: []string{"one value: there is no interval"}}},
		// s = 0.141421, half = 12.7062·s/√2 = 1.27062: cut at both bounds.
		{"two values", []float64{0.4, 0.6}, stats.Estimate{N: 2, Mean: 0.5, CI95: interval(0, 1), Warnings: []string{"2 values: the interval is rough"}}},
		// s² = 0.02/3, half = 3.18244631·√(0.0066667/4) = 3.18244631·0.0408248 = 0.1299228
		{"four values", []float64{0.4, 0.5, 0.5, 0.6}, stats.Estimate{N: 4, Mean: 0.5, CI95: interval(0.5-0.12992283, 0.5+0.12992283),
			Warnings: []string{"4 values: the interval is rough"}}},
		// Σ(v−0.3)² = 0.1, s² = 0.025, half = 2.7764451·√0.005 = 0.1963243
		{"five values", []float64{0.1, 0.2, 0.3, 0.4, 0.5}, stats.Estimate{N: 5, Mean: 0.3, CI95: interval(0.3-2.7764451*math.Sqrt(0.005), 0.3+2.7764451*math.Sqrt(0.005))}},
		{"all alike", []float64{0.5, 0.5, 0.5, 0.5, 0.5}, stats.Estimate{N: 5, Mean: 0.5, CI95: interval(0.5, 0.5)}},
		{"all at a bound", []float64{1, 1, 1, 1, 1}, stats.Estimate{N: 5, Mean: 1, CI95: interval(1, 1)}},
	} {
		if d := cmp.Diff(tt.want, stats.Mean(tt.sample, 0, 1), cmpopts.EquateApprox(0, 1e-6), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestIntervalsHoldTheirMeanAndStayWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 60).Draw(t, "sample")
		e := stats.Mean(sample, 0, 1)
		if e.N != len(sample) || math.IsNaN(e.Mean) != (len(sample) == 0) || (e.CI95 == nil) != (len(sample) < 2) {
			t.Errorf("%d values give %+v", len(sample), e)
		}
		if i := e.CI95; i != nil && (i.Low < 0 || i.High > 1 || i.Low > e.Mean+1e-12 || i.High < e.Mean-1e-12) {
			t.Errorf("mean %v, interval %v", e.Mean, *i)
		}
		if (len(e.Warnings) > 0) != (len(sample) < 5) {
			t.Errorf("%d values give the warnings %v", len(sample), e.Warnings)
		}
	})
}

func TestMeanOfCountsIsTheMeanOfTheValuesWrittenOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 6).Draw(t, "values")
		counts := make([]int, len(values))
		var sample []float64
		for i := range counts {
			counts[i] = rapid.IntRange(0, 9).Draw(t, "count")
			for range counts[i] {
				sample = append(sample, values[i])
			}
		}
		if d := cmp.Diff(stats.Mean(sample, 0, 1), stats.MeanOfCounts(values, counts, 0, 1), approx); d != "" {
			t.Errorf("values written out (-) and counted (+):\n%s", d)
		}
	})
}

// answers is a list of truth and given label.
type answers [][2]string

func table(order []string, list answers) *stats.Confusion {
	c := stats.NewConfusion(order)
	for _, a := range list {
		c.Add(a[0], a[1])
	}
	return c
}

func repeat(n int, truth, given string) answers {
	var out answers
	for range n {
		out = append(out, [2]string{truth, given})
	}
	return out
}

func concat(lists ...answers) answers {
	var out answers
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func TestConfusionFigures(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	abc := []string{"a", "b", "c"}
	for _, tt := range []struct {
		name                string
		order               []string
		list                answers
		k                   int
		accuracy, f1, kappa float64
	}{
		{"nothing", abc, nil, 3, nan, nan, nan},
		{"all right", abc, answers{{"a", "a"}, {"b", "b"}, {"c", "c"}}, 3, 1, 1, 1},
		{"one label only: nothing could disagree", abc, repeat(3, "a", "a"), 3, 1, 1, nan},
		{"all the other way round", []string{"a", "b"}, answers{{"a", "b"}, {"b", "a"}}, 2, 0, 0, -1},
		{"one answer to everything", []string{"a", "b"}, answers{{"a", "a"}, {"b", "a"}}, 2, 0.5, (2./3 + 0) / 2, 0},
		// Two labels, 45 of 50 and 30 of 50 by Cohen's formula: po = 0.7, pe = 0.5·0.6+0.5·0.4 = 0.5, κ = 0.4 (weights of two
		// labels are those of plain kappa). F1(a) = 2·40/(50+60) = 8/11, F1(b) = 2·30/(50+40) = 2/3.
		{"the textbook", []string{"a", "b"}, concat(repeat(40, "a", "a"), repeat(10, "a", "b"), repeat(20, "b", "a"), repeat(30, "b", "b")), 2, 0.7, (8./11 + 2./3) / 2, 0.4},
		// Three labels, w = 0, 1/4, 1. observed Σ = 1·1/4 (a→b) + 1·1 (c→a) = 1.25.
		// rows 3, 2, 2; columns 3, 3, 1; Σ r·c·w = 3·3/4+3·1+2·3/4+2·1/4+2·3+2·3/4 = 2.25+3+1.5+0.5+6+1.5 = 14.75; /7.
		// F1: a 2·2/(3+3), b 2·2/(2+3), c 2·1/(2+1).
		{"three labels", abc, answers{{"a", "a"}, {"a", "a"}, {"a", "b"}, {"b", "b"}, {"b", "b"}, {"c", "a"}, {"c", "c"}}, 3, 5. / 7, (2./3 + 0.8 + 2./3) / 3, 1 - 1.25*7/14.75},
		// The empty answer is no label, and counts as the farthest: a→c, c→a.
		{"empty answers", abc, answers{{"a", "a"}, {"a", ""}, {"c", ""}, {"c", "c"}}, 3, 0.5, (2./3 + 2./3) / 2, 1 - 2./(2*2./4+2*2./4)},
		// Two of the middle label lie as far from one end as from the other: the upper one is taken.
		{"an answer outside of the scale to the middle", abc, answers{{"b", "z"}, {"a", "a"}}, 3, 0.5, (1. + 0 + 0) / 3, 1 - 0.25/((1+1./4+1./4)/2)},
		// Truths outside of the scale are left out of kappa; they count for accuracy and F1.
		{"a truth outside of the scale", []string{"a", "b"}, answers{{"a", "a"}, {"b", "b"}, {"z", "a"}, {"z", "z"}}, 2, 0.75, (2./3 + 1 + 2./3) / 3, 1},
		{"a label that nobody gave or was is no label", []string{"a", "b", "unused"}, answers{{"a", "a"}, {"b", "b"}}, 3, 1, 1, 1},
		{"a scale of one", []string{"a"}, answers{{"a", "a"}}, 1, 1, 1, nan},
		{"a scale that was not given", nil, answers{{"a", "a"}}, 3, 1, 1, nan},
	} {
		c := table(tt.order, tt.list)
		got := []float64{c.Accuracy(), c.MacroF1(), c.WeightedKappa(tt.k)}
		if d := cmp.Diff([]float64{tt.accuracy, tt.f1, tt.kappa}, got, approx); d != "" || c.N() != len(tt.list) {
			t.Errorf("%s: %d answers; accuracy, F1, kappa (-want +got):\n%s", tt.name, c.N(), d)
		}
	}
}

func TestTheZeroConfusionIsEmptyAndCanBeFilled(t *testing.T) {
	t.Parallel()
	var c stats.Confusion
	if c.N() != 0 || !math.IsNaN(c.Accuracy()) || !math.IsNaN(c.MacroF1()) || !math.IsNaN(c.WeightedKappa(2)) {
		t.Errorf("the zero table has %d answers", c.N())
	}
	c.Add("a", "a")
	c.Add("a", "b")
	if c.N() != 2 || c.Accuracy() != 0.5 {
		t.Errorf("%d answers with accuracy %v", c.N(), c.Accuracy())
	}
}

func TestConfusionFiguresKeepTheirBounds(t *testing.T) {
	t.Parallel()
	labels := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		c := stats.NewConfusion(labels)
		n := rapid.IntRange(1, 30).Draw(t, "answers")
		var list answers
		for range n {
			a := [2]string{rapid.SampledFrom(labels).Draw(t, "truth"), rapid.SampledFrom(append(labels, "", "other")).Draw(t, "given")}
			list = append(list, a)
			c.Add(a[0], a[1])
		}
		for name, v := range map[string]float64{"accuracy": c.Accuracy(), "F1": c.MacroF1()} {
			if v < 0 || v > 1 || math.IsNaN(v) {
				t.Errorf("%s is %v", name, v)
			}
		}
		if k := c.WeightedKappa(len(labels)); k > 1 || k < -1.0000001 {
			t.Errorf("kappa is %v", k)
		}
		// The order of the answers decides nothing.
		backwards := stats.NewConfusion(labels)
		for i := range list {
			a := list[len(list)-1-i]
			backwards.Add(a[0], a[1])
		}
		if d := cmp.Diff([]float64{c.Accuracy(), c.MacroF1(), c.WeightedKappa(4)}, []float64{backwards.Accuracy(), backwards.MacroF1(), backwards.WeightedKappa(4)}, approx); d != "" {
			t.Errorf("forwards (-) and backwards (+):\n%s", d)
		}
	})
}

func ExampleMean() {
	e := stats.Mean([]float64{0.6, 0.7, 0.8, 0.7, 0.6, 0.8}, 0, 1)
	fmt.Printf("%.2f [%.3f, %.3f]\n", e.Mean, e.CI95.Low, e.CI95.High)
	// Output: 0.70 [0.606, 0.794]
}
