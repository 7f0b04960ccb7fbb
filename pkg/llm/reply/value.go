package reply

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// read gives the value of a field as JSON, nil where it is absent, with a note where it is taken for another one than it
// is, or what is wrong with it.
func (f *Field) read(p *parser, t token) (value []byte, note, wrong string) {
	raw := p.text[t.start:t.end]
	if t.kind == tokLiteral && (raw == "null" || raw == "None") {
		return nil, "", ""
	}
	source := shown(raw)
	if t.kind == tokString {
		source = quoted(decode(raw))
	}
	if inner, ok := p.only(t); ok && f.Kind != Integer {
		t, raw = inner, p.text[inner.start:inner.end]
		note = source + " as its only member"
	}
	switch f.Kind {
	case Integer:
		return f.integer(t, raw, source)
	case Text:
		if t.kind != tokString {
			return nil, "", source + " is not allowed; allowed is a text"
		}
		return f.text(decode(raw), note)
	}
	return f.word(t, raw, source, note)
}

// only gives the only member of a list, if it is a string.
func (p *parser) only(t token) (token, bool) {
	if t.kind != tokArray {
		return token{}, false
	}
	q := parser{text: p.text[:t.end], ix: p.ix}
	defer func() { p.work += q.work }()
	i := q.skip(t.start + 1)
	if _, n := quoteAt(q.text, i); n == 0 {
		return token{}, false
	}
	inner, i, ok := q.str(i, false)
	i = q.skip(i)
	if n := q.comma(i); n > 0 {
		i = q.skip(i + n)
	}
	return inner, ok && i == t.end-1
}

// text reads a Text. White space only is no text.
func (f *Field) text(s, note string) (value []byte, _, wrong string) {
	if strings.TrimSpace(s) == "" {
		return nil, note, ""
	}
	if n := characters(s); f.MaxRunes > 0 && n > f.MaxRunes {
		return nil, "", fmt.Sprintf("%d characters are not allowed; allowed are at most %d", n, f.MaxRunes)
	}
	return appendString(nil, s), note, ""
}

// integer reads an Integer.
func (f *Field) integer(t token, raw, source string) (value []byte, note, wrong string) {
	wrong = fmt.Sprintf("%s is not allowed; allowed is an integer from %d to %d", source, f.Low, f.High)
	digits := raw
	switch {
	case t.kind == tokString && len(raw) < 100:
		digits = strings.TrimSpace(decode(raw))
		if f.Low == 0 && f.High == 100 {
			digits = strings.TrimRight(strings.TrimSuffix(digits, "%"), " ")
		}
		if number(digits, 0) != len(digits) {
			return nil, "", wrong
		}
	case t.kind != tokNumber:
		return nil, "", wrong
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if strings.Trim(fraction, "0") != "" {
		return nil, "", wrong
	}
	n, err := strconv.Atoi(whole) // an exponent is an error, too
	if err != nil || n < f.Low || n > f.High {
		return nil, "", wrong
	}
	value = strconv.AppendInt(nil, int64(n), 10)
	if t.kind != tokNumber || string(value) != raw {
		note = source + " as " + string(value)
	}
	return value, note, ""
}

// maxLabel is the longest text, in bytes, that is taken for a word which it does not equal.
const maxLabel = 200

// word reads an Enum: the very word, else by its label. Two words with one label are not told apart by it.
func (f *Field) word(t token, raw, source, note string) (value []byte, _, wrong string) {
	s := raw
	switch t.kind {
	case tokString:
		s = decode(raw)
	case tokNumber, tokLiteral:
		note = "as a text" // classes may be numbered
	default:
		return nil, "", f.notAWord(source)
	}
	word, ok := f.lookup(s)
	if !ok {
		return nil, "", f.notAWord(source)
	}
	if word != s || note != "" {
		note = source + " as " + word
	}
	return appendString(nil, word), note, ""
}

// lookup finds the word that a text names.
func (f *Field) lookup(s string) (string, bool) {
	for _, w := range f.Allowed {
		if w == s {
			return w, true
		}
	}
	if len(s) > maxLabel {
		return "", false
	}
	l := label(s)
	if l == "" {
		return "", false
	}
	found := ""
	for _, w := range f.Allowed {
		if label(w) != l {
			continue
		}
		if found != "" && found != w {
			return "", false
		}
		found = w
	}
	if found != "" {
		return found, true
	}
	return f.alias(l)
}

// alias finds the word of an alias with this label. Aliases of two words with one label are none.
func (f *Field) alias(l string) (string, bool) {
	found := ""
	for a, w := range f.Aliases {
		if label(a) != l {
			continue
		}
		if found != "" && found != w {
			return "", false
		}
		found = w
	}
	for _, w := range f.Allowed {
		if w == found {
			return w, true
		}
	}
	return "", false
}

func (f *Field) notAWord(source string) string {
	return fmt.Sprintf("%s is not allowed; allowed is one of %s", source, strings.Join(f.Allowed, ", "))
}

// label is what names that are the same have in common: lower case, without spaces, hyphens and underscores between
// letters, and without quotes, brackets and asterisks around it or marks behind it. What stands before a digit counts, and
// so do hyphens at the ends: -1 is not 1, and A- is not A.
func label(s string) string { return string(appendLabel(nil, s)) }

func appendLabel(b []byte, s string) []byte {
	s = strings.TrimRight(strings.Trim(s, around), around+".,;:!")
	if strings.HasPrefix(s, "*") {
		s = strings.Trim(s, "*")
	}
	var between rune // the last separator before r
	for _, r := range s {
		switch {
		case r == ' ' || r == '\t' || r == '\u00a0' || r == '_' || r == '-':
			between = r
			continue
		case between == '-' && len(b) == 0 || between != 0 && unicode.IsDigit(r):
			b = append(b, '-')
		}
		between = 0
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	if between == '-' {
		b = append(b, '-')
	}
	return b
}

// around is what may stand around a name.
const around = " \t\r\n\"'`“”„‘’«»()[]"
