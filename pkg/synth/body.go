package synth

import (
	"slices"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// noise gives the strings of one kind for the source's split.
func (m *maker) noise(h *scenario.Halves) []string { return h.Of(m.src.split) }

// add puts a piece at the end of the mail; empty texts are left out.
func (m *maker) add(p piece) {
	if p.text != "" {
		m.pieces = append(m.pieces, p)
	}
}

func (m *maker) own(role Role, text string, l level) piece {
	return piece{text: text, role: role, level: l, fill: &m.primeFill}
}

func (m *maker) plain(role Role, text string) piece {
	return piece{text: text, role: role, fill: &m.primeFill}
}

// body draws the pieces of the mail in their order.
func (m *maker) body(f *triage.Facts, p *plan) {
	d, noise := &m.text, &m.src.bank.Noise
	if p.forwards(d, m.voice.Slug) {
		m.add(piece{text: d.pick(m.noise(&noise.ForwardHeaders)), role: RoleNoise, fill: &m.primeFill, raw: true, forwarded: true})
	}
	greeting := m.plain(RoleGreeting, d.pick(m.frame.Greetings))
	if d.chance(p.foreign) {
		greeting = m.plain(RoleGreeting, d.pick(m.noise(&noise.ForeignGreets)))
	}
	greeting.newParagraph = true
	m.add(greeting)
	start := len(m.pieces)
	switch {
	case p.spam:
		m.spam(p)
	case p.followUp:
		m.add(m.own(RoleResolved, d.pick(m.primary.Resolved), levelPlain))
	default:
		m.matter(f, p)
	}
	if start < len(m.pieces) {
		m.pieces[start].newParagraph = true
	}
	m.paragraphs(start)
	m.end(p)
}

// forwards says whether the mail is a forwarded one: the assistant's mails are more often.
func (p *plan) forwards(d *draws, voice string) bool {
	return d.chance(p.forward) || p.forward > 0 && voice == "forwarding-assistant" && d.chance(0.4)
}

func (m *maker) spam(p *plan) {
	d := &m.text
	level := m.levelFor(p.matter, 0)
	m.add(m.own(RoleStatement, d.pick(level.of(&m.primary.Statement)), level))
	if p.order {
		m.add(m.plain(RoleOrder, d.pick(m.noise(&m.src.bank.Noise.Orders))))
	}
	m.add(m.own(RoleAsk, d.pick(level.of(&m.primary.Ask)), level))
	m.fill(p, len(m.primary.Details))
}

// levelFor draws a level from the chances of indirect and buried.
func (m *maker) levelFor(indirect, buried float64) level {
	switch x := m.text.Float64(); {
	case x < buried:
		return levelBuried
	case x < buried+indirect:
		return levelIndirect
	}
	return levelPlain
}

// phrase draws a phrasing of a fact at a level of the plan's.
func (m *maker) phrase(role Role, l *scenario.Levels, indirect, buried float64) piece {
	level := m.levelFor(indirect, buried)
	return m.own(role, m.text.pick(level.of(l)), level)
}

// Mails of a difficulty have about the same length, whatever they are about: colour fills up what is missing to a length
// that is drawn for each. A quoted thread comes on top, in spam as elsewhere.
const (
	frameBytes = 120 // about what closing, signature and separators take
	// mostDetails is how many sentences of colour a genuine mail has at most.
	mostDetails = 5
)

// strides are primes: one that does not divide the number of details leads through all of them, so that neighbours vary.
var strides = [...]int{1, 3, 5, 7, 11, 13, 17, 19}

// fill inserts sentences of colour after the statement until the mail has about the length that the plan asks for, most
// of them at most.
func (m *maker) fill(p *plan, most int) {
	size := frameBytes
	at := len(m.pieces)
	for i := range m.pieces {
		size += len(m.pieces[i].text) + 1
		if m.pieces[i].role == RoleStatement {
			at = i + 1
		}
	}
	list := m.primary.Details
	if len(list) == 0 {
		return
	}
	first, step := m.text.IntN(len(list)), strides[m.text.IntN(len(strides))]
	if len(list)%step == 0 {
		step = 1
	}
	for i := range min(most, len(list)) {
		detail := m.own(RoleDetail, list[(first+i*step)%len(list)], levelPlain)
		if p.length-size < len(detail.text)/2 { // without it the mail is nearer to its length
			return
		}
		size += len(detail.text) + 1
		m.pieces = append(m.pieces, piece{})
		copy(m.pieces[at+1:], m.pieces[at:])
		m.pieces[at] = detail
		at++
	}
}

// matter adds everything that a genuine mail is about.
func (m *maker) matter(f *triage.Facts, p *plan) {
	d, noise, s := &m.text, &m.src.bank.Noise, m.primary
	m.add(m.plain(RoleOpening, m.opening(p)))
	if p.thread != nil {
		m.add(piece{text: d.pick(p.thread.candidate.Settled), role: RoleSettled, fill: &p.thread.fill})
		m.add(m.plain(RoleLead, d.pick(m.noise(&noise.ThreadTurns))))
	}
	if p.ignoreSubject {
		m.add(m.plain(RoleLead, d.pick(m.noise(&noise.IgnoreSubject))))
	}
	if p.secondaryFirst {
		m.add(piece{text: p.secondaryText, role: RoleSecondary, fill: &p.secondary.fill, newParagraph: true})
		m.add(piece{text: p.secondaryDetail, role: RoleDetail, fill: &p.secondary.fill})
		m.add(m.plain(RoleLead, d.pick(m.noise(&noise.NextFirst))))
	}
	toneFirst := d.chance(0.4)
	if toneFirst {
		m.toneLine(p)
	}
	facts := append(m.told[:0],
		m.phrase(RoleSituation, &s.Situations[m.combo.situation].Levels, p.indirect, p.buried),
		m.phrase(RoleEffort, &s.effort[slices.Index(triage.Efforts(), f.Primary.Effort)], p.indirect, p.buried),
		m.phrase(RoleAsk, &s.Ask, p.matter, 0))
	if f.Primary.Deadline != triage.NoDeadline {
		l := &s.deadline[slices.Index(triage.Deadlines(), f.Primary.Deadline)]
		facts = append(facts, m.phrase(RoleDeadline, l, p.indirect, p.buried))
	} else if d.chance(p.noDeadline) && (f.Primary.Severity == triage.Cosmetic || f.Primary.Severity == triage.Degraded) {
		facts = append(facts, m.plain(RoleNoise, d.pick(m.noise(&noise.NoDeadline))))
	}
	m.told = facts
	m.order(facts, p)
	if !toneFirst {
		m.toneLine(p)
	}
	if p.secondary != nil && !p.secondaryFirst {
		second := piece{text: p.secondaryText, role: RoleSecondary, fill: &p.secondary.fill, newParagraph: true}
		if !connects(p.secondaryText) {
			lead := m.plain(RoleLead, d.pick(m.noise(&noise.ThenSecond)))
			lead.newParagraph, second.newParagraph = true, false
			m.add(lead)
		}
		m.add(second)
		m.add(piece{text: p.secondaryDetail, role: RoleDetail, fill: &p.secondary.fill})
	}
	if p.thread == nil { // a fresh matter has no history
		m.says(f, p)
	}
	if p.order {
		m.add(m.plain(RoleOrder, d.pick(m.noise(&noise.Orders))))
	}
	m.fill(p, mostDetails)
}

// opening is the voice's sentence before the matter; mails that answer a thread go to it at once.
func (m *maker) opening(p *plan) string {
	text := m.text.pick(m.frame.Openings)
	if p.thread != nil || m.text.chance(0.3) {
		return ""
	}
	return text
}

// order adds statement, details and facts: the statement first, the rest shuffled, with a mention somewhere between.
func (m *maker) order(facts []piece, p *plan) {
	d := &m.text
	statement := m.phrase(RoleStatement, &m.primary.Statement, p.matter, 0)
	d.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	if p.buried+p.indirect == 0 && d.chance(0.7) { // plain mails mostly end with what they ask for
		for i := range facts {
			if facts[i].role == RoleAsk {
				facts[i], facts[len(facts)-1] = facts[len(facts)-1], facts[i]
			}
		}
	}
	at := -1
	if p.mention != nil {
		at = d.IntN(len(facts) + 1)
	}
	m.add(statement)
	for i := range facts {
		if i == at {
			m.mention(p)
		}
		if m.pastes() && d.chance(2*p.logs) {
			m.add(piece{text: "\n\n" + d.pick(m.noise(&m.src.bank.Noise.Logs)), role: RoleNoise, fill: &m.primeFill, raw: true})
			facts[i].newParagraph = true
		}
		m.add(facts[i])
	}
	if at == len(facts) {
		m.mention(p)
	}
}

// pastes tells whether the voice is the one that pastes log lines into a mail.
func (m *maker) pastes() bool {
	return m.voice.Slug == "developer-with-logs"
}

func (m *maker) mention(p *plan) {
	list := p.mention.candidate.Mentions.Passing
	if p.denied {
		list = p.mention.candidate.Mentions.Denied
	}
	m.add(piece{text: m.text.pick(list), role: RoleMention, fill: &p.mention.fill})
}

// toneLine adds a sentence in the mail's tone.
func (m *maker) toneLine(p *plan) {
	d, noise := &m.text, &m.src.bank.Noise
	say := func(h *scenario.Halves) { m.add(m.plain(RoleTone, d.pick(m.noise(h)))) }
	switch m.tone {
	case toneFurious:
		say(&noise.Furious)
	case toneAnnoyed:
		if d.chance(p.sarcasm) {
			say(&noise.Sarcastic)
		} else {
			say(&noise.Annoyed)
		}
	case toneNeutral:
		if d.chance(p.calm) {
			say(&noise.Calm)
		}
	case tonePleased:
		say(&noise.Pleased)
	}
}

// says adds what the mail says of its own wait, escalation and earlier contacts, where it says something.
func (m *maker) says(f *triage.Facts, p *plan) {
	d, noise := &m.text, &m.src.bank.Noise
	if d.chance(p.says) {
		switch {
		case f.WaitHours >= 48:
			m.add(m.plain(RoleWait, d.pick(m.noise(&noise.WaitDays))))
		case f.WaitHours >= 24:
			m.add(m.plain(RoleWait, d.pick(m.noise(&noise.WaitDay))))
		}
	}
	if f.Escalated && d.chance(p.says) {
		m.add(m.plain(RoleWait, d.pick(m.noise(&noise.Escalated))))
	}
	if f.PreviousContacts >= 2 && d.chance(p.says) {
		m.add(m.plain(RoleWait, d.pick(m.noise(&noise.Contacts))))
	}
}
