package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// checkReset holds resets against the contract.
func checkReset(ctx context.Context, b *bench) []triage.Check {
	c := b.claim("reset", "a reset begins an episode, also in the middle of another", "first ticket, no reward, not done, step count 0, the id that was asked for or a new one")
	seeds := []int64{b.seed, b.seed + 1, 0, triage.MaxSeed}
	for _, seed := range seeds {
		e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed, EpisodeID: "validate-1"})
		if err != nil {
			c.against("seed %d: %v", seed, err)
			continue
		}
		b.beginning(c, seed, r)
		b.state(c, e, triage.State{EpisodeID: "validate-1", Track: b.task.Track, Task: b.task.Name, Split: split, Observation: r.Observation})
		if _, err := e.Step(ctx, b.right(e)); err != nil {
			c.against("seed %d: a right answer gives %v", seed, err)
		}
		again, err := e.Reset(ctx, triage.ResetOptions{Seed: seed, Split: triage.Train})
		if err != nil {
			c.against("seed %d: a reset in mid-episode gives %v", seed, err)
			continue
		}
		b.beginning(c, seed, again)
		own := e.State()
		c.unless(own.EpisodeID != "" && own.EpisodeID != "validate-1", "a reset without an id has the id %q", own.EpisodeID)
		b.state(c, e, triage.State{EpisodeID: own.EpisodeID, Track: b.task.Track, Task: b.task.Name, Split: triage.Train, Observation: again.Observation})
		c.unless(!reflect.DeepEqual(r.Observation, again.Observation), "seed %d shows the same ticket on both splits", seed)
	}
	return []triage.Check{c.done("%d seeds", len(seeds))}
}

// beginning looks at what a reset gave.
func (b *bench) beginning(c *claim, seed int64, r triage.StepResult) {
	c.unless(r.Reward == 0 && !r.Done, "seed %d: reward %v, done %v", seed, r.Reward, r.Done)
	switch q, d := r.Observation.Queue, r.Observation.Desk; {
	case b.task.Track == triage.Queue && q != nil:
		c.unless(q.Task == b.task.Name && q.Ticket != nil && q.LastResult == nil && q.Position == 0 && q.TotalTickets == b.task.Tickets && q.Remaining == b.task.Tickets,
			"seed %d: position %d of %d, %d remaining", seed, q.Position, q.TotalTickets, q.Remaining)
	case b.task.Track == triage.Desk && d != nil:
		c.unless(d.TaskDifficulty == b.task.Difficulty && d.IssueText != "" && d.TicketID != "" && d.StepCount == 0,
			"seed %d: ticket %q, step count %d", seed, d.TicketID, d.StepCount)
	default:
		c.against("seed %d: an observation of another track", seed)
	}
}

// state expects the state of an environment.
func (b *bench) state(c *claim, e triage.Env, want triage.State) {
	if got := e.State(); !reflect.DeepEqual(got, want) {
		c.against("the state is %s %s on %s at step %d, done %v, where %s %s on %s at step %d, done %v, was due (or its observation is another)", got.EpisodeID, got.Task, got.Split,
			got.StepCount, got.Done, want.EpisodeID, want.Task, want.Split, want.StepCount, want.Done)
	}
}

// right is the right answer to what an environment shows, or the empty one where it does not tell.
func (b *bench) right(e triage.Env) triage.Action {
	a := triage.Action{Track: b.task.Track}
	if k, ok := e.(triage.Knower); ok {
		if truth, ok := k.Truth(); ok {
			return rightAnswer(b.task.Track, truth)
		}
	}
	return a
}

func rightAnswer(track triage.Track, truth triage.Truth) triage.Action {
	a := triage.Action{Track: track}
	if q := truth.Queue; q != nil {
		a.Queue = triage.QueueAction{Route: q.Route, Urgency: q.Urgency, Difficulty: q.Difficulty, Priority: triage.IntOf(q.Priority)}
	}
	if d := truth.Desk; d != nil {
		a.Desk = triage.DeskAction{Category: d.Category, Priority: d.Priority, UrgencyDays: triage.IntOf(d.UrgencyDays), Department: d.Department,
			Recommendation: handbook.SampleRecommendation(d)}
	}
	return a
}

// checkSteps plays episodes with right, empty and partial answers and holds each step against the contract.
func checkSteps(ctx context.Context, b *bench) []triage.Check {
	c := b.claim("steps", "steps count, and an episode ends where it has to", "done after the last ticket, or when all is answered, or after the last step")
	ways := map[string]func(triage.Action, int) triage.Action{
		"right":    func(a triage.Action, _ int) triage.Action { return a },
		"empty":    func(triage.Action, int) triage.Action { return triage.Action{Track: b.task.Track} },
		"one part": onePart,
	}
	episodes := 0
	for _, way := range []string{"right", "empty", "one part"} {
		for seed := b.seed; seed < b.seed+3; seed++ {
			episodes++
			if err := b.walk(ctx, c, seed, ways[way]); err != nil {
				c.against("seed %d, %s answers: %v", seed, way, err)
			}
		}
	}
	return []triage.Check{c.done("%d episodes of right, empty and partial answers", episodes)}
}

// onePart keeps one field of an answer.
func onePart(a triage.Action, i int) triage.Action {
	out := triage.Action{Track: a.Track}
	switch i % 4 {
	case 0:
		out.Queue.Route, out.Desk.Category = a.Queue.Route, a.Desk.Category
	case 1:
		out.Queue.Urgency, out.Desk.Priority, out.Desk.UrgencyDays = a.Queue.Urgency, a.Desk.Priority, a.Desk.UrgencyDays
	case 2:
		out.Queue.Difficulty, out.Desk.Department = a.Queue.Difficulty, a.Desk.Department
	default:
		out.Queue.Priority, out.Desk.Recommendation = a.Queue.Priority, a.Desk.Recommendation
	}
	return out
}

// walk plays one episode and looks at every step.
func (b *bench) walk(ctx context.Context, c *claim, seed int64, way func(triage.Action, int) triage.Action) error {
	e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed, EpisodeID: "walk"})
	if err != nil {
		return err
	}
	c.unless(!r.Done, "seed %d: the reset ends the episode", seed)
	var given triage.DeskAction
	for i := 0; !r.Done; i++ {
		if i == b.task.MaxSteps {
			return fmt.Errorf("not done after %d steps", i)
		}
		a := way(b.right(e), i)
		if r, err = e.Step(ctx, a); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		add(&given, &a.Desk)
		want := i+1 == b.task.MaxSteps || b.task.Track == triage.Desk && complete(b.task, &given)
		c.unless(r.Done == want, "seed %d, step %d: done is %v", seed, i+1, r.Done)
		c.unless(!math.IsNaN(r.Reward) && r.Reward >= 0 && r.Reward <= 1, "seed %d, step %d: reward %v", seed, i+1, r.Reward)
		c.unless(b.track(r.Observation, i+1), "seed %d: the observation of step %d has another position", seed, i+1)
		b.state(c, e, triage.State{EpisodeID: "walk", StepCount: i + 1, Track: b.task.Track, Task: b.task.Name, Split: split, Done: r.Done, Observation: r.Observation})
	}
	return nil
}

// track tells whether an observation stands where it has to after so many steps.
func (b *bench) track(o triage.Observation, steps int) bool {
	if q := o.Queue; q != nil {
		return q.Position == steps && q.Remaining == q.TotalTickets-steps && (q.Ticket == nil) == (q.Remaining == 0) && q.LastResult != nil && q.Stats != nil && q.Stats.Processed == steps
	}
	return o.Desk != nil && o.Desk.StepCount == steps
}

// add puts a submission into an answer: later values replace earlier ones.
func add(into, from *triage.DeskAction) {
	set := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	set((*string)(&into.Category), string(from.Category))
	set((*string)(&into.Priority), string(from.Priority))
	set((*string)(&into.Department), string(from.Department))
	set(&into.Recommendation, from.Recommendation)
	if from.UrgencyDays.Set {
		into.UrgencyDays = from.UrgencyDays
	}
}

// complete tells whether all that a desk task asks for was answered.
func complete(task triage.Task, a *triage.DeskAction) bool {
	there := map[string]bool{triage.FieldCategory: a.Category != "", triage.FieldPriority: a.Priority != "", triage.FieldUrgencyDays: a.UrgencyDays.Set,
		triage.FieldDepartment: a.Department != "", triage.FieldRecommendation: a.Recommendation != ""}
	for _, field := range task.Asked {
		if !there[field] {
			return false
		}
	}
	return true
}

// fieldsOf gives the fields that an error finds fault with, or nil.
func fieldsOf(err error) *triage.FieldErrors {
	var f *triage.FieldErrors
	if errors.As(err, &f) {
		return f
	}
	return nil
}
