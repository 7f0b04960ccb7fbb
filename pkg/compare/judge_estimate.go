package compare

import (
	"fmt"
	"math"

	"github.com/triagebench/triage/pkg/stats"
)

// fewest is the number of tickets below which all may move the same way by chance: 2·(1/2)^n is above 0.05 for less.
const fewest = 6

// estimate judges a figure that is estimated. p is that of "the figure is the margin", adjusted; level is what each of the tasks
// of one gate is tested at.
func estimate(f *figure, p, level float64, v *Verdict) {
	v.Value, v.Interval, v.N, v.Units = f.value, f.interval, f.n, f.units
	if f.exact == "" {
		v.Warnings = append(v.Warnings, f.warnings...)
	}
	switch {
	case f.lost:
		v.Outcome, v.Why = Regression, "no answer of new was graded: every episode of it broke"
	case always(v.Gate):
		v.Outcome, v.Why = Pass, fmt.Sprintf("the %s is %s; no %s can fail this", v.Gate.figure(), number(f.value), v.Gate.figure())
	case f.exact != "":
		exactly(f, v)
	case f.alike != "":
		v.P = p
		alike(f, level, v)
	case f.interval == nil:
		v.Outcome = Inconclusive
		v.Why = fmt.Sprintf("the %s is %s, and nothing says how it varies: %s", v.Gate.figure(), number(f.value), f.reason)
		if f.n < 2 && f.reason != noTickets {
			v.Why = fmt.Sprintf("%s cannot tell: at least 2 are needed", counted(f.n, f.units))
			v.Needed = 2
		}
	default:
		v.P = p
		sampled(f, level, v)
	}
}

// largest is the most that a gate's figure can be.
const largest = 1

// least is the least that a gate's figure can be.
func (g Gate) least() float64 {
	if g.Change != "" || g.Metric == floorMargin && !g.Quoted {
		return -1
	}
	return 0
}

// always tells whether every figure that there can be meets a gate.
func always(g Gate) bool {
	if g.upper() {
		return g.holds(largest)
	}
	return g.holds(g.least())
}

// gained warns of an agent that became better than its gate asks for.
func (j *judge) gained(f *figure, v *Verdict) {
	if j.c.Base.Agent != j.c.New.Agent || v.Gate.Change != Drop || !v.Gate.upper() || v.Gate.Number < 0 {
		return
	}
	if f.interval != nil && f.interval.High < -v.Margin || f.interval == nil && v.Outcome == Pass && f.value < -v.Margin {
		v.Warnings = append(v.Warnings, gain(-f.value))
	}
}

// exactly judges a figure that is no matter of chance.
func exactly(f *figure, v *Verdict) {
	v.Outcome = map[bool]Outcome{true: Pass, false: Regression}[v.Gate.holds(f.value)]
	v.Why = fmt.Sprintf("the %s is %s, which is exact: %s", v.Gate.figure(), number(f.value), f.exact)
}

// alike judges a figure of which nothing varies: what so few do not show may still be there.
func alike(f *figure, level float64, v *Verdict) {
	v.Why = fmt.Sprintf("the %s is %s: %s", v.Gate.figure(), number(f.value), f.alike)
	holds, of := v.Gate.holds(f.value), f.units
	if f.independent < f.n {
		of = "scenarios"
	}
	hidden := stats.Hidden(f.independent, level)
	shows := fmt.Sprintf("what happens to up to %s %% of all may show in none of %s", number(math.Ceil(float64(1000*hidden)-1e-6)/10), counted(f.independent, of))
	switch {
	case v.P < 0.05 && holds:
		v.Outcome = Pass
		v.Why += "; " + shows
	case v.P < 0.05:
		v.Outcome = Regression
	case !holds:
		v.Outcome, v.Needed = Inconclusive, fewest
		v.Why += fmt.Sprintf("; so few (%s) may do so by chance: at least %d are needed", counted(f.independent, of), fewest)
	default:
		v.Outcome = Inconclusive
		n, ok := stats.NeededToShow(f.room(v.Gate), level)
		if v.Why += "; " + shows; !ok {
			v.Why += "; it is so near to the margin that no number would settle it"
			return
		}
		v.Needed = perUnit(max(n, fewest), f)
		v.Why += "; " + about(v.Needed, f) + " that are alike would settle it"
	}
}

// sampled judges a figure by its interval or, among several tasks, by its adjusted P.
func sampled(f *figure, level float64, v *Verdict) {
	several := level < 0.05
	sure := beyond(f.interval, v.Margin)
	if several {
		sure = v.P < 0.05
	}
	below := (f.interval.Low+f.interval.High)/2 < v.Margin
	if f.share == nil {
		below = f.guard.Center < v.Margin
	}
	side := map[bool]string{true: "below", false: "above"}[below]
	v.Why = fmt.Sprintf("the %s is %s (95 %%: %s to %s)", v.Gate.figure(), against(f.value, v.Margin), against(f.interval.Low, v.Margin), against(f.interval.High, v.Margin))
	s := spreadOf(f, v.Gate, level)
	v.Smallest = s.smallest()
	among := ""
	if several {
		among = fmt.Sprintf(" (p %s among %s tasks)", number(v.P), whole(int(math.Round(0.05/level))))
	}
	switch {
	case !sure:
		v.Outcome = Inconclusive
		where := "on either side of"
		if beyond(f.interval, v.Margin) { // alone it would be told apart
			where = "too near to"
		}
		v.Why += fmt.Sprintf(", %s %s%s; %s; %s", where, number(v.Margin), among, s.seen(v), s.settles(v))
	case below == v.Gate.upper():
		v.Outcome = Pass
		v.Why += fmt.Sprintf(", %s %s%s; %s", side, number(v.Margin), among, s.seen(v))
	default:
		v.Outcome = Regression
		v.Why += fmt.Sprintf(", %s %s%s", side, number(v.Margin), among)
	}
}
