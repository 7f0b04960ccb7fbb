package cli

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/report"
)

// shareCounts counts tickets by how many of the labels that they have are right.
type shareCounts struct {
	columns int
	counts  []int // the share of right of asked stands at asked*(asked-1)/2 + asked-1 + right
}

func newShareCounts(columns int) shareCounts {
	return shareCounts{columns, make([]int, columns*(columns+3)/2)}
}

// add counts a ticket of which right of asked labels are right; one without labels counts nowhere.
func (s *shareCounts) add(right, asked int) {
	if asked > 0 && asked <= s.columns && right <= asked {
		s.counts[asked*(asked+1)/2-1+right]++
	}
}

// values are the shares that are counted, place by place.
func (s *shareCounts) values() []float64 {
	out := make([]float64, 0, len(s.counts))
	for asked := 1; asked <= s.columns; asked++ {
		for right := 0; right <= asked; right++ {
			out = append(out, float64(right)/float64(asked))
		}
	}
	return out
}

// settingSide is the side of the tickets' file that was played.
const settingSide = "side"

// onSide says in a title which side was played.
func onSide(side string) string {
	if side == "" {
		return ""
	}
	return ", side " + side
}

// tellSide says how many tickets of a file are on the side that is taken.
func tellSide(app *App, set *dataset.Set) {
	if side := set.Side(); side != dataset.AllSides {
		_, _ = fmt.Fprintf(app.Err, "triage: side %s: %d of %d tickets\n", side, set.Len(), set.All()) // a note
	}
}

// known is a number for a table, or nothing where there is none: no ticket may have had the label.
func known(v float64) report.Cell {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// tables prints a row an agent and label column.
func (m *imported) tables(agents []agentResult) []report.Table {
	n, _ := m.set.Skipped()
	t := report.Table{Name: "tickets", Title: fmt.Sprintf("Tickets of %s%s: %d to play, skipped rows: %d", filepath.Base(m.options.Tickets), onSide(string(m.set.Side())), m.rows, n),
		Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true}, {Title: "Label", Key: "label", Text: true}, {Title: "Kind", Key: "kind", Text: true},
			{Title: "Values", Key: "values"}, {Title: "n", Key: "n"}, {Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Macro-F1", Key: "macro_f1", Places: 3},
			{Title: "Weighted kappa", Key: "weighted_kappa", Places: 3}, {Title: "Floor", Key: "floor", Places: 3}, {Title: "Majority", Key: "majority", Text: true}}}
	for i, a := range agents {
		for j, c := range a.Columns {
			if c.N > 0 && m.tallies[i].absent[j] == c.N {
				t.Notes = append(t.Notes, fmt.Sprintf("%s answered no %s: it knows none of the column's labels.", a.Agent, c.Name))
			}
			kind, kappa := "nominal", report.Cell(nil)
			if c.Ordered {
				kind = "ordered"
				if !math.IsNaN(c.Kappa) {
					kappa = c.Kappa
				}
			}
			t.Rows = append(t.Rows, []report.Cell{a.Agent, c.Name, kind, len(c.Values), c.N, known(c.Accuracy), known(c.MacroF1), kappa, known(c.MajorityShare), c.Majority})
		}
		for i := range a.Tasks {
			t.Notes = append(t.Notes, notes(a.Agent, &a.Tasks[i])...)
		}
	}
	if len(m.columns) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Floor: always the most frequent label of %s.", m.columns[0].MajorityOf))
	}
	return []report.Table{t}
}
