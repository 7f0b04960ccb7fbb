package stats_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

// The figures are those of Python's exact fractions:
//
//	float(Fraction(comb(c,k), comb(n,k))), float(1 - Fraction(comb(n-c,k), comb(n,k)))
func TestPassFiguresAreTheNearestFloatsOfTheFractions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, c, k int
		hat, at float64
	}{
		{1, 0, 1, 0, 0},
		{1, 1, 1, 1, 1},
		{4, 3, 1, 0.75, 0.75}, // lesson B26: n=4, c=3
		{4, 3, 2, 0.5, 1},
		{4, 3, 3, 0.25, 1},
		{4, 3, 4, 0, 1},
		{4, 0, 2, 0, 0},
		{4, 4, 4, 1, 1},
		{5, 2, 2, 0.1, 0.7},
		{8, 6, 3, 0.35714285714285715, 1},
		{10, 7, 5, 0.08333333333333333, 1},
		{56, 40, 28, 7.304326677097581e-07, 1},
		{57, 40, 28, 3.716236379575962e-07, 1},
		{57, 3, 57, 0, 1},
		{100, 99, 100, 0, 1},
		{200, 150, 10, 0.05209362940404299, 0.9999995424579663},
		{1000, 999, 500, 0.5, 1},
		{1000, 500, 10, 0.0009331878021844999, 0.9990668121978155},
		{1000, 1, 1000, 0, 1},
		{1000, 1000, 1000, 1, 1},
		{1000, 500, 500, 3.699753997814027e-300, 1},
		{1000, 990, 64, 0.5145331723571346, 1},
	} {
		hat, ok := stats.PassHat(tt.n, tt.c, tt.k)
		at, okAt := stats.PassAt(tt.n, tt.c, tt.k)
		if d := cmp.Diff([]any{tt.hat, true, tt.at, true}, []any{hat, ok, at, okAt}); d != "" {
			t.Errorf("n=%d c=%d k=%d (-want +got):\n%s", tt.n, tt.c, tt.k, d)
		}
	}
}

func TestThereIsNoPassFigureOfTooFewTrials(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		n, c, k int
	}{
		{"one trial too few (lesson B26)", 3, 3, 4}, {"no trials", 0, 0, 1}, {"none asked for", 3, 2, 0}, {"fewer than none", 3, 2, -1},
		{"more successes than trials", 3, 4, 1}, {"fewer successes than none", 3, -1, 1}, {"a negative number of trials", -1, -1, -1},
	} {
		for name, f := range map[string]func(n, c, k int) (float64, bool){"pass^k": stats.PassHat, "pass@k": stats.PassAt} {
			if v, ok := f(tt.n, tt.c, tt.k); v != 0 || ok {
				t.Errorf("%s: %s of n=%d c=%d k=%d is %v, %v", tt.name, name, tt.n, tt.c, tt.k, v, ok)
			}
		}
	}
}

func TestPassFiguresFallAndRiseWithK(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		c := rapid.IntRange(0, n).Draw(t, "c")
		hat, at := 1.0, 0.0
		for k := 1; k <= n; k++ {
			h, ok := stats.PassHat(n, c, k)
			a, okAt := stats.PassAt(n, c, k)
			if !ok || !okAt || h < 0 || h > hat || a < at || a > 1 || h > a {
				t.Fatalf("n=%d c=%d: from pass^%d %v, pass@%d %v to %v %v, %v %v", n, c, k-1, hat, k-1, at, h, ok, a, okAt)
			}
			if k == 1 && (h != float64(c)/float64(n) || a != h) {
				t.Fatalf("n=%d c=%d: pass^1 %v and pass@1 %v are not the share of successes", n, c, h, a)
			}
			// what succeeds at least once is what does not fail every time
			if failed, _ := stats.PassHat(n, n-c, k); math.Abs(1-failed-a) > 1e-15 {
				t.Fatalf("n=%d c=%d k=%d: pass@k %v, all fail %v", n, c, k, a, failed)
			}
			hat, at = h, a
		}
	})
}

// The figures are those of scipy: binomtest(yes, n).proportion_ci(method="wilson").
func TestSharesHaveWilsonsInterval(t *testing.T) {
	t.Parallel()
	interval := func(low, high float64) *stats.Interval { return &stats.Interval{Low: low, High: high} }
	rough := func(n int) []string { return []string{fmt.Sprintf("%d values: the interval is rough", n)} }
	for _, tt := range []struct {
		yes, n int
		want   stats.Estimate
	}{
		{0, 0, stats.Estimate{Mean: math.NaN(), Warnings: []string{"no values: there is no mean"}}},
		{0, 1, stats.Estimate{N: 1, Mean: 0, CI95: interval(0, 0.7934506856227626), Warnings: rough(1)}},
		{1, 1, stats.Estimate{N: 1, Mean: 1, CI95: interval(0.20654931437723745, 1), Warnings: rough(1)}},
		{4, 4, stats.Estimate{N: 4, Mean: 1, CI95: interval(0.5101091635454027, 1), Warnings: rough(4)}},
		{0, 30, stats.Estimate{N: 30, Mean: 0, CI95: interval(0, 0.11351339317396876)}},
		{30, 30, stats.Estimate{N: 30, Mean: 1, CI95: interval(0.8864866068260312, 1)}},
		{15, 30, stats.Estimate{N: 30, Mean: 0.5, CI95: interval(0.33154125640533766, 0.6684587435946623)}},
		{3, 10, stats.Estimate{N: 10, Mean: 0.3, CI95: interval(0.10779126740630099, 0.6032218525388546)}},
		{1, 1000, stats.Estimate{N: 1000, Mean: 0.001, CI95: interval(0.00017654637062607852, 0.0056425585979579355)}},
	} {
		if d := cmp.Diff(tt.want, stats.Share(tt.yes, tt.n), approx); d != "" {
			t.Errorf("%d of %d (-want +got):\n%s", tt.yes, tt.n, d)
		}
	}
}

func BenchmarkPassHat(b *testing.B) {
	for _, n := range []int{5, 50, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				stats.PassHat(n, n-1, n/2)
			}
		})
	}
}
