package dataset

import (
	"errors"
	"io"
)

// begin finds out the columns, and leaves c before the first row.
func (s *scan) begin(c *cursor, decode func([]byte) []byte) error {
	var err error
	switch s.file.format {
	case Tickets:
		err = s.beginTickets(c)
	case JSONL:
		err = s.beginJSONL(c, decode)
	default:
		err = s.beginCSV(c, decode)
	}
	if err != nil {
		return err
	}
	if s.plan == nil {
		if s.plan, err = newPlan(s.file, s.names, s.opts, s.except); err != nil {
			return err
		}
	}
	s.counts = make([]map[string]*[3]int, len(s.plan.labels))
	for i := range s.counts {
		s.counts[i] = map[string]*[3]int{}
	}
	return nil
}

// beginTickets skips the header of a file of tickets.
func (s *scan) beginTickets(c *cursor) (err error) {
	if _, err = nextLine(c); err != nil {
		return s.file.broken(err)
	}
	if s.plan, err = s.ticketsPlan(s.file.header); err == nil {
		s.layout = ticketsLayout{labels: s.plan.labels}
	}
	return err
}

// beginJSONL finds the fields of the first objects.
func (s *scan) beginJSONL(c *cursor, decode func([]byte) []byte) error {
	s.layout = jsonLayout{}
	ahead := cursor{win: newWindow(s.file.r, s.file.size, headBytes), pos: c.pos, line: 1}
	names, wrong, err := sample(&ahead, decode)
	if err != nil {
		return s.file.broken(err)
	}
	if len(names) == 0 {
		hint := "write one JSON object with the ticket's fields on each line"
		if wrong != nil {
			return usage(s.file.name, "no object in its first lines: %v; %s", wrong, hint)
		}
		return usage(s.file.name, "its first objects are empty; %s", hint)
	}
	s.names = names
	return nil
}

// beginCSV reads the line that names the columns.
func (s *scan) beginCSV(c *cursor, decode func([]byte) []byte) error {
	l := &csvLayout{delim: s.file.delim}
	s.layout = l
	rec, err := s.next(c)
	if errors.Is(err, io.EOF) {
		return s.file.empty()
	}
	if err != nil {
		return err
	}
	if rec.problem == nil {
		s.renamed, rec.problem = l.readHeader(decode(rec.data))
	}
	if rec.problem != nil {
		return usage(s.file.name, "line %d, which should name the columns: %v", rec.line, rec.problem)
	}
	s.names = l.header
	return nil
}
