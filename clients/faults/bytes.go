package main

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
)

// garbage writes bytes that mean nothing, and beginnings of other protocols, to the port.
func garbage(ctx context.Context, a *arena) (string, error) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100<<10)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	list := []string{string(noise), string(noise[:1]), "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "SSH-2.0-x\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /ws HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "POST /step HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST /step HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "POST /step HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 200<<10) + "\r\n\r\n", "GET /" + strings.Repeat("x", 200<<10) + " HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n",
		"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"}
	const each = 6
	err := many(each*len(list), each*len(list), func(i int) error {
		conn, err := a.main.dial(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(a.sys.now().Add(patience))
		_, _ = io.WriteString(conn, list[i%len(list)]) // the server may hang up
		answer := make([]byte, 12)
		n, _ := conn.Read(answer)
		if text := string(answer[:n]); strings.HasPrefix(text, "HTTP/1.1 5") && !strings.HasPrefix(text, "HTTP/1.1 50") || strings.HasPrefix(text, "HTTP/1.1 500") {
			return fmt.Errorf("%.40q has the answer %q", list[i%len(list)], text)
		}
		return nil
	})
	return fmt.Sprint(each*len(list), " connections"), err
}

// badFrames sends frames that no client may send: each ends its socket.
func badFrames(ctx context.Context, a *arena) (string, error) {
	list := map[string][]byte{
		"unmasked":             {textFrame, 2, '{', '}'},
		"reserved bit 1":       masked(textFrame|0x40, "{}"),
		"reserved bit 2":       masked(textFrame|0x20, "{}"),
		"reserved bit 3":       masked(textFrame|0x10, "{}"),
		"reserved kind":        masked(0x83, "{}"),
		"reserved control":     masked(0x8b, ""),
		"piece of nothing":     masked(0x80, "{}"),
		"text in a text":       append(masked(0x01, "{"), masked(textFrame, "}")...),
		"ping in pieces":       masked(0x09, "x"),
		"long ping":            masked(pingFrame, strings.Repeat("x", 200)),
		"negative length":      {textFrame, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4},
		"length of 1 EiB":      {textFrame, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, '{'},
		"binary":               masked(0x82, `{"type":"state"}`),
		"close of one byte":    masked(closeFrame, "x"),
		"close without a code": masked(closeFrame, ""),
		"no UTF-8":             masked(textFrame, "{\"type\":\"\xff\"}"),
		"half a letter":        masked(textFrame, "{\"type\":\"\xc3"),
		"a surrogate":          masked(textFrame, "{\"type\":\"\xed\xa0\x80\"}"),
		"a list":               masked(textFrame, "[]"),
	}
	var names []string
	for name := range list {
		names = append(names, name)
	}
	const each = 10
	err := many(each*len(names), 16, func(i int) error {
		name := names[i%len(names)]
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		_ = s.send(a.sys.now(), list[name]) // it may be closed before all is sent
		if name == "length of 1 EiB" {
			return nil // it waits for the rest
		}
		if _, err := s.gone(a.sys.now()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	return fmt.Sprint(len(names), " kinds"), errors.Join(err, a.main.settled(ctx, healthySessions))
}

// oddTexts sends texts that are no JSON, or JSON that readers differ on. Each has an answer, and the session goes on.
func oddTexts(ctx context.Context, a *arena) (string, error) {
	deep := strings.Repeat("[", 200000)
	list := []string{`{"type":"step","data":{"priority_score":NaN}}`, `{"type":"step","data":{"priority_score":Infinity}}`, `{"type":"reset","type":"state"}`,
		`{"type":"step","data":{"route_category":"spam","route_category":1e400}}`, `{"type":"reset","data":{"seed":1e400}}`, `{"type":"reset","data":{"seed":-0.0}}`,
		deep, `{"type":"step","data":{"metadata":` + deep + strings.Repeat("]", len(deep)) + `}}`, strings.Repeat(`{"a":`, 100000), `{"type":"step","data":{"metadata":{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}}`,
		`{"type":"\ud800","data":{}}`, `{"type":"step","data":{"\ud800":"\udfff"}}`, `{"type":"reset","data":{"episode_id":"` + strings.Repeat(`\u0000`, 255) + `"}}`, "", " ", "\x00", "nul", `{"type":"step","data":{"recommendation":"` + strings.Repeat("é", 1<<20) + `"}}`,
		`{"type":"` + strings.Repeat("x", 1<<20) + `"}`, `{"` + strings.Repeat("x", 1<<20) + `":1,"type":"state"}`, `{"type":"mcp","data":{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<20) + `","method":"ping"}}`}
	const each = 5
	err := many(each, each, func(int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		for _, text := range list {
			answer, err := s.say(a.sys.now(), text)
			if err != nil {
				return fmt.Errorf("%.60q: %w", text, err)
			}
			if !strings.HasPrefix(answer, `{"type":"`) || len(answer) > 1<<16+2*len(text) {
				return fmt.Errorf("%.60q: %d bytes: %.100s", text, len(answer), answer)
			}
		}
		for _, text := range list { // the same as bodies
			status, answer, err := a.main.ask(ctx, "POST", "/step", []byte(text))
			if err != nil || status >= 500 || status < 300 {
				return fmt.Errorf("POST /step %.60q: status %d, error %w: %.100s", text, status, err, answer)
			}
		}
		_, err = s.say(a.sys.now(), `{"type":"state"}`)
		return err
	})
	return fmt.Sprint(len(list), " texts, on sockets and as bodies"), errors.Join(err, a.main.settled(ctx, healthySessions))
}

// hugeFrames sends the largest frames, larger ones, and beginnings of frames that never come.
func hugeFrames(ctx context.Context, a *arena) (string, error) {
	const largest = 16 << 20
	head, tail := `{"type":"step","data":{"metadata":{"x":"`, `"}}}`
	ok := masked(textFrame, head+strings.Repeat("x", largest-len(head)-len(tail))+tail)
	over := masked(textFrame, strings.Repeat("x", largest+1))
	err := many(6, 2, func(i int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		if i%2 == 0 {
			if _, err := s.Write(ok); err != nil {
				return err
			}
			_, err := s.hear(a.sys.now())
			return err
		}
		go func() { _, _ = s.Write(over) }() // the server does not take it all
		code, err := s.gone(a.sys.now())
		if err == nil && code != 1009 && code != 0 {
			err = fmt.Errorf("a frame of 16 MiB and a byte: closed with %d", code)
		}
		return err
	})
	announced := make([]*socket, 300)
	defer closeAll(announced)
	if err == nil {
		err = many(len(announced), 16, func(i int) (err error) {
			if announced[i], err = a.main.open(ctx, "/ws"); err == nil {
				err = announced[i].send(a.sys.now(), []byte{textFrame, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, '{' ^ 1})
			}
			return err
		})
	}
	grown := a.main.figures(ctx)
	closeAll(announced)
	begun := make([]*socket, 200)
	defer closeAll(begun)
	if err == nil {
		part := append([]byte{textFrame, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, strings.Repeat("x", 15<<20)...)
		err = many(len(begun), 8, func(i int) (err error) {
			if begun[i], err = a.main.open(ctx, "/ws"); err == nil {
				_ = begun[i].send(a.sys.now(), part) // most are told to come later
			}
			return err
		})
	}
	full := a.main.figures(ctx)
	closeAll(begun)
	const bar = 2 << 20
	if err == nil && full.kib > bar {
		err = fmt.Errorf("over %d MiB", bar>>10)
	}
	return fmt.Sprintf("resident %d MiB with %d frames of 16 MiB announced, %d MiB with 15 MiB sent of %d", grown.kib>>10, len(announced), full.kib>>10, len(begun)), errors.Join(err, grown.err, a.main.settled(ctx, healthySessions))
}

// crowds sends objects of a million members, each of which would be an error of its own.
func crowds(ctx context.Context, a *arena) (string, error) {
	var b strings.Builder
	for i := 0; b.Len() < 15<<20; i++ {
		fmt.Fprintf(&b, `,"%x":1`, i)
	}
	crowd := b.String()
	list := []string{`{"type":"state"` + crowd + `}`, `{"type":"step","data":{"a":1` + crowd + `}}`, `{"type":"reset","data":{"a":1` + crowd + `}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_triage","arguments":{"a":1` + crowd + `}}}}`}
	var longest atomic.Int64
	err := many(len(list)*2, 2, func(i int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		at := a.sys.now()
		if _, err := s.Write(masked(textFrame, list[i%len(list)])); err != nil {
			return err
		}
		answer, err := s.hear(a.sys.now())
		longest.Store(max(longest.Load(), a.sys.now().Sub(at).Milliseconds()))
		if len(answer) > 1<<16 {
			return fmt.Errorf("an answer of %d bytes", len(answer))
		}
		return err
	})
	for _, path := range []string{"/step", "/reset", "/mcp", "/triage/task"} {
		body := `{"action":{"a":1` + crowd[:3<<20-3<<20%7] + `}}`
		status, answer, e := a.main.ask(ctx, "POST", path, []byte(body))
		if e != nil || status >= 500 || len(answer) > 1<<16 {
			err = errors.Join(err, fmt.Errorf("POST %s: status %d, %d bytes, error %w", path, status, len(answer), e))
		}
	}
	return fmt.Sprintf("the slowest answer took %d ms", longest.Load()), errors.Join(err, a.main.settled(ctx, healthySessions))
}

// bombs sends compressed data that nobody agreed on.
func bombs(ctx context.Context, a *arena) (string, error) {
	var deflated, zipped bytes.Buffer
	f, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		return "", err
	}
	z := gzip.NewWriter(&zipped)
	zeros := make([]byte, 1<<20)
	for range 100 {
		if _, err := io.MultiWriter(f, z).Write(zeros); err != nil {
			return "", err
		}
	}
	if err := errors.Join(f.Flush(), z.Close()); err != nil {
		return "", err
	}
	err = many(20, 4, func(int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		_ = s.send(a.sys.now(), masked(textFrame|0x40, deflated.String())) // the server hangs up at the first byte
		_, err = s.gone(a.sys.now())
		return err
	})
	for _, path := range []string{"/reset", "/step", "/mcp", "/triage/tasks"} {
		for _, coding := range []string{"gzip", "deflate", "br", "gzip, gzip"} {
			status, text, e := a.main.ask(ctx, "POST", path, zipped.Bytes(), "Content-Encoding", coding)
			if e != nil || status != 415 {
				err = errors.Join(err, fmt.Errorf("POST %s with %s: status %d, error %w: %.100s", path, coding, status, e, text))
			}
		}
	}
	return fmt.Sprintf("100 MiB in %d KiB", deflated.Len()>>10), errors.Join(err, a.main.settled(ctx, healthySessions))
}
