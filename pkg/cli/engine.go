package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// game is what a run plays: generated tasks or imported tickets.
type game interface {
	newEnv(task string, position triage.Int) (triage.Env, error)
	newAgent(name string) (triage.Agent, error)
	// settings name what decides the episodes, beside agents, tasks and seeds.
	settings() results.Settings
	// take is called with each finished episode, also with those that a journal has; calls do not overlap.
	take(place int, ep *triage.Episode)
}

// outcome is what came out of playing.
type outcome struct {
	records []results.Record
	filled  []bool
	failed  int      // broken episodes
	broken  []string // the first of them, with their reasons
	nothing bool     // the run began, and nothing was played: its folder holds no run
}

// shownBroken is how many broken episodes are named.
const shownBroken = 3

// engine plays a plan through a game, with or without a run folder.
type engine struct {
	app      *App
	game     game
	plan     *runner.Plan
	shard    runner.Shard
	workers  int
	out      string // run folder, or empty
	resume   bool
	settings results.Settings
	progress string
	// records keeps a record of each episode; the game of imported tickets counts by itself.
	records bool
	// costly tells whether the steps of an agent are kept as they finish; waiting says what is waited for; begin is called with
	// the run folder once it is this run's alone, and whether the run begins there and does not go on. Each may be nil.
	costly  func(agent string) bool
	waiting func() string
	begin   func(root *os.Root, fresh bool) error
	// drive plays in place of the runner: see [driver]. It may be nil.
	drive driver
}

// driver plays the places that are wanted. keep keeps a finished episode at once, and again where it is played anew; count takes each
// place into account, once. The runner has the environments, and how steps are kept.
type driver func(ctx context.Context, r *runner.Runner, want func(place int) bool, keep, count runner.Sink) error

// play plays what is not done yet. With an interruption it gives what was finished together with the error.
func (e *engine) play(ctx context.Context) (*outcome, error) {
	o := &outcome{filled: make([]bool, e.plan.Len())}
	if e.records {
		o.records = make([]results.Record, e.plan.Len())
	}
	take := func(place int, ep *triage.Episode) {
		o.filled[place] = true
		if e.records {
			o.records[place] = results.RecordOf(ep)
		}
		e.game.take(place, ep)
	}
	journal, folder, err := e.open(take)
	if err != nil {
		return nil, err
	}
	defer folder.close()
	done, total := e.count(o)
	bar := newProgress(e.app, e.progress, "episodes", total)
	bar.start(done)
	stop := bar.beat(e.waiting)
	r := runner.Runner{NewEnv: e.game.newEnv, NewAgent: e.game.newAgent, Workers: e.workers}
	e.keepSteps(&r, journal)
	want := func(place int) bool { return e.shard.Has(place) && !o.filled[place] }
	keep := func(place int, ep *triage.Episode) error {
		if journal == nil {
			return nil
		}
		return journal.Append(place, ep)
	}
	count := func(place int, ep *triage.Episode) error {
		take(place, ep)
		done++
		bar.step(done)
		if ep.Ended == triage.EndedError {
			o.failed++
			if len(o.broken) < shownBroken {
				o.broken = append(o.broken, fmt.Sprintf("%s: %s", ep.Key, ep.Error))
			}
		}
		return nil
	}
	err = e.run(ctx, &r, want, keep, count)
	stop()
	bar.finish()
	switch {
	case journal == nil:
	case err != nil && folder.fresh && journal.Empty() && !exists(folder.root, results.CallsFile): // calls may have cost something
		o.nothing = true
		err = errors.Join(err, journal.Discard())
	default:
		err = errors.Join(err, journal.Finish()) // an interruption must not hide that nothing was kept
	}
	return o, err
}

// run lets the runner play, or the driver in its place.
func (e *engine) run(ctx context.Context, r *runner.Runner, want func(place int) bool, keep, count runner.Sink) error {
	if e.drive != nil {
		return e.drive(ctx, r, want, keep, count)
	}
	return r.Run(ctx, e.plan, want, func(place int, ep *triage.Episode) error {
		if err := count(place, ep); err != nil {
			return err
		}
		return keep(place, ep)
	})
}

// count tells how many episodes are done, and how many there are in all.
func (e *engine) count(o *outcome) (done, total int) {
	for place := range e.plan.Len() {
		if e.shard.Has(place) {
			total++
			if o.filled[place] {
				done++
			}
		}
	}
	return done, total
}

// keepSteps lets a run keep the steps of costly agents, and go on from those that are kept.
func (e *engine) keepSteps(r *runner.Runner, journal *results.Journal) {
	if journal == nil || e.costly == nil {
		return
	}
	r.Before = journal.Before
	r.OnStep = func(key triage.Key, index int, s *triage.Step) error {
		if !e.costly(key.Agent) {
			return nil
		}
		return journal.AppendStep(key, index, s)
	}
}

// playFolder is the run folder that is written; without one it has no root.
type playFolder struct {
	root  *os.Root
	fresh bool // the run began here, and does not go on
}

func (f playFolder) close() {
	if f.root != nil {
		_ = f.root.Close() // read-only handle of a folder: nothing is lost
	}
}

// open makes or resumes the run folder, if there is to be one.
func (e *engine) open(done func(int, *triage.Episode)) (*results.Journal, playFolder, error) {
	if e.out == "" {
		if e.resume {
			return nil, playFolder{}, usageError("--resume needs the run's folder: --out DIR")
		}
		return nil, playFolder{}, nil
	}
	root, err := e.app.OpenRoot(e.out)
	if err != nil {
		return nil, playFolder{}, err
	}
	f := playFolder{root: root}
	var j *results.Journal
	switch {
	case e.resume && !exists(root, results.RunFile) && (exists(root, results.JournalFile) || exists(root, results.EpisodesFile)):
		err = usageError("%s has no %s: without it nobody knows what the run was, so it cannot go on", e.out, results.RunFile)
	case e.resume && exists(root, results.RunFile):
		if err = e.samePrograms(root); err == nil {
			j, err = results.ResumeRun(root, e.settings, e.plan.Len(), e.plan.Index, e.app.Now, done)
		}
	default:
		f.fresh = true
		j, err = results.CreateRun(root, e.settings, e.plan.Len(), e.app.Now)
	}
	if err == nil && e.begin != nil {
		if err = e.begin(root, f.fresh); err != nil {
			end := j.Finish
			if f.fresh {
				end = j.Discard
			}
			err = closing(err, end)
		}
	}
	if err != nil {
		f.close()
		return nil, playFolder{}, err
	}
	return j, f, nil
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// group gives the records of one group of the plan that are there, in their order.
func (o *outcome) group(start, count int) []results.Record {
	whole := true
	for i := start; i < start+count; i++ {
		whole = whole && o.filled[i]
	}
	if whole {
		return o.records[start : start+count]
	}
	var out []results.Record
	for i := start; i < start+count; i++ {
		if o.filled[i] {
			out = append(out, o.records[i])
		}
	}
	return out
}

// parseShard reads i/n with 1 ≤ i ≤ n.
func parseShard(text string) (runner.Shard, error) {
	if text == "" {
		return runner.Shard{}, nil
	}
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 1 || n < i {
		return runner.Shard{}, usageError("--shard %q is not i/n with 1 ≤ i ≤ n, such as 2/4", text)
	}
	return runner.Shard{I: i, N: n}, nil
}

// parseOnly reads TASK:SEED or TASK:SEED:POSITION into a group without an agent.
func parseOnly(text string) (runner.Group, error) {
	parts := strings.Split(text, ":")
	bad := func(why string) (runner.Group, error) {
		return runner.Group{}, usageError("--only %q is not TASK:SEED or TASK:SEED:POSITION: %s", text, why)
	}
	if len(parts) < 2 || len(parts) > 3 {
		return bad("it has " + strconv.Itoa(len(parts)) + " parts")
	}
	task, err := triage.TaskByName(parts[0])
	if err != nil {
		return bad(err.Error())
	}
	seed, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || seed < 0 {
		return bad(fmt.Sprintf("seed %q is not an integer from 0 to %d", parts[1], triage.MaxSeed))
	}
	g := runner.Group{Task: task.Name, First: seed, Count: 1}
	if len(parts) == 3 {
		p, err := strconv.Atoi(parts[2])
		if err != nil || p < 0 || p >= task.Tickets {
			return bad(fmt.Sprintf("position %q is not an integer from 0 to %d", parts[2], task.Tickets-1))
		}
		g.Position = triage.IntOf(p)
	}
	return g, nil
}
