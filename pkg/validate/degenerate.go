package validate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// The episodes by which degenerate agents are judged: a desk episode is one ticket. They are those of an audit.
const degenerateQueue, degenerateDesk = 200, 2000

// The ceilings of degenerate agents: what those that look at nothing may earn, and what those that copy a field may.
const blindQueue, blindDesk, copyQueueEasy, copyDesk = 0.40, 0.45, 0.80, 0.55

// blindAgents look at nothing.
var blindAgents = map[string]bool{"constant": true, "random": true, "majority": true}

// checkDegenerate plays the agents that do not read, and holds them under their ceilings.
func checkDegenerate(ctx context.Context, b *bench) []triage.Check {
	c := b.claim("degenerate", "agents that do not read: one answer to all, random ones, each observed field copied", b.ceilings())
	n, names := degenerateQueue, b.Floors(b.task.Track)
	if b.task.Track == triage.Desk {
		n = degenerateDesk
	}
	c.unless(len(names) > 0, "there are no degenerate agents")
	means, err := b.means(ctx, names, n)
	if err != nil {
		c.against("%v", err)
		return []triage.Check{c.done("")}
	}
	best := 0
	for i, name := range names {
		b.under(c, name, means[i])
		if means[i] > means[best] {
			best = i
		}
	}
	if len(names) == 0 {
		return []triage.Check{c.done("")}
	}
	return []triage.Check{c.done("%d agents in %d episodes each; best is %s with %.3f", len(names), n, names[best], means[best])}
}

func (b *bench) ceilings() string {
	blind, copies := blindQueue, fmt.Sprintf("miss the target, %s", targetOf(b.task))
	switch {
	case b.task.Track == triage.Desk:
		blind = blindDesk
		copies = fmt.Sprintf("at most %.2f", copyDesk)
	case b.task.Difficulty == triage.Easy:
		copies = fmt.Sprintf("at most %.2f", copyQueueEasy)
	}
	return fmt.Sprintf("blind ones at most %.2f, copying ones %s", blind, copies)
}

// under finds fault with a mean score over its ceiling.
func (b *bench) under(c *claim, name string, mean float64) {
	blind, copies := blindQueue, 1.0
	switch {
	case b.task.Track == triage.Desk:
		blind, copies = blindDesk, copyDesk
	case b.task.Difficulty == triage.Easy:
		copies = copyQueueEasy
	}
	limit := copies
	if blindAgents[strings.ToLower(name)] {
		limit = blind
	}
	c.unless(mean <= limit+exact && !b.task.Pass(mean), "%s earns %.3f", name, mean)
}

// means are the mean scores of agents over n episodes each. All play a seed before the next one comes, so that its tickets are
// made once where the environment remembers them.
func (b *bench) means(ctx context.Context, names []string, n int) ([]float64, error) {
	scores, errs := make([][]float64, n), make([]error, n)
	workers := max(1, b.Workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			e, err := b.remembering()
			for i := w; i < n; i += workers {
				if err == nil {
					err = ctx.Err()
				}
				if errs[i] = err; err != nil {
					return
				}
				scores[i], errs[i] = b.scores(ctx, e, names, b.seed+int64(i))
			}
		})
	}
	wg.Wait()
	out := make([]float64, len(names))
	for i := range scores {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for j, s := range scores[i] {
			out[j] += s / float64(n)
		}
	}
	return out, nil
}

func (b *bench) remembering() (triage.Env, error) {
	if b.NewRemembering != nil {
		return b.NewRemembering(b.task, split)
	}
	return b.NewEnv(b.task, split)
}

// scores are what the agents score in the episode of a seed.
func (b *bench) scores(ctx context.Context, e triage.Env, names []string, seed int64) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		a, err := b.NewAgent(name)
		if err != nil {
			return nil, err
		}
		ep, err := b.Play(ctx, e, a, triage.Key{Agent: name, Task: b.task.Name, Seed: seed}, triage.ResetOptions{})
		if err != nil {
			return nil, err
		}
		if ep.Score == nil {
			return nil, fmt.Errorf("%s, seed %d: %s", name, seed, ep.Error)
		}
		out[i] = *ep.Score
	}
	return out, nil
}
