package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// moved is the table of the tickets whose score moved most: a row for each side.
func (c *comparisons) moved() Table {
	t := c.table("moved", "What moved most", Column{Title: "Ticket", Key: "ticket", Text: true}, Column{Title: "Id", Key: "ticket_id", Text: true},
		Column{Title: "Subject", Key: "subject", Text: true, Width: 26}, Column{Title: "Traps", Key: "traps", Text: true, Width: 14}, Column{Title: "Side", Key: "side", Text: true}, Column{Title: "Score", Key: "score", Places: 3},
		Column{Title: "Answer", Key: "answer", Text: true, Width: 40}, Column{Title: "Why", Key: "why", Text: true, Width: 50})
	for i := range c.list {
		x := &c.list[i]
		for j := range x.Tasks {
			k := &x.Tasks[j]
			for m := range k.Moved {
				t.Rows = append(t.Rows, c.movedRows(x, k, &k.Moved[m])...)
			}
			if rest := k.MovedInAll - len(k.Moved); rest > 0 {
				t.Notes = append(t.Notes, c.note(x, "%s: %d %s moved in all; these are the first %d.", k.Task.Name, k.MovedInAll, k.Units, len(k.Moved)))
			}
		}
	}
	return t
}

// movedRows are the two rows of a ticket.
func (c *comparisons) movedRows(x *Compared, k *compare.TaskComparison, m *compare.Moved) [][]Cell {
	var out [][]Cell
	for _, side := range []struct {
		name        string
		this, other *compare.MovedSide
	}{{"base", &m.Base, &m.New}, {"new", &m.New, &m.Base}} {
		out = append(out, c.row(x, MovedPlace(k, m), cleaned(m.ID, nameLength), cleaned(m.Subject, subjectLength), cleaned(strings.Join(m.Traps, " "), nameLength), side.name, side.this.Score,
			cleaned(spaced(side.this.Answer), answerLength), cleaned(whyOf(side.this, side.other), answerLength)))
	}
	return out
}

// MovedPlace names a ticket that moved as `triage run --only` takes it: TASK:SEED or, of the queue, TASK:SEED:POSITION; behind it
// the trial where it is not the first.
func MovedPlace(k *compare.TaskComparison, m *compare.Moved) string {
	place := fmt.Sprintf("%s:%d", k.Task.Name, m.Seed)
	switch {
	case k.Task.Track == triage.Dataset: // a ticket of a file has its row alone
	case m.Position >= 0:
		place += fmt.Sprintf(":%d", m.Position)
	case m.Index >= 0 && k.Task.Track == triage.Queue:
		place += fmt.Sprintf(":%d", m.Index)
	}
	if m.Trial > 0 {
		place += fmt.Sprintf(" trial %d", m.Trial)
	}
	return place
}

// spaced puts a space behind commas and colons of JSON, so that lines can be broken there. What is no JSON stays as it is.
func spaced(answer string) string {
	var b bytes.Buffer
	if len(answer) > 1<<14 || json.Indent(&b, []byte(answer), "", "") != nil {
		return answer
	}
	text := strings.ReplaceAll(b.String(), ",\n", ", ") // a newline within a string is written \n in JSON
	return strings.ReplaceAll(text, "\n", "")
}

// whyOf says why a side has its score: what broke or was refused, and the parts in which it differs from the other.
func whyOf(this, other *compare.MovedSide) string {
	var out []string
	if this.Error != "" {
		out = append(out, this.Error)
	}
	had := map[string]float64{}
	for _, p := range other.Parts {
		had[p.Name] = p.Value
	}
	for _, p := range this.Parts {
		if v, ok := had[p.Name]; ok && v == p.Value {
			continue
		}
		out = append(out, p.Name+": "+p.Why.String())
	}
	return strings.Join(out, "; ")
}
