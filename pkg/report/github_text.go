package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GitHubLimit is the most bytes of a step summary that is written, closing lines included. GitHub takes 1 MiB a step and drops a
// longer summary whole; what is left is for the other lines that a step may add to the same file.
const GitHubLimit = 900 << 10

// The most characters of a text that a summary shows of one ticket, and those of names.
const (
	shownSubject = 120
	shownText    = 600
	shownName    = 200
	shownMore    = 100
)

// githubText keeps a text of anybody from being read as anything but text by GitHub: Markdown, HTML, tables, links, names of people
// and issues. Characters that could begin something are written as numbers (a character reference is text in Markdown and in HTML
// alike); control characters, line and paragraph separators and marks that turn the direction of writing are spaces; bytes that
// are no UTF-8 are U+FFFD. Texts of more than most characters are cut.
func githubText(s string, most int) string { return escaped(s, most, false) }

// githubCode shows a text as code, in which GitHub looks for no names of people, issues, commits or emoji.
func githubCode(s string, most int) string {
	if s == "" {
		return ""
	}
	return "<code>" + escaped(s, most, true) + "</code>"
}

func escaped(s string, most int, code bool) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n == most {
			b.WriteString("…")
			break
		}
		n++
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || turns(r) {
			r = ' '
		}
		switch {
		case r == utf8.RuneError:
			b.WriteRune('\uFFFD')
		case r < utf8.RuneSelf && !plain(s, i, r):
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
			if !code && (r == '@' || r == '#') {
				b.WriteString("&#8203;") // a space without width: what follows is no name of a person or an issue
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain tells whether the ASCII character r at i stands for itself, also where the text begins a line.
func plain(s string, i int, r rune) bool {
	next := byte(' ')
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch {
	case alphanumeric(byte(r)), strings.ContainsRune(`,/%();"'?!{}`, r):
		return true
	case r == ' ', r == '=', r == '+': // at the beginning of a line: code, a heading, a list
		return i > 0
	case r == ':': // an address, an emoji, a command
		return i > 0 && next == ' ' && s[i-1] != ':'
	case r == '-':
		return i > 0 && s[i-1] != ' ' || alphanumeric(next)
	case r == '.': // an address, the number of a list
		return i > 0 && s[i-1]|0x20 != 'w' && (alphanumeric(next) || strings.Trim(s[:i], "0123456789") != "")
	}
	return false
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// turns tells whether a character changes the direction in which what follows is shown, so that a text could look as another.
func turns(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' || r == '\u200E' || r == '\u200F' || r == '\u061C'
}

// page gathers blocks up to a limit in bytes.
type page struct {
	b     strings.Builder
	limit int
}

// add adds a block as a whole, or nothing where it is too long for what is left.
func (p *page) add(blocks ...string) bool {
	n := 0
	for _, s := range blocks {
		n += len(s)
	}
	if p.b.Len()+n > p.limit {
		return false
	}
	for _, s := range blocks {
		p.b.WriteString(s)
	}
	return true
}

// within makes a page that ends earlier, for blocks after which others must have room.
func (p *page) within(rest int, write func()) {
	p.limit -= rest
	write()
	p.limit += rest
}
