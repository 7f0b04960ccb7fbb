package validate_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// object is JSON that a fake server sends.
type object = map[string]any

// fakeServer is a small OpenEnv server: an environment of three tickets, with faults that tests choose.
type fakeServer struct {
	pages map[string]http.HandlerFunc // in place of the usual ones, by "METHOD /path"
	// answer may change what answers a frame, or give bytes in its place; nil ends the session.
	answer func(s *fakeSession, kind string, reply object) any
	// places is how many sessions there may be at once; 0 means any number. late keeps the place of a session for ever.
	places int
	late   bool
	// closing is the code with which a session without a place is closed; 0 means 1000.
	closing websocket.StatusCode
	// fixed ignores the seed; random ignores it too, and draws; deaf draws only where there is none. shared has one episode for
	// all sessions.
	fixed, random, deaf, shared bool
	refuseSeeds                 bool

	mu    sync.Mutex
	taken int
	draws int
	one   *fakeSession
	heads []http.Header
	sent  []string
}

// fakeSession is an episode of a fake server.
type fakeSession struct {
	seed  uint64
	id    string
	steps int
	left  int
}

func (f *fakeServer) start(t testing.TB) string {
	t.Helper()
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	return srv.URL
}

const fakeAction = `{"type":"object","properties":{"kind":{"enum":["route","close"]},"level":{"type":"integer","minimum":1,"maximum":3},"metadata":{"type":"object"}},"required":["kind"],"additionalProperties":false}`

const fakeObservation = `{"type":"object","properties":{"ticket":{"type":"string","pattern":"^T[0-9]+$"},"remaining":{"type":"integer","minimum":0},"done":{"type":"boolean"},
	"reward":{"anyOf":[{"type":"number"},{"type":"null"}]},"metadata":{"type":"object"}},"required":["ticket","remaining"],"additionalProperties":false}`

// usual are the pages of a server without faults.
var usual = map[string]string{
	"GET /openapi.json": `{"openapi":"3.1.0","info":{"title":"x","version":"1.0.0"},"paths":{"/reset":{},"/step":{},"/state":{},"/health":{}}}`,
	"GET /health":       `{"status":"healthy"}`,
	"GET /metadata":     `{"name":"fake","description":"three tickets","version":null}`,
	"GET /schema":       `{"action":` + fakeAction + `,"observation":` + fakeObservation + `,"state":{"type":"object"}}`,
	"POST /mcp":         `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request","data":null}}`,
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.heads = append(f.heads, r.Header.Clone())
	f.mu.Unlock()
	key := r.Method + " " + r.URL.Path
	if h := f.pages[key]; h != nil {
		h(w, r)
		return
	}
	switch body, ok := usual[key]; {
	case r.URL.Path == "/ws":
		f.socket(w, r)
	case ok:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	default:
		http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
	}
}

func (f *fakeServer) socket(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ctx := r.Context()
	f.mu.Lock()
	full := f.places > 0 && f.taken >= f.places
	if !full {
		f.taken++
	}
	f.mu.Unlock()
	s := &fakeSession{}
	if full {
		f.write(ctx, ws, s, "capacity", failure("CAPACITY_REACHED", "no place"))
		_ = ws.Close(cmp.Or(f.closing, websocket.StatusNormalClosure), "")
		return
	}
	leave := sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.late {
			f.taken--
		}
	})
	defer leave()
	for {
		_, data, err := ws.Read(ctx)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.sent = append(f.sent, string(data))
		if f.shared {
			if f.one == nil {
				f.one = s
			}
			s = f.one
		}
		kind, reply := f.play(s, data)
		f.mu.Unlock()
		if kind == "close" {
			leave()
			_ = ws.Close(websocket.StatusNormalClosure, "")
			return
		}
		if !f.write(ctx, ws, s, kind, reply) {
			return
		}
	}
}

func (f *fakeServer) write(ctx context.Context, ws *websocket.Conn, s *fakeSession, kind string, reply object) bool {
	var out any = reply
	if f.answer != nil {
		f.mu.Lock()
		out = f.answer(s, kind, reply)
		f.mu.Unlock()
	}
	if out == nil {
		return false
	}
	data, ok := out.([]byte)
	if !ok {
		data, _ = json.Marshal(out)
	}
	return ws.Write(ctx, websocket.MessageText, data) == nil
}

func failure(code, message string) object {
	return object{"type": "error", "data": object{"code": code, "message": message}}
}

// play answers a frame as a server without faults does.
func (f *fakeServer) play(s *fakeSession, data []byte) (kind string, reply object) {
	var frame struct {
		Type string
		Data *struct {
			Kind      string
			Seed      *int64
			Level     int
			EpisodeID string `json:"episode_id"`
			NoSuch    any    `json:"no_such_field"`
		}
	}
	if json.Unmarshal(data, &frame) != nil {
		return "bad", failure("INVALID_JSON", "Invalid JSON")
	}
	switch {
	case frame.Type == "reset" && frame.Data != nil && frame.Data.Seed != nil && f.refuseSeeds:
		return "reset", failure("EXECUTION_ERROR", "the server chooses the seeds")
	case frame.Type == "reset":
		*s = fakeSession{id: frame.Data.EpisodeID, left: 3, seed: f.seed(frame.Data.Seed)}
		return "reset", s.shown(nil)
	case frame.Type == "state":
		return "state", object{"type": "state", "data": object{"episode_id": s.id, "step_count": s.steps}}
	case frame.Type == "close":
		return "close", nil
	case frame.Type != "step":
		return "bad", failure("UNKNOWN_TYPE", "Unknown message type")
	case frame.Data == nil || frame.Data.NoSuch != nil || !slices.Contains([]string{"route", "close"}, frame.Data.Kind):
		return "bad", failure("VALIDATION_ERROR", "Invalid message")
	case s.left == 0:
		return "step", failure("EXECUTION_ERROR", "the episode is over")
	}
	s.steps++
	s.left--
	return "step", s.shown(float64(s.draw()%100) / 100)
}

func (f *fakeServer) seed(asked *int64) uint64 {
	f.draws++
	switch {
	case f.fixed || f.deaf && asked != nil:
		return 7
	case f.random || asked == nil:
		return uint64(f.draws) * 1000
	}
	return uint64(*asked)
}

func (s *fakeSession) draw() uint64 { return rand.New(rand.NewPCG(s.seed, uint64(s.steps))).Uint64() }

func (s *fakeSession) shown(reward any) object {
	return object{"type": "observation", "data": object{"reward": reward, "done": s.left == 0,
		"observation": object{"ticket": fmt.Sprintf("T%d", s.draw()%1e6), "remaining": s.left, "metadata": object{}}}}
}

// page answers with a status and a body.
func page(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		} else {
			w.Header()["Content-Type"] = nil
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// instead changes a part of a usual page.
func instead(key, old, new string) http.HandlerFunc {
	if !strings.Contains(usual[key], old) {
		panic(key + " has no " + old)
	}
	return page(200, "application/json", strings.Replace(usual[key], old, new, 1))
}
