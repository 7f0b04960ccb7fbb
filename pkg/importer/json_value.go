package importer

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// plainByte says which bytes of a string stand for themselves: ASCII without quotes, backslashes and control characters.
var plainByte = func() (t [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// string reads the string that begins here into f.text.
func (f *jsonFlat) string() error {
	f.pos++
	f.text = f.text[:0]
	for {
		start := f.pos
		for f.pos < len(f.data) && plainByte[f.data[f.pos]] {
			f.pos++
		}
		f.text = append(f.text, f.data[start:f.pos]...)
		if f.pos == len(f.data) {
			return f.broken("")
		}
		switch b := f.data[f.pos]; {
		case b == '"':
			f.pos++
			return nil
		case b == '\\':
			if err := f.escape(); err != nil {
				return err
			}
		case b < ' ':
			return f.broken("a control character in a string")
		default:
			r, size := utf8.DecodeRune(f.data[f.pos:])
			f.text = utf8.AppendRune(f.text, r) // U+FFFD where it is no UTF-8
			f.notUTF8 = f.notUTF8 || size == 1
			f.pos += size
		}
	}
}

// escapes are what single letters behind a backslash stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what begins with a backslash.
func (f *jsonFlat) escape() error {
	if f.pos+1 >= len(f.data) {
		f.pos = len(f.data)
		return f.broken("")
	}
	if b := escapes[f.data[f.pos+1]]; b != 0 {
		f.text = append(f.text, b)
		f.pos += 2
		return nil
	}
	r, ok := hexEscape(f.data[f.pos:])
	if !ok {
		return f.broken("an escape that there is not")
	}
	f.pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := hexEscape(f.data[f.pos:])
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			f.pos += 6
		} else {
			r = utf8.RuneError
		}
	}
	f.text = utf8.AppendRune(f.text, r)
	return nil
}

// hexEscape reads an escape such as \u20ac.
func hexEscape(data []byte) (rune, bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, b := range data[2:6] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}

// scalar reads a number, true, false, null or NaN; the last two are empty.
func (f *jsonFlat) scalar() ([]byte, error) {
	start := f.pos
	for f.pos < len(f.data) && isWordByte(f.data[f.pos]) {
		f.pos++
	}
	word := f.data[start:f.pos]
	switch {
	case len(word) == 0:
		return nil, f.broken("no value")
	case string(word) == "null", string(word) == "NaN":
		return nil, nil
	case string(word) == "true", string(word) == "false":
		return word, nil
	case word[0] == '-' && len(word) > 1 && isDigit(word[1]), isDigit(word[0]):
		if !slices.ContainsFunc(word, func(b byte) bool { return !isDigit(b) && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' }) {
			return word, nil
		}
	}
	f.pos = start
	return nil, f.broken("a word that is no value")
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isWordByte tells whether numbers and words such as null have the byte.
func isWordByte(b byte) bool {
	return isDigit(b) || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '-' || b == '+' || b == '.' || b == '_'
}

// shortened gives the beginning of a text for a message.
func shortened(text []byte) string {
	const most = 60
	if len(text) <= most {
		return string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	}
	return string(bytes.ToValidUTF8(bytes.TrimRight(text[:most], "\x80\x81\xbf"), []byte("\uFFFD"))) + "…"
}
