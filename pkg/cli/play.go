package cli

import (
	"context"
	"errors"
	"slices"

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

// prepare checks everything that can be checked before the first episode. What it opens is closed by run, or by close.
func (o *playOptions) prepare() (*play, error) {
	p := &play{options: o}
	shard, err := parseShard(o.Shard)
	if err != nil {
		return nil, err
	}
	if err := o.costs.open(o.app); err != nil {
		return nil, err
	}
	if err := p.plan(shard); err != nil {
		return nil, closing(err, p.close)
	}
	return p, nil
}

// close closes what agents and tickets have open.
func (p *play) close() error {
	if p.options.cast == nil {
		return nil
	}
	return p.options.cast.close()
}

// plan makes game, agents and plan.
func (p *play) plan(shard runner.Shard) error {
	o := p.options
	choose := p.generate
	if o.Tickets != "" {
		choose = p.importTickets
	}
	g, groups, err := choose()
	if err != nil {
		return err
	}
	if err := o.price(p.imported); err != nil {
		return err
	}
	plan, err := runner.NewPlan(groups)
	if err != nil {
		return err
	}
	p.engine = engine{app: o.app, game: g, plan: plan, shard: shard, workers: o.workers(), out: o.Out, resume: o.Resume,
		settings: o.settings(plan, shard, g), progress: o.Progress, records: p.generated != nil || len(o.Perturb) > 0 || o.Trials > 1,
		costly: o.cast.costly, waiting: o.cast.waiting, begin: o.cast.begin}
	return nil
}

// importTickets is the game of tickets from a file.
func (p *play) importTickets() (game, []runner.Group, error) {
	err := p.options.assemble(func() (map[string][]agent.Example, error) { return nil, nil })
	if err != nil {
		return nil, nil, err
	}
	if p.imported, err = openImported(p.options); err != nil {
		return nil, nil, err
	}
	return p.imported, p.imported.groups(), nil
}

// generate is the game of generated tasks.
func (p *play) generate() (game, []runner.Group, error) {
	o := p.options
	tasks, err := o.tasks()
	if err != nil {
		return nil, nil, err
	}
	s, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return nil, nil, err
	}
	if err := s.tellBank(o.app, o.Bank, triage.Split(o.Split)); err != nil {
		return nil, nil, err
	}
	if err := o.assemble(func() (map[string][]agent.Example, error) { return s.examples(tasks, o.model.FewShot) }); err != nil {
		return nil, nil, err
	}
	p.generated = &generated{session: s, split: triage.Split(o.Split), options: o}
	groups, err := o.groups(tasks)
	return p.generated, groups, err
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
	defer func() { err = errors.Join(err, p.close()) }()
	if o.model.DryRun {
		return p.dryRun(ctx)
	}
	if err := p.consent(ctx); err != nil {
		return err
	}
	r := &playResult{options: o, play: p, started: o.app.Now(), values: map[string]report.Cell{}}
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
	r.tellBroken(out)
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

// tellBroken names the first episodes that broke.
func (r *playResult) tellBroken(out *outcome) {
	for _, text := range out.broken {
		r.say("Broke: %s", text)
	}
	n := out.failed - len(out.broken)
	switch {
	case n > 0 && r.options.Out != "":
		r.say("… and %d more; %s has them all.", n, results.EpisodesFile)
	case n > 0:
		r.say("… and %d more; --out DIR would have kept them all.", n)
	}
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
	switch {
	case out.nothing:
		r.say("Nothing was played: %s holds no run.", o.Out)
	case o.Out != "":
		r.say("They are kept in %s; go on with the same command and --resume.", o.Out)
	default:
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
