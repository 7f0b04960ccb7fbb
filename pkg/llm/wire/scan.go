package wire

import (
	"bytes"
	"encoding/json"
	"slices"
)

// cursor walks the members of one JSON object or the elements of one array, without decoding them. On JSON that is valid it
// is exact; on any other bytes it ends early and says so, and never reads past them.
type cursor struct {
	b    []byte
	i    int
	end  byte // the closing bracket
	bad  bool // the bytes are not JSON
	more bool // an element has been read, so that a comma must come before the next
	done bool
}

// object gives a cursor over the members of b, and whether b begins as an object.
func object(b []byte) (cursor, bool) { return open(b, '{', '}') }

// array gives a cursor over the elements of b, and whether b begins as an array.
func array(b []byte) (cursor, bool) { return open(b, '[', ']') }

func open(b []byte, first, last byte) (cursor, bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != first {
		return cursor{}, false
	}
	return cursor{b: b, i: i + 1, end: last}, true
}

// step moves to the next member or element and tells whether there is one.
func (c *cursor) step() bool {
	if c.bad || c.done {
		return false
	}
	c.i = skipSpace(c.b, c.i)
	if c.i >= len(c.b) {
		c.bad = true
		return false
	}
	if c.b[c.i] == c.end {
		c.i++
		c.done = true
		return false
	}
	if c.more {
		if c.b[c.i] != ',' {
			c.bad = true
			return false
		}
		c.i = skipSpace(c.b, c.i+1)
	}
	c.more = true
	return true
}

// member gives the next member of an object: its name with the quotes, and its value. The bytes are those of the object.
func (c *cursor) member() (name, value []byte, ok bool) {
	if name, ok = c.name(); ok {
		value, ok = c.value()
	}
	return name, value, ok
}

// name gives the name of the next member with the quotes. Its value must be read before the next name.
func (c *cursor) name() ([]byte, bool) {
	if !c.step() {
		return nil, false
	}
	end := skipString(c.b, c.i)
	if end < 0 {
		c.bad = true
		return nil, false
	}
	name := c.b[c.i:end:end]
	i := skipSpace(c.b, end)
	if i >= len(c.b) || c.b[i] != ':' {
		c.bad = true
		return nil, false
	}
	c.i = skipSpace(c.b, i+1)
	return name, true
}

// element gives the next element of an array.
func (c *cursor) element() (value []byte, ok bool) {
	if !c.step() {
		return nil, false
	}
	return c.value()
}

func (c *cursor) value() ([]byte, bool) {
	end := skipValue(c.b, c.i)
	if end < 0 {
		c.bad = true
		return nil, false
	}
	v := c.b[c.i:end:end]
	c.i = end
	return v, true
}

// whole tells whether the object or array was read to its end and nothing but space follows.
func (c *cursor) whole() bool { return c.done && !c.bad && skipSpace(c.b, c.i) == len(c.b) }

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString gives the index after the string that begins at i, or -1 where none does. It looks at each byte where the end is
// near, which is at the beginning and where quotes are escaped, and searches where it is far.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	near := 8
	for i++; i < len(b); near = 64 {
		for stop := min(i+near, len(b)); i < stop; i++ {
			switch b[i] {
			case '"':
				return i + 1
			case '\\':
				i++
			}
		}
		if i >= len(b) {
			return -1
		}
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		slashes := 0
		for end-1-slashes >= i && b[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return -1
}

// skipValue gives the index after the value that begins at i, or -1 where none does. Brackets are counted, not matched.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && !ends(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// ends tells whether a byte ends a number or a word.
func ends(c byte) bool {
	switch c {
	case ',', ']', '}', ':', '"', '{', '[', ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
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
	return -1
}

// nameOf gives the text of a member's quoted name.
func nameOf(quoted []byte) string {
	if len(quoted) >= 2 && !slices.Contains(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return string(quoted)
	}
	return s
}

// quote gives a text as a JSON string, without escapes for HTML.
func quote(s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f || s[i] == '"' || s[i] == '\\' {
			return encode(s)
		}
	}
	return append(append(append(make([]byte, 0, len(s)+2), '"'), s...), '"')
}

// encode gives a value as JSON without escapes for HTML. The values given to it can always be encoded.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
