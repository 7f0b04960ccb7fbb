package stats_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/testkit"
)

func TestTheCodeHasNoFusedProducts(t *testing.T) {
	t.Parallel()
	testkit.NoFusedProducts(t, 50)
}

// figures writes one line of every kind of figure, to the last bit. The inputs are drawn from a fixed seed.
func figures() []byte {
	var out bytes.Buffer
	line := func(name string, values ...float64) {
		fmt.Fprint(&out, name)
		for _, v := range values {
			fmt.Fprintf(&out, " %016x", math.Float64bits(v))
		}
		fmt.Fprintln(&out)
	}
	estimate := func(name string, e stats.Estimate) { line(name, e.Mean, e.CI95.Low, e.CI95.High) }
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{3, 17, 60, 400} {
		values, diffs, clusters, right := make([]float64, n), make([]float64, n), make([]int, n), make([]bool, n)
		for i := range values {
			values[i] = float64(r.Uint64()%1_000_001) / 1e6
			diffs[i] = float64(int64(r.Uint64()%2_000_001)-1_000_000) / 3e6
			clusters[i] = int(r.Uint64() % uint64(n/2+2))
			right[i] = r.Uint64()%3 > 0
		}
		estimate("mean", stats.Mean(values, 0, 1))
		estimate("clustered", stats.MeanByCluster(values, clusters, 0, 1))
		estimate("share", stats.Share(n/3, n))
		estimate("exact share", stats.ExactShare(n/3, n))
		guard := stats.Guard([]stats.Stratum{{Weight: 1, Values: diffs, Clusters: clusters}, {Weight: 2, Values: diffs}}, -1, 1)
		line("guarded", guard.Mean, guard.Center, guard.SE, guard.DF, guard.CI95.Low, guard.CI95.High)
		line("hidden", stats.Hidden(n, 0.05), stats.TwoSidedBinomial(n/3, n, 0.4))
		estimate("percentile", stats.BootstrapPercentile(values, clusters, 500, r))
		estimate("BCa", stats.BootstrapBCa(values, nil, 500, r))
		e, test := stats.PairedT(diffs)
		estimate("paired", e)
		line("tests", test.Statistic, test.P, stats.SignFlip(diffs, 999, r).P, stats.SignFlipByCluster(diffs, clusters, 999, r).P)
		f := stats.McNemar(n/3, n/2)
		line("flips", f.TwoSided, f.Worse, f.Better, f.MidTwoSided, f.MidWorse, f.MidBetter)
		line("holm", stats.Holm(values[:3])...)
		gate, _ := stats.PowerOfGate(n, 0.4, 0.1, 0.02)
		pass, _ := stats.ChanceOfPass(n, 0.4, 0.01, 0.02)
		paired, _ := stats.PowerPairedT(n, 0.4, 0.1, 0.02)
		drop, _ := stats.DetectableDrop(n, 0.4, 0.02, 0.8)
		flips, _ := stats.DetectableFlips(n, 0.05, 0.8)
		mcnemar, _ := stats.PowerOfMcNemar(n, 0.05, 0.15)
		exact, _ := stats.PowerOfGateFlips(n, 0.05, 0.15, 0.02)
		alarm, _ := stats.FalseAlarm(n, 0.05, 0.02)
		unpaired, _ := stats.DetectableUnpaired(n, 0.85)
		needed, _ := stats.NeededN(0.4, 0.1+float64(n)/1000, 0.02, 0.8)
		line("power", gate, pass, paired, drop, flips, mcnemar, exact, alarm, unpaired, float64(needed))
		c, _ := stats.Calibrate(values, right, 7, stats.EqualMass)
		curve, _ := stats.Cover(values, right)
		line("calibration", c.Brier, c.ECE, c.Bins[3].Confidence, c.Bins[3].High, curve.Area, curve.Best)
		table := stats.NewConfusion([]string{"0", "1", "2"})
		for i := range clusters {
			table.Add(fmt.Sprint(clusters[i]%3), fmt.Sprint(clusters[n-1-i]%3))
		}
		line("agreement", table.Accuracy(), table.MacroF1(), table.WeightedKappa(3))
	}
	for df := 1; df < 1<<30; df = df*5/4 + 1 {
		line("student", float64(df), stats.StudentT975(df), stats.StudentTails(1.7, float64(df)), stats.Beyond(df+1, 1/math.Sqrt(float64(df))))
	}
	// These are all quantiles that there are but for those made of sums and quotients alone.
	h := sha256.New()
	for df := 1; df <= 1000; df++ {
		_, _ = fmt.Fprintf(h, "%016x\n", math.Float64bits(stats.StudentT975(df)))
	}
	fmt.Fprintf(&out, "quantiles %x\n", h.Sum(nil))
	return out.Bytes()
}

// The golden was written on amd64; the test passes on arm64 too (qemu-aarch64-static runs the test binary).
func TestFiguresHaveTheSameBitsEverywhere(t *testing.T) {
	t.Parallel()
	testkit.Golden(t, "testdata/bits.golden", figures())
}
