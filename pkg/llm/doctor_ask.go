package llm

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"time"
)

// question is one question with the settings that it is asked with.
type question struct {
	messages    []Message
	room        int
	temperature *float64
	seed        *int64
	stop        string
	format      Format // FormatText: for none
}

// outcome is what became of a question: one of the three is set.
type outcome struct {
	reply   *Reply
	failed  *Error
	skipped string // why it was not asked
	learned Learned
}

// verdict gives the finding about a question that has no reply, and whether that is so.
func (o outcome) verdict() (found, advice string, none bool) {
	switch {
	case o.reply != nil:
		return "", "", false
	case o.failed != nil:
		return "the call failed: " + reason(o.failed), hintOf(o.failed), true
	}
	return "not asked, since " + o.skipped, "", true
}

// ask asks a question, and again without what the endpoint refuses. What was learned holds for all later questions.
func (d *doctor) ask(ctx context.Context, q question) outcome {
	c, err := d.client(q)
	if err != nil {
		d.err = err
		return outcome{skipped: "it cannot be asked"}
	}
	out := d.attempts(ctx, c, q)
	d.take(ctx, out)
	return out
}

// take keeps what an outcome tells for the later questions.
func (d *doctor) take(ctx context.Context, out outcome) {
	d.learned = out.learned
	switch {
	case ctx.Err() != nil:
		d.err = context.Cause(ctx)
	case out.reply != nil:
		d.replies = append(d.replies, out.reply)
	case out.failed != nil && out.failed.Fatal() && len(d.replies) > 0: // of the first question more is found out
		d.fatal(out.failed)
	}
}

// client makes a client that asks one question. None of them waits for a first call: the questions come one by one.
func (d *doctor) client(q question) (*Client, error) {
	o := d.o
	o.Transport, o.Learned, o.Store = d.net, d.learned, nil
	o.RPM, o.TPM, o.Limiter = 0, 0, &Limiter{size: 2, allowed: 2}
	o.Temperature, o.Seed, o.MaxOutputTokens, o.Format = q.temperature, q.seed, q.room, q.format
	if q.stop != "" {
		o.ExtraBody = maps.Clone(o.ExtraBody)
		if o.ExtraBody == nil {
			o.ExtraBody = map[string]json.RawMessage{}
		}
		o.ExtraBody[stopField] = object("", []string{q.stop}).Value
	}
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	c.gate.state = gateOpen
	return c, nil
}

// attempts asks one question. It is safe for several goroutines with one client.
func (d *doctor) attempts(ctx context.Context, c *Client, q question) outcome {
	r := Request{Messages: q.messages, Scope: "doctor"}
	if q.format != FormatText {
		r.Schema, r.SchemaName = json.RawMessage(colourSchema), "colour"
	}
	k := &call{c: c, request: r}
	var wait time.Duration
	for asked, again := 0, 0; ; {
		if d.stopped != "" {
			return outcome{skipped: d.stopped, learned: c.Learned()}
		}
		reply, failed, err := k.attempt(ctx, wait)
		wait = 0
		switch {
		case errors.Is(err, errStale):
			continue
		case errors.Is(err, errEnough) || failed != nil && d.net.refused():
			return outcome{skipped: errEnough.Error(), learned: c.Learned()}
		case err != nil:
			return outcome{skipped: err.Error(), learned: c.Learned()}
		case failed == nil:
			return outcome{reply: reply, learned: c.Learned()}
		}
		if asked < maxLearned && c.learn(k.asked, failed) {
			asked++
			continue
		}
		if failed.RetryAfter > c.o.MaxWait && failed.retryable() {
			failed = c.comeBack(failed)
		}
		if again == 1 || !d.again(failed) {
			return outcome{failed: failed, learned: c.Learned()}
		}
		again++
		wait = max(failed.RetryAfter, c.backoff(again))
		if err := sleep(ctx, wait); err != nil {
			return outcome{skipped: err.Error(), learned: c.Learned()}
		}
	}
}

// again tells whether a question that failed is asked once more: it is where the endpoint asks for a wait. After the
// first reply it is for every passing trouble, but not where time ran out, since that would take as long again.
func (d *doctor) again(e *Error) bool {
	if !e.retryable() {
		return false
	}
	return e.Kind == KindLimited || len(d.replies) > 0 && e.Kind != KindTimeout
}

// reason says in a line why a call failed.
func reason(e *Error) string {
	text := string(e.Kind)
	if e.Status != 0 {
		text = "status " + strconv.Itoa(e.Status)
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}
