// Package env has the environments of both tracks and of imported tickets: reset, step, state. An environment holds the
// truth of its tickets and shows [triage.Observation] only; the types keep the two apart. It makes no tickets itself
// (package synth and dataset do) and grades with package grade.
package env

import (
	"fmt"
	"strconv"

	"github.com/triagebench/triage/pkg/triage"
)

// Source gives the ticket at a position (from 0) of the episode with a seed: a pure function. What it gives may be shared: it
// is not to be changed.
type Source interface {
	Ticket(seed int64, position int) *triage.Case
}

// Sources gives the source of a split.
type Sources func(triage.Split) (Source, error)

// Grading is what local environments can do beside [triage.Env].
type Grading interface {
	triage.Env
	triage.Grader
	triage.Knower
}

// New makes the environment of a generated task. split is what a reset plays that names none.
func New(task triage.Task, split triage.Split, sources Sources) (Grading, error) {
	b := base{task: task, split: split, sources: sources}
	switch task.Track {
	case triage.Queue:
		return &QueueEnv{base: b}, nil
	case triage.Desk:
		return &DeskEnv{base: b}, nil
	}
	return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("track %q has no environment", task.Track)}
}

// base is what the environments share.
type base struct {
	task    triage.Task
	split   triage.Split // when a reset names none
	sources Sources
	played  triage.Split // of the running episode
	opts    triage.ResetOptions
	started bool
	done    bool
	steps   int
	// episodes is how many were begun without a name.
	episodes int
	last     *triage.Score
	current  triage.StepResult
}

// begin checks reset options and gives the source of the episode.
func (b *base) begin(opts triage.ResetOptions) (Source, error) {
	if opts.Seed < 0 {
		return nil, usage("seed", strconv.FormatInt(opts.Seed, 10), "0 to 9223372036854775807")
	}
	split := opts.Split
	switch split {
	case "":
		split = b.split
	case triage.Train, triage.Test:
	default:
		return nil, usage("split", string(split), "train, test")
	}
	switch opts.Rewards {
	case "", triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode:
	default:
		return nil, usage("rewards", string(opts.Rewards), "dense, ticket, episode")
	}
	switch opts.OnInvalid {
	case "", triage.InvalidIsError, triage.InvalidIsEmpty:
	default:
		return nil, usage("on_invalid", string(opts.OnInvalid), "error, empty")
	}
	if opts.Tickets < 0 || opts.Tickets > b.task.Tickets {
		return nil, usage("tickets", strconv.Itoa(opts.Tickets), fmt.Sprintf("1 to %d", b.task.Tickets))
	}
	source, err := b.sources(split)
	if err != nil {
		return nil, err
	}
	if opts.EpisodeID == "" {
		b.episodes++ // a name that tells nothing, not even the seed
		opts.EpisodeID = "episode-" + strconv.Itoa(b.episodes)
	}
	b.opts, b.played, b.started, b.done, b.steps, b.last = opts, split, true, false, 0, nil
	return source, nil
}

// aboutOf tells what is behind a ticket. It shares the case's lists, which nobody changes.
func aboutOf(c *triage.Case) *triage.About {
	if c.Facts.Primary.Scenario == "" {
		return nil
	}
	return &triage.About{Scenario: c.Facts.Primary.Scenario, Traps: c.Facts.Traps}
}

func usage(field, value, allowed string) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("reset: %s %q is not allowed; allowed is %s", field, value, allowed)}
}

// check refuses a step out of turn and a wrong value. A wrong value counts as the empty action where the reset asked for
// that; refused is true then.
func (b *base) check(a *triage.Action) (refused bool, err error) {
	if !b.started {
		return false, &triage.Error{Code: triage.CodeNotReset, Message: "step before reset: call reset first"}
	}
	if b.done {
		return false, &triage.Error{Code: triage.CodeDone, Message: "step after the end of the episode: call reset to begin another"}
	}
	if err := a.Validate(b.task.Track, nil); err != nil {
		if b.opts.OnInvalid != triage.InvalidIsEmpty {
			return false, err
		}
		*a = triage.Action{Track: b.task.Track}
		return true, nil
	}
	return false, nil
}

// State describes the running episode.
func (b *base) State() triage.State {
	return triage.State{EpisodeID: b.opts.EpisodeID, StepCount: b.steps, Track: b.task.Track, Task: b.task.Name,
		Split: b.played, Done: b.done, Observation: b.current.Observation}
}

// LastScore is the grading of the last step, or nil where it graded nothing.
func (b *base) LastScore() *triage.Score { return b.last }
