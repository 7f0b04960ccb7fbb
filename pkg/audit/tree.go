package audit

import (
	"fmt"
	"math"

	"github.com/triagebench/triage/pkg/triage"
)

// What ids and position alone, and with them the lengths of the texts, may gain over the majority.
const gainIDs, gainLengths = 0.01, 0.03

// traces are the observed things that should tell nothing: the digits of the id, the id, the position, and in the end the
// two lengths.
const (
	idDigits   = 5
	traceIDs   = idDigits + 2
	traceCount = traceIDs + 2
)

// tracesOf gives a ticket's traces.
func tracesOf(c *triage.Case, position int) [traceCount]int32 {
	var out [traceCount]int32
	number := int32(0)
	at := idDigits
	for i := len(c.Ticket.ID) - 1; i >= 0 && at > 0; i-- {
		if d := c.Ticket.ID[i]; d >= '0' && d <= '9' {
			at--
			out[at] = int32(d - '0')
		}
	}
	for _, d := range out[:idDigits] {
		number = 10*number + d
	}
	out[idDigits], out[idDigits+1] = number, int32(position)
	out[traceIDs], out[traceIDs+1] = int32(len(c.Ticket.Subject)), int32(len(c.Ticket.Body))
	return out
}

// judgeTree grows small decision trees on the traces, learnt from train as everything that plays. Many more tickets are
// measured than are played, so that noise does not decide. Trees on lengths that learn from the very split that is
// played, at other seeds, are printed beside them: they tell how far lengths give single scenarios away.
func judgeTree(a *arena) ([]triage.Check, error) {
	learn, err := a.sample(triage.Train, learnSeed(a.Seed), a.Sample)
	if err != nil {
		return nil, err
	}
	own, err := a.sample(a.Split, learnSeed(a.Seed), a.Sample)
	if err != nil {
		return nil, err
	}
	measure, err := a.sample(a.Split, measureSeed(a.Seed), a.Sample)
	if err != nil {
		return nil, err
	}
	var out []triage.Check
	for _, l := range traceLabels(a.task.Track) {
		x, y := a.rows(learn, l.of), a.rows(measure, l.of)
		peek := a.rows(own, l.of)
		for _, set := range traceSets() {
			tree := grow(x, set.features, treeDepth)
			gain, se := tree.gain(y, leaf(x))
			out = append(out, a.check("tree:"+set.name+":"+l.name, fmt.Sprintf("a tree of depth %d tells the %s from %s", treeDepth, l.name, set.what),
				fmt.Sprintf("at most %.1f points over the majority", 100*set.gain),
				points(gain, se), gain <= set.gain))
		}
		gain, se := grow(peek, traceCount, treeDepth).gain(y, leaf(peek))
		c := a.check("tree:own-lengths:"+l.name, fmt.Sprintf("a tree of depth %d that learnt from split %s tells the %s from lengths", treeDepth, a.Split, l.name),
			"printed", points(gain, se), true)
		c.Printed = true
		out = append(out, c)
	}
	return out, nil
}

// traceSet is some of the traces with what they may gain.
type traceSet struct {
	name, what string
	features   int
	gain       float64
}

func traceSets() []traceSet {
	return []traceSet{{"ids", "the id and the position", traceIDs, gainIDs},
		{"lengths", "id, position and the lengths of the texts", traceCount, gainLengths}}
}

func points(gain, se float64) string { return fmt.Sprintf("%+.1f ± %.1f points", 100*gain, 100*se) }

// traceLabel is a label that traces might tell, as a number.
type traceLabel struct {
	name string
	of   func(*triage.Case) int
}

func traceLabels(track triage.Track) []traceLabel {
	if track == triage.Desk {
		return []traceLabel{{"category", func(c *triage.Case) int { return place(triage.Categories(), c.Truth.Desk.Category) }}}
	}
	return []traceLabel{
		{"route", func(c *triage.Case) int { return place(triage.Routes(), c.Truth.Queue.Route) }},
		{"urgency", func(c *triage.Case) int { return c.Truth.Queue.Urgency.Level() }},
	}
}

func place[T comparable](values []T, v T) int {
	for i, x := range values {
		if x == v {
			return i
		}
	}
	return 0
}

// rows turns tickets into what trees read.
func (a *arena) rows(cases []triage.Case, label func(*triage.Case) int) []row {
	out := make([]row, len(cases))
	for i := range cases {
		out[i] = row{traces: tracesOf(&cases[i], i%a.task.Tickets), label: label(&cases[i])}
	}
	return out
}

// gain is how much more often the tree is right than the majority, with its standard error.
func (t *tree) gain(rows []row, majority int) (mean, se float64) {
	sum, squares := 0, 0
	for i := range rows {
		d := 0
		if t.label(&rows[i]) == rows[i].label {
			d++
		}
		if majority == rows[i].label {
			d--
		}
		sum += d
		squares += d * d
	}
	n := float64(max(1, len(rows)))
	mean = float64(sum) / n
	return mean, math.Sqrt(max(0, float64(squares)/n-float64(mean*mean)) / n)
}
