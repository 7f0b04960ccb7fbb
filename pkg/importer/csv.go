package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The largest row that is read, in bytes, and how much of a file is read at once.
const (
	maxRow    = 16 << 20
	csvBuffer = 256 << 10
)

// Reasons of rows that are no rows.
const (
	unclosedQuote = "a quote that opens a cell does not close before the cell ends"
	rowTooLarge   = "the row is larger than 16 MiB"
)

// csvCutter cuts CSV into rows of cells, in memory that is bounded by [maxRow]. It is stricter than encoding/csv in lazy mode and laxer than
// in strict mode, as pkg/dataset is: a quoted cell has to close before a delimiter or the end of a line, for otherwise one stray quote
// would swallow the rows after it; a quote inside an unquoted cell (a 5" pipe) harms nobody. A row that goes wrong ends with the line on
// which its quote opened. No line is read more than twice for that: a line that opens a quote and leaves it open has an odd run of
// quotes at the start of a cell, and whoever comes upon it inside quotes stops there.
//
// Why it is not that of pkg/dataset: that one gives positions in a file that can be read again, and splits the rows that it wants to
// see; this one reads a stream once and splits every row.
type csvCutter struct {
	src   io.Reader
	buf   []byte
	pos   int // where the row begins; buf[pos:] is not done
	eof   bool
	line  int // the physical line at pos
	delim byte

	i     int    // how far the row was read, from pos
	text  []byte // the cells of the row, one after the other
	ends  []int  // where each ends in text
	gap   int    // how many bytes stand between two of them
	cells []string
	// open is where the last quoted cell opened, from pos; openLine how many line ends of the row stood before it.
	open, openLine int
	lines          int // line ends of the row so far
	odd            warnings
}

// newCSVCutter makes a cutter with a first buffer of so many bytes.
func newCSVCutter(src io.Reader, size int) *csvCutter {
	return &csvCutter{src: src, buf: make([]byte, 0, size), line: 1, delim: ','}
}

// errFull says that the row is larger than is read.
var errFull = errors.New("row too large")

// more reads more of the file into the buffer. It gives io.EOF at the end, errFull if the row is too large.
func (c *csvCutter) more() error {
	if c.eof {
		return io.EOF
	}
	if len(c.buf)-c.pos >= maxRow {
		return errFull
	}
	if c.pos > 0 && len(c.buf) == cap(c.buf) {
		c.buf = c.buf[:copy(c.buf, c.buf[c.pos:])]
		c.pos = 0
	}
	if len(c.buf) == cap(c.buf) {
		grown := make([]byte, len(c.buf), 2*cap(c.buf))
		copy(grown, c.buf)
		c.buf = grown
	}
	for range 100 {
		n, err := c.src.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if errors.Is(err, io.EOF) {
			c.eof = true
			err = nil
			if n == 0 {
				return io.EOF
			}
		}
		if n > 0 || err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// fill reads until so much of the file is in the buffer, or all of it.
func (c *csvCutter) fill(n int) error {
	for len(c.buf)-c.pos < n {
		if err := c.more(); errors.Is(err, io.EOF) || errors.Is(err, errFull) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next gives the cells of the next row that is not blank, and its line. They hold until the next call. The error is io.EOF, a [*RowError],
// after which reading goes on, or that of the file.
func (c *csvCutter) next() ([]string, int, error) {
	for {
		line := c.line
		plain, err := c.plainRow()
		if err != nil {
			return nil, line, err
		}
		if !plain {
			if err := c.quotedRow(); err != nil {
				return nil, line, c.recover(line, err)
			}
		}
		c.pos += c.i
		c.line += c.lines
		if len(c.ends) == 1 && len(bytes.TrimSpace(c.text)) == 0 {
			continue
		}
		return c.decoded(line), line, nil
	}
}

// plainRow cuts a row that is one line without quotes, at one go; false if the row is another.
func (c *csvCutter) plainRow() (bool, error) {
	c.i, c.lines, c.open, c.openLine = 0, 0, 0, 0
	c.text, c.ends = c.text[:0], c.ends[:0]
	if c.pos == len(c.buf) {
		c.buf, c.pos = c.buf[:0], 0
		if err := c.more(); err != nil {
			return false, err
		}
	}
	rest := c.buf[c.pos:]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 || bytes.IndexByte(rest[:n], '"') >= 0 {
		return false, nil
	}
	row := bytes.TrimSuffix(rest[:n], []byte("\r"))
	c.text = append(c.text, row...)
	for i, b := range row {
		if b == c.delim {
			c.ends = append(c.ends, i)
		}
	}
	c.ends = append(c.ends, len(row))
	c.i, c.lines, c.gap = n+1, 1, 1
	return true, nil
}

// errQuote says that a quoted cell went wrong.
var errQuote = errors.New("quote not closed")

// quotedRow cuts any row, cell by cell.
func (c *csvCutter) quotedRow() error {
	c.gap = 0
	for {
		b, err := c.peek()
		if err == nil && b == '"' {
			err = c.quotedCell()
		} else if err == nil {
			err = c.bareCell()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		c.ends = append(c.ends, len(c.text))
		if err != nil { // the last row has no end of line
			return nil
		}
		c.i++
		if c.buf[c.pos+c.i-1] == '\n' {
			c.lines++
			return nil
		}
	}
}

// peek gives the byte that comes next.
func (c *csvCutter) peek() (byte, error) {
	if c.pos+c.i >= len(c.buf) {
		if err := c.more(); err != nil {
			return 0, err
		}
	}
	return c.buf[c.pos+c.i], nil
}

// bareCell reads a cell without quotes up to the delimiter or line end after it.
func (c *csvCutter) bareCell() error {
	start := len(c.text)
	for {
		rest := c.buf[c.pos+c.i:]
		n := 0
		for n < len(rest) && rest[n] != c.delim && rest[n] != '\n' {
			n++
		}
		c.text = append(c.text, rest[:n]...)
		c.i += n
		if n == len(rest) {
			if err := c.more(); err != nil {
				if errors.Is(err, io.EOF) {
					c.text = append(c.text[:start], bytes.TrimSuffix(c.text[start:], []byte("\r"))...)
				}
				return err
			}
			continue
		}
		if rest[n] == '\n' {
			c.text = append(c.text[:start], bytes.TrimSuffix(c.text[start:], []byte("\r"))...)
		}
		return nil
	}
}

// quotedCell reads a cell in quotes up to the delimiter or line end after it.
func (c *csvCutter) quotedCell() error {
	c.open, c.openLine = c.i, c.lines
	c.i++
	for {
		rest := c.buf[c.pos+c.i:]
		n := bytes.IndexByte(rest, '"')
		if n < 0 {
			n = len(rest)
		}
		c.text = append(c.text, rest[:n]...)
		c.lines += bytes.Count(rest[:n], []byte("\n"))
		c.i += n
		if n == len(rest) {
			if err := c.more(); errors.Is(err, io.EOF) {
				return errQuote
			} else if err != nil {
				return err
			}
			continue
		}
		c.i++
		b, err := c.peek()
		if err != nil {
			return err // io.EOF: the cell closed at the end of the file
		}
		switch b {
		case '"':
			c.text = append(c.text, '"')
			c.i++
		case c.delim, '\n':
			return nil
		case '\r':
			return c.afterReturn()
		default:
			return errQuote
		}
	}
}

// afterReturn stands at a carriage return after a quoted cell: a line end or the end of the file has to follow.
func (c *csvCutter) afterReturn() error {
	c.i++
	b, err := c.peek()
	if err == nil && b != '\n' {
		return errQuote
	}
	return err
}

// recover turns what went wrong with a row into the error for it, and moves to where reading goes on: after the line on which the quote
// opened, or after the line that is too large.
func (c *csvCutter) recover(line int, err error) error {
	out := &RowError{Line: line, Reason: rowTooLarge}
	switch {
	case errors.Is(err, errQuote):
		out.Reason = unclosedQuote
		out.Detail = fmt.Sprintf("it opens in line %d (a quote inside a quoted cell is written twice)", line+c.openLine)
	case !errors.Is(err, errFull):
		return err
	case c.lines > c.openLine:
		out.Detail = fmt.Sprintf("perhaps a quote that opens in line %d does not close", line+c.openLine)
	}
	c.pos += c.open
	c.line += c.openLine
	for {
		if n := bytes.IndexByte(c.buf[c.pos:], '\n'); n >= 0 {
			c.pos += n + 1
			c.line++
			return out
		}
		c.buf, c.pos = c.buf[:0], 0
		if err := c.more(); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			return err
		}
	}
}
