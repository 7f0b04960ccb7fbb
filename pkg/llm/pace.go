package llm

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// pace holds requests and tokens of a minute under their limits. The zero value has none.
type pace struct {
	now      func() time.Time
	requests *rate.Limiter
	tokens   *rate.Limiter
	head     chan struct{} // holds one: who waits
}

func newPace(rpm, tpm int, now func() time.Time) *pace {
	p := &pace{now: now, head: make(chan struct{}, 1)}
	if rpm > 0 {
		// A burst of 1 spaces the calls evenly: so no window of a minute, wherever it begins, holds more than is allowed.
		p.requests = rate.NewLimiter(rate.Limit(float64(rpm)/60), 1)
	}
	if tpm > 0 {
		// The bucket holds a minute, so that a request may be large and what is given back is not lost, and begins with a
		// sixth of it, so that the first minute is not twice as full as the others.
		p.tokens = rate.NewLimiter(rate.Limit(float64(tpm)/60), tpm)
		p.tokens.ReserveN(now(), tpm-tpm/6)
	}
	return p
}

// wait waits until a request of so many tokens may go. One waits for tokens, the others behind it: so what a reply leaves
// of its estimate shortens their waits too.
func (p *pace) wait(ctx context.Context, tokens int64) error {
	if p.requests == nil && p.tokens == nil {
		return nil
	}
	select {
	case p.head <- struct{}{}:
		defer func() { <-p.head }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var delay time.Duration
	now := p.now()
	if p.requests != nil {
		delay = p.requests.ReserveN(now, 1).DelayFrom(now)
	}
	delay = max(delay, p.charge(now, tokens))
	if delay <= 0 {
		return nil
	}
	if err := sleep(ctx, delay); err != nil {
		p.correct(tokens, 0)
		return err
	}
	return nil
}

// charge takes tokens and tells how long until they are there. A request above the burst is charged in parts, since the
// rate limiter refuses what is above its burst for ever.
func (p *pace) charge(now time.Time, tokens int64) time.Duration {
	var delay time.Duration
	if p.tokens == nil {
		return 0
	}
	for burst := int64(p.tokens.Burst()); tokens > 0; tokens -= burst {
		delay = p.tokens.ReserveN(now, int(min(tokens, burst))).DelayFrom(now)
	}
	return delay
}

// correct replaces what was estimated by what was used: more is charged on top, less is given back.
func (p *pace) correct(estimated, used int64) {
	switch {
	case p.tokens == nil || estimated == used:
	case used > estimated:
		p.charge(p.now(), used-estimated)
	default:
		// A reservation of a negative number of tokens puts them back; the limiter caps them at its burst.
		p.tokens.ReserveN(p.now(), int(used-estimated))
	}
}

// sleep waits for d, or for the end of ctx, whose cause it then gives.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
