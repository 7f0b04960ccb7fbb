package compare

import (
	"fmt"
	"math"
	"sort"

	"github.com/triagebench/triage/pkg/stats"
)

// fewest is the number of pairs below which pairs that all move the same way may do so by chance: 2·(1/2)^n is above 0.05 for
// less.
const fewest = 6

// estimate judges a figure that is estimated. p is that of "the figure is the margin", adjusted; level is what each of the tasks
// of one gate is tested at.
func estimate(f *figure, p, level float64, v *Verdict) {
	v.Value, v.Interval, v.N, v.Units = f.value, f.interval, f.n, f.units
	v.Warnings = append(v.Warnings, f.warnings...)
	switch {
	case f.lost:
		v.Outcome, v.Why = Regression, "no answer of new was graded: every episode of it broke"
	case f.exact != "" && !math.IsNaN(f.value):
		exactly(f, v)
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

// gained warns of an agent that became better than its gate asks for.
func (j *judge) gained(f *figure, v *Verdict) {
	if j.c.Base.Agent == j.c.New.Agent && v.Gate.Change == Drop && v.Gate.upper() && v.Gate.Number >= 0 && (f.interval != nil && f.interval.High < -v.Margin || f.exact != "" && f.value < -v.Margin) {
		v.Warnings = append(v.Warnings, gain(-f.value))
	}
}

// exactly judges a figure that does not vary.
func exactly(f *figure, v *Verdict) {
	holds := v.Gate.holds(f.value)
	v.Outcome = map[bool]Outcome{true: Pass, false: Regression}[holds]
	v.Why = fmt.Sprintf("the %s is %s, which is exact: %s", v.Gate.figure(), number(f.value), f.exact)
	if f.settled {
		return
	}
	if !holds && f.independent < fewest {
		v.Outcome, v.Needed = Inconclusive, fewest
		v.Why = fmt.Sprintf("%s; so few may do so by chance: at least %d are needed", v.Why, fewest)
		return
	}
	// What happens to a share of tickets shows in none of n with the chance (1 − share)^n.
	hidden := 1 - math.Pow(0.05, 1/float64(max(1, f.independent)))
	if distance := math.Abs(f.value - v.Margin); holds && hidden > distance {
		v.Warnings = append(v.Warnings, fmt.Sprintf("a change of up to %.2g of all tickets may show in none of %s", hidden, whole(f.independent)))
	}
}

// sampled judges a figure by its interval or, among several tasks, by its adjusted P.
func sampled(f *figure, level float64, v *Verdict) {
	several := level < 0.05
	sure := f.beyond(v.Margin)
	if several {
		sure = v.P < 0.05
	}
	below := f.value < v.Margin
	side := map[bool]string{true: "below", false: "above"}[below]
	v.Why = fmt.Sprintf("the %s is %s (95 %%: %s to %s)", v.Gate.figure(), against(f.value, v.Margin), against(f.interval.Low, v.Margin), against(f.interval.High, v.Margin))
	s := spreadOf(f, v.Gate, level)
	v.Smallest = s.smallest()
	seen := s.seen(v)
	among := ""
	if several {
		among = fmt.Sprintf(" (p %s among %s tasks)", number(v.P), whole(int(math.Round(0.05/level))))
	}
	switch {
	case !sure:
		v.Outcome = Inconclusive
		v.Needed = s.needed()
		where := "on either side of"
		if f.beyond(v.Margin) { // alone it would be told apart
			where = "too near to"
		}
		v.Why += fmt.Sprintf(", %s %s%s; %s; %s", where, number(v.Margin), among, seen, s.settles(v.Needed))
	case below == v.Gate.upper():
		v.Outcome = Pass
		v.Why += fmt.Sprintf(", %s %s%s; %s", side, number(v.Margin), among, seen)
	default:
		v.Outcome = Regression
		v.Why += fmt.Sprintf(", %s %s%s", side, number(v.Margin), among)
	}
}

// spread is what can be said of how a figure varies at other sizes. It looks at losses: the figure itself where the gate limits it
// from above, else with the other sign.
type spread struct {
	f      figure
	gate   Gate
	margin float64
	level  float64
}

func spreadOf(f *figure, g Gate, level float64) spread {
	s := spread{f: *f, gate: g, margin: g.Number, level: level}
	if !g.upper() {
		s.f, s.margin = f.turned(), -g.Number
	}
	return s
}

// sd is the standard deviation of what varies on its own.
func (s *spread) sd() float64 { return float64(s.f.se * math.Sqrt(float64(s.f.independent))) }

// chance estimates the share of tickets that flip each way by chance: half of all flips where they are no more one way than the
// other, else those against the greater number, and half a one, as none seen is not none.
func (s *spread) chance() float64 {
	if s.f.interval.Low <= 0 && s.f.interval.High >= 0 {
		return (s.f.rose + s.f.fell) / 2
	}
	return min(s.f.rose, s.f.fell) + 0.5/float64(s.f.n)
}

// smallest is the smallest loss beyond the margin that would have been found with the chance [Power], in the gate's own figure.
func (s *spread) smallest() float64 {
	loss, ok := 0.0, false
	switch {
	case s.f.share && s.gate.upper(): // a share too high is one of what is not so too low
		loss, ok = stats.DetectableShare(s.f.independent, 1-s.margin, Power, s.level)
		loss = 1 - loss
	case s.f.share:
		loss, ok = stats.DetectableShare(s.f.independent, -s.margin, Power, s.level)
		loss = 0 - loss
	case !s.f.flips || s.margin < 0:
		loss, ok = stats.DetectableDropAt(s.f.independent, s.sd(), s.margin, Power, s.level)
	case s.f.independent == s.f.n && s.f.n <= stats.MostGateFlips:
		loss, ok = stats.DetectableGateFlips(s.f.n, s.chance(), s.margin, Power, s.level)
	default:
		loss, ok = s.smallestFlips()
	}
	switch {
	case !ok:
		return math.NaN()
	case s.gate.upper():
		return loss
	}
	return 0 - loss
}

// smallestFlips is the loss of tickets that pass or fail whose scenarios resemble each other, or that are many: more of them flip
// where the loss is larger.
func (s *spread) smallestFlips() (float64, bool) {
	const steps = 1000
	q := s.chance()
	least := min(steps, int(math.Ceil(float64(s.margin*steps)-1e-9)))
	found := func(i int) bool {
		d := float64(least+i) / steps
		variance := float64((float64(2*q) + d - float64(d*d)) * s.f.design / float64(s.f.n))
		p, ok := stats.PowerOfGateAt(s.f.independent, math.Sqrt(float64(variance*float64(s.f.independent))), d, s.margin, s.level)
		return ok && p >= Power
	}
	i := sort.Search(steps+1-least, found)
	return float64(least+i) / steps, least+i <= steps
}

// needed is how many tickets would settle the gate, or 0.
func (s *spread) needed() int {
	if math.Abs(s.f.value-s.margin) <= tiny {
		return 0
	}
	n, ok := stats.NeededNAt(s.sd(), s.f.value, s.margin, Power, s.level)
	if s.f.share {
		n, ok = stats.NeededForShare(math.Abs(s.f.value), math.Abs(s.margin), Power, s.level)
	}
	if !ok {
		return 0
	}
	each := float64(s.f.n) / float64(s.f.independent)
	return max(s.f.n+1, int(math.Ceil(float64(float64(n)*each)-1e-9)))
}

// seen says what would have been found.
func (s *spread) seen(v *Verdict) string {
	figure, least := s.name(), -1.0
	if v.Gate.Change == "" {
		least = 0
	}
	if math.IsNaN(v.Smallest) || v.Smallest > 1 || v.Smallest < least {
		are := "are"
		if v.N == 1 {
			are = "is"
		}
		return fmt.Sprintf("%s %s too few to show any %s %d %% of the time", counted(v.N, v.Units), are, figure, int(100*Power))
	}
	where := map[bool]string{true: "more", false: "less"}[v.Gate.upper()]
	return fmt.Sprintf("%s %s show a %s of %s or %s %d %% of the time", whole(v.N), v.Units, figure, number(v.Smallest), where, int(100*Power))
}

// name is what the figure is called.
func (s *spread) name() string {
	if s.gate.Change == "" {
		return printable(s.gate.metric())
	}
	return s.gate.Change
}

// settles says what would settle an inconclusive verdict.
func (s *spread) settles(needed int) string {
	if needed == 0 {
		return fmt.Sprintf("it is so near to the margin that no number of %s would settle it", s.f.units)
	}
	return fmt.Sprintf("about %s %s would settle it if the %s is what it is here", whole(roughly(needed)), s.f.units, s.name())
}
