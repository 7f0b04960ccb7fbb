package compare

import (
	"fmt"
	"slices"
)

// enough is the number of equal tickets from which two runs with other tickets are compared on these alone, unless all are.
const enough = 20

// aligned are the units of two sides on one task.
type aligned struct {
	base, new         []*unit // of a pair at the same index; of two samples where paired is false
	paired            bool
	baseOnly, newOnly int
	others            int
	text              bool // pairs were found by the tickets' texts and not by place
	warnings          []string
	clusters, against []int // of base (or the pairs) and of new, by scenario; nil where that is not known
	scenarios         int
}

// alignByPlace pairs what stands at the same place. A ticket that is known to be another one there is in no pair.
func alignByPlace(base, new []unit) *aligned {
	a := &aligned{paired: true}
	i, j := 0, 0
	for i < len(base) || j < len(new) {
		switch c := order(base, new, i, j); {
		case c < 0:
			a.baseOnly++
			i++
		case c > 0:
			a.newOnly++
			j++
		default:
			if b, n := &base[i], &new[j]; b.text != 0 && n.text != 0 && b.text != n.text {
				a.others++
			} else {
				a.base, a.new = append(a.base, b), append(a.new, n)
			}
			i++
			j++
		}
	}
	if a.others > 0 {
		a.warnings = append(a.warnings, fmt.Sprintf("%d tickets at the same place have another text: they are in no pair", a.others))
	}
	return a
}

// order compares the places of two lists' units; an end comes last.
func order(base, new []unit, i, j int) int {
	switch {
	case i == len(base):
		return 1
	case j == len(new):
		return -1
	}
	return base[i].compare(new[j].Place)
}

// alignByText pairs tickets that agents saw the same of, wherever they stand: for runs whose tickets may differ. Where few are
// the same it gives two samples.
func alignByText(base, new []unit) *aligned {
	a := &aligned{paired: true, text: true}
	where := map[uint64][]*unit{}
	for i := range new {
		if t := new[i].text; t != 0 {
			where[t] = append(where[t], &new[i])
		}
	}
	for i := range base {
		b := &base[i]
		if list := where[b.text]; b.text != 0 && len(list) > 0 {
			a.base, a.new = append(a.base, b), append(a.new, list[0])
			where[b.text] = list[1:]
		}
	}
	pairs := len(a.base)
	a.baseOnly, a.newOnly = len(base)-pairs, len(new)-pairs
	if pairs >= enough || pairs > 0 && pairs == min(len(base), len(new)) {
		if rest := a.baseOnly + a.newOnly; rest > 0 {
			a.others = min(a.baseOnly, a.newOnly)
			a.warnings = append(a.warnings, fmt.Sprintf("the runs have other tickets: compared are the %d that are the same on both sides; %d of base and %d of new are left out",
				pairs, a.baseOnly, a.newOnly))
		}
		return a
	}
	s := samples(base, new)
	s.warnings = []string{fmt.Sprintf("the runs have other tickets (%d are the same): compared as two independent samples, which sees far less than pairs", pairs)}
	return s
}

// samples are all units, unpaired.
func samples(base, new []unit) *aligned {
	all := func(list []unit) []*unit {
		out := make([]*unit, len(list))
		for i := range list {
			out[i] = &list[i]
		}
		return out
	}
	return &aligned{base: all(base), new: all(new), baseOnly: len(base), newOnly: len(new), text: true,
		warnings: []string{"the runs have other tickets, and what is the same is not known: compared as two independent samples, which sees far less than pairs"}}
}

// scenarioNumbers numbers the scenarios of a comparison, the same in all its tasks.
type scenarioNumbers struct{ of map[string]int }

func newScenarioNumbers(lists ...[]unit) *scenarioNumbers {
	names := map[string]bool{}
	for _, list := range lists {
		for i := range list {
			if s := list[i].scenario; s != "" {
				names[s] = true
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	n := &scenarioNumbers{of: make(map[string]int, len(sorted))}
	for i, s := range sorted {
		n.of[s] = i
	}
	return n
}

// clusters numbers the scenarios of units, each of which is a list of what the sides know of it. Units that broke on all sides, of which
// nobody knows the scenario, are one cluster together: they tell of no further scenario, and may have one cause. It is nil, with 0
// scenarios, where a scenario of another one is not known.
func (n *scenarioNumbers) clusters(count int, of func(i int) (scenario string, broke bool)) (out []int, scenarios int) {
	seen := map[int]bool{}
	out = make([]int, count)
	for i := range count {
		s, broke := of(i)
		if s == "" {
			if !broke {
				return nil, 0
			}
			out[i] = len(n.of)
			continue
		}
		out[i] = n.of[s]
		seen[out[i]] = true
	}
	if len(seen) == 0 {
		return nil, 0
	}
	return out, len(seen)
}

// cluster finds the scenarios of what was aligned.
func (a *aligned) cluster(n *scenarioNumbers) {
	if !a.paired {
		one := func(list []*unit) ([]int, int) {
			return n.clusters(len(list), func(i int) (string, bool) { return list[i].scenario, list[i].broke })
		}
		var base, new int
		if a.clusters, base = one(a.base); a.clusters != nil {
			if a.against, new = one(a.new); a.against == nil {
				a.clusters = nil
			}
		}
		if a.clusters != nil {
			a.scenarios = base + new
		}
		return
	}
	a.clusters, a.scenarios = n.clusters(len(a.base), func(i int) (string, bool) {
		if s := a.base[i].scenario; s != "" {
			return s, false
		}
		return a.new[i].scenario, a.base[i].broke && a.new[i].broke
	})
	if a.scenarios == 1 && len(a.base) > 1 {
		a.clusters = nil
		a.warnings = append(a.warnings, "all tickets come from one scenario: the interval takes them for independent")
	}
}

func distinct(list []int) int {
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return len(slices.Compact(sorted))
}
