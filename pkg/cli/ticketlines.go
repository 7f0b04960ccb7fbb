package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// ticketObject is the form of a generated ticket for machines.
type ticketObject struct {
	Ticket    any              `json:"ticket"`
	Truth     *triage.Truth    `json:"truth,omitempty"`
	Facts     *triage.Facts    `json:"facts,omitempty"`
	Sentences []synth.Sentence `json:"sentences,omitempty"`
}

// deskTicket is a desk ticket as it is observed, without what belongs to the running episode.
type deskTicket struct {
	TicketID       string  `json:"ticket_id"`
	CustomerName   string  `json:"customer_name"`
	IssueText      string  `json:"issue_text"`
	SentimentScore float64 `json:"sentiment_score"`
	WaitTimeHours  float64 `json:"wait_time_hours"`
	IsEscalated    bool    `json:"is_escalated"`
}

// observed gives the ticket as an agent of the track sees it.
func observed(task triage.Task, c *triage.Case) any {
	t := &c.Ticket
	if task.Track == triage.Queue {
		return t.Queue()
	}
	return deskTicket{TicketID: t.ID, CustomerName: t.CustomerName, IssueText: t.IssueText(), SentimentScore: t.Sentiment,
		WaitTimeHours: t.Metadata.WaitTimeHours, IsEscalated: t.Metadata.IsEscalated}
}

func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func writeTicketLine(w io.Writer, task triage.Task, c *triage.Case, labels bool) error {
	o := ticketObject{Ticket: observed(task, c)}
	if labels {
		o.Truth, o.Facts = &c.Truth, &c.Facts
	}
	return writeLine(w, o)
}

func writeTicketDetail(w io.Writer, task triage.Task, c *triage.Case, sentences []synth.Sentence) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(ticketObject{Ticket: observed(task, c), Truth: &c.Truth, Facts: &c.Facts, Sentences: sentences})
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// writeChatLine writes messages with handbook, ticket and right action: a line of a fine-tuning file.
func writeChatLine(w io.Writer, task triage.Task, c *triage.Case) error {
	ticket, err := json.Marshal(observed(task, c))
	if err != nil {
		return err
	}
	action := rightAction(task, c)
	var e triage.Encoder
	e.Action(&action)
	asked := "route_category, urgency_assessment, resolution_difficulty and priority_score"
	if task.Track == triage.Desk {
		asked = strings.Join(task.Asked, ", ")
	}
	return writeLine(w, map[string][]chatMessage{"messages": {
		{Role: "system", Content: handbook.Text()},
		{Role: "user", Content: fmt.Sprintf("Triage this ticket by the handbook. Answer with one JSON object with %s.\n\n%s", asked, ticket)},
		{Role: "assistant", Content: string(e.Buf)},
	}})
}

// rightAction is the truth as an action, with a recommendation where one is asked for.
func rightAction(task triage.Task, c *triage.Case) triage.Action {
	if task.Track == triage.Queue {
		q := c.Truth.Queue
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: q.Route, Urgency: q.Urgency, Difficulty: q.Difficulty,
			Priority: triage.IntOf(q.Priority)}}
	}
	d := c.Truth.Desk
	a := triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: d.Category}}
	if task.Difficulty != triage.Easy {
		a.Desk.Priority, a.Desk.UrgencyDays = d.Priority, triage.IntOf(d.UrgencyDays)
	}
	if task.Difficulty == triage.Hard {
		a.Desk.Department, a.Desk.Recommendation = d.Department, handbook.SampleRecommendation(d)
	}
	return a
}
