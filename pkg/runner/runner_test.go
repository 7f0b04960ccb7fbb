package runner_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

// bySeed answers by what it sees only.
func bySeed(_ context.Context, o triage.Observation) (triage.Action, error) {
	id := o.Queue.Ticket.ID
	if id[len(id)-2]%2 == 0 {
		return triagetest.Route(triage.Billing), nil
	}
	return triagetest.Route(triage.Feature), nil
}

func newRunner(workers int) *runner.Runner {
	return &runner.Runner{
		Workers:  workers,
		NewEnv:   func(string, triage.Int) (triage.Env, error) { return triagetest.Queue(3), nil },
		NewAgent: func(string) (triage.Agent, error) { return &triagetest.Agent{ActFunc: bySeed}, nil },
	}
}

func twoAgents(t testing.TB) *runner.Plan {
	return plan(t, runner.Group{Agent: "a", Task: "queue-easy", First: 10, Count: 20}, runner.Group{Agent: "b", Task: "queue-hard", First: 10, Count: 15},
		runner.Group{Agent: "b", Task: "queue-hard", First: 10, Count: 3, Position: triage.IntOf(1)})
}

// gather plays a plan and gives the episodes by place.
func gather(t testing.TB, r *runner.Runner, p *runner.Plan, want func(int) bool) map[int]*triage.Episode {
	t.Helper()
	out := map[int]*triage.Episode{}
	if err := r.Run(context.Background(), p, want, func(place int, ep *triage.Episode) error {
		if out[place] != nil {
			t.Errorf("place %d came twice", place)
		}
		out[place] = ep
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// lesson E98
func TestParallelEqualsSerial(t *testing.T) {
	t.Parallel()
	p := twoAgents(t)
	want := gather(t, newRunner(1), p, nil)
	if len(want) != p.Len() {
		t.Fatalf("%d of %d episodes", len(want), p.Len())
	}
	for place, ep := range want {
		if ep.Key != p.Key(place) {
			t.Errorf("place %d has the episode %s, want %s", place, ep.Key, p.Key(place))
		}
		if steps := len(ep.Steps); steps != 3 && !ep.Key.Position.Set || steps != 1 && ep.Key.Position.Set {
			t.Errorf("%s has %d steps", ep.Key, steps)
		}
	}
	for _, workers := range []int{0, 2, 8, 1000} {
		if d := cmp.Diff(want, gather(t, newRunner(workers), p, nil)); d != "" {
			t.Errorf("%d workers give other episodes (-one +several):\n%s", workers, d)
		}
	}
}

func TestOnlyWantedEpisodesArePlayed(t *testing.T) {
	t.Parallel()
	p := twoAgents(t)
	whole := gather(t, newRunner(2), p, nil)
	union := map[int]*triage.Episode{}
	for i := range 3 {
		shard := runner.Shard{I: i + 1, N: 3}
		for place, ep := range gather(t, newRunner(2), p, shard.Has) {
			if !shard.Has(place) {
				t.Errorf("shard %s played place %d", shard, place)
			}
			union[place] = ep
		}
	}
	if d := cmp.Diff(whole, union); d != "" {
		t.Errorf("the shards together are not the whole (-whole +shards):\n%s", d)
	}
	if got := gather(t, newRunner(4), p, func(int) bool { return false }); len(got) != 0 {
		t.Errorf("%d episodes were played that nobody wanted", len(got))
	}
	if got := gather(t, newRunner(4), plan(t), nil); len(got) != 0 {
		t.Errorf("an empty plan gave %d episodes", len(got))
	}
}

func TestEachWorkerMakesItsOwnEnvironmentsAndAgents(t *testing.T) {
	t.Parallel()
	const workers = 3
	var mu sync.Mutex
	envs, agents := map[string]int{}, map[string]int{}
	busy := map[triage.Env]*atomic.Int32{}
	r := newRunner(workers)
	r.NewEnv = func(task string, position triage.Int) (triage.Env, error) {
		mu.Lock()
		defer mu.Unlock()
		envs[triage.Key{Task: task, Position: position}.String()]++
		inner := triagetest.Queue(3)
		n := &atomic.Int32{}
		step := inner.StepFunc
		inner.StepFunc = func(ctx context.Context, a triage.Action) (triage.StepResult, error) {
			if n.Add(1) > 1 {
				t.Error("two workers use one environment at once")
			}
			defer n.Add(-1)
			return step(ctx, a)
		}
		busy[inner] = n
		return inner, nil
	}
	r.NewAgent = func(name string) (triage.Agent, error) {
		mu.Lock()
		defer mu.Unlock()
		agents[name]++
		return &triagetest.Agent{ActFunc: bySeed}, nil
	}
	gather(t, r, twoAgents(t), nil)
	for what, made := range map[string]map[string]int{"environments": envs, "agents": agents} {
		for name, n := range made {
			if n < 1 || n > workers {
				t.Errorf("%d %s of %s for %d workers", n, what, name, workers)
			}
		}
	}
	if len(envs) != 3 || len(agents) != 2 {
		t.Errorf("environments %v, agents %v", envs, agents)
	}
}

func TestASinkThatFailsEndsTheRunAndIsNotCalledAgain(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for _, workers := range []int{1, 8} {
		calls := 0
		err := newRunner(workers).Run(context.Background(), twoAgents(t), nil, func(int, *triage.Episode) error {
			if calls++; calls >= 5 {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || calls != 5 {
			t.Errorf("%d workers: error %v after %d calls, want the sink's after 5", workers, err, calls)
		}
	}
}

func TestCallsOfTheSinkDoNotOverlap(t *testing.T) {
	t.Parallel()
	var inside atomic.Int32
	err := newRunner(8).Run(context.Background(), twoAgents(t), nil, func(int, *triage.Episode) error {
		defer inside.Add(-1)
		if inside.Add(1) > 1 {
			t.Error("two calls of the sink at once")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatCannotBeMadeEndsTheRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("no such thing")
	for name, change := range map[string]func(r *runner.Runner){
		"environment": func(r *runner.Runner) {
			r.NewEnv = func(string, triage.Int) (triage.Env, error) { return nil, broken }
		},
		"agent": func(r *runner.Runner) { r.NewAgent = func(string) (triage.Agent, error) { return nil, broken } },
	} {
		r := newRunner(4)
		change(r)
		err := r.Run(context.Background(), twoAgents(t), nil, func(int, *triage.Episode) error { t.Error("there is an episode"); return nil })
		if !errors.Is(err, broken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestAMistakeOfTheCallerEndsTheRunWithItsKey(t *testing.T) {
	t.Parallel()
	r := newRunner(2)
	r.NewAgent = func(name string) (triage.Agent, error) {
		if name == "b" {
			return &triagetest.Agent{Script: []triagetest.Answer{{Err: &triage.Error{Code: triage.CodeUsage, Message: "no truth"}}}}, nil
		}
		return &triagetest.Agent{ActFunc: bySeed}, nil
	}
	got := 0
	err := r.Run(context.Background(), twoAgents(t), nil, func(_ int, ep *triage.Episode) error {
		got++
		if ep.Key.Agent != "a" {
			t.Errorf("there is an episode of agent %s", ep.Key.Agent)
		}
		return nil
	})
	if triage.CodeOf(err) != triage.CodeUsage || got == 0 {
		t.Errorf("%d episodes, error %v", got, err)
	}
}

// lesson B20
func TestABrokenEpisodeGoesToTheSinkAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	r := newRunner(2)
	r.NewAgent = func(string) (triage.Agent, error) {
		return &triagetest.Agent{ActFunc: func(ctx context.Context, o triage.Observation) (triage.Action, error) {
			if o.Queue.Ticket.ID == triagetest.TicketID(12, 1) {
				return triage.Action{}, triagetest.Unavailable("cut")
			}
			return bySeed(ctx, o)
		}}, nil
	}
	p := plan(t, runner.Group{Agent: "a", Task: "queue-easy", First: 10, Count: 6})
	got := gather(t, r, p, nil)
	for place := range p.Len() {
		ep := got[place]
		if broken := ep.Key.Seed == 12; (ep.Ended == triage.EndedError) != broken || (ep.Score == nil) != broken || broken && len(ep.Steps) != 1 {
			t.Errorf("%s ended as %s with score %v after %d steps", ep.Key, ep.Ended, ep.Score, len(ep.Steps))
		}
	}
}

// lesson D62
func TestAnInterruptedRunKeepsWhatWasFinishedAndGivesTheCause(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 8} {
		ctx, cancel := context.WithCancelCause(context.Background())
		signal := errors.New("SIGINT")
		n := 0
		err := newRunner(workers).Run(ctx, twoAgents(t), nil, func(int, *triage.Episode) error {
			if n++; n == 4 {
				cancel(signal)
			}
			return nil
		})
		if !errors.Is(err, signal) || n < 4 || n > 4+workers {
			t.Errorf("%d workers: error %v after %d episodes", workers, err, n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := newRunner(2).Run(ctx, twoAgents(t), nil, func(int, *triage.Episode) error { t.Error("there is an episode"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was interrupted before it began gives the error %v", err)
	}
}
