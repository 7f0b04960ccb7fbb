package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// BodiesReport counts what a second file with bodies gave.
type BodiesReport struct {
	Rows    int // of the second file
	Joined  int // tickets that got their body from it
	Missing int // tickets without a body for which it has none
	// Unmatched are ids of it that no ticket has, Repeated rows whose id was there before (the first row of an id counts), and Unused rows
	// without an id or a text, or that could not be read.
	Unmatched, Repeated, Unused int
}

// bodyStore has bodies by id: they lie in a temporary file, and 17 bytes of each in memory.
type bodyStore struct {
	file    TempFile
	w       *bufio.Writer
	at      int64
	entries []bodyEntry
	used    []bool // by entry
	buf     []byte
	report  BodiesReport
	// mine are the ids of the first bodies and theirs those of the first tickets without one, each with the columns that they were read from.
	mine, theirs sampleIDs
}

// sampleIDs are some ids of a file for a message, and the columns that were taken for them.
type sampleIDs struct {
	ids     []string
	columns string
}

// add keeps an id that a reader gave last, as long as there are few.
func (s *sampleIDs) add(id string, from Reader) {
	const most = 3
	if len(s.ids) == most {
		return
	}
	if i, ok := from.(identified); ok && s.columns == "" {
		s.columns = i.idColumns()
	}
	if id != "" {
		s.ids = append(s.ids, fmt.Sprintf("%q", shorten(id)))
	}
}

// String says the ids and their columns.
func (s *sampleIDs) String() string {
	switch {
	case len(s.ids) == 0 && s.columns == "":
		return "no ids"
	case len(s.ids) == 0:
		return "no ids, of " + s.columns
	case s.columns == "":
		return "ids such as " + strings.Join(s.ids, ", ")
	}
	return "ids such as " + strings.Join(s.ids, ", ") + ", of " + s.columns
}

// identified is a reader that knows which columns it takes ids from. The answer, as in column "Key", is complete after a record.
type identified interface{ idColumns() string }

var (
	_ identified = (*csvReader)(nil)
	_ identified = (*xlsxReader)(nil)
	_ identified = (*jsonReader)(nil)
)

func (r *csvReader) idColumns() string  { return r.table.idColumns() }
func (r *xlsxReader) idColumns() string { return r.table.idColumns() }

func (r *jsonReader) idColumns() string {
	if m := r.best[0]; m != nil {
		return fmt.Sprintf("member %q", shorten(m.name.name))
	}
	return ""
}

func (t *table) idColumns() string {
	names := make([]string, len(t.id))
	for i, at := range t.id {
		names[i] = t.header[at]
	}
	if len(names) == 0 {
		return "no column, as none is called so"
	}
	return "column " + listed(names)
}

// strangers is the error of a second file that has no ticket's id; nil where it has one, or where no ticket lacks its text.
func (b *bodyStore) strangers(name string) error {
	if b.report.Joined > 0 || b.report.Missing == 0 {
		return nil
	}
	return labelError("--bodies: %s has no id of a ticket, so that no text was joined: it has %s; the tickets have %s: say with --bodies-map id=COLUMN, or --map id=COLUMN, which columns hold the same ids",
		name, b.mine.String(), b.theirs.String())
}

type bodyEntry struct {
	hash uint64
	at   int64
}

func newBodyStore(file TempFile) *bodyStore {
	return &bodyStore{file: file, w: bufio.NewWriterSize(file, 1<<18)}
}

// bodyID is how ids of two files are compared: the number sign that some exports write does not count.
func bodyID(id string) string { return strings.TrimPrefix(strings.TrimSpace(id), "#") }

// add keeps the body of an id.
func (b *bodyStore) add(id, body string) error {
	b.entries = append(b.entries, bodyEntry{textHash(id), b.at})
	b.buf = binary.AppendUvarint(b.buf[:0], uint64(len(id)))
	b.buf = append(b.buf, id...)
	b.buf = binary.AppendUvarint(b.buf, uint64(len(body)))
	b.buf = append(b.buf, body...)
	b.at += int64(len(b.buf))
	_, err := b.w.Write(b.buf)
	return err
}

// ready ends the adding.
func (b *bodyStore) ready() error {
	if err := b.w.Flush(); err != nil {
		return err
	}
	slices.SortFunc(b.entries, func(x, y bodyEntry) int { return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.at, y.at)) })
	first := func(x, y bodyEntry) bool { return x.hash == y.hash }
	n := len(b.entries)
	b.entries = slices.CompactFunc(b.entries, first) // the first of its id is kept
	b.report.Repeated = n - len(b.entries)
	b.used = make([]bool, len(b.entries))
	b.report.Unmatched = len(b.entries)
	return nil
}

// find gives the body of an id, and whether there is one.
func (b *bodyStore) find(id string) (string, bool, error) {
	want := textHash(id)
	i, ok := slices.BinarySearchFunc(b.entries, want, func(e bodyEntry, h uint64) int { return cmp.Compare(e.hash, h) })
	if !ok {
		return "", false, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(b.file, b.entries[i].at, b.at-b.entries[i].at), 4<<10)
	var err error
	if b.buf, err = sized(r, b.buf); err != nil {
		return "", false, err
	}
	if !bytes.Equal(b.buf, []byte(id)) {
		return "", false, nil
	}
	if b.buf, err = sized(r, b.buf); err != nil {
		return "", false, err
	}
	if !b.used[i] {
		b.used[i] = true
		b.report.Unmatched--
	}
	return string(b.buf), true, nil
}

// sized reads bytes that stand behind their number.
func sized(r *bufio.Reader, buf []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return buf, err
	}
	buf = slices.Grow(buf[:0], int(n))[:n]
	_, err = io.ReadFull(r, buf)
	return buf, err
}

// join gives a record the body that the second file has for it, if it has none of its own.
func (b *bodyStore) join(rec *Record, from Reader) error {
	if strings.TrimSpace(rec.Body) != "" {
		return nil
	}
	body, ok, err := b.find(bodyID(rec.ID))
	if err != nil {
		return fmt.Errorf("read the temporary file of bodies: %w", err)
	}
	if !ok {
		b.report.Missing++
		b.theirs.add(strings.TrimSpace(rec.ID), from)
		return nil
	}
	rec.Body = body
	b.report.Joined++
	return nil
}
