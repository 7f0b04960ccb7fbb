package report

import (
	"encoding/json"
	"io"
	"math"

	"github.com/triagebench/triage/pkg/triage"
)

// JSON prints the report as one object: a list of rows for each table, and the report's values. Numbers have 6 decimals,
// what is not finite is null.
func JSON(w io.Writer, r *Report) error {
	out := map[string]any{}
	for i := range r.Tables {
		t := &r.Tables[i]
		intervals := make([]bool, len(t.Columns)) // looked up once: it looks at all rows
		for k := range t.Columns {
			intervals[k] = hasInterval(t, k)
		}
		all := t.all()
		rows := make([]map[string]any, len(all))
		for j, row := range all {
			rows[j] = map[string]any{}
			for k, c := range row {
				if _, ok := c.(Interval); !ok && intervals[k] {
					rows[j][t.Columns[k].Key+intervalKey] = nil
				}
				set(rows[j], t.Columns[k].Key, c)
			}
		}
		out[t.Name] = rows
	}
	for k, v := range r.Values {
		set(out, k, v)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// intervalKey ends the key of a value's interval.
const intervalKey = "_ci95"

func set(into map[string]any, key string, c Cell) {
	switch v := c.(type) {
	case Bound:
		into[key] = finite(v.Value)
	case Answer:
		into[key] = v.Text
		if v.JSON != nil {
			into[key] = v.JSON
		}
	case float64:
		into[key] = finite(v)
	case Chance:
		into[key] = finite(float64(v))
	case Interval:
		into[key] = finite(v.Value)
		into[key+intervalKey] = nil
		if finite(v.Low) != nil && finite(v.High) != nil {
			into[key+intervalKey] = []any{finite(v.Low), finite(v.High)}
		}
	default:
		into[key] = c
	}
}

func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return json.RawMessage(triage.AppendRounded(nil, v))
}
