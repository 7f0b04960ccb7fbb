package stats_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/stats"
)

// The examples here are worked in print.

// about holds figures against printed ones, which are right to half a unit of their last decimal.
func about(t *testing.T, name string, got, want []float64, decimals int) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.5001*math.Pow10(-decimals))); d != "" {
		t.Errorf("%s (-printed +got):\n%s", name, d)
	}
}

func TestPrintedExamplesOfShares(t *testing.T) {
	t.Parallel()
	// Newcombe 1998, Two-sided confidence intervals for the single proportion: its examples by method 3.
	for _, tt := range []struct {
		yes, n    int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		e := stats.Share(tt.yes, tt.n)
		about(t, "Wilson", []float64{e.CI95.Low, e.CI95.High}, []float64{tt.low, tt.high}, 4)
	}
}

func TestPrintedExamplesOfPairedTests(t *testing.T) {
	t.Parallel()
	// Student 1908, The probable error of a mean: hours of sleep gained, in pairs; figures as in the manual of R's t.test.
	e, test := stats.PairedT([]float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4})
	about(t, "sleep", []float64{e.Mean, e.CI95.Low, e.CI95.High, test.Statistic, test.P}, []float64{1.58, 0.7001142, 2.4598858, 4.0621277, 0.0028329}, 6)
	// Fisher 1935, The Design of Experiments, section 21: Darwin's pairs of maize, in eighths of an inch. Of 32,768 patterns
	// 1,726 are as far from 0.
	f := stats.SignFlip([]float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 0, nil)
	if d := cmp.Diff(stats.Test{N: 15, Statistic: 314, P: 1726. / 32768}, f); d != "" {
		t.Errorf("Darwin's maize (-want +got):\n%s", d)
	}
}

func TestPrintedExamplesOfFlipsAndHolm(t *testing.T) {
	t.Parallel()
	// Fagerland, Lydersen and Laake 2013, The McNemar test for binary matched-pairs data: 1 and 7 pairs differ.
	f := stats.McNemar(1, 7)
	about(t, "McNemar", []float64{f.TwoSided, f.MidTwoSided}, []float64{0.070, 0.039}, 3)
	// Holm's procedure on four hypotheses: 4·0.005, 3·0.01, then 2·0.03, which the last, 0.04, may not be below.
	about(t, "Holm", stats.Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}, 9)
}

func TestPrintedExamplesOfPower(t *testing.T) {
	t.Parallel()
	// G*Power 3.1 manual, difference between two dependent means: n 50, dz 0.421637, two-sided 5 %.
	power, _ := stats.PowerPairedT(50, 1, 0.421637, 0)
	about(t, "paired t", []float64{power}, []float64{0.832114}, 6)
}

// The table of what the exact one-sided McNemar test at 5 % sees with 80 %, in points, by tickets and by the share that
// flips by chance each way, beside what two samples that are not paired see (at a share of 0.85, by Fisher's exact one-sided test) and how often a plain
// tolerance of 2 points calls a drop at 5 % flips each way. All are exact; scipy's binomials give the same
// powers (testdata/make.py).
// lesson B29
func TestWhatAComparisonOfPassesCanSee(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n        int
		drops    []float64
		unpaired float64
		alarm    float64
	}{
		{30, []float64{25.2, 29.4, 34.2}, 31.9, 38}, {60, []float64{14.3, 17.3, 21.4}, 21.1, 27}, {100, []float64{9.5, 12.2, 15.3}, 15.5, 21},
		{200, []float64{5.7, 7.7, 10.0}, 10.5, 16}, {500, []float64{3.1, 4.4, 5.9}, 6.3, 7}, {1000, []float64{2.0, 3.0, 4.0}, 4.3, 2},
	} {
		var drops []float64
		for _, q := range []float64{0.02, 0.05, 0.1} {
			drop, ok := stats.DetectableFlips(tt.n, q, 0.8)
			if !ok {
				t.Errorf("no drop of %d tickets at %v", tt.n, q)
			}
			drops = append(drops, 100*drop)
			at, _ := stats.PowerOfMcNemar(tt.n, q, q+drop)
			under, _ := stats.PowerOfMcNemar(tt.n, q, q+drop-0.001)
			if at < 0.8 || under >= 0.8 {
				t.Errorf("%d tickets at %v: the power is %v at %v and %v a thousandth below", tt.n, q, at, drop, under)
			}
		}
		about(t, "paired", drops, tt.drops, 1)
		unpaired, _ := stats.DetectableUnpaired(tt.n, 0.85)
		alarm, _ := stats.FalseAlarm(tt.n, 0.05, 0.02)
		about(t, "unpaired", []float64{100 * unpaired}, []float64{tt.unpaired}, 1)
		about(t, "false alarm", []float64{100 * alarm}, []float64{tt.alarm}, 0)
	}
}
