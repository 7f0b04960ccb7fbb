package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/cli"
)

// manName is the name of a command's page: triage-tickets-show.
func manName(path string) string { return strings.ReplaceAll(path, " ", "-") }

// manPage gives a command's page for man(1), in the macros of man(7).
func manPage(c cli.CommandReference) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"triage\" \"triage\"\n", strings.ToUpper(manName(c.Path)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(c.Path)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.Usage))
	b.WriteString(".SH DESCRIPTION\n")
	for i, paragraph := range strings.Split(strings.TrimSpace(c.Long), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(paragraph) + "\n")
	}
	if len(c.Flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, f := range c.Flags {
		name := `\fB\-\-` + roff(f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB\-` + roff(f.Shorthand) + `\fR, ` + name
		}
		if f.Value != "" {
			name += ` \fI` + roff(f.Value) + `\fR`
		}
		text := roff(f.Usage)
		if f.Default != "" {
			text += " (default " + roff(f.Default) + ")"
		}
		fmt.Fprintf(&b, ".TP\n%s\n%s\n", name, text)
	}
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(c.Example, "\n")))
	}
	if len(c.Subcommands) > 0 {
		var names []string
		for _, s := range c.Subcommands {
			names = append(names, `\fB`+roff(manName(s))+`\fR(1)`)
		}
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(names, ", "))
	}
	return b.Bytes()
}

// roff keeps a text from being taken for macros: backslashes, hyphens, and dots and quotes that begin a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
