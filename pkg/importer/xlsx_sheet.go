package importer

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// sheet reads the rows of one sheet.
type sheet struct {
	name   string
	book   *workbook
	x      *xmlPart
	row    int // the number of the row, from 1
	cells  []string
	merged []merge       // those that begin in later rows, in the order of their first
	open   map[int]merge // those that go on, by their column
}

// sheetRow is a row that has a value; its cells are valid until the next one is read.
type sheetRow struct {
	line   int
	cells  []string
	broken string // the first error of a formula in it, such as #N/A
}

// merge is a column of cells that are merged downwards: their value stands in the first one.
type merge struct {
	from, to int // rows
	column   int
	value    string
}

const (
	maxMerges = 100_000
	rowTooBig = "the row is too large"
)

// open begins to read a sheet.
func (b *workbook) open(ref sheetRef) (*sheet, error) {
	if err := b.readTexts(); err != nil {
		return nil, err
	}
	s := &sheet{name: ref.name, book: b, open: map[int]merge{}}
	if err := s.findMerges(ref.path); err != nil {
		return nil, err
	}
	x, ok, err := b.part(ref.path)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the workbook has no part %q", ref.path)
	}
	s.x = x
	return s, nil
}

// mergeCell finds merged cells that go down: their list stands behind all rows, so that the part is searched first without reading it
// as XML, which is quick.
var mergeCell = lazyregexp.New(`<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"`)

func (s *sheet) findMerges(name string) error {
	x, ok, err := s.book.part(name)
	if err != nil || !ok {
		return err
	}
	defer func() { _ = x.file.Close() }()
	const overlap = 64 // longer than a merged cell's tag
	buf, kept := make([]byte, 256<<10), 0
	for {
		x.guard.token = maxToken
		n, err := io.ReadAtLeast(x.guard, buf[kept:], 1)
		seen := buf[:kept+n]
		if bytes.Contains(seen, []byte("mergeCell ")) {
			for _, m := range mergeCell.FindAllSubmatch(seen, maxMerges) {
				s.addMerge(m)
			}
		}
		if errors.Is(err, io.EOF) {
			slices.SortStableFunc(s.merged, func(a, b merge) int { return a.from - b.from })
			return nil
		}
		if err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		kept = copy(buf, seen[max(0, len(seen)-overlap):])
	}
}

func (s *sheet) addMerge(m [][]byte) {
	from, _ := strconv.Atoi(string(m[2]))
	to, _ := strconv.Atoi(string(m[4]))
	one := merge{from: from, to: to, column: columnOf(string(m[1]))}
	if to <= from || len(s.merged) == maxMerges || one.column < 0 {
		return
	}
	// What is at the end of a buffer is seen twice.
	if n := len(s.merged); n == 0 || s.merged[n-1] != one {
		s.merged = append(s.merged, one)
	}
}

// columnOf gives the position of a cell, from 0, by its reference, such as AB12; -1 where that is none.
func columnOf(ref string) int {
	n := 0
	for i := 0; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z'; i++ {
		if n = n*26 + int(ref[i]-'A') + 1; n > maxCells {
			return -1
		}
	}
	return n - 1
}

// next gives the next row that has a value, or io.EOF.
func (s *sheet) next() (sheetRow, error) {
	for {
		token, err := s.x.token()
		if err != nil {
			return sheetRow{}, err
		}
		switch tag := token.(type) {
		case xml.StartElement:
			if tag.Name.Local != "row" {
				continue
			}
			s.row++
			if n, err := strconv.Atoi(attr(tag, "r")); err == nil && n > 0 {
				s.row = n
			}
			row, err := s.readRow()
			if err != nil || len(row.cells) > 0 {
				return row, err
			}
		case xml.EndElement:
			if tag.Name.Local == "sheetData" {
				return sheetRow{}, io.EOF
			}
		}
	}
}

// readRow reads the cells of a row, up to its end.
func (s *sheet) readRow() (sheetRow, error) {
	row := sheetRow{line: s.row}
	s.cells = s.cells[:0]
	column, size, filled := -1, 0, false
	for {
		token, err := s.x.token()
		if err != nil {
			return row, whole(err)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "row" {
			break
		}
		tag, ok := token.(xml.StartElement)
		if !ok || tag.Name.Local != "c" {
			continue
		}
		column++
		if at := columnOf(attr(tag, "r")); at >= 0 {
			column = at
		}
		value, broken, err := s.cell(tag)
		if err != nil {
			return row, err
		}
		if broken && row.broken == "" {
			row.broken, value = value, ""
		}
		if broken || value == "" {
			continue
		}
		if size += len(value); column >= maxCells || size > maxToken {
			return row, s.skipRow()
		}
		for len(s.cells) <= column {
			s.cells = append(s.cells, "")
		}
		s.cells[column], filled = value, true
	}
	if filled {
		row.cells = s.fill()
	}
	return row, nil
}

// skipRow passes over the rest of a row that is too large, and says so.
func (s *sheet) skipRow() error {
	for {
		token, err := s.x.token()
		if err != nil {
			return whole(err)
		}
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "row" {
			return &RowError{Line: s.row, Reason: rowTooBig, Detail: fmt.Sprintf("over %d MiB or %d cells", maxToken>>20, maxCells)}
		}
	}
}

// whole is the error of a sheet that ends inside of a row.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cell gives the value of a cell, and whether it is the error of a formula.
func (s *sheet) cell(tag xml.StartElement) (value string, broken bool, err error) {
	kind := attr(tag, "t")
	text := ""
	for in := ""; ; {
		token, err := s.x.token()
		if err != nil {
			return "", false, whole(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if in = t.Name.Local; in == "is" {
				if text, err = s.x.richText("is"); err != nil {
					return "", false, whole(err)
				}
			}
		case xml.EndElement:
			if in = ""; t.Name.Local == "c" {
				return s.value(kind, text, attr(tag, "s"))
			}
		case xml.CharData:
			if in == "v" && len(text)+len(t) <= maxToken {
				text += string(t)
			}
		}
	}
}

func (s *sheet) value(kind, text, style string) (value string, broken bool, err error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", false, nil
		}
		value, err = s.book.texts.get(n)
		return value, false, err
	case "inlineStr":
		return text, false, nil
	case "str":
		return cellText(text), false, nil
	case "b":
		return map[string]string{"1": "TRUE", "0": "FALSE"}[text], false, nil
	case "e":
		return text, true, nil
	case "d":
		return text, false, nil
	}
	if text == "" {
		return "", false, nil
	}
	n, err := strconv.Atoi(style)
	if err != nil || n < 0 || n >= len(s.book.styles) {
		return s.book.number(text, numberStyle{}), false, nil
	}
	return s.book.number(text, s.book.styles[n]), false, nil
}

// fill writes the values of merged cells into the rows below their first.
func (s *sheet) fill() []string {
	for len(s.merged) > 0 && s.merged[0].from <= s.row {
		s.open[s.merged[0].column] = s.merged[0]
		s.merged = s.merged[1:]
	}
	for column, m := range s.open {
		switch {
		case s.row > m.to:
			delete(s.open, column)
		case s.row == m.from && column < len(s.cells):
			m.value = s.cells[column]
			s.open[column] = m
		case m.value != "":
			for len(s.cells) <= column {
				s.cells = append(s.cells, "")
			}
			s.cells[column] = m.value
		}
	}
	return s.cells
}
