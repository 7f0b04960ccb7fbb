package synth

import "strings"

// paragraphs breaks the text from piece start on as the voice does.
func (m *maker) paragraphs(start int) {
	every := 4
	switch m.voice.Style.Paragraphs {
	case "one":
		return
	case "many":
		every = 2
	}
	n := 0
	for i := start; i < len(m.pieces); i++ {
		if m.pieces[i].newParagraph {
			n = 0
		}
		if n == every && m.pieces[i-1].role != RoleLead {
			m.pieces[i].newParagraph = true
			n = 0
		}
		n++
	}
}

// end adds closing, signature, postscript, footers and the quoted thread.
func (m *maker) end(p *plan) {
	d, noise := &m.text, &m.src.bank.Noise
	ps := m.scattered(p)
	if !p.spam { // who sends the same to thousands has no phone ringing
		closing := m.plain(RoleClosing, d.pick(m.frame.Closings))
		closing.newParagraph = m.voice.Style.Paragraphs != "one"
		m.add(closing)
	}
	signature := m.plain(RoleSignature, d.pick(m.frame.Signatures))
	if p.spam && strings.Contains(signature.text, "{company}") { // no customer's firm stands behind spam
		signature.text = "{first} {last}"
	}
	signature.newParagraph = true
	m.add(signature)
	if ps.text != "" {
		m.add(piece{text: d.pick(m.noise(&noise.PS)), role: RoleLead, fill: &m.primeFill, newParagraph: true})
		m.add(ps)
	}
	if d.chance(p.footer) {
		m.add(piece{text: d.pick(m.noise(&noise.DeviceFooters)), role: RoleNoise, fill: &m.primeFill, newParagraph: true, raw: true})
	}
	if d.chance(p.disclaimer) {
		m.add(piece{text: d.pick(m.noise(&noise.Disclaimers)), role: RoleNoise, fill: &m.primeFill, newParagraph: true, raw: true})
	}
	if p.thread != nil {
		m.add(piece{text: d.pick(m.noise(&noise.QuoteHeaders)), role: RoleQuote, fill: &p.thread.fill, newParagraph: true, raw: true})
		m.add(piece{text: "\n> " + d.pick(p.thread.candidate.Quoted), role: RoleQuote, fill: &p.thread.fill, raw: true})
		for i, text := range p.original {
			if i == 0 {
				text = "\n> > " + text
			}
			m.add(piece{text: text, role: RoleQuote, fill: &p.thread.fill, raw: true})
		}
	}
	if d.chance(m.voice.Style.Caps * p.habits) {
		m.capsAt = m.shoutedPiece()
	}
}

// scattered takes one fact out of the body for a postscript.
func (m *maker) scattered(p *plan) piece {
	if !p.scattered {
		return piece{}
	}
	p.scattered = false
	roles := [...]Role{RoleSituation, RoleDeadline, RoleEffort}
	want := roles[m.text.IntN(len(roles))]
	for i := range m.pieces {
		if m.pieces[i].role != want {
			continue
		}
		ps := m.pieces[i]
		if i+1 < len(m.pieces) && ps.newParagraph {
			m.pieces[i+1].newParagraph = true
		}
		m.pieces = append(m.pieces[:i], m.pieces[i+1:]...)
		ps.newParagraph = false
		p.scattered = true
		return ps
	}
	return piece{}
}

// shoutedPiece picks the sentence that stands in capitals.
func (m *maker) shoutedPiece() int {
	n := 0
	at := -1
	for i := range m.pieces {
		switch m.pieces[i].role {
		case RoleStatement, RoleSituation, RoleAsk, RoleTone, RoleDeadline:
			n++
			if m.text.IntN(n) == 0 {
				at = i
			}
		}
	}
	return at
}

// A subject line is to have shortSubject to shortSubject + subjectSpread bytes: of those that fit, the nearest in length to a
// number drawn from that range is taken.
const (
	shortSubject, subjectSpread = 20, 32
	shortVague, vagueSpread     = 8, 24 // of those that say little
)

// fitting draws one of the subjects by length, so that lengths tell nothing of what a mail is about.
func (m *maker) fitting(list []string, short, spread int) string {
	target := short + m.text.IntN(spread+1)
	first, best, off := m.text.IntN(len(list)), "", 0
	for i := range list {
		text := list[(first+i)%len(list)]
		d := len(text) - target
		if d < 0 {
			d = -d
		}
		if best == "" || d < off {
			best, off = text, d
		}
	}
	return best
}

// subject draws the subject line.
func (m *maker) subject(p *plan) piece {
	d, noise := &m.text, &m.src.bank.Noise
	text, fill, prefix := "", &m.primeFill, ""
	switch {
	case p.thread != nil:
		text, fill = m.fitting(p.thread.candidate.Subjects.Plain, shortSubject, subjectSpread), &p.thread.fill
		prefix = d.pick(m.noise(&noise.ReplySubjects))
	case p.mislead != nil:
		text, fill = m.fitting(p.mislead.candidate.Subjects.Plain, shortSubject, subjectSpread), &p.mislead.fill
		if p.ignoreSubject {
			prefix = d.pick(m.noise(&noise.ReplySubjects))
		}
	case p.followUp:
		text, prefix = m.fitting(m.primary.Subjects.Plain, shortSubject, subjectSpread), d.pick(m.noise(&noise.ReplySubjects))
	case p.falseReply:
		text = m.fitting(m.primary.Subjects.Vague, shortSubject, subjectSpread)
		if d.chance(0.6) {
			text = m.fitting(m.primary.Subjects.Plain, shortSubject, subjectSpread)
		}
		prefix = d.pick(m.noise(&noise.ReplySubjects))
	case d.chance(p.vagueSubject):
		text = m.fitting(m.primary.Subjects.Vague, shortVague, vagueSpread)
	default:
		text = m.fitting(m.primary.Subjects.Plain, shortSubject, subjectSpread)
	}
	if p.shout {
		prefix = d.pick(m.noise(&noise.ShoutSubjects)) + prefix
	}
	return piece{text: prefix + text, role: RoleSubject, fill: fill}
}
