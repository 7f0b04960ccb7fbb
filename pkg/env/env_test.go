package env_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/triage"
)

// eachTask runs a test on an environment of every task.
func eachTask(t *testing.T, f func(t *testing.T, task triage.Task, e env.Grading)) {
	t.Helper()
	for _, task := range triage.Tasks() {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			f(t, task, newEnv(t, task.Name))
		})
	}
}

func TestAStepOutOfTurnIsAnErrorAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		ctx := context.Background()
		for _, a := range []triage.Action{{Track: task.Track}, invalid(task.Track)} {
			if r, err := e.Step(ctx, a); triage.CodeOf(err) != triage.CodeNotReset || !cmp.Equal(r, triage.StepResult{}) {
				t.Errorf("a step before any reset gives %+v, error %v", r, err)
			}
		}
		want := triage.State{Track: task.Track, Task: task.Name}
		if d := cmp.Diff(want, e.State()); d != "" {
			t.Errorf("state before any reset (-want +got):\n%s", d)
		}
		if _, ok := e.Truth(); ok {
			t.Error("there is a truth before any reset")
		}
		r := reset(t, e, triage.ResetOptions{Seed: 1})
		for !r.Done {
			if s, ok := e.Summary(); ok {
				t.Errorf("there is a summary %+v before the end", s)
			}
			r = step(t, e, triage.Action{Track: task.Track})
		}
		before := e.State()
		score := e.LastScore()
		for _, a := range []triage.Action{{Track: task.Track}, invalid(task.Track)} {
			if r, err := e.Step(ctx, a); triage.CodeOf(err) != triage.CodeDone || !cmp.Equal(r, triage.StepResult{}) {
				t.Errorf("a step after the end gives %+v, error %v", r, err)
			}
		}
		if d := cmp.Diff(before, e.State()); d != "" || e.LastScore() != score {
			t.Errorf("a step after the end changed the state (-before +after):\n%s", d)
		}
		if _, ok := e.Truth(); ok {
			t.Error("there is a truth after the end")
		}
		if r := reset(t, e, triage.ResetOptions{Seed: 1}); r.Done || r.Reward != 0 || e.LastScore() != nil {
			t.Errorf("a reset after the end gives %+v", r)
		}
	})
}

func TestAWrongValueNamesTheFieldAndChangesNothing(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		r := reset(t, e, triage.ResetOptions{Seed: 2})
		wrong := []triage.Action{invalid(task.Track), {Track: task.Track, Raw: json.RawMessage(`{"mood": "bad"}`)}}
		if task.Track == triage.Queue {
			wrong = append(wrong, triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}})
		} else {
			wrong = append(wrong, triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Spam}})
		}
		for i := 0; !r.Done; i++ {
			before := e.State()
			score := e.LastScore()
			for _, a := range wrong {
				got, err := e.Step(context.Background(), a)
				var fields *triage.FieldErrors
				if !errors.As(err, &fields) || len(fields.Fields) == 0 {
					t.Fatalf("a wrong value gives the error %v", err)
				}
				if d := cmp.Diff(triage.StepResult{}, got); d != "" {
					t.Errorf("a wrong value gives a result:\n%s", d)
				}
			}
			if d := cmp.Diff(before, e.State()); d != "" || e.LastScore() != score {
				t.Errorf("a wrong value changed the state (-before +after):\n%s", d)
			}
			r = step(t, e, rightAnswer(t, e))
		}
		if s, ok := e.Summary(); !ok || s.Score != 1 {
			t.Errorf("right answers after wrong values end with %+v, %v", s, ok)
		}
	})
}

func TestOnInvalidEmptyTakesAWrongValueForTheEmptyAction(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		other := newEnv(t, task.Name)
		a := reset(t, e, triage.ResetOptions{Seed: 3, OnInvalid: triage.InvalidIsEmpty})
		b := reset(t, other, triage.ResetOptions{Seed: 3})
		for !a.Done {
			a, b = step(t, e, invalid(task.Track)), step(t, other, triage.Action{Track: task.Track})
			const refused = "The last action held a wrong value and counted as empty. "
			if o := b.Observation.Queue; o != nil {
				o.Message = refused + o.Message
			} else {
				b.Observation.Desk.Message = refused + b.Observation.Desk.Message
			}
			if d := cmp.Diff(b, a); d != "" {
				t.Errorf("an empty action (-) and a wrong value (+) give different results:\n%s", d)
			}
			if d := cmp.Diff(other.LastScore(), e.LastScore()); d != "" {
				t.Errorf("an empty action (-) and a wrong value (+) are graded differently:\n%s", d)
			}
		}
		if s, ok := e.Summary(); !ok || s.Score != 0 || s.Reward != 0 {
			t.Errorf("only wrong values end with %+v, %v", s, ok)
		}
	})
}

func TestTheOracleScoresOne(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, _ triage.Task, e env.Grading) {
		for seed := range int64(25) {
			r := reset(t, e, triage.ResetOptions{Seed: seed})
			total := 0.0
			for !r.Done {
				r = step(t, e, rightAnswer(t, e))
				total += r.Reward
			}
			want := triage.Summary{Score: 1, Efficiency: 1, Reward: 1}
			s, ok := e.Summary()
			if d := cmp.Diff(want, s); d != "" || !ok {
				t.Errorf("seed %d, done %v (-want +got):\n%s", seed, ok, d)
			}
			if d := total - 1; d > 1e-9 || d < -1e-9 {
				t.Errorf("seed %d: rewards sum to %v", seed, total)
			}
		}
	})
}

func TestTheSameSeedGivesTheSameEpisodeAndAnotherAnotherOne(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		first := transcript(t, e, task, triage.ResetOptions{Seed: 42})
		again := transcript(t, e, task, triage.ResetOptions{Seed: 42})
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("the same environment, the same seed (-first +again):\n%s", d)
		}
		if d := cmp.Diff(first, transcript(t, newEnv(t, task.Name), task, triage.ResetOptions{Seed: 42})); d != "" {
			t.Errorf("another environment, the same seed (-first +again):\n%s", d)
		}
		if first == transcript(t, e, task, triage.ResetOptions{Seed: 43}) {
			t.Error("another seed gives the same episode")
		}
		if first == transcript(t, e, task, triage.ResetOptions{Seed: 42, Split: triage.Test}) {
			t.Error("another split gives the same episode")
		}
		if d := cmp.Diff(first, transcript(t, e, task, triage.ResetOptions{Seed: 42, Split: triage.Train})); d != "" {
			t.Errorf("the split that a reset plays by default, named (-unnamed +named):\n%s", d)
		}
	})
}

// transcript plays an episode with answers that depend on the step only, and renders everything that a client gets.
func transcript(t testing.TB, e env.Grading, task triage.Task, opts triage.ResetOptions) string {
	t.Helper()
	var b strings.Builder
	r := reset(t, e, opts)
	for i := 0; ; i++ {
		data, err := json.Marshal(r.Observation)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\nreward %v done %v\n", data, r.Reward, r.Done)
		if r.Done {
			return b.String()
		}
		a := triage.Action{Track: task.Track, Queue: triage.QueueAction{Route: pick(triage.Routes(), int64(i)), Urgency: triage.UrgencyMedium},
			Desk: triage.DeskAction{Category: triage.Bug}}
		r = step(t, e, a)
	}
}

func TestParallelEnvironmentsEqualSerialOnes(t *testing.T) {
	t.Parallel()
	const seeds = 8
	got := make([][]string, len(triage.Tasks()))
	var wg sync.WaitGroup
	for i, task := range triage.Tasks() {
		got[i] = make([]string, seeds)
		for seed := range seeds {
			wg.Go(func() {
				got[i][seed] = transcript(t, newEnv(t, task.Name), task, triage.ResetOptions{Seed: int64(seed)})
			})
		}
	}
	wg.Wait()
	for i, task := range triage.Tasks() {
		e := newEnv(t, task.Name)
		for seed := range seeds {
			if d := cmp.Diff(transcript(t, e, task, triage.ResetOptions{Seed: int64(seed)}), got[i][seed]); d != "" {
				t.Errorf("%s, seed %d: serial (-) and parallel (+) differ:\n%s", task.Name, seed, d)
			}
		}
	}
}

func TestResetRefusesOptionsThatMeanNothing(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		for want, opts := range map[string]triage.ResetOptions{
			`reset: seed "-1" is not allowed; allowed is 0 to 9223372036854775807`:                                            {Seed: -1},
			`reset: split "dev" is not allowed; allowed is train, test`:                                                       {Split: "dev"},
			`reset: rewards "sparse" is not allowed; allowed is dense, ticket, episode`:                                       {Rewards: "sparse"},
			`reset: on_invalid "skip" is not allowed; allowed is error, empty`:                                                {OnInvalid: "skip"},
			`reset: tickets "-1" is not allowed; allowed is 1 to ` + fmt.Sprint(task.Tickets):                                 {Tickets: -1},
			fmt.Sprintf(`reset: tickets "%d" is not allowed; allowed is 1 to %d`, task.Tickets+1, task.Tickets):               {Tickets: task.Tickets + 1},
			fmt.Sprintf(`reset: tickets "%d" is not allowed; allowed is 1 to %d`, triage.MaxSeed, task.Tickets):               {Tickets: int(triage.MaxSeed)},
			`reset: seed "-9223372036854775808" is not allowed; allowed is 0 to 9223372036854775807`:                          {Seed: -triage.MaxSeed - 1},
			`reset: on_invalid "Error" is not allowed; allowed is error, empty`:                                               {OnInvalid: "Error"},
			`reset: split "Test" is not allowed; allowed is train, test`:                                                      {Split: "Test"},
			`reset: rewards "Dense" is not allowed; allowed is dense, ticket, episode`:                                        {Rewards: "Dense"},
			`reset: seed "-2" is not allowed; allowed is 0 to 9223372036854775807`:                                            {Seed: -2, Split: "dev", Tickets: 99},
			`reset: tickets "` + fmt.Sprint(task.Tickets+2) + `" is not allowed; allowed is 1 to ` + fmt.Sprint(task.Tickets): {Tickets: task.Tickets + 2},
		} {
			if r, err := e.Reset(context.Background(), opts); err == nil || err.Error() != want || triage.CodeOf(err) != triage.CodeUsage {
				t.Errorf("reset with %+v gives %+v, error %v with code %q; want %s", opts, r, err, triage.CodeOf(err), want)
			}
		}
		// A reset that is refused leaves the running episode as it is.
		r := reset(t, e, triage.ResetOptions{Seed: triage.MaxSeed, Split: triage.Test, Rewards: triage.RewardsTicket, OnInvalid: triage.InvalidIsError})
		before := e.State()
		if _, err := e.Reset(context.Background(), triage.ResetOptions{Seed: -1}); err == nil {
			t.Fatal("no error")
		}
		if d := cmp.Diff(before, e.State()); d != "" || !cmp.Equal(before.Observation, r.Observation) {
			t.Errorf("a refused reset changed the state (-before +after):\n%s", d)
		}
		step(t, e, rightAnswer(t, e))
	})
}

func TestStateDescribesTheEpisode(t *testing.T) {
	t.Parallel()
	e := newEnv(t, "desk-medium")
	r := reset(t, e, triage.ResetOptions{Seed: 5, EpisodeID: "mine"})
	want := triage.State{EpisodeID: "mine", Track: triage.Desk, Task: "desk-medium", Split: triage.Train, Observation: r.Observation}
	if d := cmp.Diff(want, e.State()); d != "" {
		t.Errorf("after a reset (-want +got):\n%s", d)
	}
	r = step(t, e, triage.Action{Track: triage.Desk})
	want.StepCount, want.Observation = 1, r.Observation
	if d := cmp.Diff(want, e.State()); d != "" {
		t.Errorf("after a step (-want +got):\n%s", d)
	}
	r = step(t, e, rightAnswer(t, e))
	want.StepCount, want.Observation, want.Done = 2, r.Observation, true
	if d := cmp.Diff(want, e.State()); d != "" {
		t.Errorf("at the end (-want +got):\n%s", d)
	}
	reset(t, e, triage.ResetOptions{Seed: 5, Split: triage.Test})
	if s := e.State(); s.EpisodeID == "mine" || s.EpisodeID == "" || s.Split != triage.Test || s.StepCount != 0 || s.Done {
		t.Errorf("after another reset: %+v", s)
	}
	data, err := json.Marshal(e.State())
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"episode_id", "step_count", "track", "task", "split", "done", "observation"} {
		if _, ok := keys[k]; !ok {
			t.Errorf("the state has no %s: %s", k, data)
		}
		delete(keys, k)
	}
	if len(keys) > 0 {
		t.Errorf("the state has more than it should: %v", keys)
	}
}

func TestNothingThatAnAgentSeesHoldsTheTruth(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, task triage.Task, e env.Grading) {
		for seed := range int64(10) {
			r := reset(t, e, triage.ResetOptions{Seed: seed})
			for {
				data, err := json.Marshal(e.State())
				if err != nil {
					t.Fatal(err)
				}
				for _, bad := range []string{"SECRET", "why", "want", "truth", "facts", "scenario", "severity", "impact", "workaround", "deadline", "effort", "stake",
					"secondary", "entities", "distractors", "traps", "credit", "route_category", "urgency_assessment", "resolution_difficulty", "priority_score"} {
					if strings.Contains(string(data), `"`+bad) || bad == "SECRET" && strings.Contains(string(data), bad) {
						t.Fatalf("what the agent sees holds %q: %s", bad, data)
					}
				}
				if d := cmp.Diff(r.Observation, e.State().Observation); d != "" {
					t.Errorf("the state shows another observation than the step (-step +state):\n%s", d)
				}
				if r.Done {
					break
				}
				r = step(t, e, triage.Action{Track: task.Track})
			}
		}
	})
}

func TestAnEnvironmentNeedsATrackAndASource(t *testing.T) {
	t.Parallel()
	if _, err := env.New(triage.Task{Name: "tickets", Track: triage.Dataset}, triage.Test, fakes); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("the dataset track gives the error %v", err)
	}
	broken := errors.New("no bank")
	for _, task := range triage.Tasks() {
		e, err := env.New(task, triage.Test, func(triage.Split) (env.Source, error) { return nil, broken })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Reset(context.Background(), triage.ResetOptions{}); !errors.Is(err, broken) {
			t.Errorf("%s: a reset without a source gives the error %v", task.Name, err)
		}
		if _, err := e.Step(context.Background(), triage.Action{}); triage.CodeOf(err) != triage.CodeNotReset {
			t.Errorf("%s: a step after a reset that failed gives the error %v", task.Name, err)
		}
	}
}
