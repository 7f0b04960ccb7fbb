package validate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// Fingerprint plays an episode with a random agent, whose draws depend on the episode's key only, and gives 64 hex digits of
// everything that was seen, answered, paid and graded.
func Fingerprint(ctx context.Context, e triage.Env, a triage.Agent, task triage.Task, seed int64) (string, error) {
	if s, ok := a.(triage.Starter); ok {
		s.Start(triage.Key{Agent: "random", Task: task.Name, Seed: seed})
	}
	h := sha256.New()
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: seed, EpisodeID: "fingerprint"})
	for steps := 0; err == nil; steps++ {
		var enc triage.Encoder
		enc.Observation(r.Observation)
		enc.Buf = append(enc.Buf, fmt.Sprintf("\n%v %v\n", r.Reward, r.Done)...)
		if g, ok := e.(triage.Grader); ok && g.LastScore() != nil {
			enc.Score(g.LastScore())
		}
		_, _ = h.Write(enc.Buf) // a hash takes all
		if r.Done || steps == task.MaxSteps {
			break
		}
		var act triage.Action
		if act, err = a.Act(ctx, r.Observation); err != nil {
			break
		}
		r, err = e.Step(ctx, act)
	}
	if err != nil {
		return "", fmt.Errorf("seed %d: %w", seed, err)
	}
	if g, ok := e.(triage.Grader); ok {
		s, _ := g.Summary()
		_, _ = fmt.Fprintf(h, "%+v", s) // a hash takes all
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (b *bench) fingerprint(ctx context.Context, seed int64) (string, error) {
	e, err := b.NewEnv(b.task, split)
	if err != nil {
		return "", err
	}
	a, err := b.NewAgent("random")
	if err != nil {
		return "", err
	}
	return Fingerprint(ctx, e, a, b.task, seed)
}

// The episodes by which determinism is judged.
const seedsCompared, seedsElsewhere = 8, 2

// checkSeeds compares episodes of the same seed: twice, at once, and in another process; and of different seeds.
func checkSeeds(ctx context.Context, b *bench) []triage.Check {
	same := b.claim("same-seed", "episodes of a seed, in an environment that is new and in one that played others", "the same twice; another for every seed")
	first := make([]string, seedsCompared)
	for i := range first {
		var err error
		if first[i], err = b.fingerprint(ctx, b.seed+int64(i)); err != nil {
			same.against("%v", err)
		}
	}
	b.again(ctx, same, first)
	b.differ(ctx, same)
	return []triage.Check{same.done("%d seeds twice", len(first)), checkParallel(ctx, b, first), checkElsewhere(ctx, b, first)}
}

// again plays all seeds backwards in one environment.
func (b *bench) again(ctx context.Context, c *claim, first []string) {
	e, err := b.NewEnv(b.task, split)
	if err != nil {
		c.against("%v", err)
		return
	}
	for i := len(first) - 1; i >= 0; i-- {
		a, err := b.NewAgent("random")
		if err != nil {
			c.against("%v", err)
			return
		}
		got, err := Fingerprint(ctx, e, a, b.task, b.seed+int64(i))
		c.unless(err == nil && got == first[i], "seed %d gives another episode the second time, error %v", b.seed+int64(i), err)
	}
}

// differ expects that no two seeds begin with the same observation.
func (b *bench) differ(ctx context.Context, c *claim) {
	seen := map[string]int64{}
	for seed := b.seed; seed < b.seed+seedsCompared; seed++ {
		_, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed})
		if err != nil {
			continue // it is told already
		}
		var enc triage.Encoder
		enc.Observation(r.Observation)
		if other, ok := seen[string(enc.Buf)]; ok {
			c.against("seeds %d and %d begin with the same observation", other, seed)
		}
		seen[string(enc.Buf)] = seed
	}
}

func checkParallel(ctx context.Context, b *bench, first []string) triage.Check {
	c := b.claim("parallel", "the same episodes, all at once", "as one after another")
	got, errs := make([]string, len(first)), make([]error, len(first))
	var wg sync.WaitGroup
	for i := range first {
		wg.Go(func() { got[i], errs[i] = b.fingerprint(ctx, b.seed+int64(i)) })
	}
	wg.Wait()
	for i := range first {
		c.unless(errs[i] == nil && got[i] == first[i], "seed %d gives another episode, error %v", b.seed+int64(i), errs[i])
	}
	return c.done("%d at once", len(first))
}

func checkElsewhere(ctx context.Context, b *bench, first []string) triage.Check {
	c := b.claim("processes", "the same episodes in another process", "as in this one")
	if b.Elsewhere == nil {
		return c.skipped("no other process can be started here")
	}
	for i := range min(seedsElsewhere, len(first)) {
		got, err := b.Elsewhere(ctx, b.task, b.seed+int64(i))
		c.unless(err == nil && got == first[i], "seed %d gives another episode, error %v", b.seed+int64(i), err)
	}
	return c.done("%d episodes", min(seedsElsewhere, len(first)))
}
