package audit

import (
	"context"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// hope plays the task of a sealed server again and again, hoping that tickets come back, and answers those that do by what it
// learnt of them. It gives the outcome of the last time.
func (p *replayer) hope(ctx context.Context) (outcome, error) {
	known := map[string]*tried{}
	paid := 0.0
	for range rounds + 1 {
		r, err := p.reset(ctx, 0)
		paid = 0
		for err == nil && !r.Done {
			text := textOf(r.Observation)
			t := known[text]
			if t == nil {
				t = &tried{high: -1}
				known[text] = t
			}
			a := t.next(r.Observation, p.constant)
			if r, err = p.env.Step(ctx, a); err == nil {
				t.learn(a, r)
				paid += r.Reward
			}
		}
		if err != nil {
			return outcome{}, err
		}
	}
	return summary(p.env, paid)
}

// tried is what a ticket paid for the answers that it was given.
type tried struct {
	known
	told  bool // parts were
	times int
	best  triage.Action
	high  float64
}

// next is the constant answer for a new ticket; then what the parts that were told leave open, or else another route or category
// each time, and in the end what paid most.
func (t *tried) next(o triage.Observation, constant triage.Action) triage.Action {
	t.times++
	switch {
	case t.times == 1:
		t.known = unknown()
		t.first(constant)
		return constant
	case o.Queue != nil && t.told:
		return queueAnswer(&o.Queue.Ticket.Metadata, t.routes[0], t.urgencies[0], t.difficulties[0])
	case t.times > rounds:
		return t.best
	case o.Queue != nil:
		return queueAnswer(&o.Queue.Ticket.Metadata, t.routes[t.times-1], t.urgencies[0], t.difficulties[0])
	case t.times <= 1+len(triage.Categories()):
		c := triage.Categories()[t.times-2]
		return deskAnswer(o.Desk, c, t.times, order+handbook.KindWords(c)[0].Word+".")
	}
	return t.best
}

// first puts the values of an answer in front.
func (k *known) first(a triage.Action) {
	k.routes = front(k.routes, a.Queue.Route)
	k.urgencies = front(k.urgencies, a.Queue.Urgency)
	k.difficulties = front(k.difficulties, a.Queue.Difficulty)
}

func front[T comparable](list []T, v T) []T {
	out := []T{v}
	for _, x := range list {
		if x != v {
			out = append(out, x)
		}
	}
	return out
}

// learn keeps what was told of an answer.
func (t *tried) learn(a triage.Action, r triage.StepResult) {
	if q := r.Observation.Queue; q != nil && q.LastResult != nil {
		t.known.learn(q.LastResult.Parts)
		t.told = true
	}
	if r.Reward > t.high {
		t.best, t.high = a, r.Reward
	}
}
