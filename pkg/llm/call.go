package llm

import (
	"context"
	"errors"
	"slices"
	"time"
)

// call is one call of [Client.Complete] on its way through its attempts.
type call struct {
	c         *Client
	request   Request
	asked     asked // by the last attempt
	attempts  []Attempt
	spent     time.Duration // on attempts and the waits between them
	learned   int           // times that it was asked otherwise
	networked bool          // at least one attempt got as far as the network
}

// maxLearned is how often one call is asked otherwise, at most: once for each field that can be refused, and more.
const maxLearned = 12

func (k *call) run(ctx context.Context) (*Reply, error) {
	var wait time.Duration
	for retries := 0; ; {
		reply, failed, err := k.attempt(ctx, wait)
		wait = 0
		switch {
		case errors.Is(err, errStale):
			continue
		case err != nil:
			return nil, err
		case failed == nil:
			reply.Attempts = k.attempts
			return reply, nil
		}
		if k.learned < maxLearned && k.c.learn(k.asked, failed) {
			k.learned++
			continue
		}
		if failed, wait = k.next(failed, retries); failed.final {
			return nil, failed
		}
		retries++
		if err := k.rest(ctx, wait, failed.Text); err != nil {
			return nil, err
		}
	}
}

// ClosedBudget is how long an address at which nobody has answered yet may refuse connections: a server may be starting, but
// a wrong port is more likely, and is not to cost the whole budget of every call.
const ClosedBudget = time.Minute

// next decides about a failure: it is final, or the call is made again after the wait. The last attempt is at the end of
// the budget.
func (k *call) next(e *Error, retries int) (*Error, time.Duration) {
	switch {
	case !e.retryable():
		return k.final(e), 0
	case e.RetryAfter > k.c.o.MaxWait:
		return k.final(k.c.comeBack(e)), 0
	}
	if e.closed && k.spent >= ClosedBudget && !k.c.heard.Load() {
		e.fatal = true
		return k.final(e), 0
	}
	left := k.c.o.Budget - k.spent
	if left <= 0 || e.RetryAfter > left {
		return k.final(e), 0
	}
	return e, min(max(e.RetryAfter, k.c.backoff(retries)), left)
}

func (k *call) final(e *Error) *Error {
	out := *e
	out.final = true
	out.Attempts = slices.Clone(k.attempts)
	return &out
}

// rest waits before the next attempt.
func (k *call) rest(ctx context.Context, wait time.Duration, why string) error {
	defer k.c.status.retrying(k, k.c.o.Now().Add(wait), why)()
	ctx, stop := k.c.alive(ctx)
	defer stop()
	if err := sleep(ctx, wait); err != nil {
		return err
	}
	k.spent += wait
	return nil
}
