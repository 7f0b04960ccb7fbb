package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Set is the tickets of one file. It is safe for concurrent use if its reader is.
type Set struct {
	Format   Format
	Encoding Encoding

	file     file
	layout   layout
	plan     *plan
	byLine   bool // ids are made from line numbers
	offsets  list[int64]
	lines    list[uint32]
	columns  []Column
	warnings []string
	skipped  int
	first    []RowError
	side     Side
	train    int
	test     int
	all      int // tickets of the file, whatever their side
}

// Column is a label column that agents are asked for.
type Column struct {
	Name    string // ours: from the mapping, the labels file, or the usual name it was found by
	Source  string // the file's
	Ordered bool   // Values ascend in seriousness
	// Values are in the order of the scale, or sorted where they have none; Counts says how many tickets have each.
	Values []string
	Counts []int
	// Train says how many tickets on the train side of the file have each value, whatever side the set is; it is nil where the file
	// has no sides.
	Train []int
}

// Open reads through a file of size bytes once (once more if it turns out not to be UTF-8, or a column not to be a label)
// and indexes its good rows. name is what errors call the file. Rows that cannot be used are counted, see [Set.Skipped];
// with opts.Strict the first of them is an error, in which errors.As finds the [RowError]. It is an error as well if no
// ticket is left. What the user can mend has [triage.CodeUsage].
func Open(r io.ReaderAt, size int64, name string, opts Options) (*Set, error) {
	opts, err := opts.tidy(name)
	if err != nil {
		return nil, err
	}
	f, err := detect(r, size, name)
	if err != nil {
		return nil, err
	}
	s := &scan{file: f, opts: opts, enc: UTF8, except: map[string]bool{}}
	other := 0 // the line that is not UTF-8
	for {
		err := s.run()
		var encoding notUTF8
		var values manyValues
		switch {
		case errors.As(err, &encoding):
			s.enc, other = Windows1252, encoding.line
		case errors.As(err, &values):
			s.except[values.column] = true
		case err != nil:
			return nil, err
		default:
			return s.set(other), nil
		}
	}
}

// set makes the set of a finished pass.
func (s *scan) set(other int) *Set {
	out := &Set{Format: s.file.format, Encoding: s.enc, file: s.file, layout: s.layout, plan: s.plan,
		offsets: s.offsets, lines: s.lines, skipped: s.skipped, first: s.first}
	out.side, out.train, out.test, out.all = s.opts.Side, s.bySide[1], s.bySide[2], s.bySide[0]+s.bySide[1]+s.bySide[2]
	twice := (&hashes{s.ids}).twice()
	out.byLine = twice || s.plan.id == nil
	for i, l := range s.plan.labels {
		out.columns = append(out.columns, l.column(s.counts[i], AllSides, s.sided()))
	}
	out.warnings = s.warnings(out.columns, other, twice)
	if s.opts.Side != AllSides {
		for i, l := range s.plan.labels {
			out.columns[i] = l.column(s.counts[i], s.opts.Side, true)
		}
	}
	return out
}

// column gives the column of a label with the counts of its values on a side.
func (l label) column(counts map[string]*[3]int, side Side, sided bool) Column {
	c := Column{Name: l.name, Source: l.source.name}
	switch l.scale {
	case nil:
		values := make([]string, 0, len(counts))
		for v := range counts {
			values = append(values, v)
		}
		c.Values, c.Ordered = Arrange(values)
	default:
		c.Values, c.Ordered = slices.Clone(l.scale.Values), l.scale.Ordered
		if !c.Ordered {
			slices.Sort(c.Values)
		}
	}
	c.Counts = make([]int, len(c.Values))
	if sided {
		c.Train = make([]int, len(c.Values))
	}
	for i, v := range c.Values {
		n, ok := counts[v]
		if !ok {
			continue
		}
		switch side {
		case TrainSide:
			c.Counts[i] = n[1]
		case TestSide:
			c.Counts[i] = n[2]
		default:
			c.Counts[i] = n[0] + n[1] + n[2]
		}
		if sided {
			c.Train[i] = n[1]
		}
	}
	return c
}

// Len is the number of tickets.
func (s *Set) Len() int { return s.offsets.n }

// Columns gives the label columns, sorted by name.
func (s *Set) Columns() []Column {
	out := slices.Clone(s.columns)
	for i := range out {
		out[i].Values, out[i].Counts, out[i].Train = slices.Clone(out[i].Values), slices.Clone(out[i].Counts), slices.Clone(out[i].Train)
	}
	return out
}

// Allowed gives the values of each label column by its name, as [triage.ParseAction] wants them.
func (s *Set) Allowed() map[string][]string {
	out := make(map[string][]string, len(s.columns))
	for _, c := range s.columns {
		out[c.Name] = slices.Clone(c.Values)
	}
	return out
}

// Side is the side whose tickets the set has, [AllSides] where it has all of the file.
func (s *Set) Side() Side { return s.side }

// Sides gives the numbers of tickets on each side of the file; both are 0 where it has no sides.
func (s *Set) Sides() (train, test int) { return s.train, s.test }

// All is the number of tickets of the file, whatever their side.
func (s *Set) All() int { return s.all }

// Skipped gives the number of bad rows and the first 20 of them.
func (s *Set) Skipped() (n int, first []RowError) { return s.skipped, slices.Clone(s.first) }

// Warnings says what a user should know about how the file was read, a sentence each.
func (s *Set) Warnings() []string { return slices.Clone(s.warnings) }

// Case reads ticket i, 0 to Len-1, from the file. Its id is the file's, or "row-" and the line that it begins on where the
// file has none or ids occur twice. The truth has the labels and nothing else.
func (s *Set) Case(i int) (triage.Case, error) {
	if i < 0 || i >= s.Len() {
		return triage.Case{}, usage(s.file.name, "no ticket %d: there are 0 to %d", i, s.Len()-1)
	}
	off, line := *s.offsets.at(i), int(*s.lines.at(i))
	end := s.file.size
	if i+1 < s.Len() {
		end = *s.offsets.at(i + 1)
	}
	c := cursor{win: newWindow(s.file.r, s.file.size, int(min(end-off, headBytes))), pos: off, line: line}
	rec, err := s.layout.next(&c)
	if err != nil {
		return triage.Case{}, s.file.broken(err)
	}
	row := ticket{labels: make([]string, len(s.plan.labels))}
	var cells record
	if err = rec.problem; err == nil {
		if cells, err = s.layout.parser()(s.Encoding.decoder()(rec.data)); err == nil {
			err = s.plan.read(cells, &row)
		}
	}
	if err != nil {
		return triage.Case{}, fmt.Errorf("%s: line %d has changed since the file was opened: %w", s.file.name, line, err)
	}
	return s.build(cells, &row, line), nil
}

// build makes the case of a row.
func (s *Set) build(cells record, row *ticket, line int) triage.Case {
	c := triage.Case{
		Ticket: triage.Ticket{ID: row.idOr(line), Subject: row.subject, Body: row.body, Fields: map[string]string{}},
		Truth:  triage.Truth{Labels: make(map[string]string, len(row.labels))},
	}
	if s.byLine {
		c.Ticket.ID = rowID(line)
	}
	for i, value := range row.labels {
		if value != "" {
			c.Truth.Labels[s.plan.labels[i].name] = value
		}
	}
	if s.plan.tickets {
		for _, cell := range cells[atLabels+len(s.plan.labels):] {
			if strings.TrimSpace(cell.text) != "" {
				c.Ticket.Fields[cell.name] = cell.text
			}
		}
		return c
	}
	for _, cell := range cells {
		if strings.TrimSpace(cell.text) != "" && s.plan.shows(cell.name) {
			c.Ticket.Fields[cell.name] = cell.text
		}
	}
	return c
}

// ticket is a row's parts.
type ticket struct {
	id, subject, body string
	labels            []string // as in the plan; empty where a ticket of a file of tickets lacks one
	side              uint8    // as sideNumber gives it
}

func rowID(line int) string { return "row-" + strconv.Itoa(line) }

// idOr gives the id, or one made from the line.
func (t *ticket) idOr(line int) string {
	if t.id == "" {
		return rowID(line)
	}
	return t.id
}

// read takes the parts of a ticket out of a record, or tells why it is none.
func (p *plan) read(rec record, t *ticket) error {
	part := func(c *ref) string {
		if c == nil {
			return ""
		}
		cell := rec.get(*c)
		return cell.text
	}
	t.id, t.subject, t.body = strings.TrimSpace(part(p.id)), part(p.subject), part(p.body)
	if strings.TrimSpace(t.subject) == "" && strings.TrimSpace(t.body) == "" {
		return bad("subject and body are empty")
	}
	if err := p.readSide(rec, t); err != nil {
		return err
	}
	for i, l := range p.labels {
		cell := rec.get(l.source)
		value := strings.TrimSpace(cell.text)
		switch {
		case value == "" && p.tickets:
		case value == "":
			return bad("no value in label column %q", l.source.name)
		case cell.list:
			return bad("label column %q holds a list, not one value: %s", l.source.name, shorten(value))
		case len(value) > MaxValueLen:
			return bad("the value in label column %q is longer than %d bytes: %s", l.source.name, MaxValueLen, shorten(value))
		case l.scale != nil && !l.values[value]:
			return bad("label column %q: %q is not one of %s", l.source.name, shorten(value), listed(l.scale.Values))
		}
		t.labels[i] = value
	}
	if p.tickets && !slices.ContainsFunc(t.labels, func(v string) bool { return v != "" }) {
		return bad("it has none of the labels")
	}
	return nil
}

// readSide reads the side of a ticket.
func (p *plan) readSide(rec record, t *ticket) error {
	t.side = 0
	if !p.tickets {
		return nil
	}
	side, ok := sideNumber(rec[atSide].text)
	if !ok {
		return bad("split is %q: want %s, %s or nothing", shorten(rec[atSide].text), TrainSide, TestSide)
	}
	t.side = side
	return nil
}
