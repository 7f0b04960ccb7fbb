package audit

import (
	"strings"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// bookGram is the length of the runs of words that are looked up, leastHits how many of them a scenario needs to be
// believed.
const bookGram, leastHits = 4, 2

// role says what a phrasing tells.
type role int

const (
	roleMatter role = iota // statement or ask
	roleSituation
	roleDeadline
	roleEffort
	roleResolved
	roleCount
)

// phrase is one phrasing of a bank. value is the place of its fact among the scenario's situations, the deadlines or the
// efforts.
type phrase struct {
	scenario *scenario.Scenario
	role     role
	value    int
}

// book is a bank turned round: from runs of words to what they tell. What a mail says of other matters (secondary,
// mentioned, quoted, settled) is left out. It is shared by workers and not changed any more.
type book struct {
	phrases []phrase // those of a scenario together
	index   postings
}

func newBook(list []*scenario.Scenario) *book {
	b := &book{}
	for _, s := range list {
		b.levels(s, &s.Statement, roleMatter, 0)
		b.levels(s, &s.Ask, roleMatter, 0)
		for i := range s.Situations {
			b.levels(s, &s.Situations[i].Levels, roleSituation, i)
		}
		for i, d := range triage.Deadlines() {
			l := s.Deadline[d]
			b.levels(s, &l, roleDeadline, i)
		}
		for i, e := range triage.Efforts() {
			l := s.Effort[e]
			b.levels(s, &l, roleEffort, i)
		}
		for _, text := range s.Resolved {
			b.add(s, text, roleResolved, 0)
		}
	}
	b.index.seal()
	return b
}

func (b *book) levels(s *scenario.Scenario, l *scenario.Levels, r role, value int) {
	for _, list := range [...][]string{l.Plain, l.Indirect, l.Buried} {
		for _, text := range list {
			b.add(s, text, r, value)
		}
	}
}

// add indexes a phrasing with the values of each row of parameters in it. What differs from mail to mail breaks it.
func (b *book) add(s *scenario.Scenario, text string, r role, value int) {
	id := len(b.phrases)
	b.phrases = append(b.phrases, phrase{s, r, value})
	rows := s.Params
	if len(rows) == 0 || !strings.Contains(text, "{") {
		rows = []map[string]string{nil}
	}
	var words, runs []uint64
	for _, row := range rows {
		for _, part := range fill(text, row) {
			words = wordHashes(words[:0], part)
			runs = grams(runs[:0], words, bookGram)
			b.index.add(id, runs)
		}
	}
}

// fill puts the values of a row in the place of its placeholders and splits the text at the others.
func fill(text string, row map[string]string) []string {
	var out []string
	var part strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		part.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(out, part.String())
		}
		if v, known := row[name]; known {
			part.WriteString(v)
		} else {
			out = append(out, part.String())
			part.Reset()
		}
		text = after
	}
}
