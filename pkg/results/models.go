package results

import (
	"cmp"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Total is a sum of figures that an endpoint may not tell: Unknown are the decisions for which it did not. A total of which
// anything is unknown is unknown, never a part of it.
type Total struct {
	Sum     int64
	Unknown int
}

func (t *Total) add(v triage.Int) {
	if v.Set {
		t.Sum += int64(v.Value)
		return
	}
	t.Unknown++
}

func (t *Total) join(o Total) {
	t.Sum += o.Sum
	t.Unknown += o.Unknown
}

// Known gives the total, with false where a part of it is unknown.
func (t Total) Known() (int64, bool) { return t.Sum, t.Unknown == 0 }

// ModelFigures are what a model's replies on one task were like, and what they cost.
type ModelFigures struct {
	Decisions int            // that were asked for, those of broken episodes included
	Stages    map[string]int // decisions by the stage at which their reply was read
	Causes    map[string]int // decisions by the cause of what is wrong with their reply
	Coerced   int            // decisions of which a value was taken for another
	Reasked   int            // decisions for which the model was asked again
	Calls     int            // replies in all
	// Served are the models that the endpoint says it answered with, and its fingerprints, by decisions.
	Served, Fingerprints map[string]int
	// Tokens, and the cost in nano-dollars (10^-9 US dollars), of all replies.
	In, Out, Cached, Reasoning, Cost Total
	// Strict is the mean score if only decisions that were read without any leniency count, and the others are 0.
	Strict stats.Estimate
}

// modelTally adds up the figures of one agent on one task.
type modelTally struct {
	figures ModelFigures
	strict  []placed
}

type placed struct {
	place int
	value float64
}

// Models adds up what the replies of models were like. Agents that tell nothing of that have no figures.
type Models struct{ tallies map[Pair]*modelTally }

// Pair is an agent on a task.
type Pair struct{ Agent, Task string }

// NewModels makes an empty sum.
func NewModels() *Models { return &Models{tallies: map[Pair]*modelTally{}} }

// Add adds an episode at its place in the plan. The order of calls does not matter.
func (m *Models) Add(place int, ep *triage.Episode) {
	pair := Pair{ep.Key.Agent, ep.Key.Task}
	told := false
	for i := range ep.Steps {
		s := &ep.Steps[i]
		if s.Usage == nil && s.Reply == nil {
			continue
		}
		told = true
		m.of(pair).figures.step(s)
	}
	if told && ep.Score != nil {
		t := m.of(pair)
		t.strict = append(t.strict, placed{place, strictScore(ep)})
	}
}

func (m *Models) of(p Pair) *modelTally {
	t := m.tallies[p]
	if t == nil {
		t = &modelTally{figures: newModelFigures()}
		m.tallies[p] = t
	}
	return t
}

func newModelFigures() ModelFigures {
	return ModelFigures{Stages: map[string]int{}, Causes: map[string]int{}, Served: map[string]int{}, Fingerprints: map[string]int{}}
}

func (f *ModelFigures) step(s *triage.Step) {
	f.Decisions++
	if u := s.Usage; u != nil {
		f.Calls += u.Calls
		f.In.add(u.TokensIn)
		f.Out.add(u.TokensOut)
		f.Cached.add(u.TokensCached)
		f.Reasoning.add(u.TokensReasoning)
		f.Cost.add(u.CostNano)
	}
	if r := s.Reply; r != nil {
		f.Stages[r.Stage]++
		if r.Cause != "" {
			f.Causes[r.Cause]++
		}
		if len(r.Coerced) > 0 {
			f.Coerced++
		}
		if len(r.Before) > 0 {
			f.Reasked++
		}
		if r.Model != "" {
			f.Served[r.Model]++
		}
		if r.Fingerprint != "" {
			f.Fingerprints[r.Fingerprint]++
		}
	}
}

// strictScore is the score of an episode if only what was read without leniency counts. On the queue track each ticket
// stands for itself; elsewhere an episode is one ticket, and its score counts if every reply was exact.
func strictScore(ep *triage.Episode) float64 {
	graded, sum, all := 0, 0.0, true
	for i := range ep.Steps {
		s := &ep.Steps[i]
		exact := s.Reply != nil && s.Reply.Exact() && s.Error == ""
		all = all && exact
		if s.Score == nil {
			continue
		}
		graded++
		if exact {
			sum += triage.Rounded(s.Score.Total)
		}
	}
	task, err := triage.TaskByName(ep.Key.Task)
	switch {
	case err == nil && task.Track == triage.Queue && graded > 0:
		return sum / float64(graded)
	case all:
		return triage.Rounded(*ep.Score)
	}
	return 0
}

// Of gives the figures of an agent on a task; ok is false where there are none.
func (m *Models) Of(agent, task string) (f ModelFigures, ok bool) {
	t := m.tallies[Pair{agent, task}]
	if t == nil {
		return f, false
	}
	f = t.figures
	list := slices.Clone(t.strict)
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	values := make([]float64, len(list))
	for i, p := range list {
		values[i] = p.value
	}
	f.Strict = stats.Mean(values, 0, 1)
	return f, true
}

// Join adds figures of another task; Strict is left alone.
func (f *ModelFigures) Join(o *ModelFigures) {
	if f.Stages == nil {
		*f = newModelFigures()
	}
	f.Decisions += o.Decisions
	f.Coerced += o.Coerced
	f.Reasked += o.Reasked
	f.Calls += o.Calls
	for _, p := range [...]struct{ to, from map[string]int }{{f.Stages, o.Stages}, {f.Causes, o.Causes}, {f.Served, o.Served}, {f.Fingerprints, o.Fingerprints}} {
		for k, v := range p.from {
			p.to[k] += v
		}
	}
	for _, p := range [...]struct{ to, from *Total }{{&f.In, &o.In}, {&f.Out, &o.Out}, {&f.Cached, &o.Cached}, {&f.Reasoning, &o.Reasoning}, {&f.Cost, &o.Cost}} {
		p.to.join(*p.from)
	}
}

// object is the form of the figures in a results file: integers, and null for what is unknown.
func (f *ModelFigures) object() map[string]any {
	total := func(t Total) any {
		if v, ok := t.Known(); ok {
			return v
		}
		return nil
	}
	return map[string]any{
		"decisions": f.Decisions, "stages": f.Stages, "causes": f.Causes, "coerced": f.Coerced, "reasked": f.Reasked, "calls": f.Calls,
		"tokens_in": total(f.In), "tokens_out": total(f.Out), "tokens_cached": total(f.Cached), "tokens_reasoning": total(f.Reasoning),
		"cost_nano_usd": total(f.Cost), "strict_score": estimate(f.Strict), "served": f.Served, "fingerprints": f.Fingerprints,
	}
}
