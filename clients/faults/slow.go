package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// drip is the time between two bytes of a slow client.
const drip = 400 * time.Millisecond

// dripping writes a text byte by byte on connections that begin with something, until the server ends them, and gives the longest that
// one lived.
func dripping(ctx context.Context, a *arena, n int, begin func() (net.Conn, error), text string, patience time.Duration) (string, error) {
	var longest, alive atomic.Int64
	err := many(n, n, func(int) error {
		conn, err := begin()
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		at := a.sys.now()
		gone := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, conn) // it ends when the server hangs up, or we do
			close(gone)
		}()
		for i := 0; a.sys.now().Sub(at) < patience; i++ {
			if _, err := conn.Write([]byte{text[i%len(text)]}); err != nil {
				break
			}
			select {
			case <-gone:
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(drip):
				continue
			}
			break
		}
		took := a.sys.now().Sub(at)
		longest.Store(max(longest.Load(), took.Milliseconds()))
		if took >= patience {
			alive.Add(1)
		}
		return nil
	})
	if err == nil && alive.Load() > 0 {
		err = fmt.Errorf("%d are open after %s", alive.Load(), patience)
	}
	return fmt.Sprintf("the server hung up after %.1f s at the latest", float64(longest.Load())/1000), err
}

func slowHeaders(ctx context.Context, a *arena) (string, error) {
	return dripping(ctx, a, 300, func() (net.Conn, error) {
		conn, err := a.main.dial(ctx)
		if err == nil {
			_, err = io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
		}
		return conn, err
	}, "x", 14*time.Second)
}

func slowBodies(ctx context.Context, a *arena) (string, error) {
	return dripping(ctx, a, 200, func() (net.Conn, error) {
		conn, err := a.aside.dial(ctx)
		if err == nil {
			_, err = io.WriteString(conn, "POST /reset HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
		}
		return conn, err
	}, " ", 70*time.Second)
}

// slowFrames sends a frame that never ends; pings tell the server nothing while it comes.
func slowFrames(ctx context.Context, a *arena) (string, error) {
	return dripping(ctx, a, 100, func() (net.Conn, error) {
		s, err := a.aside.open(ctx, "/ws")
		if err != nil {
			return nil, err
		}
		_, err = s.Write([]byte{textFrame, 0x80 | 126, 0xff, 0xff, 0, 0, 0, 0})
		return s, err
	}, " ", 70*time.Second)
}

// deaf asks for long answers and reads none of them.
func deaf(ctx context.Context, a *arena) (string, error) {
	const clients, wait = 50, 70 * time.Second
	var longest, alive atomic.Int64
	err := many(clients, clients, func(int) error {
		s, err := a.aside.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		if tcp, ok := s.Conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10)
		}
		at := a.sys.now()
		frame := masked(textFrame, `{"type":"reset","data":{"handbook":true}}`)
		_ = s.SetWriteDeadline(at.Add(wait))
		for {
			if _, err := s.Write(frame); err != nil {
				break
			}
		}
		took := a.sys.now().Sub(at)
		longest.Store(max(longest.Load(), took.Milliseconds()))
		if took >= wait {
			alive.Add(1)
		}
		return nil
	})
	if err == nil && alive.Load() > 0 {
		err = fmt.Errorf("%d are open after %s", alive.Load(), wait)
	}
	return fmt.Sprintf("the server hung up after %.1f s at the latest", float64(longest.Load())/1000), err
}

// silent opens sockets that say nothing more, not even when they are closed.
func silent(ctx context.Context, a *arena) (string, error) {
	const clients = 200
	list := make([]*socket, clients)
	defer closeAll(list)
	err := many(clients, 16, func(i int) (err error) {
		if list[i], err = a.brief.open(ctx, "/ws"); err == nil && i%2 == 0 {
			_, err = list[i].say(a.sys.now(), `{"type":"reset"}`)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	at := a.sys.now()
	err = a.brief.settled(ctx, 0)
	took := a.sys.now().Sub(at)
	for deadline := a.sys.now().Add(15 * time.Second); err == nil && a.brief.figures(ctx).sockets > 0; pause(ctx, 100*time.Millisecond) {
		if a.sys.now().After(deadline) {
			err = errors.New("their sockets stay")
		}
	}
	told := 0
	for _, s := range list {
		if first, payload, e := s.next(a.sys.now()); e == nil && first == closeFrame && strings.Contains(payload, "idle for 3s") {
			told++
		}
	}
	if err == nil && told != clients {
		err = fmt.Errorf("%d of %d were told why", told, clients)
	}
	return fmt.Sprintf("their places were free after %.1f s", took.Seconds()), err
}

// floods sends pings without end, and frames in a row without waiting for answers.
func floods(ctx context.Context, a *arena) (string, error) {
	const pings, frames = 20000, 5000
	err := many(8, 8, func(i int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		one, n, kind := masked(pingFrame, "x"), pings, byte(pongFrame)
		if i%2 == 0 {
			one, n, kind = masked(textFrame, `{"type":"state"}`), frames, textFrame
		}
		go func() {
			for range n / 100 {
				if _, err := s.Write([]byte(strings.Repeat(string(one), 100))); err != nil {
					return
				}
			}
		}()
		for range n {
			first, _, err := s.next(a.sys.now())
			if err != nil || first != kind {
				return fmt.Errorf("an answer of kind %#x, error %w", first, err)
			}
		}
		return nil
	})
	return fmt.Sprintf("%d pings and %d frames on 4 sockets each", pings, frames), errors.Join(err, a.main.settled(ctx, healthySessions))
}

// hugeBodies sends bodies over the limit, with a length and without an end.
func hugeBodies(ctx context.Context, a *arena) (string, error) {
	body := []byte(`{"x":"` + strings.Repeat("x", 5<<20) + `"}`)
	var err error
	for _, path := range []string{"/reset", "/step", "/mcp", "/triage/tasks", "/web/step"} {
		status, text, e := a.main.ask(ctx, "POST", path, body)
		var op *net.OpError // the server may hang up while we send
		if status != 413 && !errors.As(e, &op) {
			err = errors.Join(err, fmt.Errorf("POST %s: status %d, error %w: %.100s", path, status, e, text))
		}
	}
	const clients = 20
	err = errors.Join(err, many(clients, 4, func(int) error {
		conn, err := a.main.dial(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(a.sys.now().Add(patience))
		_, _ = io.WriteString(conn, "POST /step HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
		chunk := "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n"
		for range 1000 {
			if _, err := io.WriteString(conn, chunk); err != nil {
				return nil // hung up, as it should
			}
		}
		return errors.New("64 MiB of a body were taken")
	}))
	return "5 MiB, and without an end", err
}
