package export

import (
	"io"
	"math"
	"strconv"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// jsonlWriter writes a line a ticket.
type jsonlWriter struct {
	w       io.Writer
	columns []column
	parts   map[string]bool
	enc     triage.Encoder
}

var _ Writer = (*jsonlWriter)(nil)

// NewJSONL writes a line of JSON a ticket: one flat object with the same keys in each line, null for what there is not, numbers
// with at most 6 decimals (cost_usd 9), texts as they are. The keys of parts are those of [PartsOf]; a ticket with another part is an
// error.
func NewJSONL(w io.Writer, parts []string) Writer {
	j := &jsonlWriter{w: w, columns: columnsOf(parts), parts: map[string]bool{}}
	for _, p := range parts {
		j.parts[p] = true
	}
	return j
}

// Episode writes the lines of an episode.
func (j *jsonlWriter) Episode(src *Source, ep *results.Logged) error {
	list, err := Tickets(ep)
	if err != nil {
		return err
	}
	return rows(src, list, func(r *row) error {
		if err := checkParts(r, j.parts); err != nil {
			return err
		}
		e := &j.enc
		e.Buf = append(e.Buf[:0], '{')
		for i, x := range j.columns {
			if i > 0 {
				e.Buf = append(e.Buf, ',')
			}
			e.String(x.key) // label columns have any name
			e.Buf = append(e.Buf, ':')
			appendValue(e, x.value(r))
		}
		e.Buf = append(e.Buf, '}', '\n')
		_, err := j.w.Write(e.Buf)
		return err
	})
}

// Close does nothing: the last line is complete.
func (j *jsonlWriter) Close() error { return nil }

// appendValue appends the JSON of a column's value.
func appendValue(e *triage.Encoder, v any) {
	switch v := v.(type) {
	case nil:
		e.Buf = append(e.Buf, "null"...)
	case string:
		e.String(v)
	case int:
		e.Buf = strconv.AppendInt(e.Buf, int64(v), 10)
	case int64:
		e.Buf = strconv.AppendInt(e.Buf, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			e.Buf = append(e.Buf, "null"...)
			return
		}
		e.Buf = triage.AppendRounded(e.Buf, v)
	case bool:
		e.Buf = strconv.AppendBool(e.Buf, v)
	case money:
		e.Buf = v.append(e.Buf)
	case []string:
		e.Buf = append(e.Buf, '[')
		for i, s := range v {
			if i > 0 {
				e.Buf = append(e.Buf, ',')
			}
			e.String(s)
		}
		e.Buf = append(e.Buf, ']')
	}
}
