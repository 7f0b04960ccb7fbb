package stats_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/triagebench/triage/pkg/stats"
)

type levelCase struct {
	DF, N, Yes                       int
	Level, T, Z, P, Size, Power      float64
	Fixed, Broken, Margin, Threshold float64
	Share, Low, High                 float64
}

// The values are of scipy and statsmodels: testdata/make_level.py says how they were made.
func TestFiguresAtOtherLevelsAreThoseOfScipyAndStatsmodels(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/level.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Critical, Tails, Normal, Power, Needed, Flips, Shares, Exact []levelCase }
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	near := func(name string, c levelCase, got, want, off float64) {
		t.Helper()
		if math.Abs(got-want) > off*max(1, math.Abs(want)) {
			t.Errorf("%s of %+v is %v", name, c, got)
		}
	}
	for _, c := range want.Critical {
		got, ok := stats.CriticalT(float64(c.DF), c.Level)
		near("the quantile", c, got, c.T, 1e-7)
		if !ok {
			t.Errorf("%+v has no quantile", c)
		}
	}
	for _, c := range want.Tails {
		near("the tail", c, stats.TwoSidedT(c.T, float64(c.DF)), c.P, 1e-9)
	}
	for _, c := range want.Normal {
		near("the tail", c, stats.TwoSidedNormal(c.Z), c.P, 1e-9)
	}
	for _, c := range want.Power {
		got, ok := stats.PowerOfGateAt(c.N, 2, 0.1+2*c.Size, 0.1, c.Level)
		near("the power", c, got, c.Power, 1e-7)
		if !ok {
			t.Errorf("%+v has no power", c)
		}
	}
	for _, c := range want.Needed {
		for _, drop := range []float64{0.1 + 2*c.Size, 0.1 - 2*c.Size} {
			if got, ok := stats.NeededNAt(2, drop, 0.1, 0.8, c.Level); got != c.N || !ok {
				t.Errorf("the needed number of %+v is %d", c, got)
			}
		}
	}
	for _, c := range want.Flips {
		got, _ := stats.PowerOfGateFlipsAt(c.N, c.Fixed, c.Broken, c.Margin, c.Level)
		near("the power of flips", c, got, c.Power, 1e-9)
	}
	for _, c := range want.Shares {
		got, _ := stats.DetectableShare(c.N, c.Threshold, 0.8, c.Level)
		near("the share", c, got, c.Share, 1e-12)
	}
	for _, c := range want.Exact {
		e := stats.ExactShare(c.Yes, c.N)
		near("the low end", c, e.CI95.Low, c.Low, 1e-9)
		near("the high end", c, e.CI95.High, c.High, 1e-9)
	}
	if len(want.Exact) != 5 || len(want.Critical) != 35 || len(want.Power) != 60 || len(want.Needed) != 15 || len(want.Shares) != 5 {
		t.Error("the file lacks values")
	}
}

// At 5 % they are the figures that have no level.
func TestFiguresAtFivePercentAreTheUsualOnes(t *testing.T) {
	t.Parallel()
	same := func(name string, a, b float64, ok, also bool) {
		t.Helper()
		if math.Abs(a-b) > 1e-9 || ok != also {
			t.Errorf("%s: %v %v, without a level %v %v", name, a, ok, b, also)
		}
	}
	for _, n := range []int{1, 2, 7, 30, 200, 3000} {
		for _, drop := range []float64{-0.1, 0.02, 0.021, 0.05, 0.3} {
			for _, sd := range []float64{0, 0.1, 0.45} {
				a, ok := stats.PowerOfGateAt(n, sd, drop, 0.02, 0.05)
				b, also := stats.PowerOfGate(n, sd, drop, 0.02)
				same("power", a, b, ok, also)
				na, ok := stats.NeededNAt(sd, drop, 0.02, 0.8, 0.05)
				nb, also := stats.NeededN(sd, drop, 0.02, 0.8)
				same("needed", float64(na), float64(nb), ok, also)
				a, ok = stats.PowerOfGateFlipsAt(n, 0.05, max(0, 0.05+drop), 0.02, 0.05)
				b, also = stats.PowerOfGateFlips(n, 0.05, max(0, 0.05+drop), 0.02)
				same("flips", a, b, ok, also)
				a, ok = stats.DetectableDropAt(n, sd, 0.02, 0.8, 0.05)
				b, also = stats.DetectableDrop(n, sd, 0.02, 0.8)
				same("detectable", a, b, ok, also)
			}
		}
	}
}

// What is given as the smallest is found that often, and a thousandth less is not.
func TestWhatTheGateDetectsIsTheSmallest(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 60, 200, 900} {
		for _, q := range []float64{0, 0.02, 0.1} {
			for _, level := range []float64{0.05, 0.00625} {
				drop, ok := stats.DetectableGateFlips(n, q, 0.02, 0.8, level)
				if !ok {
					t.Errorf("n %d, q %v: no drop", n, q)
					continue
				}
				at, _ := stats.PowerOfGateFlipsAt(n, q, q+drop, 0.02, level)
				below, _ := stats.PowerOfGateFlipsAt(n, q, q+drop-0.001, 0.02, level)
				if at < 0.8 || below >= 0.8 {
					t.Errorf("n %d, q %v, level %v: a drop of %v is found in %v, one of a thousandth less in %v", n, q, level, drop, at, below)
				}
			}
		}
	}
	if drop, ok := stats.DetectableGateFlips(6, 0.2, 0.02, 0.8, 0.05); ok {
		t.Errorf("6 pairs find a drop of %v", drop)
	}
}

func TestFiguresAtNoLevelAreNone(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, ok := range map[string]bool{
		"quantile of no degrees":      second(stats.CriticalT(0, 0.05)),
		"quantile at level 0":         second(stats.CriticalT(5, 0)),
		"quantile at level 1":         second(stats.CriticalT(5, 1)),
		"quantile at no level":        second(stats.CriticalT(5, nan)),
		"power at level 2":            second(stats.PowerOfGateAt(10, 1, 1, 0, 2)),
		"power of no sd":              second(stats.PowerOfGateAt(10, nan, 1, 0, 0.05)),
		"drop at the level's power":   second(stats.DetectableDropAt(10, 1, 0, 0.025, 0.05)),
		"drop at power 1":             second(stats.DetectableDropAt(10, 1, 0, 1, 0.05)),
		"needed where drop is margin": secondInt(stats.NeededNAt(1, 0.1, 0.1, 0.8, 0.05)),
		"needed where it is too near": secondInt(stats.NeededNAt(1, 0.1, 0.1+1e-9, 0.8, 0.05)),
		"flips beyond the most":       second(stats.PowerOfGateFlipsAt(stats.MostGateFlips+1, 0.1, 0.1, 0, 0.05)),
		"flips of no margin":          second(stats.DetectableGateFlips(50, 0.1, nan, 0.8, 0.05)),
		"flips of chances above 1":    second(stats.DetectableGateFlips(50, 0.6, 0, 0.8, 0.05)),
		"flips of a margin above all": second(stats.DetectableGateFlips(50, 0.1, 0.95, 0.8, 0.05)),
		"share of none":               second(stats.DetectableShare(0, 0.5, 0.8, 0.05)),
		"share below 0":               second(stats.DetectableShare(50, 0, 0.8, 0.05)),
		"share of no threshold":       second(stats.DetectableShare(50, nan, 0.8, 0.05)),
		"needed of equal shares":      secondInt(stats.NeededForShare(0.5, 0.5, 0.8, 0.05)),
		"needed of no share":          secondInt(stats.NeededForShare(nan, 0.5, 0.8, 0.05)),
		"needed of near shares":       secondInt(stats.NeededForShare(0.5, 0.5001, 0.8, 0.05)),
	} {
		if ok {
			t.Errorf("%s: there is a figure", name)
		}
	}
	if v := stats.TwoSidedT(1, 0); !math.IsNaN(v) {
		t.Errorf("the tail of no degrees is %v", v)
	}
	if v := stats.TwoSidedT(nan, 5); !math.IsNaN(v) {
		t.Errorf("the tail of no number is %v", v)
	}
	// Fleiss' formula by hand: ((1.96·√0.16 + 0.8416·√0.1275)/0.05)² = 470.4…; all of 4 are above one half.
	for _, c := range []struct {
		share, threshold float64
		n                int
	}{{0.85, 0.8, 471}, {1, 0.5, 4}, {0, 0.5, 4}} {
		if n, ok := stats.NeededForShare(c.share, c.threshold, 0.8, 0.05); n != c.n || !ok {
			t.Errorf("%v against %v needs %d", c.share, c.threshold, n)
		}
	}
}

func second(_ float64, ok bool) bool { return ok }

func secondInt(_ int, ok bool) bool { return ok }

func TestQuantilesGiveTheirLevelBack(t *testing.T) {
	t.Parallel()
	for _, df := range []int{1, 2, 3, 4, 7, 30, 61, 100, 1000, 20_000, 1_000_000} {
		for _, level := range []float64{1e-6, 1e-5, 1e-3, 0.00625, 0.0499, 0.05, 0.2, 0.5, 0.9, 0.99} {
			q, ok := stats.CriticalT(float64(df), level)
			if got := stats.TwoSidedT(q, float64(df)); !ok || math.Abs(got/level-1) > 1e-6 {
				t.Errorf("%d degrees of freedom: %v is exceeded in %v, not %v", df, q, got, level)
			}
		}
	}
}
