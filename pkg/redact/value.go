package redact

import "strings"

// value says what a value that follows a cue looks like.
type value struct {
	text                          string
	digits, lowers, uppers, signs int
	// alone tells that nothing follows on the line.
	alone, strong, quoted bool
}

func valueOf(s string, i, end int) value {
	v := value{text: s[i:end]}
	for k := i; k < end; k++ {
		switch b := s[k]; {
		case isDigit(b):
			v.digits++
		case isUpper(b):
			v.uppers++
		case isLetter(b), b >= 0x80:
			v.lowers++
		default:
			v.signs++
		}
	}
	rest := skip(s, end, " \t.,;)\"'`")
	v.alone = rest >= len(s) || s[rest] == '\n' || s[rest] == '\r'
	return v
}

// notSecret are words that people write where a password or token would stand.
var notSecret = set(`reset change changed changing forgot forgotten expired invalid wrong incorrect help issue issues problem problems
	required error errors null none nil empty missing hidden true false undefined unknown yes no not the this that was is must should
	please request requested update updated protected field link page email recovery manager policy rules login access denied
	failed failure rejected revoked disabled locked lost stolen reset? what how why when can optional string text here below above
	password passwords token tokens secret key code redacted removed masked n/a tbd your my our same unchanged abgelaufen vergessen falsch`)

// is tells whether the value is a secret of the kind that a cue announces. In URLs, less will do.
func (v value) is(q cue, inURL bool) bool {
	text, n := strings.ToLower(strings.Trim(v.text, "*•.·x<>{}[]")), len(v.text)
	if text == "" || notSecret[text] {
		return false
	}
	letters := v.lowers + v.uppers
	mixed := v.uppers > 0 && v.lowers > 0 && (v.uppers > 1 || !isUpper(v.text[0]))
	switch {
	case inURL:
		return n >= 4 && (v.digits > 0 || mixed || n >= 16)
	case q == cueCode:
		return v.digits >= 3 && n <= 12 && (letters == 0 || v.strong)
	case q == cuePassword && v.strong:
		return n >= 4 && (v.quoted || v.digits > 0 || v.signs > 0 && letters > 0 && !plainWords(v.text) || mixed || v.alone)
	case q == cuePassword:
		return n >= 5 && v.digits > 0 && letters > 0 && (v.digits >= 3 || v.signs == 0 || v.signs > strings.Count(v.text, "-")) || v.quoted && v.digits+v.signs > 0
	case q == cueBearer:
		return n >= 16 && (v.digits > 0 || mixed)
	}
	return n >= 8 && !strings.HasPrefix(text, "0x") && (v.digits > 0 && letters > 0 || n >= 16 && mixed)
}

// plainWords tells that the signs of a text only join words: case-sensitive, and/or.
func plainWords(s string) bool {
	return strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz-/'") == ""
}

// set makes a set of words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
