// Package report prints tables: one [Report], a file per format. Numbers stay numbers until the formats for people round
// them. It computes nothing.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// Cell is a value of a table: a string, an int, a float64, a bool, an [Interval], an [Answer] or nil.
type Cell any

// Answer is what an agent answered: a text for people and in CSV, and in JSON the value itself, where it is JSON.
type Answer struct {
	Text string
	JSON json.RawMessage // nil where it is none
}

// Interval is a value with its 95 % interval; NaN bounds mean that there is none.
type Interval struct{ Value, Low, High float64 }

// Bound is a number that a value has to reach, with its sign for people, such as ">" or "≥".
type Bound struct {
	Sign  string
	Value float64
}

// Chance is a probability: people see "< 0.001" where it would be rounded to 0.
type Chance float64

// Column describes a column: its title for people and its key for machines. Places is how many decimals people see.
type Column struct {
	Title, Key string
	Places     int
	Text       bool // left-aligned
	Width      int  // longer texts are broken into lines in tables for people; 0 for never
	Hidden     bool // for machines only
}

// Table is a table with a title and notes below it.
type Table struct {
	Name    string // for machines
	Title   string
	Columns []Column
	Rows    [][]Cell
	More    [][]Cell // rows for machines only, which come after Rows
	Notes   []string
}

// all are the rows for machines.
func (t *Table) all() [][]Cell {
	if len(t.More) == 0 {
		return t.Rows
	}
	return slices.Concat(t.Rows, t.More)
}

// forPeople is the table without what is for machines only.
func (t *Table) forPeople() *Table {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Hidden }) {
		return t
	}
	out := &Table{Name: t.Name, Title: t.Title, Notes: t.Notes, Rows: make([][]Cell, len(t.Rows))}
	for i, c := range t.Columns {
		if c.Hidden {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// Report is a list of tables with closing lines.
type Report struct {
	Tables []Table
	// Lines are printed below the tables by the formats for people; Values are the same facts for machines.
	Lines  []string
	Values map[string]Cell
}

// Format prints a report.
type Format func(w io.Writer, r *Report) error

// Formats are the formats by name.
func Formats() map[string]Format {
	return map[string]Format{"table": Text, "json": JSON, "csv": CSV, "markdown": Markdown}
}

// FormatNames lists the formats, sorted, with table first.
func FormatNames() []string {
	out := []string{"table"}
	for n := range Formats() {
		if n != "table" {
			out = append(out, n)
		}
	}
	sort.Strings(out[1:])
	return out
}

// people renders a cell for people.
func people(c Cell, places int) string {
	switch v := c.(type) {
	case nil:
		return "–"
	case string:
		return oneLine(v)
	case Answer:
		return oneLine(v.Text)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int:
		return strconv.Itoa(v)
	case float64:
		return decimal(v, places)
	case Bound:
		return v.Sign + " " + decimal(v.Value, places)
	case Chance:
		if least := math.Pow10(-places); v >= 0 && float64(v) < least {
			return "< " + decimal(least, places)
		}
		return decimal(float64(v), places)
	case Interval:
		if math.IsNaN(v.Low) || math.IsNaN(v.High) {
			return decimal(v.Value, places)
		}
		return fmt.Sprintf("%s [%s, %s]", decimal(v.Value, places), decimal(v.Low, places), decimal(v.High, places))
	}
	return fmt.Sprint(c)
}

// oneLine makes control characters spaces: a cell is one line, and no text of a ticket steers a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// decimal rounds for people: what lies in the middle goes away from 0, so that a figure and its negative have the same digits. What
// differs in the tenth place only, as sums of another order do, is the same number.
func decimal(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	const kept, most = 9, 1e9
	if places < kept && math.Abs(v) < most {
		n, unit := int64(math.Round(float64(v*most))), int64(math.Pow10(kept-places))
		half := unit / 2
		if n < 0 {
			half = -half
		}
		v = float64((n+half)/unit) / math.Pow10(places)
	}
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}
