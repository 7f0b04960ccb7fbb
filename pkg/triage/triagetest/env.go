package triagetest

import (
	"context"

	"github.com/triagebench/triage/pkg/triage"
)

var (
	_ triage.Env    = (*Env)(nil)
	_ triage.Env    = (*GradingEnv)(nil)
	_ triage.Grader = (*GradingEnv)(nil)
)

// Env is an environment of function fields; a call of one that is nil gives [ErrUnexpected]. It cannot tell how answers were
// graded, like a remote environment.
type Env struct {
	ResetFunc func(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error)
	StepFunc  func(ctx context.Context, a triage.Action) (triage.StepResult, error)
	StateFunc func() triage.State
}

// Reset calls ResetFunc.
func (e *Env) Reset(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	if e.ResetFunc == nil {
		return triage.StepResult{}, ErrUnexpected
	}
	return e.ResetFunc(ctx, opts)
}

// Step calls StepFunc.
func (e *Env) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if e.StepFunc == nil {
		return triage.StepResult{}, ErrUnexpected
	}
	return e.StepFunc(ctx, a)
}

// State calls StateFunc, or gives the zero state.
func (e *Env) State() triage.State {
	if e.StateFunc == nil {
		return triage.State{}
	}
	return e.StateFunc()
}

// GradingEnv is an [Env] that can tell how answers were graded.
type GradingEnv struct {
	Env
	LastScoreFunc func() *triage.Score
	SummaryFunc   func() (triage.Summary, bool)
}

// LastScore calls LastScoreFunc, or gives nil.
func (e *GradingEnv) LastScore() *triage.Score {
	if e.LastScoreFunc == nil {
		return nil
	}
	return e.LastScoreFunc()
}

// Summary calls SummaryFunc, or gives no summary.
func (e *GradingEnv) Summary() (triage.Summary, bool) {
	if e.SummaryFunc == nil {
		return triage.Summary{}, false
	}
	return e.SummaryFunc()
}

// Queue is a small environment of the queue track that works: tickets of a fixed form, each answer worth 1 if its route is
// billing. It validates actions, and its observations depend on the seed and the position only.
func Queue(tickets int) *GradingEnv {
	var (
		seed    int64
		n, done int
		sum     float64
		last    *triage.Score
	)
	observe := func() triage.Observation {
		o := &triage.QueueObservation{Task: "queue-easy", Position: done, TotalTickets: n, Remaining: n - done}
		if done < n {
			o.Ticket = &triage.QueueTicket{ID: TicketID(seed, done), Subject: "subject", Description: "description"}
		}
		return triage.Observation{Queue: o}
	}
	e := &GradingEnv{}
	e.ResetFunc = func(_ context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
		seed, n, done, sum, last = opts.Seed, tickets, 0, 0, nil
		if opts.Tickets > 0 {
			n = opts.Tickets
		}
		return triage.StepResult{Observation: observe()}, nil
	}
	e.StepFunc = func(_ context.Context, a triage.Action) (triage.StepResult, error) {
		if done == n {
			return triage.StepResult{}, &triage.Error{Code: triage.CodeDone, Message: "done"}
		}
		if err := a.Validate(triage.Queue, nil); err != nil {
			return triage.StepResult{}, err
		}
		value := 0.0
		if a.Queue.Route == triage.Billing {
			value = 1
		}
		last = &triage.Score{Total: value, Parts: []triage.Part{{Name: "route", Value: value, Weight: 1}}}
		done++
		sum += value
		return triage.StepResult{Observation: observe(), Reward: value / float64(n), Done: done == n}, nil
	}
	e.LastScoreFunc = func() *triage.Score { return last }
	e.SummaryFunc = func() (triage.Summary, bool) {
		return triage.Summary{Score: sum / float64(n), Efficiency: 1, Reward: sum / float64(n)}, n > 0 && done == n
	}
	return e
}
