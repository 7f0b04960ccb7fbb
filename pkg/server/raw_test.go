package server_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The kinds of frames of RFC 6455 with their flags.
const (
	fin      = 0x80
	textKind = 1
	binKind  = 2
	endKind  = 8
	pingKind = 9
	pongKind = 10
)

// raw is a WebSocket of bytes, for what no library would send.
type raw struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

// raw does the handshake on a connection.
func (r *rig) raw(path string) *raw {
	r.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.web.URL, "http://"))
	if err != nil {
		r.t.Fatal(err)
	}
	return handshake(r.t, conn, path)
}

func handshake(t testing.TB, conn net.Conn, path string) *raw {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n", path)
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil) //nolint:bodyclose // a handshake has no body
	if err != nil {
		t.Fatal(err)
	}
	if h := resp.Header; resp.StatusCode != http.StatusSwitchingProtocols || h.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" ||
		h.Get("Sec-WebSocket-Extensions") != "" {
		t.Fatalf("handshake: %s, %v", resp.Status, h)
	}
	return &raw{t, conn, in}
}

// frame makes a masked frame.
func frame(first byte, payload string) []byte {
	out := []byte{first}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	mask := [4]byte{1, 2, 3, 4}
	out = append(out, mask[:]...)
	for i := range len(payload) {
		out = append(out, payload[i]^mask[i%4])
	}
	return out
}

// send writes bytes as they are; the server may have closed already.
func (w *raw) send(b []byte) {
	_ = w.conn.SetWriteDeadline(time.Now().Add(patience))
	_, _ = w.conn.Write(b)
}

// next reads a frame of the server.
func (w *raw) next() (first byte, payload string, err error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	var head [2]byte
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return 0, "", err
	}
	n := uint64(head[1] & 0x7f)
	switch n {
	case 126:
		var b [2]byte
		if _, err := io.ReadFull(w.in, b[:]); err != nil {
			return 0, "", err
		}
		n = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		if _, err := io.ReadFull(w.in, b[:]); err != nil {
			return 0, "", err
		}
		n = binary.BigEndian.Uint64(b[:])
	}
	data := make([]byte, n)
	_, err = io.ReadFull(w.in, data)
	return head[0], string(data), err
}

// want reads a frame and compares its kind.
func (w *raw) want(kind byte) string {
	w.t.Helper()
	first, payload, err := w.next()
	if err != nil || first != fin|kind {
		w.t.Fatalf("frame %#x came, error %v: %.300s", first, err, payload)
	}
	return payload
}

// code reads on until the socket ends, and gives the code with which it was closed, or 0.
func (w *raw) code() int {
	for {
		first, payload, err := w.next()
		if err != nil {
			return 0
		}
		if first == fin|endKind && len(payload) >= 2 {
			return int(binary.BigEndian.Uint16([]byte(payload)))
		}
	}
}

// TestAFrameInPiecesIsOneFrame cuts frames, also inside a letter, and asks between the pieces whether the peer lives.
func TestAFrameInPiecesIsOneFrame(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, text := range []string{`{"type":"state"}`, `{"type":"step","data":{"recommendation":"Überprüfen 日本 🙂"}}`} {
		want := r.ws("/ws").ask(text)
		w := r.raw("/ws")
		w.send(frame(textKind, ""))
		for i := range len(text) {
			w.send(frame(0, text[i:i+1]))
			if i%7 == 0 {
				w.send(frame(fin|pingKind, fmt.Sprint(i)))
				same(t, "pong", fmt.Sprint(i), w.want(pongKind))
			}
		}
		w.send(frame(fin, ""))
		if got := w.want(textKind); got != want {
			t.Errorf("%s in pieces: %s, whole: %s", text, got, want)
		}
	}
}

// TestAHostileFrameEndsItsSocketAndNoOther sends what no client may send.
func TestAHostileFrameEndsItsSocketAndNoOther(t *testing.T) {
	t.Parallel()
	r := start(t)
	healthy := r.ws("/ws")
	healthy.ask(`{"type":"reset","data":{"seed":1}}`)
	state := healthy.ask(`{"type":"state"}`)
	unmasked := []byte{fin | textKind, 2, '{', '}'}
	long := make([]byte, 126)
	for name, x := range map[string]struct {
		bytes []byte
		code  int // 0: only the connection ends
	}{
		"unmasked":                           {unmasked, 0},
		"reserved bit 1, as if compressed":   {frame(fin|0x40|textKind, "\xaa\x56\x2a\xa9"), 1002},
		"reserved bit 2":                     {frame(fin|0x20|textKind, "{}"), 1002},
		"reserved bit 3":                     {frame(fin|0x10|textKind, "{}"), 1002},
		"reserved kind":                      {frame(fin|3, "{}"), 1002},
		"reserved control kind":              {frame(fin|11, ""), 1002},
		"a piece of nothing":                 {frame(fin, "{}"), 1002},
		"text in the middle of a text":       {append(frame(textKind, "{"), frame(fin|textKind, "}")...), 1002},
		"a ping in pieces":                   {frame(pingKind, "x"), 1002},
		"a ping of 126 bytes":                {frame(fin|pingKind, string(long)), 1002},
		"a length with the top bit set":      {[]byte{fin | textKind, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 0},
		"a close of one byte":                {frame(fin|endKind, "x"), 1002},
		"a close with a code that is no one": {frame(fin|endKind, "\x03\xe7"), 1002},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := r.raw("/ws")
			w.t = t
			w.send(x.bytes)
			if got := w.code(); got != x.code {
				t.Errorf("closed with %d, want %d", got, x.code)
			}
		})
	}
	t.Cleanup(func() {
		if got := healthy.ask(`{"type":"state"}`); got != state {
			t.Errorf("the healthy session's state is %s, was %s", got, state)
		}
		soon(t, "sessions", func() bool { return r.sessions() == 1 })
	})
}

// TestAConnectionThatEndsInAFrameEndsItsSession announces frames of 16 MiB and hangs up.
func TestAConnectionThatEndsInAFrameEndsItsSession(t *testing.T) {
	t.Parallel()
	r := start(t)
	for range 50 {
		w := r.raw("/ws")
		w.send([]byte{fin | textKind, 0x80 | 127, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, '{'})
		_ = w.conn.Close()
	}
	soon(t, "sessions", func() bool { return r.sessions() == 0 })
	soon(t, "sockets", func() bool { return r.metric("triage_websockets") == 0 })
}
