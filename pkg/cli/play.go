package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// play is a run that is ready to begin.
type play struct {
	options   *playOptions
	engine    engine
	generated *generated // generated tasks
	imported  *imported  // or imported tickets
}

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
}

// say adds a closing line.
func (r *playResult) say(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// prepare checks everything that can be checked before the first episode.
func (o *playOptions) prepare() (*play, error) {
	p := &play{options: o}
	shard, err := parseShard(o.Shard)
	if err != nil {
		return nil, err
	}
	var g game
	var groups []runner.Group
	if o.Tickets != "" {
		if err := o.assemble(func() (map[string][]agent.Example, error) { return nil, nil }); err != nil {
			return nil, err
		}
		if p.imported, err = openImported(o); err != nil {
			return nil, err
		}
		g, groups = p.imported, p.imported.groups()
	} else {
		tasks, err := o.tasks()
		if err != nil {
			return nil, err
		}
		s, err := newSession(o.app, o.Bank, o.SecretFile)
		if err != nil {
			return nil, err
		}
		if err := o.assemble(func() (map[string][]agent.Example, error) { return s.examples(tasks, o.model.FewShot) }); err != nil {
			return nil, err
		}
		p.generated = &generated{session: s, split: triage.Split(o.Split), options: o}
		g = p.generated
		if groups, err = o.groups(tasks); err != nil {
			return nil, err
		}
	}
	plan, err := runner.NewPlan(groups)
	if err != nil {
		return nil, err
	}
	p.engine = engine{app: o.app, game: g, plan: plan, shard: shard, workers: o.workers(), out: o.Out, resume: o.Resume,
		settings: o.settings(plan, shard, g), progress: o.Progress, records: p.generated != nil || len(o.Perturb) > 0,
		costly: o.cast.costly, waiting: o.cast.waiting}
	return p, nil
}

// assemble makes the agents that the flags name; from here on Agents are the names of the rows.
func (o *playOptions) assemble(examples func() (map[string][]agent.Example, error)) error {
	var err error
	if o.cast, err = newCast(o, examples); err == nil {
		o.Agents = o.cast.names()
	}
	return err
}

// workers is how many episodes are played at once. Models and programs take as many as they may be asked at once.
func (o *playOptions) workers() int {
	if o.Workers == 0 && o.cast.anyCostly() {
		return o.model.Concurrency
	}
	return o.Workers
}

// run plays, sums up, writes through write and prints. After an interruption it still sums up what was finished.
func (p *play) run(ctx context.Context, write func(*playResult) error) (err error) {
	o := p.options
	defer func() { err = errors.Join(err, o.cast.close()) }()
	if o.model.DryRun {
		return p.dryRun(ctx)
	}
	r := &playResult{options: o, play: p, started: o.app.Now(), values: map[string]report.Cell{}}
	if err := o.cast.open(o); err != nil {
		return err
	}
	out, playErr := p.engine.play(ctx)
	if out == nil || playErr != nil && !isHalted(playErr) {
		return playErr
	}
	if p.imported != nil {
		if err := p.imported.unchanged(); err != nil {
			return errors.Join(playErr, err)
		}
	}
	r.sumUp(out)
	for _, text := range out.broken {
		r.say("Broke: %s", text)
	}
	if n := out.failed - len(out.broken); n > 0 {
		r.say("… and %d more; episodes.jsonl has them all.", n)
	}
	if playErr == nil && p.generated != nil && !o.NoFloor {
		var floors map[string]*results.Floor
		if floors, playErr = p.generated.floors(ctx, p.engine.plan, p.engine.shard, o.Agents[0]); playErr != nil && !isInterrupted(playErr) {
			return playErr
		}
		r.setFloors(floors)
	}
	if playErr != nil {
		return r.halted(out, playErr)
	}
	writeErr := write(r) // what was played is printed in any case
	wall := o.app.Now().Sub(r.started)
	r.say("Wall time: %.2f s", wall.Seconds())
	r.values["wall_seconds"] = triage.Rounded(wall.Seconds())
	if err := errors.Join(writeErr, r.print()); err != nil {
		return err
	}
	if out.failed > o.MaxErrors {
		return episodesError{out.failed, o.MaxErrors}
	}
	if o.Check {
		return missed(r.agents)
	}
	return nil
}

// halted tells what a run has that did not come to its end.
func (r *playResult) halted(out *outcome, cause error) error {
	o := r.options
	r.leaveOutUnplayed()
	word := "Interrupted"
	if isInterrupted(cause) {
		r.values["interrupted"] = true
	} else {
		word = "Stopped"
		r.values["stopped"] = cause.Error()
	}
	r.say("%s: %d of %d episodes were finished.", word, count(out.filled), r.play.engine.plan.Len())
	if o.Out != "" {
		r.say("They are kept in %s; go on with the same command and --resume.", o.Out)
	} else {
		r.say("They are kept nowhere: --out DIR would have kept them.")
	}
	return errors.Join(cause, r.print())
}

// isHalted tells whether a run ended early with what was finished kept: by a signal, or since nothing could be asked any more.
func isHalted(err error) bool { return isInterrupted(err) || triage.CodeOf(err) == triage.CodeUnusable }

func isInterrupted(err error) bool {
	var i Interrupted
	return errors.Is(err, context.Canceled) || errors.As(err, &i)
}

func count(list []bool) int {
	n := 0
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// leaveOutUnplayed drops the tasks that an interrupted run has not come to.
func (r *playResult) leaveOutUnplayed() {
	if r.play.imported != nil {
		return
	}
	for i := range r.agents {
		r.agents[i].Tasks = slices.DeleteFunc(r.agents[i].Tasks, func(s results.TaskSummary) bool { return s.N+s.Errors == 0 })
	}
}

// sumUp makes the summaries of each agent from the plan's groups.
func (r *playResult) sumUp(out *outcome) {
	defer r.setModels()
	if r.play.engine.records {
		r.records = r.play.collect(out)
	}
	if r.play.imported != nil {
		r.agents = r.play.imported.results()
		return
	}
	r.summarize(r.records)
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
	o := r.options
	s := r.play.engine.settings
	out := results.Results{Seed: o.Seed, Split: triage.Split(o.Split), Agent: r.agents[i].Agent, Tasks: r.agents[i].Tasks,
		Generator: s[settingGenerator], Secret: s[settingSecret], Bank: s[settingBank], Limit: s[settingLimit], Only: s[settingOnly]}
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
		now, calls := o.app.Now(), map[string]*results.CallFigures{}
		workers := o.Workers
		if workers == 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		if o.cast != nil {
			if o.cast.anyCostly() {
				workers = o.workers()
			}
			for i := range out.Tasks {
				name := out.Tasks[i].Task.Name
				if f := o.cast.calls.Of(out.Agent, name); f != nil {
					calls[name] = f
				}
			}
		}
		out.Meta = &results.Meta{Finished: now.UTC().Format(time.RFC3339), WallSeconds: now.Sub(r.started).Seconds(),
			Version: o.app.Version().Number, Workers: workers, Calls: calls}
	}
	return results.WriteFile(root, name, out.Write)
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
	if err := report.Formats()[o.Format](o.app.Out, &rep); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print results", Err: err}
	}
	return nil
}
