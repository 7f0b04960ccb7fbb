package importer

import (
	"bytes"
	"strings"
	"unicode"
)

// htmlLines puts the text of HTML on lines.
type htmlLines struct {
	buf    []byte
	keep   bool   // the text's own line breaks are kept
	quote  int    // how deep the text is quoted
	last   int    // how deep the line before was
	breaks int    // line feeds to write before the next text
	space  []byte // blanks to write before it
	begin  string // what the line begins with: "- "
	cells  int    // of the row so far
}

// deepest bounds what is written before each line, whatever the nesting.
const deepest = 8

// atLeast asks for n line feeds before the next text.
func (l *htmlLines) atLeast(n int) {
	l.breaks, l.space = max(l.breaks, n), l.space[:0]
}

// newLine is a <br>: one more line feed, but not more than one empty line.
func (l *htmlLines) newLine() {
	l.breaks, l.space = max(l.breaks, min(2, l.breaks+1)), l.space[:0]
}

// item begins an item of a list that is so many lists deep.
func (l *htmlLines) item(depth int) {
	l.atLeast(1)
	l.begin = strings.Repeat("  ", max(0, min(depth, deepest)-1)) + "- "
}

// cell begins a cell of a table's row.
func (l *htmlLines) cell() {
	if l.cells > 0 && l.breaks == 0 {
		l.space = append(l.space[:0], '\t')
	}
	l.cells++
}

// write adds text. Unless it is kept as it is, blanks and line breaks become one blank.
func (l *htmlLines) write(s string, kept bool) {
	from := -1 // where the word begins that is not written yet
	for i, r := range s {
		blank := r <= ' ' || r >= 0x7f && (unicode.IsSpace(r) || invisible(r))
		if !blank {
			if from < 0 {
				l.flush(kept)
				from = i
			}
			continue
		}
		if from >= 0 {
			l.buf = append(l.buf, s[from:i]...)
			from = -1
		}
		switch {
		case invisible(r):
		case !kept:
			if len(l.space) == 0 {
				l.space = append(l.space, ' ')
			}
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
		case r == '\n' || r == '\r':
			l.breaks, l.space = l.breaks+1, l.space[:0]
		default:
			l.space = append(l.space, string(r)...)
		}
	}
	if from >= 0 {
		l.buf = append(l.buf, s[from:]...)
	}
}

// invisible characters fill the previews of mails: they are left out.
func invisible(r rune) bool {
	return r == '\u200b' || r == '\ufeff' || r == '\u034f' || r == '\u00ad'
}

// flush writes what stands before the next text.
func (l *htmlLines) flush(kept bool) {
	quote := min(l.quote, deepest)
	begins := len(l.buf) == 0
	if l.breaks > 0 && !begins {
		empty := bytes.TrimRight(bytes.Repeat([]byte("> "), min(quote, l.last)), " ")
		for n := l.breaks; n > 0; n-- {
			l.buf = append(l.buf, '\n')
			if n > 1 {
				l.buf = append(l.buf, empty...)
			}
		}
		begins = true
	}
	if begins {
		for range quote {
			l.buf = append(l.buf, "> "...)
		}
		l.buf = append(l.buf, l.begin...)
		l.begin, l.last = "", quote
	}
	if !begins || kept {
		l.buf = append(l.buf, l.space...)
	}
	l.space, l.breaks = l.space[:0], 0
}
