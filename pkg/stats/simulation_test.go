package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/triagebench/triage/pkg/stats"
)

// share counts how often something holds in runs that are drawn one after the other.
func share(runs int, r *rand.Rand, holds func(r *rand.Rand) bool) float64 {
	n := 0
	for range runs {
		if holds(r) {
			n++
		}
	}
	return float64(n) / float64(runs)
}

func covers(e stats.Estimate, truth float64) bool {
	return e.CI95 != nil && e.CI95.Low <= truth && truth <= e.CI95.High
}

// lesson B34: intervals that take the tickets of a scenario for independent claim more than they know.
func TestClusteredIntervalsCoverWhereNaiveOnesDoNot(t *testing.T) {
	t.Parallel()
	var values []float64
	var clusters []int
	draw := func(r *rand.Rand) {
		values, clusters = values[:0], clusters[:0]
		for c := range 30 {
			middle := 0.3 * r.NormFloat64()
			for range 2 + c%8 {
				values, clusters = append(values, middle+0.3*r.NormFloat64()), append(clusters, c)
			}
		}
	}
	clustered := share(2000, source(), func(r *rand.Rand) bool {
		draw(r)
		return covers(stats.MeanByCluster(values, clusters, -9, 9), 0)
	})
	naive := share(2000, source(), func(r *rand.Rand) bool {
		draw(r)
		return covers(stats.Mean(values, -9, 9), 0)
	})
	if clustered < 0.925 || naive > 0.8 {
		t.Errorf("of intervals at 95 %% clustered ones hold the mean in %v, naive ones in %v", clustered, naive)
	}
}

func TestBCaIntervalsCoverSkewedMeans(t *testing.T) {
	t.Parallel()
	values := make([]float64, 25)
	draws := source()
	cover := func(f func(values []float64, clusters []int, draws int, r *rand.Rand) stats.Estimate) float64 {
		return share(400, source(), func(r *rand.Rand) bool {
			for i := range values {
				values[i] = r.ExpFloat64()
			}
			return covers(f(values, nil, 1000, draws), 1)
		})
	}
	if bca, percentile := cover(stats.BootstrapBCa), cover(stats.BootstrapPercentile); bca < 0.89 || bca < percentile-0.005 {
		t.Errorf("of intervals at 95 %% of 25 skewed values BCa's hold the mean in %v, percentiles in %v", bca, percentile)
	}
}

// flipped fills in the differences of pairs that are fixed and broken by chance.
func flipped(diffs []float64, fixed, broken float64, r *rand.Rand) {
	for i := range diffs {
		switch u := r.Float64(); {
		case u < fixed:
			diffs[i] = 1
		case u < fixed+broken:
			diffs[i] = -1
		default:
			diffs[i] = 0
		}
	}
}

// The gate on a noisy agent, 5 % flips each way: of runs without a change at most 2.5 % are called a regression, where a plain
// tolerance of 2 points calls 16 %; a drop of 12 points is found in 85 % at n = 200; and the printed power is the simulated one.
// lessons B27, B29, B30
func TestTheGateKeepsItsPromises(t *testing.T) {
	t.Parallel()
	const margin, runs = 0.02, 1000
	for _, tt := range []struct {
		n         int
		drop      float64
		low, high float64
	}{{200, 0, 0, 0.025}, {200, 0.12, 0.85, 1}, {100, 0.12, 0, 1}, {100, 0.2, 0, 1}, {30, 0.3, 0, 1}} {
		diffs := make([]float64, tt.n)
		tolerance := 0
		got := share(runs, source(), func(r *rand.Rand) bool {
			flipped(diffs, 0.05, 0.05+tt.drop, r)
			e := stats.Guard([]stats.Stratum{{Weight: 1, Values: diffs}}, -1, 1)
			if e.Mean < -margin-1e-9 {
				tolerance++
			}
			return e.CI95 != nil && e.CI95.High < -margin
		})
		exact, _ := stats.PowerOfGateFlips(tt.n, 0.05, 0.05+tt.drop, margin)
		sd := math.Sqrt(0.1 + tt.drop - tt.drop*tt.drop)
		normal, _ := stats.PowerOfGate(tt.n, sd, tt.drop, margin)
		name := fmt.Sprintf("%d pairs with a drop of %v: simulated %v, exact %.4f, for normal differences %.4f", tt.n, tt.drop, got, exact, normal)
		if got < tt.low || got > tt.high || math.Abs(got-exact) > 0.03 {
			t.Error(name)
		}
		if math.Abs(normal-exact) > 0.03 && tt.n >= 100 {
			t.Errorf("%s: the two powers are more than 3 points apart", name)
		}
		if alarm, _ := stats.FalseAlarm(tt.n, 0.05, margin); tt.drop == 0 && math.Abs(float64(tolerance)/runs-alarm) > 0.03 {
			t.Errorf("a plain tolerance calls %d of %d, reckoned %v", tolerance, runs, alarm)
		}
	}
}

func TestPowersAreThoseOfSimulatedPairs(t *testing.T) {
	t.Parallel()
	diffs := make([]float64, 20)
	normal := func(mean float64) func(r *rand.Rand) {
		return func(r *rand.Rand) {
			for i := range diffs {
				diffs[i] = mean + 0.4*r.NormFloat64()
			}
		}
	}
	draw := normal(-0.25)
	got := share(2000, source(), func(r *rand.Rand) bool {
		draw(r)
		e, _ := stats.PairedT(diffs)
		return e.CI95.High < -0.05
	})
	want, _ := stats.PowerOfGate(len(diffs), 0.4, 0.25, 0.05)
	if math.Abs(got-want) > 0.04 {
		t.Errorf("power %v, simulated %v", want, got)
	}
	draw = normal(0.1)
	got = share(2000, source(), func(r *rand.Rand) bool {
		draw(r)
		e, _ := stats.PairedT(diffs)
		return e.CI95.Low > -0.05
	})
	want, _ = stats.ChanceOfPass(len(diffs), 0.4, -0.1, 0.05)
	if math.Abs(got-want) > 0.04 {
		t.Errorf("chance of a pass %v, simulated %v", want, got)
	}
}

func BenchmarkStudentT975(b *testing.B) {
	for _, df := range []int{29, 999, 19_999} {
		b.Run(fmt.Sprint(df), func(b *testing.B) {
			for b.Loop() {
				stats.StudentT975(df)
			}
		})
	}
}

func BenchmarkBootstrapBCa(b *testing.B) {
	values := make([]float64, 200)
	r := source()
	for i := range values {
		values[i] = r.Float64()
	}
	for b.Loop() {
		stats.BootstrapBCa(values, nil, 2000, r)
	}
}

func BenchmarkSignFlip(b *testing.B) {
	r := source()
	for _, n := range []int{20, 200} {
		diffs := make([]float64, n)
		for i := range diffs {
			diffs[i] = r.NormFloat64()
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				stats.SignFlip(diffs, 10_000, r)
			}
		})
	}
}

func BenchmarkPower(b *testing.B) {
	b.Run("gate", func(b *testing.B) {
		for b.Loop() {
			stats.PowerOfGate(200, 0.45, 0.12, 0.02)
		}
	})
	b.Run("needed", func(b *testing.B) {
		for b.Loop() {
			stats.NeededN(0.45, 0, 0.02, 0.8)
		}
	})
	b.Run("flips", func(b *testing.B) {
		for b.Loop() {
			stats.DetectableFlips(1000, 0.05, 0.8)
		}
	})
}
