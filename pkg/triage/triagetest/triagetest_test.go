package triagetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

func TestAnAgentPlaysItsScriptAndRecordsWhatItSaw(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := &triagetest.Agent{Script: triagetest.Answers(triagetest.Route(triage.Billing), triagetest.Route(triage.Spam))}
	var got []triage.Action
	for range 3 {
		action, err := a.Act(ctx, triage.Observation{Desk: &triage.DeskObservation{}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, action)
	}
	want := []triage.Action{triagetest.Route(triage.Billing), triagetest.Route(triage.Spam), triagetest.Route(triage.Spam)}
	if d := cmp.Diff(want, got); d != "" || len(a.Seen()) != 3 {
		t.Errorf("%d observations; answers (-want +got):\n%s", len(a.Seen()), d)
	}
	if action, err := new(triagetest.Agent).Act(ctx, triage.Observation{}); err != nil || !cmp.Equal(action, triage.Action{}) {
		t.Errorf("an agent without a script gives %+v, error %v", action, err)
	}
}

func TestAnAgentRecordsItsEpisodesAndEnvironments(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	a := &triagetest.Agent{AttachErr: refused, ActFunc: func(context.Context, triage.Observation) (triage.Action, error) {
		return triagetest.Route(triage.Feature), nil
	}}
	key := triage.Key{Agent: "a", Task: "t", Seed: 3}
	a.Start(key)
	e := triagetest.Queue(1)
	if err := a.Attach(e); !errors.Is(err, refused) {
		t.Errorf("attach gives the error %v", err)
	}
	if got := a.Attached(); len(got) != 1 || got[0] != triage.Env(e) {
		t.Errorf("attached to %v", got)
	}
	if d := cmp.Diff([]triage.Key{key}, a.Started()); d != "" {
		t.Errorf("started (-want +got):\n%s", d)
	}
	if got, err := a.Act(context.Background(), triage.Observation{}); err != nil || !cmp.Equal(got, triagetest.Route(triage.Feature)) {
		t.Errorf("the function's answer is %+v, error %v", got, err)
	}
}

func TestAnEnvironmentWithoutFunctionsExpectsNoCall(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	e := &triagetest.GradingEnv{}
	if _, err := e.Reset(ctx, triage.ResetOptions{}); !errors.Is(err, triagetest.ErrUnexpected) {
		t.Errorf("reset gives the error %v", err)
	}
	if _, err := e.Step(ctx, triage.Action{}); !errors.Is(err, triagetest.ErrUnexpected) {
		t.Errorf("step gives the error %v", err)
	}
	if s, ok := e.Summary(); ok || s != (triage.Summary{}) || e.LastScore() != nil || !cmp.Equal(e.State(), triage.State{}) {
		t.Errorf("summary %+v, %v", s, ok)
	}
	e.StateFunc = func() triage.State { return triage.State{Task: "x"} }
	if e.State().Task != "x" {
		t.Error("StateFunc is not called")
	}
}

func TestTheQueueKeepsTheContract(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	e := triagetest.Queue(2)
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: 4, Tickets: 1})
	if err != nil || r.Observation.Queue.Ticket.ID != triagetest.TicketID(4, 0) {
		t.Fatalf("reset gives %+v, error %v", r, err)
	}
	if _, err := e.Step(ctx, triagetest.Route("nowhere")); triage.CodeOf(err) != triage.CodeInvalid {
		t.Errorf("a wrong value gives the error %v", err)
	}
	if r, err = e.Step(ctx, triagetest.Route(triage.Billing)); err != nil || !r.Done || r.Reward != 1 || r.Observation.Queue.Ticket != nil {
		t.Errorf("step gives %+v, error %v", r, err)
	}
	if _, err := e.Step(ctx, triagetest.Route(triage.Billing)); triage.CodeOf(err) != triage.CodeDone {
		t.Errorf("a step after the end gives the error %v", err)
	}
	if s, ok := e.Summary(); !ok || s.Score != 1 || e.LastScore().Total != 1 {
		t.Errorf("summary %+v, %v", s, ok)
	}
	if triage.CodeOf(triagetest.Unavailable("x")) != triage.CodeUnavailable {
		t.Error("Unavailable has another code")
	}
}
