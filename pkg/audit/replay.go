package audit

import (
	"context"

	"github.com/triagebench/triage/pkg/triage"
)

// replays are the ways to play a seed again and again.
var replays = []struct {
	name, what  string
	fresh, less bool
}{
	{name: "replay:same", what: "learns from the rewards of a seed that it plays again and again"},
	{name: "replay:new-environments", what: "the same with a new environment each time", fresh: true},
	{name: "replay:fewer-tickets", what: "the same with fewer tickets, one more at a time", less: true},
}

// enterReplay enters the agents that replay a seed until they know its labels.
func enterReplay(a *arena) ([]contender, error) {
	var out []contender
	for _, r := range replays {
		if r.less && (a.task.Track == triage.Desk || a.isSealed()) {
			continue // a desk episode has one ticket, and who is sealed gives no fewer
		}
		out = append(out, contender{name: r.name, secret: a.Secret,
			attack: func(ctx context.Context, e triage.Env, key triage.Key) (outcome, error) {
				p := &replayer{arena: a, env: e, seed: key.Seed, fresh: r.fresh}
				defer p.close()
				if a.isSealed() {
					return p.hope(ctx)
				}
				if a.task.Track == triage.Desk {
					return p.desk(ctx)
				}
				return p.queue(ctx, r.less)
			}})
	}
	return out, nil
}

// judgeReplay only prints: who may choose seeds and sees rewards can do this. A sealed server is against it, and must let nobody
// gain by it.
func judgeReplay(a *arena) ([]triage.Check, error) {
	var out []triage.Check
	for _, r := range replays {
		_, played := a.results[r.name]
		switch {
		case played && a.isSealed():
			out = append(out, a.noBetter(r.name, r.what, nameConstant))
		case played:
			out = append(out, a.tell(r.name, r.what))
		case a.task.Track == triage.Queue:
			c := a.check(r.name, r.what, "at most as "+nameConstant, "", false)
			c.Skipped = "a sealed server gives no fewer tickets: server/sealed/options"
			out = append(out, c)
		}
	}
	return out, nil
}

// replayer plays one seed several times.
type replayer struct {
	*arena
	env   triage.Env
	seed  int64
	fresh bool // a new environment for each episode
	own   bool // env was made here
}

// close ends an environment that was made here.
func (p *replayer) close() {
	if p.own {
		closeEnv(p.env)
	}
}

// reset begins the seed again.
func (p *replayer) reset(ctx context.Context, tickets int) (triage.StepResult, error) {
	if p.fresh {
		e, err := p.NewEnv(p.task, p.Split, p.Secret)
		if err != nil {
			return triage.StepResult{}, err
		}
		p.close()
		p.env, p.own = e, true
	}
	return p.env.Reset(ctx, triage.ResetOptions{Seed: p.seed, Tickets: tickets})
}

// rounds is how often a queue ticket must be answered to know it: four wrong routes tell the fifth.
const rounds = 4

// queue learns every ticket and gives the outcome of one more episode.
func (p *replayer) queue(ctx context.Context, less bool) (outcome, error) {
	k := make([]known, p.task.Tickets)
	for i := range k {
		k[i] = unknown()
	}
	from := p.task.Tickets
	if less {
		from = 1
	}
	for n := from; n <= p.task.Tickets; n++ {
		for range rounds {
			if _, err := p.once(ctx, k[:n]); err != nil {
				return outcome{}, err
			}
		}
	}
	paid, err := p.once(ctx, k)
	if err != nil {
		return outcome{}, err
	}
	return summary(p.env, paid)
}

// once plays the first tickets of the seed by what is known of them and learns from what comes back.
func (p *replayer) once(ctx context.Context, k []known) (paid float64, err error) {
	r, err := p.reset(ctx, len(k))
	for i := 0; err == nil && !r.Done; i++ {
		t := &k[i]
		r, err = p.env.Step(ctx, queueAnswer(&r.Observation.Queue.Ticket.Metadata, t.routes[0], t.urgencies[0], t.difficulties[0]))
		if err == nil && r.Observation.Queue.LastResult != nil {
			t.learn(r.Observation.Queue.LastResult.Parts)
		}
		paid += r.Reward
	}
	return paid, err
}

// known is what may still be true of a queue ticket. The first of each list is guessed next.
type known struct {
	routes       []triage.Route
	urgencies    []triage.Urgency
	difficulties []triage.Resolution
}

// unknown is a ticket of which nothing is known; the middle of a scale is guessed first, as it tells most.
func unknown() known {
	return known{routes: triage.Routes(),
		urgencies:    []triage.Urgency{triage.UrgencyMedium, triage.UrgencyLow, triage.UrgencyHigh, triage.UrgencyCritical},
		difficulties: []triage.Resolution{triage.ResolutionMedium, triage.ResolutionEasy, triage.ResolutionHard}}
}

// learn drops what cannot be true after the parts that the guess earned.
func (k *known) learn(parts []triage.Part) {
	for _, part := range parts {
		switch v := part.Value; part.Name {
		case partRoute:
			k.routes = still(k.routes, v, func(x triage.Route) float64 {
				if x == k.routes[0] {
					return 1
				}
				return min(v, 0.99) // a secondary team earns something, and is as wrong as any other
			})
		case partUrgency:
			k.urgencies = still(k.urgencies, v, func(x triage.Urgency) float64 { return levelValue(x.Level() - k.urgencies[0].Level()) })
		case partDifficulty:
			k.difficulties = still(k.difficulties, v, func(x triage.Resolution) float64 {
				return levelValue(x.Level() - k.difficulties[0].Level())
			})
		}
	}
}

// still keeps the values under which the guess would have earned what it did. It never leaves nothing.
func still[T any](list []T, earned float64, value func(T) float64) []T {
	var out []T
	for _, x := range list {
		if value(x) == earned {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// levelValue is what a guess earns that is so many levels off.
func levelValue(off int) float64 {
	switch off {
	case 0:
		return 1
	case 1, -1:
		return 0.5
	}
	return 0
}

// pairs is how many recommendations are tried.
const pairs = 10

// desk tries every category with every number of points, then recommendations, and keeps what paid most.
func (p *replayer) desk(ctx context.Context) (outcome, error) {
	var best triage.Action
	high := -1.0
	try := func(answer func(*triage.DeskObservation) triage.Action) error {
		r, err := p.reset(ctx, 0)
		if err != nil {
			return err
		}
		a := answer(r.Observation.Desk)
		if r, err = p.env.Step(ctx, a); err == nil && r.Reward > high {
			best, high = a, r.Reward
		}
		return err
	}
	for _, c := range triage.Categories() {
		for points := 0; points <= 6; points += 2 {
			if err := try(func(o *triage.DeskObservation) triage.Action { return deskAnswer(o, c, points, keywordsOf(c)) }); err != nil {
				return outcome{}, err
			}
		}
	}
	// A pair of the ticket's words at a time: only pairs of what it is about pay.
	for i := range pairs {
		base := best
		if err := try(func(o *triage.DeskObservation) triage.Action {
			list := append(words(o.IssueText), "ticket") // never empty
			a, b := list[(2*i)%len(list)], list[(2*i+1)%len(list)]
			base.Desk.Recommendation = recommend(base.Desk.Category, [][]string{{a}, {b}})
			return base
		}); err != nil {
			return outcome{}, err
		}
	}
	if err := try(func(*triage.DeskObservation) triage.Action { return best }); err != nil {
		return outcome{}, err
	}
	return summary(p.env, high)
}
