package agent

import (
	"context"
	"testing"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// trainScore plays episodes of a task on train and gives the mean score.
func trainScore(t *testing.T, name, taskName string, seeds int) float64 {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName(taskName)
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, sum := context.Background(), 0.0
	for i := range seeds {
		r, err := e.Reset(ctx, triage.ResetOptions{Seed: int64(1000 + i)})
		for err == nil && !r.Done {
			var action triage.Action
			if action, err = a.Act(ctx, r.Observation); err == nil {
				r, err = e.Step(ctx, action)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		s, _ := e.Summary()
		sum += s.Score
	}
	return sum / float64(seeds)
}

// TestTrainFloors fails when a change of the rules breaks them. The floors lie a little under what the rules reach, the
// ceiling of keyword on queue-hard is what the task's target says of a bag of words.
func TestTrainFloors(t *testing.T) {
	tests := []struct {
		agent, task string
		low, high   float64
	}{
		{"keyword", "queue-easy", 0.86, 1},
		{"keyword", "queue-medium", 0.65, 0.80},
		{"keyword", "queue-hard", 0.35, 0.50},
		{"keyword", "desk-easy", 0.80, 1},
		{"heuristic", "queue-easy", 0.97, 1},
		{"heuristic", "queue-medium", 0.90, 1},
		{"heuristic", "queue-hard", 0.83, 1},
		{"heuristic", "desk-easy", 0.92, 1},
		{"heuristic", "desk-medium", 0.85, 1},
		{"heuristic", "desk-hard", 0.74, 1},
	}
	for _, tt := range tests {
		t.Run(tt.agent+"/"+tt.task, func(t *testing.T) {
			t.Parallel()
			got := trainScore(t, tt.agent, tt.task, 200)
			t.Logf("%.3f", got)
			if got < tt.low || got > tt.high {
				t.Errorf("scores %.3f on train, want %.2f to %.2f", got, tt.low, tt.high)
			}
		})
	}
}
