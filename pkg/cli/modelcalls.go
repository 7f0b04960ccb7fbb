package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/results"
)

// tallied counts the calls of a row.
type tallied struct {
	client *llm.Client
	calls  *results.Calls
	agent  string
}

var _ agent.Completer = (*tallied)(nil)

// Complete asks the client and counts the call.
func (c *tallied) Complete(ctx context.Context, r llm.Request) (*llm.Reply, error) {
	reply, err := c.client.Complete(ctx, r)
	task, _, _ := strings.Cut(r.Scope, "/")
	call := results.Call{Agent: c.agent, Task: task, Scope: r.Scope, Attempts: []results.Attempt{}}
	var failed *llm.Error
	switch {
	case err == nil:
		call.Kept = reply.Kept
		call.Attempts = attemptsOf(reply.Attempts)
		if reply.Cost.Known {
			call.CostNano = &reply.Cost.N
		}
	case ctx.Err() != nil: // interrupted; the cause may be the error of another call
		return reply, err
	case errors.As(err, &failed):
		call.Attempts, call.Error = attemptsOf(failed.Attempts), failed.Error()
		if len(failed.Attempts) == 0 { // it was never sent
			return reply, err
		}
	default:
		return reply, err
	}
	c.calls.Add(&call)
	return reply, err
}

func attemptsOf(list []llm.Attempt) []results.Attempt {
	out := make([]results.Attempt, len(list))
	for i, a := range list {
		out[i] = results.Attempt{Status: a.Status, WaitMS: a.Wait.Milliseconds(), LatencyMS: a.Latency.Milliseconds(), Sent: a.Sent, Got: a.Got, Error: a.Err}
	}
	return out
}
