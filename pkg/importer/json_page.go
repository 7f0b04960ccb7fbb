package importer

import (
	"bytes"
	"fmt"
	"slices"
)

// other gives what is wrong with a value that is no object. It gives nothing where the file ends within it in a list.
func (c *jsonCut) other(b byte) (jsonPiece, bool) {
	piece := jsonPiece{line: c.line, problem: notAnObject}
	if len(c.open) == 0 {
		n, _ := c.toLineEnd()
		piece.detail = shortened(bytes.TrimSpace(c.buf[c.pos:min(c.pos+n, len(c.buf))]))
		c.advance(n)
		return piece, true
	}
	c.item++
	piece.item = c.item
	s := jsonScan{}
	if b == '[' {
		if c.scan(&s) == endFile {
			c.fail = c.brokenOff(piece)
			return jsonPiece{}, false
		}
	} else {
		s.depth, s.scalar = 1, true
		if c.scan(&s) == endFile {
			c.fail = c.brokenOff(piece)
			return jsonPiece{}, false
		}
		if s.n == 0 { // a bracket that closes nothing
			s.n = 1
		}
	}
	piece.detail = shortened(c.buf[c.pos : c.pos+s.n])
	c.advance(s.n)
	return piece, true
}

// restOfPage passes over what stands in a page behind its records.
func (c *jsonCut) restOfPage() (jsonPiece, bool) {
	piece := jsonPiece{line: c.line, item: c.item}
	s := jsonScan{depth: 1, dropped: true, rest: len(c.open) == 1}
	switch c.scan(&s) {
	case endFile:
		c.advance(s.n)
		c.fail = c.atEnd()
		return piece, false
	case endBreak:
		c.advance(s.n)
		piece.problem, piece.detail = brokenJSON, fmt.Sprintf("the page of records before line %d ends in its middle", c.line)
		c.open = c.open[:0]
		c.toMargin()
		return piece, true
	case endValue, endPage:
	}
	c.advance(s.n)
	c.open = c.open[:len(c.open)-1]
	return piece, false
}

// isPage tells whether a list or an object, which the member called name has, makes the object before it a page.
func (c *jsonCut) isPage(s *jsonScan, name []byte, open byte) bool {
	names := c.shape.lists
	if open == '{' {
		names = c.shape.single
	}
	if !slices.ContainsFunc(names, func(n string) bool { return string(name) == n }) {
		return false
	}
	after := byte('{')
	if open == '[' {
		after = c.after(s.n + 1)
		if after != '{' && after != ']' && after != '[' {
			return false
		}
	}
	if c.shape.text == nil {
		return true
	}
	if len(c.open) == 0 && c.first == 'r' || after == ']' && c.first != 'p' {
		return false
	}
	return !s.text
}
