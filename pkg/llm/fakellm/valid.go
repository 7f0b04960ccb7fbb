package fakellm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// deepestValue is how deep values may lie in each other.
const deepestValue = 500

// valid tells whether data is one JSON value, as [json.Valid] does, but for depth; it is quick where most of the data is text, as
// in requests. The fuzz test holds the two against each other.
func valid(data []byte) bool {
	end := validValue(data, skipSpace(data, 0), 0)
	return end > 0 && skipSpace(data, end) == len(data)
}

// validValue gives the place behind the value at i, or 0 where there is none.
func validValue(data []byte, i, depth int) int {
	if i >= len(data) || depth > deepestValue {
		return 0
	}
	switch data[i] {
	case '"':
		return validString(data, i)
	case '{':
		return validList(data, i, '}', depth, true)
	case '[':
		return validList(data, i, ']', depth, false)
	}
	end := i
	for end < len(data) && bytes.IndexByte([]byte(",]}: \n\t\r\"[{"), data[end]) < 0 {
		end++
	}
	if !json.Valid(data[i:end]) { // a number or a word: short
		return 0
	}
	return end
}

// validList gives the place behind the object or array that begins at i.
func validList(data []byte, i int, closing byte, depth int, named bool) int {
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == closing {
		return i + 1
	}
	for i < len(data) {
		if named {
			if data[i] != '"' {
				return 0
			}
			if i = validString(data, i); i == 0 {
				return 0
			}
			if i = skipSpace(data, i); i >= len(data) || data[i] != ':' {
				return 0
			}
			i = skipSpace(data, i+1)
		}
		if i = validValue(data, i, depth+1); i == 0 {
			return 0
		}
		i = skipSpace(data, i)
		switch {
		case i < len(data) && data[i] == closing:
			return i + 1
		case i >= len(data) || data[i] != ',':
			return 0
		}
		i = skipSpace(data, i+1)
	}
	return 0
}

// validString gives the place behind the string that begins at i: no raw control characters, known escapes only.
func validString(data []byte, i int) int {
	for i++; i < len(data); {
		if i += plainBytes(data[i:]); i >= len(data) {
			return 0
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return 0
		case c == '\\':
			if i+1 >= len(data) {
				return 0
			}
			if _, ok := escapeOf(data[i+1]); ok {
				i += 2
				continue
			}
			if data[i+1] != 'u' || i+6 > len(data) || !isHex(data[i+2:i+6]) {
				return 0
			}
			i += 6
		default:
			i++
		}
	}
	return 0
}

// plainBytes counts bytes at the beginning that are neither a quote, a backslash nor a control character, eight at a time; it may
// count too few.
func plainBytes(data []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(data)-n >= 8; n += 8 {
		v := binary.LittleEndian.Uint64(data[n:])
		quotes, slashes := v^(ones*'"'), v^(ones*'\\')
		if ((quotes-ones)&^quotes|(slashes-ones)&^slashes|(v-ones*0x20)&^v)&highs != 0 {
			break
		}
	}
	for n < len(data) && data[n] >= 0x20 && data[n] != '"' && data[n] != '\\' {
		n++
	}
	return n
}

func isHex(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
