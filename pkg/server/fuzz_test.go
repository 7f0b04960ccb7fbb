package server_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// target is a server for fuzzing, without sockets.
func target(f *testing.F) *server.Server {
	deps, options := outfit(io.Discard, func(d *server.Deps, _ *server.Options) {
		d.Log = slog.New(slog.DiscardHandler)
		d.NewEnv = func(task triage.Task, split triage.Split) (triage.Env, error) {
			if task.Track == triage.Queue {
				return &scripted{}, nil
			}
			return newEnv(task, split) // which merges and asks again
		}
	})
	s := server.New(deps, options)
	f.Cleanup(func() {
		if err := s.Drain(f.Context()); err != nil && f.Context().Err() == nil {
			f.Error(err)
		}
	})
	return s
}

// sound checks what every answer is: JSON in UTF-8 of a size that the question bounds. The handbook, schemas and lists have a size of
// their own.
func sound(t *testing.T, question, answer []byte) map[string]json.RawMessage {
	t.Helper()
	const own, times = 512 << 10, 80
	if len(answer) > own+times*len(question) {
		t.Fatalf("a question of %d bytes has an answer of %d", len(question), len(answer))
	}
	var out map[string]json.RawMessage
	if !utf8.Valid(answer) || json.Unmarshal(answer, &out) != nil {
		t.Fatalf("the answer to %q is no object: %q", question, answer)
	}
	return out
}

// FuzzFrames sends frames to a session in which an episode runs, in pairs.
func FuzzFrames(f *testing.F) {
	s := target(f)
	for _, seed := range []string{`{"type":"reset"}`, `{"type":"reset","data":{"seed":1,"difficulty":"hard","tickets":2,"on_invalid":"empty","handbook":true}}`,
		`{"type":"step","data":{"route_category":"billing","priority_score":"7"}}`, `{"type":"step","data":{"category":"Bug","urgency_days":1.0}}`, `{"type":"state"}`,
		`{"type":"close"}`, `{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/call","params":{"name":"submit_triage","arguments":{}},"id":1}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","method":"notifications/x"}}`, `[]`, `{bad`, "\xff", `{"type":"\ud800"}`, `{"type":"state","type":"step","data":{"\u0000":NaN}}`,
		`{"type":"reset","data":{"episode_id":"\ud800","index":2999}}`} {
		f.Add([]byte(seed), []byte(`{"type":"step","data":{"mood":1}}`), true)
		f.Add([]byte(`{"type":"reset","data":{"on_invalid":"empty"}}`), []byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, desk bool) {
		track := triage.Queue
		if desk {
			track = triage.Desk
		}
		w := server.NewWire(s, track)
		for _, frame := range [][]byte{first, second} {
			if !utf8.Valid(frame) {
				continue // the socket is closed before
			}
			answer, end := w.Frame(frame)
			if len(answer) == 0 {
				if !end {
					t.Fatalf("%q has no answer, and the socket goes on", frame)
				}
				return
			}
			out := sound(t, frame, answer)
			kind := strings.Trim(string(out["type"]), `"`)
			var data map[string]json.RawMessage
			if err := json.Unmarshal(out["data"], &data); err != nil || len(out) != 2 {
				t.Fatalf("%q: %q is no envelope: %v", frame, answer, err)
			}
			members := map[string][]string{"observation": {"observation", "reward", "done"}, "state": {"episode_id", "step_count", "track", "task", "split", "done", "observation"},
				"mcp": {"jsonrpc", "id"}, "error": {"message", "code"}}[kind]
			if members == nil {
				t.Fatalf("%q: the answer has type %q", frame, kind)
			}
			for _, name := range members {
				if data[name] == nil {
					t.Fatalf("%q: %q lacks %s", frame, answer, name)
				}
			}
			if kind == "error" && strings.Contains(string(data["code"]), "VALIDATION") {
				details(t, data["errors"])
			}
			if end && kind != "error" {
				t.Fatalf("%q: the socket ends after %q", frame, answer)
			}
			if end {
				return
			}
		}
	})
}

// details checks a list of what is wrong.
func details(t *testing.T, text json.RawMessage) {
	t.Helper()
	var list []struct {
		Type, Msg string
		Loc       []any
		Input     json.RawMessage
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		t.Fatalf("%q is no list of what is wrong: %v", text, err)
	}
	for _, d := range list {
		if d.Type == "" || d.Msg == "" || d.Loc == nil || d.Input == nil {
			t.Fatalf("%q has an item without type, message, place or value", text)
		}
	}
}

// FuzzBodies sends bodies to the routes of HTTP, with headers that name episodes.
func FuzzBodies(f *testing.F) {
	s := target(f)
	paths := []string{"/reset", "/step", "/desk/reset", "/desk/step", "/web/reset", "/web/step", "/triage/tasks", "/triage/task", "/triage/task_range", "/triage/num_tasks", "/mcp"}
	for i := range paths {
		for _, body := range []string{``, `{}`, `{"seed":1}`, `{"action":{"priority_score":1}}`, `{"action":{"mood":[]},"timeout_s":-1,"episode_id":"x"}`, `{"split":"train","index":-1,"start":1e99}`,
			`[`, "\xff", `{"action":{"\ud800":1}}`, `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`} {
			f.Add(byte(i), []byte(body), "application/json", "")
		}
	}
	f.Add(byte(0), []byte(`{}`), "text/plain", "x")
	f.Add(byte(1), []byte(`{"action":{}}`), `application/json; charset="`, "\x00")
	f.Fuzz(func(t *testing.T, at byte, body []byte, contentType, session string) {
		r := httptest.NewRequest("POST", "http://localhost"+paths[int(at)%len(paths)], strings.NewReader(string(body)))
		r.Header = http.Header{"Content-Type": {contentType}}
		if session != "" {
			r.Header["X-Triage-Session"] = []string{session}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code == http.StatusAccepted {
			return
		}
		out := sound(t, append(body, session...), w.Body.Bytes())
		switch w.Code {
		case http.StatusOK:
		case http.StatusUnprocessableEntity:
			details(t, out["detail"])
		case http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge:
			var text string
			if json.Unmarshal(out["detail"], &text) != nil || text == "" {
				t.Fatalf("%d: %q says nothing", w.Code, w.Body)
			}
		default:
			t.Fatalf("%s %q: status %d: %s", r.URL.Path, body, w.Code, w.Body)
		}
	})
}

// FuzzCalls sends JSON-RPC to a socket and over HTTP.
func FuzzCalls(f *testing.F) {
	s := target(f)
	for _, seed := range []string{`{}`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"\ud800","method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_ticket","arguments":{"x":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_triage","arguments":[],"session_id":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`, `{"jsonrpc":"2.0","id":1,"method":"openenv/session/close","params":{"session_id":[1]}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"\u0000"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}`} {
		f.Add([]byte(seed), []byte(seed), false)
		f.Add([]byte(seed), []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"submit_triage","arguments":{"mood":1}}}`), true)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, post bool) {
		w := server.NewWire(s, triage.Desk)
		w.Frame([]byte(`{"type":"reset","data":{"seed":1}}`))
		for _, call := range [][]byte{first, second} {
			if !utf8.Valid(call) {
				continue
			}
			ask := w.Call
			if post {
				ask = w.Post
			}
			answer, flag := ask(call)
			if len(answer) == 0 {
				if post && !flag || !strings.Contains(string(call), "notifications") && json.Valid(call) && !strings.Contains(string(call), `\`) {
					t.Fatalf("%q has no answer", call)
				}
				continue
			}
			out := sound(t, call, answer)
			if string(out["jsonrpc"]) != `"2.0"` || out["id"] == nil || (out["result"] == nil) == (out["error"] == nil) || len(out) != 3 {
				t.Fatalf("the answer to %q is %q", call, answer)
			}
			if out["error"] == nil {
				continue
			}
			var e struct {
				Code    int
				Message string
				Data    json.RawMessage
			}
			if err := json.Unmarshal(out["error"], &e); err != nil || e.Code == 0 || e.Message == "" || e.Data == nil {
				t.Fatalf("the error of %q is %q", call, out["error"])
			}
		}
	})
}
