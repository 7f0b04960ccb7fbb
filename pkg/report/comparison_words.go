package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
)

// ForPeople leaves out of a comparison what people need not see: parts in which no pair differs, and columns of texts in which
// nothing stands.
func (r *Report) ForPeople() *Report {
	out := *r
	out.Tables = nil
	for _, t := range r.Tables {
		if t.Name == "parts" {
			all := len(t.Rows)
			t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(row []Cell) bool { return slices.Contains(row, Cell(Interval{})) })
			if len(t.Rows) == 0 {
				continue
			}
			if left := all - len(t.Rows); left > 0 {
				t.Notes = append([]string{fmt.Sprintf("Left out: %s that all pairs have the same.", number1(left, "figure"))}, t.Notes...)
			}
		}
		out.Tables = append(out.Tables, t.withoutEmpty())
	}
	return &out
}

// withoutEmpty leaves out the columns of texts in which nothing stands.
func (t *Table) withoutEmpty() Table {
	var keep []int
	for i := range t.Columns {
		if !t.Columns[i].Text || slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i] != "" }) {
			keep = append(keep, i)
		}
	}
	out := *t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	for _, i := range keep {
		out.Columns = append(out.Columns, t.Columns[i])
		for j := range t.Rows {
			out.Rows[j] = append(out.Rows[j], t.Rows[j][i])
		}
	}
	return out
}

// close says in words what came out, and what the figures mean.
func (c *comparisons) close(r *Report) {
	objects := make([]any, len(c.list))
	for i := range c.list {
		x := &c.list[i]
		r.Lines = append(r.Lines, c.note(x, "%s", Headline(x.Comparison)))
		warnings := warningsOf(x)
		for j, w := range warnings {
			warnings[j] = cleaned(strings.TrimSuffix(w, "."), noteLength)
			r.Lines = append(r.Lines, c.note(x, "Warning: %s.", warnings[j]))
		}
		o := map[string]any{"base": cleaned(x.Base.Name, nameLength), "new": cleaned(x.New.Name, nameLength), "no_difference": NoDifference(x.Comparison),
			"same_bytes": sameBytes(x.Comparison), "warnings": warnings, "verdict": nil}
		if len(x.Verdicts) > 0 {
			o["verdict"] = string(compare.Worst(x.Verdicts))
		}
		objects[i] = o
	}
	r.Values["comparisons"] = objects
	r.Lines = append(r.Lines, varianceNote(c.list))
}

// warningsOf are the doubts about a comparison as a whole, and what only one side has.
func warningsOf(x *Compared) []string {
	out := append([]string{}, x.Warnings...)
	if len(x.BaseOnly) > 0 {
		out = append(out, "only base has "+strings.Join(x.BaseOnly, ", "))
	}
	if len(x.NewOnly) > 0 {
		out = append(out, "only new has "+strings.Join(x.NewOnly, ", "))
	}
	return out
}

// varianceNote says what the intervals cover. Imported tickets have no scenarios, and results files do not tell them.
func varianceNote(list []Compared) string {
	drawn := "other tickets"
	for i := range list {
		if slices.ContainsFunc(list[i].Tasks, func(k compare.TaskComparison) bool { return k.Clusters > 0 }) {
			drawn = "other scenarios, and tickets of them,"
		}
	}
	return "Intervals at 95 % and p: how the difference would vary if " + drawn + " had been drawn, trials of a ticket as their mean. " +
		"It covers both which tickets were drawn and how the agents vary from play to play; it does not tell the two apart: trials do, and make it narrower."
}

// sameBytes tells whether everything that both sides have is equal, byte for byte.
func sameBytes(c *compare.Comparison) bool {
	for i := range c.Tasks {
		if !c.Tasks[i].SameBytes {
			return false
		}
	}
	return len(c.Tasks) > 0 && len(c.BaseOnly)+len(c.NewOnly) == 0
}

// NoDifference tells whether no score differs on what the two sides share.
func NoDifference(c *compare.Comparison) bool {
	for i := range c.Tasks {
		k := &c.Tasks[i]
		if k.SameBytes {
			continue
		}
		if !k.Score.Paired || k.Broke > 0 {
			return false
		}
		for _, d := range k.Deltas {
			if d != 0 {
				return false
			}
		}
	}
	return len(c.Tasks) > 0
}

// Headline says in a sentence what a comparison found.
func Headline(c *compare.Comparison) string {
	d, of := &c.Overall, "overall"
	if len(c.Tasks) == 1 {
		d, of = &c.Tasks[0].Score, "on "+c.Tasks[0].Task.Name
	}
	switch {
	case sameBytes(c):
		return "No difference: the same bytes on every task."
	case NoDifference(c):
		return "No difference: every pair has the same score."
	case d.Delta.CI95 == nil || math.IsNaN(d.Delta.Mean):
		return fmt.Sprintf("What differs %s cannot be told from chance: there are too few tickets for an interval.", of)
	case d.Delta.CI95.High < 0:
		return fmt.Sprintf("New is lower %s, by %s.", of, amount(-d.Delta.Mean, -d.Delta.CI95.High, -d.Delta.CI95.Low))
	case d.Delta.CI95.Low > 0:
		return fmt.Sprintf("New is higher %s, by %s.", of, amount(d.Delta.Mean, d.Delta.CI95.Low, d.Delta.CI95.High))
	}
	return fmt.Sprintf("These tickets cannot tell the two apart %s: the difference is %s.", of, amount(d.Delta.Mean, d.Delta.CI95.Low, d.Delta.CI95.High))
}

func amount(v, low, high float64) string {
	return fmt.Sprintf("%s [%s, %s]", decimal(v, 3), decimal(low, 3), decimal(high, 3))
}
