package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// moved is the table of the tickets whose score moved most: a row a ticket, what got worse first. People see what differs, machines both answers too.
func (c *comparisons) moved() Table {
	t := c.table("moved", "What moved most", Column{Title: "Ticket", Key: "ticket", Text: true}, Column{Title: "Id", Key: "ticket_id", Text: true, Hidden: true},
		Column{Title: "Subject", Key: "subject", Text: true, Width: 26}, Column{Title: "Traps", Key: "traps", Text: true, Width: 20},
		Column{Title: "Moved", Key: "moved", Text: true}, Column{Title: "Base", Key: "base", Places: 3}, Column{Title: "New", Key: "new", Places: 3},
		Column{Title: "What differs: base → new (right)", Key: "differs", Text: true, Width: 68},
		Column{Title: "Base's answer", Key: "base_answer", Text: true, Hidden: true}, Column{Title: "Base's why", Key: "base_why", Text: true, Hidden: true},
		Column{Title: "New's answer", Key: "new_answer", Text: true, Hidden: true}, Column{Title: "New's why", Key: "new_why", Text: true, Hidden: true})
	for i := range c.list {
		x := &c.list[i]
		for j := range x.Tasks {
			k := &x.Tasks[j]
			for _, m := range worseFirst(k.Moved) {
				t.Rows = append(t.Rows, c.movedRow(x, k, m))
			}
			if rest := k.MovedInAll - len(k.Moved); rest > 0 && len(k.Moved) > 0 {
				did := map[string]string{ShowWorse: "got worse", ShowBetter: "got better"}[x.Show]
				if did == "" {
					did = "moved"
				}
				t.Notes = append(t.Notes, c.note(x, "%s: %s %s in all; shown %s.", k.Task.Name, number1(k.MovedInAll, strings.TrimSuffix(k.Units, "s")), did, mostOf(len(k.Moved), did)))
			}
		}
	}
	if hint := c.movedHint(); hint != "" && len(t.Rows) > 0 {
		t.Notes = append(t.Notes, hint)
	}
	return t
}

// What [Compared.Show] may say.
const (
	ShowWorse  = "worse"
	ShowBetter = "better"
)

// worseFirst puts the tickets that got worse before those that got better, each by how far they moved.
func worseFirst(list []compare.Moved) []*compare.Moved {
	var worse, better []*compare.Moved
	for i := range list {
		if m := &list[i]; Direction(m) == ShowWorse {
			worse = append(worse, m)
		} else {
			better = append(better, m)
		}
	}
	return append(worse, better...)
}

// Direction tells whether a ticket got worse or better, as [ShowWorse] or [ShowBetter]; what has no score has 0.
func Direction(m *compare.Moved) string {
	if scoreOf(m.New.Score) < scoreOf(m.Base.Score) {
		return ShowWorse
	}
	return ShowBetter
}

// movedHint says how to see the text of a ticket that moved, of the first one of a task whose tickets the program makes.
func (c *comparisons) movedHint() string {
	for i := range c.list {
		x := &c.list[i]
		id := x.New.Identity
		if id["secret"] != "" || id["bank"] != "" && id["bank"] != "public" {
			continue
		}
		for j := range x.Tasks {
			k := &x.Tasks[j]
			if k.Task.Track == triage.Dataset || len(k.Moved) == 0 {
				continue
			}
			m := worseFirst(k.Moved)[0]
			args := fmt.Sprintf("%s %d", k.Task.Name, m.Seed)
			if at := max(int(m.Position), m.Index); at >= 0 && k.Task.Track == triage.Queue {
				args += fmt.Sprintf(" %d", at)
			}
			if split := id["split"]; split != "" && split != string(triage.Test) {
				args += " --split " + split
			}
			return cleaned("triage tickets show "+args+" prints the first of them.", noteLength)
		}
	}
	return ""
}

// mostOf says which of a list are shown.
func mostOf(n int, did string) string {
	word := "did most"
	if did == "moved" {
		word = "moved most"
	}
	if n == 1 {
		return "is the one that " + word
	}
	return fmt.Sprintf("are the %d that %s", n, word)
}

func (c *comparisons) movedRow(x *Compared, k *compare.TaskComparison, m *compare.Moved) []Cell {
	return c.row(x, cleaned(MovedPlace(k, m), nameLength), cleaned(m.ID, nameLength), cleaned(m.Subject, subjectLength), cleaned(strings.Join(m.Traps, " "), nameLength),
		Direction(m), m.Base.Score, m.New.Score, cleaned(differs(m), answerLength), answerCell(m.Base.Answer), cleaned(whyOf(&m.Base, &m.New), answerLength),
		answerCell(m.New.Answer), cleaned(whyOf(&m.New, &m.Base), answerLength))
}

// differs says in what the answers of both sides differ: "route: spam → billing (spam)". A part that has no values of its own, such as
// a recommendation, is told by why it has its credit.
func differs(m *compare.Moved) string {
	var out []string
	for _, side := range []struct{ name, text string }{{"base", m.Base.Error}, {"new", m.New.Error}} {
		if side.text != "" {
			out = append(out, side.name+": "+side.text)
		}
	}
	for _, p := range bothParts(m) {
		switch {
		case p.base.Why.Got == p.fresh.Why.Got && p.base.Value == p.fresh.Value:
		case p.base.Why.Want != "" && p.base.Why.Want == p.fresh.Why.Want && (p.base.Why.Got != "" || p.fresh.Why.Got != ""):
			out = append(out, fmt.Sprintf("%s: %s → %s (%s)", p.name, none(p.base.Why.Got), none(p.fresh.Why.Got), p.base.Why.Want))
		default:
			out = append(out, fmt.Sprintf("%s: %s → %s", p.name, none(p.base.Why.String()), none(p.fresh.Why.String())))
		}
	}
	return strings.Join(out, "; ")
}

// partPair is a part as both sides have it.
type partPair struct {
	name        string
	base, fresh triage.Part
}

// bothParts are the parts of either side, in the order of the base and then of the new one.
func bothParts(m *compare.Moved) []partPair {
	var out []partPair
	for _, p := range m.Base.Parts {
		out = append(out, partPair{name: p.Name, base: p})
	}
	for _, p := range m.New.Parts {
		if i := slices.IndexFunc(out, func(x partPair) bool { return x.name == p.Name }); i >= 0 {
			out[i].fresh = p
			continue
		}
		out = append(out, partPair{name: p.Name, fresh: p})
	}
	for i := range out { // what one side has not answered has no right answer of its own
		if p := &out[i]; p.base.Name == "" {
			p.base.Why.Want = p.fresh.Why.Want
		} else if p.fresh.Name == "" {
			p.fresh.Why.Want = p.base.Why.Want
		}
	}
	return out
}

// MovedPlace names a ticket that moved as `triage run --only` takes it: TASK:SEED or, of the queue, TASK:SEED:POSITION; behind it
// the trial where there are several.
func MovedPlace(k *compare.TaskComparison, m *compare.Moved) string {
	place := fmt.Sprintf("%s:%d", k.Task.Name, m.Seed)
	switch {
	case k.Task.Track == triage.Dataset: // a ticket of a file has its row alone
	case m.Position >= 0:
		place += fmt.Sprintf(":%d", m.Position)
	case m.Index >= 0 && k.Task.Track == triage.Queue:
		place += fmt.Sprintf(":%d", m.Index)
	}
	if m.Trial > 0 || m.Trials > 1 {
		place += fmt.Sprintf(" trial %d", m.Trial)
	}
	return place
}

// answerCell is the cell of an answer. What is very long, or no JSON, is a text.
func answerCell(answer string) Answer {
	out := Answer{Text: cleaned(spaced(answer), answerLength)}
	var b bytes.Buffer
	if len(answer) > 1<<14 || json.Compact(&b, []byte(answer)) != nil {
		return out
	}
	if text := b.String(); text == cleaned(text, len(text)+1) { // nothing in it turns the direction of writing
		out.JSON = b.Bytes()
	}
	return out
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
