package validate_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/validate"
)

var sources sync.Map

// source makes the tickets of a task and split; it is made once for all tests.
func source(bank *scenario.Bank, task triage.Task, split triage.Split) (env.Source, error) {
	s, ok := sources.Load(task.Name + string(split))
	if !ok {
		made, err := synth.New(bank, task, split, nil)
		if err != nil {
			return nil, err
		}
		s, _ = sources.LoadOrStore(task.Name+string(split), made)
	}
	return s.(env.Source), nil
}

// deps wires the checks as the command line does, on the embedded bank.
func deps(t testing.TB) validate.Deps {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	scores, err := fs.Sub(baselines.Files, "scores")
	if err != nil {
		t.Fatal(err)
	}
	return validate.Deps{
		NewEnv: func(task triage.Task, split triage.Split) (triage.Env, error) {
			return env.New(task, split, func(split triage.Split) (env.Source, error) { return source(bank, task, split) })
		},
		NewAgent: agent.NewFloor, Floors: agent.Floors, Play: runner.Play, Scores: scores,
		Generator: scenario.Version(bank.Hash), Handbook: handbook.Text(), Workers: 2,
	}
}

func TestOurEnvironmentsKeepEveryClaim(t *testing.T) {
	t.Parallel()
	checks, err := validate.Local(t.Context(), deps(t), 42)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if c.Skipped == "" && !c.Passed {
			t.Errorf("%s: %s: expected %s, seen %s", c.ID, c.Description, c.Expected, c.Seen)
		} else {
			t.Logf("%-40s %s | %s%s", c.ID, c.Expected, c.Seen, c.Skipped)
		}
	}
}

var errStopped = errors.New("stopped")

// cancelled is a context that has ended.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	return ctx
}
