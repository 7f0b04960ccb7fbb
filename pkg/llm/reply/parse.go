package reply

import "strings"

// The kinds of a token.
const (
	tokString = iota + 1
	tokNumber
	tokLiteral
	tokObject
	tokArray
)

// token is a value or key in the text: of a string what is between its quotes, else all of it.
type token struct{ kind, start, end int }

type member struct{ key, val token }

// object is an object in the text. What is nested in its members is read again where it is needed.
type object struct {
	start, end int
	members    []member
	repaired   bool // it is no JSON as it stands
}

// Bounds on what is read as an object.
const (
	maxDepth   = 64   // of objects and arrays in each other
	maxMembers = 4096 // of one object
)

// parser reads one object at a time: JSON, or what can be repaired to it. It reads JSON as JSON: only where that fails it
// looks whether a repair explains what stands there.
type parser struct {
	text string
	ix   *index
	work int // bytes looked at, over all objects

	repaired bool
	began    bool   // there was a key with its colon, quoted or of a field, or the text ends in one: it is meant as an object
	open     int    // braces that are open
	at       int    // where reading failed
	resume   int    // where to look further for another object
	want     string // what was expected there

	room []member // of the last object
}

// object reads the object that begins at i. Its members stay until the next one is read. If there is none, the parser's
// fields say why.
func (p *parser) object(i int) (object, bool) {
	p.repaired, p.began, p.open, p.want = false, false, 0, ""
	p.room = p.room[:0]
	end, ok := p.members(i, 1, true)
	return object{start: i, end: end, members: p.room, repaired: p.repaired}, ok
}

// stop notes that reading failed.
func (p *parser) stop(at, resume int, want string) bool {
	p.at, p.resume, p.want = at, resume, want
	return false
}

// members reads an object, and keeps its members if it is told to. It gives the position behind it.
func (p *parser) members(i, depth int, keep bool) (int, bool) {
	if depth > maxDepth {
		return 0, p.stop(i, i, "less deeply nested objects")
	}
	p.open++
	i = p.skip(i + 1)
	if p.is(i, '}') {
		p.open--
		return i + 1, true
	}
	for {
		key, next, ok := p.key(i)
		if !ok {
			return 0, false
		}
		i = p.skip(next)
		val, next, ok := p.value(i, depth)
		if !ok {
			return 0, false
		}
		if keep {
			if len(p.room) == maxMembers {
				return 0, p.stop(i, i, "an object with fewer fields")
			}
			p.room = append(p.room, member{key, val})
		}
		i = p.skip(next)
		n := p.comma(i)
		if n > 0 {
			i = p.skip(i + n)
		}
		if p.is(i, '}') {
			p.repaired = p.repaired || n > 0
			p.open--
			return i + 1, true
		}
		if n == 0 {
			return 0, p.stop(i, i, "a comma or the end of the object")
		}
	}
}

// elements reads an array.
func (p *parser) elements(i, depth int) (int, bool) {
	if depth > maxDepth {
		return 0, p.stop(i, i, "less deeply nested arrays")
	}
	i = p.skip(i + 1)
	if p.is(i, ']') {
		return i + 1, true
	}
	for {
		_, next, ok := p.value(i, depth)
		if !ok {
			return 0, false
		}
		i = p.skip(next)
		n := p.comma(i)
		if n > 0 {
			i = p.skip(i + n)
		}
		if p.is(i, ']') {
			p.repaired = p.repaired || n > 0
			return i + 1, true
		}
		if n == 0 {
			return 0, p.stop(i, i, "a comma or the end of the list")
		}
	}
}

// key reads a key and its colon.
func (p *parser) key(i int) (t token, next int, ok bool) {
	_, n := quoteAt(p.text, i)
	quoted := n > 0
	if quoted {
		t, next, ok = p.str(i, true)
	} else {
		t, next, ok = p.bare(i)
	}
	if ok {
		next = p.skip(next)
	}
	switch {
	case !ok:
		p.began = p.began || quoted && p.at == len(p.text)
		return t, 0, false
	case p.is(next, ':'):
		next++
	case strings.HasPrefix(p.text[next:], "："):
		next += len("：")
		p.repaired = true
	default:
		p.began = p.began || quoted && next == len(p.text)
		return t, 0, p.stop(next, t.start, "a colon")
	}
	p.began = p.began || quoted || p.ix.find(p.text[t.start:t.end]) >= 0
	return t, next, true
}

// bare reads a key without quotes.
func (p *parser) bare(i int) (token, int, bool) {
	j := i
	for j < len(p.text) && isWord(p.text[j]) {
		j++
	}
	p.work += j - i
	if j == i {
		return token{}, 0, p.stop(i, i, "a key")
	}
	p.repaired = true
	return token{tokString, i, j}, j, true
}

// value reads any value.
func (p *parser) value(i, depth int) (t token, next int, ok bool) {
	p.work++
	if i >= len(p.text) {
		return t, 0, p.stop(i, i, "a value")
	}
	t = token{start: i}
	switch c := p.text[i]; {
	case c == '{':
		t.kind = tokObject
		next, ok = p.members(i, depth+1, false)
	case c == '[':
		t.kind = tokArray
		next, ok = p.elements(i, depth+1)
	case c == '-' || isDigit(c):
		t.kind = tokNumber
		next = number(p.text, i)
		if ok = next > i; !ok {
			p.stop(i, i, "a number")
		}
		p.work += max(0, next-i)
	default:
		if _, n := quoteAt(p.text, i); n > 0 {
			return p.str(i, false)
		}
		t.kind = tokLiteral
		next, ok = p.literal(i)
	}
	t.end = next
	return t, next, ok
}

// literal reads true, false and null, also as Python writes them.
func (p *parser) literal(i int) (int, bool) {
	j := i
	for j < len(p.text) && isWord(p.text[j]) && j < i+6 {
		j++
	}
	switch p.text[i:j] {
	case "true", "false", "null":
		return j, true
	case "True", "False", "None":
		p.repaired = true
		return j, true
	}
	if j == len(p.text) {
		return 0, p.stop(j, i, "a value") // cut in the middle of a word, perhaps
	}
	return 0, p.stop(i, i, "a value")
}
