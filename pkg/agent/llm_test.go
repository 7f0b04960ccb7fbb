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

// scripted is a model that gives its replies one after the other and keeps what it was asked.
type scripted struct {
	replies []any // *llm.Reply, string or error
	asked   []llm.Request
}

func (s *scripted) Complete(_ context.Context, r llm.Request) (*llm.Reply, error) {
	r.Messages = append([]llm.Message(nil), r.Messages...)
	s.asked = append(s.asked, r)
	if len(s.asked) > len(s.replies) {
		return nil, errors.New("the script is over")
	}
	switch v := s.replies[len(s.asked)-1].(type) {
	case *llm.Reply:
		return v, nil
	case string:
		return &llm.Reply{Text: v, Finish: "stop", Usage: llm.Usage{In: told(100), Out: told(10), Cached: told(60), Reasoning: told(0)}, Cost: told(7)}, nil
	default:
		return nil, v.(error)
	}
}

func told(n int64) llm.Count { return llm.Count{N: n, Known: true} }

// model makes an agent that plays a script.
func model(t *testing.T, o LLMOptions, replies ...any) (*LLM, *scripted) {
	t.Helper()
	s := &scripted{replies: replies}
	o.Completer = s
	a, err := NewLLM(o)
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

func queueSeen() triage.Observation {
	return triage.Observation{Queue: &triage.QueueObservation{Task: "queue-easy", Position: 3, TotalTickets: 8, Remaining: 5,
		Ticket: &triage.QueueTicket{ID: "TKT-40417", Subject: "Charged twice", Description: "Hello,\n\nyou took 9 euros twice.\n\nAda",
			Metadata: triage.Metadata{Channel: "email", CustomerTier: triage.Pro, WaitTimeHours: 2.5, PreviousContacts: 1,
				SelectedCategory: triage.Technical, Language: "en"}},
		Stats:      &triage.QueueStats{Processed: 3, MeanReward: 0.8125, RouteAccuracy: 0.75, Efficiency: 0.9},
		LastResult: &triage.QueueResult{TicketID: "TKT-30303", Reward: 0.625, Parts: []triage.Part{{Name: "route", Value: 1, Weight: 0.4}}},
		Message:    "Triage this ticket."}}
}

func deskSeen(d triage.Difficulty, step int) triage.Observation {
	message := "Answer with category."
	if step > 0 {
		message = "Still missing: department."
	}
	return triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-50517", CustomerName: "Ada Byron",
		IssueText: "Labels\n\nThe printer prints empty labels.", IssueType: "unclassified", SentimentScore: -0.3, WaitTimeHours: 30,
		IsEscalated: true, StepCount: step, TaskDifficulty: d, Message: message}}
}

func ticketsSeen() triage.Observation {
	return triage.Observation{Dataset: &triage.DatasetObservation{TicketID: "row 7", Subject: "Help", Body: "Nothing prints.",
		Fields: map[string]string{"product": "printer", "account": "a-1\nb"},
		Labels: map[string][]string{"team": {"Hardware", "Software, web"}, "level": {"1", "2", "3"}}}}
}

const rightAnswer = `{"route_category":"billing","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":4}`

var rightAction = triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Urgency: triage.UrgencyLow,
	Difficulty: triage.ResolutionEasy, Priority: triage.IntOf(4)}}

func TestAReplyIsTheActionAndIsTold(t *testing.T) {
	t.Parallel()
	a, s := model(t, LLMOptions{Reask: 1}, rightAnswer)
	a.Start(triage.Key{Agent: "llm:x@y", Task: "queue-easy", Seed: 42, Position: triage.IntOf(3), Trial: 2})
	got, err := a.Act(context.Background(), queueSeen())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rightAction, got); d != "" {
		t.Errorf("action (-want +got):\n%s", d)
	}
	usage, reply := a.Told()
	if d := cmp.Diff(&triage.Usage{Calls: 1, TokensIn: triage.IntOf(100), TokensOut: triage.IntOf(10), TokensCached: triage.IntOf(60),
		TokensReasoning: triage.IntOf(0), CostNano: triage.IntOf(7)}, usage); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
	if d := cmp.Diff(&triage.Reply{Stage: "exact", Text: rightAnswer, Finish: "stop"}, reply); d != "" {
		t.Errorf("reply (-want +got):\n%s", d)
	}
	if !reply.Exact() {
		t.Error("the reply does not count as exact")
	}
	// lesson D53: the trial is in the scope; agent and position are not, so that equal requests share an answer.
	if got := s.asked[0].Scope; got != "queue-easy/42/#2" {
		t.Errorf("scope %q", got)
	}
	if s.asked[0].SchemaName == "" || len(s.asked[0].Schema) == 0 {
		t.Error("the request has no schema")
	}
}

// The rows say which words a model hears after a reply that cannot be read, and what is left in the record.
func TestAnUnreadableReplyIsAskedAgain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 3000)
	tests := []struct {
		name  string
		first *llm.Reply
		cause string
		hears string // begin of the words
		// said is how the model's reply goes back to it; empty: no message of its own.
		said string
	}{
		{"prose", &llm.Reply{Text: "It is a billing ticket.", Finish: "stop"}, "not_json", "Your answer holds no JSON object", "It is a billing ticket."},
		{"a wrong word", &llm.Reply{Text: `{"route_category":"sales"}`, Finish: "stop"}, "schema", "Your answer has a wrong value: ", `{"route_category":"sales"}`},
		{"cut off", &llm.Reply{Text: `{"route_category":"bil`, Finish: "length"}, "truncated", "Your answer was cut off", `{"route_category":"bil`},
		{"budget gone", &llm.Reply{Finish: "length", Reasoning: "hm"}, "budget_exhausted", "You used up the space", ""}, // lesson A18
		{"empty", &llm.Reply{Finish: "stop"}, "empty", "Your answer was empty.", ""},
		{"thoughts only", &llm.Reply{Finish: "stop", Reasoning: "hm"}, "no_final_answer", "Your thoughts came to no answer.", ""},
		{"refusal", &llm.Reply{Refusal: "I will not.", Finish: "stop"}, "refusal", "You did not answer.", "I will not."},
		{"a long text", &llm.Reply{Text: long, Finish: "stop"}, "not_json", "Your answer holds no JSON object", long[:2*1999] + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, s := model(t, LLMOptions{Reask: 1}, tt.first, rightAnswer)
			got, err := a.Act(context.Background(), queueSeen())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(rightAction, got); d != "" {
				t.Errorf("action (-want +got):\n%s", d)
			}
			usage, reply := a.Told()
			if d := cmp.Diff(&triage.Usage{Calls: 2, Reasks: 1}, usage); d != "" {
				t.Errorf("usage (-want +got): what one reply does not tell is unknown of both\n%s", d)
			}
			if len(reply.Before) != 1 || reply.Before[0].Cause != tt.cause || reply.Before[0].Stage != "none" || reply.Before[0].Text != tt.first.Text {
				t.Errorf("before: %+v", reply.Before)
			}
			if reply.Exact() {
				t.Error("an answer to the second asking counts as exact")
			}
			first, second := s.asked[0].Messages, s.asked[1].Messages
			last := second[len(second)-1]
			words := last.Content
			if tt.said == "" {
				if len(second) != len(first) || !strings.HasPrefix(words, first[len(first)-1].Content) {
					t.Fatalf("the words are no continuation of the last message: %+v", second)
				}
				words = strings.TrimPrefix(words[len(first[len(first)-1].Content):], "\n\n")
			} else {
				if d := cmp.Diff(append(append([]llm.Message(nil), first...), llm.Message{Role: llm.Assistant, Content: tt.said}), second[:len(second)-1]); d != "" {
					t.Errorf("messages (-want +got):\n%s", d)
				}
			}
			if last.Role != llm.User || !strings.HasPrefix(words, tt.hears) || !strings.HasSuffix(words, string(s.asked[0].Schema)) {
				t.Errorf("the model hears %q", words)
			}
		})
	}
}

func TestAnAnswerThatStaysUnreadableIsAnErrorWithoutACode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reask, calls int }{{0, 1}, {1, 2}, {3, 4}} {
		a, s := model(t, LLMOptions{Reask: tt.reask}, "no", "no", "no", "no", "no")
		got, err := a.Act(context.Background(), queueSeen())
		// lesson A16: the error names the cause.
		if err == nil || !strings.HasPrefix(err.Error(), "no readable answer: not_json: ") || triage.CodeOf(err) != "" {
			t.Errorf("reask %d: error %v, code %q", tt.reask, err, triage.CodeOf(err))
		}
		if d := cmp.Diff(triage.Action{}, got); d != "" {
			t.Errorf("reask %d: action (-want +got):\n%s", tt.reask, d)
		}
		usage, reply := a.Told()
		if len(s.asked) != tt.calls || usage.Calls != tt.calls || usage.Reasks != tt.reask || len(reply.Before) != tt.reask {
			t.Errorf("reask %d: %d calls, usage %+v, %d before", tt.reask, len(s.asked), usage, len(reply.Before))
		}
		if got, want := usage.CostNano, triage.IntOf(7*tt.calls); got != want {
			t.Errorf("reask %d: cost %+v, want %+v", tt.reask, got, want)
		}
		for i := 1; i < len(s.asked); i++ {
			if cmp.Equal(s.asked[i].Messages, s.asked[i-1].Messages) {
				t.Errorf("reask %d: call %d asks with the words of the one before", tt.reask, i)
			}
		}
	}
}

// lesson E94
func TestUsageThatOneReplyDoesNotTellIsUnknownOfTheSum(t *testing.T) {
	t.Parallel()
	silent := &llm.Reply{Text: "no", Usage: llm.Usage{In: told(5)}}
	for name, replies := range map[string][]any{"first": {silent, rightAnswer}, "last": {"no", &llm.Reply{Text: rightAnswer, Usage: llm.Usage{In: told(5)}}}} {
		a, _ := model(t, LLMOptions{Reask: 1}, replies...)
		if _, err := a.Act(context.Background(), queueSeen()); err != nil {
			t.Fatal(err)
		}
		usage, _ := a.Told()
		if d := cmp.Diff(&triage.Usage{Calls: 2, Reasks: 1, TokensIn: triage.IntOf(105)}, usage); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestALaterStepOfTheDeskSaysWhatIsMissingAndIsACallOfItsOwn(t *testing.T) {
	t.Parallel()
	a, _ := model(t, LLMOptions{})
	a.Start(triage.Key{Task: "desk-hard", Seed: 1})
	first, err := a.Request(deskSeen(triage.Hard, 0))
	if err != nil {
		t.Fatal(err)
	}
	later, err := a.Request(deskSeen(triage.Hard, 1))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(first.Messages[1].Content, "The desk says") || !strings.Contains(later.Messages[1].Content, "The desk says: Still missing: department.") {
		t.Errorf("first:\n%s\nlater:\n%s", first.Messages[1].Content, later.Messages[1].Content)
	}
	if first.Messages[0] != later.Messages[0] {
		t.Error("the system message differs")
	}
	if first.Scope == later.Scope {
		t.Errorf("both have the scope %s", first.Scope)
	}
}

func TestAnAgentWithoutAModelOrWithNegativeReasksIsRefused(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]LLMOptions{"no model": {}, "re-asks": {Completer: &scripted{}, Reask: -1}} {
		if _, err := NewLLM(o); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnObservationWithoutATicketIsAMistakeOfTheCaller(t *testing.T) {
	t.Parallel()
	a, s := model(t, LLMOptions{}, rightAnswer)
	for name, o := range map[string]triage.Observation{
		"nothing":      {},
		"after last":   {Queue: &triage.QueueObservation{Task: "queue-easy"}},
		"unknown task": {Desk: &triage.DeskObservation{TaskDifficulty: "absurd"}},
	} {
		if _, err := a.Act(context.Background(), o); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.asked) != 0 {
		t.Errorf("%d calls", len(s.asked))
	}
}
