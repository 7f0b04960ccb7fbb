package results

import (
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// Column describes a label column of imported tickets.
type Column struct {
	Name    string
	Values  []string // in the order of the scale where Ordered
	Ordered bool
	// Majority is the label that a floor answers with, MajorityOf where it was counted ("train" or "this file").
	Majority, MajorityOf string
}

// ColumnSummary are the figures of one label column.
type ColumnSummary struct {
	Column
	N             int
	Accuracy      float64
	MacroF1       float64
	Kappa         float64 // quadratic-weighted; NaN where the column has no order
	MajorityShare float64 // accuracy of the majority label
}

// ColumnTables counts the answers to imported tickets, one table a column.
type ColumnTables struct {
	columns []Column
	tables  []*stats.Confusion
	floor   []int // how often the majority label is right
}

// NewColumnTables makes empty tables.
func NewColumnTables(columns []Column) *ColumnTables {
	t := &ColumnTables{columns: columns, floor: make([]int, len(columns))}
	for _, c := range columns {
		t.tables = append(t.tables, stats.NewConfusion(c.Values))
	}
	return t
}

// Add counts the answers of an episode that did not break.
func (t *ColumnTables) Add(ep *triage.Episode) {
	if ep.Score == nil {
		return
	}
	for i := range ep.Steps {
		s := ep.Steps[i].Score
		if s == nil {
			continue
		}
		for j, c := range t.columns {
			if p, ok := s.Part(c.Name); ok {
				t.tables[j].Add(p.Why.Want, p.Why.Got)
				if p.Why.Want == c.Majority {
					t.floor[j]++
				}
			}
		}
	}
}

// Summaries gives the figures of each column.
func (t *ColumnTables) Summaries() []ColumnSummary {
	out := make([]ColumnSummary, len(t.columns))
	for i, c := range t.columns {
		x := t.tables[i]
		out[i] = ColumnSummary{Column: c, N: x.N(), Accuracy: x.Accuracy(), MacroF1: x.MacroF1(), Kappa: notANumber(),
			MajorityShare: float64(t.floor[i]) / float64(x.N())}
		if c.Ordered {
			out[i].Kappa = x.WeightedKappa(len(c.Values))
		}
	}
	return out
}
