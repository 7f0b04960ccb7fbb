package agent

import (
	"context"
	"sync"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// Keyword counts words. It takes subject, body and the picked category as one bag of words and phrases, adds up the lists
// of baselines/keyword, and answers with the highest; the rest is the handbook's arithmetic. It sees no structure: not who
// says a word, not whether it is denied.
type Keyword struct {
	reader *reader
	totals []float64
}

// The lists of baselines/keyword, in the order of the labels that they stand for.
var (
	keywordRoutes       = []string{"route.billing", "route.technical", "route.feature", "route.feedback", "route.spam"}
	keywordUrgencies    = []string{"urgency.low", "urgency.medium", "urgency.high", "urgency.critical"}
	keywordDifficulties = []string{"difficulty.easy", "difficulty.medium", "difficulty.hard"}
	keywordCategories   = []string{"category.bug", "category.feature", "category.question"}
)

const (
	keywordSelected = "route.selected" // what the picked category counts for its route
	keywordNouns    = "noun"
	selectedWord    = "selectedcategory"
)

func keywordLists() []string {
	names := []string{keywordSelected, keywordNouns}
	for _, l := range [...][]string{keywordRoutes, keywordUrgencies, keywordDifficulties, keywordCategories} {
		names = append(names, l...)
	}
	return names
}

var keywordRules = sync.OnceValues(func() (*lexicon, error) { return loadLexicon(baselines.Files, "keyword", keywordLists()) })

func newKeyword() (triage.Agent, error) {
	l, err := keywordRules()
	if err != nil {
		return nil, err
	}
	k := &Keyword{reader: newReader(l), totals: make([]float64, len(l.lists))}
	k.reader.keep = l.list(keywordNouns)
	return k, nil
}

// Act answers one ticket.
func (k *Keyword) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	switch {
	case o.Queue != nil:
		return triage.Action{Track: triage.Queue, Queue: k.queue(o.Queue.Ticket)}, nil
	case o.Desk != nil:
		return triage.Action{Track: triage.Desk, Desk: k.desk(o.Desk)}, nil
	case o.Dataset != nil:
		k.count(o.Dataset.Subject, o.Dataset.Body)
		return triage.Action{Track: triage.Dataset, Labels: matchColumns(o.Dataset.Labels, k.guess())}, nil
	}
	return triage.Action{}, nil
}

func (k *Keyword) queue(t *triage.QueueTicket) triage.QueueAction {
	if t == nil {
		return triage.QueueAction{}
	}
	m := &t.Metadata
	k.count(t.Subject, t.Description)
	a := triage.QueueAction{Route: k.route(m.SelectedCategory), Urgency: pick(k, keywordUrgencies, triage.Urgencies()),
		Difficulty: pick(k, keywordDifficulties, triage.Resolutions())}
	if a.Route == triage.Spam {
		a.Urgency, a.Difficulty, a.Priority = triage.UrgencyLow, triage.ResolutionEasy, triage.IntOf(0)
		return a
	}
	a.Priority = triage.IntOf(handbook.PriorityScore(a.Urgency, m.CustomerTier, m.WaitTimeHours, m.IsEscalated, m.PreviousContacts))
	return a
}

// route adds what was picked in the form as one more word.
func (k *Keyword) route(selected triage.Route) triage.Route {
	for i, r := range triage.Routes() {
		if r == selected {
			k.totals[k.reader.lex.list(keywordRoutes[i])] += k.reader.lex.weightOf(keywordSelected, selectedWord)
		}
	}
	return pick(k, keywordRoutes, triage.Routes())
}

func (k *Keyword) desk(o *triage.DeskObservation) triage.DeskAction {
	k.count(o.IssueText, "")
	c := pick(k, keywordCategories, triage.Categories())
	tone, wait := finite(o.SentimentScore), finite(o.WaitTimeHours)
	p := handbook.DeskPriority(c, k.points(c), tone, wait, o.IsEscalated)
	d, _ := handbook.Department(c, tone, wait, o.IsEscalated)
	return triage.DeskAction{Category: c, Priority: p, UrgencyDays: triage.IntOf(handbook.UrgencyDays(p, wait)), Department: d,
		Recommendation: recommendation(c, join(k.nouns()))}
}

// points turns the urgency of the words into the points of a category, as far as that one's scale goes.
func (k *Keyword) points(c triage.Category) int {
	level := pick(k, keywordUrgencies, triage.Urgencies()).Level()
	if c != triage.Bug {
		level = min(level, 2) // the other scales end with the level of blocked work
	}
	return 2 * level
}

// count adds up all lists over a text, each word once.
func (k *Keyword) count(subject, body string) {
	r := k.reader
	r.reset()
	r.read(subject, 0)
	r.read(body, 0)
	r.findCuesOnce()
	clear(k.totals)
	for i := range r.sentences {
		for l, v := range r.sentences[i].scores {
			k.totals[l] += v
		}
	}
}

// pick gives the label whose list counts most; the first of equals.
func pick[T any](k *Keyword, lists []string, labels []T) T {
	best, high := 0, -1.0
	for i, name := range lists {
		if v := k.totals[k.reader.lex.list(name)]; v > high {
			best, high = i, v
		}
	}
	return labels[best]
}

// nouns are the first things that the text names, the telling ones first.
func (k *Keyword) nouns() []string {
	var names []string
	for _, heavy := range [...]bool{true, false} {
		for _, f := range k.reader.found {
			c := &k.reader.lex.cues[f.cue]
			if name := written(c.text); (c.weight > 1) == heavy && len(names) < mostNouns && !covered(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// guess is what the agent thinks of the ticket that it counted, for the columns of imported tickets.
func (k *Keyword) guess() []string {
	route := k.route("")
	urgency := pick(k, keywordUrgencies, triage.Urgencies())
	difficulty := pick(k, keywordDifficulties, triage.Resolutions())
	if route == triage.Spam {
		urgency, difficulty = triage.UrgencyLow, triage.ResolutionEasy
	}
	c := pick(k, keywordCategories, triage.Categories())
	d, _ := handbook.Department(c, 0, 0, false)
	p := handbook.DeskPriority(c, k.points(c), 0, 0, false)
	return []string{string(route), string(urgency), string(difficulty), string(c), string(p), string(d)}
}
