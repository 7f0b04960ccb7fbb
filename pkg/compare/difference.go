package compare

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/triagebench/triage/pkg/stats"
)

// The patterns of signs that are drawn where there are too many to try all: so many, and fewer where pairs are many, so that it
// stays cheap; below the least none are.
const (
	mostDraws  = 9999
	leastDraws = 999
	cheap      = 20_000_000 // signs in all
)

// signs makes the generator for the drawn patterns: the same for every comparison, so that one has one result.
func signs() *rand.Rand { return rand.New(rand.NewPCG(0x7472696167650001, 7)) }

// draws is how many patterns are drawn for so many differences, or clusters of them.
func draws(deltas []float64, clusters []int) int {
	n := len(deltas)
	if clusters != nil {
		n = distinct(clusters)
	}
	if d := min(mostDraws, cheap/max(n, 1)); d >= leastDraws {
		return d
	}
	return 0
}

// values are those of one side.
func values(list []*unit, of func(*unit) float64) []float64 {
	out := make([]float64, len(list))
	for i, u := range list {
		out[i] = of(u)
	}
	return out
}

// deltas are new − base of each pair.
func (a *aligned) deltas(of func(*unit) float64) []float64 {
	out := make([]float64, len(a.base))
	for i := range out {
		out[i] = of(a.new[i]) - of(a.base[i])
	}
	return out
}

func meanOf(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list)) // NaN for nothing
}

// difference holds one figure of the two sides against each other.
func (a *aligned) difference(metric string, of func(*unit) float64) Difference {
	d := Difference{Metric: metric, Paired: a.paired, Holm: math.NaN(), P: math.NaN()}
	base, new := values(a.base, of), values(a.new, of)
	d.Base, d.New = meanOf(base), meanOf(new)
	var t stats.Test
	if !a.paired {
		d.Strata = []stats.Stratum{{Weight: 1, Values: new, Clusters: a.against, Against: base, AgainstClusters: a.clusters}}
		d.Delta, t = stats.Unpaired(base, new, a.clusters, a.against)
		d.take(t)
		return d
	}
	deltas := a.deltas(of)
	d.Strata = []stats.Stratum{{Weight: 1, Values: deltas, Clusters: a.clusters}}
	if a.clusters == nil {
		d.Delta, t = stats.PairedT(deltas)
	} else {
		d.Delta, t = stats.PairedByCluster(deltas, a.clusters)
	}
	d.take(t)
	if d.constant() {
		d.bySigns(stats.SignFlipByCluster(deltas, a.clusters, draws(deltas, a.clusters), signs()))
	}
	return d
}

// take takes the P of a test. Where nothing differs it is 1; where there is no other test there is none.
func (d *Difference) take(t stats.Test) {
	d.Reason = t.Reason
	if ci := d.Delta.CI95; ci != nil {
		d.SE, d.DF = t.SE, t.DF
		d.Delta.CI95 = &stats.Interval{Low: max(ci.Low, -1), High: min(ci.High, 1)} // no figure can change by more
	}
	if t.Reason == "" || d.unmoved() {
		d.P = t.P
	}
}

// unmoved tells that there are two values or more and none differs.
func (d *Difference) unmoved() bool {
	return d.Delta.CI95 != nil && d.Delta.Mean == 0 && d.Delta.CI95.Low == 0 && d.Delta.CI95.High == 0
}

// constant tells that all pairs differ by the same.
func (d *Difference) constant() bool {
	return d.Reason != "" && d.Delta.CI95 != nil && d.Delta.Mean != 0
}

// bySigns takes the P of a sign-flip test for one that the t test does not have.
func (d *Difference) bySigns(t stats.Test) {
	if t.Reason != "" {
		return
	}
	d.P, d.Reason = t.P, ""
	d.Delta.Warnings = append(d.Delta.Warnings, "p is that of the sign flips, as the differences do not vary")
}

// level is where a P counts as a find.
const level = 0.05

// Between these P of the t test a second test may come out on the other side of 5 %. So may it where few pairs differ: fewer than
// six cannot have a sign-flip P below it.
const (
	surelyBelow, surelyAbove = 0.005, 0.2
	fewDiffer                = 8
)

// doubt tests a score a second time, by sign flips, and warns where the two tests disagree.
func (a *aligned) doubt(d *Difference, deltas []float64) []string {
	if d.Reason != "" || math.IsNaN(d.P) || draws(deltas, a.clusters) == 0 {
		return nil
	}
	moved := 0
	for _, v := range deltas {
		if v != 0 {
			moved++
		}
	}
	if moved >= fewDiffer && (d.P < surelyBelow || d.P > surelyAbove) {
		return nil
	}
	t := stats.SignFlipByCluster(deltas, a.clusters, draws(deltas, a.clusters), signs())
	if t.Reason != "" || (t.P < level) == (d.P < level) {
		return nil
	}
	return []string{fmt.Sprintf("the t test has p %.3g, the sign flips %.3g: they disagree about 5 %%, so take it for neither", d.P, t.P)}
}

// flips counts what only one side has right.
func (a *aligned) flips() Flips {
	var f Flips
	for i := range a.base {
		b, n := a.base[i].right, a.new[i].right
		switch {
		case b == 0.5 || n == 0.5:
			f.Undecided++
		case b < 0.5 && n > 0.5:
			f.Fixed++
		case b > 0.5 && n < 0.5:
			f.Broken++
		case b > 0.5:
			f.BothRight++
		default:
			f.BothWrong++
		}
	}
	f.Test = stats.McNemar(f.Fixed, f.Broken)
	f.P, f.By = f.Test.TwoSided, ByMcNemar
	if a.clusters == nil || distinct(a.clusters) == len(a.clusters) {
		return f
	}
	signed := make([]float64, len(a.base))
	for i := range signed {
		switch b, n := a.base[i].right, a.new[i].right; {
		case b < 0.5 && n > 0.5:
			signed[i] = 1
		case b > 0.5 && n < 0.5:
			signed[i] = -1
		}
	}
	if t := stats.SignFlipByCluster(signed, a.clusters, draws(signed, a.clusters), signs()); t.Reason == "" || t.N == 0 {
		f.P, f.By = t.P, ByScenarios
	}
	return f
}
