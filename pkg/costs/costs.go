// Package costs says what wrong answers cost: it reads a cost matrix, prices the graded answers of episodes, and finds the confidence
// from which on an answer is cheaper than handing the ticket over. It grades nothing and changes no score. Start at [Read].
package costs

import (
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// Field is a field of an answer that may have costs.
type Field struct {
	Name string // on the wire; of imported tickets the column
	// Values are the words that it may have, in their order where Ordered. Nil for integers, which are ordered.
	Values  []string
	Ordered bool
	// Low and High bound an integer, both allowed.
	Low, High int
}

// BankFields are the fields of both tracks that may have costs: all but the recommendation, which is a text.
func BankFields() []Field {
	const days = 7
	return []Field{
		{Name: triage.FieldRoute, Values: texts(triage.Routes())},
		{Name: triage.FieldUrgency, Values: texts(triage.Urgencies()), Ordered: true},
		{Name: triage.FieldDifficulty, Values: texts(triage.Resolutions()), Ordered: true},
		{Name: triage.FieldPriorityScore, Ordered: true, High: 100},
		{Name: triage.FieldCategory, Values: texts(triage.Categories())},
		{Name: triage.FieldPriority, Values: texts(triage.Priorities()), Ordered: true},
		{Name: triage.FieldUrgencyDays, Ordered: true, Low: 1, High: days},
		{Name: triage.FieldDepartment, Values: texts(triage.Departments())},
	}
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// place is where a value stands on the field's scale; ok is false where it is none of the field's.
func (f *Field) place(value string) (int, bool) {
	if f.Values != nil {
		i := slices.Index(f.Values, value)
		return i, i >= 0
	}
	v, err := strconv.Atoi(value)
	return v, err == nil && v >= f.Low && v <= f.High
}

// Matrix prices answers. It comes from [Draft.Fit].
type Matrix struct {
	// Unit is what the costs are counted in, as the file has it; it may be empty.
	Unit string
	// Name is the file's.
	Name    string
	labels  map[string]*label
	refused *float64
}

// label has the costs of one field.
type label struct {
	field       Field
	pairs       map[[2]string]float64 // truth, answer
	wrong       *float64
	under, over float64 // a step
	ordered     bool
	missing     float64
}

// of is what an answer costs, of which the right one is known.
func (l *label) of(want, got string) float64 {
	if got == "" {
		return l.missing
	}
	if v, ok := l.pairs[[2]string{want, got}]; ok {
		return v
	}
	if got == want {
		return 0
	}
	if l.ordered {
		w, ok := l.field.place(want)
		g, ok2 := l.field.place(got)
		switch {
		case !ok || !ok2:
		case g < w:
			return float64(l.under * float64(w-g))
		default:
			return float64(l.over * float64(g-w))
		}
	}
	if l.wrong != nil {
		return *l.wrong
	}
	return l.missing // not reached: each pair has a cost
}

// Labels are the names of the fields that have costs, sorted.
func (m *Matrix) Labels() []string {
	out := make([]string, 0, len(m.labels))
	for name := range m.labels {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// cost is what a graded answer costs over all fields that have costs; ok is false where none of them was graded. refused says that
// the answer was refused or did not come.
func (m *Matrix) cost(s *triage.Score, field func(part string) string, refused bool) (cost float64, ok bool) {
	for i := range s.Parts { // in the order of the parts, which is that of the track
		p := &s.Parts[i]
		l := m.labels[field(p.Name)]
		if l == nil {
			continue
		}
		ok = true
		cost += l.of(p.Why.Want, p.Why.Got)
	}
	if ok && refused && m.refused != nil {
		cost = *m.refused
	}
	return cost, ok
}
