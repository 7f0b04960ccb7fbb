package fakellm

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// send writes a whole answer.
func (c *call) send(a answer) {
	c.note(a.status, a.body)
	c.begin(a, len(a.body))
	_, _ = c.w.Write([]byte(a.body)) // a client that is gone has no use for it
}

// note records what goes out.
func (c *call) note(status int, body string) {
	c.record(func(e *Seen) { e.Status, e.Reply = status, []byte(body) })
}

// begin writes status and headers.
func (c *call) begin(a answer, length int) {
	h := c.w.Header()
	h["Content-Type"] = []string{jsonType}
	h["Content-Length"] = []string{strconv.Itoa(length)}
	for _, x := range a.headers {
		h.Set(x[0], x[1])
	}
	c.w.WriteHeader(a.status)
}

// wait waits and tells whether nobody ended the wait: client and server may. Less than 0 waits for them alone.
func (c *call) wait(d time.Duration) bool {
	var after <-chan time.Time
	if d >= 0 {
		after = c.s.o.After(d)
	}
	select {
	case <-after:
		return true
	case <-c.r.Context().Done():
	case <-c.s.done:
	}
	return false
}

// abort closes the connection without another byte.
func (c *call) abort() { panic(http.ErrAbortHandler) }

// reset resets the connection, where it is one; elsewhere it is closed.
func (c *call) reset() {
	if h, ok := c.w.(resetter); ok {
		h.reset()
	}
	if h, ok := c.w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // what is not sent is thrown away, and the other end is told so
			}
			_ = conn.Close() // it is meant to break
			return
		}
	}
	c.abort()
}

// cut sends half of the body under the length of the whole.
func (c *call) cut(a answer) {
	half := a.body[:len(a.body)/2]
	c.note(a.status, half)
	c.begin(a, len(a.body))
	_, _ = c.w.Write([]byte(half)) // it is to break anyway
	c.flush()
	c.abort()
}

// slowly sends the body in pieces that take d together.
func (c *call) slowly(a answer, d time.Duration) {
	const pieces = 10
	c.note(a.status, a.body)
	c.begin(a, len(a.body))
	for i := range pieces {
		if !c.wait(d / pieces) {
			c.abort()
		}
		_, _ = c.w.Write([]byte(a.body[len(a.body)*i/pieces : len(a.body)*(i+1)/pieces])) // as in send
		c.flush()
	}
}

func (c *call) flush() {
	if f, ok := c.w.(http.Flusher); ok {
		f.Flush()
	}
}
