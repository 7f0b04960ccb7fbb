package audit

import (
	"context"
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

const (
	nameOpen           = "regenerator:open"
	nameHidden         = "regenerator:secret"
	nameConstantHidden = "constant:secret" // the floor on the tickets that the secret makes
)

// auditSecret hides tickets where the audit is given no secret of its own. It keeps nothing safe: it stands here.
var auditSecret = []byte("a secret of the audit: 32 bytes.")

// hidden is the secret of the environments whose tickets an attacker cannot make again.
func (a *audit) hidden() []byte {
	if len(a.Secret) > 0 {
		return a.Secret
	}
	return auditSecret
}

// regenerator makes the tickets of the episode again, from the seed, the code and the bank, and reads their truth. It does
// not have the secret.
type regenerator struct {
	tickets Tickets
	seed    int64
}

var _ triage.Starter = (*regenerator)(nil)

// Start takes the seed, which whoever asks for an episode knows.
func (r *regenerator) Start(key triage.Key) { r.seed = key.Seed }

// Act answers with the labels of the ticket that the seed gives without a secret.
func (r *regenerator) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	position := 0
	if o.Queue != nil {
		position = o.Queue.Position
	}
	c := r.tickets(r.seed, position)
	if q := c.Truth.Queue; o.Queue != nil && q != nil {
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: q.Route, Urgency: q.Urgency,
			Difficulty: q.Difficulty, Priority: triage.IntOf(q.Priority)}}, nil
	}
	d := c.Truth.Desk
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: d.Category, Priority: d.Priority,
		UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department, Recommendation: recommend(d.Category, d.Entities)}}, nil
}

// enterRegenerator enters the attack against environments without a secret and with one.
func enterRegenerator(a *arena) ([]contender, error) {
	tickets, err := a.Source(a.task, a.Split)
	if err != nil {
		return nil, err
	}
	agent := func() (triage.Agent, error) { return &regenerator{tickets: tickets}, nil }
	floor := a.named(nameConstant)
	floor.name, floor.secret = nameConstantHidden, a.hidden()
	return []contender{{name: nameOpen, agent: agent}, {name: nameHidden, secret: a.hidden(), agent: agent}, floor}, nil
}

// sampling is how many standard errors two means that are truly equal may lie apart by chance; at three it happens once in
// 700 audits.
const sampling = 3

// judgeRegenerator expects all without a secret, as that is what a seed is for, and nothing with one. Labels drawn anew are
// a guess, which earns less than the constant answer on the whole but may be luckier on a few tickets: the margin is three
// standard errors of the difference on the same tickets.
func judgeRegenerator(a *arena) ([]triage.Check, error) {
	m, se := a.mean(nameHidden, score)
	bar, _ := a.mean(nameConstantHidden, score)
	d, dse := a.difference(nameHidden, nameConstantHidden)
	return []triage.Check{
		a.equals(nameOpen, "makes the labels again from the seed, no secret", 1),
		a.check(nameHidden, "makes the labels again from the seed, against a secret",
			fmt.Sprintf("at most %.3f, as constant there, + %.3f (%d s.e.)", bar, float64(sampling*dse), sampling),
			told(m, se), d <= float64(sampling*dse)+exact),
	}, nil
}
