package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// way is one of the ways to play an episode.
type way struct {
	name string
	http bool // the envelope is that of HTTP
	// begin resets and gives the envelope; the function that it gives takes a step.
	begin func(r *rig, track triage.Track, options string) (first string, step func(action string) string, session string)
}

// ways are WebSocket, HTTP and MCP: the last plays inside an episode that HTTP begins.
func everyWay() []way {
	overHTTP := func(r *rig, track triage.Track, options string) (string, string) {
		a := r.do("POST", "/"+string(track)+"/reset", options)
		return a.Body, a.Header.Get("X-Triage-Session")
	}
	data := func(r *rig, frame string) string {
		text, err := json.Marshal(object(r.t, frame)["data"])
		if err != nil {
			r.t.Fatal(err)
		}
		return string(text)
	}
	return []way{
		{"WebSocket", false, func(r *rig, track triage.Track, options string) (string, func(string) string, string) {
			ws := r.ws("/" + string(track) + "/ws")
			return data(r, ws.ask(`{"type":"reset","data":`+options+`}`)), func(action string) string {
				return data(r, ws.ask(`{"type":"step","data":`+action+`}`))
			}, ""
		}},
		{"HTTP", true, func(r *rig, track triage.Track, options string) (string, func(string) string, string) {
			first, session := overHTTP(r, track, options)
			return first, func(action string) string {
				return r.do("POST", "/"+string(track)+"/step", `{"action":`+action+`}`, "X-Triage-Session", session).Body
			}, session
		}},
		{"MCP over HTTP", false, func(r *rig, track triage.Track, options string) (string, func(string) string, string) {
			first, session := overHTTP(r, track, options)
			return first, func(action string) string {
				a := r.do("POST", "/"+string(track)+"/mcp", fmt.Sprintf(
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_triage","session_id":%q,"arguments":%s}}`, session, action))
				return toolData(r.t, a.Body)
			}, session
		}},
		{"MCP in a frame", false, func(r *rig, track triage.Track, options string) (string, func(string) string, string) {
			ws := r.ws("/" + string(track) + "/ws")
			return data(r, ws.ask(`{"type":"reset","data":`+options+`}`)), func(action string) string {
				return toolData(r.t, data(r, ws.ask(`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_triage","arguments":`+action+`}}}`)))
			}, ""
		}},
	}
}

// toolData takes the data out of the answer to a tool call.
func toolData(t testing.TB, text string) string {
	t.Helper()
	var a struct {
		Result *struct {
			Data json.RawMessage
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Result == nil {
		t.Fatalf("a tool answers %s: %v", text, err)
	}
	return string(a.Result.Data)
}

// final is the metadata of the last observation, from the environment itself.
func final(t testing.TB, e env.Grading, scores []*triage.Score) meta {
	t.Helper()
	s, ok := e.Summary()
	if !ok {
		t.Fatal("no summary of an episode that is done")
	}
	rubrics, n := map[string]float64{}, 0.0
	for _, x := range scores {
		if x == nil {
			continue
		}
		n++
		for _, p := range x.Parts {
			rubrics[p.Name] += p.Value
		}
	}
	for name := range rubrics {
		rubrics[name] = math.Round(rubrics[name]/n*1e9) / 1e9
	}
	ended := triage.EndedComplete
	if s.Truncated {
		ended = triage.EndedTruncated
	}
	return meta{"score": s.Score, "efficiency": s.Efficiency, "reward": s.Reward, "ended": ended, "rubrics": rubrics}
}

// rounded rounds the rubrics of an envelope: means are summed in another order.
func rounded(v any) any {
	for _, at := range []any{v.(map[string]any)["metadata"], v.(map[string]any)["observation"].(map[string]any)["metadata"]} {
		m, _ := at.(map[string]any)
		rubrics, _ := m["rubrics"].(map[string]any)
		for name, x := range rubrics {
			rubrics[name] = math.Round(x.(float64)*1e9) / 1e9
		}
	}
	return v
}

// TestAnEpisodeIsTheOneOfTheEnvironment plays whole episodes of every task in every mode of rewards, in every way, beside an
// environment that is called directly: every answer is compared whole.
func TestAnEpisodeIsTheOneOfTheEnvironment(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, task := range triage.Tasks() {
		for _, mode := range []triage.Rewards{triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode} {
			for _, w := range everyWay() {
				t.Run(fmt.Sprintf("%s %s %s", task.Name, mode, w.name), func(t *testing.T) {
					t.Parallel()
					e := direct(t, task)
					want, err := e.Reset(t.Context(), triage.ResetOptions{Seed: 11, Rewards: mode})
					if err != nil {
						t.Fatal(err)
					}
					first, step, session := w.begin(r, task.Track, fmt.Sprintf(`{"seed":11,"difficulty":%q,"rewards":%q}`, task.Difficulty, mode))
					m := meta{}
					if session != "" {
						m["session"] = session
					}
					same(t, "reset", envelope(t, want, m, session != ""), first)
					var scores []*triage.Score
					sum, list := 0.0, actions(task.Track)
					for i := 0; !want.Done; i++ {
						action := list[i%len(list)]
						if want, err = e.Step(t.Context(), parsed(t, task.Track, action)); err != nil {
							t.Fatal(err)
						}
						scores = append(scores, e.LastScore())
						m := meta{}
						if want.Done {
							m = final(t, e, scores)
						}
						if w.http {
							m["session"] = session
						}
						got := step(action)
						same(t, fmt.Sprintf("step %d", i+1), envelope(t, want, m, w.http), rounded(plain(t, got)))
						sum += object(t, got)["reward"].(float64)
					}
					s, _ := e.Summary()
					if target := s.Reward; mode != triage.RewardsTicket && math.Abs(sum-target) > 1e-9 {
						t.Errorf("rewards sum to %v, the episode's is %v", sum, target)
					}
				})
			}
		}
	}
}

func TestTheServersDefaultOfRewardsHoldsWhereAResetSaysNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []triage.Rewards{"", triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode} {
		r := start(t, func(_ *server.Deps, o *server.Options) { o.Rewards = mode })
		for _, asked := range []triage.Rewards{"", triage.RewardsTicket} {
			played := mode
			if asked != "" {
				played = asked
			}
			e := direct(t, taskOf(t, triage.Queue, triage.Easy))
			if _, err := e.Reset(t.Context(), triage.ResetOptions{Seed: 2, Tickets: 2, Rewards: played}); err != nil {
				t.Fatal(err)
			}
			options := `{"seed":2,"tickets":2}`
			if asked != "" {
				options = fmt.Sprintf(`{"seed":2,"tickets":2,"rewards":%q}`, asked)
			}
			session := r.reset("/reset", options)
			for range 2 {
				want, err := e.Step(t.Context(), triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Technical}})
				if err != nil {
					t.Fatal(err)
				}
				got := r.ok("POST", "/step", `{"action":{"route_category":"technical"}}`, "X-Triage-Session", session)
				same(t, fmt.Sprintf("server %q, reset %q", mode, asked), want.Reward, got["reward"])
			}
		}
	}
}

// TestAWrongValueCountsAsEmptyWhereTheResetAskedForThat holds it in every way of playing against the environment itself.
func TestAWrongValueCountsAsEmptyWhereTheResetAskedForThat(t *testing.T) {
	t.Parallel()
	r := start(t)
	wrong := []string{`{"route_category":"Billing"}`, `{"priority_score":101}`, `{"mood":"bad","metadata":{}}`, `{"urgency_days":0.5,"category":7}`}
	for _, track := range triage.Tracks() {
		for _, w := range everyWay() {
			t.Run(string(track)+" "+w.name, func(t *testing.T) {
				t.Parallel()
				task := taskOf(t, track, triage.Medium)
				e := direct(t, task)
				want, err := e.Reset(t.Context(), triage.ResetOptions{Seed: 4, OnInvalid: triage.InvalidIsEmpty})
				if err != nil {
					t.Fatal(err)
				}
				_, step, session := w.begin(r, track, `{"seed":4,"difficulty":"medium","on_invalid":"empty"}`)
				var scores []*triage.Score
				for i := 0; !want.Done; i++ {
					raw := wrong[i%len(wrong)]
					if want, err = e.Step(t.Context(), triage.Action{Track: track, Raw: json.RawMessage(raw)}); err != nil {
						t.Fatal(err)
					}
					scores = append(scores, e.LastScore())
					m := meta{}
					if want.Done {
						m = final(t, e, scores)
					}
					if w.http {
						m["session"] = session
					}
					same(t, raw, envelope(t, want, m, w.http), rounded(plain(t, step(raw))))
				}
			})
		}
	}
}

// TestAWrongValueIsAnErrorThatNamesIt holds the default: the state does not change.
func TestAWrongValueIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	r := start(t)
	item := func(kind string, loc []any, msg string, input any, ctx ...any) map[string]any {
		out := map[string]any{"type": kind, "loc": loc, "msg": msg, "input": input}
		if len(ctx) > 0 {
			out["ctx"] = map[string]any{ctx[0].(string): ctx[1]}
		}
		return out
	}
	at := func(keys ...any) []any { return keys }
	routes := "'billing', 'technical', 'feature', 'feedback' or 'spam'"
	for _, x := range []struct {
		name   string
		track  triage.Track
		action string
		want   []map[string]any
	}{
		{"unknown word", triage.Queue, `{"route_category":"Billing"}`, []map[string]any{item("literal_error", at("route_category"), "Input should be "+routes, "Billing", "expected", routes)}},
		{"no word", triage.Queue, `{"route_category":[1]}`, []map[string]any{item("literal_error", at("route_category"), "Input should be "+routes, []int{1}, "expected", routes)}},
		{"too high", triage.Queue, `{"priority_score":100.5,"urgency_assessment":null}`, []map[string]any{
			item("int_from_float", at("priority_score"), "Input should be a valid integer, got a number with a fractional part", 100.5)}},
		{"over", triage.Queue, `{"priority_score":"101"}`, []map[string]any{item("less_than_equal", at("priority_score"), "Input should be less than or equal to 100", "101", "le", 100)}},
		{"under", triage.Desk, `{"urgency_days":0}`, []map[string]any{item("greater_than_equal", at("urgency_days"), "Input should be greater than or equal to 1", 0, "ge", 1)}},
		{"no number", triage.Desk, `{"urgency_days":"soon"}`, []map[string]any{item("int_parsing", at("urgency_days"), "Input should be a valid integer, unable to parse string as an integer", "soon")}},
		{"neither", triage.Desk, `{"urgency_days":{}}`, []map[string]any{item("int_type", at("urgency_days"), "Input should be a valid integer", map[string]any{})}},
		{"no text", triage.Desk, `{"recommendation":1}`, []map[string]any{item("string_type", at("recommendation"), "Input should be a valid string", 1)}},
		{"metadata that is no object", triage.Queue, `{"metadata":"x"}`, []map[string]any{item("dict_type", at("metadata"), "Input should be a valid dictionary", "x")}},
		{"another track's field", triage.Desk, `{"route_category":"spam"}`, []map[string]any{item("extra_forbidden", at("route_category"), "Extra inputs are not permitted", "spam")}},
		{"fields in their order, then unknown ones by name", triage.Queue, `{"z":1,"priority_score":-1,"a":{"b":[2]},"route_category":"x"}`, []map[string]any{
			item("literal_error", at("route_category"), "Input should be "+routes, "x", "expected", routes),
			item("greater_than_equal", at("priority_score"), "Input should be greater than or equal to 0", -1, "ge", 0),
			item("extra_forbidden", at("a"), "Extra inputs are not permitted", map[string]any{"b": []int{2}}),
			item("extra_forbidden", at("z"), "Extra inputs are not permitted", 1)}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			path := "/" + string(x.track)
			ws := r.ws(path + "/ws")
			_, err := triage.ParseAction(x.track, []byte(x.action), nil)
			message := fmt.Sprint("Invalid message: ", err)
			same(t, "before a reset", refusal("VALIDATION_ERROR", message, "errors", x.want), ws.ask(`{"type":"step","data":`+x.action+`}`))
			ws.ask(`{"type":"reset","data":{"seed":1}}`)
			session := r.reset(path+"/reset", `{"seed":1}`)
			state, before := ws.ask(`{"type":"state"}`), r.do("GET", path+"/state", "", "X-Triage-Session", session).Body
			same(t, "over WebSocket", refusal("VALIDATION_ERROR", message, "errors", x.want), ws.ask(`{"type":"step","data":`+x.action+`}`))
			a := r.do("POST", path+"/step", `{"action":`+x.action+`}`, "X-Triage-Session", session)
			same(t, "over HTTP", []any{422, map[string]any{"detail": x.want}}, []any{a.Status, plain(t, a.Body)})
			same(t, "state over WebSocket", state, ws.ask(`{"type":"state"}`))
			same(t, "state over HTTP", before, r.do("GET", path+"/state", "", "X-Triage-Session", session).Body)
		})
	}
}

func TestAWrongStepBodyIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.reset("/reset", `{"seed":1}`)
	before := r.do("GET", "/state", "").Body
	item := func(kind string, loc []any, msg string, input any, ctx ...any) []map[string]any {
		out := map[string]any{"type": kind, "loc": loc, "msg": msg, "input": input}
		if len(ctx) > 0 {
			out["ctx"] = map[string]any{ctx[0].(string): ctx[1]}
		}
		return []map[string]any{out}
	}
	body := func(keys ...any) []any { return append([]any{"body"}, keys...) }
	for _, x := range []struct {
		name, body string
		want       []map[string]any
	}{
		{"no body", ``, item("missing", body(), "Field required", nil)},
		{"no action", `{"x":1}`, item("missing", body("action"), "Field required", map[string]any{"x": 1})},
		{"action is null", `{"action":null}`, item("dict_type", body("action"), "Input should be a valid dictionary", nil)},
		{"action is a list", `{"action":[]}`, item("dict_type", body("action"), "Input should be a valid dictionary", []int{})},
		{"timeout is negative", `{"action":{},"timeout_s":-1}`, item("greater_than", body("timeout_s"), "Input should be greater than 0", -1, "gt", 0)},
		{"timeout is 0", `{"action":{},"timeout_s":"0"}`, item("greater_than", body("timeout_s"), "Input should be greater than 0", "0", "gt", 0)},
		{"timeout is no number", `{"action":{},"timeout_s":"nan"}`, item("float_type", body("timeout_s"), "Input should be a valid number", "nan")},
		{"request id", `{"action":{},"request_id":1}`, item("string_type", body("request_id"), "Input should be a valid string", 1)},
		{"episode id", `{"action":{},"episode_id":{}}`, item("string_type", body("episode_id"), "Input should be a valid string", map[string]any{})},
		{"list", `[]`, item("model_attributes_type", body(), "Input should be a valid dictionary or object to extract fields from", []int{})},
	} {
		a := r.do("POST", "/step", x.body)
		same(t, x.name, []any{422, map[string]any{"detail": x.want}}, []any{a.Status, plain(t, a.Body)})
	}
	same(t, "state", before, r.do("GET", "/state", "").Body)
	for _, ok := range []string{`{"action":{},"timeout_s":null,"request_id":null,"episode_id":null}`, `{"action":{},"timeout_s":0.5,"request_id":"r","task_id":1}`,
		`{"action":{"metadata":{"x":[1]}}}`, `{"action":{"metadata":null}}`} {
		r.ok("POST", "/step", ok)
	}
	same(t, "steps taken", 4, r.ok("GET", "/state", "")["step_count"])
}

// TestAnEnvironmentThatBreaksIsSaidSo uses one that fails, and one that cannot be made.
func TestAnEnvironmentThatBreaksIsSaidSo(t *testing.T) {
	t.Parallel()
	broken := &triage.Error{Code: triage.CodeUnavailable, Message: "the disk is gone"}
	r := start(t, func(d *server.Deps, _ *server.Options) {
		d.NewEnv = func(task triage.Task, _ triage.Split) (triage.Env, error) {
			if task.Difficulty == triage.Hard {
				return nil, broken
			}
			return &scripted{step: func(triage.Action) (triage.StepResult, error) { return triage.StepResult{}, broken }}, nil
		}
	})
	for _, options := range []string{`{"difficulty":"hard"}`, `{}`} {
		ws := r.ws("/ws")
		a := r.do("POST", "/reset", options)
		b := ws.ask(`{"type":"reset","data":` + options + `}`)
		if options == `{}` {
			a = r.do("POST", "/step", `{"action":{}}`)
			b = ws.ask(`{"type":"step","data":{}}`)
		}
		same(t, "over HTTP", []any{503, detail("the disk is gone")}, []any{a.Status, plain(t, a.Body)})
		same(t, "over WebSocket", refusal("EXECUTION_ERROR", "the disk is gone"), b)
		object(t, ws.ask(`{"type":"state"}`)) // the session goes on
	}
}
