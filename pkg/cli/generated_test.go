package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// TestFloorsAreWhatTheFloorAgentsEarn plays each degenerate agent by itself.
func TestFloorsAreWhatTheFloorAgentsEarn(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	s, err := newSession(app.App, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"queue-hard", "desk-medium"} {
		task, err := triage.TaskByName(name)
		if err != nil {
			t.Fatal(err)
		}
		best, who := math.Inf(-1), ""
		for _, floor := range agent.Floors(task.Track) {
			plan, err := runner.NewPlan([]runner.Group{{Agent: floor, Task: name, First: 3, Count: 8}})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			r := runner.Runner{NewAgent: agent.NewFloor, NewEnv: func(task string, position triage.Int) (triage.Env, error) {
				return s.newEnv(task, triage.Test, position)
			}}
			if err := r.Run(t.Context(), plan, nil, func(_ int, ep *triage.Episode) error { sum += triage.Rounded(*ep.Score); return nil }); err != nil {
				t.Fatal(err)
			}
			if sum > best+1e-9 {
				best, who = sum, floor
			}
		}
		dir := t.TempDir()
		app.mustRun(t, "run", "--agent", "oracle", "--tasks", name, "--seed", "3", "--episodes", "8", "--out", dir, "--format", "json")
		var file struct {
			Tasks map[string]struct {
				Floor struct {
					Agent string
					Score float64
				}
			}
		}
		if err := json.Unmarshal([]byte(readFile(t, dir, "results-oracle.json")), &file); err != nil {
			t.Fatal(err)
		}
		if f := file.Tasks[name].Floor; f.Agent != who || math.Abs(f.Score-best/8) > 2e-6 {
			t.Errorf("%s has floor %s %.6f, played alone %s earns %.6f", name, f.Agent, f.Score, who, best/8)
		}
		if !strings.Contains(app.out.String(), fmt.Sprintf(`"floor": %.3f`, best/8)[:10]) {
			t.Errorf("it prints %s", app.out.String())
		}
	}
	// constant and random by the run command
	var printed struct {
		Desk []struct{ Correctness, Floor float64 }
	}
	if err := json.Unmarshal([]byte(app.mustRun(t, "run", "--agent", "constant", "--agent", "random", "--tasks", "desk-hard", "--episodes", "30", "--format", "json")), &printed); err != nil {
		t.Fatal(err)
	}
	for _, row := range printed.Desk {
		if row.Floor < row.Correctness-1e-6 {
			t.Errorf("the floor %.6f is under what a degenerate agent earns: %.6f", row.Floor, row.Correctness)
		}
	}
}
