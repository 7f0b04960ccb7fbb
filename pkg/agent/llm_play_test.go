package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

func TestADeskTicketWithAnUnreadableAnswerGoesOnAndIsAskedWhatIsMissing(t *testing.T) {
	t.Parallel()
	const whole = `{"category":"Bug","priority":"High","urgency_days":2}`
	a, s := model(t, LLMOptions{Reask: 1}, "no", "still no", `{"category":"Question"}`, whole)
	ep, err := runner.Play(context.Background(), bankEnv(t, "desk-medium", triage.Test), a, triage.Key{Agent: "llm", Task: "desk-medium", Seed: 42}, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		Action, Stage, Cause, Error string
		Calls, Reasks               int
	}
	var got []step
	for _, p := range ep.Steps {
		var e triage.Encoder
		e.Action(&p.Action)
		failure, _, _ := strings.Cut(p.Error, ":")
		got = append(got, step{string(e.Buf), p.Reply.Stage, p.Reply.Cause, failure, p.Usage.Calls, p.Usage.Reasks})
	}
	want := []step{
		{"{}", "none", "not_json", "no readable answer", 2, 1},
		{`{"category":"Question"}`, "exact", "", "", 1, 0},
		{whole, "exact", "", "", 1, 0},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	if ep.Ended != triage.EndedComplete || ep.Score == nil {
		t.Errorf("ended %s, score %v", ep.Ended, ep.Score)
	}
	missing := []string{"", "category, priority, urgency_days", "priority, urgency_days"}
	for i, call := range []int{0, 2, 3} { // the first calls of the steps
		_, says, found := strings.Cut(s.asked[call].Messages[1].Content, "The desk says: Still missing: ")
		if found != (i > 0) || found && !strings.HasPrefix(says, missing[i]+".") {
			t.Errorf("step %d says %.60q", i, says)
		}
	}
}

// lesson B20
func TestAFailedCallLeavesAnEpisodeWithoutAScore(t *testing.T) {
	t.Parallel()
	a, _ := model(t, LLMOptions{Reask: 1}, rightAnswer, &llm.Error{Kind: llm.KindServer, Status: 500, Model: "m", URL: "http://localhost/v1"})
	ep, err := runner.Play(context.Background(), bankEnv(t, "queue-easy", triage.Test), a, triage.Key{Agent: "llm", Task: "queue-easy", Seed: 42}, triage.ResetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ep.Ended != triage.EndedError || ep.Score != nil || len(ep.Steps) != 1 || !strings.Contains(ep.Error, "act: ask the model: calling m at http://localhost/v1: server, status 500") {
		t.Errorf("ended %s with %d steps, score %v: %s", ep.Ended, len(ep.Steps), ep.Score, ep.Error)
	}
	a, _ = model(t, LLMOptions{}, &llm.Error{Kind: llm.KindKey, Status: 401})
	if _, err := runner.Play(context.Background(), bankEnv(t, "queue-easy", triage.Test), a, triage.Key{Agent: "llm", Task: "queue-easy"}, triage.ResetOptions{}); triage.CodeOf(err) != triage.CodeUnusable {
		t.Errorf("a wrong key: %v", err)
	}
}

// What a model is asked about a ticket does not depend on how it answered those before.
func TestCallsOfAQueueStandAlone(t *testing.T) {
	t.Parallel()
	play := func(answer string) []llm.Request {
		replies := make([]any, 8)
		for i := range replies {
			replies[i] = answer
		}
		a, s := model(t, LLMOptions{}, replies...)
		if _, err := runner.Play(context.Background(), bankEnv(t, "queue-easy", triage.Test), a, triage.Key{Agent: "llm", Task: "queue-easy", Seed: 7}, triage.ResetOptions{}); err != nil {
			t.Fatal(err)
		}
		return s.asked
	}
	if d := cmp.Diff(play(rightAnswer), play(`{"route_category":"spam"}`)); d != "" {
		t.Errorf("(-one model +another):\n%s", d)
	}
}
