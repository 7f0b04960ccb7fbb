package agent

import (
	"context"
	"math"
	"sync"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// Heuristic reads a ticket with rules: it leaves aside what the handbook says to leave aside, finds the cues of each fact
// sentence by sentence, and applies the handbook's arithmetic to what it found. It knows nothing but the rules in
// baselines/heuristic and the observation.
type Heuristic struct {
	reader *reader
	mail   mail
	lists  lists
	weight []float64 // by sentence
}

var heuristicRules = sync.OnceValues(func() (*lexicon, error) {
	return loadLexicon(baselines.Files, "heuristic", listNames())
})

func newHeuristic() (triage.Agent, error) {
	l, err := heuristicRules()
	if err != nil {
		return nil, err
	}
	return newHeuristicFrom(l), nil
}

func newHeuristicFrom(l *lexicon) *Heuristic {
	h := &Heuristic{reader: newReader(l), lists: numberLists(l)}
	h.reader.keep, h.reader.typos = h.lists.noun, true
	return h
}

// Act answers one ticket.
func (h *Heuristic) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	switch {
	case o.Queue != nil:
		return triage.Action{Track: triage.Queue, Queue: h.queue(o.Queue)}, nil
	case o.Desk != nil:
		return triage.Action{Track: triage.Desk, Desk: h.desk(o.Desk)}, nil
	case o.Dataset != nil:
		return triage.Action{Track: triage.Dataset, Labels: h.labels(o.Dataset)}, nil
	}
	return triage.Action{}, nil
}

func (h *Heuristic) queue(o *triage.QueueObservation) triage.QueueAction {
	t := o.Ticket
	if t == nil {
		return triage.QueueAction{}
	}
	task, _ := triage.TaskByName(o.Task)
	r := h.read(t.Subject, t.Description, task.Difficulty)
	request := h.judge(r, t.Metadata.SelectedCategory, task.Difficulty)
	a := triage.QueueAction{Route: request.Route, Urgency: handbook.Urgency(&request), Difficulty: handbook.Resolution(&request),
		Priority: triage.IntOf(0)}
	if a.Route != triage.Spam {
		m := &t.Metadata
		a.Priority = triage.IntOf(handbook.PriorityScore(a.Urgency, m.CustomerTier, m.WaitTimeHours, m.IsEscalated, m.PreviousContacts))
	}
	return a
}

func (h *Heuristic) desk(o *triage.DeskObservation) triage.DeskAction {
	subject, body := splitSubject(o.IssueText)
	r := h.read(subject, body, o.TaskDifficulty)
	request := h.judgeDesk(r)
	// The rules read numbers; one that is none counts as calm and fresh.
	tone, wait := finite(o.SentimentScore), finite(o.WaitTimeHours)
	p := handbook.DeskPriority(request.Category, handbook.Points(&request), tone, wait, o.IsEscalated)
	d, _ := handbook.Department(request.Category, tone, wait, o.IsEscalated)
	return triage.DeskAction{Category: request.Category, Priority: p, UrgencyDays: triage.IntOf(handbook.UrgencyDays(p, wait)),
		Department: d, Recommendation: h.recommend(r, request.Category)}
}

func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// labels answers the columns of an imported ticket that the rules know words for.
func (h *Heuristic) labels(o *triage.DatasetObservation) map[string]string {
	rd := h.read(o.Subject, o.Body, triage.Medium)
	queue := h.judge(rd, "", triage.Medium)
	desk := h.judgeDesk(rd)
	d, _ := handbook.Department(desk.Category, 0, 0, false)
	p := handbook.DeskPriority(desk.Category, handbook.Points(&desk), 0, 0, false)
	return matchColumns(o.Labels, []string{string(queue.Route), string(handbook.Urgency(&queue)), string(handbook.Resolution(&queue)),
		string(desk.Category), string(p), string(d)})
}
