package html

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// seen is what an observation shows of its ticket, whatever its track.
type seen struct {
	ID, Subject, Customer string
	Length                int // characters of subject and body; -1 where there is none
	Tier                  string
	Wait                  *float64
	Escalated             *bool
	Contacts              *int
	Sentiment             *float64
	Selected              *string
	Labels                map[string][]string
}

// observed is the part of an observation's JSON that the page sums up by. Queue tickets lie in "ticket".
type observed struct {
	Ticket *struct {
		ID          string `json:"ticket_id"`
		Subject     string `json:"subject"`
		Description string `json:"description"`
		Metadata    struct {
			Tier      string   `json:"customer_tier"`
			Wait      *float64 `json:"wait_time_hours"`
			Escalated *bool    `json:"is_escalated"`
			Contacts  *int     `json:"previous_contacts"`
			Selected  *string  `json:"selected_category"`
		} `json:"metadata"`
	} `json:"ticket"`
	ID        string              `json:"ticket_id"`
	Customer  string              `json:"customer_name"`
	Text      string              `json:"issue_text"`
	Sentiment *float64            `json:"sentiment_score"`
	Wait      *float64            `json:"wait_time_hours"`
	Escalated *bool               `json:"is_escalated"`
	Subject   string              `json:"subject"`
	Body      string              `json:"body"`
	Labels    map[string][]string `json:"labels"`
}

// look reads an observation. What cannot be read is not there: the log was checked when it was read, and a page of what can be
// shown is worth more than none.
func look(track triage.Track, raw json.RawMessage) seen {
	var o observed
	if err := json.Unmarshal(raw, &o); err != nil {
		return seen{Length: -1}
	}
	switch {
	case track == triage.Queue && o.Ticket != nil:
		t := o.Ticket
		return seen{ID: t.ID, Subject: t.Subject, Length: characters(t.Subject, t.Description), Tier: t.Metadata.Tier, Wait: t.Metadata.Wait,
			Escalated: t.Metadata.Escalated, Contacts: t.Metadata.Contacts, Selected: t.Metadata.Selected}
	case track == triage.Desk && o.ID != "":
		subject, _, _ := strings.Cut(o.Text, "\n\n")
		return seen{ID: o.ID, Subject: subject, Customer: o.Customer, Length: utf8.RuneCountInString(o.Text), Wait: o.Wait, Escalated: o.Escalated,
			Sentiment: o.Sentiment}
	case track == triage.Dataset && (o.ID != "" || o.Body != "" || o.Subject != ""):
		subject := o.Subject
		if subject == "" {
			subject = o.Body
		}
		return seen{ID: o.ID, Subject: subject, Length: characters(o.Subject, o.Body), Labels: o.Labels}
	}
	return seen{Length: -1}
}

func characters(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return n
}

// graded is one graded ticket of an episode: on the queue track a step, elsewhere the whole episode.
type graded struct {
	index int // of the ticket in its episode, from 0
	steps []results.LoggedStep
	score *triage.Score // nil where it was not graded
	total *float64      // the ticket's own score, nil where it was not graded
	about *triage.About
	seen  seen // what its first step shows
}

// ticketsOf takes an episode apart into its tickets. One that broke before its first step has one ticket without steps.
func ticketsOf(track triage.Track, l *results.Logged) []graded {
	list := split(track, l)
	for i := range list {
		list[i].seen = seen{Length: -1}
		if len(list[i].steps) > 0 {
			list[i].seen = look(track, list[i].steps[0].Observation)
		}
	}
	return list
}

func split(track triage.Track, l *results.Logged) []graded {
	if track == triage.Queue && len(l.Steps) > 0 {
		out := make([]graded, len(l.Steps))
		for i := range l.Steps {
			s := &l.Steps[i]
			out[i] = graded{index: i, steps: l.Steps[i : i+1], score: s.Score, about: s.About}
			if s.Score != nil {
				out[i].total = &s.Score.Total
			}
		}
		return out
	}
	g := graded{steps: l.Steps, total: l.Score}
	for i := range l.Steps {
		if s := &l.Steps[i]; s.Score != nil {
			g.score = s.Score
			if s.About != nil {
				g.about = s.About
			}
		}
	}
	return []graded{g}
}
