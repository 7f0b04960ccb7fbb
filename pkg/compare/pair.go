package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Compare holds new against base, which may be a results file and a run folder: both are reduced to episodes then. Units are aligned
// by task, seed, position and ticket, and every ticket counts once however many trials it has; what broke counts as 0. It is a
// *[triage.Error] with CodeUsage that lists everything that differs if the sides are no runs of the same and o.Allow does not name
// it, if o.Allow names what is no key, or if the sides share nothing. Another error is one of reading a folder again.
func Compare(base, new *Side, o Options) (*Comparison, error) {
	if err := checkAllow(o.Allow, []*Side{base, new}); err != nil {
		return nil, err
	}
	allowed, noted, err := unlike(base, new, o.Allow)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Base: base, New: new, Allowed: allowed, Noted: noted, Warnings: eachOnce(base.Warnings, new.Warnings)}
	w := working{comparison: c, other: otherTickets(allowed)}
	for _, m := range allowed {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s differs and was allowed to: %s and %s", m.Key, quoted(m.Base), quoted(m.New)))
	}
	if err := w.align(); err != nil {
		return nil, err
	}
	w.compare()
	c.overall(w.parts)
	if err := w.moved(o.Moved); err != nil {
		return nil, err
	}
	return c, nil
}

// eachOnce joins lists; what occurs again is left out.
func eachOnce(lists ...[]string) []string {
	var out []string
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// working is a comparison in the making.
type working struct {
	comparison *Comparison
	other      bool // the sides played other tickets
	parts      []*part
	numbers    *scenarioNumbers
}

// part is what is known of a task while it is compared.
type part struct {
	task            triage.Task
	base, new       *TaskSide
	whole           bool
	names           []string // of the parts of a score
	units, episodes *aligned
}

// align finds the tasks that both sides have and the pairs of each.
func (w *working) align() error {
	c := w.comparison
	var lists [][]unit
	var nothing []string
	for i := range c.Base.Tasks {
		b := &c.Base.Tasks[i]
		n := taskOf(c.New, b.Task.Name)
		if n == nil || len(n.Episodes) == 0 && len(b.Episodes) > 0 {
			c.BaseOnly = append(c.BaseOnly, b.Task.Name)
			continue
		}
		if len(b.Episodes) == 0 {
			if len(n.Episodes) > 0 {
				c.NewOnly = append(c.NewOnly, b.Task.Name)
			}
			continue
		}
		p := &part{task: b.Task, base: b, new: n, whole: hasTickets(b) && hasTickets(n)}
		if p.whole {
			p.names = sharedParts(p.task, b, n)
		}
		baseEpisodes, newEpisodes := episodeUnits(b), episodeUnits(n)
		lists = append(lists, baseEpisodes, newEpisodes)
		p.episodes = w.pairs(baseEpisodes, newEpisodes, false)
		p.units = p.episodes
		if p.whole {
			baseTickets, newTickets := p.tickets()
			lists = append(lists, baseTickets, newTickets)
			p.units = w.pairs(baseTickets, newTickets, true)
		}
		if len(p.units.base) == 0 || len(p.units.new) == 0 {
			nothing = append(nothing, p.without())
			continue
		}
		w.parts = append(w.parts, p)
	}
	for i := range c.New.Tasks {
		if name := c.New.Tasks[i].Task.Name; taskOf(c.Base, name) == nil {
			c.NewOnly = append(c.NewOnly, name)
		}
	}
	if len(w.parts) == 0 {
		return w.nothing(nothing)
	}
	c.Apart = nothing
	c.Warnings = append(c.Warnings, nothing...)
	w.numbers = newScenarioNumbers(lists...)
	return nil
}

// tickets gives the tickets of both sides.
func (p *part) tickets() (base, new []unit) {
	z := sizesOf(p.task, p.base, p.new)
	return ticketUnits(p.base, z, p.names), ticketUnits(p.new, z, p.names)
}

// unitsOf pairs what is compared of a task.
func (w *working) unitsOf(p *part) *aligned {
	if p.whole {
		base, new := p.tickets()
		return w.pairs(base, new, true)
	}
	return w.pairs(episodeUnits(p.base), episodeUnits(p.new), false)
}

func taskOf(s *Side, name string) *TaskSide {
	if i := slices.IndexFunc(s.Tasks, func(t TaskSide) bool { return t.Task.Name == name }); i >= 0 {
		return &s.Tasks[i]
	}
	return nil
}

// pairs aligns two lists of units.
func (w *working) pairs(base, new []unit, tickets bool) *aligned {
	switch {
	case !w.other:
		return alignByPlace(base, new)
	case tickets:
		return alignByText(base, new)
	}
	return samples(base, new)
}

// without says why nothing of a task can be compared.
func (p *part) without() string {
	if p.units.others > 0 {
		return fmt.Sprintf("%s: the %d tickets that stand at the same place are others", p.task.Name, p.units.others)
	}
	return fmt.Sprintf("%s: no episode is in both: base has seeds %s, new %s", p.task.Name, seedsOfTask(p.base), seedsOfTask(p.new))
}

// nothing is the refusal of two sides that share no unit.
func (w *working) nothing(reasons []string) error {
	c := w.comparison
	what := strings.Join(reasons, "; ")
	if len(reasons) == 0 {
		what = fmt.Sprintf("no task is in both: base has %s, new %s", tasksOf(c.Base), tasksOf(c.New))
	}
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("%s and %s share nothing to compare: %s", call(c.Base), call(c.New), what)}
}

func tasksOf(s *Side) string {
	var names []string
	for i := range s.Tasks {
		if len(s.Tasks[i].Episodes) > 0 {
			names = append(names, s.Tasks[i].Task.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// compare fills in every task, and what only all of them together tell.
func (w *working) compare() {
	c := w.comparison
	var known []int
	var ps []float64
	for _, p := range w.parts {
		p.units.cluster(w.numbers)
		if p.episodes != p.units {
			p.episodes.cluster(w.numbers)
		}
		t := w.compareTask(p)
		if !math.IsNaN(t.Score.P) {
			known = append(known, len(c.Tasks))
			ps = append(ps, t.Score.P)
		}
		c.Tasks = append(c.Tasks, t)
	}
	for i, p := range stats.Holm(ps) {
		c.Tasks[known[i]].Score.Holm = p
	}
}

// compareTask holds the two sides of a task against each other.
func (w *working) compareTask(p *part) TaskComparison {
	u := p.units
	t := TaskComparison{Task: p.task, Units: "episodes", BaseOnly: u.baseOnly, NewOnly: u.newOnly, OtherTickets: u.others, Clusters: u.scenarios,
		Warnings: u.warnings}
	if p.whole {
		t.Units = "tickets"
	}
	score := func(x *unit) float64 { return x.score }
	t.Score = u.difference("score", score)
	if u.paired {
		t.Pairs = len(u.base)
		t.Deltas, t.ClusterOf = t.Score.Strata[0].Values, u.clusters
		t.Flips = u.flips()
		t.Warnings = append(t.Warnings, u.doubt(&t.Score, t.Deltas)...)
	}
	t.Broke, t.BaseBroke, t.NewBroke = u.broke()
	t.Incomplete = incomplete(p.base, p.new)
	t.Others = p.others()
	w.bytes(p, &t)
	return t
}

// others are the differences of everything beside the score.
func (p *part) others() []Difference {
	var out []Difference
	for j, name := range p.names {
		at := func(k int) func(*unit) float64 {
			return func(x *unit) float64 {
				if x.parts == nil {
					return 0
				}
				return x.parts[k]
			}
		}
		if asked, ok := p.units.known(at(j)); ok {
			out = append(out, asked.difference(name, at(j)), asked.difference(name+"_accuracy", at(len(p.names)+j)))
		}
	}
	for _, m := range []struct {
		name string
		of   func(*unit) float64
	}{{"efficiency", func(x *unit) float64 { return x.efficiency }}, {"reward", func(x *unit) float64 { return x.reward }},
		{"success_rate", func(x *unit) float64 { return x.success }}} {
		if p.task.Track == triage.Dataset && m.name == "success_rate" { // it has no target
			continue
		}
		if d, ok := p.episodes.known(m.of); ok {
			out = append(out, d.difference(m.name, m.of))
		}
	}
	return out
}

// known leaves out the pairs, or units, of which a figure is not known; ok is false where nothing is left of a side.
func (a *aligned) known(of func(*unit) float64) (*aligned, bool) {
	out := &aligned{paired: a.paired}
	keep := func(i int, list []*unit, clusters []int, to *[]*unit, numbers *[]int) {
		*to = append(*to, list[i])
		if clusters != nil {
			*numbers = append(*numbers, clusters[i])
		}
	}
	if a.paired {
		for i := range a.base {
			if !math.IsNaN(of(a.base[i])) && !math.IsNaN(of(a.new[i])) {
				keep(i, a.base, a.clusters, &out.base, &out.clusters)
				out.new = append(out.new, a.new[i])
			}
		}
		return out, len(out.base) > 0
	}
	for i := range a.base {
		if !math.IsNaN(of(a.base[i])) {
			keep(i, a.base, a.clusters, &out.base, &out.clusters)
		}
	}
	for i := range a.new {
		if !math.IsNaN(of(a.new[i])) {
			keep(i, a.new, a.against, &out.new, &out.against)
		}
	}
	return out, len(out.base) > 0 && len(out.new) > 0
}
