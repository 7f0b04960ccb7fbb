package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

var key = triage.Key{Agent: "scripted", Task: "queue-easy", Seed: 42}

func pointer(v float64) *float64 { return &v }

// shown is the observation of a ticket of triagetest.Queue.
func shown(seed int64, position, tickets int) triage.Observation {
	return triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy", Position: position, TotalTickets: tickets, Remaining: tickets - position,
		Ticket: &triage.QueueTicket{ID: triagetest.TicketID(seed, position), Subject: "subject", Description: "description"}}}
}

func graded(v float64) *triage.Score {
	return &triage.Score{Total: v, Parts: []triage.Part{{Name: "route", Value: v, Weight: 1}}}
}

func TestPlayRecordsWhatWasSeenAnsweredAndGraded(t *testing.T) {
	t.Parallel()
	agent := &triagetest.Agent{Script: triagetest.Answers(triagetest.Route(triage.Billing), triagetest.Route(triage.Spam))}
	env := triagetest.Queue(2)
	got, err := runner.Play(context.Background(), env, agent, key, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := &triage.Episode{Key: key, Score: pointer(0.5), Efficiency: pointer(1), Reward: pointer(0.5), Ended: triage.EndedComplete, Steps: []triage.Step{
		{Observation: shown(42, 0, 2), Action: triagetest.Route(triage.Billing), Score: graded(1)},
		{Observation: shown(42, 1, 2), Action: triagetest.Route(triage.Spam), Score: graded(0)}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("episode (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]triage.Observation{shown(42, 0, 2), shown(42, 1, 2)}, agent.Seen()); d != "" {
		t.Errorf("what the agent saw (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]triage.Key{key}, agent.Started()); d != "" {
		t.Errorf("keys that the agent was told (-want +got):\n%s", d)
	}
	if a := agent.Attached(); len(a) != 1 || a[0] != triage.Env(env) {
		t.Errorf("the agent was attached to %v", a)
	}
}

func TestPlayGivesTheOptionsAndTheSeedOfTheKeyToTheEnvironment(t *testing.T) {
	t.Parallel()
	var got triage.ResetOptions
	env := triagetest.Queue(3)
	inner := env.ResetFunc
	env.ResetFunc = func(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
		got = opts
		return inner(ctx, opts)
	}
	opts := triage.ResetOptions{Seed: 7, Split: triage.Test, Tickets: 2, Rewards: triage.RewardsTicket, OnInvalid: triage.InvalidIsEmpty}
	ep, err := runner.Play(context.Background(), env, &triagetest.Agent{}, key, opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Seed = 42
	if d := cmp.Diff(opts, got); d != "" || len(ep.Steps) != 2 {
		t.Errorf("%d steps; options (-want +got):\n%s", len(ep.Steps), d)
	}
}

func TestARefusedAnswerCountsAsEmptyAndIsRecorded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer triagetest.Answer
		action triage.Action
		err    string
	}{
		{"a wrong value", triagetest.Answer{Action: triagetest.Route("sales")}, triagetest.Route("sales"),
			`invalid action: route_category: "sales" is not allowed; allowed is one of billing, technical, feature, feedback, spam`},
		{"what is no action", triagetest.Answer{Action: triage.Action{Track: triage.Queue, Raw: json.RawMessage("billing")}},
			triage.Action{Track: triage.Queue, Raw: json.RawMessage("billing")}, "invalid action: action: billing is not allowed; allowed is a JSON object"},
		{"an answer of another track", triagetest.Answer{Action: triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}}},
			triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}},
			`invalid action: category: there is no such field (its value is "Bug"); the fields are route_category, urgency_assessment, resolution_difficulty, priority_score`},
		{"an error of the agent", triagetest.Answer{Action: triagetest.Route(triage.Billing), Err: errors.New("no answer")}, triage.Action{Track: triage.Queue}, "no answer"},
		{"a deadline of the agent's own", triagetest.Answer{Err: context.DeadlineExceeded}, triage.Action{Track: triage.Queue}, "context deadline exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			good := triagetest.Answer{Action: triagetest.Route(triage.Billing)}
			agent := &triagetest.Agent{Script: []triagetest.Answer{good, tt.answer, good}}
			got, err := runner.Play(context.Background(), triagetest.Queue(3), agent, key, triage.ResetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := &triage.Episode{Key: key, Score: pointer(2. / 3), Efficiency: pointer(1), Reward: pointer(2. / 3), Ended: triage.EndedComplete, Steps: []triage.Step{
				{Observation: shown(42, 0, 3), Action: good.Action, Score: graded(1)},
				{Observation: shown(42, 1, 3), Action: tt.action, Score: graded(0), Error: tt.err},
				{Observation: shown(42, 2, 3), Action: good.Action, Score: graded(1)}}}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("episode (-want +got):\n%s", d)
			}
		})
	}
}

// An answer that does not name its track is one of the observation's, and is recorded as what was graded.
func TestAnAnswerWithoutATrackIsRecordedAsItWasGraded(t *testing.T) {
	t.Parallel()
	agent := &triagetest.Agent{Script: triagetest.Answers(triage.Action{Queue: triage.QueueAction{Route: triage.Billing}})}
	ep, err := runner.Play(context.Background(), triagetest.Queue(1), agent, key, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(ep.Steps[0].Action)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != `{"route_category":"billing"}` || *ep.Score != 1 {
		t.Errorf("an answer with score %v is recorded as %s", *ep.Score, data)
	}
	for want, o := range map[triage.Track]triage.Observation{triage.Desk: {Desk: &triage.DeskObservation{}}, triage.Dataset: {Dataset: &triage.DatasetObservation{}}} {
		var got triage.Action
		env := &triagetest.Env{ResetFunc: func(context.Context, triage.ResetOptions) (triage.StepResult, error) {
			return triage.StepResult{Observation: o}, nil
		},
			StepFunc: func(_ context.Context, a triage.Action) (triage.StepResult, error) {
				got = a
				return triage.StepResult{Done: true}, nil
			}}
		if _, err := runner.Play(context.Background(), env, &triagetest.Agent{}, key, triage.ResetOptions{}); err != nil || got.Track != want {
			t.Errorf("error %v, track %q, want %q", err, got.Track, want)
		}
	}
}

func TestABrokenEnvironmentOrNetworkGivesNoScore(t *testing.T) {
	t.Parallel()
	down := triagetest.Unavailable("connection refused")
	good := triagetest.Answer{Action: triagetest.Route(triage.Billing)}
	first := []triage.Step{{Observation: shown(42, 0, 2), Action: good.Action, Score: graded(1)}}
	for _, tt := range []struct {
		name  string
		agent *triagetest.Agent
		spoil func(e *triagetest.GradingEnv)
		steps []triage.Step
		err   string
	}{
		{"at the reset", &triagetest.Agent{}, func(e *triagetest.GradingEnv) {
			e.ResetFunc = func(context.Context, triage.ResetOptions) (triage.StepResult, error) {
				return triage.StepResult{}, down
			}
		}, nil, "reset: connection refused"},
		{"at the second step", &triagetest.Agent{Script: []triagetest.Answer{good}}, func(e *triagetest.GradingEnv) {
			inner, n := e.StepFunc, 0
			e.StepFunc = func(ctx context.Context, a triage.Action) (triage.StepResult, error) {
				if n++; n == 2 {
					return triage.StepResult{}, fmt.Errorf("post: %w", down)
				}
				return inner(ctx, a)
			}
		}, first, "step: post: connection refused"},
		{"at the agent", &triagetest.Agent{Script: []triagetest.Answer{good, {Err: fmt.Errorf("chat: %w", down)}}}, func(*triagetest.GradingEnv) {}, first,
			"act: chat: connection refused"},
		{"at an error without a code", &triagetest.Agent{}, func(e *triagetest.GradingEnv) { e.StepFunc = nil }, nil, "step: triagetest: call was not expected"},
		{"at an environment that refuses even the empty action", &triagetest.Agent{Script: []triagetest.Answer{good}}, func(e *triagetest.GradingEnv) {
			e.StepFunc = func(context.Context, triage.Action) (triage.StepResult, error) {
				return triage.StepResult{}, &triage.FieldErrors{Fields: []triage.FieldError{{Field: "f", Value: "v", Allowed: "a"}}}
			}
		}, nil, "step: invalid action: f: v is not allowed; allowed is a"},
		{"at the summary", &triagetest.Agent{Script: []triagetest.Answer{good, good}}, func(e *triagetest.GradingEnv) { e.SummaryFunc = nil },
			append(first[:1:1], triage.Step{Observation: shown(42, 1, 2), Action: good.Action, Score: graded(1)}), "the environment gave no summary of a finished episode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := triagetest.Queue(2)
			tt.spoil(env)
			got, err := runner.Play(context.Background(), env, tt.agent, key, triage.ResetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&triage.Episode{Key: key, Steps: tt.steps, Ended: triage.EndedError, Error: tt.err}, got); d != "" {
				t.Errorf("episode (-want +got):\n%s", d)
			}
		})
	}
}

func TestAMistakeOfTheCallerStopsTheRun(t *testing.T) {
	t.Parallel()
	usage := &triage.Error{Code: triage.CodeUsage, Message: "no such thing"}
	env := func(change func(*triagetest.GradingEnv)) *triagetest.GradingEnv {
		e := triagetest.Queue(1)
		change(e)
		return e
	}
	for name, tt := range map[string]struct {
		env   *triagetest.GradingEnv
		agent *triagetest.Agent
		want  string
	}{
		"attach": {triagetest.Queue(1), &triagetest.Agent{AttachErr: usage}, "no such thing"},
		"act":    {triagetest.Queue(1), &triagetest.Agent{Script: []triagetest.Answer{{Err: usage}}}, "scripted/queue-easy/42: no such thing"},
		"reset": {env(func(e *triagetest.GradingEnv) {
			e.ResetFunc = func(context.Context, triage.ResetOptions) (triage.StepResult, error) {
				return triage.StepResult{}, usage
			}
		}), &triagetest.Agent{}, "scripted/queue-easy/42: no such thing"},
	} {
		ep, err := runner.Play(context.Background(), tt.env, tt.agent, key, triage.ResetOptions{})
		if ep != nil || err == nil || err.Error() != tt.want || triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s: episode %+v, error %v, want %s", name, ep, err, tt.want)
		}
	}
}

func TestAnInterruptionGivesNoEpisode(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(cancel func(), e *triagetest.GradingEnv) *triagetest.Agent{
		"before the first step": func(cancel func(), _ *triagetest.GradingEnv) *triagetest.Agent { cancel(); return &triagetest.Agent{} },
		"while the agent thinks": func(cancel func(), _ *triagetest.GradingEnv) *triagetest.Agent {
			return &triagetest.Agent{ActFunc: func(ctx context.Context, _ triage.Observation) (triage.Action, error) {
				cancel()
				return triage.Action{}, ctx.Err()
			}}
		},
		"while the agent's network fails": func(cancel func(), _ *triagetest.GradingEnv) *triagetest.Agent {
			return &triagetest.Agent{ActFunc: func(context.Context, triage.Observation) (triage.Action, error) {
				cancel()
				return triage.Action{}, triagetest.Unavailable("cut")
			}}
		},
		"in a step": func(cancel func(), e *triagetest.GradingEnv) *triagetest.Agent {
			e.StepFunc = func(ctx context.Context, _ triage.Action) (triage.StepResult, error) {
				cancel()
				return triage.StepResult{}, ctx.Err()
			}
			return &triagetest.Agent{}
		},
		"in the reset": func(cancel func(), e *triagetest.GradingEnv) *triagetest.Agent {
			e.ResetFunc = func(ctx context.Context, _ triage.ResetOptions) (triage.StepResult, error) {
				cancel()
				return triage.StepResult{}, ctx.Err()
			}
			return &triagetest.Agent{}
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		env := triagetest.Queue(2)
		agent := prepare(cancel, env)
		ep, err := runner.Play(ctx, env, agent, key, triage.ResetOptions{})
		if ep != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: episode %+v, error %v", name, ep, err)
		}
	}
}

func TestAnEnvironmentThatCannotTellItsGradingIsScoredByItsRewards(t *testing.T) {
	t.Parallel()
	inner := triagetest.Queue(4)
	agent := &triagetest.Agent{Script: triagetest.Answers(triagetest.Route(triage.Billing), triagetest.Route(triage.Spam), triagetest.Route(triage.Billing))}
	got, err := runner.Play(context.Background(), &inner.Env, agent, key, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got.Steps = nil
	if d := cmp.Diff(&triage.Episode{Key: key, Score: pointer(0.75), Reward: pointer(0.75), Ended: triage.EndedComplete}, got); d != "" {
		t.Errorf("episode (-want +got):\n%s", d)
	}
}

func TestAnEpisodeThatRanOutOfStepsSaysSo(t *testing.T) {
	t.Parallel()
	env := triagetest.Queue(1)
	env.SummaryFunc = func() (triage.Summary, bool) {
		return triage.Summary{Score: 0.25, Efficiency: 0.5, Reward: 0.325, Truncated: true}, true
	}
	got, err := runner.Play(context.Background(), env, &triagetest.Agent{}, key, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got.Steps = nil
	if d := cmp.Diff(&triage.Episode{Key: key, Score: pointer(0.25), Efficiency: pointer(0.5), Reward: pointer(0.325), Ended: triage.EndedTruncated}, got); d != "" {
		t.Errorf("episode (-want +got):\n%s", d)
	}
}
