package audit

import (
	"context"
	"fmt"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// Deps are what an audit plays with. All functions are called concurrently; an environment or agent that they give is used
// by one caller at a time.
type Deps struct {
	// NewEnv makes a local environment of a task. It must be a [triage.Grader] and a [triage.Knower] too.
	NewEnv func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error)
	// NewAgent makes an agent by its name, the degenerate ones that package agent lists as floors included.
	NewAgent func(name string) (triage.Agent, error)
	// Play plays an episode by the usual loop: a refused answer and one that does not come count as empty.
	Play func(ctx context.Context, e triage.Env, a triage.Agent, key triage.Key, opts triage.ResetOptions) (*triage.Episode, error)
	// Source gives tickets as anyone makes them who has the code and the bank but not the secret.
	Source func(task triage.Task, split triage.Split) (Tickets, error)
	// Bank are the scenarios that tickets come from. Outside is what who does not have the bank may know instead; nil
	// means the half of the bank that is not played.
	Bank, Outside []*scenario.Scenario
	// Secret hides which tickets come; empty for none.
	Secret []byte
}

// Tickets gives the ticket at a position (from 0) of the episode with a seed: a pure function.
type Tickets func(seed int64, position int) *triage.Case

// Options say what is played. Seeds are Seed … Seed+Episodes−1.
type Options struct {
	Tasks    []triage.Task
	Split    triage.Split
	Seed     int64
	Episodes int // a task
	Workers  int // results do not depend on it
	// Train is how many train tickets the attacks that learn have seen; 0 means 20,000.
	Train int
	// Sample is how many tickets decide whether ids, positions and lengths tell a label; 0 means 20,000.
	Sample int
	// Step, if set, is told after each episode (played by all attacks) how many of all are done. Calls do not overlap.
	Step func(done, total int)
}

// The defaults of [Options].
const defaultTrain, defaultSample = 20_000, 20_000

// section is a group of attacks: enter names who plays a task, judge holds what came out against the ceilings.
type section struct {
	enter func(*arena) ([]contender, error)
	judge func(*arena) ([]triage.Check, error)
}

// sections lists the attacks in the order in which their checks are printed; [serverSections] lists those on a server.
func sections() []section {
	return []section{
		{enterBlind, judgeBlind},
		{enterFields, judgeFields},
		{enterReaders, judgeReaders},
		{enterRecommenders, judgeRecommenders},
		{enterIdlers, judgeIdlers},
		{enterTable, judgeTable},
		{enterReplay, judgeReplay},
		{enterRegenerator, judgeRegenerator},
		{enterPhrasebook, judgePhrasebook},
		{nil, judgeTree},
	}
}

// audit is what the tasks of one run share.
type audit struct {
	Deps
	Options
	done  int              // episodes
	books map[string]*book // made when first asked for; tasks are entered one after another
	// server is what is played on; nil for the local environments.
	server *server
}

// Run plays every attack on every task and gives the checks, those of an attack together. An error means that something
// could not be played at all.
func Run(ctx context.Context, d Deps, o Options) ([]triage.Check, error) {
	return run(ctx, d, o, sections())
}

func run(ctx context.Context, d Deps, o Options, list []section) ([]triage.Check, error) {
	if o.Train == 0 {
		o.Train = defaultTrain
	}
	if o.Sample == 0 {
		o.Sample = defaultSample
	}
	if o.Episodes < 1 || o.Workers < 1 {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
			"audit of %d episodes with %d workers: at least one of each is needed", o.Episodes, o.Workers)}
	}
	return (&audit{Deps: d, Options: o, books: map[string]*book{}}).run(ctx, list)
}

func (a *audit) run(ctx context.Context, list []section) ([]triage.Check, error) {
	checks := make([][]triage.Check, len(list))
	for _, task := range a.Tasks {
		ar, err := a.arena(ctx, task)
		if err != nil {
			return nil, fmt.Errorf("audit %s: %w", task.Name, err)
		}
		if err := ar.enter(list); err != nil {
			return nil, fmt.Errorf("audit %s: %w", task.Name, err)
		}
		if err := ar.play(ctx); err != nil {
			return nil, fmt.Errorf("audit %s: %w", task.Name, err)
		}
		for i, s := range list {
			more, err := s.judge(ar)
			if err != nil {
				return nil, fmt.Errorf("audit %s: %w", task.Name, err)
			}
			checks[i] = append(checks[i], more...)
		}
	}
	var out []triage.Check
	for _, part := range checks {
		out = append(out, part...)
	}
	return out, nil
}
