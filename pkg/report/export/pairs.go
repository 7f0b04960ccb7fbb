package export

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// PairOptions say which pairs are written.
type PairOptions struct {
	// MinGap is the least difference of scores in a pair, 0..1. Answers with the same score are never a pair.
	MinGap float64
	// Most is how many pairs a ticket gives at most, the widest first; 0 means all.
	Most int
}

// Pairs collects what several agents, trials or runs answered to the same ticket, and writes pairs of a better and a worse answer
// for training on preferences. What each ticket showed is held until Close.
type Pairs struct {
	w       io.Writer
	options PairOptions
	tickets map[pairKey]*pairTicket
	order   []*pairTicket
	// Left counts answers that are left out: there was none, it was not graded, or its episode broke.
	Left int
	// Written counts pairs, once Close is done.
	Written int
}

var _ Writer = (*Pairs)(nil)

// pairKey tells tickets apart.
type pairKey struct {
	task, split string
	seed        int64
	position    int
	shown       string // the observation
}

// pairTicket is a ticket with what was answered to it.
type pairTicket struct {
	pairKey
	task    triage.Task
	answers []pairAnswer
}

// pairAnswer is one answer.
type pairAnswer struct {
	text       string
	score      float64
	agent, run string
	trial      int
}

// NewPairs collects pairs and writes them when it is closed.
func NewPairs(w io.Writer, o PairOptions) *Pairs {
	return &Pairs{w: w, options: o, tickets: map[pairKey]*pairTicket{}}
}

// Episode takes the answers of an episode.
func (p *Pairs) Episode(src *Source, ep *results.Logged) error {
	list, err := Tickets(ep)
	if err != nil {
		return err
	}
	if ep.Ended == triage.EndedError {
		p.Left += max(1, len(ep.Steps))
		return nil
	}
	for i := range list {
		t := &list[i]
		score := t.total()
		if score == nil {
			p.Left++
			continue
		}
		a := pairAnswer{text: string(t.Answer), score: triage.Rounded(*score), agent: t.Key.Agent, run: src.Name, trial: t.Key.Trial}
		if t.Refused != "" && t.Reply != nil {
			a.text = t.Reply.Text
		}
		if a.text == "" {
			p.Left++
			continue
		}
		p.of(t, src.Split).add(a)
	}
	return nil
}

// of finds the ticket by what was shown of it. Figures and results of the tickets before it are left out: they tell of the agent, and
// two agents are to be asked the same.
func (p *Pairs) of(t *Ticket, split string) *pairTicket {
	o := t.Observation
	if o.Queue != nil {
		q := *o.Queue
		q.Stats, q.LastResult = nil, nil
		o.Queue = &q
	}
	e := triage.Encoder{Round: true}
	e.Observation(o)
	key := pairKey{task: t.Task.Name, split: split, seed: t.Key.Seed, position: t.Position, shown: string(e.Buf)}
	x := p.tickets[key]
	if x == nil {
		x = &pairTicket{pairKey: key, task: t.Task}
		p.tickets[key], p.order = x, append(p.order, x)
	}
	return x
}

// add adds an answer, unless there is the same one.
func (t *pairTicket) add(a pairAnswer) {
	if !slices.ContainsFunc(t.answers, func(x pairAnswer) bool { return x.text == a.text }) {
		t.answers = append(t.answers, a)
	}
}

// Close writes the pairs by task, seed and position, the widest of a ticket first.
func (p *Pairs) Close() error {
	rank := map[string]int{}
	for i, t := range triage.Tasks() {
		rank[t.Name] = i
	}
	slices.SortStableFunc(p.order, func(a, b *pairTicket) int {
		return cmp.Or(cmp.Compare(rank[a.task.Name], rank[b.task.Name]), cmp.Compare(a.seed, b.seed), cmp.Compare(a.position, b.position))
	})
	var e triage.Encoder
	for _, t := range p.order {
		for _, pair := range t.pairs(p.options) {
			e.Buf = e.Buf[:0]
			t.append(&e, pair[0], pair[1])
			if _, err := p.w.Write(e.Buf); err != nil {
				return err
			}
			p.Written++
		}
	}
	return nil
}

// pairs are the pairs of a ticket, the widest first.
func (t *pairTicket) pairs(o PairOptions) [][2]*pairAnswer {
	slices.SortFunc(t.answers, func(a, b pairAnswer) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.agent, b.agent), cmp.Compare(a.run, b.run), cmp.Compare(a.trial, b.trial), cmp.Compare(a.text, b.text))
	})
	var out [][2]*pairAnswer
	for i := range t.answers {
		for j := len(t.answers) - 1; j > i; j-- {
			if gap := triage.Rounded(t.answers[i].score - t.answers[j].score); gap > 0 && gap >= o.MinGap {
				out = append(out, [2]*pairAnswer{&t.answers[i], &t.answers[j]})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b [2]*pairAnswer) int {
		return cmp.Compare(triage.Rounded(b[0].score-b[1].score), triage.Rounded(a[0].score-a[1].score))
	})
	if o.Most > 0 && len(out) > o.Most {
		out = out[:o.Most]
	}
	return out
}

// append writes a pair as conversations: what was asked, the better answer, the worse one.
func (t *pairTicket) append(e *triage.Encoder, chosen, rejected *pairAnswer) {
	e.Buf = append(e.Buf, `{"prompt":[`...)
	message(e, "system", System(t.task))
	e.Buf = append(e.Buf, ',')
	message(e, "user", t.shown)
	e.Buf = append(e.Buf, `],"chosen":[`...)
	message(e, "assistant", chosen.text)
	e.Buf = append(e.Buf, `],"rejected":[`...)
	message(e, "assistant", rejected.text)
	e.Buf = append(e.Buf, `],"chosen_score":`...)
	e.Buf = triage.AppendRounded(e.Buf, chosen.score)
	e.Buf = append(e.Buf, `,"rejected_score":`...)
	e.Buf = triage.AppendRounded(e.Buf, rejected.score)
	e.Buf = append(e.Buf, `,"key":{"task":`...)
	e.String(t.task.Name)
	e.Buf = append(e.Buf, `,"seed":`...)
	e.Buf = strconv.AppendInt(e.Buf, t.seed, 10)
	e.Buf = append(e.Buf, `,"position":`...)
	e.Buf = strconv.AppendInt(e.Buf, int64(t.position), 10)
	e.Buf = append(e.Buf, '}')
	for _, x := range []struct {
		key string
		a   *pairAnswer
	}{{"chosen_from", chosen}, {"rejected_from", rejected}} {
		e.Buf = append(e.Buf, `,"`+x.key+`":{"agent":`...)
		e.String(x.a.agent)
		e.Buf = append(e.Buf, `,"run":`...)
		e.String(x.a.run)
		e.Buf = append(e.Buf, `,"trial":`...)
		e.Buf = strconv.AppendInt(e.Buf, int64(x.a.trial), 10)
		e.Buf = append(e.Buf, '}')
	}
	provenance(e, "split", t.split)
	e.Buf = append(e.Buf, '}', '\n')
}
