// Command fit finds, on split train, what the agents that do not read answer: the best single action of each task
// (baselines/constant/rules.json) and the most frequent labels given each observed field (baselines/floor/fields.json).
// Run it from the repository's root: go run ./baselines/fit
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// firstSeed and tickets say what is counted: seeds that no example and no committed result uses.
const firstSeed, tickets = 1_000_000, 4000

func main() {
	if err := run("baselines"); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	constant, fields, err := Fit()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"constant/rules.json": constant, "floor/fields.json": fields} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Fit gives the contents of both files.
func Fit() (constant, fields []byte, err error) {
	bank, err := scenario.Embedded()
	if err != nil {
		return nil, nil, err
	}
	tasks := triage.Tasks()
	fits := make([]fitted, len(tasks))
	var wg sync.WaitGroup
	for i := range tasks {
		wg.Go(func() { fits[i] = fit(bank, tasks[i]) })
	}
	wg.Wait()
	best := map[string]triage.Action{}
	tables := map[string]map[string]map[string]triage.Action{}
	for i, f := range fits {
		if f.err != nil {
			return nil, nil, f.err
		}
		best[tasks[i].Name], tables[tasks[i].Name] = f.best, f.tables
	}
	if constant, err = encode(best); err != nil {
		return nil, nil, err
	}
	fields, err = encode(tables)
	return constant, fields, err
}

// fitted is what was found for one task.
type fitted struct {
	best   triage.Action
	tables map[string]map[string]triage.Action // by field and value
	err    error
}

func fit(bank *scenario.Bank, task triage.Task) (out fitted) {
	sample, err := draw(bank, task)
	if err != nil {
		return fitted{err: err}
	}
	out.best, out.tables = bestAction(task, sample), map[string]map[string]triage.Action{}
	for _, f := range agent.Fields(task.Track) {
		groups := map[string][]example{"*": sample}
		for _, x := range sample {
			v := agent.FieldValue(x.observation, f)
			groups[v] = append(groups[v], x)
		}
		out.tables[f] = map[string]triage.Action{}
		for v, list := range groups {
			out.tables[f][v] = majority(task, list)
		}
	}
	return out
}

func encode(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	return append(data, '\n'), err
}

// example is a ticket as it is seen, with its truth.
type example struct {
	observation triage.Observation
	truth       triage.Truth
}

// draw plays episodes of train to collect tickets as agents see them.
func draw(bank *scenario.Bank, task triage.Task) ([]example, error) {
	e, err := env.New(task, triage.Train, func(split triage.Split) (env.Source, error) {
		return synth.New(bank, task, split, nil)
	})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	var out []example
	for seed := int64(firstSeed); len(out) < tickets; seed++ {
		result, err := e.Reset(ctx, triage.ResetOptions{Seed: seed})
		for ; err == nil && !result.Done && len(out) < tickets; result, err = e.Step(ctx, triage.Action{Track: task.Track}) {
			truth, _ := e.Truth()
			out = append(out, example{result.Observation, truth})
			if task.Track == triage.Desk {
				break
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// most gives the most frequent of some values, the first in order if several are.
func most[T comparable](values []T, list []example, of func(*example) T) T {
	counts := map[T]int{}
	for i := range list {
		counts[of(&list[i])]++
	}
	best := values[0]
	for _, v := range values[1:] {
		if counts[v] > counts[best] {
			best = v
		}
	}
	return best
}

const recommendation = "Investigate the logs and fix the error that the customer reports."

// majority answers each field with its most frequent label.
func majority(task triage.Task, list []example) triage.Action {
	if task.Track == triage.Queue {
		a := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{
			Route:      most(triage.Routes(), list, func(x *example) triage.Route { return x.truth.Queue.Route }),
			Urgency:    most(triage.Urgencies(), list, func(x *example) triage.Urgency { return x.truth.Queue.Urgency }),
			Difficulty: most(triage.Resolutions(), list, func(x *example) triage.Resolution { return x.truth.Queue.Difficulty }),
		}}
		return a
	}
	return triage.Action{Track: triage.Desk, Desk: triage.DeskAction{
		Category:       most(triage.Categories(), list, func(x *example) triage.Category { return x.truth.Desk.Category }),
		Priority:       most(triage.Priorities(), list, func(x *example) triage.Priority { return x.truth.Desk.Priority }),
		UrgencyDays:    triage.IntOf(most([]int{1, 2, 3, 4, 5, 6, 7}, list, func(x *example) int { return x.truth.Desk.UrgencyDays })),
		Department:     most(triage.Departments(), list, func(x *example) triage.Department { return x.truth.Desk.Department }),
		Recommendation: recommendation,
	}}
}

// bestAction searches the single action with the highest mean score. The parts of a queue answer are independent given
// the route, and those of a desk answer independent at all, so each is searched alone.
func bestAction(task triage.Task, list []example) triage.Action {
	if task.Track == triage.Desk {
		return bestDesk(task, list)
	}
	var best triage.Action
	parts := make([]triage.Part, 0, grade.QueueParts)
	high := -1.0
	for _, r := range triage.Routes() {
		a := triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: r}}
		mean := func() float64 {
			sum := 0.0
			for i := range list {
				sum += grade.Queue(parts[:0], list[i].truth.Queue, &a.Queue).Total
			}
			return sum / float64(len(list))
		}
		search(triage.Urgencies(), func(v triage.Urgency) { a.Queue.Urgency = v }, mean)
		search(triage.Resolutions(), func(v triage.Resolution) { a.Queue.Difficulty = v }, mean)
		scores := make([]int, 101)
		for i := range scores {
			scores[i] = i
		}
		search(scores, func(v int) { a.Queue.Priority = triage.IntOf(v) }, mean)
		if m := mean(); m > high {
			best, high = a, m
		}
	}
	return best
}

// bestDesk searches without the recommendation, which earns the same whatever stands beside it and is slow to grade.
func bestDesk(task triage.Task, list []example) triage.Action {
	a := triage.Action{Track: triage.Desk}
	mean := func() float64 {
		sum := 0.0
		for i := range list {
			sum += grade.Desk(task.Difficulty, list[i].truth.Desk, &a.Desk).Total
		}
		return sum / float64(len(list))
	}
	search(triage.Categories(), func(v triage.Category) { a.Desk.Category = v }, mean)
	search(triage.Priorities(), func(v triage.Priority) { a.Desk.Priority = v }, mean)
	search([]int{1, 2, 3, 4, 5, 6, 7}, func(v int) { a.Desk.UrgencyDays = triage.IntOf(v) }, mean)
	search(triage.Departments(), func(v triage.Department) { a.Desk.Department = v }, mean)
	a.Desk.Recommendation = recommendation
	return a
}

// search sets the value with the highest mean, the first one if several have it.
func search[T any](values []T, set func(T), mean func() float64) {
	best, high := 0, -1.0
	for i, v := range values {
		set(v)
		if m := mean(); m > high+1e-12 {
			best, high = i, m
		}
	}
	set(values[best])
}
