package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/triagebench/triage/pkg/triage"
)

// gated is a side with a ticket an episode of one desk task: scores[i] is that of seed i, NaN one that broke. scenarios may be nil.
func gated(t testing.TB, task string, scores []float64, scenarios []string) *Side {
	t.Helper()
	made, err := triage.TaskByName(task)
	if err != nil {
		t.Fatal(err)
	}
	side := TaskSide{Task: made, Floor: 0.4, Counts: map[string]int64{"refused": 0, "errors": 0}}
	for i, s := range scores {
		e := Episode{Place: Place{Seed: int64(i), Position: -1}, Scored: !math.IsNaN(s), Score: s, Reward: s, Efficiency: math.NaN()}
		if e.Scored {
			k := Ticket{ID: fmt.Sprint("T-", i), Text: uint64(i + 1), Score: s, Parts: []triage.Part{{Name: "category", Value: s, Weight: 1}}}
			if scenarios != nil {
				k.Scenario = scenarios[i]
			}
			e.Tickets = []Ticket{k}
		} else {
			side.Counts["errors"]++
		}
		side.Episodes = append(side.Episodes, e)
	}
	side.Digest = digestOfEpisodes(side.Episodes)
	return &Side{Name: "noisy", Agent: "noisy", Settings: map[string]string{"temperature": "1"}, Identity: map[string]string{"generator": "2-x", "grader": "1-x",
		"split": "test", "secret": "", "bank": "public", "tickets": ""}, Whole: true, Tasks: []TaskSide{side}}
}

// and adds the tasks of another side.
func (s *Side) and(o *Side) *Side {
	s.Tasks = append(s.Tasks, o.Tasks...)
	return s
}

// deterministic marks the side.
func (s *Side) deterministic() *Side {
	s.Deterministic = true
	return s
}

// ones gives scores of n tickets of which the first are 1, the others 0.
func ones(n, first int) []float64 {
	out := make([]float64, n)
	for i := range first {
		out[i] = 1
	}
	return out
}

// judged compares and judges.
func judged(t testing.TB, base, now *Side, gates ...string) []Verdict {
	t.Helper()
	verdicts, err := Judge(compared(t, base, now), parsed(t, gates...), JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

func compared(t testing.TB, base, now *Side) *Comparison {
	t.Helper()
	c, err := Compare(base, now, Options{Moved: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parsed(t testing.TB, gates ...string) []Gate {
	t.Helper()
	out := make([]Gate, len(gates))
	for i, text := range gates {
		var err error
		if out[i], err = ParseGate(text); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// noisyPair draws two runs on n tickets with 85 % right: of the tickets that base has right or wrong so many flip that each is
// fixed with the chance fixed and broken with the chance broken.
func noisyPair(n int, fixed, broken float64, r *rand.Rand) (base, now []float64) {
	base, now = make([]float64, n), make([]float64, n)
	const right = 0.85
	for i := range n {
		u := r.Float64()
		switch {
		case u < fixed:
			base[i], now[i] = 0, 1
		case u < fixed+broken:
			base[i], now[i] = 1, 0
		case u < fixed+right:
			base[i], now[i] = 1, 1
		}
	}
	return base, now
}
