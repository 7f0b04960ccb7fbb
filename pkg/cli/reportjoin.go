package cli

import (
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/report"
)

// joinReports puts the tables of several runs together: tables of one name are one, with a column that names the run.
func joinReports(list []*runSummary) *report.Report {
	if len(list) == 1 {
		return list[0].report()
	}
	out := &report.Report{Values: map[string]report.Cell{}}
	values := map[string]any{}
	for _, s := range list {
		rep := s.report()
		for i := range rep.Tables {
			t := &rep.Tables[i]
			if !slices.ContainsFunc(t.Columns, func(c report.Column) bool { return c.Key == "agent" }) && len(s.result.agents) > 0 {
				front(t, report.Column{Title: "Agent", Key: "agent", Text: true}, s.result.agents[0].Agent)
			}
			front(t, report.Column{Title: "Run", Key: "run", Text: true}, s.run.name)
			for j, n := range t.Notes {
				if n != reliabilityNote && n != perturbationNote {
					t.Notes[j] = s.run.name + ": " + n
				}
			}
			addTable(out, t)
		}
		for _, l := range rep.Lines {
			if l == floorNote || l == costNote {
				if !slices.Contains(out.Lines, l) {
					out.Lines = append(out.Lines, l)
				}
				continue
			}
			out.Lines = append(out.Lines, s.run.name+": "+l)
		}
		values[s.run.name] = rep.Values
	}
	out.Values["runs"] = values
	return out
}

// front puts a column before the others.
func front(t *report.Table, c report.Column, value string) {
	t.Columns = append([]report.Column{c}, t.Columns...)
	for _, rows := range [][][]report.Cell{t.Rows, t.More} {
		for i := range rows {
			rows[i] = append([]report.Cell{value}, rows[i]...)
		}
	}
}

// addTable adds the rows of a table to the one of its name. Columns that only one of them has are empty in the other's rows.
func addTable(into *report.Report, t *report.Table) {
	at := slices.IndexFunc(into.Tables, func(x report.Table) bool { return x.Name == t.Name })
	if at < 0 {
		into.Tables = append(into.Tables, *t)
		return
	}
	to := &into.Tables[at]
	if to.Title != t.Title && !strings.HasSuffix(to.Title, severalRuns) {
		to.Title = capital(t.Name) + severalRuns
	}
	for i, c := range t.Columns {
		if slices.ContainsFunc(to.Columns, func(x report.Column) bool { return x.Key == c.Key }) {
			continue
		}
		place := min(i, len(to.Columns))
		to.Columns = slices.Insert(to.Columns, place, c)
		for _, rows := range [][][]report.Cell{to.Rows, to.More} {
			for j := range rows {
				rows[j] = slices.Insert(rows[j], place, report.Cell(nil))
			}
		}
	}
	fitted := func(row []report.Cell) []report.Cell {
		cells := make([]report.Cell, len(to.Columns))
		for i, c := range t.Columns {
			cells[slices.IndexFunc(to.Columns, func(x report.Column) bool { return x.Key == c.Key })] = row[i]
		}
		return cells
	}
	for _, row := range t.Rows {
		to.Rows = append(to.Rows, fitted(row))
	}
	for _, row := range t.More {
		to.More = append(to.More, fitted(row))
	}
	for _, n := range t.Notes {
		if !slices.Contains(to.Notes, n) {
			to.Notes = append(to.Notes, n)
		}
	}
}

// severalRuns ends the title of a table of several runs that differ in what they played.
const severalRuns = ": several runs"
