package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/stats"
)

func none(n int, reason string) stats.Estimate {
	return stats.Estimate{N: n, Mean: math.NaN(), Warnings: []string{reason}}
}

func flat(n int, mean, at float64, warnings ...string) stats.Estimate {
	return stats.Estimate{N: n, Mean: mean, CI95: &stats.Interval{Low: at, High: at}, Warnings: warnings}
}

// lessons B23, B24, B25: samples of nothing, of one and of no numbers have no figure, and a reason.
func TestWhatHasNoMeanHasAReason(t *testing.T) {
	t.Parallel()
	const noNumber = "a value is no number, or their sum is too large for one: there is no mean"
	const nothing = "no values: there is no mean"
	nan, inf := math.NaN(), math.Inf(1)
	all := func(sample []float64, clusters []int) []stats.Estimate {
		r := rand.New(rand.NewPCG(1, 2))
		return []stats.Estimate{stats.MeanByCluster(sample, clusters, 0, 1), stats.BootstrapPercentile(sample, clusters, 1000, r), stats.BootstrapBCa(sample, clusters, 1000, r)}
	}
	for _, tt := range []struct {
		name     string
		sample   []float64
		clusters []int
		want     stats.Estimate
	}{
		{"nothing", nil, nil, none(0, nothing)},
		{"NaN", []float64{0.5, nan}, nil, none(2, noNumber)},
		{"infinite", []float64{0.5, inf}, nil, none(2, noNumber)},
		{"opposite infinities", []float64{-inf, inf}, nil, none(2, noNumber)},
		{"too large", []float64{math.MaxFloat64, math.MaxFloat64}, nil, none(2, noNumber)},
		{"clusters of other values", []float64{1, 2}, []int{1}, none(2, "2 values and 1 clusters: each value needs one: there is no mean")},
	} {
		for i, got := range all(tt.sample, tt.clusters) {
			if d := cmp.Diff(tt.want, got, approx); d != "" {
				t.Errorf("%s, estimate %d (-want +got):\n%s", tt.name, i, d)
			}
		}
		if tt.clusters != nil {
			continue
		}
		e, test := stats.PairedT(tt.sample)
		if d := cmp.Diff([]any{tt.want, tt.want}, []any{e, stats.Mean(tt.sample, 0, 1)}, approx); d != "" || test.P != 1 || test.Reason == "" {
			t.Errorf("%s: %+v (-want +got):\n%s", tt.name, test, d)
		}
		if test := stats.SignFlip(tt.sample, 100, nil); test.P != 1 || test.Reason == "" {
			t.Errorf("%s: %+v", tt.name, test)
		}
	}
	if d := cmp.Diff(none(3, "4 of 3 is no share: there is no mean"), stats.Share(4, 3), approx); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(none(-1, "0 of -1 is no share: there is no mean"), stats.Share(0, -1), approx); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(none(5, noNumber), stats.MeanOfCounts([]float64{nan}, []int{5}, 0, 1), approx); d != "" {
		t.Error(d)
	}
}

func TestDoubtsTravelWithTheEstimate(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	one := stats.Estimate{N: 2, Mean: 0.5}
	skewed := append(make([]float64, 30), 1)
	warnings := func(e stats.Estimate) []string { return e.Warnings }
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"one cluster", warnings(stats.MeanByCluster([]float64{0.4, 0.6}, []int{7, 7}, 0, 1)), []string{"one cluster: there is no interval"}},
		{"few clusters, one large", warnings(stats.MeanByCluster([]float64{0.4, 0.6, 0.5, 0.1}, []int{7, 7, 7, 2}, 0, 1)),
			[]string{"2 clusters: the interval is rough", "one cluster has 3 of the 4 values: the interval is rough"}},
		{"one value", warnings(stats.BootstrapBCa([]float64{0.5}, nil, 1000, r)), []string{"one value: there is no interval"}},
		{"few draws", warnings(stats.BootstrapBCa([]float64{0.5, 0.6}, nil, 39, r)), []string{"39 draws are too few for an interval: at least 40 are needed"}},
		{"few values and draws", warnings(stats.BootstrapPercentile([]float64{1, 2, 3}, nil, 999, r)),
			[]string{"3 values: the interval is rough", "999 draws: the interval is rough, 1000 are usual"}},
		{"skewed", warnings(stats.BootstrapPercentile(skewed, nil, 2000, r)), []string{"the values are skewed (5.29): BCa is nearer"}},
		{"two pairs", func() []string { e, _ := stats.PairedT([]float64{0.1, 0.2}); return e.Warnings }(), []string{"2 values: the interval is rough"}},
		{"drawn signs", stats.SignFlip(append(make([]float64, 5), ramp(21)...), 999, r).Warnings, []string{"p is of 999 drawn patterns: it may be off by 0.002"}},
	} {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
	if d := cmp.Diff(one, stats.MeanByCluster([]float64{0.4, 0.6}, []int{7, 7}, 0, 1), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Warnings" }, cmp.Ignore())); d != "" {
		t.Error(d)
	}
}

// ramp is 1 to n.
func ramp(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out
}

// lesson B30: the same run twice has an interval without width and no find.
func TestARunComparedWithItselfHasNoDifference(t *testing.T) {
	t.Parallel()
	same := make([]float64, 3)
	e, test := stats.PairedT(same)
	if d := cmp.Diff([]any{flat(3, 0, 0, "3 differences do not vary: the interval has no width"), stats.Test{N: 3, P: 1, Reason: "no pair differs"}}, []any{e, test}); d != "" {
		t.Errorf("t (-want +got):\n%s", d)
	}
	e, test = stats.PairedByCluster(same, []int{1, 2, 2})
	if d := cmp.Diff([]any{flat(3, 0, 0, "2 clusters do not vary: the interval has no width", "one cluster has 2 of the 3 values: the interval is rough"),
		stats.Test{N: 2, P: 1, Reason: "no pair differs"}}, []any{e, test}); d != "" {
		t.Errorf("by cluster (-want +got):\n%s", d)
	}
	if d := cmp.Diff(stats.Test{P: 1, Reason: "no pair differs"}, stats.SignFlip(same, 100, nil)); d != "" {
		t.Errorf("signs (-want +got):\n%s", d)
	}
	if d := cmp.Diff(stats.Flips{TwoSided: 1, Worse: 1, Better: 1, MidTwoSided: 1, MidWorse: 1, MidBetter: 1}, stats.McNemar(0, -3)); d != "" {
		t.Errorf("flips (-want +got):\n%s", d)
	}
	// The same loss on every ticket is no noise, yet nothing says so.
	_, test = stats.PairedT([]float64{-0.1, -0.1, -0.1})
	if d := cmp.Diff(stats.Test{N: 3, P: 1, Reason: "the differences are all the same: nothing says how they vary"}, test); d != "" {
		t.Errorf("constant loss (-want +got):\n%s", d)
	}
	if test := stats.SignFlip(ramp(21), 0, nil); test.P != 1 || test.Reason != "21 differences have too many patterns to try all, and 0 are to be drawn" {
		t.Errorf("no draws: %+v", test)
	}
}

func TestTrialsOfATicketCountAsOne(t *testing.T) {
	t.Parallel()
	// Tickets 1 (trials 1, 0), 2 (1) and 3 (0) in scenarios 5, 5 and 6: means 0.5, 1, 0.
	got := stats.MeanNested([]float64{1, 0, 1, 0}, []int{1, 1, 2, 3}, []int{5, 5, 5, 6}, 0, 1)
	if d := cmp.Diff(stats.MeanByCluster([]float64{0.5, 1, 0}, []int{5, 5, 6}, 0, 1), got); d != "" || got.N != 3 || got.Mean != 0.5 {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(none(2, "unit 1 is in clusters 5 and 6: there is no mean"), stats.MeanNested([]float64{1, 0}, []int{1, 1}, []int{6, 5}, 0, 1), approx); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(none(2, "2 values, 1 units and 0 clusters: each value needs one: there is no mean"), stats.MeanNested([]float64{1, 0}, []int{1}, nil, 0, 1), approx); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	alone := stats.MeanNested([]float64{0.2, 0.4, 0.9}, []int{1, 2, 3}, nil, 0, 1)
	plain := stats.Mean([]float64{0.2, 0.4, 0.9}, 0, 1)
	if d := cmp.Diff([]any{plain.Mean, *plain.CI95}, []any{alone.Mean, *alone.CI95}, approx); d != "" {
		t.Errorf("units that stand alone (-Mean +MeanNested):\n%s", d)
	}
}

func TestThereIsNoPowerOfNonsense(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for name, f := range map[string]func() (float64, bool){
		"one pair":                 func() (float64, bool) { return stats.PowerOfGate(1, 1, 1, 0) },
		"no variation":             func() (float64, bool) { return stats.PowerOfGate(10, 0, 1, 0) },
		"sd is no number":          func() (float64, bool) { return stats.ChanceOfPass(10, nan, 1, 0) },
		"infinite drop":            func() (float64, bool) { return stats.ChanceOfPass(10, 1, inf, 0) },
		"effect is no number":      func() (float64, bool) { return stats.PowerPairedT(10, 1, nan, 0) },
		"size without bounds":      func() (float64, bool) { return stats.PowerPairedT(10, 1e-300, 1e300, 0) },
		"power of 1":               func() (float64, bool) { return stats.DetectableDrop(10, 1, 0, 1) },
		"power of the level":       func() (float64, bool) { return stats.DetectableDrop(10, 1, 0, 0.025) },
		"needed for no difference": func() (float64, bool) { n, ok := stats.NeededN(1, 0.02, 0.02, 0.8); return float64(n), ok },
		"needed beyond the most":   func() (float64, bool) { n, ok := stats.NeededN(1, 1e-9, 0, 0.8); return float64(n), ok },
		"no pairs":                 func() (float64, bool) { return stats.PowerOfMcNemar(0, 0, 0) },
		"chances above 1":          func() (float64, bool) { return stats.PowerOfMcNemar(10, 0.6, 0.6) },
		"chance is no number":      func() (float64, bool) { return stats.PowerOfMcNemar(10, nan, 0.1) },
		"never that often":         func() (float64, bool) { return stats.DetectableFlips(3, 0.1, 0.8) },
		"too many for exact":       func() (float64, bool) { return stats.PowerOfGateFlips(2001, 0.1, 0.1, 0) },
		"margin is no number":      func() (float64, bool) { return stats.PowerOfGateFlips(20, 0.1, 0.1, nan) },
		"tolerance is no number":   func() (float64, bool) { return stats.FalseAlarm(20, 0.1, nan) },
		"share above 1":            func() (float64, bool) { return stats.DetectableUnpaired(20, 1.1) },
	} {
		if v, ok := f(); ok || math.IsNaN(v) {
			t.Errorf("%s: %v, %v", name, v, ok)
		}
	}
	// A pair more or less than none is needed where the effect is huge; and nothing flips where nothing can.
	if n, ok := stats.NeededN(1e-6, 1, 0, 0.8); n != 2 || !ok {
		t.Errorf("huge effect: %d, %v", n, ok)
	}
	if v, ok := stats.PowerOfMcNemar(10, 0, 0); v != 0 || !ok {
		t.Errorf("nothing flips: %v, %v", v, ok)
	}
	if v, ok := stats.PowerOfMcNemar(10, 0, 1); v != 1 || !ok {
		t.Errorf("all break: %v, %v", v, ok)
	}
}

func TestCalibrationRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		confidences []float64
		right       []bool
		bins        int
		want        string
	}{
		{nil, nil, 5, "no answers: there is nothing to calibrate"},
		{[]float64{0.5}, nil, 5, "1 confidences and 0 answers: each answer needs one"},
		{[]float64{0.5, 1.5}, []bool{true, true}, 5, "confidence 1 is 1.5: it must be within 0..1"},
		{[]float64{math.NaN()}, []bool{true}, 5, "confidence 0 is NaN: it must be within 0..1"},
		{[]float64{0.5}, []bool{true}, 0, "0 bins: there must be 1 at least"},
	} {
		if _, err := stats.Calibrate(tt.confidences, tt.right, tt.bins, stats.EqualWidth); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if _, err := stats.Cover(nil, nil); err == nil {
		t.Error("no answers have a curve")
	}
	c, err := stats.Calibrate([]float64{1, 1, 1, 1}, []bool{true, false, true, true}, 2, stats.EqualMass)
	want := stats.Calibration{N: 4, Brier: 0.25, ECE: 0.25, Bins: []stats.Bin{{Low: 1, High: 1, N: 4, Confidence: 1, Right: 0.75}, {Low: 1, High: 1}},
		Warnings: []string{"4 answers in 2 bins: with so few the calibration error is a rough estimate, biased upwards", "every confidence is 1: they tell no answer from another"}}
	if d := cmp.Diff(want, c, approx); d != "" || err != nil {
		t.Errorf("one confidence: %v (-want +got):\n%s", err, d)
	}
	// By hand: the two surest are right and wrong, mixed (½, ½), the third right: (0.5 + 0.5 + 2/3)/3; best (1 + 1 + 2/3)/3.
	curve, err := stats.Cover([]float64{0.9, 0.9, 0.2}, []bool{true, false, true})
	wantCurve := stats.Coverage{Points: []stats.Point{{Confidence: 0.9, Coverage: 2. / 3, Right: 0.5, N: 2}, {Confidence: 0.2, Coverage: 1, Right: 2. / 3, N: 3}},
		Area: 5. / 9, Best: 8. / 9, Chance: 2. / 3}
	if d := cmp.Diff(wantCurve, curve, approx); d != "" || err != nil {
		t.Errorf("curve: %v (-want +got):\n%s", err, d)
	}
}

func TestHolmTakesWhatIsNoPForOne(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]float64{1, 0.03, 1, 0}, stats.Holm([]float64{math.NaN(), 0.01, 7, -1})); d != "" {
		t.Error(d)
	}
	if got := stats.Holm(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// 0.1 + 0.2 − 0.3 is 5.6e-17, and nothing in another order: neither is a difference, nor does it vary.
func TestWhatCancelsOutButForRoundingDoesNotVary(t *testing.T) {
	t.Parallel()
	clusters := []int{0, 0, 0, 1, 1, 1, 2, 2, 2}
	for name, diffs := range map[string][]float64{
		"there": {0.1, 0.2, -0.3, 0.1, -0.3, 0.2, 0, 0, 0},
		"back":  {-0.1, -0.2, 0.3, -0.1, 0.3, -0.2, 0, 0, 0},
	} {
		e, test := stats.PairedByCluster(diffs, clusters)
		if d := cmp.Diff(stats.Test{N: 3, P: 1, Reason: "no pair differs"}, test); d != "" || e.Mean != 0 || *e.CI95 != (stats.Interval{}) {
			t.Errorf("%s: mean %v, interval %v\n%s", name, e.Mean, e.CI95, d)
		}
	}
}
