package server_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/server"
)

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
		time.Sleep(2 * time.Hour)
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
			least, most := 12*time.Minute, 13*time.Minute // a client may think for long without reading
			if name == "in a frame" {
				least, most = time.Minute, 80*time.Second
			}
			if took := <-gone; took < least || took > most {
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
