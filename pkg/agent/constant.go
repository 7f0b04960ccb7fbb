package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/triage"
)

// Constant gives the same answer to every ticket of a task.
type Constant struct {
	actions map[string]triage.Action // by task
	// labels is the majority of each column of imported tickets; it is set where those are played.
	labels map[string]string
}

func newConstant() (triage.Agent, error) {
	data, err := fs.ReadFile(baselines.Files, "constant/rules.json")
	if err != nil {
		return nil, fmt.Errorf("constant: %w", err)
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("constant: %w", err)
	}
	c := &Constant{actions: map[string]triage.Action{}}
	for _, t := range triage.Tasks() {
		r, ok := raw[t.Name]
		if !ok {
			continue
		}
		if c.actions[t.Name], err = triage.ParseAction(t.Track, r, nil); err != nil {
			return nil, fmt.Errorf("constant: %s: %w", t.Name, err)
		}
	}
	return c, nil
}

// NewMajority makes the constant agent of imported tickets: it answers each column with the given label.
func NewMajority(labels map[string]string) *Constant { return &Constant{labels: labels} }

// Act gives the task's answer.
func (c *Constant) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	task := ""
	switch {
	case o.Queue != nil:
		task = o.Queue.Task
	case o.Desk != nil:
		task = string(triage.Desk) + "-" + string(o.Desk.TaskDifficulty)
	default:
		return triage.Action{Track: triage.Dataset, Labels: c.labels}, nil
	}
	a, ok := c.actions[task]
	if !ok {
		return triage.Action{}, fmt.Errorf("constant: no answer is known for task %q", task)
	}
	return a, nil
}
