package cli

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// generated is the game of generated tasks.
type generated struct {
	session *session
	split   triage.Split
	options *playOptions
}

var _ game = (*generated)(nil)

func (g *generated) newEnv(task string, position triage.Int) (triage.Env, error) {
	return g.session.newEnv(task, g.split, position)
}

func (g *generated) newAgent(name string) (triage.Agent, error) { return g.options.cast.newAgent(name) }

func (g *generated) take(place int, ep *triage.Episode) { g.options.cast.take(place, ep) }

func (g *generated) settings() results.Settings {
	return results.Settings{
		settingGenerator: g.session.generator(), settingSplit: string(g.split), settingSecret: synth.Fingerprint(g.session.secret),
		settingGrader: grade.Version(), settingBank: g.session.bankName, settingSeed: strconv.FormatInt(g.options.Seed, 10),
	}
}

// floors plays the degenerate agents on the same seeds as the first agent's groups and gives the best of each task. Tickets
// are made once for all of them.
func (g *generated) floors(ctx context.Context, plan *runner.Plan, shard runner.Shard, first string) (map[string]*results.Floor, error) {
	out := map[string]*results.Floor{}
	tallies := map[string][]tally{}
	place := 0
	for _, gr := range plan.Groups() {
		start := place
		place += gr.Count
		if gr.Agent != first || gr.Trial > 0 {
			continue
		}
		task, err := triage.TaskByName(gr.Task)
		if err != nil {
			return nil, err
		}
		if tallies[gr.Task] == nil {
			tallies[gr.Task] = make([]tally, len(agent.Floors(task.Track)))
		}
		if err := g.floorGroup(ctx, gr, start, shard, agent.Floors(task.Track), tallies[gr.Task]); err != nil {
			return nil, err
		}
	}
	for name, list := range tallies {
		task, err := triage.TaskByName(name)
		if err != nil {
			return nil, err
		}
		for i, a := range agent.Floors(task.Track) {
			if list[i].n == 0 {
				continue
			}
			score := float64(list[i].micros.Load()) / 1e6 / float64(list[i].n)
			if f := out[name]; f == nil || score > f.Score {
				out[name] = &results.Floor{Agent: a, Score: score}
			}
		}
	}
	return out, nil
}

// tally sums scores in millionths, so that the sum does not depend on the order.
type tally struct {
	micros atomic.Int64
	n      int
}

func (g *generated) floorGroup(ctx context.Context, gr runner.Group, start int, shard runner.Shard, agents []string, tallies []tally) error {
	for i := range gr.Count {
		if shard.Has(start + i) {
			for j := range tallies {
				tallies[j].n++
			}
		}
	}
	workers := g.options.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(workers, gr.Count) {
		wg.Go(func() {
			err := g.floorWorker(ctx, gr, agents, func() int {
				for {
					i := int(next.Add(1) - 1)
					if i >= gr.Count || shard.Has(start+i) {
						return i
					}
				}
			}, tallies)
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return failed
}

func (g *generated) floorWorker(ctx context.Context, gr runner.Group, agents []string, next func() int, tallies []tally) error {
	task, err := triage.TaskByName(gr.Task)
	if err != nil {
		return err
	}
	memo := &memory{}
	e, err := env.New(task, g.split, func(split triage.Split) (env.Source, error) {
		src, err := g.session.source(task, split)
		if err != nil {
			return nil, err
		}
		memo.source = src
		if gr.Position.Set {
			memo.source = shifted{src, gr.Position.Value}
		}
		return memo, nil
	})
	if err != nil {
		return err
	}
	players := make([]triage.Agent, len(agents))
	for i, name := range agents {
		if players[i], err = agent.NewFloor(name); err != nil {
			return err
		}
	}
	opts := triage.ResetOptions{}
	if gr.Position.Set {
		opts.Tickets = 1
	}
	for i := next(); i < gr.Count; i = next() {
		for j, a := range players {
			key := triage.Key{Agent: agents[j], Task: gr.Task, Seed: gr.First + int64(i), Position: gr.Position}
			ep, err := runner.Play(ctx, e, a, key, opts)
			if err != nil {
				return err
			}
			if ep.Score == nil {
				return fmt.Errorf("floor agent %s: %s", agents[j], ep.Error)
			}
			tallies[j].micros.Add(int64(*ep.Score*1e6 + 0.5))
		}
	}
	return nil
}

// memory keeps the tickets of the last episode, so that several agents play it at the price of one.
type memory struct {
	source env.Source
	seed   int64
	cases  []*triage.Case
}

// Ticket gives the ticket from memory, or makes it.
func (m *memory) Ticket(seed int64, position int) *triage.Case {
	if seed != m.seed || m.cases == nil {
		m.seed, m.cases = seed, m.cases[:0]
	}
	for len(m.cases) <= position {
		m.cases = append(m.cases, m.source.Ticket(seed, len(m.cases)))
	}
	return m.cases[position]
}
