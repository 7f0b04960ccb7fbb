package audit

import (
	"context"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// deps wires an audit as the command line does, on the embedded bank.
func deps(t *testing.T) Deps {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return Deps{
		NewEnv: func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error) {
			return env.New(task, split, func(split triage.Split) (env.Source, error) { return source(bank, task, split, secret) })
		},
		NewAgent: agent.NewFloor, Play: runner.Play,
		Source: func(task triage.Task, split triage.Split) (Tickets, error) {
			s, err := source(bank, task, split, nil)
			if err != nil {
				return nil, err
			}
			return s.Ticket, nil
		},
		Bank: bank.Scenarios,
	}
}

func task(t *testing.T, name string) triage.Task {
	t.Helper()
	out, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// small is an audit that is quick and still tells a broken environment.
func small(t *testing.T, tasks ...string) Options {
	o := Options{Split: triage.Test, Seed: 42, Episodes: 3, Workers: 2, Train: 600, Sample: 1200}
	for _, name := range tasks {
		o.Tasks = append(o.Tasks, task(t, name))
	}
	return o
}

// enter prepares one task of an audit with the given sections.
func enter(t *testing.T, d Deps, o Options, list ...section) *arena {
	t.Helper()
	a := &audit{Deps: d, Options: o, books: map[string]*book{}}
	ar, err := a.arena(t.Context(), o.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := ar.enter(list); err != nil {
		t.Fatal(err)
	}
	return ar
}

// played is [enter] with the episodes played.
func played(t *testing.T, d Deps, o Options, list ...section) *arena {
	t.Helper()
	ar := enter(t, d, o, list...)
	if err := ar.play(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ar
}

// find gives the check with an id.
func find(t *testing.T, checks []triage.Check, id string) triage.Check {
	t.Helper()
	for _, c := range checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("there is no check %s", id)
	return triage.Check{}
}

// broken is an environment with a fault that tests choose.
type broken struct {
	triage.Env
	step func(e *broken, a triage.Action) (triage.StepResult, error)
	look func(*triage.Observation)
	done bool
	// score, if set, stands for what the episode came to.
	score func(triage.Summary) triage.Summary
	last  func(*triage.Score) *triage.Score
	// seeds, if set, is how many seeds there are.
	seeds int64
}

func (b *broken) Reset(ctx context.Context, o triage.ResetOptions) (triage.StepResult, error) {
	b.done = false
	if b.seeds > 0 {
		o.Seed %= b.seeds
	}
	return b.seen(b.Env.Reset(ctx, o))
}

func (b *broken) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if b.step != nil {
		return b.seen(b.step(b, a))
	}
	return b.seen(b.Env.Step(ctx, a))
}

func (b *broken) seen(r triage.StepResult, err error) (triage.StepResult, error) {
	b.done = b.done || r.Done
	if b.look != nil && err == nil {
		b.look(&r.Observation)
	}
	return r, err
}

func (b *broken) Truth() (triage.Truth, bool) { return b.Env.(triage.Knower).Truth() }

func (b *broken) LastScore() *triage.Score {
	s := b.Env.(triage.Grader).LastScore()
	if b.last != nil && s != nil {
		return b.last(s)
	}
	return s
}

func (b *broken) Summary() (triage.Summary, bool) {
	s, ok := b.Env.(triage.Grader).Summary()
	if b.score != nil {
		s = b.score(s)
	}
	return s, ok
}

// breaking makes every environment of d a broken one.
func breaking(d Deps, fault broken) Deps {
	whole := d.NewEnv
	d.NewEnv = func(task triage.Task, split triage.Split, secret []byte) (triage.Env, error) {
		e, err := whole(task, split, secret)
		b := fault
		b.Env = e
		return &b, err
	}
	return d
}
