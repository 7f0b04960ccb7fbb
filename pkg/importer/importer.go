// Package importer reads the exports of help desks and writes them as tickets that agents can be judged on: a file of
// JSON Lines, see [Header] and [Line].
//
// What it is: a reader for each format ([Formats], found by content), what each column means ([Role]), labels and their
// scales ([Labels]), and one pass that joins them ([Import]). What it is not: a cleaner of texts or a database; nothing is
// sent anywhere. Start at [Import].
package importer

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"github.com/triagebench/triage/pkg/triage"
)

// Record is one ticket as an export has it, before anything is decided of it. Texts are plain: without HTML, in UTF-8.
type Record struct {
	// Line is where the record begins: the physical line of the file, counted from 1, or, in formats without lines (XLSX, an
	// array of JSON), the row or the item.
	Line int
	// ID, Subject and Body are empty where the export has none.
	ID, Subject, Body string
	// Customer says who asks: an address, an id or a name. It serves splits by customer and is never written or shown.
	Customer string
	// Created is when the ticket came in; the zero time where that is not known.
	Created time.Time
	// Fields are all further columns, in the order of the file. A column that occurs several times (Jira's labels) is one
	// field whose values are joined by a line feed.
	Fields []Field
}

// Field is a further column of a record.
type Field struct {
	Name, Value string
}

// Value gives the value of a field by its name whatever its case, spaces and underscores, and whether there is one.
func (r *Record) Value(name string) (string, bool) {
	for i := range r.Fields {
		if same(r.Fields[i].Name, name) {
			return r.Fields[i].Value, true
		}
	}
	return "", false
}

// Reader gives the records of an export, one after the other. It may also be a [Dialected], a [Warner] and an io.Closer.
type Reader interface {
	// Next gives the next record, which is valid until the next call, or io.EOF after the last. A [*RowError] is about one record:
	// the reader may be asked for the next one. Any other error ends the reading.
	Next() (*Record, error)
}

// RowError says why one record could not be used.
type RowError struct {
	Line int // as in [Record]
	// Reason is one of a few fixed texts, so that records can be counted by it, such as "no text" or "not a JSON object".
	Reason string
	// Detail says more of this one, such as the parser's message; it may be empty.
	Detail string
	// NoTicket says that the row is sound but is other than a ticket, such as a pull request: --strict lets it pass.
	NoTicket bool
}

// Role says what a column is for.
type Role int

// The roles.
const (
	// Shown columns are known when a ticket comes in: agents see them.
	Shown Role = iota
	// Later columns are known only after triage (resolution, satisfaction, tags, replies …). They never reach an agent.
	Later
	// Person columns say who somebody is (name, address, phone, id). They never reach an agent: they say nothing of what is
	// asked, and they are personal.
	Person
	// Outcome columns are what a desk decided (priority, group, type). They can be labels, and never reach an agent.
	Outcome
	// Ignored columns are links, ids and other plumbing.
	Ignored
)

// Column is what is known of one column of a format.
type Column struct {
	Role Role
	// Why says in a few words why it is held back; it is empty for Shown columns.
	Why string
}

// Format is one kind of export.
type Format struct {
	// Name is what --from calls it, such as zendesk-csv, and Title what people call it.
	Name, Title string
	// Detect tells how sure it is, 0..100, that a file which begins with head (at most 64 KiB, unpacked, as it is in the file)
	// and is called name is of this format. Generic formats (csv, jsonl) are at most 10 sure.
	Detect func(head []byte, name string) int
	// Open begins to read; OpenFolder reads a folder (Maildir) and is nil for formats that are files.
	Open       func(in *Input) (Reader, error)
	OpenFolder func(folder fs.FS, name string) (Reader, error)
	// Column says what a column of this format is; ok is false for columns that it does not know, which general rules decide.
	Column func(name string) (c Column, ok bool)
	// Priority is the desk's own scale of priorities, the least serious first, each with its step of ours; nil where it has none.
	Priority []Step
}

// Step maps a value of a desk's scale to ours.
type Step struct {
	Value string         // as the desk writes it; it is compared without case and outer spaces
	Ours  triage.Urgency // low, medium, high, critical
}

// Input is one file, unpacked, that is read from its beginning to its end.
type Input struct {
	// Name is what errors call the file.
	Name string
	// Read gives its bytes. Formats that need to jump (XLSX) use At and Size, which are nil and 0 where the file is a stream; then
	// they keep the file in a temporary one made by Temp.
	Read io.Reader
	At   io.ReaderAt
	Size int64
	// Map says by the names of parts (id, subject, body, customer, created) which column a user wants each from; it may be nil.
	Map map[string]string
	// Sheet is the sheet of a workbook that a user wants; empty for the first that has a header.
	Sheet string
	// Temp makes a temporary file, which goes away when the import ends.
	Temp func() (TempFile, error)
}

// TempFile is a temporary file.
type TempFile interface {
	io.ReadWriteSeeker
	io.ReaderAt
}

// Header is the first line of a file of tickets.
type Header struct {
	Schema string           `json:"schema"` // SchemaTickets
	Source string           `json:"source"` // the format's name
	Labels map[string]Scale `json:"labels"`
	// Redacted says that --redact was given. Split says how the sides were made: time, customer, random, or empty where there
	// are none.
	Redacted bool   `json:"redacted"`
	Split    string `json:"split,omitempty"`
}

// SchemaTickets names the form of a file of tickets.
const SchemaTickets = "triage.tickets/1"

// Scale is what values a label may have.
type Scale struct {
	// Ordered says that Values ascend in seriousness.
	Ordered bool     `json:"ordered"`
	Values  []string `json:"values"`
}

// Line is one ticket of such a file. Only Subject, Body and Fields reach an agent.
type Line struct {
	ID      string            `json:"id"`
	Subject string            `json:"subject"`
	Body    string            `json:"body"`
	Created string            `json:"created,omitempty"` // RFC 3339, UTC
	Split   string            `json:"split,omitempty"`   // train or test
	Labels  map[string]string `json:"labels"`            // a ticket may lack some of them
	Fields  map[string]string `json:"fields"`
}

// Progress is told how far an import is: bytes of the input that were read, of how many (0 where that is not known), and
// tickets so far.
type Progress func(read, size int64, tickets int)

// same tells whether two names of columns are the same but for case, spaces, underscores and hyphens.
func same(a, b string) bool { return fold(a) == fold(b) }

// fold gives a column's name as it is compared: lower case, without spaces, underscores and hyphens.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Error gives the line and the reason.
func (e *RowError) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Reason, e.Detail)
}
