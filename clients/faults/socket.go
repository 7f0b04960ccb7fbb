package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// The kinds of frames with the flag of the last piece.
const (
	textFrame  = 0x81
	closeFrame = 0x88
	pingFrame  = 0x89
	pongFrame  = 0x8a
)

// patience is how long an answer may take before it counts as none.
const patience = 15 * time.Second

// socket is a WebSocket of bytes: no library would send what is sent here.
type socket struct {
	net.Conn
	in *bufio.Reader
}

// open opens a WebSocket.
func (t *target) open(ctx context.Context, path string) (*socket, error) {
	conn, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(t.sys.now().Add(patience))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", path)
	s := &socket{conn, bufio.NewReaderSize(conn, 512)}
	if err == nil {
		var resp *http.Response
		if resp, err = http.ReadResponse(s.in, nil); err == nil { //nolint:bodyclose // a handshake has no body
			if resp.StatusCode != http.StatusSwitchingProtocols {
				err = fmt.Errorf("WS %s: %s", path, resp.Status)
			} else if e := resp.Header.Get("Sec-WebSocket-Extensions"); e != "" {
				err = fmt.Errorf("WS %s: the server agrees to %s", path, e)
			}
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return s, nil
}

// masked makes a frame of a client.
func masked(first byte, payload string) []byte {
	out := []byte{first}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	out = append(out, 9, 8, 7, 6)
	at := len(out)
	out = append(out, payload...)
	for i := range out[at:] {
		out[at+i] ^= "\x09\x08\x07\x06"[i%4]
	}
	return out
}

// send sends bytes as they are.
func (s *socket) send(now time.Time, b []byte) error {
	_ = s.SetWriteDeadline(now.Add(patience))
	_, err := s.Write(b)
	return err
}

// next reads a frame.
func (s *socket) next(now time.Time) (first byte, payload string, err error) {
	_ = s.SetReadDeadline(now.Add(patience))
	var head [2]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, "", err
	}
	n := uint64(head[1] & 0x7f)
	if n >= 126 {
		size := make([]byte, map[uint64]int{126: 2, 127: 8}[n])
		if _, err := io.ReadFull(s.in, size); err != nil {
			return 0, "", err
		}
		n = 0
		for _, b := range size {
			n = n<<8 | uint64(b)
		}
	}
	data := make([]byte, n)
	_, err = io.ReadFull(s.in, data)
	return head[0], string(data), err
}

// errClosed says that the server closed the socket.
var errClosed = errors.New("the server closed the socket")

// hear reads the next text and answers pings on the way.
func (s *socket) hear(now time.Time) (string, error) {
	for {
		first, payload, err := s.next(now)
		switch {
		case err != nil:
			return "", err
		case first == textFrame:
			return payload, nil
		case first == pingFrame:
			if err := s.send(now, masked(pongFrame, payload)); err != nil {
				return "", err
			}
		case first == closeFrame:
			_ = s.send(now, masked(closeFrame, payload)) // it may be gone
			return "", fmt.Errorf("%w: %q", errClosed, strings.ToValidUTF8(payload, "?"))
		}
	}
}

// say sends a text and gives the answer.
func (s *socket) say(now time.Time, text string) (string, error) {
	if err := s.send(now, masked(textFrame, text)); err != nil {
		return "", err
	}
	return s.hear(now)
}

// gone reads until the server has ended the connection, and gives the code with which it closed, or 0.
func (s *socket) gone(now time.Time) (code int, err error) {
	for {
		first, payload, err := s.next(now)
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			return code, errors.New("the server keeps the connection")
		}
		if err != nil {
			return code, nil
		}
		if first == closeFrame && len(payload) >= 2 {
			code = int(binary.BigEndian.Uint16([]byte(payload)))
			_ = s.Close()
			return code, nil
		}
	}
}
