package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxRecord is the most bytes that one record of JSON may have. Longer ones are passed over without being kept.
const maxRecord = 16 << 20

// Reasons why a record of JSON cannot be used.
const (
	notAnObject   = "not a JSON object"
	brokenJSON    = "broken JSON"
	longRecord    = "the record is longer than 16 MiB"
	manyMembers   = "the record has too many members"
	endsMidRecord = "the file ends in the middle of the record"
)

// maxOpen is how deep lists of records may lie within others: a list of pages of lists, and some to spare.
const maxOpen = 6

// jsonCut cuts a file of JSON into records: objects that follow each other, on a line each or over several, lists of them, and pages
// (objects that hold a list of records among other members), which may follow each other or be in a list too. It looks at brackets
// and strings only; whether a record is sound is for the one who takes it apart to say. It holds one record at a time.
type jsonCut struct {
	jsonWindow
	shape jsonShape
	// file is what errors call it.
	file string
	// open are the lists ('[') and pages ('{') around the place where it is. A page on top has given its records: the rest of it is
	// passed over.
	open []byte
	item int // records so far that were in a list or page
	// lines says that every line is a record: then one that is broken ends with its line.
	lines bool
	// first is what the file begins with: 'r' a record, 'p' a page, 0 while that is not known.
	first byte
	page  string // the member that held the records of the last page
	// cutOff is the beginning of the record in which the file ended.
	cutOff []byte
	fail   error
}

// jsonShape says how pages look.
type jsonShape struct {
	lists  []string // members of a page that hold its records
	single []string // members of a page that hold its only record
	// text names members of tickets, where those of lists are names that a ticket might use too: an object that has one of them before
	// a list is a record. Such a file has either records or pages.
	text func(name []byte) bool
}

// jsonPiece is a record that was cut off, or what is wrong with it.
type jsonPiece struct {
	data []byte // valid until the next one
	line int    // where it begins
	item int    // its number in lists and pages, from 1; 0 outside of them
	// problem is one of the reasons; it is empty where there is data.
	problem, detail string
}

// newJSONCut begins to read. Bytes that are UTF-16 become UTF-8.
func newJSONCut(in io.Reader, file string, shape jsonShape) *jsonCut {
	return &jsonCut{jsonWindow: jsonWindow{in: utf8Reader(in), line: 1}, shape: shape, file: file}
}

// next gives the next record, or io.EOF after the last.
func (c *jsonCut) next() (jsonPiece, error) {
	for c.fail == nil {
		if len(c.open) > 0 && c.open[len(c.open)-1] == '{' {
			if piece, ok := c.restOfPage(); ok {
				return piece, nil
			}
			continue
		}
		b, ok := c.skipSpace()
		switch {
		case !ok:
			c.fail = c.atEnd()
		case b == ',':
			c.advance(1)
		case b == ']' && len(c.open) > 0:
			c.advance(1)
			c.open = c.open[:len(c.open)-1]
		case b == '[' && len(c.open) < maxOpen && (!c.lines || len(c.open) > 0):
			c.advance(1)
			c.open = append(c.open, '[')
		case b == '{':
			if piece, ok := c.object(); ok {
				return piece, nil
			}
		default:
			if piece, ok := c.other(b); ok {
				return piece, nil
			}
		}
	}
	return jsonPiece{}, c.fail
}

// atEnd says how the file ended.
func (c *jsonCut) atEnd() error {
	switch {
	case !errors.Is(c.err, io.EOF):
		return fmt.Errorf("%s: %w", c.file, c.err)
	case len(c.open) > 0:
		return fmt.Errorf("%s: it ends on line %d within a list, after %d records: it is not complete", c.file, c.line, c.item)
	}
	return io.EOF
}

// object gives the record that begins here. It gives none where a page begins here, or where the file ends in the middle of a list.
func (c *jsonCut) object() (jsonPiece, bool) {
	piece := jsonPiece{line: c.line}
	if len(c.open) > 0 {
		piece.item = c.item + 1
	} else if c.lines {
		return c.wholeLine(piece)
	}
	atMargin := c.margin
	s := jsonScan{pages: len(c.open) < maxOpen-1}
	end := c.scan(&s)
	switch end {
	case endPage:
		c.page = string(c.buf[c.pos+s.keyAt : c.pos+s.keyEnd])
		c.open = append(c.open, '{')
		if c.first == 0 {
			c.first = 'p'
		}
		if b, _ := c.at(s.n); b == '[' {
			c.advance(s.n + 1)
			c.open = append(c.open, '[')
			return jsonPiece{}, false
		}
		c.advance(s.n)
		return c.object()
	case endBreak:
		piece.problem, piece.detail = brokenJSON, fmt.Sprintf("the record that begins on line %d ends in its middle", piece.line)
		c.advance(s.n)
		if piece.line < c.line-1 { // over several lines: those that are left of it are no records
			c.toMargin()
		}
		if !atMargin {
			c.open = c.open[:0]
		}
	case endFile:
		c.cutOff = c.buf[c.pos : c.pos+s.n]
		if len(c.open) > 0 || !errors.Is(c.err, io.EOF) {
			c.fail = c.brokenOff(piece)
			return jsonPiece{}, false
		}
		piece.problem, piece.detail = brokenJSON, endsMidRecord
		c.advance(s.n)
	case endValue:
		piece.data = c.buf[c.pos : c.pos+s.n]
		if s.dropped || s.n > maxRecord {
			piece.data, piece.problem = nil, longRecord
		}
		c.advance(s.n)
	}
	if len(c.open) > 0 || piece.item > 0 {
		c.item++
	}
	if c.first == 0 && len(c.open) == 0 {
		c.first = 'r'
	}
	return piece, true
}

// brokenOff says that the file ended in a record of a list.
func (c *jsonCut) brokenOff(piece jsonPiece) error {
	if !errors.Is(c.err, io.EOF) {
		return fmt.Errorf("%s: in the record that begins on line %d: %w", c.file, piece.line, c.err)
	}
	return fmt.Errorf("%s: it ends in the middle of record %d, which begins on line %d: it is not complete", c.file, piece.item, piece.line)
}

// wholeLine gives the line as a record, whatever it is.
func (c *jsonCut) wholeLine(piece jsonPiece) (jsonPiece, bool) {
	n, dropped := c.toLineEnd()
	line := c.buf[c.pos : c.pos+n]
	if c.err != nil && !errors.Is(c.err, io.EOF) && !bytes.HasSuffix(line, []byte("\n")) {
		c.fail = c.brokenOff(piece)
		return jsonPiece{}, false
	}
	piece.data = bytes.TrimRight(line, " \t\r\n,")
	if dropped || len(piece.data) > maxRecord {
		piece.data, piece.problem = nil, longRecord
	}
	c.advance(n)
	return piece, true
}

// toLineEnd gives how many bytes there are until the line ends, with its end, and whether some were dropped because they were too
// many.
func (c *jsonCut) toLineEnd() (n int, dropped bool) {
	for {
		if at := bytes.IndexByte(c.buf[c.pos+n:], '\n'); at >= 0 {
			return n + at + 1, dropped
		}
		n = len(c.buf) - c.pos
		if n > maxRecord || dropped {
			c.advance(n)
			n, dropped = 0, true
		}
		if !c.fill() {
			return n, dropped
		}
	}
}

// recordIsGood is told that the record that next gave last was sound. If it was alone on its line, the file has a record a line.
func (c *jsonCut) recordIsGood(p jsonPiece) {
	if c.lines || p.item > 0 || p.line != c.line {
		return
	}
	for i := 0; ; i++ {
		b, ok := c.peek(i)
		if !ok || b != ' ' && b != '\r' && b != '\t' && b != ',' {
			c.lines = b == '\n'
			return
		}
	}
}
