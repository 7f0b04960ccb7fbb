package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// xlsx reads a workbook: the first sheet that has a header, which may stand below a title, or the sheet that a user names. The header
// tells whose columns they are, as it does in CSV. Dates are found by how their cells are formatted, numbers keep all their digits,
// formulas count by the values that were saved with them, and cells that are merged downwards have their value in each row.
//
// A sheet is read row by row and its texts are kept in a temporary file where they are many, so that the memory does not grow with it.
func xlsx() Format {
	return Format{
		Name: "xlsx", Title: "Excel workbook (.xlsx)", Open: openXLSX,
		Detect: func(head []byte, name string) int {
			if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
				return 0
			}
			lower := strings.ToLower(name)
			named := strings.HasSuffix(lower, ".xlsx") || strings.HasSuffix(lower, ".xlsm")
			inside := bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("xl/"))
			switch {
			case named && inside:
				return 98
			case named || bytes.Contains(head, []byte("xl/workbook.xml")) || bytes.Contains(head, []byte("xl/worksheets/")):
				return 90
			}
			return 0
		},
		Column: func(name string) (Column, bool) { return dialectNamed("csv").column(name) },
	}
}

// Rows that are looked at for the header, and for how dates are written.
const (
	headerRows = 30
	aheadRows  = 200
	// aheadBytes bounds what is held of them.
	aheadBytes = 4 << 20
)

// xlsxReader gives the records of a sheet.
type xlsxReader struct {
	name  string
	sheet *sheet
	table *table
	ahead []sheetRow // rows that were read already
	err   error      // what came after them
}

var (
	_ Reader    = (*xlsxReader)(nil)
	_ Warner    = (*xlsxReader)(nil)
	_ Dialected = (*xlsxReader)(nil)
)

func openXLSX(in *Input) (Reader, error) {
	at, size := in.At, in.Size
	if at == nil {
		if in.Temp == nil {
			return nil, fmt.Errorf("reading %s: a workbook cannot be read as a stream", in.Name)
		}
		file, err := in.Temp()
		if err != nil {
			return nil, fmt.Errorf("keeping %s: %w", in.Name, err)
		}
		if size, err = io.Copy(file, in.Read); err != nil {
			return nil, fmt.Errorf("keeping %s: %w", in.Name, err)
		}
		at = file
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return nil, fmt.Errorf("reading %s: not a workbook: %w", in.Name, err)
	}
	book, err := openWorkbook(archive, in.Temp)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Name, err)
	}
	r, err := book.find(in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", in.Name, err)
	}
	return r, nil
}

// find looks for the sheet with the tickets.
func (b *workbook) find(in *Input) (*xlsxReader, error) {
	var tried, names []string
	for _, ref := range b.sheets {
		names = append(names, fmt.Sprintf("%q", clipped(ref.name)))
		if in.Sheet != "" && !strings.EqualFold(ref.name, in.Sheet) || in.Sheet == "" && ref.hidden {
			continue
		}
		s, err := b.open(ref)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", ref.name, err)
		}
		r := &xlsxReader{name: in.Name, sheet: s}
		why, err := r.findHeader(in.Map)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", ref.name, err)
		}
		if r.table != nil {
			r.observe()
			return r, nil
		}
		tried = append(tried, fmt.Sprintf("sheet %q: %s", clipped(ref.name), why))
	}
	if in.Sheet != "" && len(tried) == 0 {
		return nil, fmt.Errorf("no sheet %q: the sheets are %s", in.Sheet, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no sheet has a header, which names the columns, in its first %d rows: %s", headerRows,
		strings.Join(tried[:min(len(tried), 5)], "; "))
}

// findHeader reads the first rows and makes the table of the one that names columns best. Where none does, it says why.
func (r *xlsxReader) findHeader(chosen map[string]string) (why string, err error) {
	r.read(headerRows)
	var bad *RowError // of one row: it is given when its turn comes
	if r.err != nil && !errors.Is(r.err, io.EOF) && !errors.As(r.err, &bad) {
		return "", r.err
	}
	if len(r.ahead) == 0 {
		return "it is empty", nil
	}
	best, found := 0, 0
	for i, row := range r.ahead {
		header := headerCells(row.cells)
		d, sure := dialectOf(header)
		// The general dialect is 8 sure at least of what has a column for an id, a subject or a body.
		if sure <= best || sure < 8 && len(chosen) == 0 {
			continue
		}
		t, err := newTable(d, header, chosen)
		if err != nil {
			why = err.Error()
			continue
		}
		r.table, best, found = t, sure, i
	}
	if r.table != nil {
		r.ahead = r.ahead[found+1:]
		return "", nil
	}
	if why == "" {
		why = "its first row is " + listed(headerCells(r.ahead[0].cells))
	}
	return why, nil
}

// headerCells gives the names of columns in a row, without what is empty at its end.
func headerCells(cells []string) []string {
	var out []string
	for _, c := range cells {
		out = append(out, strings.Join(strings.Fields(c), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// read reads rows ahead until there are n, or they are large.
func (r *xlsxReader) read(n int) {
	size := 0
	for r.err == nil && len(r.ahead) < n && size < aheadBytes {
		row, err := r.sheet.next()
		if err != nil {
			r.err = err
			return
		}
		for _, c := range row.cells {
			size += len(c)
		}
		row.cells = slices.Clone(row.cells)
		r.ahead = append(r.ahead, row)
	}
}

// observe shows the table the next rows, for how their dates are written.
func (r *xlsxReader) observe() {
	r.read(aheadRows)
	for _, row := range r.ahead {
		r.table.observe(row.cells)
	}
}

// Next gives the next record. Empty rows are none: sheets have many that are only formatted.
func (r *xlsxReader) Next() (*Record, error) {
	row, err := r.next()
	if err != nil {
		var bad *RowError
		if errors.Is(err, io.EOF) || errors.As(err, &bad) {
			return nil, err
		}
		return nil, fmt.Errorf("reading %s: sheet %q: row %d: %w", r.name, r.sheet.name, r.sheet.row, err)
	}
	if row.broken != "" {
		r.table.warns.addf(row.line, "a cell has an error of Excel: it counts as empty", "such as %q", row.broken)
	}
	// Sheets leave out what is empty at the end of a row.
	for len(row.cells) < len(r.table.header) {
		row.cells = append(row.cells, "")
	}
	return r.table.record(row.line, row.cells)
}

func (r *xlsxReader) next() (sheetRow, error) {
	if len(r.ahead) > 0 {
		row := r.ahead[0]
		r.ahead = r.ahead[1:]
		return row, nil
	}
	if err := r.err; err != nil {
		var bad *RowError
		if errors.As(err, &bad) {
			r.err = nil
		}
		return sheetRow{}, err
	}
	return r.sheet.next()
}

// Warnings gives what was odd so far.
func (r *xlsxReader) Warnings() []Warning { return r.table.Warnings() }

// Dialect gives the format of the columns.
func (r *xlsxReader) Dialect() Format { return r.table.d.format() }
