package server_test

import (
	"context"

	"github.com/triagebench/triage/pkg/triage"
)

// scripted is an environment whose step a test writes. Its episodes have one ticket and do not end by themselves.
type scripted struct {
	step    func(a triage.Action) (triage.StepResult, error) // nil answers at once
	opts    triage.ResetOptions
	current triage.Observation
	steps   int
}

// ticketOf is what scripted environments show.
func ticketOf(text string) triage.Observation {
	return triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy", TotalTickets: 1, Remaining: 1, Message: text,
		Ticket: &triage.QueueTicket{ID: "TKT-10000", Subject: "subject", Description: text}}}
}

func (s *scripted) Reset(_ context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	s.opts, s.steps, s.current = opts, 0, ticketOf("begun")
	return triage.StepResult{Observation: s.current}, nil
}

func (s *scripted) Step(_ context.Context, a triage.Action) (triage.StepResult, error) {
	r := triage.StepResult{Observation: ticketOf("stepped")}
	if s.step != nil {
		var err error
		if r, err = s.step(a); err != nil {
			return r, err
		}
	}
	s.steps++
	s.current = r.Observation
	return r, nil
}

func (s *scripted) State() triage.State {
	return triage.State{EpisodeID: s.opts.EpisodeID, StepCount: s.steps, Track: triage.Queue, Task: "queue-easy", Split: s.opts.Split, Observation: s.current}
}
