package triage

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Metadata is what a help desk knows about a queue ticket beside its text.
type Metadata struct {
	Channel          string  `json:"channel"` // email, web_form, chat, phone_note; decides nothing
	CustomerTier     Tier    `json:"customer_tier"`
	WaitTimeHours    float64 `json:"wait_time_hours"` // one decimal
	IsEscalated      bool    `json:"is_escalated"`
	PreviousContacts int     `json:"previous_contacts"`
	// SelectedCategory is what the customer picked in the web form: a route or empty. It may be wrong.
	SelectedCategory Route  `json:"selected_category"`
	Language         string `json:"language"`    // BCP 47 tag; decides nothing
	Attachments      int    `json:"attachments"` // decides nothing
}

// QueueTicket is a ticket as the queue track shows it.
type QueueTicket struct {
	ID          string   `json:"ticket_id"`
	Subject     string   `json:"subject"`
	Description string   `json:"description"`
	Metadata    Metadata `json:"metadata"`
}

// QueueStats are running figures of a queue episode over the tickets processed so far.
type QueueStats struct {
	Processed     int     `json:"processed"`
	MeanReward    float64 `json:"mean_reward"`    // 0..1
	RouteAccuracy float64 `json:"route_accuracy"` // 0..1
	Efficiency    float64 `json:"efficiency"`     // tickets divided by touches, 0..1
}

// QueueResult is how the last answer was graded: the ticket's own reward and its parts, without their reasons.
type QueueResult struct {
	TicketID string  `json:"ticket_id"`
	Reward   float64 `json:"reward"` // 0..1
	Correct  bool    `json:"correct"`
	Parts    []Part  `json:"parts"`
}

// QueueObservation is what an agent sees on the queue track.
type QueueObservation struct {
	Task         string       `json:"task"`
	Ticket       *QueueTicket `json:"ticket"` // null after the last
	Position     int          `json:"position"`
	TotalTickets int          `json:"total_tickets"`
	Remaining    int          `json:"remaining"`
	Stats        *QueueStats  `json:"stats"`       // null on a sealed server
	LastResult   *QueueResult `json:"last_result"` // null before the first step
	Message      string       `json:"message"`
}

// DeskObservation is what an agent sees on the desk track.
type DeskObservation struct {
	TicketID     string `json:"ticket_id"`
	CustomerName string `json:"customer_name"`
	IssueText    string `json:"issue_text"` // subject, empty line, body
	// IssueType is a placeholder that never tells the category.
	IssueType      string     `json:"issue_type"`
	SentimentScore float64    `json:"sentiment_score"` // -1..1, two decimals
	WaitTimeHours  float64    `json:"wait_time_hours"` // one decimal
	IsEscalated    bool       `json:"is_escalated"`
	StepCount      int        `json:"step_count"`
	TaskDifficulty Difficulty `json:"task_difficulty"`
	Message        string     `json:"message"`
}

// DatasetObservation is what an agent sees of a ticket from a user's file.
type DatasetObservation struct {
	TicketID string            `json:"ticket_id"`
	Subject  string            `json:"subject"`
	Body     string            `json:"body"`
	Fields   map[string]string `json:"fields"`
	// Labels maps each column that is asked for to its allowed values, in the order of the scale where it has one.
	Labels map[string][]string `json:"labels"`
}

// Observation is what an agent sees. Exactly one of the tracks' fields is set; it is encoded as that field's object.
type Observation struct {
	Queue   *QueueObservation
	Desk    *DeskObservation
	Dataset *DatasetObservation
	// Order is the order in which whoever shows the observation to a model or a program gives its fields: 0 is the usual one,
	// see [Permutation] and [ShuffleMembers]. It is no part of the observation's JSON.
	Order uint64
}

// MarshalJSON encodes the one part that is set, or null.
func (o Observation) MarshalJSON() ([]byte, error) {
	var e Encoder
	e.Observation(o)
	return e.Buf, nil
}

// DecodeObservation reads an observation of the given track back from its JSON; null is one of which nothing is set.
func DecodeObservation(track Track, data []byte) (Observation, error) {
	var o Observation
	var target any
	switch track {
	case Queue:
		o.Queue = new(QueueObservation)
		target = o.Queue
	case Desk:
		o.Desk = new(DeskObservation)
		target = o.Desk
	case Dataset:
		o.Dataset = new(DatasetObservation)
		target = o.Dataset
	default:
		return o, fmt.Errorf("decode observation: unknown track %q", track)
	}
	if err := json.Unmarshal(data, target); err != nil {
		return Observation{}, fmt.Errorf("decode observation: %w", err)
	}
	if string(bytes.TrimSpace(data)) == "null" {
		return Observation{}, nil
	}
	return o, nil
}
