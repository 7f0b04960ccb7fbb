package compare

import (
	"math"

	"github.com/triagebench/triage/pkg/stats"
)

// figure is what a gate is held against, with what is known of how it varies. The zero value is no figure.
type figure struct {
	value float64
	// interval is what decides, within low and high, between which the figure lies; alone is what it would be if all tickets were
	// independent. Both are nil where there is none: reason says why.
	interval, alone *stats.Interval
	low, high       float64
	reason          string
	// guard is the estimate that the interval is of, but for shares.
	guard stats.Guarded
	// n is how many tickets or episodes there are, by units, and independent how many of them, or of scenarios, vary on their own.
	n           int
	units       string
	independent int
	alike       string // why nothing varies, though it might, or empty
	exact       string // why the figure is no matter of chance, or empty
	lost        bool   // new has no such figure any more, as all of it broke
	share       *share
	moves       moves
	warnings    []string
}

// share is a figure of 0s and 1s.
type share struct {
	yes, n    int     // cases that are independent, and of these
	worth, df float64 // or how many independent ones they are worth, and the degrees of freedom; worth is 0 where they are independent
}

// moves is what is known of single differences.
type moves struct {
	// rose and fell are the mean squares of those that rose and fell: of tickets that pass or fail the shares that flip.
	rose, fell float64
	size       float64 // Σδ²/Σ|δ| of those that moved: how far a ticket goes that moves; 1 where none did
	flips      bool    // all are 1, 0 or −1, of one task, and independent
}

// turned is the figure with the other sign.
func (f figure) turned() figure {
	turn := func(i *stats.Interval) *stats.Interval {
		if i == nil {
			return nil
		}
		return &stats.Interval{Low: 0 - i.High, High: 0 - i.Low}
	}
	f.value, f.guard.Mean, f.guard.Center = 0-f.value, 0-f.guard.Mean, 0-f.guard.Center
	f.interval, f.alone = turn(f.interval), turn(f.alone)
	f.low, f.high = 0-f.high, 0-f.low
	f.moves.rose, f.moves.fell = f.moves.fell, f.moves.rose
	return f
}

// against is the two-sided P of "the figure is the gate's number": NaN where there is no test, 0 where the figure is exact.
func (f *figure) against(g Gate) float64 {
	margin := g.Number
	switch {
	case f.exact != "" || f.lost:
		return 0
	case f.alike != "":
		return f.hidden(g)
	case f.interval == nil:
		return math.NaN()
	case f.share != nil && f.share.worth == 0:
		return stats.TwoSidedBinomial(f.share.yes, f.share.n, margin)
	case f.share != nil:
		return stats.TwoSidedT((f.value-margin)/math.Sqrt(float64(margin*(1-margin))/f.share.worth), f.share.df)
	}
	return stats.TwoSidedT((f.guard.Center-margin)/f.guard.SE, f.guard.DF)
}

// hidden is the P of a figure of which nothing varies. On the wrong side of the margin that so many fall on one side by chance, 2·(1/2)^n;
// on the right side also that none of them shows the share of others that would bring the figure to the margin.
func (f *figure) hidden(g Gate) float64 {
	p := math.Ldexp(1, 1-f.independent)
	if g.holds(f.value) {
		p = max(p, 2*math.Pow(1-f.room(g), float64(f.independent)))
	}
	return min(1, p)
}

// room is the share of tickets that have to be as bad as can be for the figure to be at the margin.
func (f *figure) room(g Gate) float64 {
	end := f.low
	if g.upper() {
		end = f.high
	}
	if end == f.value {
		return 1
	}
	return min(1, max(0, (g.Number-f.value)/(end-f.value)))
}

// beyond tells whether an interval does not hold the margin.
func beyond(i *stats.Interval, margin float64) bool {
	return i != nil && (i.High < margin || i.Low > margin)
}

// tiny is what figures may be off by rounding.
const tiny = 1e-12

// ofStrata is the weighted mean of the means of several tasks: of differences, or of values of one side.
func ofStrata(strata []stats.Stratum, units string, low, high float64) figure {
	g := stats.Guard(strata, low, high)
	f := figure{value: weightedMean(strata), interval: g.CI95, low: low, high: high, guard: g, n: g.N, units: units, independent: g.Independent, reason: g.Reason,
		warnings: g.Warnings, moves: movesOf(strata)}
	if g.Alike {
		f.alike = "none of " + counted(f.n, units) + " differs"
		switch {
		case low == -1 && math.Abs(f.value) > tiny:
			f.alike = "all " + counted(f.n, units) + " differ by the same"
		case low != -1:
			f.alike = "all " + counted(f.n, units) + " are alike"
		}
	}
	plain, clustered := make([]stats.Stratum, len(strata)), false
	for i, s := range strata {
		clustered = clustered || s.Clusters != nil
		plain[i] = stats.Stratum{Weight: s.Weight, Values: s.Values, Against: s.Against}
	}
	if f.alone = f.interval; clustered {
		f.alone = stats.Guard(plain, low, high).CI95
	}
	return f
}

func weightedMean(strata []stats.Stratum) float64 {
	sum, whole := 0.0, 0.0
	for _, s := range strata {
		mean := meanOf(s.Values)
		if s.Against != nil {
			mean -= meanOf(s.Against)
		}
		sum += float64(s.Weight * mean)
		whole += s.Weight
	}
	return sum / whole
}

// movesOf looks at single differences; of two samples there are none.
func movesOf(strata []stats.Stratum) moves {
	out := moves{flips: len(strata) == 1 && strata[0].Clusters == nil}
	whole, squares, sizes := 0.0, 0.0, 0.0
	for _, s := range strata {
		whole += s.Weight
	}
	for _, s := range strata {
		if s.Against != nil {
			return moves{size: 1}
		}
		each := s.Weight / whole / float64(len(s.Values))
		for _, d := range s.Values {
			square := float64(each * d * d)
			squares += square
			sizes += float64(each * math.Abs(d))
			if d > 0 {
				out.rose += square
			} else {
				out.fell += square
			}
			out.flips = out.flips && (d == 0 || d == 1 || d == -1)
		}
	}
	if out.size = 1; sizes > 0 {
		out.size = squares / sizes
	}
	return out
}
