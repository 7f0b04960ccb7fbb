package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// imported is the game of tickets from a user's file.
type imported struct {
	options  *playOptions
	set      *dataset.Set
	columns  []results.Column
	majority map[string]string
	digest   string // of the tickets' file
	rows     int    // that are played
	tallies  []*importedTally
	// file is the tickets' file and info what it was when it was opened.
	file *os.File
	info os.FileInfo
}

var _ game = (*imported)(nil)

// importedTally counts the answers of one agent.
type importedTally struct {
	tables          *results.ColumnTables
	right           []int // tickets by number of right columns
	errors, refused int
	absent          []int // answers that a column did not get
}

// openImported reads the tickets' file once and finds out everything that a run needs to know of it.
func openImported(o *playOptions) (*imported, error) {
	opts := dataset.Options{Strict: o.Strict}
	var err error
	if o.Map != "" {
		if opts.Map, err = dataset.ParseMap(o.Map); err != nil {
			return nil, usageError("--map: %v", err)
		}
	}
	if o.LabelsFile != "" {
		f, err := o.app.OpenFile(o.LabelsFile)
		if err != nil {
			return nil, fileProblem("open", o.LabelsFile, err)
		}
		opts.Labels, err = dataset.ReadScales(f, o.LabelsFile)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, err
		}
	}
	m := &imported{options: o}
	file, set, err := openSet(o.app, o.Tickets, opts)
	if err != nil {
		return nil, err
	}
	m.set, m.file = set, file
	o.cast.closers = append(o.cast.closers, closeRead(file))
	if m.info, err = file.Stat(); err != nil {
		return nil, fileProblem("read", o.Tickets, err)
	}
	if m.digest, err = digestOf(file, o.Tickets); err != nil {
		return nil, err
	}
	for _, w := range set.Warnings() {
		o.app.warn("%s", w)
	}
	m.warnSkipped()
	m.rows = set.Len()
	if o.Limit > 0 {
		m.rows = min(m.rows, o.Limit)
	}
	if err := m.countMajority(opts); err != nil {
		return nil, err
	}
	for range o.Agents {
		m.tallies = append(m.tallies, &importedTally{tables: results.NewColumnTables(m.columns), right: make([]int, len(m.columns)+1), absent: make([]int, len(m.columns))})
	}
	return m, nil
}

// shownSkips is how many skipped rows are named in warnings; results files name more.
const shownSkips = 5

func (m *imported) warnSkipped() {
	n, first := m.set.Skipped()
	for i := range min(len(first), shownSkips) {
		m.options.app.warn("%s: %s: skipped", m.options.Tickets, first[i].Error())
	}
	if n > shownSkips {
		m.options.app.warn("%s: %d rows were skipped in all", m.options.Tickets, n)
	}
}

// countMajority finds the label of each column that is most frequent in the training file, else in the tickets' own.
func (m *imported) countMajority(opts dataset.Options) error {
	from, of := m.set, "this file"
	if m.options.Train != "" {
		f, train, err := openSet(m.options.app, m.options.Train, opts)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading
		from, of = train, "train"
	}
	m.majority = map[string]string{}
	for _, c := range from.Columns() {
		best := -1
		for i, n := range c.Counts {
			if best < 0 || n > c.Counts[best] {
				best = i
			}
		}
		if best >= 0 {
			m.majority[c.Name] = c.Values[best]
		}
	}
	for _, c := range m.set.Columns() {
		label, ok := m.majority[c.Name]
		if !ok {
			return usageError("%s has no label column %q, which %s has", m.options.Train, c.Name, m.options.Tickets)
		}
		if !slices.Contains(c.Values, label) {
			m.options.app.warn("%s: the most frequent %s is %q, which %s never has: the floor is 0", m.options.Train, c.Name, label, m.options.Tickets)
		}
		m.columns = append(m.columns, results.Column{Name: c.Name, Values: c.Values, Ordered: c.Ordered, Majority: label, MajorityOf: of})
	}
	return nil
}

func (m *imported) groups() []runner.Group {
	var out []runner.Group
	for _, a := range m.options.Agents {
		out = append(out, m.options.trials(runner.Group{Agent: a, Task: env.TicketsTask, Count: m.rows})...)
	}
	return out
}

func (m *imported) newEnv(string, triage.Int) (triage.Env, error) {
	return env.NewTickets(m.set, m.set.Allowed()), nil
}

func (m *imported) newAgent(name string) (triage.Agent, error) {
	inner, kind, perturbed := agent.CutPerturbed(name)
	switch {
	case inner != "constant":
		return m.options.cast.newAgent(name)
	case perturbed:
		return agent.Perturb(kind, agent.NewMajority(m.majority))
	}
	return agent.NewMajority(m.majority), nil
}

func (m *imported) settings() results.Settings {
	s := results.Settings{settingFile: m.digest, "map": m.options.Map, "strict": fmt.Sprint(m.options.Strict), "rows": fmt.Sprint(m.rows)}
	for _, c := range m.columns {
		order := "in no order"
		if c.Ordered {
			order = "ascending"
		}
		// the most frequent label is what the constant agent answers; --train decides it
		s["column "+c.Name] = fmt.Sprintf("%d values %s, digest %s, most frequent %s", len(c.Values), order, digestOfTexts(c.Values), c.Majority)
	}
	return s
}

func (m *imported) take(place int, ep *triage.Episode) {
	m.options.cast.take(place, ep)
	t := m.tallies[place/(m.rows*m.options.Trials)]
	for i := range ep.Steps {
		if ep.Steps[i].Error != "" {
			t.refused++
		}
	}
	if ep.Score == nil {
		t.errors++
		return
	}
	t.tables.Add(ep)
	right := 0
	for i := range ep.Steps {
		if s := ep.Steps[i].Score; s != nil {
			for j, p := range s.Parts {
				if p.Value == 1 {
					right++
				}
				if p.Why.Got == "" && j < len(t.absent) {
					t.absent[j]++
				}
			}
		}
	}
	t.right[min(right, len(t.right)-1)]++
}

func (m *imported) results() []agentResult {
	var out []agentResult
	values := make([]float64, len(m.columns)+1)
	for i := range values {
		values[i] = float64(i) / float64(len(m.columns))
	}
	for i, name := range m.options.Agents {
		t := m.tallies[i]
		s := results.TaskSummary{Task: triage.Task{Name: env.TicketsTask, Track: triage.Dataset}, Errors: t.errors, Refused: t.refused,
			Score: stats.MeanOfCounts(values, t.right, 0, 1)}
		s.N, s.WithErrors = s.Score.N, s.Score
		if t.errors > 0 {
			counts := slices.Clone(t.right)
			counts[0] += t.errors
			s.WithErrors = stats.MeanOfCounts(values, counts, 0, 1)
		}
		s.Reward = s.Score.Mean
		columns := t.tables.Summaries()
		floor := 0.0
		for _, c := range columns {
			floor += c.MajorityShare
		}
		s.Floor = &results.Floor{Agent: "constant", Score: floor / float64(len(columns))}
		out = append(out, agentResult{Agent: name, Tasks: []results.TaskSummary{s}, Columns: columns})
	}
	return out
}

func (m *imported) source() *results.SourceFile {
	n, first := m.set.Skipped()
	s := &results.SourceFile{Name: filepath.Base(m.options.Tickets), Format: string(m.set.Format), Encoding: string(m.set.Encoding),
		Tickets: m.set.Len(), Skipped: n}
	for _, e := range first {
		s.Errors = append(s.Errors, e.Error())
	}
	return s
}

// tables prints a row an agent and label column.
func (m *imported) tables(agents []agentResult) []report.Table {
	n, _ := m.set.Skipped()
	t := report.Table{Name: "tickets", Title: fmt.Sprintf("Tickets of %s: %d to play, skipped rows: %d", filepath.Base(m.options.Tickets), m.rows, n),
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
			t.Rows = append(t.Rows, []report.Cell{a.Agent, c.Name, kind, len(c.Values), c.N, c.Accuracy, c.MacroF1, kappa, c.MajorityShare, c.Majority})
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
