package costs

import (
	"fmt"
	"slices"
	"strings"
)

// Fit holds the matrix against the fields that are played. An error has [triage.CodeUsage] and names the line, the value and what is
// allowed: an unknown label or value, steps of a label without an order, or a wrong answer that has no cost.
func (d *Draft) Fit(fields []Field) (*Matrix, error) {
	m := &Matrix{Unit: cut(d.unit), Name: d.name, labels: map[string]*label{}, refused: d.refused}
	for i := range d.labels {
		l := &d.labels[i]
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == l.name })
		if at < 0 {
			return nil, d.refuse(l.line, "unknown label %q; the labels are %s", cut(l.name), namesOf(fields))
		}
		fitted, err := d.fitLabel(l, fields[at])
		if err != nil {
			return nil, err
		}
		m.labels[l.name] = fitted
	}
	return m, nil
}

func (d *Draft) fitLabel(l *draftLabel, f Field) (*label, error) {
	if l.ordered && !f.Ordered {
		return nil, d.refuse(l.orderedLine, "%s has no order of its values, so that it has no steps; give costs or wrong", cut(l.name))
	}
	out := &label{field: f, pairs: map[[2]string]float64{}, wrong: l.wrong, ordered: l.ordered}
	if l.ordered {
		out.under, out.over = *l.under, *l.over
	}
	for _, p := range l.pairs {
		for _, x := range []struct {
			value string
			line  int
		}{{p.truth, p.truthLine}, {p.answer, p.answerLine}} {
			if _, ok := f.place(x.value); !ok {
				return nil, d.refuse(x.line, "%s: unknown value %q; allowed is %s", cut(l.name), cut(x.value), f.allowed())
			}
		}
		out.pairs[[2]string{p.truth, p.answer}] = p.cost
	}
	if err := d.whole(l, out); err != nil {
		return nil, err
	}
	if l.missing != nil {
		out.missing = *l.missing
	} else {
		out.missing = out.dearest()
	}
	return out, nil
}

// whole refuses a label of which a wrong answer has no cost.
func (d *Draft) whole(l *draftLabel, m *label) error {
	if m.ordered || m.wrong != nil {
		return nil
	}
	if m.field.Values == nil {
		return d.refuse(l.line, "%s is a number: give ordered or wrong, as costs cannot name every pair", cut(l.name))
	}
	n, first := 0, ""
	for _, truth := range m.field.Values {
		for _, answer := range m.field.Values {
			if _, ok := m.pairs[[2]string{truth, answer}]; !ok && truth != answer {
				if n++; n == 1 {
					first = cut(truth) + " answered as " + cut(answer)
				}
			}
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return d.refuse(l.line, "%s: %s has no cost; give it, or wrong for all that costs do not name", cut(l.name), first)
	}
	return d.refuse(l.line, "%s: %d wrong answers have no cost, such as %s; give them, or wrong for all that costs do not name", cut(l.name), n, first)
}

// dearest is the highest cost of a wrong answer of the label.
func (l *label) dearest() float64 {
	most := 0.0
	if l.wrong != nil && !l.ordered {
		most = *l.wrong
	}
	if l.ordered {
		steps := l.field.High - l.field.Low
		if l.field.Values != nil {
			steps = len(l.field.Values) - 1
		}
		most = max(float64(l.under*float64(steps)), float64(l.over*float64(steps)))
	}
	for _, v := range l.pairs { // a highest value depends on no order
		most = max(most, v)
	}
	return most
}

// allowed says which values a field may have.
func (f *Field) allowed() string {
	const most = 12
	switch {
	case f.Values == nil:
		return fmt.Sprintf("an integer from %d to %d", f.Low, f.High)
	case len(f.Values) > most:
		return fmt.Sprintf("one of %s … (%d in all)", cutAll(f.Values[:most]), len(f.Values))
	}
	return "one of " + cutAll(f.Values)
}

func cutAll(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = cut(v)
	}
	return strings.Join(out, ", ")
}

func namesOf(fields []Field) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return cutAll(names)
}
