package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// quoteState is where in a CSV record the cutter stands.
type quoteState uint8

const (
	atStart  quoteState = iota // at the first byte of a cell
	inPlain                    // in a cell without quotes; a quote is an ordinary character there
	inQuotes                   // in a quoted cell
	atQuote                    // after a quote in a quoted cell: its end, or the first of two
	atReturn                   // after a quoted cell and a carriage return
	skipping                   // the quoted cell went wrong on the line it opened on: to the end of that line
	ended                      // after the record
	broken                     // the quoted cell went wrong
)

// quotes finds the end of a CSV record. It is stricter than encoding/csv in lazy mode and laxer than in strict mode: a
// quoted cell has to close before a delimiter or the end of a line, for otherwise one stray quote would swallow the rows
// after it; a quote inside an unquoted cell (a 5" pipe) harms nobody.
type quotes struct {
	delim byte
	ends  string // delim and the end of a line
	state quoteState
	eaten int64 // bytes so far
	lines int   // line ends so far
	// opened is how many line ends stood before the last quoted cell, resume the position after the line that it opened
	// on, or 0 if that line is not over.
	opened int
	resume int64
}

// feed eats bytes of the record up to its end, or up to where it goes wrong, and tells how many.
func (q *quotes) feed(p []byte) int {
	for i := 0; i < len(p); i++ {
		if i += q.skip(p[i:], q.eaten+int64(i)); i == len(p) {
			break
		}
		at := q.eaten + int64(i) + 1
		if p[i] == '\n' {
			q.lines++
		}
		if q.state = q.step(p[i], at); q.state >= ended {
			q.eaten = at
			return i + 1
		}
	}
	q.eaten += int64(len(p))
	return len(p)
}

// skip tells how many of the bytes at position from change nothing but the line count: most of a cell, at one go.
func (q *quotes) skip(p []byte, from int64) int {
	n := 0
	switch q.state {
	case inPlain:
		n = bytes.IndexAny(p, q.ends)
	case inQuotes:
		n = bytes.IndexByte(p, '"')
	case skipping:
		n = bytes.IndexByte(p, '\n')
	}
	if n < 0 {
		n = len(p)
	}
	if first := bytes.IndexByte(p[:n], '\n'); first >= 0 { // in quotes only
		q.lines += bytes.Count(p[:n], []byte("\n"))
		if q.resume == 0 {
			q.resume = from + int64(first) + 1
		}
	}
	return n
}

// step is the transition for byte b, which ends at position at.
func (q *quotes) step(b byte, at int64) quoteState {
	switch q.state {
	case atStart, inPlain:
		return q.plain(b)
	case inQuotes:
		return atQuote // skip leaves nothing but the quote
	case atQuote, atReturn:
		switch {
		case b == '\n':
			return ended
		case q.state == atQuote && b == '"':
			return inQuotes
		case q.state == atQuote && b == q.delim:
			return atStart
		case q.state == atQuote && b == '\r':
			return atReturn
		case q.resume > 0:
			return broken
		}
		return skipping
	case skipping:
		if b == '\n' {
			q.resume = at
			return broken
		}
	}
	return q.state
}

func (q *quotes) plain(b byte) quoteState {
	switch {
	case b == '\n':
		return ended
	case b == q.delim:
		return atStart
	case b == '"' && q.state == atStart:
		q.opened, q.resume = q.lines, 0
		return inQuotes
	}
	return inPlain
}

// csvLayout is CSV with the given delimiter.
type csvLayout struct {
	delim  byte
	header []string
}

// next cuts a record, skipping blank lines. It gives io.EOF after the last.
func (l *csvLayout) next(c *cursor) (raw, error) {
	for {
		rec, err := l.cut(c)
		if err != nil || !blank(rec.data) {
			return rec, err
		}
	}
}

// cut cuts a record. One that goes wrong ends with the line on which its quote opened, so that reading goes on with the
// next line. No line is read more than twice: a line that opens a quote and leaves it open holds an odd run of quotes at
// the start of a cell, and whoever comes upon it inside quotes stops there.
func (l *csvLayout) cut(c *cursor) (raw, error) {
	off, line := c.pos, c.line
	c.buf = c.buf[:0]
	q := quotes{delim: l.delim, ends: string(rune(l.delim)) + "\n"}
	for q.state < ended {
		piece, err := c.win.from(c.pos)
		if errors.Is(err, io.EOF) && c.pos > off {
			break
		}
		if err != nil {
			return raw{}, err
		}
		n := q.feed(piece)
		c.keep(piece[:n])
		c.pos += int64(n)
	}
	c.line += q.lines
	if q.state == broken || q.state == inQuotes || q.state == skipping {
		return c.unclosed(off, line, q), nil
	}
	return c.record(off, line), nil
}

// unclosed gives a record whose quote went wrong and puts the cursor after the line on which that quote opened.
func (c *cursor) unclosed(off int64, line int, q quotes) raw {
	opened := line + q.opened
	if q.resume > 0 {
		c.pos, c.line = off+q.resume, opened+1
		c.buf = c.buf[:min(q.resume, int64(len(c.buf)))]
	}
	rec := c.record(off, line)
	rec.problem = bad("the quote that opens a cell in line %d does not close before the cell ends "+
		"(a quote inside a quoted cell is written twice)", opened)
	return rec
}

// parser gives a function that splits decoded records into cells. It is for one goroutine; its records hold until the
// next call.
func (l *csvLayout) parser() func(data []byte) (record, error) {
	split := l.splitter()
	rec := make(record, len(l.header))
	for i, name := range l.header {
		rec[i].name = name
	}
	return func(data []byte) (record, error) {
		cells, err := split(data)
		if err != nil {
			return nil, err
		}
		if len(cells) < len(rec) {
			return nil, bad("it has %d of the header's %d cells", len(cells), len(rec))
		}
		if strings.Join(cells[len(rec):], "") != "" {
			return nil, bad("it has %d cells, the header %d (a %q inside a cell needs quotes around the cell)",
				len(cells), len(rec), string(rune(l.delim)))
		}
		for i := range rec {
			rec[i].text = cells[i]
		}
		return rec, nil
	}
}

// splitter gives a function that splits a record into its cells. One csv.Reader is fed record by record. Quotes are lazy,
// because [quotes] has already refused what lazy quotes would misread.
func (l *csvLayout) splitter() func(data []byte) ([]string, error) {
	var feed bytes.Reader
	r := csv.NewReader(&feed)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = rune(l.delim), -1, true, true
	return func(data []byte) ([]string, error) {
		feed.Reset(data)
		cells, err := r.Read()
		if err != nil {
			return nil, bad("it is not CSV: %v", err)
		}
		return cells, nil
	}
}

// readHeader names the columns by the first record. Columns without a name are called by their number, later ones of the
// same name get a number; renamed lists those.
func (l *csvLayout) readHeader(data []byte) (renamed []string, err error) {
	cells, err := l.splitter()(data)
	if err != nil {
		return nil, err
	}
	if len(cells) > maxColumns {
		return nil, bad("it has %d columns: at most %d are read", len(cells), maxColumns)
	}
	seen := make(map[string]int, len(cells)) // how often a name was wanted
	for i, cell := range cells {
		first := strings.TrimSpace(cell)
		if first == "" {
			first = fmt.Sprintf("column %d", i+1)
		}
		name := first
		for seen[name] > 0 {
			seen[first]++
			name = fmt.Sprintf("%s (%d)", first, seen[first])
		}
		if name != first {
			renamed = append(renamed, name)
		}
		seen[name]++
		l.header = append(l.header, strings.Clone(name))
	}
	return renamed, nil
}
