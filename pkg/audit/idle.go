package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

const (
	nameRepeats = "idle:repeats"
	nameQuits   = "idle:quits"
	nameWrong   = "idle:wrong-values"
	nameEmpty   = "idle:empty"
	nameFlood   = "idle:flood"
)

// floodSize is how many wrong values are sent before the first answer; floodLater is how many a server is sent after its first
// episode.
const floodSize, floodLater = 1000, 20

// enterIdlers enters the agents that try to gain by how they step, not by what they answer.
func enterIdlers(a *arena) ([]contender, error) {
	wrong := wrongActions(a.constant)
	agent := func(f agentFunc) func() (triage.Agent, error) { return func() (triage.Agent, error) { return f, nil } }
	return []contender{
		{name: nameRepeats, secret: a.Secret, attack: a.repeat},
		{name: nameQuits, secret: a.Secret, agent: agent(func(triage.Observation) (triage.Action, error) {
			return triage.Action{}, errors.New("no more answers")
		})},
		{name: nameWrong, secret: a.Secret, agent: agent(func(o triage.Observation) (triage.Action, error) {
			step := len(textOf(o)) // varies from ticket to ticket, and is the same in every run
			if o.Desk != nil {
				step += o.Desk.StepCount
			}
			return wrong[step%len(wrong)], nil
		})},
		{name: nameEmpty, secret: a.Secret, agent: agent(func(triage.Observation) (triage.Action, error) {
			return triage.Action{Track: a.task.Track}, nil
		})},
		{name: nameFlood, secret: a.Secret, attack: a.flood},
	}, nil
}

func judgeIdlers(a *arena) ([]triage.Check, error) {
	refused, all := 0, 0
	for _, o := range a.results[nameFlood] {
		refused += o.refused
		all += o.refused + o.accepted
	}
	return []triage.Check{
		a.gainsNothing(nameRepeats, "the constant answer three times as often as there are steps, also after the end"),
		a.gainsNothing(nameQuits, "gives an error from the first step on"),
		a.equals(nameWrong, "only wrong values", 0),
		a.gainsNothing(nameEmpty, "only empty answers"),
		a.gainsNothing(nameFlood, fmt.Sprintf("the constant answers after %d wrong values in a row", floodSize)),
		a.check(nameFlood+":refused", "wrong values in a row that are refused", fmt.Sprintf("all %d", all), fmt.Sprint(refused), refused == all),
	}, nil
}

// gainsNothing expects no more than the constant agent gets, in score and in what the steps pay. On the same seeds that leaves
// nothing to chance.
func (a *arena) gainsNothing(name, what string) triage.Check {
	c := a.atMostAs(name, what, nameConstant, a.isSealed())
	paid, paidSE := a.mean(name, func(o *outcome) float64 { return o.reward })
	bar, barSE := a.mean(nameConstant, func(o *outcome) float64 { return o.reward })
	s := 0.0
	if a.isSealed() {
		s, _ = a.slack(math.Hypot(paidSE, barSE), len(a.results[name]))
	}
	if paid > bar+s+exact {
		c.Passed = false
		c.Seen += fmt.Sprintf("; paid %.3f, constant %.3f", paid, bar)
	}
	return c
}

// repeat sends the constant answer three times as often as there are steps, whatever the environment says of the end.
func (a *arena) repeat(ctx context.Context, e triage.Env, key triage.Key) (outcome, error) {
	if _, err := e.Reset(ctx, triage.ResetOptions{Seed: key.Seed}); err != nil {
		return outcome{}, err
	}
	paid := 0.0
	for range 3 * a.task.MaxSteps {
		r, err := e.Step(ctx, a.constant)
		if triage.CodeOf(err) == triage.CodeDone {
			continue
		}
		if err != nil {
			return outcome{}, err
		}
		paid += r.Reward
	}
	return summary(e, paid)
}

// flood sends wrong values in a row and then answers as the constant agent does.
func (a *arena) flood(ctx context.Context, e triage.Env, key triage.Key) (outcome, error) {
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: key.Seed})
	if err != nil {
		return outcome{}, err
	}
	wrong := wrongActions(a.constant)
	accepted, refused, paid := 0, 0, 0.0
	for i := range a.wrongValues(key) {
		next, err := e.Step(ctx, wrong[i%len(wrong)])
		switch {
		case triage.CodeOf(err) == triage.CodeInvalid:
			refused++
		case err != nil && triage.CodeOf(err) != triage.CodeDone:
			return outcome{}, err
		default:
			accepted++
			if err == nil {
				r = next
				paid += r.Reward
			}
		}
	}
	for !r.Done {
		if r, err = e.Step(ctx, a.constant); err != nil {
			return outcome{}, err
		}
		paid += r.Reward
	}
	o, err := summary(e, paid)
	o.accepted, o.refused = accepted, refused
	return o, err
}

// wrongValues is how many wrong values are sent in an episode. A server is sent so many in one episode only, to spare it.
func (a *arena) wrongValues(key triage.Key) int {
	if a.server != nil && key.Seed != a.Seed {
		return floodLater
	}
	return floodSize
}

// wrongActions are answers that an environment must refuse: the right one with one value that is an unknown word, out of
// range, too long or of the wrong type, and objects that are none.
func wrongActions(right triage.Action) []triage.Action {
	var out []triage.Action
	add := func(change func(*triage.Action)) {
		a := right
		change(&a)
		out = append(out, a)
	}
	raw := []string{`"billing"`, `[]`, `{"answer":"billing"}`, `{"route_category":["billing"]}`, `{"category":7}`}
	if right.Track == triage.Queue {
		add(func(a *triage.Action) { a.Queue.Route = "sales" })
		add(func(a *triage.Action) { a.Queue.Urgency = "CRITICAL" })
		add(func(a *triage.Action) { a.Queue.Difficulty = "trivial" })
		add(func(a *triage.Action) { a.Queue.Priority = triage.IntOf(101) })
		add(func(a *triage.Action) { a.Queue.Priority = triage.IntOf(-1) })
		raw = append(raw, `{"priority_score":1e9}`, `{"priority_score":50.5}`)
	} else {
		add(func(a *triage.Action) { a.Desk.Category = "Complaint" })
		add(func(a *triage.Action) { a.Desk.Priority = "urgent" })
		add(func(a *triage.Action) { a.Desk.UrgencyDays = triage.IntOf(0) })
		add(func(a *triage.Action) { a.Desk.UrgencyDays = triage.IntOf(8) })
		add(func(a *triage.Action) { a.Desk.Department = "Sales" })
		add(func(a *triage.Action) { a.Desk.Recommendation = strings.Repeat("x", triage.MaxRecommendation+1) })
		raw = append(raw, `{"urgency_days":"soon"}`, `{"recommendation":{}}`)
	}
	for _, r := range raw {
		out = append(out, triage.Action{Track: right.Track, Raw: json.RawMessage(r)})
	}
	return out
}
