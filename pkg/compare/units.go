package compare

import (
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// unit is a ticket, or an episode, of one side: the mean over its trials.
type unit struct {
	Place               // of a ticket: Position is its own
	index         int32 // of a ticket in its episode, -1 for an episode
	trials, right float64
	broke         bool
	score         float64
	text, answer  uint64
	scenario      string
	parts         []float64 // the mean value of each part, then the share of values that are 1; NaN where it was not asked for, nil without parts
	efficiency    float64   // of episodes only, as reward and success
	reward        float64
	success       float64
}

// sizes says how many tickets the episodes of a task have, as far as anything scored tells: for episodes that broke.
type sizes struct {
	task  triage.Task
	at    map[Place]int
	usual int
}

func sizesOf(task triage.Task, sides ...*TaskSide) *sizes {
	z := &sizes{task: task, at: map[Place]int{}}
	for _, s := range sides {
		for i := range s.Episodes {
			e := &s.Episodes[i]
			if n := len(e.Tickets); e.Scored && n > 0 {
				z.at[e.Place] = max(z.at[e.Place], n)
				if e.Position < 0 {
					z.usual = max(z.usual, n)
				}
			}
		}
	}
	return z
}

// of is the number of tickets of an episode: as many as another playing of it had, else as usual, else as the task says.
func (z *sizes) of(at Place) int {
	switch n := z.at[at]; {
	case n > 0:
		return n
	case at.Position >= 0 || z.task.Track != triage.Queue:
		return 1
	case z.usual > 0:
		return z.usual
	}
	return max(1, z.task.Tickets)
}

// hasTickets tells whether every scored episode of a task has single tickets.
func hasTickets(s *TaskSide) bool {
	return len(s.Episodes) > 0 && !slices.ContainsFunc(s.Episodes, func(e Episode) bool { return e.Scored && e.Tickets == nil })
}

// sharedParts names the parts that graded tickets of all sides have, in the order of tables; further ones follow by name.
func sharedParts(task triage.Task, sides ...*TaskSide) []string {
	counts := map[string]int{}
	for _, s := range sides {
		has := map[string]bool{}
		for i := range s.Episodes {
			for j := range s.Episodes[i].Tickets {
				for _, p := range s.Episodes[i].Tickets[j].Parts {
					has[p.Name] = true
				}
			}
		}
		for name := range has {
			counts[name]++
		}
	}
	var out, further []string
	for _, name := range results.PartNames(task) {
		if counts[name] == len(sides) {
			out = append(out, name)
		}
	}
	for name, n := range counts {
		if n == len(sides) && !slices.Contains(out, name) {
			further = append(further, name)
		}
	}
	slices.Sort(further)
	return append(out, further...)
}

// gather makes the units of a side, in the order of places.
type gather struct {
	index map[Place]int
	list  []unit
	task  triage.Task
	names []string
}

// at finds the unit of a place, or adds it.
func (g *gather) at(p Place, index int32) *unit {
	i, ok := g.index[p]
	if !ok {
		i = len(g.list)
		g.index[p] = i
		g.list = append(g.list, unit{Place: p, index: index})
	}
	return &g.list[i]
}

// finish turns sums into means.
func (g *gather) finish() []unit {
	for i := range g.list {
		u := &g.list[i]
		u.score /= u.trials
		u.right /= u.trials
		u.efficiency /= u.trials
		u.reward /= u.trials
		u.success /= u.trials
		for j := range u.parts {
			u.parts[j] /= u.trials
		}
	}
	slices.SortFunc(g.list, func(a, b unit) int { return a.compare(b.Place) })
	return g.list
}

// ticketUnits gives the tickets of a side. A ticket that is played several times, alone or in its episode, is one. Of an episode that
// broke every ticket counts as 0, also those that were answered before, as the episode does.
func ticketUnits(s *TaskSide, z *sizes, names []string) []unit {
	g := gather{index: map[Place]int{}, task: s.Task, names: names}
	for i := range s.Episodes {
		e := &s.Episodes[i]
		n := len(e.Tickets)
		if !e.Scored {
			n = z.of(e.Place)
		}
		for j := range n {
			u := g.at(Place{e.Seed, max(e.Position, 0) + int32(j)}, int32(j))
			u.trials++
			if !e.Scored {
				u.broke = true
				continue
			}
			g.ticket(u, &e.Tickets[j])
		}
	}
	return g.finish()
}

func (g *gather) ticket(u *unit, t *Ticket) {
	u.score += t.Score
	if results.Right(g.task, t.Score) {
		u.right++
	}
	if u.text == 0 {
		u.text = t.Text
	}
	u.answer = u.answer*31 + t.Answer // of all trials, in their order
	if u.scenario == "" {
		u.scenario = t.Scenario
	}
	if len(t.Parts) == 0 || len(g.names) == 0 {
		return
	}
	if u.parts == nil {
		u.parts = make([]float64, 2*len(g.names))
	}
	for j, name := range g.names {
		i := slices.IndexFunc(t.Parts, func(p triage.Part) bool { return p.Name == name })
		switch {
		case i < 0: // an imported ticket that lacks this label is not asked for it
			u.parts[j], u.parts[len(g.names)+j] = math.NaN(), math.NaN()
			continue
		case t.Parts[i].Value == 1:
			u.parts[len(g.names)+j]++
		}
		u.parts[j] += t.Parts[i].Value
	}
}

// episodeUnits gives the episodes of a side. What an episode that broke has is 0; what is not known is NaN.
func episodeUnits(s *TaskSide) []unit {
	g := gather{index: map[Place]int{}}
	for i := range s.Episodes {
		e := &s.Episodes[i]
		u := g.at(e.Place, -1)
		u.trials++
		if !e.Scored {
			u.broke = true
			continue
		}
		u.score += e.Score
		u.efficiency += e.Efficiency
		u.reward += e.Reward
		if s.Task.Pass(e.Score) {
			u.success++
			u.right++
		}
		if len(e.Tickets) == 1 { // the episode is a ticket, and of its scenario
			u.text, u.scenario = e.Tickets[0].Text, e.Tickets[0].Scenario
		}
	}
	return g.finish()
}
