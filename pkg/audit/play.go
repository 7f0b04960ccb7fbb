package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/triage"
)

// play lets every contender play every episode. A worker plays an episode with all of them before it takes the next, so
// that an environment which remembers its last tickets makes them once.
func (a *arena) play(ctx context.Context) error {
	for _, c := range a.contenders {
		a.results[c.name] = make([]outcome, a.Episodes)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(a.Workers, a.Episodes) {
		wg.Go(func() {
			w := &worker{arena: a, envs: map[string]triage.Env{}, agents: make([]triage.Agent, len(a.contenders))}
			defer w.close()
			for i := int(next.Add(1) - 1); i < a.Episodes && ctx.Err() == nil; i = int(next.Add(1) - 1) {
				if err := w.round(ctx, i); err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				a.step()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (a *arena) step() {
	a.done++
	if a.Step != nil {
		a.Step(a.done, len(a.Tasks)*a.Episodes)
	}
}

// worker keeps the environments, by secret, and agents that it has made.
type worker struct {
	*arena
	envs   map[string]triage.Env
	agents []triage.Agent
}

// round plays one episode with every contender.
func (w *worker) round(ctx context.Context, episode int) error {
	for i := range w.contenders {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &w.contenders[i]
		e, err := w.env(c.secret)
		if err != nil {
			return err
		}
		key := triage.Key{Agent: c.name, Task: w.task.Name, Seed: w.Seed + int64(episode)}
		var o outcome
		if c.attack != nil {
			o, err = c.attack(ctx, e, key)
		} else {
			o, err = w.episode(ctx, i, e, key)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		w.results[c.name][episode] = o
	}
	return nil
}

func (w *worker) env(secret []byte) (triage.Env, error) {
	if e, ok := w.envs[string(secret)]; ok {
		return e, nil
	}
	e, err := w.NewEnv(w.task, w.Split, secret)
	if err != nil {
		return nil, err
	}
	w.envs[string(secret)] = e
	return e, nil
}

// close ends environments that are of a server.
func (w *worker) close() {
	for _, e := range w.envs {
		closeEnv(e)
	}
}

func closeEnv(e triage.Env) {
	if c, ok := e.(io.Closer); ok {
		_ = c.Close() // nothing was asked of it any more
	}
}

// episode plays an agent by the usual loop.
func (w *worker) episode(ctx context.Context, i int, e triage.Env, key triage.Key) (outcome, error) {
	if w.agents[i] == nil {
		var err error
		if w.agents[i], err = w.contenders[i].agent(); err != nil {
			return outcome{}, err
		}
	}
	ep, err := w.Play(ctx, e, w.agents[i], key, triage.ResetOptions{})
	if err != nil {
		return outcome{}, err
	}
	if ep.Score == nil || ep.Reward == nil {
		return outcome{}, &triage.Error{Code: triage.CodeUnavailable, Message: "the episode broke: " + ep.Error}
	}
	o := outcome{score: *ep.Score, reward: *ep.Reward}
	if n := len(ep.Steps); n > 0 && ep.Steps[n-1].Score != nil {
		if p, ok := ep.Steps[n-1].Score.Part(partRecommendation); ok {
			o.recommendation = p.Value
		}
	}
	return o, nil
}

// The parts of scores that attacks look at, as they are named on the wire.
const (
	partRoute          = "route"
	partUrgency        = "urgency"
	partDifficulty     = "difficulty"
	partRecommendation = "recommendation"
)

// summary is what an episode that an attack played by its own rules came to; paid is the sum of its rewards.
func summary(e triage.Env, paid float64) (outcome, error) {
	g, ok := e.(triage.Grader)
	if !ok {
		return outcome{}, errors.New("the environment tells no score")
	}
	s, ok := g.Summary()
	if !ok {
		return outcome{}, errors.New("the environment gave no summary of a finished episode")
	}
	return outcome{score: s.Score, reward: paid}, nil
}
