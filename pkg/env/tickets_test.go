package env_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/triage"
)

// rows are imported tickets; the one at bad cannot be read.
type rows struct {
	cases []triage.Case
	bad   int
}

func (r rows) Len() int { return len(r.cases) }

func (r rows) Case(i int) (triage.Case, error) {
	if i == r.bad {
		return triage.Case{}, errors.New("line 7: torn")
	}
	return r.cases[i], nil
}

var allowed = map[string][]string{"queue": {"sales", "support"}, "urgency": {"low", "high"}}

func imported() rows {
	row := func(id string, labels map[string]string) triage.Case {
		return triage.Case{Ticket: triage.Ticket{ID: id, Subject: "s " + id, Body: "b " + id, Fields: map[string]string{"lang": "en"}}, Truth: triage.Truth{Labels: labels}}
	}
	return rows{bad: 2, cases: []triage.Case{row("row-1", map[string]string{"queue": "sales", "urgency": "low"}), row("row-2", map[string]string{"urgency": "high"}), {},
		row("row-4", nil)}}
}

func TestAnImportedTicketIsOneEpisodeOfOneStep(t *testing.T) {
	t.Parallel()
	e := env.NewTickets(imported(), allowed)
	seen := triage.Observation{Dataset: &triage.DatasetObservation{TicketID: "row-1", Subject: "s row-1", Body: "b row-1",
		Fields: map[string]string{"lang": "en"}, Labels: allowed}}
	if d := cmp.Diff(triage.StepResult{Observation: seen}, reset(t, e, triage.ResetOptions{Seed: 0})); d != "" {
		t.Errorf("reset (-want +got):\n%s", d)
	}
	truth, ok := e.Truth()
	if d := cmp.Diff(triage.Truth{Labels: map[string]string{"queue": "sales", "urgency": "low"}}, truth); d != "" || !ok {
		t.Errorf("truth, known %v (-want +got):\n%s", ok, d)
	}
	if e.LastScore() != nil {
		t.Errorf("there is a score before the answer: %+v", e.LastScore())
	}
	r := step(t, e, triage.Action{Track: triage.Dataset, Labels: map[string]string{"queue": "sales"}})
	if d := cmp.Diff(triage.StepResult{Observation: seen, Reward: 0.5, Done: true}, r); d != "" {
		t.Errorf("step (-want +got):\n%s", d)
	}
	want := &triage.Score{Total: 0.5, Parts: []triage.Part{
		{Name: "queue", Value: 1, Weight: 0.5, Why: triage.Why{Code: triage.WhyExact, Got: "sales", Want: "sales"}},
		{Name: "urgency", Weight: 0.5, Why: triage.Why{Code: triage.WhyAbsent, Want: "low"}}}}
	if d := cmp.Diff(want, e.LastScore()); d != "" {
		t.Errorf("score (-want +got):\n%s", d)
	}
	s, ok := e.Summary()
	if d := cmp.Diff(triage.Summary{Score: 0.5, Efficiency: 1, Reward: 0.5}, s); d != "" || !ok {
		t.Errorf("summary, done %v (-want +got):\n%s", ok, d)
	}
	state := e.State()
	if state.Task != env.TicketsTask || state.Track != triage.Dataset || state.StepCount != 1 || !state.Done {
		t.Errorf("state %+v", state)
	}
	if _, ok := e.Truth(); ok {
		t.Error("there is a truth after the end")
	}
}

func TestUnknownLabelsOfImportedTicketsDropOut(t *testing.T) {
	t.Parallel()
	e := env.NewTickets(imported(), allowed)
	reset(t, e, triage.ResetOptions{Seed: 1})
	if r := step(t, e, triage.Action{Track: triage.Dataset, Labels: map[string]string{"urgency": "high", "queue": "sales"}}); r.Reward != 1 {
		t.Errorf("the one label that is known is right, and the reward is %v", r.Reward)
	}
}

func TestImportedTicketsKeepTheContract(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	e := env.NewTickets(imported(), allowed)
	if _, err := e.Step(ctx, triage.Action{}); triage.CodeOf(err) != triage.CodeNotReset {
		t.Errorf("a step before any reset gives the error %v", err)
	}
	for seed, want := range map[int64]string{4: `reset: seed "4" is not allowed; allowed is 0 to 3, the index of a ticket`,
		-1:             `reset: seed "-1" is not allowed; allowed is 0 to 3, the index of a ticket`,
		triage.MaxSeed: `reset: seed "9223372036854775807" is not allowed; allowed is 0 to 3, the index of a ticket`} {
		if _, err := e.Reset(ctx, triage.ResetOptions{Seed: seed}); err == nil || err.Error() != want || triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("seed %d gives the error %v, want %s", seed, err, want)
		}
	}
	if _, err := e.Reset(ctx, triage.ResetOptions{Rewards: "x"}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("an unknown mode gives the error %v", err)
	}
	_, err := e.Reset(ctx, triage.ResetOptions{Seed: 2})
	if err == nil || err.Error() != "read ticket: line 7: torn" || triage.CodeOf(err) != triage.CodeUnavailable {
		t.Errorf("a ticket that cannot be read gives the error %v", err)
	}
	if _, err := e.Step(ctx, triage.Action{}); triage.CodeOf(err) != triage.CodeNotReset {
		t.Errorf("a step after a reset that failed gives the error %v", err)
	}
	if _, err := env.NewTickets(rows{}, nil).Reset(ctx, triage.ResetOptions{}); err == nil || err.Error() != "reset: there are no tickets" {
		t.Errorf("no tickets give the error %v", err)
	}

	reset(t, e, triage.ResetOptions{Seed: 0})
	before := e.State()
	if _, err := e.Step(ctx, invalid(triage.Dataset)); triage.CodeOf(err) != triage.CodeInvalid {
		t.Errorf("a wrong label gives the error %v", err)
	}
	if d := cmp.Diff(before, e.State()); d != "" {
		t.Errorf("a wrong label changed the state (-before +after):\n%s", d)
	}
	step(t, e, rightAnswer(t, e))
	if s, _ := e.Summary(); s.Score != 1 {
		t.Errorf("the truth scores %v", s.Score)
	}
	if _, err := e.Step(ctx, triage.Action{}); triage.CodeOf(err) != triage.CodeDone {
		t.Errorf("a step after the end gives the error %v", err)
	}

	reset(t, e, triage.ResetOptions{Seed: 0, OnInvalid: triage.InvalidIsEmpty})
	if r := step(t, e, invalid(triage.Dataset)); !r.Done || r.Reward != 0 {
		t.Errorf("a wrong label that counts as empty gives %+v", r)
	}
}
