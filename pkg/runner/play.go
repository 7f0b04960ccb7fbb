package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

// Play plays one episode: the one loop of reset, act and step. An answer that the environment refuses, or that does not
// come, counts as the empty action. A broken network or environment gives an episode without a score. The error is
// non-nil only if the episode was interrupted by ctx or the caller made a mistake; then there is no episode.
func Play(ctx context.Context, env triage.Env, agent triage.Agent, key triage.Key, opts triage.ResetOptions) (*triage.Episode, error) {
	opts.Seed = key.Seed
	ep := &triage.Episode{Key: key}
	if s, ok := agent.(triage.Starter); ok {
		s.Start(key)
	}
	if a, ok := agent.(triage.Attacher); ok {
		if err := a.Attach(env); err != nil {
			return nil, err
		}
	}
	result, err := env.Reset(ctx, opts)
	if err != nil {
		return broken(ctx, ep, "reset", err)
	}
	grader, _ := env.(triage.Grader)
	total := 0.0
	for !result.Done {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step := triage.Step{Observation: result.Observation}
		step.Action, err = agent.Act(ctx, result.Observation)
		if err != nil {
			if triage.CodeOf(err) == triage.CodeUnavailable || triage.CodeOf(err) == triage.CodeUsage {
				return broken(ctx, ep, "act", err)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			step.Error = err.Error()
			step.Action = triage.Action{}
		}
		if step.Action.Track == "" {
			step.Action.Track = trackOf(step.Observation) // the record is written by it
		}
		result, err = env.Step(ctx, step.Action)
		var fields *triage.FieldErrors
		if errors.As(err, &fields) {
			step.Error = err.Error()
			result, err = env.Step(ctx, triage.Action{Track: trackOf(step.Observation)})
		}
		if err != nil {
			return broken(ctx, ep, "step", err)
		}
		total += result.Reward
		if grader != nil {
			step.Score = grader.LastScore()
		}
		ep.Steps = append(ep.Steps, step)
	}
	finish(ep, grader, total)
	return ep, nil
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
	if triage.CodeOf(err) == triage.CodeUsage {
		return nil, fmt.Errorf("%s: %w", ep.Key, err)
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
