package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Compared is a comparison with what its gates say of it; Verdicts is empty where no gate was asked for.
type Compared struct {
	*compare.Comparison
	Verdicts []compare.Verdict
	// Show says which of the tickets that moved are in the list: [ShowWorse], [ShowBetter], or all of them.
	Show string
}

// FromComparisons builds the report of comparisons: what is compared, a row a task and one over all, the parts, the tickets that
// moved most, the verdicts. With several comparisons each table names them in its first column.
func FromComparisons(list []Compared) *Report {
	c := comparisons{list: list, many: len(list) > 1}
	r := &Report{Values: map[string]Cell{}}
	for _, t := range []Table{c.sides(), c.tasks(), c.parts(), c.moved(), c.verdicts()} {
		if len(t.Rows) > 0 || len(t.Notes) > 0 {
			r.Tables = append(r.Tables, t)
		}
	}
	c.close(r)
	return r
}

// Append adds another report below this one.
func (r *Report) Append(other *Report) {
	r.Tables, r.Lines = append(r.Tables, other.Tables...), append(r.Lines, other.Lines...)
	for k, v := range other.Values {
		if r.Values == nil {
			r.Values = map[string]Cell{}
		}
		r.Values[k] = v
	}
}

// comparisons are several comparisons on their way to tables.
type comparisons struct {
	list []Compared
	many bool
}

// table begins a table; with several comparisons its first column says which.
func (c *comparisons) table(name, title string, columns ...Column) Table {
	if c.many {
		columns = append([]Column{{Title: "Compared", Key: "compared", Text: true}}, columns...)
	}
	return Table{Name: name, Title: title, Columns: columns}
}

// row begins a row of a comparison.
func (c *comparisons) row(x *Compared, cells ...Cell) []Cell {
	if c.many {
		return append([]Cell{pairName(x)}, cells...)
	}
	return cells
}

// note names the comparison of a note where there are several.
func (c *comparisons) note(x *Compared, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if c.many {
		text = pairName(x) + ": " + text
	}
	return cleaned(text, noteLength)
}

func pairName(x *Compared) string { return cleaned(x.Base.Name+" → "+x.New.Name, nameLength) }

// How long texts of agents and tickets may be in cells and notes, in characters; what is longer is cut.
const (
	nameLength    = 80
	subjectLength = 100
	answerLength  = 400
	noteLength    = 500
)

// cleaned is a text as it may stand in a cell: valid UTF-8, on one line, without marks that turn the direction of writing, at
// most so many characters.
func cleaned(text string, most int) string {
	if len(text) > 8*most { // a text of a stranger may be a megabyte
		text = text[:8*most]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069', r == '\u200E', r == '\u200F', r == '\uFEFF':
			return -1
		case r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, oneLine(text))
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return text
}

// sides is the table of what is compared.
func (c *comparisons) sides() Table {
	t := c.table("sides", "Compared", Column{Title: "What", Key: "what", Text: true}, Column{Title: "Base", Key: "base", Text: true, Width: 44},
		Column{Title: "New", Key: "new", Text: true, Width: 44}, Column{Title: "Note", Key: "note", Text: true})
	for i := range c.list {
		x := &c.list[i]
		add := func(what, base, fresh, note string) {
			t.Rows = append(t.Rows, c.row(x, cleaned(what, nameLength), cleaned(base, answerLength), cleaned(fresh, answerLength), note))
		}
		add("agent", x.Base.Agent, x.New.Agent, "")
		add("from", x.Base.From, x.New.From, "")
		for _, m := range x.Allowed {
			add(m.Key, none(m.Base), none(m.New), "allowed to differ")
		}
		for _, m := range x.Noted {
			if m.Key == "agent" { // it stands above
				continue
			}
			add(m.Key, none(m.Base), none(m.New), "may differ")
		}
	}
	return t
}

func none(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// tasks is the table of scores.
func (c *comparisons) tasks() Table {
	t := c.table("tasks", "Score, new minus base", Column{Title: "Task", Key: "task", Text: true}, Column{Title: "n", Key: "n"}, Column{Title: "Units", Key: "units", Text: true},
		Column{Title: "Base", Key: "base", Places: 3}, Column{Title: "New", Key: "new", Places: 3}, Column{Title: "Difference [95 %]", Key: "difference", Places: 3},
		Column{Title: "p", Key: "p", Places: 3}, Column{Title: "p (Holm)", Key: "p_holm", Places: 3}, Column{Title: "Fixed", Key: "fixed"}, Column{Title: "Broken", Key: "broken"},
		Column{Title: "p (flips)", Key: "p_flips", Places: 3})
	for i := range c.list {
		x := &c.list[i]
		for j := range x.Tasks {
			k := &x.Tasks[j]
			row := []Cell{cleaned(k.Task.Name, nameLength), k.Score.Delta.N, k.Units, k.Score.Base, k.Score.New, estimated(k.Score.Delta), Chance(k.Score.P), Chance(k.Score.Holm)}
			if k.Score.Paired {
				row = append(row, k.Flips.Fixed, k.Flips.Broken, Chance(k.Flips.P))
			} else {
				row = append(row, nil, nil, nil)
			}
			t.Rows = append(t.Rows, c.row(x, row...))
			t.Notes = append(t.Notes, c.taskNotes(x, k)...)
		}
		if len(x.Tasks) > 1 {
			o := &x.Overall
			t.Rows = append(t.Rows, c.row(x, "overall", nil, nil, o.Base, o.New, estimated(o.Delta), Chance(o.P), nil, nil, nil, nil))
			t.Notes = append(t.Notes, c.doubts(x, "overall", o)...)
		}
	}
	return t
}

// estimated is the cell of an estimate.
func estimated(e stats.Estimate) Interval {
	out := Interval{Value: e.Mean, Low: math.NaN(), High: math.NaN()}
	if e.CI95 != nil {
		out.Low, out.High = e.CI95.Low, e.CI95.High
	}
	return out
}

// doubts are the warnings of a figure and why it has no P.
func (c *comparisons) doubts(x *Compared, of string, d *compare.Difference) []string {
	if d.Delta.Mean == 0 && d.Delta.CI95 != nil && d.Delta.CI95.Low == 0 && d.Delta.CI95.High == 0 {
		if d.Reason == "" || of == "overall" {
			return nil
		}
		return []string{c.note(x, "%s: %s.", of, d.Reason)}
	}
	var out []string
	for _, w := range d.Delta.Warnings {
		out = append(out, c.note(x, "%s: %s.", of, w))
	}
	if d.Reason != "" && (len(d.Delta.Warnings) == 0 || d.Delta.Warnings[0] != d.Reason) {
		out = append(out, c.note(x, "%s: %s.", of, d.Reason))
	}
	return out
}

// taskNotes are what is to be known of a row.
func (c *comparisons) taskNotes(x *Compared, k *compare.TaskComparison) []string {
	var out []string
	name, say := k.Task.Name, func(format string, args ...any) { out = append(out, c.note(x, format, args...)) }
	if k.SameBytes {
		if sameBytes(x.Comparison) { // that is said of all tasks at once
			return nil
		}
		return []string{c.note(x, "%s: the same bytes.", name)}
	}
	for _, left := range []struct {
		n    int
		text string
	}{{k.BaseOnly, "only in base, left out"}, {k.NewOnly, "only in new, left out"}, {k.OtherTickets, "of other tickets on the two sides, left out"},
		{k.Broke, "broken on a side, which counts as 0 there"}} {
		if left.n > 0 && k.Score.Paired { // of two samples all are taken
			say("%s: %s %s.", name, number1(left.n, strings.TrimSuffix(k.Units, "s")), left.text)
		}
	}
	if k.Clusters == 0 && k.Score.Delta.N > 1 && k.Task.Track != triage.Dataset {
		say("%s: scenarios are not known: %s are taken for independent.", name, k.Units)
	}
	if k.Flips.By == compare.ByScenarios && k.Flips.Fixed+k.Flips.Broken > 0 {
		say("%s: p (flips) is of %s, as the tickets of one flip together.", name, k.Flips.By)
	}
	out = append(out, c.doubts(x, name, &k.Score)...)
	for _, w := range k.Warnings {
		say("%s: %s.", name, strings.TrimSuffix(w, "."))
	}
	return out
}

// unitsOf is what a figure is paired by: what an episode earns as a whole by episode.
func unitsOf(k *compare.TaskComparison, metric string) string {
	switch metric {
	case "reward", "efficiency", "success_rate":
		return "episodes"
	}
	return k.Units
}

// parts is the table of the other figures.
func (c *comparisons) parts() Table {
	t := c.table("parts", "Parts, new minus base", Column{Title: "Task", Key: "task", Text: true}, Column{Title: "Figure", Key: "metric", Text: true}, Column{Title: "n", Key: "n"}, Column{Title: "Units", Key: "units", Text: true},
		Column{Title: "Base", Key: "base", Places: 3}, Column{Title: "New", Key: "new", Places: 3}, Column{Title: "Difference [95 %]", Key: "difference", Places: 3},
		Column{Title: "p", Key: "p", Places: 3})
	for i := range c.list {
		x := &c.list[i]
		for j := range x.Tasks {
			k := &x.Tasks[j]
			if k.SameBytes {
				continue
			}
			for _, d := range k.Others {
				t.Rows = append(t.Rows, c.row(x, cleaned(k.Task.Name, nameLength), cleaned(d.Metric, nameLength), d.Delta.N, unitsOf(k, d.Metric), d.Base, d.New, estimated(d.Delta), Chance(d.P)))
			}
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = []string{"These p are of each figure alone: of many, some are small by chance."}
	}
	return t
}
