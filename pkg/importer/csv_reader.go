package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// csvReader reads the rows of a CSV file as records.
type csvReader struct {
	cut   *csvCutter
	table *table
	least int // the fewest cells of a row so far

	// held is what was read beyond a row that went wrong, if isHeld.
	held   csvRow
	isHeld bool
}

// csvRow is what the cutter gave.
type csvRow struct {
	cells []string
	line  int
	err   error
}

var (
	_ Reader    = (*csvReader)(nil)
	_ Warner    = (*csvReader)(nil)
	_ Dialected = (*csvReader)(nil)
)

// openCSV begins to read CSV in a dialect. Its errors do not name the file: the caller does.
func openCSV(in *Input, d *dialect) (*csvReader, error) {
	r := &csvReader{}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(in.Read, head)
	whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !whole {
		return nil, err
	}
	r.cut = newCSVCutter(textSource(head[:n], whole, in.Read), bufferFor(n, whole))
	header, err := readHeader(r.cut)
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty: want a line that names the columns and a line for each ticket")
	case err != nil:
		return nil, fmt.Errorf("the line that names the columns: %w", err)
	}
	if r.table, err = newTable(d, header, in.Map); err != nil {
		return nil, err
	}
	r.least = len(header)
	return r, r.lookAhead()
}

// bufferFor is how large the first buffer is for a file that begins with n bytes: small files need a small one.
func bufferFor(n int, whole bool) int {
	if whole {
		return max(512, 2*n)
	}
	return csvBuffer
}

// readHeader finds the delimiter and reads the names of the columns. Excel's first line "sep=;" says the delimiter.
func readHeader(c *csvCutter) ([]string, error) {
	if err := c.fill(4096); err != nil {
		return nil, err
	}
	rest := c.buf[c.pos:]
	said := byte(0)
	if line, _, _ := bytes.Cut(rest, []byte("\n")); len(line) >= 4 && len(line) <= 6 && strings.EqualFold(string(line[:4]), "sep=") {
		c.pos += min(len(line)+1, len(rest))
		c.line++
		if len(line) > 4 {
			said = line[4]
		}
	}
	if err := c.sniff(); err != nil {
		return nil, err
	}
	if strings.IndexByte(",;\t|:^~", said) >= 0 {
		c.delim = said
	}
	cells, _, err := c.next()
	header := make([]string, len(cells))
	for i, cell := range cells {
		header[i] = strings.Clone(strings.TrimSpace(cell))
	}
	return header, err
}

// sniff finds the delimiter: the one of comma, semicolon and tab that the header has most often outside quotes.
func (c *csvCutter) sniff() error {
	for n := 4096; ; n *= 2 {
		if err := c.fill(n); err != nil {
			return err
		}
		var ended bool
		if c.delim, ended = delimiter(c.buf[c.pos:]); ended || len(c.buf)-c.pos < n {
			return nil
		}
	}
}

// delimiter is [dataset.Delimiter] of the first line that is not blank.
func delimiter(head []byte) (delim byte, ended bool) {
	return dataset.Delimiter(bytes.TrimLeft(head, " \r\n"))
}

// lookAhead shows the table the first rows, before any is given, so that it finds the order of day and month. It looks at what fits
// into a first buffer, and at up to 16 MiB while dates can be both.
func (r *csvReader) lookAhead() error {
	done := 0
	for n := csvBuffer; n <= maxRow && len(r.table.dated) > 0; n *= 4 {
		if err := r.cut.fill(n); err != nil {
			return err
		}
		seen := r.cut.buf[r.cut.pos:]
		done += r.observe(seen[done:], len(seen) < n)
		if r.table.dates.settled() || len(seen) < n {
			return nil
		}
	}
	return nil
}

// observe shows the table the rows in memory, which are the last if last is set; else the last may be cut and waits. It tells how many
// bytes it looked at.
func (r *csvReader) observe(seen []byte, last bool) int {
	ahead := csvCutter{buf: seen, eof: true, delim: r.cut.delim}
	for {
		from := ahead.pos
		cells, _, err := ahead.next()
		switch {
		case errors.Is(err, io.EOF):
			return from
		case len(ahead.buf) == 0 || !last && ahead.pos == len(seen): // the cutter came to the end inside a row
			return from
		case err == nil:
			r.table.observe(cells)
		}
	}
}

// Next gives the next record. A quote that does not close is an error at the row in which it opens; reading goes on with the next row
// of the usual number of cells, so that the lines of a torn text are no tickets.
func (r *csvReader) Next() (*Record, error) {
	row := r.row()
	var bad *RowError
	switch {
	case errors.As(row.err, &bad):
		return nil, r.resume(bad)
	case errors.Is(row.err, io.EOF):
		return nil, io.EOF
	case row.err != nil:
		return nil, fmt.Errorf("line %d: %w", row.line, row.err)
	}
	rec, err := r.table.record(row.line, row.cells)
	if err == nil {
		r.least = min(r.least, len(row.cells))
	}
	return rec, err
}

// row gives what comes next.
func (r *csvReader) row() csvRow {
	if r.isHeld {
		r.isHeld = false
		return r.held
	}
	var row csvRow
	row.cells, row.line, row.err = r.cut.next()
	return row
}

// resume looks for the next row after one that went wrong, and gives the error for it.
func (r *csvReader) resume(bad *RowError) error {
	dropped, last := 0, 0
	for {
		row := r.row()
		if row.err != nil || len(row.cells) >= r.least {
			r.held, r.isHeld = row, true
			break
		}
		dropped, last = dropped+1, row.line
	}
	if dropped > 0 {
		bad.Detail = strings.TrimPrefix(fmt.Sprintf("%s; lines up to %d belong to it", bad.Detail, last), "; ")
	}
	return bad
}

// Warnings gives what was odd so far.
func (r *csvReader) Warnings() []Warning {
	all := warnings{all: slices.Concat(r.table.warns.all, r.cut.odd.all)}
	return all.list()
}

// Dialect gives the format of the columns.
func (r *csvReader) Dialect() Format { return r.table.d.format() }

// sureOf tells how sure it is that a file which begins with head is CSV of this dialect.
func (d *dialect) sureOf(head []byte, name string) int {
	header, ok := headerOf(head, name)
	if !ok {
		return 0
	}
	if d.loose {
		return d.general(header)
	}
	return d.score(header)
}

// headerOf reads the header from the beginning of a file; false if that is not CSV.
func headerOf(head []byte, name string) ([]string, bool) {
	whole := len(head) < headBytes
	c := newCSVCutter(textSource(head, whole, bytes.NewReader(nil)), bufferFor(len(head), true))
	header, err := readHeader(c)
	if err != nil || len(header) == 0 {
		return nil, false
	}
	first := strings.TrimSpace(header[0])
	if strings.HasPrefix(first, "{") || strings.HasPrefix(first, "[") || strings.HasPrefix(first, "<") ||
		strings.ContainsFunc(strings.Join(header, ""), func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == '\ufffd' }) {
		return nil, false
	}
	lower := strings.ToLower(name)
	named := strings.HasSuffix(lower, ".csv") || strings.HasSuffix(lower, ".tsv") || strings.HasSuffix(lower, ".txt")
	return header, len(header) > 1 || named
}
