package validate

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/triagebench/triage/pkg/triage"
)

// Groups are the groups of checks of a task by what they are about.
var Groups = map[string]func(context.Context, *bench) []triage.Check{"reset": checkReset, "steps": checkSteps, "wrong": checkWrongCalls, "seeds": checkSeeds, "models": checkModels,
	"graders": checkGraders, "rewards": checkRewards, "scores": checkScores, "leaks": checkLeaks, "degenerate": checkDegenerate}

// Group makes one group of checks.
func Group(ctx context.Context, name string, d Deps, task triage.Task, seed int64) []triage.Check {
	return Groups[name](ctx, &bench{Deps: d, task: task, seed: seed})
}

// CheckHandbook and CheckTasks are the checks that are of no one task.
var (
	CheckHandbook = checkHandbook
	CheckTasks    = checkTasks
)

// Problems compiles a schema and holds a value against it.
func Problems(schema, value string) (string, error) {
	s, err := compileSchema(json.RawMessage(schema))
	if err != nil {
		return "", err
	}
	v, err := decode([]byte(value))
	if err != nil {
		return "", err
	}
	if err := s.problems(v); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// Sample makes an action from a schema.
func Sample(schema string, turn int, lean bool) (string, error) {
	v, err := decode([]byte(schema))
	if err != nil {
		return "", err
	}
	m, _ := v.(map[string]any)
	a := actor{schema: m, lean: lean}
	return string(a.action(turn)), nil
}

// BeyondComputing tells whether a value was refused for the size of a number.
func BeyondComputing(err error) bool { return errors.Is(err, errBeyond) }

// ReadYAML, ReadPlan and DecodePython read strangers' bytes.
var (
	ReadYAML     = readYAML
	ReadPlan     = readPlan
	DecodePython = decodePython
)
