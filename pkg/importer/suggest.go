package importer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

// SuggestOptions say what a draft is made of.
type SuggestOptions struct {
	// Labels are as for an import. Columns that they name, or else the usual ones, are the labels of the draft.
	Labels LabelOptions
	// Min merges values that fewer tickets have into "other"; 0 merges none.
	Min int
}

// Suggest makes a draft of a mapping file from the records of an export, in one pass. It keeps counts of at most two thousand values
// a column, and of 16 MiB of values in all. It is for one goroutine.
type Suggest struct {
	format  Format
	min     int
	labels  *Labels
	columns map[string]*suggestColumn
	order   []*suggestColumn
	bytes   int
	records int
}

// suggestColumn counts the values of a column.
type suggestColumn struct {
	name   string
	values map[string]int // nil where there are too many, or a text
	many   bool
	list   bool // some cell has several values
	filled int  // records with a value
}

// Limits of a draft.
const (
	suggestColumns = 300
	suggestValues  = 2_000
	suggestBytes   = 16 << 20
	// listedValues is how many values of a label a draft names.
	listedValues = 200
)

// NewSuggest begins a draft for files of a format. Errors are those of [NewLabels].
func NewSuggest(format Format, opts SuggestOptions) (*Suggest, error) {
	l, err := NewLabels(format, opts.Labels)
	if err != nil {
		return nil, err
	}
	return &Suggest{format: format, min: opts.Min, labels: l, columns: map[string]*suggestColumn{}}, nil
}

// Add counts a record. What is no ticket for lack of a label counts too.
func (s *Suggest) Add(rec *Record) {
	s.records++
	_, _, _ = s.labels.Apply(rec) // what it finds is asked of it at the end
	for i := range rec.Fields {
		f := &rec.Fields[i]
		value := strings.TrimSpace(f.Value)
		col := s.columns[f.Name]
		if col == nil {
			if len(s.columns) >= suggestColumns {
				continue
			}
			col = &suggestColumn{name: strings.Clone(f.Name), values: map[string]int{}}
			s.columns[col.name] = col
			s.order = append(s.order, col)
		}
		if value == "" {
			continue
		}
		col.filled++
		if !strings.Contains(value, "\n") {
			s.count(col, value)
			continue
		}
		col.list = true
		for item := range strings.SplitSeq(value, "\n") {
			if item = strings.TrimSpace(item); item != "" {
				s.count(col, item)
			}
		}
	}
}

// count counts a value, and gives up on columns that are texts.
func (s *Suggest) count(col *suggestColumn, value string) {
	if col.many {
		return
	}
	if _, ok := col.values[value]; ok {
		col.values[value]++
		return
	}
	if len(value) > dataset.MaxValueLen || len(col.values) >= suggestValues || s.bytes+len(value) > suggestBytes {
		for v := range col.values {
			s.bytes -= len(v)
		}
		col.values, col.many = nil, true
		return
	}
	s.bytes += len(value)
	col.values[strings.Clone(value)] = 1
}

// sorted gives the values of a column, the most frequent first.
func (c *suggestColumn) sorted() []ValueCount {
	out := make([]ValueCount, 0, len(c.values))
	for v, n := range c.values {
		out = append(out, ValueCount{Value: v, Count: n})
	}
	slices.SortFunc(out, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return out
}

// looksLikeLabel tells whether a column that is no label has the values of one: few, often, in most tickets.
func (s *Suggest) looksLikeLabel(c *suggestColumn) bool {
	const fewest, most, each = 2, 50, 5
	n := len(c.values)
	if of := s.labels.columns[c.name]; of != nil && (of.Role == Person || of.Role == Ignored) {
		return false
	}
	if s.format.isMail() && isFiled(c.name) {
		return !c.many && n >= fewest
	}
	return !c.many && n >= fewest && n <= most && 2*c.filled >= s.records && c.filled >= each*n
}
