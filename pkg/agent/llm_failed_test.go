package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/triage"
)

type fatal struct{ error }

func (fatal) Fatal() bool { return true }

func TestAFailedCallBreaksTheEpisodeOrTheRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want triage.Code
	}{
		{"network", &llm.Error{Kind: llm.KindNetwork}, triage.CodeUnavailable},
		{"any error", errors.New("no"), triage.CodeUnavailable},
		{"too long for the model", &llm.Error{Kind: llm.KindContextLength, Status: 400}, triage.CodeUnavailable},
		{"key", &llm.Error{Kind: llm.KindKey, Status: 401}, triage.CodeUnusable},
		{"any fatal error", fatal{errors.New("no")}, triage.CodeUnusable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, s := model(t, LLMOptions{Reask: 1}, tt.err, rightAnswer)
			_, err := a.Act(context.Background(), queueSeen())
			if triage.CodeOf(err) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("error %v, code %q; want %q", err, triage.CodeOf(err), tt.want)
			}
			if usage, reply := a.Told(); usage != nil || reply != nil || len(s.asked) != 1 {
				t.Errorf("told %+v, %+v after %d calls", usage, reply, len(s.asked))
			}
		})
	}
}

func TestAContentFilterIsARefusalThatIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	a, s := model(t, LLMOptions{Reask: 1}, &llm.Error{Kind: llm.KindContentFilter, Status: 400, Text: "filtered"}, rightAnswer)
	_, err := a.Act(context.Background(), queueSeen())
	if err == nil || !strings.HasPrefix(err.Error(), "no readable answer: refusal") || triage.CodeOf(err) != "" {
		t.Errorf("error %v, code %q", err, triage.CodeOf(err))
	}
	usage, reply := a.Told()
	if d := cmp.Diff(&triage.Usage{Calls: 1}, usage); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
	if d := cmp.Diff(&triage.Reply{Stage: "none", Cause: "refusal", Refusal: "filtered", Finish: "content_filter"}, reply); d != "" {
		t.Errorf("reply (-want +got):\n%s", d)
	}
	if len(s.asked) != 1 {
		t.Errorf("%d calls", len(s.asked))
	}
}

func TestACancelledCallIsTheContextsError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, _ := model(t, LLMOptions{}, errors.New("aborted"))
	if _, err := a.Act(ctx, queueSeen()); !errors.Is(err, context.Canceled) || triage.CodeOf(err) != "" {
		t.Errorf("error %v", err)
	}
}
