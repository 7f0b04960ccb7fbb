package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// cell is one value of a record. Those of a CSV record stand in the order of the header, those of a JSON object sorted
// by name.
type cell struct {
	name, text string
	list       bool // a JSON array
}

type record []cell

// get finds the cell of a column; one that is not there is empty.
func (r record) get(c ref) cell {
	if c.at >= 0 {
		return r[c.at]
	}
	i, ok := slices.BinarySearchFunc(r, c.name, func(a cell, name string) int { return strings.Compare(a.name, name) })
	if !ok {
		return cell{}
	}
	return r[i]
}

// maxDepth is how deep objects are taken apart; what lies deeper is given as JSON.
const maxDepth = 8

// parseObject takes a JSON object apart. Names of nested values are joined by dots.
func parseObject(data []byte) (record, error) {
	data = bytes.Trim(data, " \t\r\n") // as blank does: never empty
	if data[0] != '{' {
		return nil, bad("it is not a JSON object: %s", shorten(string(data[:min(len(data), 200)])))
	}
	var rec record
	if err := flatten(&rec, "", data, 1); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, bad("broken JSON at byte %d of the line: %v", syntax.Offset, err)
		}
		return nil, bad("broken JSON: %v", err)
	}
	slices.SortStableFunc(rec, func(a, b cell) int { return strings.Compare(a.name, b.name) })
	return rec, nil
}

// flatten adds the fields of the object in data to rec.
func flatten(rec *record, prefix string, data []byte, depth int) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names) // two names may make the same dotted one: which comes first must not hang on the map
	for _, name := range names {
		value, full := fields[name], prefix+name
		if value[0] == '{' && depth < maxDepth {
			if err := flatten(rec, full+".", value, depth+1); err != nil {
				return err
			}
			continue
		}
		text, err := render(value)
		if err != nil {
			return err
		}
		*rec = append(*rec, cell{name: full, text: text, list: value[0] == '['})
	}
	return nil
}

// render gives a value as text: strings as they are, null and empty lists as nothing, numbers and booleans as written,
// the rest as JSON without spaces.
func render(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var s string
		err := json.Unmarshal(value, &s)
		return s, err
	case 'n':
		return "", nil
	case '[', '{':
		var b bytes.Buffer
		if err := json.Compact(&b, value); err != nil {
			return "", err
		}
		if b.Len() == len("[]") {
			return "", nil
		}
		return b.String(), nil
	}
	return string(value), nil
}

// The columns of a JSONL file are those of its first objects.
const (
	sampleRows  = 100
	sampleBytes = 4 << 20
)

// sample reads the first objects and gives the names of their fields, sorted, and the first line that is no object.
func sample(c *cursor, decode func([]byte) []byte) (names []string, wrong *RowError, err error) {
	seen := map[string]bool{}
	end := c.pos + sampleBytes
	for n := 0; n < sampleRows && c.pos < end; n++ {
		row, err := nextLine(c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		rec, problem := record(nil), row.problem
		if problem == nil {
			rec, problem = parseObject(decode(row.data))
		}
		if problem != nil && wrong == nil {
			wrong = &RowError{Line: row.line, Reason: problem.Error()}
		}
		for _, cell := range rec {
			if len(seen) < maxColumns {
				seen[cell.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), wrong, nil
}

// jsonLayout is one JSON object a line.
type jsonLayout struct{}

func (jsonLayout) next(c *cursor) (raw, error) { return nextLine(c) }

func (jsonLayout) parser() func([]byte) (record, error) { return parseObject }
