package tmpl

import (
	"strings"
	"unicode"
)

const spaces = " \t\r\n"

// kinds of tokens beside the marks ( ) , and := that stand for themselves.
const (
	tWord     = 'w' // if, len
	tText     = 'q' // in its quotes
	tConstant = 'n' // a number; true and false become one
	tVariable = '$' // with its fields
	tField    = '.' // fields, or the dot alone
	tDeclare  = ':'
)

// token is a piece of an action.
type token struct {
	kind  byte
	text  string
	space bool // stands before it
}

// lexer cuts a template into texts and actions.
type lexer struct {
	src  string
	at   place
	trim bool // the action before ended with -}}
	// fields are those that the data has, as far as that is known, and known the functions: for hints.
	fields, known []string
}

// skip goes on by so many bytes and gives them.
func (l *lexer) skip(n int) string {
	s := l.src[:n]
	l.src = l.src[n:]
	l.at.line += strings.Count(s, "\n")
	return s
}

// next gives the text before the next action, and the action's pieces; more is false where the file ends.
func (l *lexer) next() (text string, action []token, at place, more bool, err error) {
	i := strings.Index(l.src, "{{")
	more = i >= 0
	if !more {
		i = len(l.src)
	}
	text = l.skip(i)
	if l.trim {
		text = strings.TrimLeft(text, spaces)
		l.trim = false
	}
	at = l.at
	if !more {
		return text, nil, at, false, nil
	}
	l.skip(2)
	if len(l.src) > 1 && l.src[0] == '-' && strings.IndexByte(spaces, l.src[1]) >= 0 {
		text = strings.TrimRight(text, spaces)
		l.skip(2)
	}
	if strings.HasPrefix(l.src, "/*") {
		l.skip(2)
		end := strings.Index(l.src, "*/")
		if end < 0 {
			return "", nil, at, false, at.errorf("the comment is not closed: write */}}")
		}
		l.skip(end + 2)
		space := 0
		if l.src != "" && strings.IndexByte(spaces, l.src[0]) >= 0 && strings.HasPrefix(l.src[1:], "-}}") {
			space = len(l.skip(1))
		}
		if !l.closed(space) {
			return "", nil, at, false, at.errorf("a comment must fill its action: write }} or -}} after */")
		}
		return text, nil, at, true, nil
	}
	action, err = l.action(at)
	if err == nil && len(action) == 0 {
		err = at.errorf("the action is empty: write a value or a word such as {{if}}")
	}
	return text, action, at, true, err
}

// space goes over white space and tells how much.
func (l *lexer) space() int {
	return len(l.skip(len(l.src) - len(strings.TrimLeft(l.src, spaces))))
}

// closed goes over the end of an action, if that stands here after so much space.
func (l *lexer) closed(space int) bool {
	if l.trim = space > 0 && strings.HasPrefix(l.src, "-}}"); l.trim {
		l.skip(1)
	}
	if !strings.HasPrefix(l.src, "}}") {
		return false
	}
	l.skip(2)
	return true
}

func (l *lexer) action(at place) ([]token, error) {
	var out []token
	whole := l.src
	for {
		space := l.space()
		if l.closed(space) {
			return out, nil
		}
		kind, n := l.piece()
		switch {
		case l.src == "":
			return nil, at.errorf("the action is not closed: write }}")
		case kind == 0:
			if hint := l.foreign(whole[:len(whole)-len(l.src)]); hint != "" {
				return nil, at.errorf("%s", hint)
			}
			return nil, at.errorf("unexpected %.20q in an action; allowed are fields, variables, texts, whole numbers, true, false, words, ( ) and :=", l.rest())
		case kind == tText && n == 0:
			return nil, at.errorf("the text %.20q is not closed on its line", l.line())
		}
		out = append(out, token{kind: kind, text: l.skip(n), space: space > 0})
		if strings.IndexByte("w$.n", kind) >= 0 && !l.boundary() {
			if hint := l.foreign(whole[:len(whole)-len(l.src)]); hint != "" {
				return nil, at.errorf("%s", hint)
			}
			return nil, at.errorf("unexpected %.20q after %.100s", l.rest(), out[len(out)-1].text)
		}
	}
}

// line is the rest of the line, for messages.
func (l *lexer) line() string {
	s, _, _ := strings.Cut(l.src, "\n")
	return s
}

// rest is the rest of the action on its line, for messages.
func (l *lexer) rest() string {
	s, _, _ := strings.Cut(l.line(), "}}")
	return strings.TrimRight(s, spaces)
}

// boundary tells whether a name or number may end here.
func (l *lexer) boundary() bool {
	return l.src == "" || strings.IndexByte(spaces+".,:)(|", l.src[0]) >= 0 || strings.HasPrefix(l.src, "}}")
}

// piece tells what stands here, and how long it is.
func (l *lexer) piece() (kind byte, n int) {
	s := l.src
	if s == "" {
		return 0, 0
	}
	switch c := s[0]; {
	case c == '(' || c == ')' || c == ',':
		return c, 1
	case strings.HasPrefix(s, ":="):
		return tDeclare, 2
	case c == '"' || c == '`':
		return tText, literal(s)
	case c == '$' || c == '.':
		return c, path(s)
	case c >= '0' && c <= '9' || (c == '-' || c == '+') && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return tConstant, 1 + letters(s[1:])
	}
	if n := letters(s); n > 0 {
		return tWord, n
	}
	return 0, 0
}

// literal is the length of a text with its quotes, or 0 if it does not end.
func literal(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[0] == '`':
		case s[i] == '\n':
			return 0
		case s[i] == '\\' && i+1 < len(s) && s[i+1] != '\n':
			i++
		}
	}
	return 0
}

// path is the length of .A.B, or $x.A.B.
func path(s string) int {
	n := 0
	if s[0] == '$' {
		n = 1 + letters(s[1:])
	}
	for n < len(s) && s[n] == '.' {
		k := letters(s[n+1:])
		if k == 0 || s[n+1] >= '0' && s[n+1] <= '9' {
			return max(n, 1)
		}
		n += 1 + k
	}
	return n
}

// letters is how long the name at the beginning is.
func letters(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}
