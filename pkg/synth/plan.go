package synth

import (
	"strings"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// knobs are what makes a difficulty: how plainly facts are told, and the chances of each trap and noise.
type knobs struct {
	// indirect and buried are the chances of those levels for situation, deadline and effort; matter is that of indirect
	// for statement and ask.
	indirect, buried, matter float64
	vagueSubject             float64
	length, spread           int // bytes of a mail: from length−spread to length+spread
	mention                  float64
	blend, thread, mislead   float64
	original                 float64 // of a thread: the first mail hangs below the answer
	spamMention              float64 // of a mention: it names spam
	detailed                 float64 // of a lesser request: it is told with some colour
	shout, order, followUp   float64
	scatter                  float64 // a fact in a postscript
	sarcasm, calm            float64
	foreign, logs, footer    float64
	disclaimer, forward      float64
	habits                   float64 // share of the voice's typos and the like
	noDeadline, says         float64 // that no date hangs on it; of wait, escalation, contacts
}

var difficultyKnobs = map[triage.Difficulty]*knobs{
	triage.Easy: {length: 680, spread: 180, noDeadline: 0.35, says: 0.25},
	triage.Medium: {indirect: 0.60, matter: 0.45, vagueSubject: 0.55, length: 780, spread: 230, mention: 0.5, shout: 0.06, followUp: 0.2,
		sarcasm: 0.3, calm: 0.2, logs: 0.05, footer: 0.15, disclaimer: 0.08, habits: 0.5, noDeadline: 0.25, says: 0.35},
	triage.Hard: {indirect: 0.5, buried: 0.3, matter: 1, vagueSubject: 0.7, length: 910, spread: 300, mention: 0.75, blend: 0.45, thread: 0.6,
		original: 1, spamMention: 0.15, detailed: 0.8, mislead: 0.5, shout: 0.15, order: 0.15, followUp: 0.35, scatter: 0.25, sarcasm: 0.5, calm: 0.2, foreign: 0.1, logs: 0.1,
		footer: 0.2, disclaimer: 0.15, forward: 0.1, habits: 1, noDeadline: 0.25, says: 0.35},
}

// plan is what a mail will hold beside its own matter.
type plan struct {
	*knobs
	length                  int // bytes that the mail is to have, about
	followUp, spam          bool
	secondary               *lent
	secondaryText           string
	secondaryDetail         string // colour of the lesser request
	secondaryFirst          bool
	thread, mention         *lent
	original                []string // the quoted first mail of the thread
	denied                  bool
	mislead                 *lent
	ignoreSubject           bool
	falseReply              bool // spam that poses as an answer
	shout, order, scattered bool
}

// traps names what makes the text hard, in the alphabet's order.
func (p *plan) traps() []string {
	var out []string
	add := func(ok bool, name string) {
		if ok {
			out = append(out, name)
		}
	}
	add(p.secondary != nil, "blended")
	add(p.denied, "denied")
	add(p.followUp, "follow_up")
	add(p.mention != nil && !p.denied, "mention")
	add(p.mislead != nil, "misleading_subject")
	add(p.order, "order")
	add(p.scattered, "scattered")
	add(p.shout, "shouting")
	add(p.thread != nil, "thread")
	return out
}

// plan draws the traps of a mail.
func (m *maker) plan(f *triage.Facts) plan {
	d := &m.text
	p := plan{knobs: difficultyKnobs[m.src.task.Difficulty]}
	p.spam = f.Primary.Route == triage.Spam
	p.length = p.knobs.length - p.spread + (d.IntN(p.spread+1) + d.IntN(p.spread+1))
	p.order = d.chance(p.knobs.order)
	p.shout = d.chance(p.knobs.shout)
	if p.spam {
		if d.chance(p.knobs.thread) { // as long as mails that hang on a thread
			p.length += threadBytes + d.IntN(threadSpread)
			p.falseReply = true
		}
		return p
	}
	p.followUp = m.src.task.Track == triage.Queue && m.primary.followUp && f.Primary.Severity == triage.Cosmetic &&
		f.Primary.Deadline == triage.NoDeadline && f.Primary.Effort == triage.SelfService && d.chance(p.knobs.followUp)
	f.FollowUp = p.followUp
	if p.followUp {
		p.order = false
		return p
	}
	if f.Primary.Route != triage.Feedback && d.chance(p.blend) {
		m.blend(f, &p)
	}
	switch {
	case m.drawThread(&p):
	case d.chance(p.knobs.mislead):
		p.mislead = m.lend(func(*candidate) bool { return true })
		p.ignoreSubject = d.chance(0.6)
	}
	trapped := p.thread != nil || p.mislead != nil || p.secondary != nil
	if d.chance(p.knobs.mention) || m.src.task.Difficulty == triage.Hard && !trapped {
		from := m.src.index.others
		spam := d.chance(p.spamMention)
		if spam {
			from = m.src.index.byRoute[triage.Spam]
		}
		p.mention = m.lendFrom(from, func(c *candidate) bool { return len(c.Mentions.Passing) > 0 && len(c.Mentions.Denied) > 0 })
		p.denied = p.mention != nil && !spam && m.src.task.Difficulty == triage.Hard && d.chance(0.5)
	}
	p.scattered = d.chance(p.scatter)
	return p
}

// threadBytes is about how much longer a hanging thread makes a mail, and threadSpread how much that varies.
const threadBytes, threadSpread = 580, 120

// connects tells whether a lesser request links itself to something before it ("Also …", "One more …", "… too"), so that it can neither
// stand first in a mail nor follow another lead. It errs towards yes: a lead left out is missed by nobody, a doubled one is.
func connects(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	switch strings.TrimRight(word, ",:") {
	case "Also", "Besides", "Another", "Separately", "Then", "And", "Apart", "Aside", "Additionally", "Next", "Oh", "While", "Since", "Incidentally", "Unrelated", "Secondly",
		"Further", "Furthermore", "Moreover", "Lastly", "Finally", "PS", "Beyond", "Otherwise", "Plus":
		return true
	}
	for _, mark := range [...]string{" besides", " too", " as well", "also", "On the side", "On another", "On a ", "One more", "one more", "nother ", "second ", "my list", "At the end", "In passing",
		"By the way", "There is a trifle", "There is one ", "the end:", "in addition", "On top", "Small thing", "mall extra", "And "} {
		if strings.Contains(text[:min(len(text), 60)], mark) {
			return true
		}
	}
	return false
}

// drawEffort draws one of the efforts that a scenario has.
func (m *maker) drawEffort(c *candidate) int {
	first := m.text.IntN(len(c.efforts))
	for i := range c.efforts {
		if at := (first + i) % len(c.efforts); c.efforts[at] {
			return at
		}
	}
	return first
}

// drawThread draws whether the mail answers an old thread of another team, and gives that.
func (m *maker) drawThread(p *plan) bool {
	d := &m.text
	if !d.chance(p.knobs.thread) {
		return false
	}
	p.thread = m.lend(func(c *candidate) bool { return len(c.Settled) > 0 && len(c.Quoted) > 0 })
	if c := p.thread; c != nil && d.chance(p.knobs.original) {
		s := c.candidate
		p.original = append(m.original[:0], d.pick(s.Statement.Plain), d.pick(s.Situations[d.IntN(len(s.Situations))].Plain),
			d.pick(s.effort[m.drawEffort(s)].Plain), d.pick(s.Details), d.pick(s.Ask.Plain))
	}
	return p.thread != nil
}

// blend adds a lesser request of another team. By the handbook it must not be more urgent than the primary one, and comes
// after it if they are equal.
func (m *maker) blend(f *triage.Facts, p *plan) {
	d := &m.text
	own := handbook.Urgency(&f.Primary)
	degraded := own != triage.UrgencyLow && d.chance(0.5)
	p.secondary = m.lend(func(c *candidate) bool {
		if c.Route == triage.Feedback {
			return false
		}
		if degraded {
			return len(c.Secondary.Degraded) > 0
		}
		return len(c.Secondary.Cosmetic) > 0
	})
	if p.secondary == nil {
		return
	}
	c := p.secondary.candidate
	r := triage.Request{Scenario: c.Slug, Route: c.Route, Category: c.Desk, Severity: triage.Cosmetic, Impact: triage.One,
		Deadline: triage.NoDeadline, Effort: triage.Investigation}
	p.secondaryText = d.pick(c.Secondary.Cosmetic)
	if degraded {
		r.Severity = triage.Degraded
		p.secondaryText = d.pick(c.Secondary.Degraded)
	}
	if c.Desk == triage.FeatureRequest {
		r.Stake = triage.NoStake
	}
	f.Secondary = &r
	if d.chance(p.detailed) {
		p.secondaryDetail = d.pick(c.Details)
	}
	p.secondaryFirst = handbook.Urgency(&r).Level() < own.Level() && d.chance(0.7) && !connects(p.secondaryText)
}
