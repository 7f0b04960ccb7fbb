package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown prints the report as pipe tables.
func Markdown(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Tables {
		t := r.Tables[i].forPeople()
		if t.Title != "" {
			fmt.Fprintf(&b, "**%s**\n\n", escapeMarkdown(t.Title))
		}
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "| %s ", escapeMarkdown(c.Title))
		}
		b.WriteString("|\n")
		for _, c := range t.Columns {
			if c.Text {
				b.WriteString("|---")
			} else {
				b.WriteString("|--:")
			}
		}
		b.WriteString("|\n")
		for _, row := range t.Rows {
			for j, c := range row {
				fmt.Fprintf(&b, "| %s ", escapeMarkdown(people(c, t.Columns[j].Places)))
			}
			b.WriteString("|\n")
		}
		b.WriteString("\n")
		for _, n := range t.Notes {
			b.WriteString(escapeMarkdown(n) + "\n\n")
		}
	}
	for _, l := range r.Lines {
		b.WriteString(escapeMarkdown(l) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeMarkdown keeps a text from being read as anything but text. Underscores inside of words are none.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", `\<`, "*", `\*`, "`", "\\`", "\n", " ", "\r", " ").Replace(s)
}
