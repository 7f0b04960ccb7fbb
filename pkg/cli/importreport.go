package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/importer"
	"github.com/triagebench/triage/pkg/report"
	sides "github.com/triagebench/triage/pkg/split"
)

// valuesForPeople is how many values of a label people see; machines get all.
const valuesForPeople = 20

// importWarnings are the doubts of an import, the pipeline's before those of labels and sides.
func importWarnings(r *importer.Result) []string {
	out := append([]string{}, r.Warnings...)
	out = append(out, r.Labels.Warnings...)
	if r.Split != nil {
		out = append(out, r.Split.Warnings...)
	}
	return out
}

// importReport is what an import did, in tables.
func importReport(r *importer.Result, o *importOptions) *report.Report {
	machines := o.Format == formatCSV || o.Format == formatJSON
	rep := &report.Report{Values: importValues(r)}
	add := func(t *report.Table) {
		if len(t.Rows) > 0 || o.Format == formatJSON {
			rep.Tables = append(rep.Tables, *t)
		}
	}
	add(importSkipped(r))
	add(importLabels(r, machines))
	add(importColumns(r))
	add(importRedacted(r))
	add(importSides(r))
	where := o.Output
	if where == "-" {
		where = "standard output"
	}
	rep.Lines = append(rep.Lines, fmt.Sprintf("%s of %s in %s: %s, %d skipped", counted(r.Rows, "row"), r.Title, counted(r.Files, "file"),
		counted(r.Tickets, "ticket"), r.Rows-r.Tickets))
	if b := r.Bodies; b != nil {
		rep.Lines = append(rep.Lines, fmt.Sprintf("Bodies: %s of the second file, joined to %s; tickets without one: %d; ids that no ticket has: %d; rows of an id that was there before: %d; rows without an id or a text: %d",
			counted(b.Rows, "row"), counted(b.Joined, "ticket"), b.Missing, b.Unmatched, b.Repeated, b.Unused))
	}
	if r.NoID > 0 {
		rep.Lines = append(rep.Lines, fmt.Sprintf("Tickets without an id, which are named by their row: %d", r.NoID))
	}
	const most = 5
	for i, p := range r.Passed {
		if i == most {
			rep.Lines = append(rep.Lines, fmt.Sprintf("Files that were not read in all: %d", len(r.Passed)))
			break
		}
		rep.Lines = append(rep.Lines, plainLine(fmt.Sprintf("Not read: %s: %s", p.Name, p.Why)))
	}
	rep.Lines = append(rep.Lines, "Tickets: "+where)
	return rep
}

// importValues are the facts of an import for machines.
func importValues(r *importer.Result) map[string]report.Cell {
	out := map[string]report.Cell{"from": r.Format, "files": r.Files, "rows": r.Rows, "tickets": r.Tickets, "dated": r.Dated, "without_id": r.NoID,
		"warnings": append([]string{}, importWarnings(r)...), "shown": append([]string{}, r.Labels.Shown...), "split": nil, "bodies": nil}
	passed := []map[string]any{}
	for _, p := range r.Passed {
		passed = append(passed, map[string]any{"file": p.Name, "why": p.Why})
	}
	out["not_read"] = passed
	if b := r.Bodies; b != nil {
		out["bodies"] = map[string]any{"rows": b.Rows, "joined": b.Joined, "missing": b.Missing, "unmatched": b.Unmatched, "repeated": b.Repeated, "unused": b.Unused}
	}
	if s := r.Split; s != nil {
		m := map[string]any{"by": s.By.String(), "train": s.Train, "test": s.Test, "cut": nil, "moved": s.Moved, "groups": s.Groups, "grouped": s.Grouped}
		if !s.Cut.IsZero() {
			m["cut"] = s.Cut.UTC().Format(time.RFC3339)
		}
		out["split"] = m
	}
	return out
}

func importSkipped(r *importer.Result) *report.Table {
	t := &report.Table{Name: "skipped", Title: fmt.Sprintf("Skipped: %d of %s", r.Rows-r.Tickets, counted(r.Rows, "row")), Columns: []report.Column{
		{Title: "Reason", Key: "reason", Text: true, Width: 50}, {Title: "Rows", Key: "rows"}, {Title: "First", Key: "first", Text: true, Width: 40},
		{Title: "Line", Key: "line"}, {Title: "Says", Key: "detail", Text: true, Width: 60}}}
	for _, s := range r.Skipped {
		t.Rows = append(t.Rows, []report.Cell{s.Reason, s.Count, s.File, s.Line, s.Detail})
	}
	return t
}

func importLabels(r *importer.Result, machines bool) *report.Table {
	t := &report.Table{Name: "labels", Title: "Labels", Columns: []report.Column{
		{Title: "Label", Key: "label", Text: true}, {Title: "Column", Key: "column", Text: true, Width: 30}, {Title: "Kind", Key: "kind", Text: true},
		{Title: "Value", Key: "value", Text: true, Width: 50}, {Title: "Tickets", Key: "tickets"}, {Title: "Share", Key: "share", Places: 3}}}
	for i := range r.Labels.Labels {
		l := &r.Labels.Labels[i]
		kind := "nominal"
		if l.Ordered {
			kind = "ordered"
		}
		row := func(value report.Cell, n int) {
			t.Rows = append(t.Rows, []report.Cell{l.Name, l.Column, kind, value, n, float64(n) / float64(max(1, r.Tickets))})
		}
		rest, few := 0, len(l.Values) <= valuesForPeople+1 || machines
		for j, v := range l.Values {
			if few || j < valuesForPeople {
				row(v.Value, v.Count)
			} else {
				rest += v.Count
			}
		}
		if !few {
			row(fmt.Sprintf("(%d further values)", len(l.Values)-valuesForPeople), rest)
		}
		if l.Missing > 0 && !machines {
			row("(no value)", l.Missing)
		} else if l.Missing > 0 {
			row(nil, l.Missing)
		}
	}
	if usual := usualLabels(r); usual != "" {
		t.Notes = append(t.Notes, plainLine("No label was named, so columns were taken by their usual names, and agents are asked for each: "+usual+". --label NAME=COLUMN or --mapping FILE takes those that you name, and no others."))
	}
	return t
}

// usualLabels lists the labels that were taken by their usual names, with their columns.
func usualLabels(r *importer.Result) string {
	var out []string
	for i := range r.Labels.Labels {
		if l := &r.Labels.Labels[i]; l.Usual {
			out = append(out, fmt.Sprintf("%s (column %s)", l.Name, l.Column))
		}
	}
	return strings.Join(out, ", ")
}

func importColumns(r *importer.Result) *report.Table {
	t := &report.Table{Name: "held_back", Title: "Columns that agents do not see", Columns: []report.Column{
		{Title: "Column", Key: "column", Text: true, Width: 40}, {Title: "Why", Key: "why", Text: true, Width: 60},
		{Title: "Role", Key: "role", Text: true, Hidden: true}, {Title: "Tickets with a value", Key: "tickets"}}}
	for _, h := range r.Labels.Held {
		t.Rows = append(t.Rows, []report.Cell{h.Name, h.Why, h.Role.String(), h.Tickets})
	}
	shown := "the text only"
	if len(r.Labels.Shown) > 0 {
		shown = "the text, " + strings.Join(r.Labels.Shown, ", ")
	}
	t.Notes = append(t.Notes, plainLine("Agents see "+shown+"."))
	return t
}

func importRedacted(r *importer.Result) *report.Table {
	t := &report.Table{Name: "redacted", Title: "Redacted", Columns: []report.Column{{Title: "Kind", Key: "kind", Text: true}, {Title: "Places", Key: "places"},
		{Title: "Different values", Key: "values"}},
		Notes: []string{"Rules find what has a known form. Names within sentences can stay: read some tickets before you hand the file on."}}
	for _, c := range r.Redacted {
		t.Rows = append(t.Rows, []report.Cell{c.Kind.String(), c.Places, c.Values})
	}
	return t
}

// importSides is a row a side; what the test side gives away stands in it and in the notes.
func importSides(r *importer.Result) *report.Table {
	t := &report.Table{Name: "sides", Columns: []report.Column{{Title: "Side", Key: "side", Text: true}, {Title: "Tickets", Key: "tickets"},
		{Title: "Share", Key: "share", Places: 3}, {Title: "Near-copies in train", Key: "copies", Places: 4}, {Title: "… if they were not kept together", Key: "copies_before", Places: 4},
		{Title: "Customers seen in train", Key: "customers_seen", Places: 3}, {Title: "Right by the nearest copy", Key: "right_by_copy", Places: 4}}}
	s := r.Split
	if s == nil {
		return t
	}
	t.Title = "Sides by " + s.By.String()
	if s.By == sides.AtRandom {
		t.Title = "Sides at random"
	}
	if r.SplitWhy != "" {
		t.Title += " (" + r.SplitWhy + ")"
	}
	all := float64(max(1, s.Train+s.Test))
	seen := report.Cell(nil)
	if s.After.Customers > 0 {
		seen = s.After.SeenShare()
	}
	right := report.Cell(nil)
	if s.After.Labelled > 0 {
		right = s.After.RightShare()
	}
	t.Rows = [][]report.Cell{{"train", s.Train, float64(s.Train) / all, nil, nil, nil, nil},
		{"test", s.Test, float64(s.Test) / all, s.After.CopyShare(), s.Before.CopyShare(), seen, right}}
	if !s.Cut.IsZero() {
		t.Notes = append(t.Notes, "Test begins on "+s.Cut.UTC().Format("2006-01-02 15:04:05")+" UTC.")
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Near-duplicates: %s of %s, kept on one side; %s changed side for that.", counted(s.Groups, "group"),
		counted(s.Grouped, "ticket"), counted(s.Moved, "ticket")))
	for _, g := range r.Largest {
		if g.Size >= 10 {
			t.Notes = append(t.Notes, plainLine(fmt.Sprintf("%d tickets are near-copies of each other, the first is %s.", g.Size, g.ID)))
		}
	}
	return t
}
