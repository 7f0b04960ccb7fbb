package env

import (
	"context"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

var _ Grading = (*QueueEnv)(nil)

// The messages of the queue track; messageRefused stands before others on both tracks. They never say anything of a ticket.
const (
	messageTicket  = "Triage this ticket."
	messageRefused = "The last action held a wrong value and counted as empty. "
	messageOver    = "The queue is done."
)

// QueueEnv is the environment of the queue track: N tickets, one step each.
type QueueEnv struct {
	base
	source  Source
	tickets int               // of the episode
	id      string            // of the current ticket
	about   *triage.About     // of the current ticket, as truth
	graded  *triage.About     // of the ticket that the last step graded
	truth   triage.QueueTruth // of the current ticket: tickets are made when they are shown, so that an episode that waits holds one
	touches float64
	sum     float64 // of ticket rewards
	routed  int     // right routes
}

// turn is an observation with what it points to, so that a step allocates once.
type turn struct {
	observation triage.QueueObservation
	ticket      triage.QueueTicket
	stats       triage.QueueStats
	result      triage.QueueResult
	score       triage.Score
	parts       [grade.QueueParts]triage.Part // of the score
	shown       [grade.QueueParts]triage.Part // the same without reasons: a reason names the truth
}

// Reset begins an episode.
func (e *QueueEnv) Reset(_ context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	source, err := e.begin(opts)
	if err != nil {
		return triage.StepResult{}, err
	}
	n := e.task.Tickets
	if opts.Tickets > 0 {
		n = opts.Tickets
	}
	e.source, e.tickets = source, n
	e.touches, e.sum, e.routed, e.graded = 0, 0, 0, nil
	e.current = triage.StepResult{Observation: triage.Observation{Queue: e.observe(&turn{}, messageTicket)}}
	return e.current, nil
}

// Step answers the current ticket. Its reward is the ticket's divided by the number of tickets, unless the reset asked
// for another mode.
func (e *QueueEnv) Step(_ context.Context, a triage.Action) (triage.StepResult, error) {
	refused, err := e.check(&a)
	if err != nil {
		return triage.StepResult{}, err
	}
	id, truth, t := e.id, &e.truth, &turn{}
	e.graded = e.about
	score := grade.Queue(t.parts[:0], truth, &a.Queue)
	t.score = score
	e.last = &t.score
	e.sum += score.Total
	e.touches += grade.Touches(truth, &a.Queue)
	if a.Queue.Route == truth.Route {
		e.routed++
	}
	e.steps++
	e.done = e.steps == e.tickets

	for i, p := range score.Parts {
		p.Why = triage.Why{}
		t.shown[i] = p
	}
	t.result = triage.QueueResult{TicketID: id, Reward: score.Total, Correct: score.Total == 1, Parts: t.shown[:len(score.Parts)]}
	message := messageTicket
	if e.done {
		message = messageOver
	}
	if refused {
		message = messageRefused + message
	}
	e.current = triage.StepResult{Observation: triage.Observation{Queue: e.observe(t, message)}, Reward: e.reward(score.Total), Done: e.done}
	return e.current, nil
}

// reward is what the step pays. Dense rewards sum to the score, up to rounding.
func (e *QueueEnv) reward(ticket float64) float64 {
	switch e.opts.Rewards {
	case triage.RewardsTicket:
		return ticket
	case triage.RewardsEpisode:
		if e.done {
			return e.score()
		}
		return 0
	}
	return ticket / float64(e.tickets)
}

func (e *QueueEnv) score() float64 { return e.sum / float64(e.tickets) }

// observe makes the ticket that the agent sees now, if there is one, and fills in the rest.
func (e *QueueEnv) observe(t *turn, message string) *triage.QueueObservation {
	n := e.tickets
	o := &t.observation
	*o = triage.QueueObservation{Task: e.task.Name, Position: e.steps, TotalTickets: n, Remaining: n - e.steps, Stats: &t.stats,
		Message: message}
	if e.steps < n {
		c := e.source.Ticket(e.opts.Seed, e.steps)
		t.ticket, e.id, e.truth = c.Ticket.Queue(), c.Ticket.ID, *c.Truth.Queue
		e.about = aboutOf(c)
		o.Ticket = &t.ticket
	}
	if e.steps > 0 {
		done := float64(e.steps)
		t.stats = triage.QueueStats{Processed: e.steps, MeanReward: e.sum / done, RouteAccuracy: float64(e.routed) / done,
			Efficiency: done / e.touches}
		o.LastResult = &t.result
	}
	return o
}

// About tells what is behind the ticket that the last step graded.
func (e *QueueEnv) About() *triage.About { return e.graded }

// Summary has the figures of the episode once it is done.
func (e *QueueEnv) Summary() (triage.Summary, bool) {
	if !e.started || !e.done {
		return triage.Summary{}, false
	}
	s := e.score()
	return triage.Summary{Score: s, Efficiency: float64(e.tickets) / e.touches, Reward: s}, true
}

// Truth is the right answer of the current ticket.
func (e *QueueEnv) Truth() (triage.Truth, bool) {
	if !e.started || e.done {
		return triage.Truth{}, false
	}
	truth := e.truth
	return triage.Truth{Queue: &truth}, true
}
