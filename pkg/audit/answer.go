package audit

import (
	"context"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// queueAnswer applies the handbook's arithmetic to the labels that an attack has found for a queue ticket.
func queueAnswer(m *triage.Metadata, r triage.Route, u triage.Urgency, d triage.Resolution) triage.Action {
	priority := 0
	if r != triage.Spam {
		priority = handbook.PriorityScore(u, m.CustomerTier, m.WaitTimeHours, m.IsEscalated, m.PreviousContacts)
	}
	return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: r, Urgency: u, Difficulty: d,
		Priority: triage.IntOf(priority)}}
}

// deskAnswer applies the handbook's arithmetic to the category and the points that an attack has found for a desk ticket.
func deskAnswer(o *triage.DeskObservation, c triage.Category, points int, recommendation string) triage.Action {
	p := handbook.DeskPriority(c, points, o.SentimentScore, o.WaitTimeHours, o.IsEscalated)
	d, _ := handbook.Department(c, o.SentimentScore, o.WaitTimeHours, o.IsEscalated)
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: c, Priority: p,
		UrgencyDays: triage.IntOf(handbook.UrgencyDays(p, o.WaitTimeHours)), Department: d, Recommendation: recommendation}}
}

// recommend writes what is right to do about a request of a category with these entities.
func recommend(c triage.Category, entities [][]string) string {
	return handbook.SampleRecommendation(&triage.DeskTruth{Category: c, Entities: entities})
}

// textOf is the whole text of a ticket, the same for a ticket as it is seen and as it is made.
func textOf(o triage.Observation) string {
	if o.Desk != nil {
		return o.Desk.IssueText
	}
	if t := o.Queue.Ticket; t != nil {
		return t.Subject + "\n\n" + t.Description
	}
	return ""
}

func textOfCase(c *triage.Case) string { return c.Ticket.IssueText() }

// agentFunc is an agent that is a function.
type agentFunc func(o triage.Observation) (triage.Action, error)

// Act answers.
func (f agentFunc) Act(_ context.Context, o triage.Observation) (triage.Action, error) { return f(o) }
