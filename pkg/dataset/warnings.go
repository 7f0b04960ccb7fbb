package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// warnings says what was decided about the file that its owner may not expect. other is the line that is not UTF-8, twice
// whether ids occur twice.
func (s *scan) warnings(columns []Column, other int, twice bool) []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if s.enc == Windows1252 {
		warn("line %d is not valid UTF-8: the whole file is read as Windows-1252", other)
	}
	if s.utf8Rows > 0 {
		warn("records that look like UTF-8 in a file that is not: %d, the first in line %d; their texts may be garbled",
			s.utf8Rows, s.utf8Line)
	}
	if len(s.renamed) > 0 {
		warn("columns of the same name were renamed: %s", listed(s.renamed))
	}
	if s.plan.body == nil {
		warn("no column has the tickets' body: agents see the subject, column %q, only (--map body=COLUMN names one)",
			s.plan.subject.name)
	}
	if twice {
		warn("ids in column %q occur twice: tickets are called row-LINE by the line they begin on", s.plan.id.name)
	}
	for _, column := range slices.Sorted(maps.Keys(s.except)) {
		warn("column %q has more than %d different values: it is not taken for a label", column, MaxValues)
	}
	for _, c := range columns {
		out = append(out, c.doubts()...)
	}
	var shown, held []string
	for _, name := range s.names {
		if s.plan.shown[name] {
			shown = append(shown, name)
		} else if !s.plan.parts[name] {
			held = append(held, name)
		}
	}
	if len(shown) > 0 {
		warn("agents see these columns as fields: %s", listed(shown))
	}
	if len(held) > 0 {
		warn("agents do not see these columns, which are labels, known only after triage, or personal: %s", listed(held))
	}
	return out
}

// doubts says what is odd about the values of a label column.
func (c Column) doubts() []string {
	var out, single, unused []string
	folded := map[string][]string{}
	for i, v := range c.Values {
		switch c.Counts[i] {
		case 0:
			unused = append(unused, v)
		case 1:
			single = append(single, v)
		}
		folded[strings.ToLower(v)] = append(folded[strings.ToLower(v)], v)
	}
	if len(c.Values)-len(unused) == 1 {
		out = append(out, fmt.Sprintf("label %s has one value in all tickets: it tells nothing", c.Name))
	}
	for _, key := range slices.Sorted(maps.Keys(folded)) {
		if len(folded[key]) > 1 {
			out = append(out, fmt.Sprintf("label %s has values that differ in case only: %s", c.Name, listed(folded[key])))
		}
	}
	if len(unused) > 0 {
		out = append(out, fmt.Sprintf("label %s: no ticket has %s", c.Name, listed(unused)))
	}
	if len(single) > 0 {
		out = append(out, fmt.Sprintf("label %s: one ticket only has %s", c.Name, listed(single)))
	}
	return out
}
