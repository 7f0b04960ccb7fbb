package synth

import (
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
	triage.Hard: {indirect: 0.5, buried: 0.3, matter: 0.65, vagueSubject: 0.7, length: 950, spread: 300, mention: 0.35, blend: 0.45, thread: 0.2,
		mislead: 0.35, shout: 0.15, order: 0.15, followUp: 0.35, scatter: 0.25, sarcasm: 0.5, calm: 0.3, foreign: 0.1, logs: 0.1,
		footer: 0.2, disclaimer: 0.15, forward: 0.1, habits: 1, noDeadline: 0.25, says: 0.35},
}

// plan is what a mail will hold beside its own matter.
type plan struct {
	*knobs
	length                  int // bytes that the mail is to have, about
	followUp, spam          bool
	secondary               *lent
	secondaryText           string
	secondaryFirst          bool
	thread, mention         *lent
	denied                  bool
	mislead                 *lent
	ignoreSubject           bool
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
	case d.chance(p.knobs.thread):
		p.thread = m.lend(func(c *candidate) bool { return len(c.Settled) > 0 && len(c.Quoted) > 0 })
	case d.chance(p.knobs.mislead):
		p.mislead = m.lend(func(*candidate) bool { return true })
		p.ignoreSubject = d.chance(0.6)
	}
	if p.secondary == nil && d.chance(p.knobs.mention) {
		p.mention = m.lend(func(c *candidate) bool { return len(c.Mentions.Passing) > 0 && len(c.Mentions.Denied) > 0 })
		p.denied = p.mention != nil && m.src.task.Difficulty == triage.Hard && d.chance(0.5)
	}
	p.scattered = d.chance(p.scatter)
	return p
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
	p.secondaryFirst = handbook.Urgency(&r).Level() < own.Level() && d.chance(0.55)
}
