package validate

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/triagebench/triage/pkg/triage"
)

// Deps are what [Local] checks and what it plays with. Functions are called by several goroutines at once; what they make is
// used by one at a time.
type Deps struct {
	// NewEnv makes a local environment of a task.
	NewEnv func(task triage.Task, split triage.Split) (triage.Env, error)
	// NewRemembering makes one that makes the tickets of an episode once, however often it is played in a row; nil means
	// NewEnv. Degenerate agents play in it: it saves most of their time.
	NewRemembering func(task triage.Task, split triage.Split) (triage.Env, error)
	// NewAgent makes an agent by its name.
	NewAgent func(name string) (triage.Agent, error)
	// Floors names the degenerate agents of a track.
	Floors func(track triage.Track) []string
	// Play plays an episode by the usual loop: a refused answer and one that does not come count as empty.
	Play func(ctx context.Context, e triage.Env, a triage.Agent, key triage.Key, opts triage.ResetOptions) (*triage.Episode, error)
	// Elsewhere gives the [Fingerprint] of an episode that another process played; nil leaves the check out.
	Elsewhere func(ctx context.Context, task triage.Task, seed int64) (string, error)
	// Scores has the committed results, a file <agent>.json each; Generator is the version of the tickets that they must be of.
	Scores    fs.FS
	Generator string
	// Handbook is the text that decisions are graded by.
	Handbook string
	// Workers is how many episodes are played at once; 0 means one.
	Workers int
	// Step, if set, is told after each group of checks how many of all are done.
	Step func(done, total int)
}

// split is the half of the bank that is checked: the one that results are reported on.
const split = triage.Test

// bench is one task that is being checked.
type bench struct {
	Deps
	task triage.Task
	seed int64
}

// claim begins a check of the task.
func (b *bench) claim(name, what, expected string) *claim {
	return newClaim(b.task.Name+"/"+name, what, expected)
}

// groups lists the checks of a task in the order in which they are printed.
func groups() []func(context.Context, *bench) []triage.Check {
	return []func(context.Context, *bench) []triage.Check{
		checkReset, checkSteps, checkWrongCalls, checkSeeds, checkModels, checkGraders, checkRewards, checkScores, checkLeaks, checkDegenerate,
	}
}

// Local checks the environments of this program with seeds from seed on, 0 … 2^62. An error means that ctx ended.
func Local(ctx context.Context, d Deps, seed int64) ([]triage.Check, error) {
	list, tasks := groups(), triage.Tasks()
	total, done := len(tasks)*len(list)+2, 0
	next := func() {
		if done++; d.Step != nil {
			d.Step(done, total)
		}
	}
	out := checkTasks(d)
	next()
	for _, task := range tasks {
		b := &bench{Deps: d, task: task, seed: seed}
		for _, group := range list {
			out = append(out, group(ctx, b)...)
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			next()
		}
	}
	out = append(out, checkHandbook(d.Handbook)...)
	next()
	return out, nil
}

// checkTasks looks whether each track has three tasks, each with an environment that grades.
func checkTasks(d Deps) []triage.Check {
	var out []triage.Check
	for _, track := range triage.Tracks() {
		c := newClaim("tasks/"+string(track), "the track has its tasks, each with an environment that grades", "easy, medium, hard")
		seen := ""
		for _, difficulty := range triage.Difficulties() {
			task, err := triage.TaskFor(track, difficulty)
			if err != nil {
				c.against("%v", err)
				continue
			}
			e, err := d.NewEnv(task, split)
			if err != nil {
				c.against("%s: %v", task.Name, err)
				continue
			}
			_, grades := e.(triage.Grader)
			_, knows := e.(triage.Knower)
			c.unless(grades && knows, "%s: its environment cannot grade", task.Name)
			c.unless(task.Target > 0 && task.Target < 1 && task.MaxSteps >= task.Tickets, "%s: target %v, %d tickets in %d steps", task.Name, task.Target, task.Tickets, task.MaxSteps)
			seen += fmt.Sprintf(", %s", task.Name)
		}
		out = append(out, c.done("%s", seen[min(2, len(seen)):]))
	}
	return out
}

// begun makes an environment and begins an episode.
func (b *bench) begun(ctx context.Context, opts triage.ResetOptions) (triage.Env, triage.StepResult, error) {
	e, err := b.NewEnv(b.task, split)
	if err != nil {
		return nil, triage.StepResult{}, err
	}
	r, err := e.Reset(ctx, opts)
	return e, r, err
}
