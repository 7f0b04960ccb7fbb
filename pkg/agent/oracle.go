package agent

import (
	"context"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// Oracle answers with the truth, which it asks its environment for. Only local environments tell.
type Oracle struct{ knower triage.Knower }

var _ triage.Attacher = (*Oracle)(nil)

func newOracle() (triage.Agent, error) { return &Oracle{}, nil }

// Attach takes the environment that will be asked.
func (o *Oracle) Attach(env triage.Env) error {
	k, ok := env.(triage.Knower)
	if !ok {
		return &triage.Error{Code: triage.CodeUsage, Message: "the oracle plays local environments only: a remote one does not tell the truth"}
	}
	o.knower = k
	return nil
}

// Act gives the truth of the current ticket.
func (o *Oracle) Act(context.Context, triage.Observation) (triage.Action, error) {
	if o.knower == nil {
		return triage.Action{}, &triage.Error{Code: triage.CodeUsage, Message: "the oracle has no environment to ask"}
	}
	t, ok := o.knower.Truth()
	switch {
	case !ok:
		return triage.Action{}, &triage.Error{Code: triage.CodeUnavailable, Message: "the environment does not tell the truth of this ticket"}
	case t.Labels != nil:
		return triage.Action{Track: triage.Dataset, Labels: t.Labels}, nil
	case t.Queue != nil:
		q := t.Queue
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: q.Route, Urgency: q.Urgency,
			Difficulty: q.Difficulty, Priority: triage.IntOf(q.Priority)}}, nil
	}
	d := t.Desk
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: d.Category, Priority: d.Priority,
		UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department, Recommendation: handbook.SampleRecommendation(d)}}, nil
}
