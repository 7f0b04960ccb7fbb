package server_test

import (
	"strings"
	"testing"
)

// TestTooManyLargeFramesAtOnceAreRefused begins frames of 16 MiB on many sockets: some are taken, the others are told to come later, and
// small frames are answered all the while.
func TestTooManyLargeFramesAtOnceAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	part := strings.Repeat("x", 1100<<10)
	healthy := r.ws("/ws")
	for range 2 { // the second time shows that places come back
		var held []*raw
		codes := make(chan int, 40)
		for range 40 {
			w := r.raw("/ws")
			w.send(append([]byte{textKind, 0x80 | 127, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, part...))
			held = append(held, w)
			object(t, healthy.ask(`{"type":"state"}`))
		}
		for _, w := range held {
			go func() { codes <- w.code() }()
		}
		soon(t, "refusals", func() bool { return r.sessions() == 1+32 && len(codes) == 8 })
		for range 8 {
			if code := <-codes; code != 1013 {
				t.Errorf("one is closed with %d", code)
			}
		}
		for _, w := range held {
			_ = w.conn.Close()
		}
		soon(t, "sessions", func() bool { return r.sessions() == 1 })
		ws := r.ws("/ws")
		if got := ws.ask(`{"type":"step","data":{"metadata":{"x":"` + part + `"}}}`); !strings.Contains(got, "before reset") {
			t.Errorf("a large frame afterwards: %s", got)
		}
		ws.tell(`{"type":"close"}`)
		ws.end()
	}
}
