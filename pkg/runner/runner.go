package runner

import (
	"context"
	"io"
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
	// Before gives the steps of an episode that an interrupted run has played: they are answered as they were then, without
	// asking the agent. Nil: there are none.
	Before func(key triage.Key) []triage.Step
	// OnStep is called after each step that was not played before, but for the last of an episode, which the sink gets at once;
	// calls overlap neither each other nor the sink's. An error ends the run.
	OnStep func(key triage.Key, index int, s *triage.Step) error
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
			w := worker{r: r, mu: &mu, envs: map[envKey]triage.Env{}, agents: map[string]triage.Agent{}}
			defer w.close()
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
	mu     *sync.Mutex // of the sink
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
	p := player{env: env, agent: agent}
	if w.r.Before != nil {
		p.before = w.r.Before(key)
	}
	if w.r.OnStep != nil {
		p.onStep = func(index int, s *triage.Step) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.r.OnStep(key, index, s)
		}
	}
	return p.play(ctx, key, opts)
}

// close lets agents go that hold on to something, such as a process.
func (w *worker) close() {
	for _, a := range w.agents {
		if c, ok := a.(io.Closer); ok {
			_ = c.Close() // the agent is done: what it answered is on record
		}
	}
}
