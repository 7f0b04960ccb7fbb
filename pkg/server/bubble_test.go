package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
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

func TestAnIdleSocketIsClosedWithAReason(t *testing.T) {
	t.Parallel()
	inBubble(t, func(*server.Deps, *server.Options) {}, func(t *testing.T, b *bubble) {
		quiet, busy := b.listen("/ws"), b.listen("/mcp")
		start := time.Now()
		for range 12 { // thinks for ten minutes between its calls
			time.Sleep(10 * time.Minute)
			busy.tell(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			<-busy.frames
		}
		select {
		case got := <-quiet.closed:
			same(t, "close", closing{1001, "idle for 30m0s"}, got)
		default:
			t.Errorf("the quiet socket is open %s after its last frame", time.Since(start))
		}
		if got := b.sessions(); got != 1 {
			t.Errorf("%d sessions, want that of the busy socket", got)
		}
	})
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

// TestWhatNobodyUsesEnds has a session of JSON-RPC and an episode of HTTP that are used, and others that are not.
func TestWhatNobodyUsesEnds(t *testing.T) {
	t.Parallel()
	inBubble(t, func(_ *server.Deps, o *server.Options) { o.Timeout = time.Minute }, func(t *testing.T, b *bubble) {
		open := func() string {
			_, text := b.get("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`)
			return object(t, text)["result"].(map[string]any)["session_id"].(string)
		}
		begin := func() string {
			_, text := b.get("POST", "/reset", `{}`)
			return object(t, text)["metadata"].(map[string]any)["session"].(string)
		}
		used, unused, played, left := open(), open(), begin(), begin()
		ping := func(id string) string {
			_, text := b.get("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"session_id":"`+id+`"}}`)
			return text
		}
		for range 5 {
			time.Sleep(50 * time.Second)
			same(t, "a session that is used", rpcResult(map[string]any{}), ping(used))
			if status, text := b.get("POST", "/step", `{"action":{}}`, "X-Triage-Session", played); status != 200 {
				t.Errorf("an episode that is played: %d %s", status, text)
			}
		}
		same(t, "a session that is not used", rpcError(-32602, "Unknown session_id: "+unused), ping(unused))
		status, text := b.get("GET", "/state", "", "X-Triage-Session", left)
		same(t, "an episode that was left", []any{409, detail(noSession(left, "queue"))}, []any{status, plain(t, text)})
	})
}

// TestAPeerThatAnswersPingsIsNeverDropped runs with a clock that is not read at even intervals: a caretaker comes late now and then.
func TestAPeerThatAnswersPingsIsNeverDropped(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	n := 0
	late := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		n++
		return time.Now().Add(time.Duration(n*n%97) * time.Millisecond)
	}
	inBubble(t, func(d *server.Deps, o *server.Options) { d.Now, o.Timeout = late, 100*time.Hour }, func(t *testing.T, b *bubble) {
		l := b.listen("/ws")
		time.Sleep(24 * time.Hour)
		l.tell(`{"type":"reset"}`)
		select {
		case <-l.frames:
		case got := <-l.closed:
			t.Errorf("closed: %+v", got)
		}
	})
}

// TestAPeerThatGivesNoSignOfLifeIsDropped has one that takes all and answers nothing, as behind a cable that was pulled.
func TestAPeerThatGivesNoSignOfLifeIsDropped(t *testing.T) {
	t.Parallel()
	inBubble(t, func(*server.Deps, *server.Options) {}, func(t *testing.T, b *bubble) {
		for name, last := range map[string][]byte{"after a frame": frame(fin|textKind, `{"type":"state"}`), "in a frame": frame(textKind, `{"type"`), "at once": nil} {
			conn, err := b.pipes.dial(context.Background(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			w := handshake(t, conn, "/ws")
			w.send(last)
			gone := make(chan time.Duration, 1)
			begun := time.Now()
			go func() {
				_ = conn.SetDeadline(time.Time{})
				_, _ = io.Copy(io.Discard, w.in)
				gone <- time.Since(begun)
			}()
			if took := <-gone; took < 20*time.Second || took > 80*time.Second {
				t.Errorf("%s: dropped after %s", name, took)
			}
			synctest.Wait()
			if got := b.sessions(); got != 0 {
				t.Errorf("%s: %d sessions", name, got)
			}
		}
	})
}

// TestAPeerThatDoesNotReadIsDropped sends frames and never takes the answers: it holds its place for a while, and nobody else's.
func TestAPeerThatDoesNotReadIsDropped(t *testing.T) {
	t.Parallel()
	inBubble(t, func(_ *server.Deps, o *server.Options) { o.MaxSessions = 2 }, func(t *testing.T, b *bubble) {
		conn, err := b.pipes.dial(context.Background(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		w := handshake(t, conn, "/ws")
		go func() {
			for range 10 {
				if _, err := conn.Write(frame(fin|textKind, `{"type":"state"}`)); err != nil {
					return
				}
			}
		}()
		l := b.listen("/ws")
		for range 3 {
			time.Sleep(5 * time.Second)
			l.tell(`{"type":"state"}`)
			<-l.frames
		}
		time.Sleep(2 * time.Minute)
		if got := b.sessions(); got != 1 {
			t.Errorf("%d sessions, want that of the peer that reads", got)
		}
		_ = w
	})
}

// TestAPeerThatStopsInTheMiddleOfTheGoodbyeIsCutOff begins a frame when the server has said that it closes, and sends the rest never.
func TestAPeerThatStopsInTheMiddleOfTheGoodbyeIsCutOff(t *testing.T) {
	t.Parallel()
	inBubble(t, func(*server.Deps, *server.Options) {}, func(t *testing.T, b *bubble) {
		gone := make(chan time.Duration, 20)
		for i := range cap(gone) {
			conn, err := b.pipes.dial(context.Background(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			w := handshake(t, conn, "/ws")
			w.send(frame(fin|textKind, `{"type":"close"}`))
			begun := time.Now()
			go func() {
				_ = conn.SetDeadline(time.Time{})
				_, _ = conn.Write([]byte{fin | byte(i%3), 0x80 | 126, 1, 0, 0, 0, 0, 0, ' '})
			}()
			go func() {
				_, _ = io.Copy(io.Discard, w.in)
				gone <- time.Since(begun)
			}()
		}
		time.Sleep(5 * time.Minute)
		if got := len(gone); got != cap(gone) {
			t.Errorf("%d of %d connections were ended", got, cap(gone))
		}
		for range len(gone) {
			if took := <-gone; took > 30*time.Second {
				t.Errorf("one was ended after %s", took)
			}
		}
	})
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

// TestPingsAreAnsweredWhileAStepRuns asks during a step of ten minutes, and is asked.
func TestPingsAreAnsweredWhileAStepRuns(t *testing.T) {
	t.Parallel()
	eachWay(t, func(d *server.Deps, _ *server.Options) { d.NewEnv = slowly(10 * time.Minute) }, func(t *testing.T, b *bubble) {
		l := b.listen("/ws")
		l.tell(`{"type":"reset"}`)
		<-l.frames
		begun := time.Now()
		l.tell(`{"type":"step","data":{}}`)
		for range 9 {
			time.Sleep(61300 * time.Millisecond) // not when the server asks: pipes have no buffers, and two that speak at once wait for each other
			at := time.Now()
			if err := l.conn.Ping(context.Background()); err != nil || time.Since(at) > 0 {
				t.Fatalf("a ping during a step is answered after %s, error %v", time.Since(at), err)
			}
		}
		if got := <-l.frames; !strings.Contains(got, "stepped") || time.Since(begun) != 10*time.Minute {
			t.Errorf("after %s: %s", time.Since(begun), got)
		}
	})
}

// TestAClientThatLeavesDuringAStepFreesItsPlace also when more frames wait.
func TestAClientThatLeavesDuringAStepFreesItsPlace(t *testing.T) {
	t.Parallel()
	eachWay(t, func(d *server.Deps, _ *server.Options) { d.NewEnv = slowly(10 * time.Second) }, func(t *testing.T, b *bubble) {
		synctest.Wait()
		before := b.sessions()
		for waiting := range 3 {
			l := b.listen("/ws")
			l.tell(`{"type":"reset"}`)
			<-l.frames
			for range 1 + waiting {
				l.tell(`{"type":"step","data":{}}`)
			}
			time.Sleep(time.Second)
			_ = l.conn.CloseNow()
			time.Sleep(time.Duration(20+10*waiting) * time.Second)
			synctest.Wait()
			if got := b.sessions(); got != before {
				t.Errorf("%d frames waiting: %d sessions after the client left", waiting, got)
			}
		}
	})
}

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
