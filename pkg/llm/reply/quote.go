package reply

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoteAt tells which quote is at i, and its length: " is JSON's, ' is Python's, ” stands for “, ” and „, and ’ for ‘ and ’.
// The length is 0 where there is none.
func quoteAt(s string, i int) (kind rune, length int) {
	if i >= len(s) {
		return 0, 0
	}
	switch c := s[i]; {
	case c == '"' || c == '\'':
		return rune(c), 1
	case c != 0xE2 || len(s)-i < 3 || s[i+1] != 0x80: // the first bytes of the others
		return 0, 0
	}
	switch s[i+2] {
	case 0x9C, 0x9D, 0x9E:
		return '”', 3
	case 0x98, 0x99:
		return '’', 3
	}
	return 0, 0
}

// ends tells whether a quote may end a string that another one began. Typographic strings may end in a straight quote.
func ends(open, quote rune) bool {
	return quote == open || open == '”' && quote == '"' || open == '’' && quote == '\''
}

// str reads the string at i. The first quote that may end it does, unless what follows it cannot follow a string; then
// the quote is part of the string if [parser.inside] says so.
func (p *parser) str(i int, key bool) (token, int, bool) {
	open, n := quoteAt(p.text, i)
	p.repaired = p.repaired || open != '"'
	t := token{kind: tokString, start: i + n}
	inner, broken := 0, false
	for j := t.start; j < len(p.text); {
		w := 1
		c := p.text[j]
		switch {
		case c == '\\':
			w = p.escape(j)
		case c < 0x20:
			p.repaired, broken = true, broken || c == '\n' || c == '\r'
		case c == '"' || c == '\'' || c == 0xE2:
			quote, n := quoteAt(p.text, j)
			if n == 0 || !ends(open, quote) {
				break
			}
			w = n
			if key || p.follows(j+w) {
				t.end = j
				p.work += j + w - i
				if inner%2 == 1 || inner > 0 && broken {
					return t, 0, p.stop(j, t.start, inQuotes)
				}
				return t, j + w, true
			}
			switch single := open == '\'' || open == '’'; {
			case single && letterAround(p.text, j, j+w): // an apostrophe
			case !single && p.inside(j, w):
				inner, p.repaired = inner+1, true
			default:
				p.work += j - i
				return t, 0, p.stop(j, t.start, inQuotes)
			}
		}
		j += w
	}
	p.work += len(p.text) - i
	return t, 0, p.stop(len(p.text), t.start, "the end of a string")
}

const inQuotes = "quotes in a string with a backslash before them"

// follows tells whether at i stands what may follow a string.
func (p *parser) follows(i int) bool {
	j := p.blank(i)
	p.work += j - i
	if j == len(p.text) || commentAt(p.text, j) != "" {
		return true
	}
	switch p.text[j] {
	case ',', ':', '}', ']':
		return true
	}
	return strings.HasPrefix(p.text[j:], "：") || strings.HasPrefix(p.text[j:], "，")
}

// inside tells whether the double quote at i, which nothing follows that may follow a string, is surely part of one: it
// does not stand where a string may begin, and there is no other quote or line break behind it. The caller sees to it
// that such quotes come in pairs and in one line.
func (p *parser) inside(i, width int) bool {
	before := i - 1
	for p.text[before] == ' ' { // ends: a quote opened the string
		before--
	}
	p.work += i - before
	switch p.text[before] {
	case '{', '[', ',', ':', '"':
		return false
	}
	after := i + width
	for after < len(p.text) && p.text[after] == ' ' {
		after++
	}
	if after == len(p.text) || p.text[after] == '\n' || p.text[after] == '\r' {
		return false
	}
	_, n := quoteAt(p.text, after)
	return n == 0
}

// escape gives the length of the escape at i. A backslash before what it does not escape stands for itself.
func (p *parser) escape(i int) int {
	if i+1 >= len(p.text) {
		return 1
	}
	switch c := p.text[i+1]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		return 2
	case c == 'u' && hex4(p.text, i+2) >= 0:
		return 6
	case c == '\'':
		p.repaired = true
		return 2
	}
	p.repaired = true
	return 1
}

// hex4 reads the four hexadecimal digits at i, or gives -1.
func hex4(s string, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	v, err := strconv.ParseUint(s[i:i+4], 16, 32)
	if err != nil {
		return -1
	}
	return rune(v)
}

// decode gives the text of a string. It has no more characters than its source has bytes.
func decode(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		b.WriteString(s[:i])
		s = s[i:]
		if s == "" {
			return b.String()
		}
		r, n := unescape(s)
		b.WriteRune(r)
		s = s[n:]
		if i = strings.IndexByte(s, '\\'); i < 0 {
			i = len(s)
		}
	}
}

// unescape reads the escape that a text begins with.
func unescape(s string) (rune, int) {
	if len(s) < 2 {
		return '\\', 1
	}
	switch s[1] {
	case '"', '\\', '/', '\'':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(s, 2)
		if r < 0 {
			break
		}
		if utf16.IsSurrogate(r) {
			if len(s) >= 8 && s[6] == '\\' && s[7] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(s, 8)); pair != utf8.RuneError {
					return pair, 12
				}
			}
			return utf8.RuneError, 6
		}
		return r, 6
	}
	return '\\', 1
}

// appendString writes a text as a JSON string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// unquote gives what a text holds that is one JSON string and nothing else, if it may hold an object.
func unquote(text string) (string, bool) {
	s := strings.TrimSpace(text)
	if !strings.HasPrefix(s, `"`) || !strings.Contains(s, "{") {
		return "", false
	}
	p := parser{text: s}
	t, end, ok := p.str(0, false)
	if !ok || p.repaired || end != len(s) {
		return "", false
	}
	return decode(s[t.start:t.end]), true
}
