package env_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// fake makes tickets by arithmetic: a pure function of seed and position. Texts hold the word SECRET nowhere; facts hold it
// in every text of theirs.
type fake struct{ split triage.Split }

func pick[T any](list []T, n int64) T { return list[n%int64(len(list))] }

// Ticket makes the ticket at a position.
func (f fake) Ticket(seed int64, position int) *triage.Case {
	n := seed%1000*7 + int64(position)*13
	if f.split == triage.Test {
		n += 5
	}
	c := &triage.Case{Ticket: triage.Ticket{ID: fmt.Sprintf("TKT-%d", 10000+n), Subject: fmt.Sprintf("Subject %d of %d", position, seed),
		Body: fmt.Sprintf("Body %d, <b> & \u2028", n), CustomerName: "Ada Ash", Sentiment: float64(n%201-100) / 100}}
	c.Ticket.Metadata = triage.Metadata{Channel: "email", CustomerTier: pick(triage.Tiers(), n), WaitTimeHours: float64(n%600) / 10,
		IsEscalated: n%3 == 0, PreviousContacts: int(n % 4), SelectedCategory: pick(append(triage.Routes(), ""), n), Language: "en", Attachments: int(n % 2)}
	c.Facts = triage.Facts{Tier: c.Ticket.Metadata.CustomerTier, WaitHours: c.Ticket.Metadata.WaitTimeHours, Escalated: c.Ticket.Metadata.IsEscalated,
		PreviousContacts: c.Ticket.Metadata.PreviousContacts, Sentiment: c.Ticket.Sentiment, Traps: []string{"SECRET-trap"},
		Entities: [][]string{{"SECRET-entity"}, {"SECRET-thing"}}, Distractors: []string{"SECRET-distractor"},
		Primary: triage.Request{Scenario: "billing/SECRET-slug", Route: pick(triage.Routes(), n), Category: pick(triage.Categories(), n+1),
			Severity: pick(triage.Severities(), n+1), Impact: pick(triage.Impacts(), n), Deadline: pick(triage.Deadlines(), n),
			Effort: pick(triage.Efforts(), n), Stake: pick(triage.Stakes(), n)}}
	if n%2 == 0 {
		c.Facts.Secondary = &triage.Request{Route: pick(triage.Routes(), n+1)}
	}
	q, d := handbook.Queue(&c.Facts), handbook.Desk(&c.Facts, c.Ticket.Subject+"\n\n"+c.Ticket.Body)
	c.Truth = triage.Truth{Queue: &q, Desk: &d}
	return c
}

// stored has the tickets of one episode, made beforehand.
type stored []*triage.Case

// Ticket gives the ticket at a position.
func (s stored) Ticket(_ int64, position int) *triage.Case { return s[position] }

// storedEnv is an environment over one stored episode: what it costs is its own.
func storedEnv(t testing.TB, name string) env.Grading {
	t.Helper()
	var list stored
	for i := range task(t, name).Tickets {
		list = append(list, fake{triage.Train}.Ticket(1, i))
	}
	e, err := env.New(task(t, name), triage.Train, func(triage.Split) (env.Source, error) { return list, nil })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func fakes(split triage.Split) (env.Source, error) { return fake{split}, nil }

func task(t testing.TB, name string) triage.Task {
	t.Helper()
	out, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newEnv makes an environment over fakes.
func newEnv(t testing.TB, name string) env.Grading {
	t.Helper()
	e, err := env.New(task(t, name), triage.Train, fakes)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func reset(t testing.TB, e triage.Env, opts triage.ResetOptions) triage.StepResult {
	t.Helper()
	r, err := e.Reset(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func step(t testing.TB, e triage.Env, a triage.Action) triage.StepResult {
	t.Helper()
	r, err := e.Step(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rightAnswer is the truth of the ticket that is to be answered now.
func rightAnswer(t testing.TB, e env.Grading) triage.Action {
	t.Helper()
	w, ok := e.Truth()
	switch {
	case !ok:
		t.Fatal("the environment does not tell the truth")
	case w.Queue != nil:
		return triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: w.Queue.Route, Urgency: w.Queue.Urgency,
			Difficulty: w.Queue.Difficulty, Priority: triage.IntOf(w.Queue.Priority)}}
	case w.Desk != nil:
		return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: w.Desk.Category, Priority: w.Desk.Priority,
			UrgencyDays: triage.IntOf(w.Desk.UrgencyDays), Department: w.Desk.Department, Recommendation: handbook.SampleRecommendation(w.Desk)}}
	}
	return triage.Action{Track: triage.Dataset, Labels: w.Labels}
}

// invalid is an action with a wrong value of each track.
func invalid(track triage.Track) triage.Action {
	switch track {
	case triage.Queue:
		return triage.Action{Track: track, Queue: triage.QueueAction{Route: triage.Billing, Priority: triage.IntOf(101)}}
	case triage.Desk:
		return triage.Action{Track: track, Desk: triage.DeskAction{Category: triage.Bug, UrgencyDays: triage.IntOf(8)}}
	}
	return triage.Action{Track: track, Labels: map[string]string{"queue": "nowhere"}}
}
