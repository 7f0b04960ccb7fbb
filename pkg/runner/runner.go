package runner

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/triage"
)

// Runner plays the episodes of a plan with several workers. What it gives does not depend on how many there are.
type Runner struct {
	// NewEnv makes the environment of a task; each worker makes its own. position is set where only one ticket is played.
	NewEnv func(task string, position triage.Int) (triage.Env, error)
	// NewAgent makes an agent; each worker makes its own.
	NewAgent func(name string) (triage.Agent, error)
	// Workers is how many episodes are played at once; 0 means as many as there are processors.
	Workers int
	// Options are given to each reset; the seed comes from the key.
	Options triage.ResetOptions
}

// Sink takes a finished episode with its place in the plan. Calls do not overlap. An error ends the run.
type Sink func(place int, ep *triage.Episode) error

// Run plays the episodes of the plan for which want is true. It stops early when ctx is done, when the sink fails, or
// when an environment or agent cannot be made; what was finished has gone to the sink by then.
func (r *Runner) Run(ctx context.Context, plan *Plan, want func(place int) bool, sink Sink) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := r.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, plan.Len()))
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error // of the sink, which is called no more then
	for range workers {
		wg.Go(func() {
			w := worker{r: r, envs: map[envKey]triage.Env{}, agents: map[string]triage.Agent{}}
			for {
				place := int(next.Add(1) - 1)
				if place >= plan.Len() || ctx.Err() != nil {
					return
				}
				if want != nil && !want(place) {
					continue
				}
				ep, err := w.play(ctx, plan.Key(place))
				if err == nil {
					mu.Lock()
					if failed == nil {
						failed = sink(place, ep)
					}
					err = failed
					mu.Unlock()
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

type envKey struct {
	task     string
	position triage.Int
}

// worker keeps the environments and agents that it has made.
type worker struct {
	r      *Runner
	envs   map[envKey]triage.Env
	agents map[string]triage.Agent
}

func (w *worker) play(ctx context.Context, key triage.Key) (*triage.Episode, error) {
	ek := envKey{key.Task, key.Position}
	env, ok := w.envs[ek]
	if !ok {
		var err error
		if env, err = w.r.NewEnv(key.Task, key.Position); err != nil {
			return nil, err
		}
		w.envs[ek] = env
	}
	agent, ok := w.agents[key.Agent]
	if !ok {
		var err error
		if agent, err = w.r.NewAgent(key.Agent); err != nil {
			return nil, err
		}
		w.agents[key.Agent] = agent
	}
	opts := w.r.Options
	if key.Position.Set {
		opts.Tickets = 1
	}
	return Play(ctx, env, agent, key, opts)
}
