package agent

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/triage/triagetest"
)

// bankEnv makes a local environment of a task.
func bankEnv(t *testing.T, name string, split triage.Split) triage.Env {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.New(task, split, func(s triage.Split) (env.Source, error) { return synth.New(bank, task, s, nil) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExamplesComeFromTrainWhateverTheEnvironmentPlays(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue-hard", "desk-hard"} {
		fromTest, err := TrainExamples(context.Background(), bankEnv(t, name, triage.Test), 6)
		if err != nil {
			t.Fatal(err)
		}
		fromTrain, err := TrainExamples(context.Background(), bankEnv(t, name, triage.Train), 6)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(fromTrain, fromTest); d != "" {
			t.Errorf("%s (-train +test):\n%s", name, d)
		}
		kinds := map[string]bool{}
		for _, x := range fromTrain {
			kinds[kindOf(x)] = true
		}
		if want := map[string]int{"queue-hard": 5, "desk-hard": 3}[name]; len(kinds) != want {
			t.Errorf("%s: the examples are of %d kinds, want %d", name, len(kinds), want)
		}
		few, err := TrainExamples(context.Background(), bankEnv(t, name, triage.Train), 2)
		if d := cmp.Diff(fromTrain[:2], few); d != "" || err != nil {
			t.Errorf("%s: two examples are not the first two of six: %v\n%s", name, err, d)
		}
	}
}

func TestExamplesOfAnEnvironmentThatKnowsNoTruthOrPlaysAnotherSplitAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := TrainExamples(context.Background(), triagetest.Queue(3), 1); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("no truth: %v", err)
	}
	stubborn := struct {
		triage.Env
		triage.Knower
	}{&triagetest.Env{
		ResetFunc: func(context.Context, triage.ResetOptions) (triage.StepResult, error) {
			return triage.StepResult{Observation: queueSeen()}, nil
		},
		StateFunc: func() triage.State { return triage.State{Split: triage.Test} },
	}, nil}
	if _, err := TrainExamples(context.Background(), stubborn, 1); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("split test: %v", err)
	}
}

func TestExamplesStandBeforeTheTicketAsQuestionsAndAnswers(t *testing.T) {
	t.Parallel()
	answer := triage.Action{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug, Priority: triage.PriorityHigh,
		UrgencyDays: triage.IntOf(2), Department: triage.Engineering, Recommendation: "Look at the logs."}}
	shownTicket := deskSeen(triage.Medium, 0)
	shownTicket.Desk.IssueText = "Other\n\nAn example."
	a, _ := model(t, LLMOptions{Examples: map[string][]Example{"desk-medium": {{shownTicket, answer}}}})
	with, err := a.Request(deskSeen(triage.Medium, 0))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := model(t, LLMOptions{})
	without, err := b.Request(deskSeen(triage.Medium, 0))
	if err != nil {
		t.Fatal(err)
	}
	question, err := b.Request(shownTicket)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Message{without.Messages[0], question.Messages[1],
		{Role: llm.Assistant, Content: `{"category":"Bug","priority":"High","urgency_days":2}`}, without.Messages[1]}
	if d := cmp.Diff(want, with.Messages); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	other, err := a.Request(deskSeen(triage.Easy, 0))
	if err != nil || len(other.Messages) != 2 {
		t.Errorf("another task has %d messages: %v", len(other.Messages), err)
	}
}

func TestAnExampleOfAnotherTaskOrWithAWrongAnswerIsRefused(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]Example{
		"another task": {deskSeen(triage.Easy, 0), triage.Action{Track: triage.Desk}},
		"wrong answer": {queueSeen(), triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: "sales"}}},
		"no ticket":    {triage.Observation{}, rightAction},
	} {
		a, _ := model(t, LLMOptions{Examples: map[string][]Example{"queue-easy": {e}}})
		if _, err := a.Request(queueSeen()); err == nil {
			t.Errorf("%s: accepted in a request", name)
		}
		if _, err := a.PromptHash(); err == nil {
			t.Errorf("%s: accepted in the hash", name)
		}
	}
}
