package importer

import (
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// wikiText gives the text of Jira's wiki markup: headings, emphasis and macros lose their marks, code and preformatted text stays as
// it is, links keep their text and, where it differs, their address, quotations are lines that begin with "> ", lists begin with
// "- ", cells of tables are parted by " | ", and images are left out.
//
// A text without markup stays as it is, byte for byte. It takes time in proportion to the text, whatever that is.
func wikiText(s string) string {
	if !strings.ContainsAny(s, `{[*_+|!?\`) && !wikiLine.MatchString(s) {
		return s
	}
	w := wiki{out: make([]byte, 0, len(s))}
	rest, more := s, true
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		w.line(line, more)
	}
	return string(w.out)
}

// wikiLine finds markup that needs none of the special characters.
var wikiLine = lazyregexp.New(`(?m)^[ \t]*(?:h[1-6]\.|bq\.|#+ |-{4,}[ \t\r]*$)`)

// wiki reads one text by lines.
type wiki struct {
	out      []byte
	verbatim string // the macro that is open whose text stays as it is: code or noformat
	quote    bool   // {quote} is open
}

var (
	wikiVerbatim = lazyregexp.New(`^\{(code|noformat)(?::[^{}\n]*)?\}`)
	wikiMacro    = lazyregexp.New(`^\{(?:(?:color|panel|anchor|toc|section|column|info|note|tip|warning|expand|html|jira|status)(?::[^{}\n]*)?)\}`)
	wikiHeading  = lazyregexp.New(`^[ \t]*h[1-6]\.[ \t]+`)
	wikiQuote    = lazyregexp.New(`^[ \t]*bq\.[ \t]+`)
	wikiList     = lazyregexp.New(`^[ \t]*([*#]{1,8})[ \t]+`)
	wikiRule     = lazyregexp.New(`^[ \t]*-{4,5}[ \t\r]*$`)
)

// line adds a line. One of which only marks are left is dropped, with its line feed.
func (w *wiki) line(line string, feed bool) {
	at := len(w.out)
	text := w.text(line)
	if strings.TrimSpace(text) == "" && strings.TrimSpace(line) != "" {
		w.out = w.out[:at]
		return
	}
	if w.quote {
		w.out = append(w.out, "> "...)
	}
	w.out = append(w.out, text...)
	if feed {
		w.out = append(w.out, '\n')
	}
}

// text gives a line without its markup.
func (w *wiki) text(line string) string {
	if w.verbatim != "" {
		return w.verbatimText(line)
	}
	lead := ""
	switch {
	case wikiRule.MatchString(line):
		return ""
	case wikiHeading.MatchString(line):
		line = line[len(wikiHeading.FindString(line)):]
	case wikiQuote.MatchString(line):
		lead, line = "> ", line[len(wikiQuote.FindString(line)):]
	case wikiList.MatchString(line):
		m := wikiList.FindStringSubmatch(line)
		line, lead = line[len(m[0]):], strings.Repeat("  ", len(m[1])-1)+"- "
	case strings.HasPrefix(strings.TrimLeft(line, " \t"), "|"):
		if cells, ok := wikiRow(line); ok {
			line = cells
		}
	}
	return lead + w.inline(line)
}

// verbatimText gives a line inside of {code} or {noformat}, and what follows its end.
func (w *wiki) verbatimText(line string) string {
	end := "{" + w.verbatim + "}"
	before, after, ok := strings.Cut(line, end)
	if !ok {
		return line
	}
	w.verbatim = ""
	return before + w.inline(after)
}

// wikiRow gives a row of a table. Bars inside of links are no cells.
func wikiRow(line string) (string, bool) {
	trimmed := strings.TrimSpace(line)
	if len(trimmed) < 3 || !strings.HasSuffix(trimmed, "|") {
		return "", false
	}
	trimmed = strings.Trim(trimmed, "|")
	var out strings.Builder
	linked := false
	for i := 0; i < len(trimmed); i++ {
		switch c := trimmed[i]; {
		case c == '|' && !linked:
			for i+1 < len(trimmed) && trimmed[i+1] == '|' {
				i++
			}
			out.WriteString(" | ")
			continue
		case c == '[':
			linked = true
		case c == ']':
			linked = false
		}
		out.WriteByte(trimmed[i])
	}
	return strings.Join(strings.Fields(out.String()), " "), true
}
