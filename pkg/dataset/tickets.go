package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Tickets is the format of files that triage import writes: JSON Lines, the first of which names the schema and the labels.
const Tickets Format = "tickets"

// TicketsSchema is the schema of files of tickets that is read. Files of tickets begin with [ticketsFamily].
const (
	TicketsSchema = "triage.tickets/1"
	ticketsFamily = "triage.tickets/"
)

// Side is one of the two parts of a file of tickets.
type Side string

// The sides. AllSides takes every ticket.
const (
	AllSides  Side = ""
	TrainSide Side = "train"
	TestSide  Side = "test"
)

// sideNumber is how the index keeps sides; 0 is a ticket on neither.
func sideNumber(s string) (uint8, bool) {
	switch Side(s) {
	case AllSides:
		return 0, true
	case TrainSide:
		return 1, true
	case TestSide:
		return 2, true
	}
	return 0, false
}

// ticketsHeader is the first line of a file of tickets.
type ticketsHeader struct {
	Schema string `json:"schema"`
	Split  string `json:"split"`
	Labels map[string]struct {
		Ordered bool     `json:"ordered"`
		Values  []string `json:"values"`
	} `json:"labels"`
}

// readTicketsHeader looks whether a file of JSON Lines begins as a file of tickets does; the header is nil if not.
func (f file) readTicketsHeader() (*ticketsHeader, error) {
	c := cursor{win: newWindow(f.r, f.size, headBytes), pos: f.start, line: 1}
	row, err := nextLine(&c)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, f.broken(err)
	}
	if row.problem != nil || !bytes.Contains(row.data, []byte(ticketsFamily)) {
		return nil, nil
	}
	members, err := triage.AppendMembers(nil, row.data)
	if err != nil && bytes.HasPrefix(bytes.TrimSpace(row.data), []byte(`{"schema":"`+ticketsFamily)) {
		return nil, usage(f.name, "line 1, the header of a file of tickets: %v", badJSON(err, row.data))
	}
	if err != nil {
		return nil, nil // whatever it is, its rows are looked at one by one
	}
	for _, m := range members {
		if string(m.Key) == "schema" && bytes.HasPrefix(m.Value, []byte(`"`+ticketsFamily)) {
			return f.parseTicketsHeader(row.data)
		}
	}
	return nil, nil
}

func (f file) parseTicketsHeader(data []byte) (*ticketsHeader, error) {
	var h ticketsHeader
	err := json.Unmarshal(data, &h)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return nil, usage(f.name, "line 1, the header of a file of tickets: %s is a %s, which it cannot be", wrong.Field, wrong.Value)
	}
	if err != nil {
		return nil, usage(f.name, "line 1, the header of a file of tickets: %v", err)
	}
	if h.Schema != TicketsSchema {
		return nil, usage(f.name, "it is a file of tickets in form %q; this version reads %s: import it again", shorten(h.Schema), TicketsSchema)
	}
	if len(h.Labels) == 0 {
		return nil, usage(f.name, "its header names no label: there is nothing to judge answers by; import it again with --label NAME=COLUMN")
	}
	for _, name := range slices.Sorted(maps.Keys(h.Labels)) {
		if err := CheckLabelName(name); err != nil {
			return nil, usage(f.name, "line 1, the header of a file of tickets: %v", err)
		}
		if err := checkValues(h.Labels[name].Values); err != nil {
			return nil, usage(f.name, "line 1, the header of a file of tickets: label %s: %v", name, err)
		}
	}
	return &h, nil
}

// checkValues looks at the values of a label; none means that they are found by reading.
func checkValues(values []string) error {
	if len(values) > MaxValues {
		return bad("%d values: at most %d are a label's", len(values), MaxValues)
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		switch {
		case strings.TrimSpace(v) == "" || strings.TrimSpace(v) != v || len(v) > MaxValueLen:
			return bad("value %q has to be a text of 1 to %d bytes without blanks around it", shorten(v), MaxValueLen)
		case seen[v]:
			return bad("value %q is there twice", shorten(v))
		}
		seen[v] = true
	}
	return nil
}

// Positions of a ticket's parts in the records of a file of tickets. Labels follow, then the fields that agents see.
const (
	atID = iota
	atSubject
	atBody
	atSide
	atLabels
)

// ticketsPlan is the plan for a file of tickets: its header says what is what. A mapping chooses and renames labels, a labels file
// replaces their scales.
func (s *scan) ticketsPlan(h *ticketsHeader) (*plan, error) {
	sources := map[string]string{} // our name: the file's
	for ours, column := range s.opts.Map {
		if reserved(ours) {
			return nil, usage(s.file.name, "column map, %s=%s: it is a file of tickets, whose %s is known", ours, shorten(column), ours)
		}
		if _, ok := h.Labels[column]; !ok {
			return nil, usage(s.file.name, "column map, %s=%s: no label %q: the labels are %s", ours, shorten(column), shorten(column),
				listed(slices.Sorted(maps.Keys(h.Labels))))
		}
		sources[ours] = column
	}
	if len(sources) == 0 {
		for name := range h.Labels {
			sources[name] = name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.opts.Labels)) {
		if _, ok := sources[name]; !ok {
			return nil, usage(s.file.name, "labels file: no label %q: the labels are %s", shorten(name), listed(slices.Sorted(maps.Keys(sources))))
		}
	}
	p := &plan{id: &ref{"id", atID}, subject: &ref{"subject", atSubject}, body: &ref{"body", atBody}, tickets: true}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		l := label{name: name, source: ref{sources[name], atLabels + len(p.labels)}, chosen: true}
		if scale, ok := s.opts.Labels[name]; ok {
			l.on(scale)
		} else if in := h.Labels[sources[name]]; len(in.Values) > 0 {
			l.on(Scale{Ordered: in.Ordered, Values: in.Values})
		}
		p.labels = append(p.labels, l)
	}
	return p, nil
}

// ticketsLayout is a file of tickets.
type ticketsLayout struct {
	labels []label
	// bare leaves the values of fields out: the index does not need them.
	bare bool
}

func (ticketsLayout) next(c *cursor) (raw, error) { return nextLine(c) }

// parser gives a function whose records hold until the next call.
func (l ticketsLayout) parser() func(data []byte) (record, error) {
	var outer, inner []triage.Member
	var rec record
	return func(data []byte) (_ record, err error) {
		if outer, err = triage.AppendMembers(outer[:0], data); err != nil {
			return nil, badJSON(err, data)
		}
		rec = append(rec[:0], make(record, atLabels+len(l.labels))...)
		for i := range l.labels {
			rec[atLabels+i].name = l.labels[i].source.name
		}
		for _, m := range outer {
			switch string(m.Key) {
			case "id":
				rec[atID], err = textCell("id", m.Value)
			case "subject":
				rec[atSubject], err = textCell("subject", m.Value)
			case "body":
				rec[atBody], err = textCell("body", m.Value)
			case "split":
				rec[atSide], err = textCell("split", m.Value)
			case "labels":
				if inner, err = nested(inner, "labels", m.Value); err == nil {
					err = l.readLabels(rec, inner)
				}
			case "fields":
				if inner, err = nested(inner, "fields", m.Value); err == nil {
					rec, err = l.readFields(rec, inner)
				}
			}
			if err != nil {
				return nil, err
			}
		}
		return rec, nil
	}
}

func badJSON(err error, data []byte) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return bad("broken JSON at byte %d of the line: %v", syntax.Offset, err)
	}
	return bad("it is not a JSON object: %s", shorten(string(bytes.TrimSpace(data[:min(len(data), 200)]))))
}

// nested gives the members of a ticket's labels or fields.
func nested(dst []triage.Member, name string, value json.RawMessage) ([]triage.Member, error) {
	if value[0] == 'n' {
		return dst[:0], nil
	}
	dst, err := triage.AppendValidMembers(dst[:0], value)
	if err != nil {
		return dst, bad("%s is not an object: %s", name, shorten(string(value[:min(len(value), 200)])))
	}
	return dst, nil
}

func (l ticketsLayout) readLabels(rec record, members []triage.Member) error {
	for _, m := range members {
		for i := range l.labels {
			if l.labels[i].source.name != string(m.Key) {
				continue
			}
			cell, err := textCell(rec[atLabels+i].name, m.Value)
			if err != nil {
				return err
			}
			rec[atLabels+i] = cell
		}
	}
	return nil
}

// readFields adds the fields; bare, it looks only whether they are texts.
func (l ticketsLayout) readFields(rec record, members []triage.Member) (record, error) {
	for _, m := range members {
		if l.bare && (m.Value[0] == '"' || m.Value[0] == 'n') {
			continue
		}
		cell, err := textCell(string(m.Key), m.Value)
		if err != nil {
			return rec, err
		}
		rec = append(rec, cell)
	}
	return rec, nil
}

// textCell reads a member that has to be a text, or null.
func textCell(name string, value json.RawMessage) (cell, error) {
	c := cell{name: name}
	switch {
	case value[0] == 'n':
	case value[0] != '"':
		return c, bad("%s is not a text: %s", shorten(name), shorten(string(value[:min(len(value), 200)])))
	case bytes.IndexByte(value, '\\') < 0:
		c.text = string(value[1 : len(value)-1])
	default:
		return c, json.Unmarshal(value, &c.text)
	}
	return c, nil
}

// cutTo leaves the tickets of one side in the index.
func (s *scan) cutTo(side uint8) {
	var offsets list[int64]
	var lines list[uint32]
	for i := range s.offsets.n {
		if *s.sides.at(i) == side {
			offsets.add(*s.offsets.at(i))
			lines.add(*s.lines.at(i))
		}
	}
	s.offsets, s.lines = offsets, lines
}
