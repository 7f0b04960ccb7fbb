package compare

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// number writes a figure with 3 decimals, or with 2 digits where it is smaller.
func number(v float64) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v):
		return "not known"
	case size != 0 && size < 0.001:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case size >= 1000 && v == math.Trunc(v) && size < 1e15:
		return whole(int(v))
	}
	out := strconv.FormatFloat(v, 'f', 3, 64)
	out = strings.TrimSuffix(strings.TrimRight(out, "0"), ".")
	if out == "-0" {
		return "0"
	}
	return out
}

// against writes an end of an interval, with more digits where it would look like the margin that it is not.
func against(v, margin float64) string {
	out := number(v)
	if v != margin && out == number(margin) {
		out = strconv.FormatFloat(v, 'f', 6, 64)
	}
	return out
}

// whole writes a whole number with commas between thousands.
func whole(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// roughly rounds up to two digits where there are four or more: more of a number that follows from an estimate means nothing.
func roughly(n int) int {
	unit := 1
	for n/unit >= 1000 || unit > 1 && n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// counted writes so many of something that ends in s.
func counted(n int, units string) string {
	if n == 1 {
		units = strings.TrimSuffix(units, "s")
	}
	return whole(n) + " " + units
}

// printable is a name for messages, without characters that do not print, and shortened.
func printable(name string) string {
	const most = 60
	out := []rune(strings.ToValidUTF8(name, "?"))
	for i, r := range out {
		if !unicode.IsPrint(r) {
			out[i] = '?'
		}
	}
	if len(out) > most {
		return string(out[:most]) + "…"
	}
	return string(out)
}

// listed writes names with commas, the first few of many.
func listed(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + whole(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

func unitsOf(t *TaskComparison) string {
	if t.Units == "" {
		return "tickets"
	}
	return t.Units
}
