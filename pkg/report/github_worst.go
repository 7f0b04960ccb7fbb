package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Worst keeps the worst tickets of a run while its episodes stream by: broken episodes first, then the lowest scores, then
// those that come first by agent, task, seed and place. The order in which episodes are added does not matter.
type Worst struct {
	most              int
	kept              []worstTicket // unsorted beyond most
	tickets, notRight int
	broken            int
}

// worstTicket is one ticket with what is shown of it.
type worstTicket struct {
	key     triage.Key
	index   int  // of the ticket in its episode, from 0
	queue   bool // there are several tickets in an episode
	broke   bool
	score   float64
	subject string
	answer  string
	parts   []triage.Part
	error   string
}

// NewWorst keeps up to most tickets; less than one is one.
func NewWorst(most int) *Worst { return &Worst{most: max(most, 1)} }

// Counts says how many tickets were graded, how many of them are not wholly right, and how many episodes broke.
func (w *Worst) Counts() (tickets, notRight, broken int) { return w.tickets, w.notRight, w.broken }

// AddEpisode takes the tickets of a finished episode. Tickets that are right are only counted.
func (w *Worst) AddEpisode(ep *results.Logged) {
	if ep.Ended == triage.EndedError {
		w.broken++
		w.add(worstTicket{key: ep.Key, broke: true, subject: "the episode broke", error: text(ep.Error)})
		return
	}
	task, err := triage.TaskByName(ep.Key.Task)
	queue := err == nil && task.Track == triage.Queue
	index := -1
	for i := range ep.Steps {
		s := &ep.Steps[i]
		if s.Score == nil {
			continue
		}
		index++
		w.tickets++
		if s.Score.Total == 1 {
			continue
		}
		w.notRight++
		w.add(worstTicket{key: ep.Key, index: index, queue: queue, score: s.Score.Total, subject: subjectOf(s.Observation), answer: head(string(s.Action)),
			parts: shownParts(s.Score.Parts), error: head(text(s.Error))})
	}
}

func (w *Worst) add(t worstTicket) {
	w.kept = append(w.kept, t)
	if len(w.kept) >= 2*w.most+100 {
		w.shrink()
	}
}

func (w *Worst) shrink() {
	slices.SortFunc(w.kept, func(a, b worstTicket) int {
		return cmp.Or(first(a.broke, b.broke), cmp.Compare(a.score, b.score), cmp.Compare(a.key.Agent, b.key.Agent), cmp.Compare(a.key.Task, b.key.Task),
			cmp.Compare(a.key.Seed, b.key.Seed), cmp.Compare(a.key.Position.Value, b.key.Position.Value), cmp.Compare(a.key.Trial, b.key.Trial),
			cmp.Compare(a.index, b.index))
	})
	if len(w.kept) > w.most {
		clear(w.kept[w.most:])
		w.kept = w.kept[:w.most]
	}
}

// first puts what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// head keeps what can be shown of a long text, so that no text of a megabyte is held.
func head(s string) string {
	if len(s) > 4*shownText {
		s = strings.Clone(s[:4*shownText]) // a character that is cut in two is made one that tells of it
	}
	return s
}

func shownParts(parts []triage.Part) []triage.Part {
	var out []triage.Part
	for _, p := range parts {
		if p.Value != 1 {
			out = append(out, p)
		}
	}
	return out
}

// subjectOf finds what a ticket is about in an observation of any track: its subject, or the first line of its text.
func subjectOf(observation json.RawMessage) string {
	var seen struct {
		Ticket *struct {
			Subject     string `json:"subject"`
			Description string `json:"description"`
		} `json:"ticket"`
		IssueText string `json:"issue_text"`
		Subject   string `json:"subject"`
		Body      string `json:"body"`
	}
	if json.Unmarshal(observation, &seen) != nil { // a log of another program: there is no subject to show
		return ""
	}
	list := []string{seen.Subject, seen.Body, seen.IssueText}
	if seen.Ticket != nil {
		list = append([]string{seen.Ticket.Subject, seen.Ticket.Description}, list...)
	}
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			line, _, _ := strings.Cut(s, "\n")
			return head(line)
		}
	}
	return ""
}
