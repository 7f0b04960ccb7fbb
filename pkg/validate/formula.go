package validate

import (
	"context"
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

// checkRewards plays episodes of several agents and computes again, from the truth and the answers alone, what the rules pay.
func checkRewards(ctx context.Context, b *bench) []triage.Check {
	c := b.claim("reward", "parts, totals, efficiency and what the steps pay, computed again from truth and answers", rewardRule(b.task.Track))
	episodes := 0
	whole := func(a triage.Action, _ int) triage.Action { return a }
	for _, x := range []struct {
		agent string
		way   func(triage.Action, int) triage.Action
	}{{"random", whole}, {"keyword", whole}, {"heuristic", whole}, {"oracle", whole}, {"oracle", onePart}} {
		for seed := b.seed; seed < b.seed+gradeEpisodes; seed++ {
			modes := []triage.Rewards{triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode}
			if b.task.Track == triage.Desk {
				modes = modes[:1]
			}
			for _, mode := range modes {
				episodes++
				if err := b.paid(ctx, x.agent, x.way, seed, mode); err != nil {
					c.against("%s, seed %d, rewards %s: %v", x.agent, seed, mode, err)
				}
			}
		}
	}
	return []triage.Check{c.done("%d episodes", episodes)}
}

func rewardRule(track triage.Track) string {
	if track == triage.Queue {
		return "0.4·route + g·(0.25·urgency + 0.15·difficulty + 0.2·priority), g 1, 0.5 or 0.25; efficiency tickets ÷ touches"
	}
	return "0.7·correctness + 0.3·efficiency at the end; efficiency 1 − (steps−1)/3 if the category is right"
}

// paid plays an episode of answers, or of parts of them, and compares what it pays, step by step.
func (b *bench) paid(ctx context.Context, agent string, way func(triage.Action, int) triage.Action, seed int64, mode triage.Rewards) error {
	a, err := b.NewAgent(agent)
	if err != nil {
		return err
	}
	e, r, err := b.begun(ctx, triage.ResetOptions{Seed: seed, Rewards: mode})
	if err != nil {
		return err
	}
	if err := prepare(a, e, triage.Key{Agent: agent, Task: b.task.Name, Seed: seed}); err != nil {
		return err
	}
	k, ok := e.(triage.Knower)
	g, grades := e.(triage.Grader)
	if !ok || !grades {
		return errNoGrader
	}
	t := tally{track: b.task.Track, task: b.task, mode: mode}
	for !r.Done {
		truth, ok := k.Truth()
		if !ok || t.steps == b.task.MaxSteps {
			return errNoGrader
		}
		act, err := a.Act(ctx, r.Observation)
		if err != nil {
			return err
		}
		act = way(act, t.steps)
		if r, err = e.Step(ctx, act); err != nil {
			return err
		}
		if err := t.step(truth, &act, g.LastScore(), r); err != nil {
			return fmt.Errorf("step %d: %w", t.steps, err)
		}
	}
	return t.end(g)
}

var errNoGrader = fmt.Errorf("the environment does not tell truth and grade of each step")

func prepare(a triage.Agent, e triage.Env, key triage.Key) error {
	if s, ok := a.(triage.Starter); ok {
		s.Start(key)
	}
	if s, ok := a.(triage.Attacher); ok {
		return s.Attach(e)
	}
	return nil
}

// tally adds up an episode by the rules.
type tally struct {
	track         triage.Track
	task          triage.Task
	mode          triage.Rewards
	steps         int
	sum, touches  float64
	answer        triage.DeskAction
	score, reward float64
	efficiency    float64
	paid          float64
	tickets       float64
}

// step adds a step and compares what it was graded and paid.
func (t *tally) step(truth triage.Truth, a *triage.Action, graded *triage.Score, r triage.StepResult) error {
	t.steps++
	t.paid += r.Reward
	if t.track == triage.Desk {
		add(&t.answer, &a.Desk)
		if !r.Done {
			return differ("reward", r.Reward, 0)
		}
		return t.desk(truth.Desk, graded, r)
	}
	if graded == nil || truth.Queue == nil {
		return errNoGrader
	}
	values := queueValues(truth.Queue, &a.Queue)
	want := queueTotal(truth.Queue, &a.Queue, values)
	for i, v := range values {
		if i >= len(graded.Parts) || !near(graded.Parts[i].Value, v) {
			return fmt.Errorf("the parts are %v, where %v are due", graded.Parts, values)
		}
	}
	t.sum += want
	t.touches += touches(truth.Queue, &a.Queue)
	t.tickets = float64(r.Observation.Queue.TotalTickets)
	t.score = t.sum / t.tickets
	t.reward, t.efficiency = t.score, float64(t.steps)/t.touches
	pays := map[triage.Rewards]float64{triage.RewardsDense: want / t.tickets, triage.RewardsTicket: want}[t.mode]
	if t.mode == triage.RewardsEpisode && r.Done {
		pays = t.score
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"total", graded.Total, want}, {"reward", r.Reward, pays}, {"last_result.reward", r.Observation.Queue.LastResult.Reward, want},
		{"stats.mean_reward", r.Observation.Queue.Stats.MeanReward, t.sum / float64(t.steps)}, {"stats.efficiency", r.Observation.Queue.Stats.Efficiency, t.efficiency}} {
		if err := differ(x.name, x.got, x.want); err != nil {
			return err
		}
	}
	return nil
}

// desk grades the whole answer at the end of a desk episode.
func (t *tally) desk(truth *triage.DeskTruth, graded *triage.Score, r triage.StepResult) error {
	if graded == nil || truth == nil {
		return errNoGrader
	}
	t.score = 0
	for _, p := range graded.Parts {
		if want, known := deskValue(p.Name, truth, &t.answer); known && !near(p.Value, want) {
			return differ(p.Name, p.Value, want)
		}
		t.score += p.Value / float64(len(graded.Parts))
	}
	t.efficiency = 0
	if t.answer.Category == truth.Category {
		t.efficiency = 1 - float64(t.steps-1)/3
	}
	t.reward = float64(0.7*t.score) + float64(0.3*t.efficiency)
	if err := differ("total", graded.Total, t.score); err != nil {
		return err
	}
	return differ("reward", r.Reward, t.reward)
}

// end compares the figures of the whole episode.
func (t *tally) end(g triage.Grader) error {
	s, ok := g.Summary()
	if !ok {
		return errNoGrader
	}
	paid := t.paid
	if t.mode == triage.RewardsTicket {
		paid /= t.tickets
	}
	for _, x := range []struct {
		name      string
		got, want float64
	}{{"score", s.Score, t.score}, {"efficiency", s.Efficiency, t.efficiency}, {"reward", s.Reward, t.reward}, {"the sum of rewards", paid, t.reward}} {
		if err := differ(x.name, x.got, x.want); err != nil {
			return err
		}
	}
	return nil
}

func differ(what string, got, want float64) error {
	if near(got, want) {
		return nil
	}
	return fmt.Errorf("%s is %v, where %v is due", what, got, want)
}

// queueValues are the parts of an answer: route, urgency, difficulty, priority.
func queueValues(t *triage.QueueTruth, a *triage.QueueAction) []float64 {
	route := 0.0
	switch {
	case a.Route == t.Route:
		route = 1
	case a.Route != "" && a.Route == t.Secondary:
		route = 0.3
	}
	priority := 0.0
	if a.Priority.Set {
		off := max(a.Priority.Value-t.Priority, t.Priority-a.Priority.Value)
		priority = min(1, max(0, float64(15-off)/13))
	}
	return []float64{route, levels(a.Urgency.Level(), t.Urgency.Level()), levels(a.Difficulty.Level(), t.Difficulty.Level()), priority}
}

// levels is 1 for the same level, 0.5 for the next one; an absent one has level -1.
func levels(got, want int) float64 {
	switch {
	case got < 0:
		return 0
	case got == want:
		return 1
	case got-want == 1 || want-got == 1:
		return 0.5
	}
	return 0
}

func queueTotal(t *triage.QueueTruth, a *triage.QueueAction, v []float64) float64 {
	g := 0.25
	switch {
	case a.Route == t.Route:
		g = 1
	case a.Route != "" && a.Route == t.Secondary:
		g = 0.5
	}
	return 0.4*v[0] + g*(0.25*v[1]+0.15*v[2]+0.2*v[3])
}

// touches is how often a ticket is handled after an answer.
func touches(t *triage.QueueTruth, a *triage.QueueAction) float64 {
	if *a == (triage.QueueAction{}) {
		return 3
	}
	n := 1.0
	switch {
	case a.Route == t.Route:
	case a.Route != "" && a.Route == t.Secondary:
		n += 0.5
	default:
		n++
	}
	under := 3
	if a.Urgency != "" {
		under = t.Urgency.Level() - a.Urgency.Level()
	}
	n += max(0.5*float64(under), -0.25*float64(under))
	under = 2
	if a.Difficulty != "" {
		under = t.Difficulty.Level() - a.Difficulty.Level()
	}
	return n + max(0, 0.25*float64(under))
}

// deskValue is what a part of a desk answer earns; a recommendation's is not computed here.
func deskValue(name string, t *triage.DeskTruth, a *triage.DeskAction) (value float64, known bool) {
	switch name {
	case triage.FieldCategory:
		if a.Category == t.Category {
			value = 1
		}
	case triage.FieldPriority:
		value = levels(a.Priority.Level(), t.Priority.Level())
	case triage.FieldUrgencyDays:
		if a.UrgencyDays.Set {
			off := max(a.UrgencyDays.Value-t.UrgencyDays, t.UrgencyDays-a.UrgencyDays.Value)
			value = map[int]float64{0: 1, 1: 0.5, 2: 0.25}[off]
		}
	case triage.FieldDepartment:
		if i := a.Department.Index(); i >= 0 {
			value = t.Credit[i]
		}
	default:
		return 0, false
	}
	return value, true
}
