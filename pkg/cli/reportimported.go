package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// importedColumns counts the answers of an agent to imported tickets, from the run's log alone.
type importedColumns struct {
	columns []results.Column
	tables  *results.ColumnTables
	absent  []int // answers that a column did not get
	known   bool  // majorities are known, so that there is a floor
}

// add counts an episode.
func (c *importedColumns) add(run *reportRun, ep *results.Logged, whole *triage.Episode) error {
	if c.tables == nil {
		if err := c.begin(run, ep); err != nil || c.tables == nil {
			return err
		}
	}
	c.tables.Add(whole)
	if whole.Score == nil {
		return nil
	}
	for i := range whole.Steps {
		if s := whole.Steps[i].Score; s != nil {
			for j := range c.columns {
				if p, ok := s.Part(c.columns[j].Name); ok && p.Why.Got == "" {
					c.absent[j]++
				}
			}
		}
	}
	return nil
}

// begin finds out about the columns: their values stand in the first observation, the rest in the run's settings.
func (c *importedColumns) begin(run *reportRun, ep *results.Logged) error {
	if len(ep.Steps) == 0 {
		return nil
	}
	o, err := triage.DecodeObservation(triage.Dataset, ep.Steps[0].Observation)
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s: %s", run.name, ep.Key), Err: err}
	}
	if o.Dataset == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(o.Dataset.Labels)) {
		col := results.Column{Name: name, Values: o.Dataset.Labels[name]}
		if run.folder != nil {
			// as imported.settings writes it
			text := run.folder.Settings[columnSetting+name]
			before, majority, ok := strings.Cut(text, ", most frequent ")
			col.Ordered, col.Majority = strings.Contains(before, " values ascending, "), majority
			c.known = c.known || ok
		}
		c.columns = append(c.columns, col)
	}
	c.tables, c.absent = results.NewColumnTables(c.columns), make([]int, len(c.columns))
	return nil
}

// summaries are the figures of each column.
func (c *importedColumns) summaries() []results.ColumnSummary {
	if c.tables == nil {
		return nil
	}
	out := c.tables.Summaries()
	for i := range out {
		if !c.known {
			out[i].MajorityShare = math.NaN()
		}
	}
	return out
}

// importedTable has a row an agent and label column; ok is false where no tickets were imported.
func (s *runSummary) importedTable() (t report.Table, ok bool) {
	t = report.Table{Name: "tickets", Title: s.importedTitle(),
		Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true}, {Title: "Label", Key: "label", Text: true}, {Title: "Kind", Key: "kind", Text: true},
			{Title: "Values", Key: "values"}, {Title: "n", Key: "n"}, {Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Macro-F1", Key: "macro_f1", Places: 3},
			{Title: "Weighted kappa", Key: "weighted_kappa", Places: 3}, {Title: "Floor", Key: "floor", Places: 3}, {Title: "Majority", Key: "majority", Text: true}}}
	of := ""
	for _, a := range s.result.agents {
		for j := range a.Columns {
			c := &a.Columns[j]
			kind, kappa := "nominal", report.Cell(nil)
			if c.Ordered {
				if kind = "ordered"; !math.IsNaN(c.Kappa) {
					kappa = c.Kappa
				}
			}
			values, majority := report.Cell(nil), report.Cell(nil)
			if len(c.Values) > 0 {
				values = len(c.Values)
			}
			if c.Majority != "" {
				majority = c.Majority
			}
			of = max(of, c.MajorityOf)
			if own := s.columns[a.Agent]; own != nil && c.N > 0 && own.absent[j] == c.N {
				t.Notes = append(t.Notes, fmt.Sprintf("%s answered no %s: it knows none of the column's labels.", a.Agent, c.Name))
			}
			t.Rows = append(t.Rows, []report.Cell{a.Agent, c.Name, kind, values, c.N, known(c.Accuracy), known(c.MacroF1), kappa, known(c.MajorityShare), majority})
		}
		for i := range a.Tasks {
			if a.Tasks[i].Task.Track == triage.Dataset {
				t.Notes = append(t.Notes, notes(a.Agent, &a.Tasks[i])...)
				ok = true
			}
		}
	}
	if of == "" {
		of = s.majorityOf()
	}
	if of != "" {
		t.Notes = append(t.Notes, fmt.Sprintf("Floor: always the most frequent label of %s.", of))
	}
	return t, ok
}

// source is the tickets' file as a results file of the run describes it, or nil.
func (s *runSummary) source() *results.SourceFile {
	if s.run.stored != nil {
		return s.run.stored.Source
	}
	if s.run.folder != nil {
		for _, r := range s.run.folder.Results {
			if r.Source != nil {
				return r.Source
			}
		}
	}
	return nil
}

// majorityOf says where the floor's labels were counted, if that is known.
func (s *runSummary) majorityOf() string {
	if s.run.folder == nil {
		return ""
	}
	for _, r := range s.run.folder.Results {
		for i := range r.Columns {
			if of := r.Columns[i].MajorityOf; of != "" {
				return of
			}
		}
	}
	return ""
}

func (s *runSummary) importedTitle() string {
	played := s.run.planned()
	if s.run.folder != nil {
		played /= max(1, len(s.run.folder.Agents())*s.result.options.Trials)
	}
	side := ""
	if s.run.folder != nil {
		side = onSide(s.run.folder.Settings[settingSide])
	}
	switch f := s.source(); {
	case f != nil && played > 0:
		return fmt.Sprintf("Tickets of %s%s: %d to play, skipped rows: %d", f.Name, side, played, f.Skipped)
	case f != nil:
		return fmt.Sprintf("Tickets of %s: %d, skipped rows: %d", f.Name, f.Tickets, f.Skipped)
	case played > 0:
		return fmt.Sprintf("Imported tickets: %d to play", played)
	}
	return "Imported tickets"
}
