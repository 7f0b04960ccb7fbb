package audit

import "github.com/triagebench/triage/pkg/triage"

// The ceilings of agents that read nothing, and of all numbers of a desk ticket together.
const (
	blindQueue, blindDesk = 0.40, 0.45
	randomQueue           = 0.30
	copiedEasy            = 0.80 // a field copied on queue-easy, where the form is always right
	numbersDesk           = 0.55
)

const nameConstant, nameMajority, nameRandom = "constant", "majority", "random"

// enterBlind enters the agents that read nothing.
func enterBlind(a *arena) ([]contender, error) {
	answer := majority(a.task, a.train)
	if a.task.Track == triage.Desk {
		answer.Desk.Recommendation = a.constant.Desk.Recommendation
	}
	m := contender{name: nameMajority, secret: a.Secret, agent: func() (triage.Agent, error) {
		return agentFunc(func(triage.Observation) (triage.Action, error) { return answer, nil }), nil
	}}
	return []contender{a.named(nameConstant), m, a.named(nameRandom)}, nil
}

func judgeBlind(a *arena) ([]triage.Check, error) {
	ceiling := blindQueue
	if a.task.Track == triage.Desk {
		ceiling = blindDesk
	}
	out := []triage.Check{
		a.atMost(nameConstant, "the best single answer, found on train", ceiling),
		a.atMost(nameMajority, "the most frequent label of each kind on train", ceiling),
	}
	if a.task.Track == triage.Queue {
		return append(out, a.under(nameRandom, "uniform over all answers", randomQueue)), nil
	}
	return append(out, a.atMost(nameRandom, "uniform over all answers", ceiling)), nil
}

// majority answers each field with its most frequent label.
func majority(task triage.Task, train []triage.Case) triage.Action {
	if task.Track == triage.Queue {
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{
			Route:      most(train, triage.Routes(), func(c *triage.Case) triage.Route { return c.Truth.Queue.Route }),
			Urgency:    most(train, triage.Urgencies(), func(c *triage.Case) triage.Urgency { return c.Truth.Queue.Urgency }),
			Difficulty: most(train, triage.Resolutions(), func(c *triage.Case) triage.Resolution { return c.Truth.Queue.Difficulty }),
			Priority:   triage.IntOf(most(train, upTo(100), func(c *triage.Case) int { return c.Truth.Queue.Priority })),
		}}
	}
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{
		Category:    most(train, triage.Categories(), func(c *triage.Case) triage.Category { return c.Truth.Desk.Category }),
		Priority:    most(train, triage.Priorities(), func(c *triage.Case) triage.Priority { return c.Truth.Desk.Priority }),
		UrgencyDays: triage.IntOf(most(train, upTo(7), func(c *triage.Case) int { return c.Truth.Desk.UrgencyDays })),
		Department:  most(train, triage.Departments(), func(c *triage.Case) triage.Department { return c.Truth.Desk.Department }),
	}}
}

// upTo lists the numbers from 0 to n.
func upTo(n int) []int {
	out := make([]int, n+1)
	for i := range out {
		out[i] = i
	}
	return out
}

// most gives the most frequent of some values, the first of them if several are.
func most[T comparable](cases []triage.Case, values []T, of func(*triage.Case) T) T {
	counts := map[T]int{}
	for i := range cases {
		counts[of(&cases[i])]++
	}
	best := values[0]
	for _, v := range values[1:] {
		if counts[v] > counts[best] {
			best = v
		}
	}
	return best
}
