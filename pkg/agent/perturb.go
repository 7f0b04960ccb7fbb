package agent

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// The perturbations. All leave the ticket's id, its metadata and what is asked as they are, and none of them looks at the
// truth: an agent that reads well loses nothing.
const (
	PerturbTypos      = "typos"       // a letter swapped, left out or doubled in about 3 % of the longer words
	PerturbFieldOrder = "field-order" // metadata and JSON members in another order
	PerturbGreeting   = "greeting"    // a greeting in another language in front of the text
	PerturbUpper      = "upper"       // text in upper case; addresses and codes stay as they are
	PerturbInjection  = "injection"   // a sentence behind the text that orders the reader to answer something
)

// PerturbKinds lists the perturbations in the order in which tables print them.
func PerturbKinds() []string {
	return []string{PerturbTypos, PerturbFieldOrder, PerturbGreeting, PerturbUpper, PerturbInjection}
}

// perturbSign stands between an agent's name and the perturbation of what it reads.
const perturbSign = "+"

// PerturbedName is what an agent is called that reads perturbed tickets, such as heuristic+typos.
func PerturbedName(name, kind string) string { return name + perturbSign + kind }

// CutPerturbed takes such a name apart. ok is false for a name that does not end in a perturbation; inner is the whole
// name then.
func CutPerturbed(name string) (inner, kind string, ok bool) {
	at := strings.LastIndex(name, perturbSign)
	if at < 0 || !slices.Contains(PerturbKinds(), name[at+1:]) {
		return name, "", false
	}
	return name[:at], name[at+1:], true
}

// Perturb makes an agent that sees the tickets changed in one way and otherwise answers as the inner one, which is told of
// each episode under its own name: what it draws is the same with the change and without, so the two can be compared in
// pairs. What is changed depends on the kind, the task, the seed and the ticket's position only; every trial and every step
// of a desk ticket sees the same. kind is one of [PerturbKinds]; others are an error with CodeUsage. Perturbations can be
// put around each other.
func Perturb(kind string, inner triage.Agent) (triage.Agent, error) {
	changes := map[string]func(*rand.Rand, *perturbed){
		PerturbTypos: misspell, PerturbFieldOrder: reorder, PerturbGreeting: greet, PerturbUpper: shout, PerturbInjection: inject,
	}
	change, ok := changes[kind]
	if !ok {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("unknown perturbation %q: the perturbations are %s", kind, strings.Join(PerturbKinds(), ", "))}
	}
	return &perturber{kind: kind, inner: inner, change: change}, nil
}

// perturber is the agent that [Perturb] gives.
type perturber struct {
	kind   string
	inner  triage.Agent
	change func(*rand.Rand, *perturbed)
	key    triage.Key
}

var (
	_ triage.Agent    = (*perturber)(nil)
	_ triage.Viewer   = (*perturber)(nil)
	_ triage.Starter  = (*perturber)(nil)
	_ triage.Teller   = (*perturber)(nil)
	_ triage.Attacher = (*perturber)(nil)
	_ io.Closer       = (*perturber)(nil)
)

// Act lets the inner agent answer.
func (p *perturber) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	return p.inner.Act(ctx, o)
}

// Start tells the inner agent of the episode, under the inner agent's name.
func (p *perturber) Start(key triage.Key) {
	p.key = key
	if s, ok := p.inner.(triage.Starter); ok {
		key.Agent = strings.TrimSuffix(key.Agent, perturbSign+p.kind)
		s.Start(key)
	}
}

// Told is what the inner agent tells.
func (p *perturber) Told() (*triage.Usage, *triage.Reply) {
	if t, ok := p.inner.(triage.Teller); ok {
		return t.Told()
	}
	return nil, nil
}

// Attach shows the inner agent the environment.
func (p *perturber) Attach(env triage.Env) error {
	if a, ok := p.inner.(triage.Attacher); ok {
		return a.Attach(env)
	}
	return nil
}

// Close lets the inner agent go.
func (p *perturber) Close() error {
	if c, ok := p.inner.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// View gives the observation as the agent is to see it. What is changed is a copy.
func (p *perturber) View(o triage.Observation) triage.Observation {
	if x, ok := perturbedOf(o); ok {
		p.change(p.draws(x.place), &x)
		o = x.observation()
	}
	if v, ok := p.inner.(triage.Viewer); ok {
		return v.View(o)
	}
	return o
}

// draws are those of the ticket at a place of the episode.
func (p *perturber) draws(place int) *rand.Rand {
	b := []byte("perturbation")
	for _, f := range [...]string{p.kind, p.key.Task} {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(p.key.Seed))
	b = binary.BigEndian.AppendUint64(b, uint64(p.key.Position.Value+place)) // alone, a ticket stands at place 0
	return rand.New(rand.NewChaCha8(sha256.Sum256(b)))
}

// perturbed is what a perturbation may change of an observation, and what it may know of it.
type perturbed struct {
	from          triage.Observation
	place         int // of the ticket in what is played of its episode
	subject, body string
	divided       bool // desk texts: subject and body stand apart
	order         uint64
}

// divider stands between subject and body of a desk text.
const divider = "\n\n"

// perturbedOf takes an observation apart; ok is false where there is no ticket in it.
func perturbedOf(o triage.Observation) (p perturbed, ok bool) {
	p = perturbed{from: o, order: o.Order}
	switch {
	case o.Queue != nil && o.Queue.Ticket != nil:
		p.place, p.subject, p.body = o.Queue.Position, o.Queue.Ticket.Subject, o.Queue.Ticket.Description
	case o.Desk != nil:
		p.subject, p.body, p.divided = strings.Cut(o.Desk.IssueText, divider)
		if !p.divided {
			p.subject, p.body = "", o.Desk.IssueText
		}
	case o.Dataset != nil:
		p.subject, p.body = o.Dataset.Subject, o.Dataset.Body
	default:
		return p, false
	}
	return p, true
}

// observation puts the changed observation together. It shares with the one before what no perturbation changes.
func (p *perturbed) observation() triage.Observation {
	o := p.from
	o.Order = p.order
	switch {
	case o.Queue != nil:
		queue, ticket := *o.Queue, *o.Queue.Ticket
		ticket.Subject, ticket.Description = p.subject, p.body
		queue.Ticket, o.Queue = &ticket, &queue
	case o.Desk != nil:
		desk := *o.Desk
		desk.IssueText = p.body
		if p.divided {
			desk.IssueText = p.subject + divider + p.body
		}
		o.Desk = &desk
	default:
		set := *o.Dataset
		set.Subject, set.Body = p.subject, p.body
		o.Dataset = &set
	}
	return o
}
