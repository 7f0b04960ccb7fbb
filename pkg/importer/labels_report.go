package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// LabelReport is what an import found of labels and columns.
type LabelReport struct {
	Labels []LabelCount // sorted by name
	Held   []HeldColumn // in the order of the file
	// Shown are the columns that agents see, in the order of the file.
	Shown []string
	// Tells are columns that agents see although they give a label away.
	Tells []Tell
	// Warnings say what the user should know, a sentence each.
	Warnings []string
}

// LabelCount is one label.
type LabelCount struct {
	Name, Column string
	Usual        bool // taken by its usual name, not by --label or a mapping
	Ordered      bool
	Values       []ValueCount // in the order of the scale
	Missing      int          // tickets without the label
	// Unknown are values that are not on the scale, the most frequent first; at most a thousand are told apart.
	Unknown []ValueCount
}

// ValueCount is a value and how many tickets have it; Line is the first of them.
type ValueCount struct {
	Value       string
	Count, Line int
}

// HeldColumn is a column that agents do not see.
type HeldColumn struct {
	Name string
	Role Role
	Why  string
	// Tickets that have a value in it.
	Tickets int
}

// maxUnknown is how many values that are no label are told apart.
const maxUnknown = 1000

// valueCounts counts values, at most so many different ones.
type valueCounts struct {
	most   int
	counts map[string]*valueCount
	rest   int
}

type valueCount struct{ count, line int }

// add counts a value; it gives false where there are too many different ones.
func (v *valueCounts) add(value string, line int) bool {
	if c, ok := v.counts[value]; ok {
		c.count++
		return true
	}
	if len(v.counts) >= v.most {
		v.rest++
		return false
	}
	if v.counts == nil {
		v.counts = map[string]*valueCount{}
	}
	v.counts[strings.Clone(value)] = &valueCount{1, line}
	return true
}

// sorted gives the values, the most frequent first.
func (v *valueCounts) sorted() []ValueCount {
	out := make([]ValueCount, 0, len(v.counts))
	for value, c := range v.counts {
		out = append(out, ValueCount{value, c.count, c.line})
	}
	slices.SortFunc(out, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return out
}

// tooMany tells whether a label turned out to be none: it has more values than one can have.
func (r *labelRule) tooMany() bool { return r.values.rest > 0 }

// Scales gives the labels of the file for its [Header], those that were found included: call it after the last record. Labels that
// no ticket has are left out, and so are usual columns that turned out to have too many values for a label.
func (l *Labels) Scales() map[string]Scale {
	out := map[string]Scale{}
	for _, r := range l.rules {
		if len(r.values.counts) > 0 && !r.tooMany() {
			out[r.name] = r.scale()
		}
	}
	return out
}

// Check gives an error, after the last record, if a label, --hold or --show names a column that the file does not have, or a label
// that was asked for has too many values, or none in any record. It has [triage.CodeUsage].
func (l *Labels) Check() error {
	for _, r := range l.rules {
		switch {
		case r.usual:
		case !l.has(r.column):
			if l.format.isMail() {
				return labelError("label %s: no column or header %q: the columns are %s; %s", r.name, shorten(r.column), l.names(), mailHint)
			}
			return labelError("label %s: no column %q: the columns are %s", r.name, shorten(r.column), l.names())
		case l.kept > 0 && len(r.values.counts) == 0:
			return l.noValue(r)
		case r.tooMany():
			return labelError("label %s: column %q has more than %d different values: it is not a label", r.name, shorten(r.column), r.values.most)
		}
	}
	for flag, list := range map[string][]string{"--hold": l.opts.Hold, "--show": l.opts.Show} {
		for _, name := range list {
			if !l.has(name) {
				return labelError("%s: no column %q: the columns are %s", flag, shorten(name), l.names())
			}
		}
	}
	return nil
}

func (l *Labels) has(column string) bool {
	return slices.ContainsFunc(l.order, func(c *labelColumn) bool { return same(c.name, column) })
}

// names lists the columns that were seen for a message.
func (l *Labels) names() string {
	const most = 30
	var out []string
	for i, c := range l.order {
		if i == most {
			out = append(out, fmt.Sprintf("… (%d in all)", len(l.order)))
			break
		}
		out = append(out, shorten(c.name))
	}
	if len(out) == 0 {
		return "none but the ticket's text"
	}
	return strings.Join(out, ", ")
}

// Report gives what was found so far.
func (l *Labels) Report() LabelReport {
	var out LabelReport
	for _, r := range l.rules {
		if r.usual && r.tooMany() {
			out.Warnings = append(out.Warnings, fmt.Sprintf("column %q has more than %d different values: it is not taken for label %s",
				r.column, r.values.most, r.name))
			continue
		}
		scale := r.scale()
		c := LabelCount{Name: r.name, Column: r.column, Usual: r.usual, Ordered: scale.Ordered, Missing: r.missing, Unknown: r.unknown.sorted()}
		for _, v := range scale.Values {
			n := ValueCount{Value: v}
			if got := r.values.counts[v]; got != nil {
				n.Count, n.Line = got.count, got.line
			}
			c.Values = append(c.Values, n)
		}
		out.Labels = append(out.Labels, c)
		out.Warnings = append(out.Warnings, r.doubts(&c)...)
	}
	slices.SortFunc(out.Labels, func(a, b LabelCount) int { return strings.Compare(a.Name, b.Name) })
	for _, col := range l.order {
		if col.Role == Shown {
			out.Shown = append(out.Shown, col.name)
		} else {
			out.Held = append(out.Held, HeldColumn{col.name, col.Role, col.Why, col.tickets})
		}
	}
	out.Tells = l.telling()
	for _, t := range out.Tells {
		out.Warnings = append(out.Warnings, t.String())
	}
	return out
}

// doubts says what is odd about a label.
func (r *labelRule) doubts(c *LabelCount) []string {
	out := r.slips()
	const most = 3
	for i, u := range c.Unknown {
		if i == most {
			out = append(out, fmt.Sprintf("label %s: %d further values are not on %s", c.Name, len(c.Unknown)-most, r.where()))
			break
		}
		if u.Value == severalValues {
			out = append(out, fmt.Sprintf("label %s: tickets with several values in column %q, which count as without the label: %d, the first in line %d",
				c.Name, c.Column, u.Count, u.Line))
			continue
		}
		out = append(out, fmt.Sprintf("%s value %q is not on %s: tickets without the label by that: %d, the first in line %d",
			c.Name, u.Value, r.where(), u.Count, u.Line))
	}
	if n := len(r.values.counts); n == 1 {
		out = append(out, fmt.Sprintf("label %s has one value in all tickets: it tells nothing", c.Name))
	}
	return out
}

// where is what messages call the scale.
func (r *labelRule) where() string {
	switch {
	case r.scaleName != "":
		return r.scaleName
	case r.closed == nil:
		return "the list of labels: it is a text"
	}
	return "its scale"
}

// shorten cuts a value for a message at 60 characters.
func shorten(s string) string {
	n := 0
	for i := range s {
		if n == 60 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
