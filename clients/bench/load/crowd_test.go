package load_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/clients/bench/load"
)

// game is a server whose episodes have so many steps. A number in fails is the step that is answered with an error frame.
type game struct {
	steps, fails int
	padding      string // in every answer
	mu           sync.Mutex
	seeds        []int
	actions      []string
}

func (g *game) target(t *testing.T) load.Target {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(server.Close)
	return load.Target{Addr: strings.TrimPrefix(server.URL, "http://"), Path: "/ws", Action: `{"priority_score":12}`}
}

func (g *game) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	step, all := 0, 0
	for {
		_, data, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var frame struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal(data, &frame); err != nil {
			_ = conn.Close(websocket.StatusInvalidFramePayloadData, err.Error())
			return
		}
		answer := ""
		if frame.Type == "reset" {
			var options struct{ Seed int }
			_ = json.Unmarshal(frame.Data, &options)
			g.mu.Lock()
			g.seeds = append(g.seeds, options.Seed)
			g.mu.Unlock()
			step = 0
		} else {
			step++
			if all++; all == g.fails || step > g.steps {
				answer = `{"type":"error","data":{"message":"no","code":"EXECUTION_ERROR"}}`
			}
			g.mu.Lock()
			g.actions = append(g.actions, string(frame.Data))
			g.mu.Unlock()
		}
		if answer == "" {
			answer = fmt.Sprintf(`{"type":"observation","data":{"observation":{"ticket":%q},"reward":0.0,"done":%v}}`, g.padding, step == g.steps)
		}
		if conn.Write(r.Context(), websocket.MessageText, []byte(answer)) != nil {
			return
		}
	}
}

func TestACrowdPlaysWholeEpisodesEachFromItsOwnSeed(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 125, 126, 5000, 70_000} { // of all three kinds of lengths
		g := &game{steps: 3, padding: strings.Repeat("x", size)}
		target := g.target(t)
		target.Seed = 100
		crowd, err := load.Open(t.Context(), target, 4, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		got, err := crowd.Steps(7)
		crowd.Close()
		if err != nil {
			t.Fatal(err)
		}
		got.Elapsed = 0
		if diff := cmp.Diff(load.Count{Steps: 28, Episodes: 8}, got); diff != "" {
			t.Errorf("%d bytes: count (-want +got):\n%s", size, diff)
		}
		slices.Sort(g.seeds)
		want := []int{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111}
		if diff := cmp.Diff(want, g.seeds); diff != "" {
			t.Errorf("%d bytes: seeds (-want +got):\n%s", size, diff)
		}
		if i := slices.IndexFunc(g.actions, func(a string) bool { return a != target.Action }); i >= 0 {
			t.Errorf("%d bytes: the server got the action %s; want %s", size, g.actions[i], target.Action)
		}
	}
}

func TestSeedsComeAgain(t *testing.T) {
	t.Parallel()
	g := &game{steps: 1}
	target := g.target(t)
	target.Seeds = 3
	crowd, err := load.Open(t.Context(), target, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Close()
	if _, err := crowd.Steps(5); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 0, 1}, g.seeds); diff != "" {
		t.Errorf("seeds (-want +got):\n%s", diff)
	}
}

func TestAnErrorFrameEndsTheMeasurement(t *testing.T) {
	t.Parallel()
	g := &game{steps: 3, fails: 5}
	crowd, err := load.Open(t.Context(), g.target(t), 2, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Close()
	if _, err := crowd.Play(time.Minute); err == nil || !strings.Contains(err.Error(), "EXECUTION_ERROR") {
		t.Errorf("error %v; want one with the frame", err)
	}
}

func TestTheEndOfTheContextEndsACrowd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	crowd, err := load.Open(ctx, (&game{steps: 3}).target(t), 2, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := crowd.Play(time.Minute); err == nil {
		t.Error("no error; want one of closed connections")
	}
}

func TestAClosedConnectionTellsWhy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			_ = conn.Close(websocket.StatusTryAgainLater, "full up")
		}
	}))
	defer server.Close()
	_, err := load.Open(t.Context(), load.Target{Addr: strings.TrimPrefix(server.URL, "http://"), Path: "/ws"}, 1, time.Now)
	if err == nil || !strings.Contains(err.Error(), "1013 full up") {
		t.Errorf("error %v; want the code and reason of the close", err)
	}
}

func TestAPingIsAnsweredWhileAnAnswerIsAwaited(t *testing.T) {
	t.Parallel()
	pinged := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		if _, _, err := conn.Read(r.Context()); err != nil {
			return
		}
		ctx := conn.CloseRead(r.Context())
		pinged <- conn.Ping(ctx)
		_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"observation","data":{"done":true}}`))
	}))
	defer server.Close()
	answers, err := load.Episode(t.Context(), load.Target{Addr: strings.TrimPrefix(server.URL, "http://"), Path: "/ws"})
	if err := errors.Join(err, <-pinged); err != nil || len(answers) != 1 {
		t.Errorf("%d answers, error %v; want 1 and none", len(answers), err)
	}
}

func TestAServerThatIsNoWebSocketIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := load.Dial(t.Context(), strings.TrimPrefix(server.URL, "http://"), "/ws")
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("error %v; want the status", err)
	}
}
