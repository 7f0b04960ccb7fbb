package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

// Play plays one episode: the one loop of reset, act and step. An answer that the environment refuses, or that does not
// come, counts as the empty action. A broken network or environment gives an episode without a score. The error is
// non-nil only if the episode was interrupted by ctx, the caller made a mistake, or the agent's endpoint is of no use; then
// there is no episode.
func Play(ctx context.Context, env triage.Env, agent triage.Agent, key triage.Key, opts triage.ResetOptions) (*triage.Episode, error) {
	p := player{env: env, agent: agent}
	return p.play(ctx, key, opts)
}

// player is an episode that is being played.
type player struct {
	env   triage.Env
	agent triage.Agent
	// before are steps of the same episode that were played earlier: they are answered as they were then.
	before []triage.Step
	// onStep is called after each step that was not played before, but for the last of the episode; an error ends the run.
	onStep func(index int, s *triage.Step) error
}

func (p *player) play(ctx context.Context, key triage.Key, opts triage.ResetOptions) (*triage.Episode, error) {
	opts.Seed = key.Seed
	ep := &triage.Episode{Key: key}
	if s, ok := p.agent.(triage.Starter); ok {
		s.Start(key)
	}
	if a, ok := p.agent.(triage.Attacher); ok {
		if err := a.Attach(p.env); err != nil {
			return nil, err
		}
	}
	result, err := p.env.Reset(ctx, opts)
	if err != nil {
		return broken(ctx, ep, "reset", err)
	}
	grader, _ := p.env.(triage.Grader)
	total := 0.0
	for !result.Done {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step, err := p.answer(ctx, len(ep.Steps), result.Observation)
		if err != nil {
			return broken(ctx, ep, "act", err)
		}
		result, err = p.env.Step(ctx, step.Action)
		var fields *triage.FieldErrors
		if errors.As(err, &fields) {
			if index := len(ep.Steps); index >= len(p.before) { // what was said before stays
				step.Error = err.Error()
			}
			result, err = p.env.Step(ctx, triage.Action{Track: trackOf(step.Observation)})
		}
		if err != nil {
			return broken(ctx, ep, "step", err)
		}
		total += result.Reward
		if grader != nil {
			step.Score = grader.LastScore()
		}
		if d, ok := p.env.(triage.Describer); ok {
			step.About = d.About()
		}
		ep.Steps = append(ep.Steps, step)
		if n := len(ep.Steps); p.onStep != nil && n > len(p.before) && !result.Done { // the last one comes with its episode
			if err := p.onStep(n-1, &ep.Steps[n-1]); err != nil {
				return nil, err
			}
		}
	}
	finish(ep, grader, total)
	return ep, nil
}

// answer gives the step that answers an observation, without its score: as it was answered before, or as the agent does. An
// error breaks the episode.
func (p *player) answer(ctx context.Context, index int, o triage.Observation) (triage.Step, error) {
	if v, ok := p.agent.(triage.Viewer); ok {
		o = v.View(o)
	}
	if index < len(p.before) {
		step := p.before[index]
		if !same(step.Observation, o) {
			return step, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf("step %d was kept for another ticket than the one that comes now", index)}
		}
		step.Observation, step.Score, step.About = o, nil, nil
		return step, nil
	}
	step := triage.Step{Observation: o}
	action, err := p.agent.Act(ctx, o)
	if t, ok := p.agent.(triage.Teller); ok {
		step.Usage, step.Reply = t.Told()
	}
	step.Action = action
	if err != nil {
		switch triage.CodeOf(err) {
		case triage.CodeUnavailable, triage.CodeUsage, triage.CodeUnusable:
			return step, err
		}
		if ctx.Err() != nil {
			return step, ctx.Err()
		}
		step.Error, step.Action = err.Error(), triage.Action{}
	}
	if step.Action.Track == "" {
		step.Action.Track = trackOf(o) // the record is written by it
	}
	return step, nil
}

// same tells whether two observations are the same in a record.
func same(a, b triage.Observation) bool {
	x, y := triage.Encoder{Round: true}, triage.Encoder{Round: true}
	x.Observation(a)
	y.Observation(b)
	return bytes.Equal(x.Buf, y.Buf)
}

// finish fills in the figures of an episode that came to its end.
func finish(ep *triage.Episode, grader triage.Grader, total float64) {
	ep.Ended = triage.EndedComplete
	if grader == nil {
		ep.Score, ep.Reward = &total, &total
		return
	}
	s, ok := grader.Summary()
	if !ok {
		ep.Ended, ep.Error = triage.EndedError, "the environment gave no summary of a finished episode"
		return
	}
	ep.Score, ep.Efficiency, ep.Reward = &s.Score, &s.Efficiency, &s.Reward
	if s.Truncated {
		ep.Ended = triage.EndedTruncated
	}
}

// broken makes an episode without a score, unless the run was interrupted or the caller's mistake would break every one.
func broken(ctx context.Context, ep *triage.Episode, doing string, err error) (*triage.Episode, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	switch triage.CodeOf(err) {
	case triage.CodeUsage:
		return nil, fmt.Errorf("%s: %w", ep.Key, err)
	case triage.CodeUnusable:
		return nil, err
	}
	ep.Ended, ep.Error = triage.EndedError, doing+": "+err.Error()
	return ep, nil
}

func trackOf(o triage.Observation) triage.Track {
	switch {
	case o.Desk != nil:
		return triage.Desk
	case o.Dataset != nil:
		return triage.Dataset
	}
	return triage.Queue
}
