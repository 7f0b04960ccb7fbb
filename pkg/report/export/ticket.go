package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Ticket is what one agent made of one ticket: a step of a queue episode, all steps of a desk episode, or an imported ticket.
type Ticket struct {
	Key      triage.Key
	Task     triage.Task
	Position int // in its episode, from 0
	// Observation is what the agent saw of it first; nothing is set where the episode broke before it was shown.
	Observation triage.Observation
	Steps       []results.LoggedStep
	// Score is nil where nothing was graded: the episode broke before, or the environment does not tell.
	Score *triage.Score
	// Right says that everything is right (desk: the task's target is reached), as reliability counts it.
	Right bool
	About triage.About
	// Answer is the JSON of the answer: on the desk track of all steps together, where later values replace earlier ones.
	Answer []byte
	// Refused is why the last answer was refused; Broke why the episode broke, so that the ticket counts as 0. Either may be empty.
	Refused, Broke string
	Ended          triage.Ended
	// EpisodeScore is the score of the whole episode, 0..1, or nil.
	EpisodeScore *float64
	Usage        *triage.Usage // of all steps; nil without a model
	Reply        *triage.Reply // of the last step; nil without a model
}

// Tickets gives the tickets of an episode in their order. Where it broke, all of its tickets have Broke set and count as 0, as the
// episode does in every mean: those that were answered keep answer, score and why, those that were never shown have none.
func Tickets(ep *results.Logged) ([]Ticket, error) {
	task := taskOf(ep.Key)
	if task.Track == triage.Desk {
		t, err := newTicket(ep, task, 0, ep.Steps)
		if err != nil {
			return nil, err
		}
		t.Right = ep.Score != nil && results.Right(task, *ep.Score)
		return []Ticket{t}, nil
	}
	out := make([]Ticket, 0, len(ep.Steps)+1)
	for i := range ep.Steps {
		t, err := newTicket(ep, task, i, ep.Steps[i:i+1])
		if err != nil {
			return nil, err
		}
		t.Right = t.Broke == "" && t.Score != nil && results.Right(task, t.Score.Total)
		out = append(out, t)
	}
	if ep.Ended != triage.EndedError {
		return out, nil
	}
	planned := 1
	if !ep.Key.Position.Set {
		planned = max(1, task.Tickets)
	}
	for i := len(ep.Steps); i < planned; i++ {
		t, err := newTicket(ep, task, i, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func newTicket(ep *results.Logged, task triage.Task, position int, steps []results.LoggedStep) (Ticket, error) {
	t := Ticket{Key: ep.Key, Task: task, Position: position, Steps: steps, Ended: ep.Ended, EpisodeScore: ep.Score}
	if ep.Key.Position.Set {
		t.Position = ep.Key.Position.Value
	}
	if ep.Ended == triage.EndedError {
		t.Broke = "it broke"
		if ep.Error != nil {
			t.Broke = *ep.Error
		}
	}
	if len(steps) == 0 {
		return t, nil
	}
	var err error
	if t.Observation, err = triage.DecodeObservation(task.Track, steps[0].Observation); err != nil {
		return t, fmt.Errorf("%s, step %d: %w", ep.Key, position, err)
	}
	for i := range steps {
		s := &steps[i]
		if s.Score != nil {
			t.Score = s.Score
		}
		if s.About != nil {
			t.About = *s.About
		}
		t.Usage = addUsage(t.Usage, s.Usage)
	}
	last := &steps[len(steps)-1]
	t.Reply, t.Answer = last.Reply, answerOf(steps)
	if last.Error != nil {
		t.Refused = *last.Error
	}
	return t, nil
}

// answerOf joins the answers of steps. Those that were refused do not count, unless there is no other: then the last one stands as
// it came.
func answerOf(steps []results.LoggedStep) []byte {
	if len(steps) == 1 {
		return compact(steps[0].Action)
	}
	var members []triage.Member
	for i := range steps {
		if steps[i].Error != nil {
			continue
		}
		list, err := triage.AppendMembers(nil, steps[i].Action)
		if err != nil {
			continue
		}
		for _, m := range list {
			if at := slices.IndexFunc(members, func(x triage.Member) bool { return bytes.Equal(x.Key, m.Key) }); at >= 0 {
				members[at] = m
				continue
			}
			members = append(members, m)
		}
	}
	if len(members) == 0 {
		return compact(steps[len(steps)-1].Action)
	}
	var e triage.Encoder
	e.Buf = append(e.Buf, '{')
	for i, m := range members {
		if i > 0 {
			e.Buf = append(e.Buf, ',')
		}
		e.String(string(m.Key))
		e.Buf = append(append(e.Buf, ':'), m.Value...)
	}
	return append(e.Buf, '}')
}

// compact is JSON on one line; what is no JSON stays as it is, and null is nothing.
func compact(raw json.RawMessage) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// addUsage sums up; what is unknown of one is unknown of the sum.
func addUsage(sum, u *triage.Usage) *triage.Usage {
	if u == nil {
		return sum
	}
	if sum == nil {
		c := *u
		return &c
	}
	sum.Calls += u.Calls
	sum.Reasks += u.Reasks
	for _, p := range [...]struct {
		to   *triage.Int
		from triage.Int
	}{{&sum.TokensIn, u.TokensIn}, {&sum.TokensOut, u.TokensOut}, {&sum.TokensCached, u.TokensCached},
		{&sum.TokensReasoning, u.TokensReasoning}, {&sum.CostNano, u.CostNano}} {
		if !p.to.Set || !p.from.Set {
			*p.to = triage.Int{}
			continue
		}
		p.to.Value += p.from.Value
	}
	return sum
}

// ID is the ticket's id, or empty.
func (t *Ticket) ID() string {
	switch o := t.Observation; {
	case o.Queue != nil && o.Queue.Ticket != nil:
		return o.Queue.Ticket.ID
	case o.Desk != nil:
		return o.Desk.TicketID
	case o.Dataset != nil:
		return o.Dataset.TicketID
	}
	return ""
}

// Text is the ticket's subject and body as the agent saw them, or empty.
func (t *Ticket) Text() (subject, body string) {
	switch o := t.Observation; {
	case o.Queue != nil && o.Queue.Ticket != nil:
		return o.Queue.Ticket.Subject, o.Queue.Ticket.Description
	case o.Desk != nil:
		subject, body, ok := strings.Cut(o.Desk.IssueText, "\n\n")
		if !ok {
			return "", subject
		}
		return subject, body
	case o.Dataset != nil:
		return o.Dataset.Subject, o.Dataset.Body
	}
	return "", ""
}

// Problem is why the ticket has no score of its own merit: the answer was refused, or the episode broke. Empty where neither is so.
func (t *Ticket) Problem() string {
	if t.Broke != "" {
		return t.Broke
	}
	return t.Refused
}

// confidence is how sure the agent was of its answer; nil where it did not say.
func (t *Ticket) confidence() *triage.Confidence {
	steps := make([]triage.Step, len(t.Steps))
	for i := range t.Steps {
		steps[i].Action.Raw = t.Steps[i].Action
		if t.Steps[i].Error != nil {
			steps[i].Error = *t.Steps[i].Error
		}
	}
	return results.Sure(steps)
}
