package load

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Client is one WebSocket connection that sends whole frames made beforehand and reads answers into one buffer. It is not for
// use by several goroutines at once, but for Abort.
type Client struct {
	conn   net.Conn
	loose  func() bool // lets go of the context
	in     *bufio.Reader
	answer []byte
}

// Dial connects to ws://addr/path and shakes hands. The end of the context closes the connection, also later.
func Dial(ctx context.Context, addr, path string) (*Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, in: bufio.NewReader(conn), answer: make([]byte, 4096)}
	c.loose = context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := c.handshake(addr, path); err != nil {
		c.Abort()
		return nil, fmt.Errorf("open ws://%s%s: %w", addr, path, err)
	}
	return c, nil
}

func (c *Client) handshake(addr, path string) error {
	_, err := fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, addr)
	if err != nil {
		return err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	_ = answer.Body.Close() // an upgrade has none
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("the server answered %s", answer.Status)
	}
	return nil
}

// Ask writes a frame made by AppendFrame and gives the text that comes back, which is valid until the next call.
func (c *Client) Ask(frame []byte) ([]byte, error) {
	if _, err := c.conn.Write(frame); err != nil {
		return nil, err
	}
	for {
		opcode, payload, err := c.read()
		if err != nil {
			return nil, err
		}
		switch opcode {
		case opText:
			return payload, nil
		case opPing:
			if _, err := c.conn.Write(AppendFrame(nil, opPong, payload)); err != nil {
				return nil, err
			}
		case opPong:
		case opClose:
			return nil, fmt.Errorf("the server closed the connection: %s", closeReason(payload))
		default:
			return nil, fmt.Errorf("a frame of the kind %#x came; whole texts are awaited", opcode)
		}
	}
}

// read takes one frame. The payload is valid until the next call.
func (c *Client) read() (opcode byte, payload []byte, err error) {
	const lengths, two, eight = 2, 126, 127
	head, err := c.in.Peek(lengths)
	if err != nil {
		return 0, nil, err
	}
	opcode, size, skip := head[0], int(head[1]), lengths
	switch size {
	case two:
		skip = lengths + 2
		if head, err = c.in.Peek(skip); err == nil {
			size = int(binary.BigEndian.Uint16(head[lengths:]))
		}
	case eight:
		skip = lengths + 8
		if head, err = c.in.Peek(skip); err == nil {
			size = int(min(binary.BigEndian.Uint64(head[lengths:]), maxAnswer+1))
		}
	}
	if err != nil {
		return 0, nil, err
	}
	if size > maxAnswer {
		return 0, nil, errors.New("an answer of more than 16 MiB came")
	}
	if _, err := c.in.Discard(skip); err != nil {
		return 0, nil, err
	}
	if size > len(c.answer) {
		c.answer = make([]byte, size)
	}
	_, err = io.ReadFull(c.in, c.answer[:size])
	return opcode, c.answer[:size], err
}

// maxAnswer is the longest answer that is read.
const maxAnswer = 16 << 20

func closeReason(payload []byte) string {
	const code = 2
	if len(payload) < code {
		return "no reason given"
	}
	return fmt.Sprintf("code %d %s", binary.BigEndian.Uint16(payload), payload[code:])
}

// Close says goodbye and waits until the server has hung up, at most for the time given.
func (c *Client) Close(now time.Time, patience time.Duration) {
	const normal = 1000
	_ = c.conn.SetDeadline(now.Add(patience)) // a closed connection has no deadline to miss
	if _, err := c.conn.Write(AppendFrame(nil, opClose, binary.BigEndian.AppendUint16(nil, normal))); err == nil {
		_, _ = io.Copy(io.Discard, c.in)
	}
	c.Abort()
}

// Abort ends the connection at once, whatever is under way on it.
func (c *Client) Abort() {
	c.loose()
	_ = c.conn.Close()
}
