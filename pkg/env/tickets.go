package env

import (
	"context"
	"sort"
	"strconv"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/triage"
)

var _ Grading = (*TicketsEnv)(nil)

// TicketsTask is the name of the task that plays imported tickets.
const TicketsTask = "tickets"

// Rows gives imported tickets by index; it is safe for concurrent use.
type Rows interface {
	Len() int
	Case(i int) (triage.Case, error)
}

// TicketsEnv plays imported tickets: one ticket an episode, one step; the seed is the ticket's index.
type TicketsEnv struct {
	base
	rows    Rows
	allowed map[string][]string
	columns []string
	ticket  triage.Case
	summary triage.Summary
}

// NewTickets makes the environment of imported tickets; allowed maps each label column to its values.
func NewTickets(rows Rows, allowed map[string][]string) *TicketsEnv {
	e := &TicketsEnv{rows: rows, allowed: allowed}
	e.task = triage.Task{Name: TicketsTask, Track: triage.Dataset, Tickets: 1, MaxSteps: 1}
	e.split = triage.Test
	for c := range allowed {
		e.columns = append(e.columns, c)
	}
	sort.Strings(e.columns)
	e.sources = func(triage.Split) (Source, error) { return nil, nil }
	return e
}

// Reset shows the ticket with the index opts.Seed.
func (e *TicketsEnv) Reset(_ context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	if e.rows.Len() == 0 {
		return triage.StepResult{}, &triage.Error{Code: triage.CodeUsage, Message: "reset: there are no tickets"}
	}
	if opts.Seed < 0 || opts.Seed >= int64(e.rows.Len()) {
		return triage.StepResult{}, usage("seed", strconv.FormatInt(opts.Seed, 10), "0 to "+strconv.Itoa(e.rows.Len()-1)+", the index of a ticket")
	}
	if _, err := e.begin(opts); err != nil {
		return triage.StepResult{}, err
	}
	c, err := e.rows.Case(int(opts.Seed))
	if err != nil {
		e.started = false
		return triage.StepResult{}, &triage.Error{Code: triage.CodeUnavailable, Message: "read ticket", Err: err}
	}
	e.ticket, e.summary = c, triage.Summary{}
	e.current = triage.StepResult{Observation: triage.Observation{Dataset: &triage.DatasetObservation{
		TicketID: c.Ticket.ID, Subject: c.Ticket.Subject, Body: c.Ticket.Body, Fields: c.Ticket.Fields, Labels: e.allowed}}}
	return e.current, nil
}

// Step answers the ticket and ends the episode. Its reward is the mean over the label columns.
func (e *TicketsEnv) Step(_ context.Context, a triage.Action) (triage.StepResult, error) {
	if !e.started || e.done {
		_, err := e.check(&a)
		return triage.StepResult{}, err
	}
	if err := a.Validate(triage.Dataset, e.allowed); err != nil {
		if e.opts.OnInvalid != triage.InvalidIsEmpty {
			return triage.StepResult{}, err
		}
		a = triage.Action{Track: triage.Dataset}
	}
	score := grade.Labels(e.columns, e.ticket.Truth.Labels, a.Labels)
	e.last = &score
	e.summary = triage.Summary{Score: score.Total, Efficiency: 1, Reward: score.Total}
	e.steps, e.done = 1, true
	e.current.Reward, e.current.Done = score.Total, true
	return e.current, nil
}

// Summary has the figures of the episode once it is done.
func (e *TicketsEnv) Summary() (triage.Summary, bool) { return e.summary, e.started && e.done }

// Truth is the right answer of the ticket.
func (e *TicketsEnv) Truth() (triage.Truth, bool) { return e.ticket.Truth, e.started && !e.done }
