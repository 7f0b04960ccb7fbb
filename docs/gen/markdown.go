package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/cli"
)

const opening = `# Reference of commands and settings

Made by ` + "`go run ./docs/gen`" + ` from the commands themselves; a test holds it against them.

A setting has the name of its flag. What goes before what: default < config file < environment variable < flag. The config file (` + "`--config FILE`" + `, or the variable
` + "`TRIAGE_CONFIG`" + `) is YAML: flag names and values, for all commands at the top or under a command's name (` + "`run:`, `tickets generate:`" + `). ` + "`--print-config`" + ` prints every setting of a
command and where it comes from. Flags that take several values accept ` + "`--tasks a b`, `--tasks a,b`" + ` and repetition.

Exit codes: 0 well; 1 a gate, check or target that was asked for did not hold; 2 usage, settings, input or output files; 3 episodes broke through no fault of the
agent; 4 the endpoint or server is unusable; 5 inconclusive; 130 and 143 interrupted.
`

// markdown gives the reference.
func markdown(commands []cli.CommandReference) []byte {
	var b bytes.Buffer
	b.WriteString(opening)
	b.WriteString("\n| command | what it does |\n|---|---|\n")
	for i := range commands {
		c := &commands[i]
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.Path, strings.ReplaceAll(c.Path, " ", "-"), cell(c.Short))
	}
	for i := range commands {
		section(&b, &commands[i])
	}
	return b.Bytes()
}

func section(b *bytes.Buffer, c *cli.CommandReference) {
	fmt.Fprintf(b, "\n## %s\n\n", c.Path)
	fmt.Fprintf(b, "```\n%s\n```\n\n%s\n", c.Usage, paragraphs(c.Long))
	if c.Example != "" {
		b.WriteString("\n```sh\n")
		for line := range strings.SplitSeq(strings.Trim(c.Example, "\n"), "\n") {
			b.WriteString(strings.TrimPrefix(line, "  ") + "\n")
		}
		b.WriteString("```\n")
	}
	if len(c.Flags) == 0 {
		return
	}
	b.WriteString("\n| flag | default | variable | what it is |\n|---|---|---|---|\n")
	for _, f := range c.Flags {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Value != "" {
			name += " " + f.Value
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(name), code(f.Default), code(f.Variable), cell(f.Usage))
	}
}

// paragraphs keeps lines that are indented as code, as help shows them, and escapes the rest; a heading within a help is bold.
func paragraphs(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		switch heading, is := strings.CutPrefix(line, "#### "); {
		case strings.HasPrefix(line, "\t"):
		case is:
			lines[i] = "**" + escape(heading) + "**"
		default:
			lines[i] = escape(line)
		}
	}
	return strings.Join(lines, "\n")
}

// cell makes a text fit a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(escape(strings.Join(strings.Fields(text), " ")), "|", `\|`)
}

// code marks a text as code; an empty one stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// escape keeps what looks like markup from being taken for it.
func escape(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}
