package runner_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

// telling is an agent that tells what its decisions cost, gives wrong values now and then, and sees observations changed.
type telling struct {
	triagetest.Agent
	asked atomic.Int64
	last  int
}

func (a *telling) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	a.asked.Add(1)
	a.last = o.Queue.Position
	switch a.last % 3 {
	case 0:
		return triagetest.Route(triage.Billing), nil
	case 1:
		return triagetest.Route("sales"), nil
	}
	return triage.Action{}, errors.New("no readable answer")
}

func (a *telling) Told() (*triage.Usage, *triage.Reply) {
	return &triage.Usage{Calls: 1, TokensIn: triage.IntOf(a.last)}, &triage.Reply{Stage: "exact", Text: fmt.Sprint(a.last)}
}

func (a *telling) View(o triage.Observation) triage.Observation {
	q := *o.Queue
	q.Message = "seen"
	return triage.Observation{Queue: &q}
}

func TestAnEpisodeGoesOnFromItsStepsAsIfItHadNotBeenInterrupted(t *testing.T) {
	t.Parallel()
	const tickets = 7
	p := plan(t, runner.Group{Agent: "a", Task: "queue-easy", First: 10, Count: 1})
	play := func(before []triage.Step) (*triage.Episode, []triage.Step, int64) {
		agent := &telling{}
		var kept []triage.Step
		r := &runner.Runner{NewEnv: func(string, triage.Int) (triage.Env, error) { return triagetest.Queue(tickets), nil },
			NewAgent: func(string) (triage.Agent, error) { return agent, nil },
			Before:   func(triage.Key) []triage.Step { return before },
			OnStep: func(key triage.Key, index int, s *triage.Step) error {
				if key != p.Key(0) || index != len(before)+len(kept) {
					t.Errorf("step %d of %s came after %d", index, key, len(before)+len(kept))
				}
				kept = append(kept, *s)
				return nil
			}}
		return gather(t, r, p, nil)[0], kept, agent.asked.Load()
	}
	whole, steps, asked := play(nil)
	if asked != tickets || len(steps) != tickets-1 || whole.Steps[0].Observation.Queue.Message != "seen" || whole.Steps[1].Error == "" || whole.Steps[2].Usage.TokensIn.Value != 2 {
		t.Fatalf("%d asked, %d steps, episode %+v", asked, len(steps), whole)
	}
	for n := range tickets + 1 {
		got, rest, asked := play(whole.Steps[:n])
		if d := cmp.Diff(whole, got); d != "" || asked != int64(tickets-n) || len(rest) != max(0, tickets-1-n) {
			t.Errorf("after %d steps the agent was asked %d times, %d steps were kept; episode (-want +got):\n%s", n, asked, len(rest), d)
		}
	}
}

func TestStepsOfOtherTicketsAreNotTakenForTheirs(t *testing.T) {
	t.Parallel()
	p := plan(t, runner.Group{Agent: "a", Task: "queue-easy", First: 10, Count: 1})
	r := newRunner(1)
	r.Before = func(triage.Key) []triage.Step { return []triage.Step{{Observation: shown(11, 0, 3)}} }
	err := r.Run(context.Background(), p, nil, func(int, *triage.Episode) error { t.Error("there is an episode"); return nil })
	if want := "a/queue-easy/10: step 0 was kept for another ticket than the one that comes now"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestAnAgentWhoseEndpointIsOfNoUseStopsTheRun(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	r := newRunner(4)
	r.NewAgent = func(string) (triage.Agent, error) {
		return &triagetest.Agent{ActFunc: func(context.Context, triage.Observation) (triage.Action, error) {
			asked.Add(1)
			return triage.Action{}, &triage.Error{Code: triage.CodeUnusable, Message: "the key is wrong"}
		}}, nil
	}
	err := r.Run(context.Background(), twoAgents(t), nil, func(int, *triage.Episode) error { t.Error("there is an episode"); return nil })
	if triage.CodeOf(err) != triage.CodeUnusable || asked.Load() > 4 {
		t.Errorf("%d calls, error %v", asked.Load(), err)
	}
}

func TestASinkOfStepsThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	r := newRunner(1)
	n := 0
	r.OnStep = func(triage.Key, int, *triage.Step) error {
		if n++; n == 5 {
			return full
		}
		return nil
	}
	if err := r.Run(context.Background(), twoAgents(t), nil, func(int, *triage.Episode) error { return nil }); !errors.Is(err, full) || n != 5 {
		t.Errorf("error %v after %d steps", err, n)
	}
}

// lesson B38
func TestTrialsAreEpisodesOfTheirOwn(t *testing.T) {
	t.Parallel()
	g := runner.Group{Agent: "a", Task: "queue-easy", First: 10, Count: 2}
	again := g
	again.Trial = 1
	p := plan(t, g, again)
	var got []string
	for place := range p.Len() {
		k := p.Key(place)
		got = append(got, k.String())
		if p.Index(k) != place {
			t.Errorf("%s is at %d, not at %d", k, p.Index(k), place)
		}
	}
	if d := cmp.Diff([]string{"a/queue-easy/10", "a/queue-easy/11", "a/queue-easy/10#1", "a/queue-easy/11#1"}, got); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if _, err := runner.NewPlan([]runner.Group{g, again, again}); err == nil || err.Error() != "a/queue-easy/10#1 is asked for twice" {
		t.Errorf("error %v", err)
	}
}
