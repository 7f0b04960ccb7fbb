package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// pipes is a listener whose connections are in memory, so that a bubble's clock runs when all wait.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7860} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// bubble is a server in a bubble of testing/synctest.
type bubble struct {
	t      *testing.T
	srv    *server.Server
	web    *http.Server
	pipes  *pipes
	client *http.Client
}

// inBubble runs a test with a server whose clock is the bubble's.
func inBubble(t *testing.T, tweak tweak, test func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		deps, options := outfit(io.Discard, func(d *server.Deps, _ *server.Options) {
			d.NewEnv = func(triage.Task, triage.Split) (triage.Env, error) { return &scripted{}, nil }
			d.Log = slog.New(slog.DiscardHandler)
		}, tweak)
		b := &bubble{t: t, srv: server.New(deps, options), pipes: &pipes{conns: make(chan net.Conn), done: make(chan struct{})}}
		b.web = b.srv.HTTPServer(nil)
		b.client = &http.Client{Transport: &http.Transport{DialContext: b.pipes.dial, DisableKeepAlives: true}}
		go func() { _ = b.web.Serve(b.pipes) }()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			if err := b.srv.Drain(ctx); err != nil {
				t.Errorf("drain: %v", err)
			}
			_ = b.web.Close()
			b.client.CloseIdleConnections()
		})
		test(t, b)
	})
}

// listener is a client that reads all the time, and answers pings with it.
type listener struct {
	*sock
	frames chan string
	closed chan closing
}

// listen opens a WebSocket.
func (b *bubble) listen(path string) *listener {
	b.t.Helper()
	s, status := dial(b.t, b.client, "ws://localhost"+path)
	if s == nil {
		b.t.Fatalf("WS %s: status %d", path, status)
	}
	l := &listener{s, make(chan string, 10), make(chan closing, 1)}
	go func() {
		for {
			_, data, err := s.conn.Read(context.Background())
			if err != nil {
				var c websocket.CloseError
				if ce := websocket.CloseStatus(err); ce >= 0 {
					c.Code = ce
					_, c.Reason, _ = strings.Cut(err.Error(), "reason = ")
				}
				l.closed <- closing{int(c.Code), strings.Trim(c.Reason, `"`)}
				return
			}
			l.frames <- string(data)
		}
	}()
	return l
}

// get asks over HTTP.
func (b *bubble) get(method, path, body string, headers ...string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (b *bubble) sessions() int {
	_, text := b.get("GET", "/metrics", "")
	_, rest, _ := strings.Cut(text, "\ntriage_sessions ")
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// slowly makes environments whose steps take a while.
func slowly(took time.Duration) func(triage.Task, triage.Split) (triage.Env, error) {
	return func(triage.Task, triage.Split) (triage.Env, error) {
		return &scripted{step: func(triage.Action) (triage.StepResult, error) {
			time.Sleep(took)
			return triage.StepResult{Observation: ticketOf("stepped")}, nil
		}}, nil
	}
}

// eachWay runs a test with few sockets, whose readers answer themselves, and with so many that a crew answers.
func eachWay(t *testing.T, tweak tweak, test func(t *testing.T, b *bubble)) {
	for name, others := range map[string]int{"few": 0, "many": 513} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, tweak, func(t *testing.T, b *bubble) {
				for range others {
					b.listen("/desk/ws")
				}
				test(t, b)
			})
		})
	}
}
