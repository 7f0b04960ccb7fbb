package importer

import (
	"fmt"
	"strings"
)

// slips says which values of the mapping no record has, with the nearest that one has and the mapping does not name.
func (r *labelRule) slips() []string {
	if r.entry == nil {
		return nil
	}
	const most = 5
	var out []string
	n := 0
	for _, v := range r.entry.Values {
		if v.Theirs == "" || r.used[v.Theirs] || r.used[lowered(v.Theirs)] {
			continue
		}
		if n++; n > most {
			continue
		}
		text := fmt.Sprintf("label %s: the mapping names the value %q, which column %q never has", r.name, shorten(v.Theirs), shorten(r.column))
		if near, ok := r.nearest(v.Theirs); ok {
			text += fmt.Sprintf("; it has %q in %s, which the mapping does not name", shorten(near.Value), plural(near.Count, "row"))
		}
		out = append(out, text)
	}
	if n > most {
		out = append(out, fmt.Sprintf("label %s: the mapping names %d further values that column %q never has", r.name, n-most, shorten(r.column)))
	}
	return out
}

// nearest gives the value that is the most alike to one of the mapping, of those that the mapping does not name.
func (r *labelRule) nearest(to string) (ValueCount, bool) {
	a := letters(to)
	rest := r.others.sorted()
	for k := 0; k <= 3 && 3*k <= len([]rune(a)); k++ {
		for _, v := range rest {
			if b := letters(v.Value); b != "" && len(b) <= maxTheirs && within(a, b, k) {
				return v, true
			}
		}
	}
	return ValueCount{}, false
}

// noValue is the error of a label that no record has, with what to do about it.
func (l *Labels) noValue(r *labelRule) error {
	column := shorten(r.column)
	head := fmt.Sprintf("label %s: no ticket has a value of it", r.name)
	others := someValues(r.others.sorted())
	switch unknown := r.unknown.sorted(); {
	case len(unknown) > 0 && r.where() == "its scale":
		return labelError("%s: column %q has several values, or texts: %s", head, column, someValues(unknown))
	case len(unknown) > 0:
		return labelError("%s: what column %q has is not on %s: %s; correct the scale, or map the values to it (--mapping, --suggest drafts one)",
			head, column, r.where(), someValues(unknown))
	case r.entry != nil && len(r.others.counts) > 0 && r.entry.Other.Do == OtherNone:
		slips := ""
		if list := r.slips(); len(list) > 0 {
			slips = " (" + strings.TrimPrefix(list[0], "label "+r.name+": ") + ")"
		}
		return labelError("%s: the mapping names none of the values of column %q and says other: none; the column has %s%s: name them under values, or say other: keep",
			head, column, others, slips)
	case r.filed && l.filled(r.column) > 0:
		return labelError("%s: column %q has labels that a program gave only, such as Inbox and Unread: name another column; %s", head, column, mailHint)
	case r.list && l.filled(r.column) > 0:
		return labelError("%s: column %q has lists, of which the values behind its own name are taken, as in %s/billing or %s: billing; a mapping says which others are one (--suggest drafts it)",
			head, column, r.name, r.name)
	case l.filled(r.column) > 0:
		return labelError("%s: the mapping makes null of all values of column %q: name one that is kept, or leave the label out", head, column)
	}
	return labelError("%s: column %q is empty in all of them: name another column, or leave the label out", head, column)
}

// filled is how many records have a value in a column.
func (l *Labels) filled(column string) int {
	n := 0
	for _, c := range l.order {
		if same(c.name, column) {
			n += c.met
		}
	}
	return n
}

// someValues lists the most frequent values for a message.
func someValues(list []ValueCount) string {
	const most = 5
	var out []string
	for i, v := range list {
		if i == most {
			out = append(out, fmt.Sprintf("… (%d in all)", len(list)))
			break
		}
		out = append(out, fmt.Sprintf("%q (%d)", shorten(v.Value), v.Count))
	}
	return strings.Join(out, ", ")
}
