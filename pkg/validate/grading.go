package validate

import (
	"context"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/triage"
)

// exact is how far two sums of the same numbers may lie apart.
const exact = 1e-9

func near(a, b float64) bool { return math.Abs(a-b) <= exact }

// partNames are the graded parts of a task, in their order.
func partNames(task triage.Task) []string {
	switch {
	case task.Track == triage.Queue:
		return []string{"route", "urgency", "difficulty", "priority"}
	case task.Difficulty == triage.Medium:
		return []string{"category", "priority", "urgency_days"}
	case task.Difficulty == triage.Hard:
		return []string{"category", "priority", "department", "recommendation"}
	}
	return []string{"category"}
}

// gradeEpisodes is how many episodes of an agent the grading is judged by.
const gradeEpisodes = 6

// checkGraders looks at the parts of grades: names, range, weights, and that partly right answers earn part of the credit.
func checkGraders(ctx context.Context, b *bench) []triage.Check {
	c := b.claim("parts", "the parts of every grade", "the task's parts in their order, values and total from 0 to 1, weights that sum to 1")
	episodes, err := b.recorded(ctx, gradeEpisodes)
	if err != nil {
		c.against("%v", err)
	}
	names, grades := partNames(b.task), 0
	low, high := 1.0, 0.0
	for _, ep := range episodes {
		for _, s := range ep.Steps {
			if s.Score == nil {
				continue
			}
			grades++
			b.parts(c, s.Score, names)
			low, high = min(low, s.Score.Total), max(high, s.Score.Total)
		}
		c.unless(ep.Key.Agent != "oracle" || *ep.Score == 1, "right answers to seed %d score %v", ep.Key.Seed, *ep.Score)
	}
	return []triage.Check{c.done("%d grades from %.3f to %.3f", grades, low, high), checkPartialCredit(ctx, b)}
}

func (b *bench) parts(c *claim, s *triage.Score, names []string) {
	var got []string
	weights := 0.0
	for _, p := range s.Parts {
		got = append(got, p.Name)
		weights += p.Weight
		c.unless(p.Value >= 0 && p.Value <= 1 && p.Weight > 0, "part %s has value %v and weight %v", p.Name, p.Value, p.Weight)
	}
	c.unless(slices.Equal(got, names), "parts %v, where %v are due", got, names)
	c.unless(near(weights, 1), "the weights sum to %v", weights)
	c.unless(s.Total >= 0 && s.Total <= 1, "total %v", s.Total)
}

// checkPartialCredit answers one part right at a time: each must earn something, and none all.
func checkPartialCredit(ctx context.Context, b *bench) triage.Check {
	c := b.claim("partial-credit", "answers of which one part is right, and one is one off", "nothing earns 0, each right part something, all of them 1, one off in between")
	for seed := b.seed; seed < b.seed+3; seed++ {
		all, err := b.answered(ctx, seed, func(a triage.Action) triage.Action { return a })
		if err != nil {
			c.against("seed %d: %v", seed, err)
			continue
		}
		none, _ := b.answered(ctx, seed, func(triage.Action) triage.Action { return triage.Action{Track: b.task.Track} })
		c.unless(all == 1 && none == 0, "seed %d: right answers score %v, empty ones %v", seed, all, none)
		for i := range 4 {
			got, err := b.answered(ctx, seed, func(a triage.Action) triage.Action { return onePart(a, i) })
			graded := b.task.Track == triage.Queue || i < len(partNames(b.task)) && (b.task.Difficulty != triage.Medium || i < 2)
			whole := b.task.Name == "desk-easy"
			c.unless(err == nil && (got > 0) == graded && (got < 1 || whole), "seed %d: part %d alone scores %v, error %v", seed, i, got, err)
		}
		if b.task.Name == "desk-easy" {
			continue // a category is right or wrong
		}
		got, err := b.answered(ctx, seed, oneOff)
		c.unless(err == nil && got > 0 && got < 1, "seed %d: answers that are one off score %v, error %v", seed, got, err)
	}
	return c.done("as expected in 3 episodes")
}

// answered plays an episode of changed right answers and gives its score.
func (b *bench) answered(ctx context.Context, seed int64, change func(triage.Action) triage.Action) (float64, error) {
	e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed})
	for i := 0; err == nil && !r.Done && i < b.task.MaxSteps; i++ {
		r, err = e.Step(ctx, change(b.right(e)))
	}
	return summaryOf(e).Score, err
}

// oneOff moves the ordered labels of an answer by one level.
func oneOff(a triage.Action) triage.Action {
	a.Queue.Urgency = beside(triage.Urgencies(), a.Queue.Urgency)
	a.Desk.Priority = beside(triage.Priorities(), a.Desk.Priority)
	return a
}

// beside gives a neighbour of a value of a scale.
func beside[T comparable](scale []T, v T) T {
	i := slices.Index(scale, v)
	switch {
	case i < 0:
		return v
	case i+1 < len(scale):
		return scale[i+1]
	}
	return scale[i-1]
}
