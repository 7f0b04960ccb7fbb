package cli

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// playResult is what a run gave, on its way to files and tables.
type playResult struct {
	options *playOptions
	play    *play
	agents  []agentResult
	started time.Time
	floors  bool                                   // there are some
	records map[string]map[string][]results.Record // by agent and task; nil where none were kept
	lines   []string
	values  map[string]report.Cell
	// compared is the comparison with stored results that was asked for, or nil.
	compared *report.Report
}

// say adds a closing line.
func (r *playResult) say(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// sumUp makes the summaries of each agent from the plan's groups.
func (r *playResult) sumUp(out *outcome) {
	defer r.setModels()
	if r.play.engine.records {
		r.records = r.play.collect(out)
	}
	if r.play.imported != nil {
		r.agents = r.play.imported.results()
		r.joinTrials()
		return
	}
	r.summarize(r.records)
}

// joinTrials makes the intervals of imported tickets those over tickets where each was played several times.
func (r *playResult) joinTrials() {
	if r.options.Trials < 2 {
		return
	}
	for i := range r.agents {
		for j := range r.agents[i].Tasks {
			s := &r.agents[i].Tasks[j]
			whole := results.Summarize(s.Task, r.records[r.agents[i].Agent][s.Task.Name])
			s.Score, s.WithErrors = whole.Score, whole.WithErrors
		}
	}
}

// collect gives the records of each agent and task, in the plan's order.
func (p *play) collect(out *outcome) map[string]map[string][]results.Record {
	records := map[string]map[string][]results.Record{}
	place := 0
	for _, g := range p.engine.plan.Groups() {
		if records[g.Agent] == nil {
			records[g.Agent] = map[string][]results.Record{}
		}
		part := out.group(place, g.Count)
		if had := records[g.Agent][g.Task]; had != nil {
			part = append(had[:len(had):len(had)], part...)
		}
		records[g.Agent][g.Task] = part
		place += g.Count
	}
	return records
}

// summarize makes the summaries of each agent from its records by task.
func (r *playResult) summarize(records map[string]map[string][]results.Record) {
	for _, name := range r.options.Agents {
		a := agentResult{Agent: name}
		for _, t := range triage.Tasks() {
			if list, ok := records[name][t.Name]; ok {
				a.Tasks = append(a.Tasks, results.Summarize(t, list))
			}
		}
		r.agents = append(r.agents, a)
	}
}

// setModels gives the summaries what was counted of models.
func (r *playResult) setModels() {
	c := r.options.cast
	if c == nil {
		return
	}
	for i := range r.agents {
		for j := range r.agents[i].Tasks {
			s := &r.agents[i].Tasks[j]
			if f, ok := c.models.Of(r.agents[i].Agent, s.Task.Name); ok {
				s.Model = &f
			}
			s.Confidence = c.confidence.Of(r.agents[i].Agent, s.Task.Name)
			if c.costs != nil {
				s.Cost = c.costs.Of(r.agents[i].Agent, s.Task.Name, c.handover)
			}
			if c.reliability == nil {
				continue
			}
			if f, ok := c.reliability.Of(r.agents[i].Agent, s.Task.Name); ok {
				s.Reliability = &f
			}
		}
	}
}

func (r *playResult) setFloors(floors map[string]*results.Floor) {
	r.floors = r.floors || len(floors) > 0
	for i := range r.agents {
		for j := range r.agents[i].Tasks {
			s := &r.agents[i].Tasks[j]
			s.Floor = floors[s.Task.Name]
		}
	}
}

// writeFile writes the results file of one agent.
func (r *playResult) writeFile(root *os.Root, name string, i int) error {
	return results.WriteFile(root, name, r.file(i).Write)
}

// file is the results file of one agent.
func (r *playResult) file(i int) *results.Results {
	o := r.options
	s := r.play.engine.settings
	out := &results.Results{Seed: o.Seed, Split: triage.Split(o.Split), Agent: r.agents[i].Agent, Tasks: r.agents[i].Tasks,
		Generator: s[settingGenerator], Grader: s[settingGrader], Secret: s[settingSecret], Bank: s[settingBank], Limit: s[settingLimit], Only: s[settingOnly]}
	if m := r.play.imported; m != nil {
		out.Columns, out.Source = r.agents[i].Columns, m.source()
	}
	if o.cast != nil {
		out.Settings = o.cast.settingsOf(out.Agent)
	}
	if shard := r.play.engine.shard; shard.N > 0 {
		out.Only = strings.TrimPrefix(out.Only+",shard "+shard.String(), ",")
	}
	if !o.NoMeta {
		out.Meta = r.meta(out.Agent, out.Tasks)
	}
	return out
}

// meta is what differs between two runs of the same command.
func (r *playResult) meta(agent string, tasks []results.TaskSummary) *results.Meta {
	o := r.options
	now, calls := o.app.Now(), map[string]*results.CallFigures{}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if o.cast != nil {
		if o.cast.anyCostly() {
			workers = o.workers()
		}
		for i := range tasks {
			name := tasks[i].Task.Name
			if f := o.cast.calls.Of(agent, name); f != nil {
				calls[name] = f
			}
		}
	}
	return &results.Meta{Finished: now.UTC().Format(time.RFC3339), WallSeconds: now.Sub(r.started).Seconds(),
		Version: o.app.Version().Number, Workers: workers, Calls: calls}
}

// print prints tables and closing lines.
func (r *playResult) print() error {
	o := r.options
	rep := report.Report{Values: r.values}
	if r.play.imported != nil {
		rep.Tables = r.play.imported.tables(r.agents)
		r.values["skipped"], _ = r.play.imported.set.Skipped()
	} else {
		rep.Tables = scoreTables(r.agents, o.Split, o.Seed)
		rep.Lines = overallLines(r.agents, r.values)
		if r.floors {
			rep.Lines = append([]string{floorNote}, rep.Lines...)
		}
		if secret := r.play.engine.settings[settingSecret]; secret != "" {
			rep.Lines = append(rep.Lines, "Secret: "+secret+" (hides which tickets come, not what the public bank's sentences mean)")
		}
	}
	if o.cast != nil {
		o.cast.report(&rep, r)
	}
	rep.Lines = append(rep.Lines, r.lines...)
	if r.compared != nil {
		rep.Append(r.compared)
	}
	if err := report.Formats()[o.Format](o.app.Out, &rep); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print results", Err: err}
	}
	return nil
}
