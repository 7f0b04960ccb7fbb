package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/triagebench/triage/pkg/triage"
)

// Options say how a server is spoken to. The zero value is a server without tokens.
type Options struct {
	// Token is sent as a bearer token; empty for none.
	Token string
	// Header are further headers of the handshake.
	Header http.Header
	// Split is the split of resets that name none; empty leaves the choice to the server.
	Split triage.Split
	// ServerSeeds says that the server chooses the tickets, as a sealed one does: resets send no seed.
	ServerSeeds bool
	// Timeout bounds the handshake and each answer; 0 means a minute.
	Timeout time.Duration
	// HTTPClient makes the handshake; nil means the default one. Its own timeout is not used.
	HTTPClient *http.Client
}

const (
	defaultTimeout = time.Minute
	// MaxFrame is the longest frame that is read, in bytes.
	MaxFrame = 1 << 20
	// goodbye is how long a session waits for the server to close too.
	goodbye = 2 * time.Second
)

func (o *Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return defaultTimeout
}

// Headers gives the headers of a request: those that were asked for, and the token.
func (o *Options) Headers() http.Header {
	h := o.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if o.Token != "" {
		h.Set("Authorization", "Bearer "+o.Token)
	}
	return h
}

// Conn is a session: frames out, frames in. It answers the server's pings while nobody waits for a frame. One caller at a
// time may use it; Close may be called at any time.
type Conn struct {
	ws      *websocket.Conn
	timeout time.Duration
	frames  chan []byte
	stop    context.CancelFunc
	once    sync.Once
	err     error // why there are no more frames; set before frames is closed
}

// Open begins a session at the address of a WebSocket. Errors have CodeUnavailable; a [*Refused] is among their causes
// where the server answered, but with no session.
func Open(ctx context.Context, address string, o Options) (*Conn, error) {
	dial, cancel := context.WithTimeout(ctx, o.timeout())
	defer cancel()
	ws, resp, err := websocket.Dial(dial, address, &websocket.DialOptions{HTTPClient: untimed(o.HTTPClient), HTTPHeader: o.Headers()}) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, unavailable("connect to "+plainURL(address), handshake(resp, err))
	}
	ws.SetReadLimit(MaxFrame)
	read, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &Conn{ws: ws, timeout: o.timeout(), frames: make(chan []byte, 1), stop: stop}
	go c.receive(read)
	return c, nil
}

// untimed takes the time limit out of a client: it would end the session.
func untimed(c *http.Client) *http.Client {
	if c == nil || c.Timeout == 0 {
		return c
	}
	out := *c
	out.Timeout = 0
	return &out
}

// receive reads until the session ends, so that pings are answered at any time.
func (c *Conn) receive(ctx context.Context) {
	defer close(c.frames)
	for {
		kind, data, err := c.ws.Read(ctx)
		if err == nil && kind != websocket.MessageText {
			err = errBinary
		}
		if err != nil {
			c.err = err
			return
		}
		select {
		case c.frames <- data:
		case <-ctx.Done():
			c.err = ctx.Err()
			return
		}
	}
}

var errBinary = errors.New("a binary frame, where text is due")

// Exchange sends a frame and gives the next one that comes. When no answer comes in time or ctx ends, the session ends too:
// a late answer would be taken for that of the next frame. Errors have CodeUnavailable.
func (c *Conn) Exchange(ctx context.Context, frame []byte) ([]byte, error) {
	write, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := c.ws.Write(write, websocket.MessageText, frame); err != nil {
		defer c.abort()
		if write.Err() != nil {
			return nil, unavailable("send", late(write, c.timeout))
		}
		return c.lastWords(ctx, err)
	}
	return c.Receive(ctx)
}

// parting is how long a failed write waits for what the server said before it ended the session.
const parting = 200 * time.Millisecond

// lastWords gives what a server sent unasked before it ended the session, or why it did, or the error of the write that
// found out.
func (c *Conn) lastWords(ctx context.Context, err error) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	select {
	case data, ok := <-c.frames:
		if ok {
			return data, nil
		}
		err = c.err
	case <-ctx.Done():
	}
	return nil, unavailable("send", plainly(err))
}

// Receive gives the next frame.
func (c *Conn) Receive(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	select {
	case data, ok := <-c.frames:
		if !ok {
			c.abort()
			return nil, unavailable("receive", plainly(c.err))
		}
		return data, nil
	case <-ctx.Done():
		c.abort()
		return nil, unavailable("receive", late(ctx, c.timeout))
	}
}

// late says whose limit it was that ended a wait.
func late(ctx context.Context, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s: %w", limit, ctx.Err())
	}
	return ctx.Err()
}

// told is an error in other words.
type told struct {
	text string
	err  error
}

func (t told) Error() string { return t.text }
func (t told) Unwrap() error { return t.err }

// plainly says in words that the server ended the session, or that a frame was too long.
func plainly(err error) error {
	var closed websocket.CloseError
	var request *url.Error
	switch {
	case errors.As(err, &closed) && closed.Reason != "":
		return told{fmt.Sprintf("the server ended the session (%d): %s", closed.Code, closed.Reason), err}
	case errors.As(err, &closed):
		return told{fmt.Sprintf("the server ended the session (%d)", closed.Code), err}
	case errors.Is(err, websocket.ErrMessageTooBig):
		return told{fmt.Sprintf("a frame of more than %d bytes", MaxFrame), err}
	case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET):
		return told{"the connection was dropped", err}
	case errors.As(err, &request):
		return request.Err
	}
	return err
}

// CloseCode is the code with which the server closed the session, or -1 if an error does not tell of that.
func CloseCode(err error) int { return int(websocket.CloseStatus(err)) }

// abort ends the session without ceremony.
func (c *Conn) abort() {
	c.once.Do(func() {
		c.stop()
		_ = c.ws.CloseNow() // there is nobody left to tell
	})
}

// Close ends the session and tells the server so. It is safe to call it more than once.
func (c *Conn) Close() {
	c.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		defer cancel()
		if c.ws.Write(ctx, websocket.MessageText, []byte(`{"type":"close"}`)) == nil {
			for range c.until(ctx) { // frames that nobody will read any more
			}
		}
		c.stop()
		_ = c.ws.CloseNow() // the server has closed, or will find out
	})
}

// until gives the frames that come before ctx ends.
func (c *Conn) until(ctx context.Context) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for {
			select {
			case data, ok := <-c.frames:
				if !ok || !yield(data) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Refused is an answer to a handshake that is no session.
type Refused struct {
	Status int // of HTTP
	Detail string
}

// Error gives the status and what the server said.
func (r *Refused) Error() string {
	out := fmt.Sprintf("the server answers %d %s", r.Status, http.StatusText(r.Status))
	if r.Detail != "" {
		out += ": " + r.Detail
	}
	return out
}

// handshake says why there is no session.
func handshake(resp *http.Response, err error) error {
	if resp == nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return plainly(err)
	}
	var text []byte
	if resp.Body != nil {
		text, _ = io.ReadAll(io.LimitReader(resp.Body, maxDetail)) // what can be had of it
	}
	return &Refused{Status: resp.StatusCode, Detail: detailText(text)}
}

// maxDetail is how much of a refusal is read.
const maxDetail = 1024

// plainURL is an address without a password.
func plainURL(address string) string {
	a, err := ParseAddress(address)
	if err != nil {
		return strings.ToValidUTF8(address, "\ufffd")
	}
	return a.String()
}

func unavailable(doing string, err error) error {
	return &triage.Error{Code: triage.CodeUnavailable, Message: doing, Err: err}
}
