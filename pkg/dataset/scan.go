package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/triage"
)

// layout knows how the records of a format are cut and taken apart.
type layout interface {
	// next cuts the next record; io.EOF after the last.
	next(c *cursor) (raw, error)
	// parser gives a function that takes a decoded record apart, for one goroutine.
	parser() func(data []byte) (record, error)
}

var (
	_ layout = (*csvLayout)(nil)
	_ layout = jsonLayout{}
	_ layout = ticketsLayout{}
)

// These end a pass that has to begin again: notUTF8 in the other encoding, manyValues without taking a column for a label.
type (
	notUTF8    struct{ line int }
	manyValues struct{ column string }
)

func (e notUTF8) Error() string { return fmt.Sprintf("line %d is not UTF-8", e.line) }
func (e manyValues) Error() string {
	return fmt.Sprintf("column %q has too many values for a label", e.column)
}

// scan is a pass over a file. What is above the line it is told, what is below it finds.
type scan struct {
	file   file
	opts   Options
	enc    Encoding
	except map[string]bool // columns that are no labels although they are called so

	layout   layout
	plan     *plan
	names    []string
	renamed  []string             // duplicate columns under their new names
	offsets  list[int64]          // where each good row begins
	lines    list[uint32]         // and on which line
	ids      list[uint64]         // hashes of ids
	sides    list[uint8]          // of each good row, in files of tickets
	counts   []map[string]*[3]int // by label: value to number of rows, by side
	bySide   [3]int
	skipped  int
	first    []RowError
	utf8Rows int // rows in a Windows1252 file that look like UTF-8, and the line of the first
	utf8Line int
}

// run goes over the file.
func (s *scan) run() error {
	*s = scan{file: s.file, opts: s.opts, enc: s.enc, except: s.except}
	c := cursor{win: newWindow(s.file.r, s.file.size, headBytes), pos: s.file.start, line: 1}
	decode := s.enc.decoder()
	if err := s.begin(&c, decode); err != nil {
		return err
	}
	parse := s.layout.parser()
	if s.file.format == Tickets {
		parse = ticketsLayout{s.plan.labels, true}.parser()
	}
	row := ticket{labels: make([]string, len(s.plan.labels))}
	for {
		rec, err := s.next(&c)
		if errors.Is(err, io.EOF) {
			return s.end()
		}
		if err != nil {
			return err
		}
		problem := rec.problem
		if problem == nil {
			var cells record
			if cells, problem = parse(decode(rec.data)); problem == nil {
				problem = s.plan.read(cells, &row)
			}
		}
		if problem != nil {
			err = s.reject(RowError{Line: rec.line, Reason: problem.Error()})
		} else {
			err = s.accept(rec, &row)
		}
		if err != nil {
			return err
		}
	}
}

// next cuts the next record and looks at its bytes.
func (s *scan) next(c *cursor) (raw, error) {
	rec, err := s.layout.next(c)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			err = s.file.broken(err)
		}
		return rec, err
	}
	if err := s.check(&rec); err != nil {
		return rec, err
	}
	return rec, nil
}

// check looks for bytes that are not the text that they should be.
func (s *scan) check(rec *raw) error {
	switch {
	case rec.cut || s.enc == UTF8 && utf8.Valid(rec.data):
	case s.enc == Windows1252:
		if utf8.Valid(rec.data) && !ascii(rec.data) {
			if s.utf8Rows == 0 {
				s.utf8Line = rec.line
			}
			s.utf8Rows++
		}
	case s.file.bom:
		rec.problem = bad("it is not valid UTF-8, though the file begins with the byte order mark of UTF-8")
	case s.file.format == Tickets:
		rec.problem = bad("it is not valid UTF-8")
	default:
		return notUTF8{rec.line}
	}
	if rec.problem == nil && bytes.IndexByte(rec.data, 0) >= 0 {
		rec.problem = bad("it holds a NUL byte: it is not text, or not in UTF-8")
	}
	return nil
}

// reject counts a bad row.
func (s *scan) reject(row RowError) error {
	if s.opts.Strict {
		return &triage.Error{Code: triage.CodeUsage, Message: s.file.name, Err: row}
	}
	const most = 20
	s.skipped++
	if len(s.first) < most {
		s.first = append(s.first, row)
	}
	return nil
}

// accept adds a good row to the index.
func (s *scan) accept(rec raw, row *ticket) error {
	if int64(rec.line) > math.MaxUint32 {
		return usage(s.file.name, "it has more than %d lines: split it", uint32(math.MaxUint32))
	}
	for i, value := range row.labels {
		if value == "" {
			continue // a ticket may lack a label
		}
		counts := s.counts[i]
		if _, ok := counts[value]; !ok {
			value = strings.Clone(value) // it is a piece of the whole row
			counts[value] = &[3]int{}
			if l := s.plan.labels[i]; len(counts) > MaxValues && l.chosen {
				return usage(s.file.name, "column %q, label %s, has more than %d different values: it is not a label",
					l.source.name, l.name, MaxValues)
			} else if len(counts) > MaxValues {
				return manyValues{l.source.name}
			}
		}
		counts[value][row.side]++
	}
	s.bySide[row.side]++
	if s.file.format == Tickets {
		s.sides.add(row.side)
	}
	s.offsets.add(rec.off)
	s.lines.add(uint32(rec.line))
	if s.plan.id != nil {
		s.ids.add(hash(row.idOr(rec.line)))
	}
	return nil
}

// end looks whether the file gave any ticket.
func (s *scan) end() error {
	if s.offsets.n > 0 {
		return s.choose()
	}
	if s.skipped == 0 && s.plan.tickets {
		return usage(s.file.name, "it is a file of tickets without any ticket")
	}
	if s.skipped == 0 {
		return usage(s.file.name, "it names columns (%s) but has no rows", listed(s.names))
	}
	some := make([]string, 0, 3)
	for _, row := range s.first[:min(len(s.first), cap(some))] {
		some = append(some, row.Error())
	}
	return usage(s.file.name, "none of its rows can be used (%d bad): %s", s.skipped, strings.Join(some, "; "))
}

// sided tells whether the file has two sides.
func (s *scan) sided() bool { return s.bySide[1] > 0 || s.bySide[2] > 0 }

// choose leaves the tickets of the side that is asked for.
func (s *scan) choose() error {
	if s.opts.Side == AllSides || s.opts.SideIfAny && !s.sided() {
		s.opts.Side = AllSides
		return nil
	}
	side, ok := sideNumber(string(s.opts.Side))
	switch {
	case !ok:
		return usage(s.file.name, "side %q is not allowed; allowed is %s or %s", s.opts.Side, TrainSide, TestSide)
	case !s.sided():
		return usage(s.file.name, "it has no sides, so none called %s: triage import --split makes them", s.opts.Side)
	case s.bySide[side] == 0:
		return usage(s.file.name, "no ticket is on side %s: train has %d, test %d", s.opts.Side, s.bySide[1], s.bySide[2])
	}
	s.cutTo(side)
	return nil
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hashes sorts hashes where they are.
type hashes struct{ list[uint64] }

func (h *hashes) Len() int           { return h.n }
func (h *hashes) Less(i, j int) bool { return *h.at(i) < *h.at(j) }
func (h *hashes) Swap(i, j int)      { a, b := h.at(i), h.at(j); *a, *b = *b, *a }

// twice tells whether any of the hashes occurs twice. It reorders them.
func (h *hashes) twice() bool {
	sort.Sort(h)
	for i := 1; i < h.n; i++ {
		if *h.at(i) == *h.at(i - 1) {
			return true
		}
	}
	return false
}

func (f file) broken(err error) error { return fmt.Errorf("%s: %w", f.name, err) }
