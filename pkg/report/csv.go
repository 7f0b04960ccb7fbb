package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/triagebench/triage/pkg/triage"
)

// CSV prints the tables one after the other, each with a header and the table's name in the first column. Texts that a
// spreadsheet would take for a formula are quoted with an apostrophe.
func CSV(w io.Writer, r *Report) error {
	out := csv.NewWriter(w)
	for i := range r.Tables {
		t := &r.Tables[i]
		header := []string{"table"}
		wide := make([]bool, len(t.Columns)) // columns of a value and its bounds
		for j, c := range t.Columns {
			header = append(header, c.Key)
			if wide[j] = hasInterval(t, j); wide[j] {
				header = append(header, c.Key+"_low", c.Key+"_high")
			}
		}
		if err := out.Write(header); err != nil {
			return err
		}
		for _, row := range t.all() {
			record := []string{t.Name}
			for j, c := range row {
				record = append(record, machine(c)...)
				if _, ok := c.(Interval); wide[j] && !ok {
					record = append(record, "", "")
				}
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func hasInterval(t *Table, column int) bool {
	for _, row := range t.all() {
		if _, ok := row[column].(Interval); ok {
			return true
		}
	}
	return false
}

func machine(c Cell) []string {
	switch v := c.(type) {
	case nil:
		return []string{""}
	case Bound:
		return []string{number(v.Value)}
	case float64:
		return []string{number(v)}
	case Chance:
		return []string{number(float64(v))}
	case Interval:
		return []string{number(v.Value), number(v.Low), number(v.High)}
	case Answer:
		return machine(v.Text)
	case bool:
		return []string{strconv.FormatBool(v)}
	case string:
		v = strings.Map(func(r rune) rune { // a cell may have lines; nothing in it steers a terminal
			if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
				return ' '
			}
			return r
		}, v)
		if v != "" && strings.ContainsRune("=+-@\t\r\n", rune(v[0])) {
			v = "'" + v
		}
		return []string{v}
	}
	return []string{fmt.Sprint(c)}
}

func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return string(triage.AppendRounded(nil, v))
}
