package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Tell is a column that agents see and that gives a label away.
type Tell struct {
	Column, Label string
	// Share, 0 to 1, is how often the label that went with the column's value so far was right for the next ticket of that value,
	// over Tickets tickets.
	Share   float64
	Tickets int
}

// String says what to do about it.
func (t Tell) String() string {
	return fmt.Sprintf("column %q tells label %s in %.0f %% of %d tickets: hold it back with --hold %q", t.Column, t.Label, 100*t.Share, t.Tickets, t.Column)
}

// Limits of the measurement: it looks at the first tickets, and at columns of few values. A column tells a label if it is right as
// often as tellShare in tellTickets tickets or more, and leaves at most half of the errors that always saying the most frequent label
// makes. A value's first ticket is not counted, so that ids tell nothing.
const (
	tellRows    = 20_000
	tellColumns = 100
	tellValues  = 2_000
	tellTickets = 50
	tellShare   = 0.95
)

// tells measures what columns tell of labels.
type tells struct {
	rows    int
	tables  map[*labelColumn][]*tellTable // by label
	overall []tally                       // by label: how often each value came so far
}

// tellTable is what one column tells of one label.
type tellTable struct {
	label  string
	values map[string]*tally
	// with are the tickets that have a value in the column; of them tried had one that was known; right of those were told by it, and
	// base by the most frequent label.
	with, tried, right, base int
}

// tally counts labels; best is the most frequent.
type tally struct {
	counts map[string]int
	best   string
}

func (t *tally) add(value string) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[value]++
	if n := t.counts[value]; n > t.counts[t.best] || n == t.counts[t.best] && value < t.best {
		t.best = value
	}
}

// measure looks at one ticket: the columns that have a value, the labels found, and the fields that are shown.
func (l *Labels) measure(fields map[string]string) {
	t := &l.tells
	if t.rows >= tellRows {
		return
	}
	t.rows++
	for len(t.overall) < len(l.rules) {
		t.overall = append(t.overall, tally{})
	}
	for _, col := range l.seen {
		if col.Role != Shown {
			continue
		}
		tables, ok := t.tables[col]
		if !ok && len(t.tables) >= tellColumns {
			continue
		}
		for len(tables) < len(l.rules) {
			tables = append(tables, &tellTable{label: l.rules[len(tables)].name, values: map[string]*tally{}})
		}
		if t.tables == nil {
			t.tables = map[*labelColumn][]*tellTable{}
		}
		t.tables[col] = tables
		value := strings.TrimSpace(fields[col.name])
		for i := range l.rules {
			if label := l.found[i].value; label != "" {
				tables[i].add(value, label, t.overall[i].best)
			}
		}
	}
	for i := range l.rules {
		if label := l.found[i].value; label != "" {
			t.overall[i].add(label)
		}
	}
}

// add counts one ticket; most is the most frequent label so far.
func (t *tellTable) add(value, label, most string) {
	t.with++
	known := t.values[value]
	if known == nil {
		if len(t.values) < tellValues {
			known = &tally{}
			known.add(label)
			t.values[strings.Clone(value)] = known
		}
		return
	}
	t.tried++
	if known.best == label {
		t.right++
	}
	if most == label {
		t.base++
	}
	known.add(label)
}

// telling gives the columns that tell a label, those that tell most first.
func (l *Labels) telling() []Tell {
	var out []Tell
	for _, col := range l.order {
		for _, t := range l.tells.tables[col] {
			share := float64(t.right) / float64(max(1, t.tried))
			if t.tried < tellTickets || 2*t.tried < t.with || share < tellShare || 2*(t.tried-t.right) > t.tried-t.base || t.right == t.base {
				continue
			}
			out = append(out, Tell{col.name, t.label, share, t.tried})
		}
	}
	slices.SortStableFunc(out, func(a, b Tell) int { return cmp.Compare(b.Share, a.Share) })
	return out
}
