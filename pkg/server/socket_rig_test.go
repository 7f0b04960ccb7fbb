package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// sock is a client's end of a WebSocket.
type sock struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial opens a WebSocket, or gives the status of the refusal; headers come in pairs.
func (r *rig) dial(path string, headers ...string) (*sock, int) {
	r.t.Helper()
	return dial(r.t, r.web.Client(), "ws"+strings.TrimPrefix(r.web.URL, "http")+path, headers...)
}

func dial(t testing.TB, client *http.Client, address string, headers ...string) (*sock, int) {
	t.Helper()
	o := &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{}}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			o.Host = headers[i+1]
			continue
		}
		o.HTTPHeader.Add(headers[i], headers[i+1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, address, o) //nolint:bodyclose // the library closes it
	if err != nil {
		if resp == nil {
			t.Fatalf("dial %s: %v", address, err)
		}
		return nil, resp.StatusCode
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &sock{t, conn}, http.StatusSwitchingProtocols
}

// ws opens a WebSocket.
func (r *rig) ws(path string, headers ...string) *sock {
	r.t.Helper()
	s, status := r.dial(path, headers...)
	if s == nil {
		r.t.Fatalf("WS %s: status %d", path, status)
	}
	return s
}

// tell sends a text frame.
func (s *sock) tell(frame string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
		s.t.Fatalf("send %.100s: %v", frame, err)
	}
}

// hear gives the next frame.
func (s *sock) hear() string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	kind, data, err := s.conn.Read(ctx)
	if err != nil {
		s.t.Fatalf("receive: %v", err)
	}
	if kind != websocket.MessageText {
		s.t.Fatalf("a binary frame came: %.100s", data)
	}
	return string(data)
}

// ask sends a frame and gives the answer.
func (s *sock) ask(frame string) string {
	s.t.Helper()
	s.tell(frame)
	return s.hear()
}

// end waits for the server to close and gives what it said.
func (s *sock) end() closing {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, data, err := s.conn.Read(ctx)
	if err == nil {
		s.t.Fatalf("the server was to close, and said %.300s", data)
	}
	var closed websocket.CloseError
	if !errors.As(err, &closed) {
		s.t.Fatalf("the server was to close: %v", err)
	}
	return closing{int(closed.Code), closed.Reason}
}

// closing is how a socket was closed.
type closing struct {
	Code   int
	Reason string
}

// refusal is an error frame.
func refusal(code, message string, more ...any) map[string]any {
	data := map[string]any{"code": code, "message": message}
	for i := 0; i+1 < len(more); i += 2 {
		data[more[i].(string)] = more[i+1]
	}
	return map[string]any{"type": "error", "data": data}
}
