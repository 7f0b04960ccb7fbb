package audit

import (
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

const (
	namePublic       = "phrasebook:public"
	namePublicHidden = "phrasebook:secret"
	namePrivate      = "phrasebook:private"
)

// book gives the book of some scenarios, made once for all tasks.
func (a *audit) book(name string, list []*scenario.Scenario) *book {
	if a.books[name] == nil {
		a.books[name] = newBook(list)
	}
	return a.books[name]
}

// outside are the scenarios that somebody knows who does not have the bank. With a private bank they are those of the
// public one; where the public bank is played, its other half stands for them.
func (a *audit) outside() []*scenario.Scenario {
	if a.Outside != nil {
		return a.Outside
	}
	var out []*scenario.Scenario
	for _, s := range a.Bank {
		if s.Split != a.Split {
			out = append(out, s)
		}
	}
	return out
}

// enterPhrasebook enters the attack with the bank that is played, without and with a secret, and with another one.
func enterPhrasebook(a *arena) ([]contender, error) {
	reader := func(b *book) func() (triage.Agent, error) {
		return func() (triage.Agent, error) {
			r := &bookReader{book: b}
			return agentFunc(func(o triage.Observation) (triage.Action, error) { return r.answer(o, a.constant), nil }), nil
		}
	}
	whole, other := a.book("bank", a.Bank), a.book("outside", a.outside())
	return []contender{
		{name: namePublic, agent: reader(whole)},
		{name: namePublicHidden, secret: a.hidden(), agent: reader(whole)},
		{name: namePrivate, secret: a.Secret, agent: reader(other)},
	}, nil
}

func judgePhrasebook(a *arena) ([]triage.Check, error) {
	return []triage.Check{
		a.tell(namePublic, "looks sentences up in the bank, no secret"),
		a.tell(namePublicHidden, "looks sentences up in the bank, against a secret"),
		a.noBetter(namePrivate, "looks sentences up, but the bank is another one", nameKeyword),
	}, nil
}

// bookReader is a user of a book with its own notes.
type bookReader struct {
	*book
	words, runs []uint64
	hits        []int32
	found       []hit
}

// hit is a phrasing with the number of its runs of words that stand in a text.
type hit struct {
	*phrase
	runs int
}

// answer finds the scenario and the facts of a ticket and applies the handbook, or gives the constant answer.
func (r *bookReader) answer(o triage.Observation, constant triage.Action) triage.Action {
	r.read(unquoted(textOf(o)))
	s := r.scenario()
	if s == nil {
		return constant
	}
	request := r.request(s)
	if o.Desk != nil {
		if s.Desk == "" {
			return constant
		}
		return deskAnswer(o.Desk, s.Desk, handbook.Points(&request), recommend(s.Desk, s.Entities))
	}
	return queueAnswer(&o.Queue.Ticket.Metadata, s.Route, handbook.Urgency(&request), handbook.Resolution(&request))
}

// unquoted leaves out the lines of older mails, which speak of other matters.
func unquoted(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, ">") }), "\n")
}

// read counts the hits of each phrasing, in the order of the book.
func (r *bookReader) read(text string) {
	r.words = wordHashes(r.words[:0], text)
	r.runs = grams(r.runs[:0], r.words, bookGram)
	slices.Sort(r.runs)
	r.hits, r.found = r.hits[:0], r.found[:0]
	for _, g := range slices.Compact(r.runs) {
		for _, p := range r.index.of(g) {
			r.hits = append(r.hits, p.doc)
		}
	}
	slices.Sort(r.hits)
	for i, id := range r.hits {
		if i > 0 && id == r.hits[i-1] {
			r.found[len(r.found)-1].runs++
			continue
		}
		r.found = append(r.found, hit{&r.phrases[id], 1})
	}
}

// scenario gives the scenario whose phrasings are hit most: the best one of each role counts, so that a scenario which is
// only mentioned does not add up. It is nil where hardly anything is known.
func (r *bookReader) scenario() *scenario.Scenario {
	var best *scenario.Scenario
	high := leastHits - 1
	for i := 0; i < len(r.found); {
		s, j := r.found[i].scenario, i
		var roles [roleCount]int
		for ; j < len(r.found) && r.found[j].scenario == s; j++ {
			h := &r.found[j]
			roles[h.role] = max(roles[h.role], h.runs)
		}
		sum := 0
		for _, n := range roles {
			sum += n
		}
		if sum > high {
			best, high = s, sum
		}
		i = j
	}
	return best
}

// request gives the facts that the phrasings of a scenario tell, each by the phrasing that is hit most.
func (r *bookReader) request(s *scenario.Scenario) triage.Request {
	var best [roleCount]hit
	for _, h := range r.found {
		if h.scenario == s && h.runs > best[h.role].runs {
			best[h.role] = h
		}
	}
	settled := triage.Request{Scenario: s.Slug, Route: s.Route, Category: s.Desk, Severity: triage.Cosmetic, Impact: triage.One,
		Deadline: triage.NoDeadline, Effort: triage.SelfService}
	if len(s.Situations) == 0 || best[roleResolved].runs > best[roleMatter].runs {
		return settled
	}
	situation := 0
	if h := best[roleSituation]; h.runs > 0 {
		situation = h.value
	}
	q := s.Situations[situation].Request(s)
	q.Deadline, q.Effort = triage.NoDeadline, triage.Investigation
	if h := best[roleDeadline]; h.runs > 0 {
		q.Deadline = triage.Deadlines()[h.value]
	}
	if h := best[roleEffort]; h.runs > 0 {
		q.Effort = triage.Efforts()[h.value]
	}
	return q
}
