package importer

import (
	"slices"

	"github.com/triagebench/triage/pkg/dataset"
)

// Mapping is a mapping file: what the values of the file's columns are called in ours. Its form in YAML:
//
//	labels:
//	  route:                      # the label, ours
//	    column: Group             # the file's; the label's name by default
//	    values:                   # the file's value: ours
//	      Billing EMEA: billing
//	      Billing US: billing     # merged
//	      Unsorted: null          # such a ticket lacks the label
//	      Junk: {drop: true}      # such a ticket is left out
//	    other: keep               # the rest: keep, none (lacks the label), drop (is left out), or {value: other}
//	  priority:
//	    column: Priority
//	    ordered: true             # values ascend in seriousness
//	    scale: [low, high]        # allowed values; by default, where ordered, those of values as they first appear
//	    values: {P3: low, P1: high}
//	hold: [Internal score]        # columns that agents must not see
//	show: [Plan]                  # columns that they may see whatever the rules say
//
// Values are compared as they stand first, then whatever their case and outer spaces.
type Mapping struct {
	Labels     map[string]MappedLabel
	Hold, Show []string
}

// MappedLabel is the entry of one label.
type MappedLabel struct {
	Column  string
	Ordered *bool // nil where the file does not say
	Scale   []string
	Values  []MappedValue // in the order of the file
	Other   Other
}

// MappedValue says what one value of the file becomes.
type MappedValue struct {
	Theirs string
	To     Target
}

// Target is what becomes of a value: Value, or no label where that is empty, or, with Drop, no ticket.
type Target struct {
	Value string
	Drop  bool
}

// OtherDo is what is done with values that a mapping does not name.
type OtherDo int

// What is done.
const (
	OtherKeep  OtherDo = iota // they stay as they are
	OtherNone                 // the ticket lacks the label
	OtherDrop                 // the ticket is left out
	OtherValue                // they become Other.Value
)

// Other says what is done with the rest.
type Other struct {
	Do    OtherDo
	Value string
}

func (t Target) converted() converted { return converted{value: t.Value, drop: t.Drop} }

func (o Other) converted() converted {
	return converted{value: o.Value, drop: o.Do == OtherDrop}
}

// targets are the values by their spelling, and by their lower case where no other value is spelled so.
func (m *MappedLabel) targets() map[string]Target {
	out := make(map[string]Target, 2*len(m.Values))
	for _, v := range m.Values {
		if _, ok := out[lowered(v.Theirs)]; !ok {
			out[lowered(v.Theirs)] = v.To
		}
	}
	for _, v := range m.Values {
		out[v.Theirs] = v.To
	}
	return out
}

// scale gives the allowed values, or nil where the entry does not close them.
func (m *MappedLabel) scale() *dataset.Scale {
	ordered := m.Ordered != nil && *m.Ordered
	if len(m.Scale) > 0 {
		return &dataset.Scale{Ordered: ordered, Values: slices.Clone(m.Scale)}
	}
	if !ordered || len(m.Values) == 0 {
		return nil
	}
	s := &dataset.Scale{Ordered: true}
	for _, v := range m.Values {
		if v.To.Value != "" && !slices.Contains(s.Values, v.To.Value) {
			s.Values = append(s.Values, v.To.Value)
		}
	}
	if o := m.Other; o.Do == OtherValue && !slices.Contains(s.Values, o.Value) {
		s.Values = append(s.Values, o.Value)
	}
	return s
}
