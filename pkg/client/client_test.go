package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

func dial(t testing.TB, address string, task triage.Task, o client.Options) *client.Env {
	t.Helper()
	e, err := client.Dial(t.Context(), address, task, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// withoutWhy compares episodes that were played here and there: a server tells neither the reasons of a grading nor what is behind a ticket.
var withoutWhy = cmp.Options{cmpopts.IgnoreFields(triage.Part{}, "Why"), cmpopts.IgnoreFields(triage.Step{}, "About"), cmpopts.EquateApprox(0, 1e-12)}

func TestEveryTaskIsPlayedOnAServerAsItIsHere(t *testing.T) {
	t.Parallel()
	address := ours(t, server.Options{})
	for _, task := range triage.Tasks() {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			e := dial(t, address, task, client.Options{})
			for _, name := range []string{"heuristic", "random"} {
				for seed := range int64(3) {
					key := triage.Key{Agent: name, Task: task.Name, Seed: seed}
					opts := triage.ResetOptions{Split: triage.Test, EpisodeID: "e-1"}
					play := func(e triage.Env) *triage.Episode {
						a, err := agent.New(name)
						if err != nil {
							t.Fatal(err)
						}
						ep, err := runner.Play(t.Context(), e, a, key, opts)
						if err != nil {
							t.Fatal(err)
						}
						return ep
					}
					here := local(t, task)
					if d := cmp.Diff(play(here), play(e), withoutWhy); d != "" {
						t.Errorf("%s (-here +there):\n%s", key, d)
					}
					if d := cmp.Diff(here.State(), e.State()); d != "" {
						t.Errorf("%s: state (-here +there):\n%s", key, d)
					}
				}
			}
		})
	}
}

// Wrong values are refused in the words of a local environment, and change nothing.
func TestARefusedActionSaysWhatALocalOneSays(t *testing.T) {
	t.Parallel()
	for name, actions := range map[string][]triage.Action{
		"queue-easy": {
			{Queue: triage.QueueAction{Route: "sales", Urgency: "now", Priority: triage.IntOf(101)}},
			{Queue: triage.QueueAction{Priority: triage.IntOf(-1)}},
			{Raw: json.RawMessage(`{"route":"billing","route_category":7,"priority_score":"4x"}`)},
			{Raw: json.RawMessage(`[1]`)}, {Raw: json.RawMessage(`billing, I think`)}, {Raw: json.RawMessage(`"billing"`)},
			{Track: triage.Desk, Desk: triage.DeskAction{Category: triage.Bug}},
		},
		"desk-hard": {
			{Desk: triage.DeskAction{Category: "bug", UrgencyDays: triage.IntOf(8), Department: "IT", Recommendation: strings.Repeat("ü", 2001)}},
			{Raw: json.RawMessage(`{"urgency_days":2.5,"recommendation":[]}`)},
		},
	} {
		task := task(t, name)
		s := &fake{t: t, task: task}
		e, here := dial(t, s.serve("/ws"), task, client.Options{}), local(t, task)
		for _, x := range []triage.Env{e, here} {
			if _, err := x.Reset(t.Context(), triage.ResetOptions{Seed: 5}); err != nil {
				t.Fatal(err)
			}
		}
		for i, a := range actions {
			before := e.State()
			_, want := here.Step(t.Context(), a)
			_, got := e.Step(t.Context(), a)
			var fields *triage.FieldErrors
			if !errors.As(got, &fields) || want == nil || got.Error() != want.Error() {
				t.Errorf("%s, action %d: error %v, want %v", name, i, got, want)
			}
			if d := cmp.Diff(before, e.State()); d != "" {
				t.Errorf("%s, action %d changed the state:\n%s", name, i, d)
			}
		}
		if _, err := e.Step(t.Context(), triage.Action{}); err != nil {
			t.Errorf("%s: afterwards the empty action gives %v", name, err)
		}
	}
}

// What a server refuses that we would accept is told in its words.
func TestAServersOwnRefusalIsTold(t *testing.T) {
	t.Parallel()
	details := []openenv.Detail{openenv.NotOneOf(openenv.Loc("route_category"), []byte(`"spam"`), []string{"a", "b"}), openenv.Extra(openenv.Loc("x"), []byte("1")),
		openenv.Beyond(openenv.Loc("tags", 0), []byte("9"), "le", 7), openenv.Missing(openenv.Loc("kind"), []byte("{}"))}
	s := &fake{t: t, task: task(t, "queue-easy"), answer: func(n int, _ openenv.Frame) []byte {
		switch n {
		case 1:
			return openenv.AppendError(nil, &openenv.Refusal{Code: openenv.CodeValidation, Message: openenv.MessageInvalid, Details: details})
		case 2:
			return errorFrame(openenv.CodeValidation, "no")
		}
		return nil
	}}
	e := dial(t, s.serve("/ws"), s.task, client.Options{})
	if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := e.Step(t.Context(), triage.Action{Queue: triage.QueueAction{Route: triage.Spam}})
	want := &triage.FieldErrors{Fields: []triage.FieldError{
		{Field: "route_category", Value: `"spam"`, Allowed: "'a' or 'b'", Problem: "not_one_of"},
		{Field: "x", Value: "1", Allowed: "those of the server's schema", Problem: "unknown_field"},
		{Field: "tags.0", Value: "9", Allowed: "less than or equal to 7", Problem: "out_of_range"},
		{Field: "kind", Value: "{}", Allowed: "Field required", Problem: "wrong_type"}}}
	if d := cmp.Diff(error(want), err); d != "" {
		t.Errorf("error (-want +got):\n%s", d)
	}
	if _, err = e.Step(t.Context(), triage.Action{}); triage.CodeOf(err) != triage.CodeInvalid || err.Error() != "the server refuses the action: no (VALIDATION_ERROR)" {
		t.Errorf("a refusal without details gives %v", err)
	}
}

func TestStepsOutOfTurn(t *testing.T) {
	t.Parallel()
	s := &fake{t: t, task: task(t, "desk-easy")}
	e := dial(t, s.serve("/ws"), s.task, client.Options{})
	if _, err := e.Step(t.Context(), triage.Action{}); triage.CodeOf(err) != triage.CodeNotReset {
		t.Errorf("a step before a reset gives %v", err)
	}
	if _, ok := e.Summary(); ok || e.LastScore() != nil {
		t.Error("there is a grading before a reset")
	}
	if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), triage.Action{Desk: triage.DeskAction{Category: triage.Bug}}); err != nil {
		t.Fatal(err)
	}
	if _, ok := e.Summary(); !ok {
		t.Error("a finished episode has no summary")
	}
	if _, err := e.Step(t.Context(), triage.Action{}); triage.CodeOf(err) != triage.CodeDone {
		t.Errorf("a step after the end gives %v", err)
	}
	if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil || e.LastScore() != nil {
		t.Errorf("another reset gives %v and leaves the score %v", err, e.LastScore())
	}
}

func TestOptionsReachTheServer(t *testing.T) {
	t.Parallel()
	s := &fake{t: t, task: task(t, "queue-hard")}
	e := dial(t, s.serve("/queue/ws"), s.task, client.Options{Token: "secret", Split: triage.Test, Header: http.Header{"X-Team": {"a"}}})
	for _, o := range []triage.ResetOptions{{}, {Seed: triage.MaxSeed, EpisodeID: "e", Split: triage.Train, Tickets: 2, Rewards: triage.RewardsEpisode, OnInvalid: triage.InvalidIsEmpty}} {
		if _, err := e.Reset(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	heads, frames := s.seen()
	if heads[0].Get("Authorization") != "Bearer secret" || heads[0].Get("X-Team") != "a" {
		t.Errorf("headers %v", heads[0])
	}
	want := []string{`{"type":"reset","data":{"difficulty":"hard","seed":0,"split":"test"}}`,
		`{"type":"reset","data":{"difficulty":"hard","episode_id":"e","on_invalid":"empty","rewards":"episode","seed":9223372036854775807,"split":"train","tickets":2}}`}
	if d := cmp.Diff(want, frames); d != "" {
		t.Errorf("frames (-want +got):\n%s", d)
	}
	for name, address := range map[string]string{"a server that gives details": s.address, "a server of ours": ours(t, server.Options{})} {
		e := dial(t, address, s.task, client.Options{})
		_, err := e.Reset(t.Context(), triage.ResetOptions{Seed: -1})
		if triage.CodeOf(err) != triage.CodeUsage || err.Error() != "reset: seed -1: Input should be greater than or equal to 0" {
			t.Errorf("%s: a seed out of range gives %v (%s)", name, err, triage.CodeOf(err))
		}
		if _, err = e.Reset(t.Context(), triage.ResetOptions{Tickets: 13}); triage.CodeOf(err) != triage.CodeUsage && name == "a server of ours" {
			t.Errorf("too many tickets give %v", err)
		}
		if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
			t.Errorf("%s: the session does not outlive it: %v", name, err)
		}
	}
}

func TestTokensOfAServerOfOurs(t *testing.T) {
	t.Parallel()
	address, task := ours(t, server.Options{Tokens: []string{"0123456789abcdef"}}), task(t, "desk-easy")
	e := dial(t, address+"/desk/", task, client.Options{Token: "0123456789abcdef"})
	if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := client.Dial(t.Context(), address, task, client.Options{}); triage.CodeOf(err) != triage.CodeUnavailable || !strings.Contains(err.Error(), "401 Unauthorized") {
		t.Errorf("without a token: %v", err)
	}
}

func TestASealedServerTellsNoGrading(t *testing.T) {
	t.Parallel()
	s := &fake{t: t, task: task(t, "queue-easy"), sealed: true}
	e := dial(t, s.serve("/ws"), s.task, client.Options{ServerSeeds: true})
	r, err := e.Reset(t.Context(), triage.ResetOptions{Tickets: 2})
	if _, frames := s.seen(); frames[0] != `{"type":"reset","data":{"difficulty":"easy","tickets":2}}` {
		t.Errorf("the reset is %s", frames[0])
	}
	for err == nil && !r.Done {
		r, err = e.Step(t.Context(), triage.Action{Queue: triage.QueueAction{Route: triage.Billing}})
		if e.LastScore() != nil || r.Reward != 0 {
			t.Errorf("reward %v, score %v", r.Reward, e.LastScore())
		}
	}
	sum, ok := e.Summary()
	if err != nil || !ok || sum.Efficiency == 0 || sum.Reward != sum.Score {
		t.Errorf("error %v, summary %+v, %v", err, sum, ok)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"127.0.0.1:7860":                 {"http://127.0.0.1:7860/health", "ws://127.0.0.1:7860/ws"},
		"localhost:1/":                   {"http://localhost:1/health", "ws://localhost:1/ws"},
		"https://a.example/env//":        {"https://a.example/env/health", "wss://a.example/env/ws"},
		"ws://a.example":                 {"http://a.example/health", "ws://a.example/ws"},
		"wss://[::1]:8/x y":              {"https://[::1]:8/x%20y/health", "wss://[::1]:8/x%20y/ws"},
		" http://u:p@a.example/desk/ \n": {"http://u:p@a.example/desk/health", "ws://u:p@a.example/desk/ws"},
	} {
		a, err := client.ParseAddress(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(want, [2]string{a.HTTP("/health"), a.WebSocket("/ws")}); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
		if strings.Contains(a.String(), ":p@") {
			t.Errorf("the password stands in %s", a)
		}
	}
}

// A server that pings while the agent thinks is answered.
func TestPingsAreAnsweredBetweenSteps(t *testing.T) {
	t.Parallel()
	pinged := make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		go func() {
			ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
			defer cancel()
			pinged <- ws.Ping(ctx)
		}()
		_, _, _ = ws.Read(r.Context())
		_ = ws.CloseNow()
	}))
	t.Cleanup(srv.Close)
	dial(t, srv.URL+"/queue", task(t, "queue-easy"), client.Options{HTTPClient: &http.Client{Timeout: time.Millisecond * 1500}})
	if err := <-pinged; err != nil {
		t.Errorf("a ping gives %v", err)
	}
}

func TestCloseLeavesTheServerNoSession(t *testing.T) {
	t.Parallel()
	s := &fake{t: t, task: task(t, "queue-easy")}
	e := dial(t, s.serve("/ws"), s.task, client.Options{})
	begun := time.Now()
	if err := e.Close(); err != nil || e.Close() != nil {
		t.Errorf("close gives %v", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("close takes %s", took)
	}
	if _, err := e.Step(t.Context(), triage.Action{}); triage.CodeOf(err) != triage.CodeUnavailable {
		t.Errorf("a step after close gives %v", err)
	}
	_, frames := s.seen()
	if d := cmp.Diff([]string{`{"type":"close"}`}, frames); d != "" {
		t.Errorf("frames (-want +got):\n%s", d)
	}
	for s.sessions() != 0 && time.Since(begun) < 5*time.Second {
		time.Sleep(time.Millisecond)
	}
	if n := s.sessions(); n != 0 {
		t.Errorf("%d sessions are open", n)
	}
}
