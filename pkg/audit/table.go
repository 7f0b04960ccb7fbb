package audit

import (
	"fmt"
	"math"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

const nameTable = "train-table"

// How the table finds the train ticket that is nearest to a text it has never seen: by shared runs of words, of which
// fewer than minShared are chance; runs that more than one ticket in commonShare holds tell nothing.
const (
	tableGram   = 3
	minShared   = 3
	commonShare = 10
)

// entry is what the table keeps of a train ticket.
type entry struct {
	route      triage.Route
	urgency    triage.Urgency
	difficulty triage.Resolution
	category   triage.Category
	points     int
	entities   [][]string
}

// table remembers every train ticket. It is shared by workers and not changed any more.
type table struct {
	entries []entry
	texts   map[uint64]int32 // by hash of the exact text
	index   postings
	common  int
}

func newTable(train []triage.Case) *table {
	t := &table{entries: make([]entry, len(train)), texts: make(map[uint64]int32, len(train)),
		common: max(minShared, len(train)/commonShare)}
	var words, runs []uint64
	for i := range train {
		c := &train[i]
		t.entries[i] = entryOf(c)
		text := textOfCase(c)
		t.texts[wordHash(text)] = int32(i)
		words = wordHashes(words[:0], text)
		runs = grams(runs[:0], words, tableGram)
		t.index.add(i, runs)
	}
	t.index.seal()
	return t
}

func entryOf(c *triage.Case) entry {
	var e entry
	if q := c.Truth.Queue; q != nil {
		e.route, e.urgency, e.difficulty = q.Route, q.Urgency, q.Difficulty
	}
	if d := c.Truth.Desk; d != nil {
		e.category, e.points, e.entities = d.Category, handbook.Points(&c.Facts.Primary), d.Entities
	}
	return e
}

// lookup is a user of the table with its own notes.
type lookup struct {
	*table
	words, runs []uint64
	weight      []float64 // by train ticket
	shared      []int
	touched     []int32
}

func (t *table) lookup() *lookup {
	return &lookup{table: t, weight: make([]float64, len(t.entries)), shared: make([]int, len(t.entries))}
}

// find gives the train ticket with this very text, or the nearest one: the one whose shared runs of words are the rarest
// in sum.
func (l *lookup) find(text string) (*entry, bool) {
	if i, ok := l.texts[wordHash(text)]; ok {
		return &l.entries[i], true
	}
	l.words = wordHashes(l.words[:0], text)
	l.runs = grams(l.runs[:0], l.words, tableGram)
	for _, g := range l.runs {
		list := l.index.of(g)
		if len(list) > l.common {
			continue
		}
		for _, p := range list {
			if l.shared[p.doc] == 0 {
				l.touched = append(l.touched, p.doc)
			}
			l.shared[p.doc]++
			l.weight[p.doc] += math.Log(float64(len(l.entries)) / float64(len(list)))
		}
	}
	best := int32(-1)
	for _, d := range l.touched {
		if l.shared[d] >= minShared && (best < 0 || l.weight[d] > l.weight[best] || l.weight[d] == l.weight[best] && d < best) {
			best = d
		}
	}
	for _, d := range l.touched {
		l.weight[d], l.shared[d] = 0, 0
	}
	l.touched = l.touched[:0]
	if best < 0 {
		return nil, false
	}
	return &l.entries[best], true
}

// answer gives what the table says of a ticket, or the constant answer.
func (l *lookup) answer(o triage.Observation, constant triage.Action) triage.Action {
	e, ok := l.find(textOf(o))
	switch {
	case !ok:
		return constant
	case o.Desk != nil:
		return deskAnswer(o.Desk, e.category, e.points, recommend(e.category, e.entities))
	}
	return queueAnswer(&o.Queue.Ticket.Metadata, e.route, e.urgency, e.difficulty)
}

// enterTable enters the table of every train text. On train itself it would only show that it remembers.
func enterTable(a *arena) ([]contender, error) {
	if a.Split == triage.Train {
		return nil, nil
	}
	t := newTable(a.train)
	return []contender{{name: nameTable, secret: a.Secret, agent: func() (triage.Agent, error) {
		l := t.lookup()
		return agentFunc(func(o triage.Observation) (triage.Action, error) { return l.answer(o, a.constant), nil }), nil
	}}}, nil
}

func judgeTable(a *arena) ([]triage.Check, error) {
	what := fmt.Sprintf("the labels of the nearest of %d train tickets, else the constant answer", len(a.train))
	if a.Split == triage.Train {
		c := a.check(nameTable, what, "no better than "+nameKeyword, "", false)
		c.Skipped = "it remembers train, which is what is played"
		return []triage.Check{c}, nil
	}
	return []triage.Check{a.noBetter(nameTable, what, nameKeyword)}, nil
}
