package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/stats"
)

// samples draws values that are multiples of 1/1024, whose sums are exact, with the numbers of their clusters.
func samples(t *rapid.T, least, most int) (values []float64, clusters []int) {
	n := rapid.IntRange(least, most).Draw(t, "n")
	for range n {
		values = append(values, float64(rapid.IntRange(-1024, 1024).Draw(t, "value"))/1024)
		clusters = append(clusters, rapid.IntRange(0, 8).Draw(t, "cluster"))
	}
	return values, clusters
}

func shuffled[T any](list []T, order []int) []T {
	out := make([]T, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

func source() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// everything is all estimates and tests of one sample.
func everything(values []float64, clusters []int) (estimates []stats.Estimate, tests []stats.Test) {
	a, b := stats.PairedT(values)
	c, d := stats.PairedByCluster(values, clusters)
	return []stats.Estimate{a, c, stats.BootstrapPercentile(values, nil, 200, source()), stats.BootstrapBCa(values, nil, 200, source()),
			stats.BootstrapPercentile(values, clusters, 200, source()), stats.BootstrapBCa(values, clusters, 200, source())},
		[]stats.Test{b, d, stats.SignFlip(values, 200, source()), stats.SignFlipByCluster(values, clusters, 200, source())}
}

func TestNeitherOrderNorNamesOfClustersMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values, clusters := samples(t, 0, 30)
		order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range values {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "order")
		renamed := shuffled(clusters, order)
		for i := range renamed {
			renamed[i] = 100 - 7*renamed[i]
		}
		e, tests := everything(values, clusters)
		f, others := everything(shuffled(values, order), renamed)
		if d := cmp.Diff(e[1:], f[1:], cmpNaN); d != "" { // exactly, but for the plain mean, which sums in the order given
			t.Fatalf("(-first +shuffled):\n%s", d)
		}
		if d := cmp.Diff([]any{e[0], tests}, []any{f[0], others}, approx); d != "" {
			t.Fatalf("(-first +shuffled):\n%s", d)
		}
	})
}

var cmpNaN = cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })

func TestEstimatesHoldTheirMeanAndMoveWithTheScale(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values, clusters := samples(t, 1, 30)
		scale := math.Ldexp(float64(rapid.SampledFrom([]int{1, -1}).Draw(t, "sign")), rapid.IntRange(-3, 3).Draw(t, "scale"))
		shift := float64(rapid.IntRange(-8, 8).Draw(t, "shift"))
		moved := make([]float64, len(values))
		for i, v := range values {
			moved[i] = v*scale + shift
		}
		e, tests := everything(values, clusters)
		f, _ := everything(moved, clusters)
		for i := range e {
			a, b := e[i], f[i]
			if math.IsNaN(a.Mean) || math.Abs(a.Mean*scale+shift-b.Mean) > 1e-12 || (a.CI95 == nil) != (b.CI95 == nil) {
				t.Fatalf("estimate %d: %+v became %+v", i, a, b)
			}
			if a.CI95 == nil {
				continue
			}
			// Draws fall alike in a percentile interval too, yet BCa's may leave the mean out in a skewed sample.
			if i < 2 && (a.CI95.Low > a.Mean || a.CI95.High < a.Mean) || a.CI95.Low > a.CI95.High {
				t.Fatalf("estimate %d: %v is not within %v", i, a.Mean, *a.CI95)
			}
			low, high := a.CI95.Low*scale+shift, a.CI95.High*scale+shift
			if scale < 0 {
				low, high = high, low
			}
			// With the other sign other draws are the high ones, so only the t intervals keep their ends.
			if (scale > 0 && !clustered(i) || i < 2) && (math.Abs(low-b.CI95.Low) > 1e-9 || math.Abs(high-b.CI95.High) > 1e-9) {
				t.Fatalf("estimate %d: %v became %v", i, *a.CI95, *b.CI95)
			}
		}
		for i, x := range tests {
			if !(x.P > 0 || math.Abs(x.Statistic) > 100) || x.P > 1 {
				t.Fatalf("test %d: %+v", i, x)
			}
		}
	})
}

// clustered says which of everything draws clusters: shifted sums of clusters of unequal size have another order.
func clustered(i int) bool { return i >= 4 }

func TestClustersOfOneAreNoClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values, _ := samples(t, 2, 40)
		alone := make([]int, len(values))
		for i := range alone {
			alone[i] = i
		}
		a, b := stats.PairedT(values)
		c, d := stats.PairedByCluster(values, alone)
		if diff := cmp.Diff([]any{a.Mean, *a.CI95, b.P}, []any{c.Mean, *c.CI95, d.P}, approx); diff != "" {
			t.Fatalf("(-plain +clustered):\n%s", diff)
		}
	})
}

func TestSignFlipsOfOnesAreMcNemar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fixed, broken := rapid.IntRange(0, 10).Draw(t, "fixed"), rapid.IntRange(0, 10).Draw(t, "broken")
		diffs := make([]float64, 5, 25)
		for range fixed {
			diffs = append(diffs, 1)
		}
		for range broken {
			diffs = append(diffs, -1)
		}
		f := stats.McNemar(fixed, broken)
		if got := stats.SignFlip(diffs, 0, nil).P; math.Abs(got-f.TwoSided) > 1e-12 {
			t.Fatalf("%v, McNemar %+v", got, f)
		}
		back := stats.McNemar(broken, fixed)
		if d := cmp.Diff([]float64{f.TwoSided, f.Worse, f.MidBetter}, []float64{back.TwoSided, back.Better, back.MidWorse}); d != "" {
			t.Fatalf("the other way round: %s", d)
		}
		// One of the one-sided tests counts the split itself in both directions.
		if n := fixed + broken; n > 0 && (f.Worse+f.Better < 1 || math.Abs(f.MidWorse+f.MidBetter-1) > 1e-12 || f.MidTwoSided > f.TwoSided) {
			t.Fatalf("%+v", f)
		}
	})
}

func TestDrawnSignFlipsAreTheExactOnesWithinTheirError(t *testing.T) {
	t.Parallel()
	// Zeros are left out of the count, so tiny differences make 21 of 12 and force draws, and change P by as good as nothing.
	r := source()
	for i := range 20 {
		diffs := make([]float64, 12)
		for j := range diffs {
			diffs[j] = float64(int64(r.Uint64()%2001)-1000)/1000 + 0.1
		}
		exact := stats.SignFlip(diffs, 0, nil)
		for range 9 {
			diffs = append(diffs, 1e-9)
		}
		const draws = 20_000
		drawn := stats.SignFlip(diffs, draws, r)
		if bound := 5 * math.Sqrt(exact.P*(1-exact.P)/draws); math.Abs(exact.P-drawn.P) > bound+0.001 || len(drawn.Warnings) != 1 {
			t.Errorf("sample %d: exact %v, drawn %v %v", i, exact.P, drawn.P, drawn.Warnings)
		}
	}
}

func TestHolmIsBetweenPlainAndBonferroniAndKeepsTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "p")
		out := stats.Holm(p)
		for i := range p {
			if out[i] < p[i] || out[i] > min(1, p[i]*float64(len(p))) {
				t.Fatalf("%v became %v", p, out)
			}
			for j := range p {
				if p[i] < p[j] && out[i] > out[j] {
					t.Fatalf("%v became %v", p, out)
				}
			}
		}
	})
}

func TestPowerGrowsWithPairsAndDropAndAgreesWithItsInverses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3000).Draw(t, "n")
		sd := rapid.Float64Range(0.05, 1).Draw(t, "sd")
		margin := rapid.Float64Range(0, 0.1).Draw(t, "margin")
		drop, ok := stats.DetectableDrop(n, sd, margin, 0.8)
		power, okPower := stats.PowerOfGate(n, sd, drop, margin)
		if !ok || !okPower || math.Abs(power-0.8) > 1e-7 {
			t.Fatalf("%d pairs, sd %v, margin %v: drop %v has the power %v", n, sd, margin, drop, power)
		}
		more, _ := stats.PowerOfGate(n+1, sd, drop, margin)
		larger, _ := stats.PowerOfGate(n, sd, drop+0.01, margin)
		if more <= power || larger <= power {
			t.Fatalf("power %v, one pair more %v, a larger drop %v", power, more, larger)
		}
		pass, _ := stats.ChanceOfPass(n, sd, drop, margin)
		if pass+power > 1 || pass > 0.025 {
			t.Fatalf("power %v, chance of a pass %v", power, pass)
		}
		// What is needed to see a drop is what sees it, and one pair less does not.
		drop = margin + rapid.Float64Range(0.01, 0.3).Draw(t, "excess")
		needed, ok := stats.NeededN(sd, drop, margin, 0.8)
		power, _ = stats.PowerOfGate(needed, sd, drop, margin)
		less, _ := stats.PowerOfGate(needed-1, sd, drop, margin)
		if !ok || power < 0.8 || needed > 2 && less >= 0.8 {
			t.Fatalf("needed %d: power %v, with one less %v", needed, power, less)
		}
		if back, _ := stats.NeededN(sd, margin-(drop-margin), margin, 0.8); back < needed-1 || back > needed+1 {
			t.Fatalf("to find a regression %d, to pass as far from the margin %d", needed, back)
		}
	})
}

func TestCalibrationKeepsItsBoundsInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		confidences, right, order := make([]float64, n), make([]bool, n), make([]int, n)
		for i := range n {
			confidences[i] = float64(rapid.IntRange(0, 16).Draw(t, "confidence")) / 16
			right[i], order[i] = rapid.Bool().Draw(t, "right"), i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		bins := rapid.IntRange(1, 12).Draw(t, "bins")
		for _, edges := range []stats.Edges{stats.EqualWidth, stats.EqualMass} {
			a, err := stats.Calibrate(confidences, right, bins, edges)
			b, errB := stats.Calibrate(shuffled(confidences, order), shuffled(right, order), bins, edges)
			if d := cmp.Diff(a, b); d != "" || err != nil || errB != nil {
				t.Fatalf("%v %v (-first +shuffled):\n%s", err, errB, d)
			}
			total := 0
			for i, bin := range a.Bins {
				total += bin.N
				if bin.N > 0 && (bin.Confidence > bin.High || bin.Confidence < bin.Low || i > 0 && bin.Low != a.Bins[i-1].High) {
					t.Fatalf("bin %d: %+v", i, bin)
				}
			}
			if total != n || a.Brier < 0 || a.Brier > 1 || a.ECE < 0 || a.ECE > 1 || a.ECE*a.ECE > a.Brier+1e-12 {
				t.Fatalf("%d answers: %+v", n, a)
			}
		}
		c, err := stats.Cover(confidences, right)
		d, _ := stats.Cover(shuffled(confidences, order), shuffled(right, order))
		if diff := cmp.Diff(c, d); diff != "" || err != nil || c.Area > c.Best+1e-12 || c.Area < 0 || c.Points[len(c.Points)-1].Right != c.Chance {
			t.Fatalf("%v %+v (-first +shuffled):\n%s", err, c, diff)
		}
	})
}
