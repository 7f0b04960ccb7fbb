package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Ranking orders several sides, the best first.
type Ranking struct {
	// Standings are over the tasks that all sides have, as [Comparison.Overall] is.
	Standings []Standing
	Tasks     []TaskRanking // in the order of tables
	// Allowed are the keys in which a side differs from the first one and may, Noted what differs anyway.
	Allowed, Noted []Mismatch
	Warnings       []string
}

// TaskRanking is the order on one task.
type TaskRanking struct {
	Task  triage.Task
	Units string // "tickets" or "episodes"
	N     int    // units that all sides share, each counted once
	// Clusters are the scenarios that they come from, 0 where that is not known.
	Clusters  int
	Standings []Standing
}

// Rank orders two sides or more by their mean score over the units that all of them share, what broke as 0. Neighbours are compared
// in pairs, their P adjusted among the neighbours of one order (Holm, which is cautious: neighbours are chosen for being near each
// other); two that cannot be told apart at 5 % are tied. So is every side with the best. Errors are as
// with [Compare]; that tickets are others cannot be allowed here, unless enough of them stand at the same place.
func Rank(sides []*Side, o Options) (*Ranking, error) {
	if len(sides) < 2 {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("a ranking takes two sides or more, not %d", len(sides))}
	}
	if err := checkAllow(o.Allow, sides); err != nil {
		return nil, err
	}
	r := &Ranking{}
	if err := r.check(sides, o.Allow); err != nil {
		return nil, err
	}
	k := ranker{sides: sides}
	for i := range sides[0].Tasks {
		k.task(&sides[0].Tasks[i])
	}
	if len(k.tasks) == 0 {
		return nil, k.nothing()
	}
	k.number()
	for i := range k.tasks {
		t := &k.tasks[i]
		r.Tasks = append(r.Tasks, TaskRanking{Task: t.task, Units: t.kind, N: len(t.units[0]), Clusters: t.scenarios,
			Standings: k.order(k.tasks[i:i+1], []float64{1})})
	}
	tasks := make([]triage.Task, len(k.tasks))
	for i := range k.tasks {
		tasks[i] = k.tasks[i].task
	}
	r.Standings = k.order(k.tasks, weights(tasks))
	for _, s := range sides {
		r.Warnings = eachOnce(r.Warnings, s.Warnings)
	}
	r.Warnings = append(r.Warnings, k.warnings...)
	return r, nil
}

// check holds every side against the first.
func (r *Ranking) check(sides []*Side, allow []string) error {
	var refused []string
	add := func(list *[]Mismatch, more []Mismatch) {
		for _, m := range more {
			if !slices.Contains(*list, m) {
				*list = append(*list, m)
			}
		}
	}
	for _, s := range sides[1:] {
		allowed, noted, err := unlike(sides[0], s, allow)
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		add(&r.Allowed, allowed)
		add(&r.Noted, noted)
	}
	for i, s := range sides { // two of one agent must have its settings too, whichever is the first
		for _, other := range sides[1:max(i, 1)] {
			if _, _, err := unlike(other, s, allow); err != nil && other.Agent == s.Agent {
				refused = append(refused, err.Error())
			}
		}
	}
	if len(refused) > 0 {
		return &triage.Error{Code: triage.CodeUsage, Message: strings.Join(slices.Compact(refused), "; ")}
	}
	return nil
}

// ranker gathers what all sides share.
type ranker struct {
	sides    []*Side
	tasks    []rankTask
	warnings []string
	empty    []string // why a task is left out
}

// rankTask has the same units of every side, in the order of places.
type rankTask struct {
	task      triage.Task
	kind      string
	units     [][]*unit // by side
	clusters  []int
	scenarios int
}

// task takes a task of the first side, where all others have it and share units.
func (k *ranker) task(first *TaskSide) {
	list := make([]*TaskSide, len(k.sides))
	whole := true
	for i, s := range k.sides {
		if list[i] = taskOf(s, first.Task.Name); list[i] == nil {
			k.empty = append(k.empty, fmt.Sprintf("%s: %s does not have it", first.Task.Name, call(s)))
			return
		}
		whole = whole && hasTickets(list[i])
	}
	t := rankTask{task: first.Task, kind: "episodes"}
	if whole {
		t.kind = "tickets"
	}
	z := sizesOf(first.Task, list...)
	where, all := map[Place][]*unit{}, map[Place]bool{}
	for i, s := range list {
		of := episodeUnits(s)
		if whole {
			of = ticketUnits(s, z, nil)
		}
		for j := range of {
			p := of[j].Place
			if all[p] = true; len(where[p]) == i { // all sides before have it
				where[p] = append(where[p], &of[j])
			}
		}
	}
	k.shared(&t, where)
	left := len(all)
	if len(t.units) > 0 {
		left -= len(t.units[0])
	}
	switch {
	case len(t.units) == 0:
		k.empty = append(k.empty, fmt.Sprintf("%s: all sides share no episode", first.Task.Name))
		return
	case left > 0:
		k.warnings = append(k.warnings, fmt.Sprintf("%s: %d %s are not on all sides, or are others, and left out", first.Task.Name, left, t.kind))
	}
	k.tasks = append(k.tasks, t)
}

// shared fills in the units that all sides have and that are the same ticket.
func (k *ranker) shared(t *rankTask, where map[Place][]*unit) {
	var places []Place
	for p, list := range where {
		if len(list) == len(k.sides) && sameText(list) {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return
	}
	slices.SortFunc(places, Place.compare)
	t.units = make([][]*unit, len(k.sides))
	for _, p := range places {
		for i, u := range where[p] {
			t.units[i] = append(t.units[i], u)
		}
	}
}

func sameText(list []*unit) bool {
	text := uint64(0)
	for _, u := range list {
		if u.text != 0 && text != 0 && u.text != text {
			return false
		}
		text = cmp.Or(text, u.text)
	}
	return true
}

func (k *ranker) nothing() error {
	what := strings.Join(k.empty, "; ")
	if what == "" {
		what = "the first has no tasks"
	}
	return &triage.Error{Code: triage.CodeUsage, Message: "the sides share nothing to rank by: " + what}
}

// number finds the clusters of all tasks.
func (k *ranker) number() {
	var lists [][]unit
	for _, t := range k.tasks {
		for _, list := range t.units {
			flat := make([]unit, len(list))
			for i, u := range list {
				flat[i] = unit{scenario: u.scenario}
			}
			lists = append(lists, flat)
		}
	}
	n := newScenarioNumbers(lists...)
	for i := range k.tasks {
		t := &k.tasks[i]
		t.clusters, t.scenarios = n.clusters(len(t.units[0]), func(i int) (string, bool) {
			broke := true
			for _, list := range t.units {
				if list[i].scenario != "" {
					return list[i].scenario, false
				}
				broke = broke && list[i].broke
			}
			return "", broke
		})
		if t.clusters != nil && distinct(t.clusters) < 2 && len(t.clusters) > 1 {
			t.clusters = nil
		}
	}
	k.warnings = append(k.warnings, k.empty...)
}

// order ranks the sides over tasks.
func (k *ranker) order(tasks []rankTask, weights []float64) []Standing {
	out := make([]Standing, len(k.sides))
	at := make([]int, len(k.sides)) // the side of each standing
	score := func(u *unit) float64 { return u.score }
	scores := make([]stats.Estimate, len(k.sides))
	for i := range k.sides {
		strata := make([]stats.Stratum, len(tasks))
		for j, t := range tasks {
			strata[j] = stats.Stratum{Weight: weights[j], Values: values(t.units[i], score), Clusters: t.clusters}
		}
		scores[i], _ = stats.Stratified(strata, 0, 1)
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		return cmp.Or(cmp.Compare(triage.Rounded(scores[b].Mean), triage.Rounded(scores[a].Mean)), cmp.Compare(k.sides[a].Name, k.sides[b].Name),
			cmp.Compare(k.sides[a].From, k.sides[b].From))
	})
	below := func(i, above int) Difference {
		lists := make([]*aligned, len(tasks))
		for j, t := range tasks {
			lists[j] = &aligned{paired: true, base: t.units[above], new: t.units[i], clusters: t.clusters}
		}
		return overallOf(lists, weights)
	}
	for rank, i := range at {
		out[rank] = Standing{Side: k.sides[i], Rank: rank + 1, Score: scores[i]}
		if rank == 0 {
			continue
		}
		out[rank].Below, out[rank].FromBest = below(i, at[rank-1]), below(i, at[0])
	}
	holm(out, func(s *Standing) (*Difference, *bool) { return &s.Below, &s.Tied })
	holm(out, func(s *Standing) (*Difference, *bool) { return &s.FromBest, &s.TiedWithBest })
	return out
}

// holm adjusts the P of one kind of difference, and says which sides are tied.
func holm(list []Standing, of func(s *Standing) (*Difference, *bool)) {
	ps := make([]float64, 0, len(list))
	for i := range list[1:] {
		d, _ := of(&list[i+1])
		ps = append(ps, d.P) // one that is no number counts as 1
	}
	for i, p := range stats.Holm(ps) {
		d, tied := of(&list[i+1])
		if !math.IsNaN(d.P) {
			d.Holm = p
		}
		*tied = !(d.Holm < level)
	}
}

// Label gives sides of one agent names of their own: the agent and where it comes from.
func Label(sides []*Side) {
	counts := map[string]int{}
	for _, s := range sides {
		counts[s.Agent]++
	}
	for _, s := range sides {
		if s.Name = s.Agent; counts[s.Agent] > 1 {
			s.Name = fmt.Sprintf("%s (%s)", s.Agent, s.From)
		}
	}
}
