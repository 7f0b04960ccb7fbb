package audit

import (
	"context"

	"github.com/triagebench/triage/pkg/triage"
)

// guesser makes the tickets of the episode again, without a secret, as [regenerator] does. Where the server chooses the seeds, it
// looks the first ticket up among those of the first seeds, which are what a server of ours takes in order.
type guesser struct {
	regenerator
	task   string
	server *server
}

// Act answers with the labels of the ticket that the seed gives.
func (g *guesser) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	if g.server.sealed && (o.Desk != nil || o.Queue.Position == 0) {
		seed, ok := g.server.guesses[g.task][textOf(o)]
		if !ok {
			seed = g.seed // another one's labels
		}
		g.seed = seed
	}
	return g.regenerator.Act(ctx, o)
}

// enterServerRegenerator enters the attack. Its name says what is expected of it.
func enterServerRegenerator(a *arena) ([]contender, error) {
	tickets, err := a.Source(a.task, a.Split)
	if err != nil {
		return nil, err
	}
	name := nameHidden
	if a.server.open[a.task.Name] && !a.server.sealed {
		name = nameOpen
	}
	return []contender{{name: name, agent: func() (triage.Agent, error) {
		return &guesser{regenerator: regenerator{tickets: tickets}, task: a.task.Name, server: a.server}, nil
	}}}, nil
}

// judgeServerRegenerator expects all without a secret, as that is what a seed is for, and nothing with one. A sealed server must
// have one.
func judgeServerRegenerator(a *arena) ([]triage.Check, error) {
	const open, hidden = "makes the labels again from the seed, no secret", "makes the labels again from the seed, against a secret"
	skip := func(name, what, expected, why string) triage.Check {
		c := a.check(name, what, expected, "", false)
		c.Skipped = why
		return c
	}
	if _, ok := a.results[nameOpen]; ok {
		return []triage.Check{a.equals(nameOpen, open, 1), skip(nameHidden, hidden, "at most as "+nameConstant, "the server has no secret")}, nil
	}
	why := "the server has a secret, or another bank or version"
	if a.server.sealed {
		why = "a sealed server lets nobody choose the seed"
	}
	return []triage.Check{skip(nameOpen, open, "1.000 in every episode", why), a.noBetter(nameHidden, hidden, nameConstant)}, nil
}
