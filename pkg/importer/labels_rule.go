package importer

import (
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// labelRule turns the cells of one column into the values of one label.
type labelRule struct {
	name, column string
	usual        bool // found by its usual name
	list         bool // the column holds several values
	filed        bool // it has the labels of a mail: those that a person gave count, if nothing else says which
	kinds        bool // what an issue is, out of its labels
	// entry is the mapping's, or nil; targets are its values by their spelling and by their lower case.
	entry   *MappedLabel
	targets map[string]Target
	used    map[string]bool   // values of the mapping that were met, as targets spells them
	others  valueCounts       // values that the mapping does not name
	desk    *deskScale        // maps the desk's priorities
	closed  *dataset.Scale    // allowed values, or nil
	values  valueCounts       // ours
	unknown valueCounts       // values that are no label
	folded  map[string]string // of closed: lower case to the value
	null    string            // what a ticket without a value has
	// scaleName is what messages call the scale.
	scaleName string
	missing   int // tickets without the label
}

// converted is what a cell comes to: a value, none, an unknown one, or the end of the ticket.
type converted struct {
	value, unknown string
	drop           bool
}

// newRule makes the rule of a label by the options: its mapping, its scale, the desk's scale of priorities.
func (l *Labels) newRule(name, column string) (*labelRule, error) {
	r := &labelRule{name: name, column: column, list: isList(column), filed: l.format.isMail() && isFiled(column)}
	r.list = r.list || r.filed
	r.values.most, r.unknown.most, r.others.most = dataset.MaxValues, maxUnknown, maxUnknown
	if l.opts.Mapping != nil {
		if entry, ok := l.opts.Mapping.Labels[name]; ok {
			r.entry = &entry
			r.targets, r.used = entry.targets(), map[string]bool{}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(l.opts.Scales)) {
		if key == name || fold(key) == fold(column) {
			if r.closed != nil {
				return nil, labelError("two scales are for label %s, one is called %q", name, shorten(key))
			}
			scale := l.opts.Scales[key]
			r.closed, r.scaleName = &scale, "the scale of --scale"
		}
	}
	switch {
	case r.closed != nil:
	case r.entry != nil && r.entry.scale() != nil:
		r.closed, r.scaleName = r.entry.scale(), "the scale of the mapping"
	case r.entry != nil && len(r.entry.Values) > 0:
	case isPriority(column) && l.desk != nil:
		r.desk, r.null, r.scaleName = l.desk, l.desk.null, "the scale of "+l.desk.title
		r.closed = &dataset.Scale{Ordered: true, Values: ourSteps()}
	case r.list && l.usual && name == "type":
		r.kinds = true
	case r.list && isLevel(name):
		r.closed = &dataset.Scale{Ordered: true, Values: ourSteps()}
	}
	if r.closed != nil {
		r.folded = map[string]string{}
		for _, v := range r.closed.Values {
			r.folded[lowered(v)] = v
		}
	}
	return r, nil
}

// isList tells whether a column holds several values by its nature.
func isList(column string) bool {
	switch labelKey(column) {
	case "labels", "tags", "labelnames", "components", "component/s":
		return true
	}
	return false
}

// isLevel tells whether a label says how serious a ticket is.
func isLevel(name string) bool {
	switch fold(name) {
	case "priority", "urgency", "severity":
		return true
	}
	return false
}

// reads tells whether a label is read from a column.
func (r *labelRule) reads(column string) bool {
	return same(r.column, column) || r.usual && labelKey(r.column) == labelKey(column)
}

// convert turns a cell into a value of ours.
func (r *labelRule) convert(cell string) converted {
	cell = strings.TrimSpace(cell)
	if nothing(cell) {
		if t, ok := r.target(cell); ok {
			return t.converted()
		}
		return converted{}
	}
	if strings.Contains(cell, "\n") || r.list {
		return r.several(cell)
	}
	return r.one(cell)
}

// one turns a single value into ours.
func (r *labelRule) one(value string) converted {
	if len(value) > dataset.MaxValueLen {
		return converted{unknown: shorten(value)}
	}
	if t, ok := r.target(value); ok {
		return t.converted()
	}
	if r.entry != nil && r.entry.Other.Do != OtherKeep {
		return r.entry.Other.converted()
	}
	if r.desk != nil {
		if ours, ok := r.desk.steps[lowered(value)]; ok {
			return converted{value: ours}
		}
		return converted{unknown: value}
	}
	if r.closed != nil {
		if v, ok := r.folded[lowered(value)]; ok {
			return converted{value: v}
		}
		return converted{unknown: value}
	}
	return converted{value: value}
}

// several reads a list of values, a line each: of an ordered label the most serious counts, of another one the list must come to
// one value. Values that say nothing of this label are passed over; of the labels of a mail, those that a person gave are values
// where none has the label's name before it.
func (r *labelRule) several(cell string) converted {
	var values, given []string // given are the labels of a mail that a person gave
	for item := range strings.SplitSeq(cell, "\n") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		got := r.item(item)
		if got.drop {
			return got
		}
		if got.value != "" && !slices.Contains(values, got.value) {
			values = append(values, got.value)
		}
		if r.filed && len(item) <= dataset.MaxValueLen && !isProgramLabel(item) && !slices.Contains(given, item) {
			given = append(given, item)
		}
	}
	if len(values) == 0 && r.closed == nil && (r.entry == nil || len(r.entry.Values) == 0 && r.entry.Other.Do == OtherKeep) {
		values = given
	}
	switch {
	case len(values) == 0:
		return converted{}
	case len(values) == 1:
		return converted{value: values[0]}
	case r.closed != nil && r.closed.Ordered:
		at := 0
		for _, v := range values {
			at = max(at, slices.Index(r.closed.Values, v))
		}
		return converted{value: r.closed.Values[at]}
	}
	return converted{unknown: severalValues}
}

// severalValues counts tickets whose list has more than one value of a label.
const severalValues = "(several values)"

// item reads one value of a list: as the mapping or the scale has it, behind the label's own name (area/ui, area: ui), for levels as
// [priorityOf] reads it, or, for the type that is taken of GitHub's labels unasked, as [kindOf] does.
func (r *labelRule) item(item string) converted {
	if len(item) > dataset.MaxValueLen {
		return converted{}
	}
	if t, ok := r.target(item); ok {
		return t.converted()
	}
	if r.entry != nil && r.entry.Other.Do != OtherKeep {
		return r.entry.Other.converted()
	}
	if r.closed != nil {
		if v, ok := r.folded[lowered(item)]; ok {
			return converted{value: v}
		}
		if u, ok := priorityOf(item); ok && isLevel(r.name) && r.folded[string(u)] != "" {
			return converted{value: string(u)}
		}
	}
	if r.kinds {
		return converted{value: kindOf(item)}
	}
	rest := item
	if r.list {
		ok := false
		if rest, ok = afterName(item, r.name); !ok {
			return converted{}
		}
	}
	if r.closed != nil {
		return converted{value: r.folded[lowered(rest)]}
	}
	return converted{value: rest}
}

// afterName gives what stands behind a label's name in a value such as area/ui, area: ui or area::ui.
func afterName(item, name string) (string, bool) {
	if len(item) <= len(name) || !strings.EqualFold(item[:len(name)], name) {
		return "", false
	}
	rest := strings.TrimLeft(item[len(name):], " ")
	if rest == "" || !strings.ContainsRune(":/", rune(rest[0])) {
		return "", false
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest, ":/"))
	return rest, rest != ""
}

// target finds what the mapping says of a value.
func (r *labelRule) target(value string) (Target, bool) {
	if r.targets == nil {
		return Target{}, false
	}
	for _, key := range []string{value, lowered(value)} {
		if t, ok := r.targets[key]; ok {
			if !r.used[key] {
				r.used[strings.Clone(key)] = true
			}
			return t, true
		}
	}
	if !nothing(value) {
		r.others.add(value, 0)
	}
	return Target{}, false
}

// scale is the label's for the header: the allowed values, or those that were found.
func (r *labelRule) scale() Scale {
	if r.closed != nil {
		values := slices.Clone(r.closed.Values)
		if !r.closed.Ordered {
			slices.Sort(values)
		}
		return Scale{Ordered: r.closed.Ordered, Values: values}
	}
	values, ordered := dataset.Arrange(slices.Collect(maps.Keys(r.values.counts)))
	if r.entry != nil && r.entry.Ordered != nil && !*r.entry.Ordered {
		slices.Sort(values)
		ordered = false
	}
	return Scale{Ordered: ordered, Values: append([]string{}, values...)}
}
