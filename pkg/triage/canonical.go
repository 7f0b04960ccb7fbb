package triage

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// mostSorted is how deep values are brought into one form; what lies deeper is taken as it is, without spaces.
const mostSorted = 32

// AppendCanonical appends a JSON value in one form, whoever wrote it: without spaces, members sorted by name (of two with one name the
// last), texts with the escapes of an [Encoder], numbers in one spelling (1, 1.0 and 1e0 are 1). What lies deeper than 32 levels keeps its
// order and spelling. What is no JSON is appended as a text.
func AppendCanonical(dst, data []byte) []byte {
	c := canonical{Encoder{Buf: dst}}
	if plainJSON(data) || json.Valid(data) {
		c.value(space(data), mostSorted)
	} else {
		c.String(string([]rune(string(data)))) // what is no UTF-8 is U+FFFD from here on
	}
	return c.Buf
}

type canonical struct{ Encoder }

// value appends the value at the front of a valid text and gives what follows it.
func (c *canonical) value(s []byte, depth int) []byte {
	switch s[0] {
	case '"':
		n := textLen(s)
		c.text(s[:n])
		return s[n:]
	case '{', '[':
		if depth == 0 {
			n := valueLen(s)
			var b bytes.Buffer
			_ = json.Compact(&b, s[:n]) // it is valid
			c.Buf = append(c.Buf, b.Bytes()...)
			return s[n:]
		}
		if s[0] == '{' {
			return c.object(s[1:], depth-1)
		}
		return c.list(s[1:], depth-1)
	}
	n := valueLen(s)
	c.scalar(s[:n])
	return s[n:]
}

// textLen is the length of the text at the front, with its quotes.
func textLen(s []byte) int {
	for i := 1; ; i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// text appends a text that is quoted.
func (c *canonical) text(quoted []byte) {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		c.String(string(quoted[1 : len(quoted)-1]))
		return
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is valid
	c.String(s)
}

func (c *canonical) list(s []byte, depth int) []byte {
	c.Buf = append(c.Buf, '[')
	for s = space(s); s[0] != ']'; s = space(s) {
		if s[0] == ',' {
			c.Buf = append(c.Buf, ',')
			s = space(s[1:])
		}
		s = c.value(s, depth)
	}
	c.Buf = append(c.Buf, ']')
	return s[1:]
}

// placedMember is where a member stands in the buffer, with the comma behind it.
type placedMember struct {
	name     string
	from, to int
}

func (c *canonical) object(s []byte, depth int) []byte {
	c.Buf = append(c.Buf, '{')
	start := len(c.Buf)
	var room [8]placedMember
	members := room[:0]
	sorted := true
	for s = space(s); s[0] != '}'; s = space(s) {
		if s[0] == ',' {
			s = space(s[1:])
		}
		m := placedMember{from: len(c.Buf)}
		n := textLen(s)
		c.text(s[:n])
		m.name = string(c.Buf[m.from:])
		c.Buf = append(c.Buf, ':')
		s = c.value(space(space(s[n:])[1:]), depth)
		c.Buf = append(c.Buf, ',')
		m.to = len(c.Buf)
		sorted = sorted && (len(members) == 0 || members[len(members)-1].name < m.name)
		members = append(members, m)
	}
	if !sorted {
		c.sort(start, members)
	}
	if end := len(c.Buf); end > start {
		c.Buf = c.Buf[:end-1]
	}
	c.Buf = append(c.Buf, '}')
	return s[1:]
}

// sort puts the members of an object, whose text begins at start, into the order of their names.
func (c *canonical) sort(start int, members []placedMember) {
	was := bytes.Clone(c.Buf[start:])
	slices.SortStableFunc(members, func(a, b placedMember) int {
		switch {
		case a.name < b.name:
			return -1
		case a.name > b.name:
			return 1
		}
		return 0
	})
	c.Buf = c.Buf[:start]
	for i, m := range members {
		if i+1 == len(members) || members[i+1].name != m.name {
			c.Buf = append(c.Buf, was[m.from-start:m.to-start]...)
		}
	}
}

// exact is the number below which every whole number is a float.
const exact = 1 << 53

// scalar appends a number or word.
func (c *canonical) scalar(s []byte) {
	if s[0] != '-' && (s[0] < '0' || s[0] > '9') || !bytes.ContainsAny(s, ".eE") && string(s) != "-0" {
		c.Buf = append(c.Buf, s...)
		return
	}
	v, err := strconv.ParseFloat(string(s), 64)
	switch {
	case err != nil: // beyond all floats
		c.Buf = append(c.Buf, s...)
	case v == math.Trunc(v) && math.Abs(v) < exact:
		c.Buf = strconv.AppendInt(c.Buf, int64(v), 10)
	default:
		c.Buf = strconv.AppendFloat(c.Buf, v, 'g', -1, 64)
	}
}
