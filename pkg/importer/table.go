package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Warning is a doubt about many rows at once: the rows were read, but perhaps not as they were meant.
type Warning struct {
	// Reason is one of a few fixed texts, such as "a row has fewer cells than the header".
	Reason string
	// Count is how many rows it is about, Line the first of them.
	Count, Line int
	// Detail says more, such as what was assumed; it may be empty.
	Detail string
}

// Warner is a [Reader] that has warnings. They are complete after the last record; their order is fixed.
type Warner interface{ Warnings() []Warning }

// Dialected is a [Reader] of tables, which finds by the header whose columns a file has (a sheet may come from any desk). Dialect gives
// the format that knows these columns and the scale of priorities; it is known as soon as the reader is open.
type Dialected interface{ Dialect() Format }

// The most columns of a table and cells of a row: as many as Excel has.
const maxCells = 16384

// emptyRow is the reason of rows without a single value.
const emptyRow = "the row is empty"

// unnamedColumn is how the names of columns without one begin; their number follows.
const unnamedColumn = "column "

// unnamed tells whether a column has no name. Nobody can say what it holds: what follows a comma too many may be a closing note.
func unnamed(name string) bool {
	number, ok := strings.CutPrefix(name, unnamedColumn)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// Names of the parts of a ticket, as [Input.Map] calls them.
const (
	partID       = "id"
	partSubject  = "subject"
	partBody     = "body"
	partCustomer = "customer"
	partCreated  = "created"
)

// table turns rows of cells into records. It serves CSV and sheets alike.
type table struct {
	d      *dialect
	header []string
	names  []string // of fields, each once
	slots  []int    // by column: its field, or -1 where it is a part of the ticket
	// Columns of the parts, in the order of the file; a part is the first that is not empty.
	id, subject, body, customer, created []int

	dates dates
	dated []int // columns that have dates, to find how they are written
	warns warnings
	rec   Record
}

// newTable makes a table for rows under a header, in a dialect that [dialectOf] or [dialectNamed] gave. Chosen says by the names of
// parts (id, subject, body, customer, created) which columns a user wants them from; it may be nil. It is an error if one of those is
// not there, or if no column has a ticket's text.
func newTable(d *dialect, header []string, chosen map[string]string) (*table, error) {
	if len(header) > maxCells {
		return nil, fmt.Errorf("the header has %d columns: at most %d are read", len(header), maxCells)
	}
	t := &table{d: d, header: header, dates: dates{usual: d.order}}
	for _, p := range []struct {
		name  string
		to    *[]int
		usual []string
	}{
		{partID, &t.id, d.id}, {partSubject, &t.subject, d.subject}, {partBody, &t.body, d.body},
		{partCustomer, &t.customer, d.customer}, {partCreated, &t.created, d.created},
	} {
		at, err := d.columnsOf(p.name, chosen[p.name], p.usual, header)
		if err != nil {
			return nil, err
		}
		*p.to = at
	}
	if len(t.subject)+len(t.body) == 0 {
		return nil, fmt.Errorf("no column has the ticket's text: the columns are %s; none is called %s or the like; --map body=COLUMN says which it is", listed(header),
			strings.Join(slices.Concat(d.subject[:min(2, len(d.subject))], d.body[:min(4, len(d.body))]), ", "))
	}
	t.lay()
	return t, nil
}

// lay gives every column its field. Columns of one name share one. The customer's column is a field too, one that is held back.
func (t *table) lay() {
	seen := map[string]int{}
	parts := slices.Concat(t.id, t.subject, t.body, t.created)
	for i, name := range t.header {
		if isDate(name) || slices.Contains(t.created, i) {
			t.dated = append(t.dated, i)
		}
		if slices.Contains(parts, i) {
			t.slots = append(t.slots, -1)
			continue
		}
		if name == "" {
			name = unnamedColumn + strconv.Itoa(i+1)
		}
		key := fold(name)
		slot, ok := seen[key]
		if !ok {
			slot = len(t.names)
			seen[key] = slot
			t.names = append(t.names, name)
		}
		t.slots = append(t.slots, slot)
	}
}

// observe looks at a row for how its dates are written. Callers show it the first rows before they ask for records, as far as they
// can look ahead, until [dates.settled].
func (t *table) observe(cells []string) {
	for _, i := range t.dated {
		if i < len(cells) {
			t.dates.observe(cells[i])
		}
	}
}

// record makes the record of a row; it is valid until the next call. Its texts are parts of the cells: who keeps one of a large row
// clones it. The error is a [*RowError].
func (t *table) record(line int, cells []string) (*Record, error) {
	if len(cells) > maxCells {
		return nil, &RowError{Line: line, Reason: "the row has too many cells", Detail: fmt.Sprintf("%d; at most %d are read", len(cells), maxCells)}
	}
	if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
		return nil, &RowError{Line: line, Reason: emptyRow}
	}
	if len(cells) < len(t.header) {
		t.warns.addf(line, "a row has fewer cells than the header", "such as %d of %d", len(cells), len(t.header))
	}
	t.rec = Record{Line: line, Fields: t.fields(line, cells), ID: pick(cells, t.id), Customer: pick(cells, t.customer)}
	t.rec.Subject = onOneLine(pick(cells, t.subject))
	t.rec.Body = t.d.text(pick(cells, t.body))
	t.rec.Created = t.date(line, pick(cells, t.created))
	return &t.rec, nil
}

// fields fills the fields of a row, in the memory of those of the row before.
func (t *table) fields(line int, cells []string) []Field {
	fields := slices.Grow(t.rec.Fields[:0], len(t.names))[:len(t.names)]
	for i, name := range t.names {
		fields[i] = Field{Name: name}
	}
	for i, cell := range cells[:min(len(cells), len(t.slots))] {
		if slot := t.slots[i]; slot >= 0 {
			join(&fields[slot], strings.TrimSpace(cell))
		}
	}
	surplus := false
	for i := len(t.slots); i < len(cells); i++ {
		if cell := strings.TrimSpace(cells[i]); cell != "" {
			surplus = true
			fields = append(fields, Field{Name: unnamedColumn + strconv.Itoa(i+1), Value: cell})
		}
	}
	if surplus {
		t.warns.addf(line, "a row has more cells than the header", "such as %d of %d", len(cells), len(t.header))
	}
	return fields
}

// date reads the time at which a ticket came in; the zero time where there is none that can be read.
func (t *table) date(line int, cell string) time.Time {
	if cell == "" {
		return time.Time{}
	}
	at, form := t.dates.read(cell)
	switch form {
	case notADate:
		t.warns.addf(line, "a date cannot be read: the ticket has none then", "such as %q", cell)
	case otherOrder:
		t.warns.addf(line, "a date is in the other order of day and month than most: the ticket has none then",
			"such as %q, where dates are %s", cell, t.dates.now())
	case assumed:
		t.warns.addf(line, "nothing tells day from month in dates", "such as %q: they were read as %s, --dates says otherwise", cell, t.dates.now())
	case assumedZone:
		t.warns.addf(line, "the time zone of a date is not known: it was read as UTC", "such as %q", cell)
	case certain:
	}
	return at
}

// Warnings gives what was odd so far.
func (t *table) Warnings() []Warning { return t.warns.list() }

// pick gives the first of the cells at some columns that is not empty.
func pick(cells []string, at []int) string {
	for _, i := range at {
		if i < len(cells) {
			if cell := strings.TrimSpace(cells[i]); cell != "" {
				return cell
			}
		}
	}
	return ""
}

// onOneLine makes one line of a subject.
func onOneLine(s string) string {
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// join adds a value to a field: one more line, where it has one already.
func join(f *Field, value string) {
	switch {
	case f.Value == "":
		f.Value = value
	case value != "":
		f.Value += "\n" + value
	}
}

// listed names columns for a message, a few of them.
func listed(names []string) string {
	const most = 12
	out := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		if len(name) > 40 {
			name = strings.ToValidUTF8(name[:40], "") + "…"
		}
		out = append(out, fmt.Sprintf("%q", name))
	}
	return strings.Join(out, ", ")
}

// warnings counts warnings by their reason.
type warnings struct {
	all []Warning
}

func (w *warnings) add(line int, reason string) { w.addf(line, reason, "") }

// addf counts a warning; the detail is that of the first.
func (w *warnings) addf(line int, reason, detail string, args ...any) {
	for i := range w.all {
		if w.all[i].Reason == reason {
			w.all[i].Count++
			return
		}
	}
	w.all = append(w.all, Warning{Reason: reason, Count: 1, Line: line, Detail: fmt.Sprintf(detail, args...)})
}

// list gives the warnings in the order of their first lines, then by reason.
func (w *warnings) list() []Warning {
	out := slices.Clone(w.all)
	slices.SortFunc(out, func(a, b Warning) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	return out
}
