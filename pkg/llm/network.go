package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// errStale says that something was learned while the call waited: it is to be asked again, otherwise.
var errStale = errors.New("what is asked for has changed")

// errTimeout is the end of one attempt's time.
var errTimeout = errors.New("no complete answer in time")

// flight is one attempt on its way through the transport.
type flight struct {
	call    *call
	asked   asked
	started time.Time // zero: nothing was sent
	ended   time.Time
	place   place
	tokens  int64 // charged to the pace
	aside   int64 // set aside in the purse
}

type flightKey struct{}

// network is the way to the endpoint under the transport: only what is not kept comes here. A request waits for the first
// call of the client, for its place in flight and for its pace, and then has the time of one attempt.
type network struct{ c *Client }

// RoundTrip sends one request.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	c := n.c
	f, ok := r.Context().Value(flightKey{}).(*flight)
	if !ok {
		return nil, errors.New("request without an attempt")
	}
	if err := n.turn(r.Context(), f, r.ContentLength); err != nil {
		return nil, err
	}
	f.call.networked = true
	f.started = c.o.Now()
	done := c.status.flying(f.call, f.started)
	var once sync.Once
	land := func() {
		once.Do(func() {
			f.ended = c.o.Now()
			done()
			c.o.Limiter.release()
		})
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), c.o.Timeout, errTimeout)
	res, err := c.o.Transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = inTime(ctx, r.Context(), err)
		cancel()
		land()
		return nil, err
	}
	c.heard.Store(true)
	res.Body = &body{ReadCloser: res.Body, ctx: ctx, parent: r.Context(), land: func() { cancel(); land() }}
	return res, nil
}

// turn waits for the call's turn. Without an error it holds a place and has set its cost aside.
func (n network) turn(ctx context.Context, f *flight, size int64) error {
	c := n.c
	ctx, stop := c.alive(ctx)
	defer stop()
	defer c.status.queued()()
	if err := c.gate.enter(ctx, f.call); err != nil {
		return err
	}
	place, err := c.o.Limiter.acquire(ctx)
	if err != nil {
		return err
	}
	f.place = place
	if err := n.ready(ctx, f, size); err != nil {
		c.o.Limiter.release()
		return err
	}
	return nil
}

func (n network) ready(ctx context.Context, f *flight, size int64) error {
	c := n.c
	if c.stale(f) {
		return errStale
	}
	f.tokens = (size+3)/4 + c.outputTokens(pacedOutput)
	if err := c.pace.wait(ctx, f.tokens); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if fatal := c.gate.shut(); fatal != nil { // the context may not have heard of it yet
		return fatal
	}
	if c.stale(f) {
		return errStale
	}
	if c.o.Purse == nil {
		return nil
	}
	f.aside = c.price.Estimate(EstimateTokens(size), max(c.outputTokens(assumedOutput), c.mostOutput.Load()))
	aside := f.aside
	f.aside = 0
	switch ok, err := c.o.Purse.reserve(ctx, aside); {
	case err != nil:
		return err
	case !ok:
		return c.tooDear(aside)
	}
	f.aside = aside
	return nil
}

func (c *Client) outputTokens(assumed int64) int64 {
	if n := c.o.MaxOutputTokens; n > 0 {
		return int64(n)
	}
	return assumed
}

func (c *Client) stale(f *flight) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.asked.generation != c.generation
}

// alive gives a context for waiting: it also ends when a fatal error has stopped the client, with that error as its cause.
func (c *Client) alive(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

// inTime says that an attempt's time is over where that is why it failed.
func inTime(attempt, parent context.Context, err error) error {
	if parent.Err() == nil && errors.Is(context.Cause(attempt), errTimeout) {
		return errTimeout
	}
	return err
}

// body is an answer's body: with its end the attempt gives its place back.
type body struct {
	io.ReadCloser
	ctx, parent context.Context
	land        func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = inTime(b.ctx, b.parent, err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.land()
	return err
}
