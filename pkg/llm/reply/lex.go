package reply

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// number gives the position behind the JSON number at i, or i if there is none.
func number(s string, i int) int {
	digits := func(j int) int {
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		return j
	}
	j := i
	if j < len(s) && s[j] == '-' {
		j++
	}
	k := digits(j)
	if k == j || k > j+1 && s[j] == '0' {
		return i
	}
	if k < len(s) && s[k] == '.' {
		j = k + 1
		if k = digits(j); k == j {
			return i
		}
	}
	if k < len(s) && (s[k] == 'e' || s[k] == 'E') {
		j = k + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k = digits(j); k == j {
			return i
		}
	}
	return k
}

// skip gives the position behind white space and comments.
func (p *parser) skip(i int) int {
	if i < len(p.text) && p.text[i] > ' ' && p.text[i] != '/' && p.text[i] != '#' {
		return i // as a rule
	}
	start := i
	for i < len(p.text) {
		n := p.blank(i)
		if c := commentAt(p.text, n); c != "" {
			p.repaired = true
			if end := strings.Index(p.text[n:], c); end >= 0 {
				n += end + len(c)
			} else {
				n = len(p.text)
			}
		}
		if n == i {
			break
		}
		i = n
	}
	p.work += i - start
	return i
}

// blank gives the position behind JSON's white space.
func (p *parser) blank(i int) int {
	for i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\n' || p.text[i] == '\t' || p.text[i] == '\r') {
		i++
	}
	return i
}

// comma gives the length of the comma at i, or 0.
func (p *parser) comma(i int) int {
	if p.is(i, ',') {
		return 1
	}
	if i < len(p.text) && strings.HasPrefix(p.text[i:], "，") {
		p.repaired = true
		return len("，")
	}
	return 0
}

func (p *parser) is(i int, c byte) bool { return i < len(p.text) && p.text[i] == c }

// commentAt gives what ends the comment that begins at i, or nothing.
func commentAt(s string, i int) string {
	switch {
	case i >= len(s):
		return ""
	case s[i] == '#', strings.HasPrefix(s[i:], "//"):
		return "\n"
	case strings.HasPrefix(s[i:], "/*"):
		return "*/"
	}
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-'
}

// letterAround tells whether letters stand on both sides of what is from i to j.
func letterAround(s string, i, j int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[j:])
	return unicode.IsLetter(before) && unicode.IsLetter(after)
}
