package compare

import (
	"fmt"
	"math"
	"sort"

	"github.com/triagebench/triage/pkg/stats"
)

// figure is what a gate is held against, with what is known of how it varies. The zero value is no figure.
type figure struct {
	value    float64
	interval *stats.Interval
	// se is the standard error with df degrees of freedom; 0 where the figure does not vary, or where nothing is known of that.
	se float64
	df int
	// n is how many tickets or episodes there are, by units, and independent how many of them, or of scenarios, vary on their own.
	n           int
	units       string
	independent int
	exact       string // why the figure is exact, or empty
	settled     bool   // an exact figure is no matter of chance
	reason      string // why there is no interval
	lost        bool   // new has no such figure any more, as all of it broke
	share       bool   // of 0s and 1s, with Wilson's interval
	// Of tickets that pass or fail: the shares that rose and fell, and how many times wider than of single tickets the variance is.
	flips      bool
	rose, fell float64
	design     float64
	warnings   []string
}

// turned is the figure with the other sign.
func (f figure) turned() figure {
	f.value = 0 - f.value
	if f.interval != nil {
		f.interval = &stats.Interval{Low: 0 - f.interval.High, High: 0 - f.interval.Low}
	}
	f.rose, f.fell = f.fell, f.rose
	return f
}

// against is the two-sided P of "the figure is the margin": NaN where there is no test, 0 where the figure is exact.
func (f *figure) against(margin float64) float64 {
	switch {
	case f.exact != "":
		return 0
	case f.share:
		return stats.TwoSidedNormal((f.value - margin) / math.Sqrt(float64(margin*(1-margin))/float64(f.n)))
	case f.interval == nil || f.se == 0:
		return math.NaN()
	}
	return stats.TwoSidedT((f.value-margin)/f.se, f.df)
}

// beyond tells whether the interval does not hold the margin.
func (f *figure) beyond(margin float64) bool {
	return f.interval != nil && (f.interval.High < margin || f.interval.Low > margin)
}

// ofDeltas is the mean of the differences of one task.
func ofDeltas(t *TaskComparison) figure {
	clusters := t.ClusterOf
	f := figure{n: len(t.Deltas), units: unitsOf(t), design: 1}
	if clusters != nil && distinct(clusters) < 2 {
		clusters = nil
	}
	e, test := stats.PairedT(t.Deltas)
	alone := e.CI95
	if clusters != nil {
		e, test = stats.PairedByCluster(t.Deltas, clusters)
	}
	f.value, f.interval, f.independent, f.warnings = e.Mean, e.CI95, test.N, e.Warnings
	if e.CI95 == nil {
		f.reason, f.warnings = test.Reason, nil
		return f
	}
	if test.Reason != "" {
		f.interval, f.warnings = nil, nil
		f.exact = fmt.Sprintf("all %s %s differ by the same", whole(f.n), f.units)
		if f.value == 0 {
			f.exact = fmt.Sprintf("none of %s %s has another score", whole(f.n), f.units)
		}
		return f
	}
	f.df = test.N - 1
	f.se = (e.CI95.High - e.CI95.Low) / 2 / stats.StudentT975(f.df)
	f.flips = true
	for _, d := range t.Deltas {
		switch d {
		case 1:
			f.rose += 1 / float64(f.n)
		case -1:
			f.fell += 1 / float64(f.n)
		case 0:
		default:
			f.flips = false
		}
	}
	if clusters != nil && alone != nil && alone.High > alone.Low {
		single := (alone.High - alone.Low) / 2 / stats.StudentT975(f.n-1)
		f.design = float64(f.se*f.se) / float64(single*single)
	}
	return f
}

// ofDifference is a difference of which no more than mean and interval is known. degrees are the degrees of freedom where it does
// not tell them, 0 for one less than there are units.
func ofDifference(d *Difference, units string, degrees int) figure {
	f := figure{value: d.Delta.Mean, interval: d.Delta.CI95, n: d.Delta.N, units: units, se: d.SE, df: int(d.DF), warnings: d.Delta.Warnings, design: 1}
	if f.interval == nil {
		f.reason, f.warnings = d.Reason, nil
		if f.reason == "" && len(d.Delta.Warnings) > 0 {
			f.reason = d.Delta.Warnings[0]
		}
		return f
	}
	half := float64((f.interval.High - f.interval.Low) / 2)
	if half <= tiny {
		f.interval, f.warnings = nil, nil
		f.independent = f.n
		f.exact = fmt.Sprintf("all %s %s differ by the same", whole(f.n), units)
		if math.Abs(f.value) <= tiny {
			f.value = 0
			f.exact = fmt.Sprintf("none of %s %s differs", whole(f.n), units)
		}
		return f
	}
	if f.se <= 0 || f.df < 1 {
		if f.df = degrees; degrees < 1 {
			f.df = max(1, f.n-1)
		}
		f.se = half / stats.StudentT975(f.df)
	}
	f.independent = f.df + 1
	return f
}

// passes takes the figure for one of tickets that pass or fail, of which as many flip as give the variance.
func (f *figure) passes() {
	if f.se == 0 || f.n < 2 {
		return
	}
	flipped := float64(f.se*f.se*float64(f.n-1)) + float64(f.value*f.value)
	f.flips, f.rose, f.fell = true, max(0, (flipped+f.value)/2), max(0, (flipped-f.value)/2)
}

// tiny is what figures may be off by rounding.
const tiny = 1e-12

// ofStrata is the weighted mean of the means of several tasks. All values are within -1 and 1.
func ofStrata(strata []stats.Stratum, units string) figure {
	// The mean is moved away from 0, so that the test of "it is 0" tells the standard error.
	const away = 2
	moved := make([]stats.Stratum, len(strata))
	f := figure{units: units, design: 1}
	for i, s := range strata {
		moved[i] = s
		moved[i].Values = make([]float64, len(s.Values))
		for k, v := range s.Values {
			moved[i].Values[k] = v + away
		}
		f.n += len(s.Values)
	}
	e, test := stats.Stratified(moved, math.Inf(-1), math.Inf(1))
	f.value, f.independent, f.warnings = weightedMean(strata), test.N, e.Warnings
	switch {
	case e.CI95 == nil:
		f.reason, f.warnings = test.Reason, nil
		return f
	case test.Reason != "" || test.Statistic == 0:
		f.warnings = nil
		f.exact = fmt.Sprintf("nothing varies over %s %s", whole(f.n), units)
		return f
	}
	half := float64((e.CI95.High - e.CI95.Low) / 2)
	f.interval = &stats.Interval{Low: f.value - half, High: f.value + half}
	f.se = e.Mean / test.Statistic
	f.df = degrees(half / f.se)
	f.independent = f.df + 1
	return f
}

func weightedMean(strata []stats.Stratum) float64 {
	sum, whole := 0.0, 0.0
	for _, s := range strata {
		mean := 0.0
		for _, v := range s.Values {
			mean += v
		}
		sum += float64(s.Weight * mean / float64(len(s.Values)))
		whole += s.Weight
	}
	return sum / whole
}

// degrees are the degrees of freedom of which Student's t has a 97.5 % quantile.
func degrees(quantile float64) int {
	const most = 1_000_000
	return 1 + sort.Search(most-1, func(i int) bool { return stats.StudentT975(i+1) <= quantile*(1+1e-9) })
}

// joined is the weighted mean of figures that are taken for independent: where a mean and an interval are all that is known.
func joined(figures []figure, weights []float64) figure {
	out := figure{design: 1, units: figures[0].units}
	variance, below, whole, exact := 0.0, 0.0, 0.0, ""
	for _, w := range weights {
		whole += w
	}
	for i := range figures {
		f := &figures[i]
		w := weights[i] / whole
		out.n += f.n
		out.value += float64(w * f.value)
		switch {
		case f.exact != "":
			exact = f.exact
		case f.se == 0:
			out.reason = f.reason
		default:
			part := float64(w * w * f.se * f.se)
			variance += part
			below += float64(part*part) / float64(f.df)
		}
	}
	switch {
	case out.reason != "" || math.IsNaN(out.value):
		return out
	case variance == 0:
		out.exact, out.independent = exact, out.n
		if out.value == 0 {
			out.exact = fmt.Sprintf("none of %d %s differs", out.n, out.units)
		}
		return out
	}
	// Satterthwaite's degrees of freedom, rounded down.
	out.se, out.df = math.Sqrt(variance), max(1, int(float64(variance*variance)/below+1e-9))
	out.independent = out.df + 1
	out.widen(1)
	return out
}

// widen makes the standard error so many times larger, and the interval that of it.
func (f *figure) widen(times float64) {
	f.se *= times
	half := float64(stats.StudentT975(f.df) * f.se)
	f.interval = &stats.Interval{Low: f.value - half, High: f.value + half}
}
