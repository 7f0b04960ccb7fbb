package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/coder/websocket"
)

// echo answers WebSocket frames with answers made beforehand: what the library and the kernel cost without a server's work.
type echo struct {
	frames [][]byte // of an episode: that of the reset first
}

// echoMain is the command "bench echo".
func echoMain(ctx context.Context, sys system, args []string) error {
	f := flag.NewFlagSet("bench echo", flag.ContinueOnError)
	f.SetOutput(sys.err)
	file := f.String("frames", "", "`file` of the answers of an episode, one a line")
	if err := f.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	e := &echo{frames: bytes.Split(bytes.TrimSpace(data), []byte("\n"))}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: e.handler()} //nolint:gosec // no timeouts: it is measured bare
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if _, err := fmt.Fprintf(sys.out, "Listening on http://%s\n", l.Addr()); err != nil {
		return err
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (e *echo) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // the library has answered
		}
		go e.session(conn) // without the handler's stack and request, as ours
	})
	return mux
}

// session answers until the peer goes: the first frame of the episode to a reset, the next one to each step.
func (e *echo) session(conn *websocket.Conn) {
	defer func() { _ = conn.CloseNow() }()
	ctx := context.Background()
	reset := []byte(`{"type":"reset"`)
	var in [1024]byte
	at := 0
	for {
		_, r, err := conn.Reader(ctx)
		if err != nil {
			return
		}
		n, err := io.ReadFull(r, in[:])
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			return // a longer frame, or none
		}
		if bytes.HasPrefix(in[:n], reset) {
			at = 0
		} else {
			at = (at + 1) % len(e.frames)
		}
		if conn.Write(ctx, websocket.MessageText, e.frames[at]) != nil {
			return
		}
	}
}
