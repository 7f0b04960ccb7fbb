package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/near"
)

// matchup says which sides are held against each other.
type matchup struct {
	pairs  [][2]*compare.Side
	ranked []*compare.Side // three and more, the base first; nil where nothing is ranked
	left   []string        // what is in none of them, and why
}

// sides opens the inputs and chooses the agents: a list for each input.
func (o *compareOptions) sides(ctx context.Context, s *sources) ([][]*compare.Side, error) {
	var inputs [][]*compare.Side
	found, known := map[string]bool{}, []string{}
	for _, in := range o.Inputs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		all, err := s.open(in)
		if err != nil {
			return nil, err
		}
		var chosen []*compare.Side
		for _, side := range all {
			if !slices.Contains(known, side.Agent) {
				known = append(known, side.Agent)
			}
			if len(o.Agents) == 0 || slices.Contains(o.Agents, side.Agent) {
				found[side.Agent] = true
				if err := o.filter(side); err != nil {
					return nil, err
				}
				chosen = append(chosen, side)
			}
		}
		if len(o.Agents) > 0 { // their order is that of the flags
			slices.SortStableFunc(chosen, func(a, b *compare.Side) int {
				return slices.Index(o.Agents, a.Agent) - slices.Index(o.Agents, b.Agent)
			})
		}
		inputs = append(inputs, chosen)
	}
	for _, a := range o.Agents {
		if !found[a] {
			return nil, usageError("--agent %s is in none of %s: their agents are %s%s", a, strings.Join(o.Inputs, ", "), strings.Join(known, ", "), near.Hint(a, known))
		}
	}
	for i, list := range inputs {
		if len(list) == 0 {
			return nil, usageError("%s has none of --agent %s", o.Inputs[i], strings.Join(o.Agents, ", "))
		}
	}
	compare.Label(slices.Concat(inputs...))
	return inputs, nil
}

// filter leaves out the tasks that are not asked for.
func (o *compareOptions) filter(s *compare.Side) error {
	var had []string
	for _, t := range s.Tasks {
		had = append(had, t.Task.Name)
	}
	s.Tasks = slices.DeleteFunc(s.Tasks, func(t compare.TaskSide) bool { return !o.wants(t.Task) })
	if len(s.Tasks) > 0 || len(had) == 0 {
		return nil
	}
	var flags []string
	for _, f := range []struct {
		name   string
		values []string
	}{{"tasks", o.Tasks}, {"difficulties", o.Difficulties}, {"track", o.Tracks}} {
		if len(f.values) > 0 {
			flags = append(flags, "--"+f.name+" "+strings.Join(f.values, ","))
		}
	}
	return usageError("%s has no task that %s leaves: it has %s", s.From, strings.Join(flags, " "), strings.Join(had, ", "))
}

// match chooses what is held against what: two agents directly, agents of two runs by their names, one run's agents and three
// inputs and more against the first of them.
func (o *compareOptions) match(inputs [][]*compare.Side) (*matchup, error) {
	if len(inputs) == 2 {
		return o.matchTwo(inputs[0], inputs[1])
	}
	all := slices.Concat(inputs...)
	if len(all) == 1 {
		return nil, usageError("%s has one agent, %s: name a second run to hold it against", o.Inputs[0], all[0].Agent)
	}
	return against(all[0], all[1:]), nil
}

// against holds each side against a base, and ranks them.
func against(base *compare.Side, list []*compare.Side) *matchup {
	m := &matchup{}
	for _, s := range list {
		m.pairs = append(m.pairs, [2]*compare.Side{base, s})
	}
	if len(list) > 1 {
		m.ranked = append([]*compare.Side{base}, list...)
	}
	return m
}

func (o *compareOptions) matchTwo(base, fresh []*compare.Side) (*matchup, error) {
	if len(base) == 1 && len(fresh) == 1 {
		return against(base[0], fresh), nil
	}
	m := &matchup{}
	taken := map[*compare.Side]bool{}
	for _, b := range base {
		for _, n := range fresh {
			if b.Agent == n.Agent {
				m.pairs = append(m.pairs, [2]*compare.Side{b, n})
				taken[b], taken[n] = true, true
			}
		}
	}
	switch {
	case len(m.pairs) == 0 && len(base) == 1:
		return against(base[0], fresh), nil
	case len(m.pairs) == 0:
		return nil, usageError("no agent is in both: %s has %s, %s has %s; --agent picks one of each", o.Inputs[0], agentsOf(base), o.Inputs[1], agentsOf(fresh))
	}
	for _, s := range slices.Concat(base, fresh) {
		if !taken[s] {
			m.left = append(m.left, s.Agent+" is only in "+s.From)
		}
	}
	return m, nil
}

func agentsOf(sides []*compare.Side) string {
	out := make([]string, len(sides))
	for i, s := range sides {
		out[i] = s.Agent
	}
	return strings.Join(out, ", ")
}
