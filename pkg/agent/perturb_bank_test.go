package agent_test

import (
	"fmt"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// playBank plays an agent of the table, perturbed unless kind is empty, on train and gives its records.
func playBank(t *testing.T, bank *scenario.Bank, name, kind, taskName string, episodes, workers int) []results.Record {
	t.Helper()
	task, err := triage.TaskByName(taskName)
	if err != nil {
		t.Fatal(err)
	}
	full := name
	if kind != "" {
		full = agent.PerturbedName(name, kind)
	}
	plan, err := runner.NewPlan([]runner.Group{{Agent: full, Task: taskName, First: 1000, Count: episodes}})
	if err != nil {
		t.Fatal(err)
	}
	r := runner.Runner{Workers: workers,
		NewEnv: func(string, triage.Int) (triage.Env, error) {
			return env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
		},
		NewAgent: func(string) (triage.Agent, error) {
			a, err := agent.New(name)
			if err != nil || kind == "" {
				return a, err
			}
			return agent.Perturb(kind, a)
		}}
	records := make([]results.Record, episodes)
	if err := r.Run(t.Context(), plan, nil, func(place int, ep *triage.Episode) error {
		records[place] = results.RecordOf(ep)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return records
}

// TestPerturbationsOfTheBank pins down what the perturbations do to agents whose reading is known: nothing where an agent does
// not look (random reads nothing, rules know no order of fields, the oracle knows), and not much where it reads well.
func TestPerturbationsOfTheBank(t *testing.T) {
	t.Parallel()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	nothing := map[string]float64{}
	for _, kind := range agent.PerturbKinds() {
		nothing[kind] = 0
	}
	tests := []struct {
		agent    string
		episodes int
		most     map[string]float64 // the largest difference, either way; 0 means none at all
	}{
		{"random", 20, nothing},
		{"oracle", 20, nothing},
		{"keyword", 40, map[string]float64{agent.PerturbFieldOrder: 0, agent.PerturbTypos: 0.02, agent.PerturbGreeting: 0, agent.PerturbUpper: 0, agent.PerturbInjection: 0.06}},
		{"heuristic", 40, map[string]float64{agent.PerturbFieldOrder: 0, agent.PerturbTypos: 0.02, agent.PerturbGreeting: 0.005, agent.PerturbUpper: 0.005, agent.PerturbInjection: 0.02}},
	}
	for _, tt := range tests {
		for _, task := range []string{"queue-hard", "desk-hard"} {
			t.Run(tt.agent+"/"+task, func(t *testing.T) {
				t.Parallel()
				base := playBank(t, bank, tt.agent, "", task, tt.episodes, 2)
				for _, kind := range agent.PerturbKinds() {
					p := results.PairedDifference(base, playBank(t, bank, tt.agent, kind, task, tt.episodes, 2))
					ci := p.Difference.CI95
					t.Logf("%s, %s, %s: base %.4f perturbed %.4f difference %+.4f [%+.4f, %+.4f]", tt.agent, task, kind, p.Base, p.Other, p.Difference.Mean, ci.Low, ci.High)
					if p.Pairs != tt.episodes || p.Dropped+p.Alone != 0 {
						t.Errorf("%s: %d pairs, %d dropped, %d alone", kind, p.Pairs, p.Dropped, p.Alone)
					}
					if most := tt.most[kind]; p.Difference.Mean < -most || p.Difference.Mean > most {
						t.Errorf("%s changes the score by %.4f, want at most %.4f", kind, p.Difference.Mean, most)
					}
				}
			})
		}
	}
}

func TestPerturbedRunsDoNotDependOnWorkers(t *testing.T) {
	t.Parallel()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range agent.PerturbKinds() {
		one, many := playBank(t, bank, "heuristic", kind, "queue-hard", 12, 1), playBank(t, bank, "heuristic", kind, "queue-hard", 12, 5)
		if fmt.Sprint(one) != fmt.Sprint(many) {
			t.Errorf("%s: one worker and five give other records", kind)
		}
	}
}
