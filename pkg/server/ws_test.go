package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// TestEveryFrameHasItsAnswer goes through the rows of the protocol's tables. After each the session still plays, unless it says that
// it ends.
func TestEveryFrameHasItsAnswer(t *testing.T) {
	t.Parallel()
	r := start(t)
	item := func(kind string, loc []any, msg string, input any) map[string]any {
		return map[string]any{"type": kind, "loc": loc, "msg": msg, "input": input}
	}
	at := func(keys ...any) []any { return keys }
	const dict = "Input should be a valid dictionary"
	invalid := func(items ...map[string]any) map[string]any {
		return refusal("VALIDATION_ERROR", "Invalid message", "errors", items)
	}
	blank := map[string]any{"type": "state", "data": map[string]any{"episode_id": nil, "step_count": 0, "track": "queue", "task": nil, "split": nil,
		"done": false, "observation": nil}}
	for _, x := range []struct {
		name, frame string
		want        any
		end         bool
	}{
		{"state before reset", `{"type":"state"}`, blank, false},
		{"step before reset", `{"type":"step","data":{}}`, refusal("EXECUTION_ERROR", "step before reset: call reset first"), false},
		{"white space and order", "\n { \"data\" : { } , \"type\" : \"step\" } ", refusal("EXECUTION_ERROR", "step before reset: call reset first"), false},
		{"a type in escapes", `{"\u0074ype":"\u0073tate"}`, blank, false},
		{"of two types the last", `{"type":"bogus","type":"state"}`, blank, false},
		{"no JSON", `{bad`, refusal("INVALID_JSON", "Invalid JSON: invalid character 'b' looking for beginning of object key string at byte 1"), false},
		{"empty", ``, refusal("INVALID_JSON", "Invalid JSON: unexpected end of JSON input at byte 0"), false},
		{"two values", `{"type":"state"}{}`, refusal("INVALID_JSON", "Invalid JSON: invalid character '{' after top-level value at byte 16"), false},
		{"not a number", `{"type":"step","data":{"priority_score":NaN}}`, refusal("INVALID_JSON", "Invalid JSON: invalid character 'N' looking for beginning of value at byte 40"), false},
		{"too deep", strings.Repeat("[", 10001), refusal("INVALID_JSON", "Invalid JSON: invalid character '[' exceeded max depth at byte 10000"), false},
		{"unknown type", `{"type":"bogus"}`, refusal("UNKNOWN_TYPE", "Unknown message type: bogus"), false},
		{"no type", `{}`, refusal("UNKNOWN_TYPE", "Unknown message type: "), false},
		{"type is null", `{"type":null}`, refusal("UNKNOWN_TYPE", "Unknown message type: null"), false},
		{"type is a list", `{"type":["step"]}`, refusal("UNKNOWN_TYPE", `Unknown message type: ["step"]`), false},
		{"types have capitals", `{"type":"STATE"}`, refusal("UNKNOWN_TYPE", "Unknown message type: STATE"), false},
		{"an answer's type", `{"type":"observation","data":{}}`, refusal("UNKNOWN_TYPE", "Unknown message type: observation"), false},
		{"data of a state", `{"type":"state","data":{}}`, invalid(item("extra_forbidden", at("data"), "Extra inputs are not permitted", map[string]any{})), false},
		{"data of a close", `{"type":"close","data":null}`, invalid(item("extra_forbidden", at("data"), "Extra inputs are not permitted", nil)), false},
		{"step without data", `{"type":"step"}`, invalid(item("missing", at("data"), "Field required", map[string]any{"type": "step"})), false},
		{"mcp without data", `{"type":"mcp"}`, invalid(item("missing", at("data"), "Field required", map[string]any{"type": "mcp"})), false},
		{"step with a list", `{"type":"step","data":[]}`, invalid(item("dict_type", at("data"), dict, []any{})), false},
		{"step with null", `{"type":"step","data":null}`, invalid(item("dict_type", at("data"), dict, nil)), false},
		{"reset with null", `{"type":"reset","data":null}`, invalid(item("dict_type", at("data"), dict, nil)), false},
		{"timeout beside data", `{"timeout_s":1,"type":"step","data":3,"a":2}`, invalid(item("dict_type", at("data"), dict, 3),
			item("extra_forbidden", at("timeout_s"), "Extra inputs are not permitted", 1), item("extra_forbidden", at("a"), "Extra inputs are not permitted", 2)), false},
		{"list", `[]`, refusal("SESSION_ERROR", "a frame is one JSON object"), true},
		{"text", `"state"`, refusal("SESSION_ERROR", "a frame is one JSON object"), true},
		{"null", `null`, refusal("SESSION_ERROR", "a frame is one JSON object"), true},
		{"negative seed", `{"type":"reset","data":{"seed":-1}}`, refusal("EXECUTION_ERROR", "reset: seed -1: Input should be greater than or equal to 0"), false},
		{"mcp that is no call", `{"type":"mcp","data":{}}`, map[string]any{"type": "mcp", "data": map[string]any{"jsonrpc": "2.0", "id": nil,
			"error": map[string]any{"code": -32600, "message": `Invalid request: jsonrpc must be "2.0"; method is missing`, "data": nil}}}, false},
		{"ping in mcp", `{"type":"mcp","data":{"jsonrpc":"2.0","method":"ping","id":"a"}}`, map[string]any{"type": "mcp",
			"data": map[string]any{"jsonrpc": "2.0", "id": "a", "result": map[string]any{}}}, false},
		{"a notification in mcp has an answer, since clients wait for a frame", `{"type":"mcp","data":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
			map[string]any{"type": "mcp", "data": map[string]any{"jsonrpc": "2.0", "id": nil,
				"error": map[string]any{"code": -32601, "message": "Method not found: notifications/initialized", "data": nil}}}, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			ws := r.ws("/ws")
			ws.t = t
			same(t, x.frame, x.want, ws.ask(x.frame))
			if x.end {
				same(t, "close", closing{1000, ""}, ws.end())
				return
			}
			same(t, "state", blank, ws.ask(`{"type":"state"}`))
			object(t, ws.ask(`{"type":"reset"}`))
		})
	}
}

func TestACloseFrameHasNoAnswerButTheClose(t *testing.T) {
	t.Parallel()
	r := start(t)
	ws := r.ws("/ws")
	ws.tell(`{"type":"close"}`)
	same(t, "close", closing{1000, ""}, ws.end())
}

// TestFramesAreAnsweredInTheirOrder sends a whole episode before it reads the first answer.
func TestFramesAreAnsweredInTheirOrder(t *testing.T) {
	t.Parallel()
	r := start(t)
	one, all := r.ws("/ws"), r.ws("/ws")
	var frames []string
	for seed := range 20 {
		frames = append(frames, fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"episode_id":"e"}}`, seed), `{"type":"state"}`, `{bad`)
		for range 9 {
			frames = append(frames, `{"type":"step","data":{"route_category":"spam"}}`)
		}
	}
	go func() {
		for _, f := range frames {
			all.tell(f)
		}
	}()
	for i, f := range frames {
		if want, got := one.ask(f), all.hear(); want != got {
			t.Fatalf("answer %d, to %s: alone %s, in a row %s", i, f, want, got)
		}
	}
}

// TestAnswersOfAWebSocketAreCompactAndInOrder holds the bytes of one episode's shortest answers.
func TestAnswersOfAWebSocketAreCompactAndInOrder(t *testing.T) {
	t.Parallel()
	r := start(t, func(d *server.Deps, _ *server.Options) {
		d.NewEnv = func(triage.Task, triage.Split) (triage.Env, error) {
			return &scripted{step: func(triage.Action) (triage.StepResult, error) {
				return triage.StepResult{Observation: ticketOf("<é>\u2028"), Reward: 0.1, Done: true}, nil
			}}, nil
		}
	})
	ws := r.ws("/ws")
	ws.ask(`{"type":"reset","data":{"episode_id":"x"}}`)
	want := `{"type":"observation","data":{"observation":{"metadata":{},"task":"queue-easy","ticket":{"ticket_id":"TKT-10000","subject":"subject",` +
		`"description":"<é>\u2028","metadata":{"channel":"","customer_tier":"","wait_time_hours":0,"is_escalated":false,"previous_contacts":0,` +
		`"selected_category":"","language":"","attachments":0}},"position":0,"total_tickets":1,"remaining":1,"stats":null,"last_result":null,` +
		`"message":"<é>\u2028"},"reward":0.1,"done":true}}`
	if d := cmp.Diff(want, ws.ask(`{"type":"step","data":{}}`)); d != "" {
		t.Errorf("answer of a step (-want +got):\n%s", d)
	}
}

func TestManyEpisodesOnOneSocket(t *testing.T) {
	t.Parallel()
	r := start(t)
	ws := r.ws("/ws")
	for i := range 40 {
		d := triage.Difficulties()[i%3]
		task := taskOf(t, triage.Queue, d)
		first := object(t, ws.ask(fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"difficulty":%q}}`, i, d)))["data"].(map[string]any)
		same(t, "tickets", task.Tickets, first["observation"].(map[string]any)["total_tickets"])
		for range i % 4 { // left in the middle
			ws.ask(`{"type":"step","data":{}}`)
		}
		same(t, "steps", i%4, object(t, ws.ask(`{"type":"state"}`))["data"].(map[string]any)["step_count"])
	}
}

// TestSessionsDoNotMix plays hundreds of sockets at once, each with its own seed, as a trainer does.
func TestSessionsDoNotMix(t *testing.T) {
	t.Parallel()
	r := start(t)
	const sockets = 600 // over the number from which on a crew answers
	task := taskOf(t, triage.Queue, triage.Easy)
	answers := make(chan error, sockets)
	for i := range sockets {
		ws := r.ws("/ws")
		go func() { answers <- playAlone(t, ws, task, int64(i)) }()
	}
	for range sockets {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

func playAlone(t *testing.T, ws *sock, task triage.Task, seed int64) error {
	e, err := realEnv(task, triage.Train)
	if err != nil {
		return err
	}
	want, err := e.Reset(context.Background(), triage.ResetOptions{Seed: seed})
	frame := fmt.Sprintf(`{"type":"reset","data":{"seed":%d}}`, seed)
	for err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err = ws.conn.Write(ctx, websocket.MessageText, []byte(frame))
		var got []byte
		if err == nil {
			_, got, err = ws.conn.Read(ctx)
		}
		cancel()
		if err != nil {
			return err
		}
		var a struct {
			Data struct{ Observation json.RawMessage }
		}
		if err := json.Unmarshal(got, &a); err != nil {
			return err
		}
		ticket, err := json.Marshal(want.Observation.Queue.Ticket)
		if err != nil {
			return err
		}
		if want.Observation.Queue.Ticket != nil && !strings.Contains(string(got), want.Observation.Queue.Ticket.ID) {
			return fmt.Errorf("seed %d: the ticket is not %s: %s", seed, ticket, got)
		}
		if want.Done {
			return nil
		}
		action := fmt.Sprintf(`{"priority_score":%d}`, seed%100)
		if want, err = e.Step(context.Background(), parsed(t, triage.Queue, action)); err != nil {
			return err
		}
		frame = `{"type":"step","data":` + action + `}`
	}
	return err
}

func TestABinaryFrameEndsTheSession(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/ws", "/mcp"} {
		ws := r.ws(path)
		if err := ws.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"state"}`)); err != nil {
			t.Fatal(err)
		}
		if got := ws.hear(); !strings.Contains(got, "binary") {
			t.Errorf("%s answers %s", path, got)
		}
		same(t, path, closing{1000, ""}, ws.end())
	}
}

func TestATextThatIsNoUTF8ClosesWith1007(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/ws", "/mcp"} {
		for _, text := range []string{"{\"type\":\"state\",\"\xff\":1}", "\xed\xa0\x80", "\xc0\x80", "ends in the middle \xe2\x82"} {
			ws := r.ws(path)
			ws.tell(text)
			same(t, path, closing{1007, "a text frame is not UTF-8"}, ws.end())
		}
	}
	soon(t, "sessions", func() bool { return r.sessions() == 0 })
}

// sessions reads the number of sessions from the metrics.
func (r *rig) sessions() int { return r.metric("triage_sessions") }

// metric reads a number from the metrics; -1 is none.
func (r *rig) metric(name string) int {
	r.t.Helper()
	for line := range strings.Lines(r.do("GET", "/metrics", "").Body) {
		var v int
		if n, _ := fmt.Sscanf(line, name+" %d\n", &v); n == 1 {
			return v
		}
	}
	return -1
}

// soon waits until something holds.
func soon(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: it does not come about", what)
		}
	}
}

// TestAFrameHas16MiB sends the largest one that is taken, and one byte more.
func TestAFrameHas16MiB(t *testing.T) {
	t.Parallel()
	r := start(t)
	frame := func(size int) string {
		head, tail := `{"type":"step","data":{"metadata":{"x":"`, `"}}}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	ws := r.ws("/ws")
	ws.ask(`{"type":"reset","data":{"seed":1}}`)
	same(t, "reward", true, strings.Contains(ws.ask(frame(16<<20)), `"position":1`))
	ws.tell(frame(16<<20 + 1))
	if got := ws.end(); got.Code != 1009 {
		t.Errorf("a frame of a byte more: closed with %+v", got)
	}
	soon(t, "the session ends", func() bool { return r.sessions() == 0 })
}

func TestASocketOfNoRouteIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	for path, want := range map[string]int{"/nowhere": http.StatusNotFound, "/health": 200, "/reset": http.StatusMethodNotAllowed, "/queue": 200} {
		if _, status := r.dial(path); status != want {
			t.Errorf("WS %s: status %d, want %d", path, status, want)
		}
	}
}
