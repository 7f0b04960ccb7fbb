package compare

import (
	"fmt"
	"math"
	"sort"

	"github.com/triagebench/triage/pkg/stats"
)

// MostNeeded is the largest number of tickets or episodes that verdicts name as needed.
const MostNeeded = 100_000

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

// chance estimates the mean square of what moves each way by chance, of tickets that pass or fail the share that flips: half of all where
// they are no more one way than the other, else those against the greater number, and half a one, as none seen is not none.
func (s *spread) chance() float64 {
	m := s.f.moves
	if s.f.interval.Low <= 0 && s.f.interval.High >= 0 {
		return (m.rose + m.fell) / 2
	}
	return min(m.rose, m.fell) + float64(0.5*m.size*m.size)/float64(s.f.n)
}

// variance is that of the figure if the true loss is another one: of what moves by chance, and of tickets that lose as much as those
// that were seen to move, of whom there are more the larger the loss is. A figure of one side keeps its own.
func (s *spread) variance(loss float64) float64 {
	m := s.f.moves
	seen := m.rose + m.fell - float64(s.f.value*s.f.value)
	if s.gate.Change == "" || !(seen > 0) || m.rose+m.fell == 0 {
		return s.f.guard.Variance
	}
	least := float64(2 * s.chance())
	return s.f.guard.Variance / seen * float64(max(least, least+float64(math.Abs(loss)*m.size)-float64(loss*loss)))
}

// power is how likely the verdict on n is a regression, or a pass, if the true loss is this and its variance at the present size that.
// It is that of a normal figure, with the values that [stats.Guard] adds.
func (s *spread) power(n int, loss, variance float64, pass bool) float64 {
	g := s.f.guard
	size := float64(n) / float64(s.f.n)
	keep := float64(n) / float64(float64(n)+float64(2*g.Weight))
	middle := float64(keep*loss) + float64((1-keep)*float64(s.f.low+s.f.high)/2)
	sd := float64(keep * math.Sqrt(variance/size))
	se := math.Sqrt(float64(sd*sd) + g.Added/float64(size*size))
	t, ok := stats.CriticalT(max(1, math.Floor(float64(g.DF*size)+1e-9)), s.level)
	if !ok || !(sd > 0) {
		return 0
	}
	away := (middle - s.margin) / sd
	if pass {
		away = -away
	}
	return stats.NoncentralAbove(float64(t*se)/sd, max(1, int(float64(g.DF*size)+1e-9)), away)
}

// smallest is the smallest loss beyond the margin that would have been found with the chance [Power], in the gate's own figure.
func (s *spread) smallest() float64 {
	loss, ok := 0.0, false
	switch f := &s.f; {
	case f.share != nil:
		loss, ok = s.smallestShare()
	case f.moves.flips && s.margin >= 0 && s.gate.Change != "" && f.n <= stats.MostGateFlips:
		loss, ok = stats.DetectableGateFlips(f.n, s.chance(), s.margin, Power, s.level)
	default:
		loss, ok = s.smallestMean()
	}
	switch {
	case !ok:
		return math.NaN()
	case s.gate.upper():
		return loss
	}
	return 0 - loss
}

// smallestShare is the loss of a share: a share too high is one of what is not so too low.
func (s *spread) smallestShare() (float64, bool) {
	n := s.f.share.n
	if s.f.share.worth > 0 {
		n = int(s.f.share.worth)
	}
	if s.gate.upper() {
		share, ok := stats.DetectableShare(n, 1-s.margin, Power, s.level)
		return 1 - share, ok
	}
	share, ok := stats.DetectableShare(n, -s.margin, Power, s.level)
	return 0 - share, ok
}

// smallestMean is the loss, in thousandths, of what is no share of single tickets.
func (s *spread) smallestMean() (float64, bool) {
	const steps = 1000
	least, most := int(math.Ceil(float64(s.margin*steps)-1e-9)), int(math.Floor(float64(s.f.high*steps)+1e-9))
	if most < least {
		return 0, false
	}
	i := sort.Search(most+1-least, func(i int) bool {
		loss := float64(least+i) / steps
		return s.power(s.f.n, loss, s.variance(loss), false) >= Power
	})
	return float64(least+i) / steps, least+i <= most
}

// needed is how many tickets would settle the gate with the chance [Power] if the loss is this: 0 where no number would, and one more than
// [MostNeeded] where more than that are.
func (s *spread) needed(loss, variance float64) int {
	if math.Abs(loss-s.margin) <= tiny {
		return 0
	}
	pass := loss < s.margin
	if s.f.share != nil {
		share, margin := math.Abs(loss), math.Abs(s.margin)
		n, ok := stats.NeededForShare(share, margin, Power, s.level)
		if share == 0 || share == 1 { // all are alike, and will be
			n, ok = stats.NeededToShow(math.Abs(share-margin), s.level)
		}
		if !ok {
			return MostNeeded + 1
		}
		each := 1.0
		if s.f.share.worth > 0 {
			each = float64(s.f.n) / s.f.share.worth
		}
		return min(MostNeeded+1, max(s.f.n+1, int(math.Ceil(float64(float64(n)*each)-1e-9))))
	}
	return 2 + sort.Search(MostNeeded-1, func(i int) bool { return s.power(2+i, loss, variance, pass) >= Power })
}

// perUnit is how many tickets have so many scenarios, where these are what varies.
func perUnit(independent int, f *figure) int {
	n := float64(independent) * float64(f.n) / float64(f.independent)
	return int(min(MostNeeded+1, math.Ceil(n-1e-9)))
}

// about says so many tickets.
func about(needed int, f *figure) string {
	out := fmt.Sprintf("about %s %s", whole(roughly(needed)), f.units)
	if needed > MostNeeded {
		out = fmt.Sprintf("more than %s %s", whole(MostNeeded), f.units)
	}
	if 2*f.independent < f.n {
		out += " of as many more scenarios"
	}
	return out
}

// seen says what would have been found.
func (s *spread) seen(v *Verdict) string {
	least := v.Gate.least()
	percent := int(100 * Power)
	if math.IsNaN(v.Smallest) || v.Smallest > 1 || v.Smallest < least {
		are := "are"
		if v.N == 1 {
			are = "is"
		}
		return fmt.Sprintf("%s %s too few to show any %s %d %% of the time", counted(v.N, v.Units), are, s.name(), percent)
	}
	where := map[bool]string{true: "more", false: "less"}[v.Gate.upper()]
	if v.Gate.Change == Drop && v.Gate.upper() {
		return fmt.Sprintf("%s show a drop of %s or more %d %% of the time", counted(v.N, v.Units), number(v.Smallest), percent)
	}
	shows := "show"
	if v.N == 1 {
		shows = "shows"
	}
	return fmt.Sprintf("where the %s is %s or %s, %s %s it %d %% of the time", s.name(), number(v.Smallest), where, counted(v.N, v.Units), shows, percent)
}

// name is what the figure is called.
func (s *spread) name() string {
	if s.gate.Change == "" {
		return printable(s.gate.metric())
	}
	return s.gate.Change
}

// settles says what would settle an inconclusive verdict.
func (s *spread) settles(v *Verdict) string {
	v.Needed = s.needed(s.f.value, s.f.guard.Variance)
	var out string
	switch {
	case v.Needed == 0:
		out = fmt.Sprintf("it is so near to the margin that no number of %s would settle it", s.f.units)
	case v.Needed <= s.f.n:
		out = fmt.Sprintf("so many would settle it %d %% of the time if the %s is what it is here", int(100*Power), s.name())
		v.Needed = s.f.n + 1
	default:
		out = fmt.Sprintf("%s would settle it if the %s is what it is here", about(v.Needed, &s.f), s.name())
	}
	if s.gate.Change != "" && s.margin > 0 && s.f.moves.rose+s.f.moves.fell > 0 && math.Abs(s.f.value) > tiny {
		v.NeededUnchanged = s.needed(0, s.variance(0))
		if v.NeededUnchanged <= s.f.n {
			out += fmt.Sprintf("; if nothing has changed, so many as these would %d %% of the time", int(100*Power))
		} else {
			out += fmt.Sprintf("; if nothing has changed, %s would", about(v.NeededUnchanged, &s.f))
		}
	}
	if beyond(s.f.alone, s.margin) && !beyond(s.f.interval, s.margin) {
		out += "; if each ticket were of its own scenario it would be settled: more tickets of these scenarios will not help, others will"
	}
	return out
}
