package costs

import (
	"cmp"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Tally adds up what the answers of agents cost. Episodes may come in any order; it is not for concurrent use.
type Tally struct {
	matrix *Matrix
	groups map[results.Pair][]priced
}

// priced is a ticket with what its answer costs; sure is NaN where the agent did not say.
type priced struct {
	seed            int64
	position, trial int32
	cost, sure      float64
}

// NewTally makes an empty tally.
func NewTally(m *Matrix) *Tally { return &Tally{matrix: m, groups: map[results.Pair][]priced{}} }

// Add takes an episode. One that broke is left out, and so is a ticket of which no field with costs was graded.
func (t *Tally) Add(ep *triage.Episode) {
	if ep.Score == nil || ep.Ended == triage.EndedError {
		return
	}
	task, err := triage.TaskByName(ep.Key.Task)
	if err != nil {
		task.Track = triage.Dataset
	}
	field := func(part string) string { return results.FieldOfPart(task.Track, part) }
	pair := results.Pair{Agent: ep.Key.Agent, Task: ep.Key.Task}
	for i := range ep.Steps {
		s := &ep.Steps[i]
		if s.Score == nil {
			continue
		}
		steps := ep.Steps[i : i+1]
		refused := s.Error != ""
		if task.Track == triage.Desk {
			steps = ep.Steps[:i+1]
			refused = !slices.ContainsFunc(steps, func(s triage.Step) bool { return s.Error == "" })
		}
		cost, ok := t.matrix.cost(s.Score, field, refused)
		if !ok {
			continue
		}
		sure := math.NaN()
		if c := results.Sure(steps).Least(); c.Set {
			sure = triage.Rounded(c.Value)
		}
		p := priced{seed: ep.Key.Seed, position: int32(i), trial: int32(ep.Key.Trial), cost: cost, sure: sure}
		if ep.Key.Position.Set {
			p.position = int32(ep.Key.Position.Value)
		}
		t.groups[pair] = append(t.groups[pair], p)
	}
}

// Of gives what the answers of an agent on a task cost; nil where none has a cost. handover is what a ticket costs that is given to a
// person, or nil where that is not asked for.
func (t *Tally) Of(agent, task string, handover *float64) *results.CostFigures {
	list := slices.Clone(t.groups[results.Pair{Agent: agent, Task: task}])
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.position, b.position), cmp.Compare(a.trial, b.trial))
	})
	f := &results.CostFigures{Matrix: t.matrix.Name, Unit: t.matrix.Unit, Labels: t.matrix.Labels(), Tickets: len(list)}
	costs := make([]float64, len(list))
	for i := range list {
		costs[i] = list[i].cost
	}
	f.Cost = mean(list, costs)
	if handover != nil && slices.ContainsFunc(list, func(p priced) bool { return !math.IsNaN(p.sure) }) {
		f.Handover = best(list, *handover)
	}
	return f
}

// mean is the mean cost a ticket. Tickets of one seed came together, and so did trials of a ticket: its interval is over seeds.
func mean(list []priced, costs []float64) stats.Estimate {
	var clusters []int
	for i := range list {
		if i == 0 || list[i].seed != list[i-1].seed {
			clusters = append(clusters, 0)
		}
		clusters[len(clusters)-1]++
	}
	if len(clusters) == len(list) {
		return stats.Mean(costs, 0, math.Inf(1))
	}
	ids := make([]int, 0, len(list))
	for c, n := range clusters {
		for range n {
			ids = append(ids, c)
		}
	}
	return stats.MeanByCluster(costs, ids, 0, math.Inf(1))
}

// best finds the threshold at which tickets cost least if those below it are handed over: the highest of equals, since a person is to
// be preferred then.
func best(list []priced, handover float64) *results.HandoverFigures {
	order := make([]int, 0, len(list))
	for i := range list {
		if !math.IsNaN(list[i].sure) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].sure, list[a].sure) })
	taken, paid := 0, 0.0
	out := &results.HandoverFigures{Cost: handover, Threshold: math.NaN()}
	least := handover // of all
	for i := 0; i < len(order); {
		sure := list[order[i]].sure
		for ; i < len(order) && list[order[i]].sure == sure; i++ {
			paid += list[order[i]].cost
			taken++
		}
		if v := (paid + float64(handover*float64(len(list)-taken))) / float64(len(list)); v < least-1e-9 {
			least, out.Threshold, out.Taken = v, sure, taken
		}
	}
	costs := make([]float64, len(list))
	for i := range list {
		costs[i] = handover
		if out.Taken > 0 && list[i].sure >= out.Threshold { // NaN is not
			costs[i] = list[i].cost
		}
	}
	out.Mean = mean(list, costs)
	out.Coverage = stats.Share(out.Taken, len(list))
	return out
}
