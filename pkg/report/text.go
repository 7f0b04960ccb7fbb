package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text prints the report for a terminal.
func Text(w io.Writer, r *Report) error {
	for i := range r.Tables {
		t := r.Tables[i].forPeople()
		if t.Title != "" {
			if _, err := fmt.Fprintln(w, oneLine(t.Title)); err != nil {
				return err
			}
		}
		if err := drawn(w, t, renderer.NewBlueprint(tw.Rendition{Borders: tw.Border{Left: tw.On, Right: tw.On, Top: tw.On, Bottom: tw.On},
			Symbols: tw.NewSymbols(tw.StyleLight)})); err != nil {
			return err
		}
		if err := lines(w, t.Notes); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return lines(w, r.Lines)
}

func lines(w io.Writer, list []string) error {
	for _, l := range list {
		if _, err := fmt.Fprintln(w, oneLine(l)); err != nil {
			return err
		}
	}
	return nil
}

// drawn prints a table through tablewriter.
func drawn(w io.Writer, t *Table, r tw.Renderer) error {
	titles, align := make([]string, len(t.Columns)), make([]tw.Align, len(t.Columns))
	for i, c := range t.Columns {
		titles[i], align[i] = c.Title, tw.AlignRight
		if c.Text {
			align[i] = tw.AlignLeft
		}
	}
	out := &counted{w: w}
	table := tablewriter.NewTable(out, tablewriter.WithRenderer(r),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}, Alignment: tw.CellAlignment{Global: tw.AlignLeft}},
			Row:    tw.CellConfig{Alignment: tw.CellAlignment{PerColumn: align}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone}}}))
	table.Header(titles)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = broken(people(c, t.Columns[i].Places), width(r, t.Columns[i].Width))
		}
		if err := table.Append(cells); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return out.err
}

// width is the width at which a renderer's texts are broken: only for a terminal.
func width(r tw.Renderer, asked int) int {
	if _, terminal := r.(*renderer.Blueprint); !terminal {
		return 0
	}
	return asked
}

// broken puts a text on lines of at most so many characters, broken at spaces; a longer word has a line of its own.
func broken(text string, width int) string {
	if width == 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// counted remembers the first write error: the renderers drop some.
type counted struct {
	w   io.Writer
	err error
}

func (c *counted) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}
