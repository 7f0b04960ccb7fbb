package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// runSummary is what a run's tables are made of.
type runSummary struct {
	run     *reportRun
	result  *playResult // agents, records and cast; no plan
	columns map[string]*importedColumns
	entries []entry
	calls   bool // calls.jsonl was read
}

// entry is an episode on its way into a summary.
type entry struct {
	key    triage.Key
	record results.Record
	broke  string // why, or empty
}

// summarizeRun reads a run and sums it up; worst, if it is not nil, takes its tickets.
func summarizeRun(ctx context.Context, r *reportRun, worst *report.Worst) (*runSummary, error) {
	s := &runSummary{run: r, columns: map[string]*importedColumns{}}
	stored := storedRun{app: r.options.app, folder: r.name, settings: results.Settings{}}
	o := &playOptions{app: r.options.app, Trials: 1}
	s.result = &playResult{options: o, values: map[string]report.Cell{}}
	if r.stored != nil {
		o.cast = stored.cast(o)
		s.fromFile()
		return s, nil
	}
	if r.folder != nil {
		stored.settings = r.folder.Settings
		o.Agents = r.folder.Agents()
		if n, err := strconv.Atoi(stored.settings[results.TrialsSetting]); err == nil {
			o.Trials = n
		}
		var err error
		if stored.learned, err = runLearned(r.folder.Root); err != nil {
			return nil, err
		}
	}
	o.cast = stored.cast(o)
	o.cast.reliability = &results.Reliability{} // it has nothing to say where each episode was played once
	if err := r.episodes(ctx, func(ep *results.Logged) error {
		if worst != nil {
			worst.AddEpisode(ep)
		}
		return s.take(ep)
	}); err != nil {
		return nil, err
	}
	for _, a := range r.agents {
		if !slices.Contains(o.Agents, a) {
			o.Agents = append(o.Agents, a)
		}
	}
	s.sumUp()
	return s, s.readCalls()
}

// take adds an episode.
func (s *runSummary) take(ep *results.Logged) error {
	if err := s.price(ep); err != nil {
		return err
	}
	whole := ep.Episode()
	s.result.options.cast.take(len(s.entries), whole)
	e := entry{key: ep.Key, record: results.RecordOf(whole)}
	if ep.Ended == triage.EndedError {
		e.broke = whole.Error
	}
	s.entries = append(s.entries, e)
	if _, err := triage.TaskByName(ep.Key.Task); err == nil {
		return nil
	}
	c := s.columns[ep.Key.Agent]
	if c == nil {
		c = &importedColumns{}
		s.columns[ep.Key.Agent] = c
	}
	return c.add(s.run, ep, whole)
}

// sumUp makes the summaries of agents and tasks from the episodes, which a run that goes on gives in any order.
func (s *runSummary) sumUp() {
	agents := s.result.options.Agents
	rank := func(k triage.Key) int {
		return slices.IndexFunc(triage.Tasks(), func(t triage.Task) bool { return t.Name == k.Task })
	}
	slices.SortStableFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(slices.Index(agents, a.key.Agent), slices.Index(agents, b.key.Agent)), cmp.Compare(rank(a.key), rank(b.key)),
			cmp.Compare(a.key.Trial, b.key.Trial), cmp.Compare(a.key.Seed, b.key.Seed), cmp.Compare(a.key.Position.Value, b.key.Position.Value))
	})
	r := s.result
	r.records = map[string]map[string][]results.Record{}
	for i := range s.entries {
		k := s.entries[i].key
		if r.records[k.Agent] == nil {
			r.records[k.Agent] = map[string][]results.Record{}
		}
		r.records[k.Agent][k.Task] = append(r.records[k.Agent][k.Task], s.entries[i].record)
	}
	for _, name := range agents {
		if r.records[name] == nil {
			continue
		}
		a := agentResult{Agent: name}
		for _, t := range triage.Tasks() {
			if list, ok := r.records[name][t.Name]; ok {
				a.Tasks = append(a.Tasks, results.Summarize(t, list))
			}
		}
		if c := s.columns[name]; c != nil {
			t := triage.Task{Name: string(triage.Dataset), Track: triage.Dataset}
			a.Tasks = append(a.Tasks, results.Summarize(t, r.records[name][t.Name]))
			a.Columns = c.summaries()
		}
		s.setFloors(&a)
		r.agents = append(r.agents, a)
	}
	r.setModels()
}

// setFloors takes the floors of the run's results files: they are of the same episodes.
func (s *runSummary) setFloors(a *agentResult) {
	if s.run.folder == nil || !s.run.complete() {
		return
	}
	f := s.run.folder.ResultsOf(a.Agent)
	if f == nil {
		return
	}
	for i := range a.Tasks {
		for j := range f.Tasks {
			if f.Tasks[j].Task.Name == a.Tasks[i].Task.Name {
				a.Tasks[i].Floor = f.Tasks[j].Floor
				s.result.floors = s.result.floors || f.Tasks[j].Floor != nil && f.Tasks[j].Floor.Agent != ""
			}
		}
	}
}

// fromFile takes a results file as it is.
func (s *runSummary) fromFile() {
	f, r := s.run.stored, s.result
	r.options.Agents = []string{f.Agent}
	r.options.cast.members = []*member{{name: f.Agent, settings: f.Settings}}
	a := agentResult{Agent: f.Agent, Columns: f.Columns}
	for i := range f.Tasks {
		if s.run.options.keeps(triage.Key{Agent: f.Agent, Task: f.Tasks[i].Task.Name}) {
			a.Tasks = append(a.Tasks, f.Tasks[i])
			r.floors = r.floors || f.Tasks[i].Floor != nil && f.Tasks[i].Floor.Agent != ""
		}
	}
	s.run.read, s.run.agents = len(f.Tasks), []string{f.Agent}
	if len(a.Tasks) > 0 {
		r.agents = []agentResult{a}
	}
}

// readCalls counts the calls of models, whose file a run that goes on may be writing.
func (s *runSummary) readCalls() error {
	if s.run.folder == nil {
		return nil
	}
	root := s.run.folder.Root
	f, err := root.Open(results.CallsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	name := filepath.Join(root.Name(), results.CallsFile)
	if err != nil {
		return fileProblem("open", name, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	b, calls := bufio.NewReader(f), s.result.options.cast.calls
	for line := 1; ; line++ {
		data, err := b.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // what stands after the last line end is torn
			s.calls = true
			return nil
		}
		if err != nil {
			return fileProblem("read", name, err)
		}
		var c results.Call
		if err := json.Unmarshal(data, &c); err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not a call", name, line), Err: err}
		}
		calls.Add(&c)
	}
}

// report makes the tables, as the run printed them.
func (s *runSummary) report() *report.Report {
	r := s.result
	rep := &report.Report{Values: r.values}
	split, seed, secret := s.where()
	if rep.Tables = scoreTables(r.agents, split, seed); len(rep.Tables) > 0 {
		rep.Lines = overallLines(r.agents, r.values)
	}
	if s.run.folder != nil && !s.run.complete() {
		withoutPass(rep.Tables)
	}
	if r.floors && len(rep.Tables) > 0 {
		rep.Lines = append([]string{floorNote}, rep.Lines...)
	}
	if t, ok := s.importedTable(); ok {
		rep.Tables = append(rep.Tables, t)
	}
	if secret != "" {
		rep.Lines = append(rep.Lines, "Secret: "+secret+" (hides which tickets come, not what the public bank's sentences mean)")
	}
	cast := r.options.cast
	cast.stored = !s.calls // what calls took is known from their file
	cast.report(rep, r)
	rep.Lines = append(rep.Lines, s.brokenLines()...)
	if s.run.folder != nil {
		r.values["complete"] = s.run.complete()
		if !s.run.complete() {
			rep.Lines = append(rep.Lines, s.run.notWhole())
			r.values["episodes"], r.values["planned"] = s.run.read, s.run.planned()
		}
	}
	return rep
}

// withoutPass leaves out whether targets are reached: of a part of a run that is not known.
func withoutPass(tables []report.Table) {
	for _, t := range tables {
		at := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Key == "pass" })
		if at < 0 {
			continue
		}
		for _, row := range t.Rows {
			row[at] = nil
		}
	}
}

// brokenLines name the first episodes that broke, and why.
func (s *runSummary) brokenLines() []string {
	var out []string
	n := 0
	for i := range s.entries {
		if s.entries[i].broke == "" {
			continue
		}
		if n++; n <= shownBroken {
			out = append(out, fmt.Sprintf("Broke: %s: %s", s.entries[i].key, s.entries[i].broke))
		}
	}
	if n > shownBroken {
		out = append(out, fmt.Sprintf("… and %d more.", n-shownBroken))
	}
	return out
}

// where says which tickets the run has.
func (s *runSummary) where() (split string, seed int64, secret string) {
	switch f := s.run.folder; {
	case s.run.stored != nil:
		return string(s.run.stored.Split), s.run.stored.Seed, s.run.stored.Secret
	case f != nil:
		seed, err := strconv.ParseInt(f.Settings[settingSeed], 10, 64)
		if err == nil {
			return f.Settings[settingSplit], seed, f.Settings[settingSecret]
		}
	}
	if len(s.entries) > 0 {
		seed = slices.MinFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.key.Seed, b.key.Seed) }).key.Seed
	}
	return "unknown", seed, ""
}
