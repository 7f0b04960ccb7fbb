package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/triage"
)

// LabelOptions say which columns are labels and which agents see. The zero value takes the usual columns: the desk's priority
// as priority, its group, queue or department as route, and its type, category and the like under their own names.
type LabelOptions struct {
	// Labels gives the file's column for a label of ours; see [ParseLabels]. Where there are any, here or in Mapping, the usual
	// columns are not taken.
	Labels map[string]string
	// Scales are the allowed values by label name or column, as [dataset.ReadScales] reads them. A value that is not on its
	// scale is no label: the ticket lacks it, and the report counts it.
	Scales map[string]dataset.Scale
	// Mapping renames, merges and drops values; see [ReadMapping]. It may be nil.
	Mapping *Mapping
	// Hold are columns that agents must not see, Show columns that they may see whatever the rules say. A label's own column
	// cannot be shown.
	Hold, Show []string
}

// Reasons of [Labels.Apply].
const (
	reasonNoLabel = "no label"
	reasonDropped = "dropped by the mapping"
)

// Labels decides what of a record is a label, what agents see, and what is held back. It is for one goroutine.
type Labels struct {
	format  Format
	opts    LabelOptions
	desk    *deskScale
	rules   []*labelRule
	hold    map[string]bool // folded
	show    map[string]bool
	usual   bool // labels are found by their usual names
	columns map[string]*labelColumn
	order   []*labelColumn // as they were first seen
	tells   tells
	kept    int // records that the mapping did not drop
	// scratch of one record
	line  int
	found []found
	seen  []*labelColumn
}

// found is what one record says of one label.
type found struct {
	bound   bool   // the record has the label's column
	value   string // ours; empty where it has none
	unknown string // a value that is not on the scale
}

// labelColumn is a column of the file as it was decided.
type labelColumn struct {
	name string
	Column
	rules   []int // labels that read it
	tickets int   // that have a value in it
	met     int   // records that have one
}

// ParseLabels reads the values of --label, such as "route=Group" or "route=Group,priority=Priority": left the label's name,
// right the file's column. The file's column is found whatever its case, spaces and underscores.
func ParseLabels(specs []string) (map[string]string, error) {
	out := map[string]string{}
	for _, spec := range specs {
		for entry := range strings.SplitSeq(spec, ",") {
			ours, column, ok := strings.Cut(entry, "=")
			ours, column = strings.TrimSpace(ours), strings.TrimSpace(column)
			if !ok || ours == "" || column == "" {
				return nil, labelError("--label %q is not name=column, as in route=Group", strings.TrimSpace(entry))
			}
			if err := dataset.CheckLabelName(ours); err != nil {
				return nil, labelError("--label %s: %v", strings.TrimSpace(entry), err)
			}
			if first, twice := out[ours]; twice && first != column {
				return nil, labelError("--label %s is given twice, as %q and as %q", ours, first, column)
			}
			out[ours] = column
		}
	}
	return out, nil
}

func labelError(format string, args ...any) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(format, args...)}
}

// NewLabels makes the labels of files of a format. An error has [triage.CodeUsage]: options that contradict each other.
func NewLabels(format Format, opts LabelOptions) (*Labels, error) {
	l := &Labels{format: format, opts: opts, desk: newDeskScale(format), hold: map[string]bool{}, show: map[string]bool{},
		columns: map[string]*labelColumn{}}
	held, shown := opts.Hold, opts.Show
	chosen := maps.Clone(opts.Labels)
	if chosen == nil {
		chosen = map[string]string{}
	}
	if m := opts.Mapping; m != nil {
		held, shown = slices.Concat(held, m.Hold), slices.Concat(shown, m.Show)
		for name, entry := range m.Labels {
			if _, ok := chosen[name]; !ok {
				chosen[name] = entry.Column
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if err := l.add(name, chosen[name]); err != nil {
			return nil, err
		}
	}
	l.usual = len(chosen) == 0
	for _, name := range held {
		l.hold[fold(name)] = true
	}
	for _, name := range shown {
		if l.hold[fold(name)] {
			return nil, labelError("column %q is to be held back and to be shown", name)
		}
		for _, r := range l.rules {
			if fold(r.column) == fold(name) {
				return nil, labelError("column %q cannot be shown: label %s is read from it", name, r.name)
			}
		}
		l.show[fold(name)] = true
	}
	return l, nil
}

// add makes the rule of a label.
func (l *Labels) add(name, column string) error {
	if err := dataset.CheckLabelName(name); err != nil {
		return labelError("labels: %v", err)
	}
	r, err := l.newRule(name, column)
	if err != nil {
		return err
	}
	l.rules = append(l.rules, r)
	l.found = append(l.found, found{})
	return nil
}

// Apply gives the labels of a record and the fields that agents see of it; both maps are the caller's. A record without any
// label, or whose value the mapping drops, gives an error with one of a few reasons and counts nowhere.
func (l *Labels) Apply(rec *Record) (labels, fields map[string]string, err *RowError) {
	clear(l.found)
	l.seen, l.line = l.seen[:0], rec.Line
	fields = make(map[string]string, len(rec.Fields))
	for i := range rec.Fields {
		f := &rec.Fields[i]
		col, ok := l.columns[f.Name]
		if !ok || l.usual && col.Role == Outcome && len(col.rules) == 0 {
			col = l.meet(f, col)
		}
		for _, at := range col.rules {
			if err := l.read(at, f.Value); err != nil {
				return nil, nil, err
			}
		}
		if strings.TrimSpace(f.Value) == "" {
			continue
		}
		l.seen = append(l.seen, col)
		col.met++
		if col.Role == Shown {
			fields[f.Name] = f.Value
		}
	}
	l.kept++
	labels = make(map[string]string, len(l.rules))
	for i, r := range l.rules {
		if l.found[i].bound && l.found[i].value == "" && l.found[i].unknown == "" && r.null != "" {
			l.found[i].value = r.null
		}
		if v := l.found[i].value; v != "" {
			labels[r.name] = v
		}
	}
	l.count(fields)
	if len(labels) == 0 {
		return nil, nil, &RowError{Line: rec.Line, Reason: reasonNoLabel, Detail: l.noLabel()}
	}
	return labels, fields, nil
}

// read takes the value of label at from a cell of the record; the first column that has one counts.
func (l *Labels) read(at int, value string) *RowError {
	to := &l.found[at]
	to.bound = true
	if to.value != "" || to.unknown != "" {
		return nil
	}
	r := l.rules[at]
	got := r.convert(value)
	if got.drop {
		return &RowError{Line: l.line, Reason: reasonDropped, NoTicket: true, Detail: fmt.Sprintf("label %s: %q", r.name, shorten(strings.TrimSpace(value)))}
	}
	to.value, to.unknown = got.value, got.unknown
	return nil
}

// count adds the record to the figures.
func (l *Labels) count(fields map[string]string) {
	labelled := false
	for i, r := range l.rules {
		f := &l.found[i]
		switch {
		case f.value != "":
			labelled = true
			if !r.values.add(f.value, l.line) {
				f.value = "" // more values than a label has
			}
		case f.unknown != "":
			r.unknown.add(f.unknown, l.line)
		}
	}
	if !labelled {
		return
	}
	for i, r := range l.rules {
		if l.found[i].value == "" {
			r.missing++
		}
	}
	for _, col := range l.seen {
		col.tickets++
	}
	l.measure(fields)
}

// noLabel says what was looked for.
func (l *Labels) noLabel() string {
	for i, r := range l.rules {
		if u := l.found[i].unknown; u != "" {
			return fmt.Sprintf("label %s: %q is not on %s", r.name, shorten(u), r.where())
		}
	}
	names := make([]string, 0, len(l.rules))
	for _, r := range l.rules {
		names = append(names, r.name)
	}
	if len(names) == 0 {
		hint := ""
		if l.format.isMail() {
			hint = "; " + mailHint
		}
		return fmt.Sprintf("no column is usually a label, of %s; name one with --label NAME=COLUMN, --suggest prints those that look like one%s", l.names(), hint)
	}
	return "it has none of " + strings.Join(names, ", ")
}
