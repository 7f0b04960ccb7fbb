package triage

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// How an [Encoder] writes texts and numbers.

const hexDigits = "0123456789abcdef"

// plain says which bytes stand in a JSON string as they are.
var plain = func() (out [256]bool) {
	for c := byte(0x20); c < utf8.RuneSelf; c++ {
		out[c] = c != '"' && c != '\\'
	}
	return out
}()

// plainWord tells whether eight bytes stand in a JSON string as they are; it may say no where they do. It looks at all of them
// at once: a byte under 0x20, or one that is a quote or a backslash and so becomes 0 by an exclusive or, borrows into its high bit when
// 0x20 or 1 is taken from it, and a byte above ASCII has that bit itself.
func plainWord(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (w|(w-ones*0x20)|((w^ones*'"')-ones)|((w^ones*'\\')-ones))&high == 0
}

// String appends a JSON string. Invalid UTF-8 becomes U+FFFD.
func (e *Encoder) String(s string) {
	b := append(e.Buf, '"')
	start := 0
	for i := 0; i < len(s); {
		for len(s)-i >= 8 && plainWord(s[i:i+8]) {
			i += 8
		}
		for i < len(s) && plain[s[i]] {
			i++
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || r == 0x2028 || r == 0x2029 {
				b = append(b, s[start:i]...)
				b = append(b, `\u`...)
				b = append(b, hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
				start = i + size
			}
			i += size
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	e.Buf = append(b, '"')
}

// Float appends a number; what is not finite becomes null.
func (e *Encoder) Float(v float64) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		e.Buf = append(e.Buf, "null"...)
	case e.Round:
		e.Buf = AppendRounded(e.Buf, v)
	case v == 0 || math.Abs(v) >= 1e-6 && math.Abs(v) < 1e21: // as encoding/json has it
		e.Buf = appendShort(e.Buf, v)
	default:
		data, err := json.Marshal(v)
		if err != nil {
			data = []byte("null")
		}
		e.Buf = append(e.Buf, data...)
	}
}

// appendShort appends the shortest decimal that reads back as v. Most of ours have two decimals at most: whoever finds such a
// decimal that is v has found the shortest.
func appendShort(b []byte, v float64) []byte {
	n := int64(0)
	if math.Abs(v) < 1e9 {
		n = int64(math.Round(v * 100))
	}
	if n <= 0 || float64(n)/100 != v {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	b = strconv.AppendInt(b, n/100, 10)
	switch tenth, hundredth := byte(n/10%10), byte(n%10); {
	case hundredth != 0:
		return append(b, '.', '0'+tenth, '0'+hundredth)
	case tenth != 0:
		return append(b, '.', '0'+tenth)
	}
	return b
}

// AppendRounded appends a finite number with at most 6 decimals and without trailing zeros.
func AppendRounded(b []byte, v float64) []byte {
	start := len(b)
	b = strconv.AppendFloat(b, v, 'f', 6, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	if string(b[start:]) == "-0" {
		return append(b[:start], '0')
	}
	return b
}
