package fakellm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// member is a member of a JSON object: its name and its value as it stands.
type member struct {
	name  string
	value []byte
}

var errNoObject = errors.New("it is not a JSON object")

// membersOf splits a JSON object into its members, in their order. The text must be valid JSON.
func membersOf(data []byte) ([]member, error) {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return nil, errNoObject
	}
	var out []member
	i = skipSpace(data, i+1)
	for i < len(data) && data[i] == '"' {
		end := skipString(data, i)
		m := member{name: unquote(data[i:end])}
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return nil, errNoObject
		}
		i = skipSpace(data, i+1)
		end = skipValue(data, i)
		m.value = data[i:end]
		out = append(out, m)
		if i = skipSpace(data, end); i < len(data) && data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
	if i >= len(data) || data[i] != '}' {
		return nil, errNoObject
	}
	return out, nil
}

// elementsOf splits a JSON array into its elements; of anything else it gives none. The text must be valid JSON.
func elementsOf(data []byte) [][]byte {
	if len(data) == 0 || data[0] != '[' {
		return nil
	}
	var out [][]byte
	i := skipSpace(data, 1)
	for i < len(data) && data[i] != ']' {
		end := skipValue(data, i)
		out = append(out, data[i:end])
		if i = skipSpace(data, end); i < len(data) && data[i] == ',' {
			i = skipSpace(data, i+1)
		}
	}
	return out
}

func find(members []member, name string) []byte {
	for i := range members {
		if members[i].name == name {
			return members[i].value
		}
	}
	return nil
}

// get follows names through objects; it gives nil where there is nothing.
func get(data []byte, path ...string) []byte {
	for _, name := range path {
		members, err := membersOf(data)
		if err != nil {
			return nil
		}
		data = find(members, name)
	}
	return data
}

// repeated names a member that the object has twice.
func repeated(members []member) (string, bool) {
	for i := range members {
		for j := range i {
			if members[i].name == members[j].name {
				return members[i].name, true
			}
		}
	}
	return "", false
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the place behind the string that begins at i.
func skipString(data []byte, i int) int {
	for i++; i < len(data); {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return len(data)
		}
		end := i + n
		back := end
		for back > i && data[back-1] == '\\' {
			back--
		}
		if (end-back)%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return len(data)
}

// skipValue gives the place behind the value that begins at i.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return len(data)
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		depth := 0
		for i < len(data) {
			switch data[i] {
			case '"':
				i = skipString(data, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(data)
	}
	start := i
	for i < len(data) && !bytes.ContainsRune([]byte(",]} \n\t\r"), rune(data[i])) {
		i++
	}
	return max(i, start+1)
}

// unquote gives the text of a JSON string; of anything else it gives an empty text.
func unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	out := make([]byte, 0, len(inner))
	for {
		n := bytes.IndexByte(inner, '\\')
		if n < 0 || n+1 >= len(inner) {
			return string(append(out, inner...))
		}
		out = append(out, inner[:n]...)
		c, ok := escapeOf(inner[n+1])
		if !ok { // \u, whose pairs are better left to the library
			var s string
			if json.Unmarshal(raw, &s) != nil {
				return ""
			}
			return s
		}
		out = append(out, c)
		inner = inner[n+2:]
	}
}

// escapeOf gives what a backslash and c mean.
func escapeOf(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	}
	return 0, false
}

// appendString appends a text as a JSON string.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c >= utf8.RuneSelf:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// quoted gives a text as a JSON string.
func quoted(s string) string { return string(appendString(nil, s)) }
