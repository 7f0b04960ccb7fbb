// Package triagetest has fakes of the vocabulary's interfaces, written by hand, for the tests of the packages that play,
// serve or record episodes. Start at [Agent] and [Env].
package triagetest

import (
	"context"
	"errors"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

var (
	_ triage.Agent    = (*Agent)(nil)
	_ triage.Starter  = (*Agent)(nil)
	_ triage.Attacher = (*Agent)(nil)
)

// Answer is what a scripted agent gives for one observation.
type Answer struct {
	Action triage.Action
	Err    error
}

// Agent plays a script: the first answer for the first observation, and so on; the last one again for all that follow. It
// records what it was shown. The zero value gives empty actions. It may be used by one episode at a time.
type Agent struct {
	Script []Answer
	// ActFunc, where set, answers in place of the script.
	ActFunc func(ctx context.Context, o triage.Observation) (triage.Action, error)
	// AttachErr is what Attach gives.
	AttachErr error

	mu       sync.Mutex
	seen     []triage.Observation
	started  []triage.Key
	attached []triage.Env
}

// Act gives the next answer of the script.
func (a *Agent) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	a.mu.Lock()
	n := len(a.seen)
	a.seen = append(a.seen, o)
	a.mu.Unlock()
	switch {
	case a.ActFunc != nil:
		return a.ActFunc(ctx, o)
	case len(a.Script) == 0:
		return triage.Action{}, nil
	}
	answer := a.Script[min(n, len(a.Script)-1)]
	return answer.Action, answer.Err
}

// Start records the key of an episode that begins.
func (a *Agent) Start(key triage.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = append(a.started, key)
}

// Attach records the environment.
func (a *Agent) Attach(env triage.Env) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attached = append(a.attached, env)
	return a.AttachErr
}

// Seen gives the observations that the agent was shown, in their order.
func (a *Agent) Seen() []triage.Observation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]triage.Observation(nil), a.seen...)
}

// Started gives the keys of the episodes that began, in their order.
func (a *Agent) Started() []triage.Key {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]triage.Key(nil), a.started...)
}

// Attached gives the environments that the agent was attached to, in their order.
func (a *Agent) Attached() []triage.Env {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]triage.Env(nil), a.attached...)
}

// ErrUnexpected is what a fake gives for a call that the test did not provide for.
var ErrUnexpected = errors.New("triagetest: call was not expected")
