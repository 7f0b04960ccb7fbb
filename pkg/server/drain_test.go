package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/triagebench/triage/pkg/server"
)

// TestAServerThatDrainsFinishesWhatRuns drains during steps over WebSocket and HTTP, which end in time.
func TestAServerThatDrainsFinishesWhatRuns(t *testing.T) {
	t.Parallel()
	eachWay(t, func(d *server.Deps, _ *server.Options) { d.NewEnv = slowly(8 * time.Second) }, func(t *testing.T, b *bubble) {
		l, quiet := b.listen("/ws"), b.listen("/ws")
		l.tell(`{"type":"reset"}`)
		<-l.frames
		_, text := b.get("POST", "/reset", `{}`)
		session := object(t, text)["metadata"].(map[string]any)["session"].(string)
		l.tell(`{"type":"step","data":{}}`)
		stepped := make(chan int, 1)
		go func() {
			status, _ := b.get("POST", "/step", `{"action":{}}`, "X-Triage-Session", session)
			stepped <- status
		}()
		time.Sleep(time.Second)
		begun := time.Now()
		drained := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			drained <- b.srv.Drain(ctx)
		}()
		synctest.Wait()
		same(t, "a socket without a step", closing{1001, "the server is going down"}, <-quiet.closed)
		status, text := b.get("GET", "/health", "")
		same(t, "health", []any{503, map[string]any{"status": "draining"}}, []any{status, plain(t, text)})
		status, text = b.get("POST", "/reset", `{}`)
		same(t, "a reset over HTTP", []any{503, detail("the server is going down")}, []any{status, plain(t, text)})
		if s, status := dial(t, b.client, "ws://localhost/ws"); s != nil || status != 503 {
			t.Errorf("a new socket: status %d", status)
		}
		_, text = b.get("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`)
		same(t, "a new session", map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": -32000, "message": "the server is going down", "data": nil}}, text)
		if got := <-l.frames; !strings.Contains(got, "stepped") {
			t.Errorf("the running step's answer is %s", got)
		}
		same(t, "the socket with a step", closing{1001, "the server is going down"}, <-l.closed)
		same(t, "the step over HTTP", 200, <-stepped)
		if err := <-drained; err != nil || time.Since(begun) != 7*time.Second {
			t.Errorf("drained after %s, error %v", time.Since(begun), err)
		}
	})
}

// TestADrainEndsAtItsLimit has a step that takes too long, and a peer that does not answer the close.
func TestADrainEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(d *server.Deps, _ *server.Options) { d.NewEnv = slowly(time.Minute) }, func(t *testing.T, b *bubble) {
		l := b.listen("/ws")
		l.tell(`{"type":"reset"}`)
		<-l.frames
		l.tell(`{"type":"step","data":{}}`)
		time.Sleep(time.Second)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.srv.Drain(ctx); err == nil || time.Since(begun) != 10*time.Second {
			t.Errorf("drained after %s, error %v", time.Since(begun), err)
		}
		<-l.frames
	})
	inBubble(t, func(*server.Deps, *server.Options) {}, func(t *testing.T, b *bubble) {
		conn, err := b.pipes.dial(context.Background(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		w := handshake(t, conn, "/ws")
		go func() { _, _ = io.Copy(io.Discard, w.in) }()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.srv.Drain(ctx); err != nil || time.Since(begun) > 6*time.Second {
			t.Errorf("with a silent peer it drained after %s, error %v", time.Since(begun), err)
		}
	})
}

// TestSocketsMayComeWhileAServerDrains has many that come at once: each is served to its end, or refused.
func TestSocketsMayComeWhileAServerDrains(t *testing.T) {
	t.Parallel()
	for range 5 {
		deps, options := outfit(io.Discard, func(d *server.Deps, _ *server.Options) { d.Log = slog.New(slog.DiscardHandler) })
		srv := server.New(deps, options)
		web := httptest.NewServer(srv)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					conn, resp, err := websocket.Dial(ctx, web.URL+"/ws", nil) //nolint:bodyclose // the library closes it
					if err != nil {
						if resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
							t.Errorf("dial: %v", err)
						}
						cancel()
						return
					}
					_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"reset"}`))
					for {
						if _, _, err = conn.Read(ctx); err != nil {
							break
						}
						_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"close"}`))
					}
					if code := websocket.CloseStatus(err); code != websocket.StatusGoingAway && code != websocket.StatusNormalClosure {
						t.Errorf("read: %v", err)
					}
					cancel()
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		if err := srv.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
		cancel()
		wg.Wait()
		web.Close()
	}
}
