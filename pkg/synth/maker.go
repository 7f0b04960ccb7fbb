package synth

import (
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// maker makes one ticket at a time; sources keep a pool of them.
type maker struct {
	src                    *Source
	facts, text, form, ids draws
	numbers                ticketNumbers // of the last episode
	numbered               bool

	tone    tone
	primary *candidate
	combo   combo

	voice     *scenario.Voice
	frame     *scenario.Frame
	names     nameSet
	primeFill fill
	tier      int    // of the customer, in the order of [triage.Tiers]
	lent      []lent // what other scenarios lend to this mail

	pieces    []piece
	told      []piece   // scratch: the facts of a mail before they are put in order
	original  [5]string // scratch: the quoted first mail of a thread
	buf       []byte
	explain   bool
	sentences []Sentence
	lowercase bool
	capsAt    int // index of the piece in capitals, or -1
}

// nameSet are the people of one mail.
type nameSet struct{ first, last, company, colleague, forwarder, plan string }

// lent is a scenario whose words stand in a mail about something else.
type lent struct {
	candidate *candidate
	fill      fill
}

func (m *maker) reset(explain bool) {
	m.pieces, m.buf, m.lent = m.pieces[:0], m.buf[:0], m.lent[:0]
	m.sentences, m.explain = nil, explain
	m.lowercase, m.capsAt = false, -1
	if cap(m.lent) == 0 {
		m.lent = make([]lent, 0, 4) // pieces point into it: it must not grow
	}
}

// compose writes the text of a ticket whose facts are drawn, and adds what the text adds to the facts: the secondary
// request, the distractors, the traps.
func (m *maker) compose(c *triage.Case) {
	d, f := &m.text, &c.Facts
	split := m.src.split
	m.voice = m.src.bank.Voices[d.IntN(len(m.src.bank.Voices))]
	m.frame = m.voice.Frame(split)
	n := &m.src.bank.Names
	m.names = nameSet{first: d.pick(n.First.Of(split)), last: d.pick(n.Last.Of(split)),
		company: d.pick(n.Companies.Of(split)), plan: planName(f.Tier)}
	m.names.colleague = another(d, n.First.Of(split), m.names.first) + " " + another(d, n.Last.Of(split), m.names.last)
	m.names.forwarder = another(d, n.First.Of(split), m.names.first) + " " + another(d, n.Last.Of(split), m.names.last)
	m.primeFill = m.newFill(m.primary)
	m.lowercase = d.chance(m.voice.Style.Lowercase)

	p := m.plan(f)
	m.body(f, &p)
	subject := m.subject(&p)
	m.entities(f)
	f.Traps = p.traps()

	c.Ticket.Subject = m.write(subject)
	if m.explain {
		m.sentences = []Sentence{m.sentence(&subject, c.Ticket.Subject, f)}
	}
	c.Ticket.Body = m.writeBody(f)
	c.Ticket.CustomerName = m.names.first + " " + m.names.last
}

// another draws a string of the list that is not the given one, as far as there is one.
func another(d *draws, list []string, not string) string {
	i := d.IntN(len(list))
	if list[i] == not {
		i = (i + 1) % len(list)
	}
	return list[i]
}

func planName(t triage.Tier) string {
	switch t {
	case triage.Free:
		return "Free"
	case triage.Pro:
		return "Pro"
	case triage.Business:
		return "Business"
	}
	return "Enterprise"
}

// newFill draws the values that one scenario's placeholders take in this mail.
func (m *maker) newFill(c *candidate) fill {
	f := fill{scenario: c, ref: 10000 + m.text.IntN(90000)}
	if len(c.Params) > 0 {
		f.row = c.Params[m.text.IntN(len(c.Params))]
	}
	return f
}

// lend draws a scenario of another team that the customer can have and that fits, or gives nil.
func (m *maker) lend(fits func(*candidate) bool) *lent { return m.lendFrom(m.src.index.others, fits) }

func (m *maker) lendFrom(list []*candidate, fits func(*candidate) bool) *lent {
	if len(m.lent) == cap(m.lent) {
		return nil
	}
	c := choose(list, m.text.Uint64(), func(c *candidate) bool {
		if c.Route == m.primary.Route || !c.tiers[m.tier] || !fits(c) || c.shares(m.primary) {
			return false
		}
		for i := range m.lent {
			if m.lent[i].candidate == c {
				return false
			}
		}
		return true
	})
	if c == nil {
		return nil
	}
	m.lent = append(m.lent, lent{candidate: c, fill: m.newFill(c)})
	return &m.lent[len(m.lent)-1]
}

// entities sets what recommendations are graded against. It is needed on the desk track only.
func (m *maker) entities(f *triage.Facts) {
	if m.src.task.Track != triage.Desk {
		return
	}
	f.Entities = m.primary.Entities
	if len(m.lent) == 0 {
		return
	}
	var own strings.Builder
	for i := range m.pieces {
		if p := &m.pieces[i]; p.fill == &m.primeFill {
			own.WriteString(strings.ToLower(p.text))
			own.WriteByte('\n')
		}
	}
	for _, value := range m.primeFill.row { // in whatever order: the text is only searched
		own.WriteString(strings.ToLower(value) + "\n")
	}
	for _, group := range m.primary.Entities {
		own.WriteString(strings.ToLower(strings.Join(group, "\n")) + "\n")
	}
	for i := range m.lent {
		f.Distractors = append(f.Distractors, distractors(m.lent[i].candidate, own.String())...)
	}
}

// common are words that any recommendation may hold, whatever it is about.
var common = wordSet(`account workspace customer user app plan mail email e-mail file page team setting settings support project member
	system data company document documents guide help manager request rule option list template feature access device change
	record entry entries term period information message reference copy date order number box button screen sheet field form
	link key step steps note report contract policy status term limit day days week month hour hours`)

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// distractors are the names of a scenario's entities (the first of each group, and names of several words) that do not
// occur in what the mail says of its own matter. Words that belong to the vocabulary of recommendations are none.
func distractors(c *candidate, own string) []string {
	var out []string
	for _, group := range c.Entities {
		for i, term := range group {
			t := strings.ToLower(term)
			if i > 0 && !strings.Contains(t, " ") || common[t] || handbook.IsKindWord(t) || anyWordIn(t, own) {
				continue
			}
			out = append(out, term)
		}
	}
	return out
}

// anyWordIn tells whether the text holds one of the term's words, or its beginning (so "invoice" covers "invoices").
func anyWordIn(term, text string) bool {
	for _, w := range strings.Fields(term) {
		if len(w) > 5 {
			w = w[:len(w)-1]
		}
		if len(w) > 2 && strings.Contains(text, w) {
			return true
		}
	}
	return false
}
