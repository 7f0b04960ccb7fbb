package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// ByteOrderMark begins a CSV file that Excel is to take for UTF-8.
const ByteOrderMark = "\ufeff"

// mostCell is how many characters a cell may have: spreadsheets hold 32,767.
const mostCell = 32_000

// csvWriter writes a row a ticket.
type csvWriter struct {
	w       *csv.Writer
	columns []column
	parts   map[string]bool
	begun   bool
	record  []string
}

var _ Writer = (*csvWriter)(nil)

// NewCSV writes a row a ticket, with a header. The columns of parts are those of [PartsOf]; a ticket with another part is an
// error. Texts cannot become formulas in a spreadsheet, control characters are replaced, and newlines stand inside quotes.
func NewCSV(w io.Writer, parts []string) Writer {
	c := &csvWriter{w: csv.NewWriter(w), parts: map[string]bool{}}
	for _, p := range parts {
		c.parts[p] = true
	}
	for _, x := range columnsOf(parts) {
		if !x.wide {
			c.columns = append(c.columns, x)
		}
	}
	return c
}

// Episode writes the rows of an episode.
func (c *csvWriter) Episode(src *Source, ep *results.Logged) error {
	list, err := Tickets(ep)
	if err != nil {
		return err
	}
	if err := c.header(); err != nil {
		return err
	}
	return rows(src, list, func(r *row) error {
		if err := checkParts(r, c.parts); err != nil {
			return err
		}
		c.record = c.record[:0]
		for _, x := range c.columns {
			c.record = append(c.record, csvCell(x.value(r)))
		}
		return c.w.Write(c.record)
	})
}

// checkParts refuses parts without a column, so that nothing is left out silently.
func checkParts(r *row, parts map[string]bool) error {
	if r.Score == nil {
		return nil
	}
	for i := range r.Score.Parts {
		if name := r.Score.Parts[i].Name; !parts[name] {
			return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s: its part %q has no column: the runs do not have the same labels; report them one by one", r.Key, name)}
		}
	}
	return nil
}

func (c *csvWriter) header() error {
	if c.begun {
		return nil
	}
	c.begun = true
	for _, x := range c.columns {
		c.record = append(c.record, csvText(x.key))
	}
	return c.w.Write(c.record)
}

// Close writes the header, if there was no episode, and what is buffered.
func (c *csvWriter) Close() error {
	if err := c.header(); err != nil {
		return err
	}
	c.w.Flush()
	return c.w.Error()
}

func csvCell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return csvText(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return string(triage.AppendRounded(nil, v))
	case bool:
		return strconv.FormatBool(v)
	case money:
		return string(v.append(nil))
	case []string:
		return csvText(strings.Join(v, " "))
	}
	return csvText(fmt.Sprint(v))
}

// csvText makes a text safe for a cell: control characters and what is no UTF-8 are replaced, line ends are one character, and
// what a spreadsheet would take for a formula gets an apostrophe before it. That holds at the beginning, also after spaces and
// quotes, and after a newline, tab or semicolon: where semicolons separate cells, a file that is opened by a double click falls apart
// there.
func csvText(s string) string {
	if isNumber(s) {
		return s
	}
	s = clip(s, mostCell)
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f || strings.ContainsRune(formulaSigns+";", r) }) {
		return s
	}
	var b strings.Builder
	begin := true // of what a spreadsheet may take for a cell
	for i, r := range s {
		switch {
		case r == '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
			r = '\n'
		case r == '\t':
			r, begin = ' ', true
		case r == '\n':
		case unicode.IsControl(r) || r == 0xfffe || r == 0xffff || unicode.Is(unicode.Bidi_Control, r):
			r = utf8.RuneError
		}
		if begin && strings.ContainsRune(formulaSigns, r) {
			b.WriteByte('\'')
		}
		b.WriteRune(r)
		begin = r == '\n' || r == ';' || begin && (unicode.IsSpace(r) || strings.ContainsRune("\"'“”„‘’`\ufeff\u200b", r))
	}
	return b.String()
}

// formulaSigns begin formulas, also in their full-width forms.
const formulaSigns = "=+-@＝＋－＠"

// isNumber tells whether a text is a plain decimal number, which may stay what it is.
func isNumber(s string) bool {
	digits, points := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-' && i == 0:
		case c == '.' && digits > 0:
			points++
		case c >= '0' && c <= '9':
			digits++
		default:
			return false
		}
	}
	return digits > 0 && points < 2 && s[len(s)-1] != '.'
}

// clip cuts a text to a number of characters, and says so.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return fmt.Sprintf("%s… (%d more bytes)", s[:i], len(s)-i)
		}
		n++
	}
	return s
}
