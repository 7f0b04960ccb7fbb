package triage

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Member is one key of a JSON object with its value. Both are parts of the text that was split, not copies, unless the key
// holds escapes.
type Member struct {
	Key   []byte // without quotes and escapes
	Value json.RawMessage
}

// ErrNotObject says that a text is JSON, but not an object.
var ErrNotObject = errors.New("not a JSON object")

// AppendMembers appends the members of a JSON object to dst, in their order; of two with one key the last one counts, as
// with most parsers. A text that is no JSON gives a [*json.SyntaxError], other JSON gives [ErrNotObject]. encoding/json would
// make a map, and copy every value.
func AppendMembers(dst []Member, data []byte) ([]Member, error) {
	if !plainJSON(data) && !json.Valid(data) {
		var syntax *json.SyntaxError
		if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
			return dst, syntax
		}
		return dst, ErrNotObject // not reached: what is not valid has a syntax error
	}
	return AppendValidMembers(dst, data)
}

// AppendValidMembers is [AppendMembers] for a text that is known to be JSON, such as a value of a [Member]. Of other texts it makes
// nonsense, or panics.
func AppendValidMembers(dst []Member, data []byte) ([]Member, error) {
	s := space(data)
	if s[0] != '{' {
		return dst, ErrNotObject
	}
	start := len(dst)
	for s = space(s[1:]); s[0] == '"' || s[0] == ','; s = space(s) {
		if s[0] == ',' {
			s = space(s[1:])
		}
		n := valueLen(s)
		key := unquoted(s[:n])
		s = space(space(s[n:])[1:]) // the colon
		n = valueLen(s)
		dst = append(dst, Member{key, json.RawMessage(s[:n:n])})
		s = s[n:]
	}
	return lastWins(dst, start), nil
}

// space cuts white space off the front. There is always something after it in a valid text, but behind its end.
func space(s []byte) []byte {
	for i, c := range s {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return s[i:]
		}
	}
	return s[len(s):]
}

// valueLen is the length of the value at the front of a valid text.
func valueLen(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of what a number or word stands in
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// unquoted reads a valid JSON string. What it gives is part of quoted where that holds neither escapes nor bad UTF-8.
func unquoted(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && !needsRepair(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	return []byte(s)
}

// needsRepair tells whether a text has bytes above ASCII, which may be no UTF-8: encoding/json replaces those.
func needsRepair(s []byte) bool {
	for _, c := range s {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// fewMembers is how many members are compared with each other; more are looked up in a map.
const fewMembers = 32

// lastWins drops all but the last of the members from start on that have one key.
func lastWins(list []Member, start int) []Member {
	members := list[start:]
	if len(members) <= fewMembers {
		for i := 1; i < len(members); i++ {
			for j := range i {
				if bytes.Equal(members[j].Key, members[i].Key) {
					members = slices.Delete(members, j, j+1)
					i--
					break
				}
			}
		}
		return list[:start+len(members)]
	}
	last := make(map[string]int, len(members))
	for i, m := range members {
		last[string(m.Key)] = i
	}
	kept := members[:0]
	for i, m := range members {
		if last[string(m.Key)] == i {
			kept = append(kept, m)
		}
	}
	return list[:start+len(kept)]
}
