package importer

import "bytes"

// jsonEnd is why a scan ended.
type jsonEnd int

const (
	endValue jsonEnd = iota // the value is complete
	endPage                 // what was scanned is the beginning of a page: its records begin here
	endBreak                // the value breaks off here, where another begins
	endFile                 // the file ends here
)

// jsonScan is the state of a scan over a value.
type jsonScan struct {
	n     int // bytes so far, from the place where the window is
	depth int // brackets that are open
	// pages says to look for the lists of records of a page, scalar that the value is one without brackets in a list.
	pages, scalar bool
	// dropped says that bytes are not kept, because there were too many of them or nobody wants them.
	dropped  bool
	inString bool
	last     byte // the last quote, bracket, colon or comma that is not in a string; the last byte but spaces of what was dropped
	text     bool // a member of a ticket was seen
	rest     bool // it is the rest of a page that is in no list

	stringAt, keyAt, keyEnd int // the string that was begun last, and the last at depth 1
}

// stringStops are the bytes that end a run of plain bytes in a string.
var stringStops = [256]bool{'"': true, '\\': true, '\n': true}

// structural are the bytes that count outside of strings.
var structural = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true, ':': true, ',': true}

// scan goes over a value from where the window is, or from within it where s.depth says so, and leaves how far it came in s.n. It
// does not move the window but for bytes that are dropped.
func (c *jsonCut) scan(s *jsonScan) jsonEnd {
	for {
		b := c.buf[c.pos:]
		for s.n < len(b) {
			if s.inString {
				if c.inString(s, b) {
					return endBreak
				}
				continue
			}
			n := s.n
			for n < len(b) && !structural[b[n]] {
				n++
			}
			if s.n = n; n == len(b) {
				break
			}
			if end, done := c.token(s, b[n]); done {
				return end
			}
			b = c.buf[c.pos:] // looking ahead may have moved it
		}
		if s.n > maxRecord || s.dropped && s.n > 0 {
			read := min(s.n, len(c.buf)-c.pos)
			if rest := bytes.TrimRight(c.buf[c.pos:c.pos+read], " \t\r\n"); !s.inString && len(rest) > 0 {
				s.last = rest[len(rest)-1]
			}
			c.advance(read)
			s.n -= read
			s.dropped, s.pages = true, false
		}
		if !c.fill() {
			s.n = min(s.n, len(c.buf)-c.pos)
			return endFile
		}
	}
}

// inString goes on in a string, and tells whether the record breaks off in it: outside of lists no string goes over the end of a line.
func (c *jsonCut) inString(s *jsonScan, b []byte) (broken bool) {
	n := s.n
	for n < len(b) && !stringStops[b[n]] {
		n++
	}
	if n == len(b) {
		s.n = n
		return false
	}
	switch b[n] {
	case '\\':
		n++ // and the byte behind it, which may not be there yet
	case '"':
		s.inString = false
		if s.depth == 1 && s.pages {
			s.keyAt, s.keyEnd = s.stringAt+1, n
		}
	case '\n':
		if len(c.open) == 0 || s.rest {
			s.n = n + 1
			return true
		}
	}
	s.n = n + 1
	return false
}

// token goes over one structural byte, and tells whether the value ends.
func (c *jsonCut) token(s *jsonScan, b byte) (end jsonEnd, done bool) {
	switch b {
	case '"':
		s.inString, s.stringAt = true, s.n
	case '{', '[':
		if b == '{' && c.breaks(s) {
			return endBreak, true
		}
		if s.depth == 1 && s.pages && s.last == ':' && c.isPage(s, c.buf[c.pos+s.keyAt:c.pos+s.keyEnd], b) {
			return endPage, true
		}
		s.depth++
	case '}', ']':
		if s.scalar && s.depth == 1 {
			return endValue, true
		}
		if s.depth--; s.depth <= 0 {
			s.n++
			return endValue, true
		}
	case ':':
		if s.pages && s.depth == 1 && c.shape.text != nil && c.shape.text(c.buf[c.pos+s.keyAt:c.pos+s.keyEnd]) {
			s.text = true
		}
	case ',':
		if s.scalar && s.depth == 1 {
			return endValue, true
		}
	}
	s.last = b
	s.n++
	return 0, false
}

// breaks tells whether an object that begins here cannot belong to the value: it stands at the margin, and no comma, colon or bracket is
// before it. Then the value was cut off, and this is the next one.
func (c *jsonCut) breaks(s *jsonScan) bool {
	if s.n == 0 && (!s.dropped || !c.margin) || s.n > 0 && c.buf[c.pos+s.n-1] != '\n' {
		return false
	}
	for i := s.n - 1; i >= 0; i-- {
		if b := c.buf[c.pos+i]; !isSpace(b) {
			return b != ',' && b != ':' && b != '['
		}
	}
	return s.last != ',' && s.last != ':' && s.last != '[' // the bytes before are not kept
}

// after gives the first byte that is no space, n bytes from here or later; 0 where there is none near.
func (c *jsonCut) after(n int) byte {
	for ; n < maxRecord; n++ {
		b, ok := c.peek(n)
		if !ok {
			return 0
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b
		}
	}
	return 0
}

// toMargin passes over lines until one begins with an object or a list.
func (c *jsonCut) toMargin() {
	for {
		if b, ok := c.peek(0); !ok || c.margin && (b == '{' || b == '[') {
			return
		}
		n, _ := c.toLineEnd()
		c.advance(n)
	}
}

// skipSpace passes over what stands between records, and gives the byte behind it: spaces, the separators of RFC 7464 and the byte order
// marks of files that were put together.
func (c *jsonCut) skipSpace() (byte, bool) {
	for {
		b, ok := c.peek(0)
		switch {
		case !ok:
			return 0, false
		case b == ' ' || b == '\n' || b == '\t' || b == '\r' || b == 0x1e:
			n := 1
			for c.pos+n < len(c.buf) && c.buf[c.pos+n] <= ' ' && isSpace(c.buf[c.pos+n]) {
				n++
			}
			c.advance(n)
		case b == utf8BOM[0] && c.hasPrefix(utf8BOM):
			c.advance(len(utf8BOM))
			c.margin = true
		default:
			return b, true
		}
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// hasPrefix tells whether the text stands here.
func (c *jsonCut) hasPrefix(text string) bool {
	_, ok := c.peek(len(text) - 1)
	return ok && bytes.HasPrefix(c.buf[c.pos:], []byte(text))
}
