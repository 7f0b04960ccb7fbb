package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/dataset"
	"github.com/triagebench/triage/pkg/env"
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
	shares          shareCounts // of right labels
	floor           shareCounts // of labels that the most frequent one answers
	errors, refused int
	absent          []int // answers that a column did not get
}

// openImported reads the tickets' file once and finds out everything that a run needs to know of it.
func openImported(o *playOptions) (*imported, error) {
	opts, err := setOptions(o.app, o.Map, o.LabelsFile)
	if err != nil {
		return nil, err
	}
	opts.Strict, opts.Side, opts.SideIfAny = o.Strict, dataset.TestSide, true
	if o.given["split"] {
		opts.Side, opts.SideIfAny = dataset.Side(o.Split), false
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
	tellSide(o.app, set)
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
	if err := o.cast.fitLinear(m); err != nil {
		return nil, err
	}
	for range o.Agents {
		m.tallies = append(m.tallies, &importedTally{tables: results.NewColumnTables(m.columns), shares: newShareCounts(len(m.columns)),
			floor: newShareCounts(len(m.columns)), absent: make([]int, len(m.columns))})
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

// countMajority finds the label of each column that is most frequent in the training file, else in the tickets' own; where
// that has sides, on its train side.
func (m *imported) countMajority(opts dataset.Options) error {
	from, of := m.set, "this file"
	if train, _ := m.set.Sides(); train > 0 {
		of = "train"
	}
	if m.options.Train != "" {
		opts.Side, opts.SideIfAny = dataset.TrainSide, true
		f, train, err := openSet(m.options.app, m.options.Train, opts)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading
		from, of = train, "train"
	}
	m.majority = map[string]string{}
	for _, c := range from.Columns() {
		counts := c.Counts
		if of == "train" && slices.Max(append(slices.Clone(c.Train), 0)) > 0 {
			counts = c.Train
		}
		best := -1
		for i, n := range counts {
			if best < 0 || n > counts[best] {
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
	if side := m.set.Side(); side != dataset.AllSides {
		s[settingSide] = string(side)
	}
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
	right, floor, asked := 0, 0, 0
	for i := range ep.Steps {
		s := ep.Steps[i].Score
		if s == nil {
			continue
		}
		at := 0 // parts stand in the order of columns; a ticket may lack some
		for _, p := range s.Parts {
			for at < len(m.columns) && m.columns[at].Name != p.Name {
				at++
			}
			if at == len(m.columns) {
				break
			}
			asked++
			if p.Value == 1 {
				right++
			}
			if p.Why.Want == m.columns[at].Majority {
				floor++
			}
			if p.Why.Got == "" {
				t.absent[at]++
			}
		}
	}
	t.shares.add(right, asked)
	t.floor.add(floor, asked)
}

func (m *imported) results() []agentResult {
	var out []agentResult
	shares := newShareCounts(len(m.columns))
	values := shares.values()
	for i, name := range m.options.Agents {
		t := m.tallies[i]
		s := results.TaskSummary{Task: triage.Task{Name: env.TicketsTask, Track: triage.Dataset}, Errors: t.errors, Refused: t.refused,
			Score: stats.MeanOfCounts(values, t.shares.counts, 0, 1)}
		s.N, s.WithErrors = s.Score.N, s.Score
		if t.errors > 0 {
			counts := slices.Clone(t.shares.counts)
			counts[len(counts)-len(m.columns)-1] += t.errors // the share 0
			s.WithErrors = stats.MeanOfCounts(values, counts, 0, 1)
		}
		s.Reward = s.Score.Mean
		columns := t.tables.Summaries()
		s.Floor = &results.Floor{Agent: "constant", Score: stats.MeanOfCounts(values, t.floor.counts, 0, 1).Mean}
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
