package cli

import (
	"fmt"
	"slices"

	"github.com/triagebench/triage/pkg/report"
)

// units are the tickets of all raters, in the order in which they first came.
func (g *agreementReport) units() []string {
	seen := map[string]bool{}
	var out []string
	for _, r := range g.raters {
		for _, u := range r.units {
			if !seen[u] {
				seen[u] = true
				out = append(out, u)
			}
		}
	}
	return out
}

// disagreements lists the answers on which raters differ.
func (g *agreementReport) disagreements() report.Table {
	t := report.Table{Name: "disagreements", Title: "Where they differ", Columns: []report.Column{{Title: "Ticket", Key: "ticket", Text: true}, {Title: "Field", Key: "field", Text: true}}}
	for i, r := range g.raters {
		t.Columns = append(t.Columns, report.Column{Title: r.name, Key: fmt.Sprintf("rater_%d", i+1), Text: true})
	}
	all := 0
	fields, units := sharedFields(g.raters), g.units()
	for _, first := range []bool{true, false} { // what the first rater is part of stands first
		for _, unit := range units {
			for _, field := range fields {
				if _, asked := g.raters[0].answers[field][unit]; asked != first {
					continue
				}
				row, differ := g.differ(unit, field)
				if !differ {
					continue
				}
				if all++; all <= g.opts.List {
					t.Rows = append(t.Rows, row)
				}
			}
		}
	}
	note := fmt.Sprintf("%d of %s. \"-\" is no answer.", len(t.Rows), counted(all, "difference"))
	if slices.ContainsFunc(t.Rows, func(row []report.Cell) bool { return slices.Contains(row, report.Cell(nil)) }) {
		note += " An empty cell, \"–\" in tables, is a ticket or field that the source does not have."
	}
	t.Notes = append(t.Notes, note)
	return t
}

// differ gives the row of a ticket and field, and whether two raters who were asked differ.
func (g *agreementReport) differ(unit, field string) (row []report.Cell, differ bool) {
	name := unit
	for _, r := range g.raters {
		if n := r.names[unit]; n != "" {
			name = n
		}
	}
	row = []report.Cell{name, field}
	first, any := "", false
	for _, r := range g.raters {
		v, ok := r.answers[field][unit]
		if !ok {
			row = append(row, nil)
			continue
		}
		if any && v != first {
			differ = true
		}
		if !any {
			first, any = v, true
		}
		row = append(row, dashed(v))
	}
	return row, differ
}

// dashed shows no answer.
func dashed(v string) string {
	if v == "" {
		return "-"
	}
	return v
}
