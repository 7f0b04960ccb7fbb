package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/triage"
)

// outside makes the agent that is a command or an address.
func (c *cast) outside(o *playOptions, name string) ([]*member, error) {
	crashes := &agent.Crashes{}
	m := &member{name: name, costly: true, crashes: crashes, waits: &waits{now: o.app.Now, since: map[*awaited]time.Time{}}}
	var inner func() (triage.Agent, error)
	var err error
	if command, ok := strings.CutPrefix(name, prefixExec); ok {
		m.settings = map[string]string{"exec_env": strings.Join(o.model.ExecEnv, ",")}
		inner, err = c.program(o, name, command, crashes)
	} else {
		inner, err = c.address(o, name, crashes)
	}
	if err != nil {
		return nil, err
	}
	a, err := inner() // nothing is started or called yet; what is wrong with the name is said now
	if err != nil {
		return nil, err
	}
	if h, ok := a.(interface{ Name() string }); ok {
		m.name = h.Name()
	}
	if e, ok := a.(*agent.Exec); ok {
		m.programs = o.app.programsOf(m.name, e.Words())
	}
	m.waits.name = m.name
	m.make = func() (triage.Agent, error) {
		a, err := inner()
		return &awaited{inner: a, waits: m.waits}, err
	}
	return []*member{m}, closeAgent(a)
}

// program makes agents that are a program.
func (c *cast) program(o *playOptions, name, command string, crashes *agent.Crashes) (func() (triage.Agent, error), error) {
	env, err := agent.ExecEnv(o.app.Environ(), o.model.ExecEnv)
	if err != nil {
		return nil, err
	}
	stderr := &lockedWriter{w: o.app.Err} // of all workers
	return func() (triage.Agent, error) {
		return agent.NewExec(agent.ExecOptions{Name: name, Command: command, Start: o.app.Start, Env: env, Timeout: o.model.Timeout,
			Stderr: stderr, Crashes: crashes, MaxConsecutive: o.model.MaxConsecutive})
	}, nil
}

// address makes agents behind an address.
func (c *cast) address(o *playOptions, name string, crashes *agent.Crashes) (func() (triage.Agent, error), error) {
	address := strings.TrimPrefix(name, prefixHTTP)
	if strings.HasPrefix(name, "https:") {
		address = name
	}
	transport, err := o.model.transport(o.app)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, hangUp(transport))
	headers, err := llm.ParseHeaders(o.model.Headers, o.app.LookupEnv)
	if err != nil {
		return nil, usageError("%v", err)
	}
	network := o.app.knock(transport, agent.HTTPBudget, func(address string) string { return address })
	return func() (triage.Agent, error) {
		return agent.NewHTTP(agent.HTTPOptions{URL: address, Transport: network, Budget: agent.HTTPBudget, Headers: headers, Timeout: o.model.Timeout, Crashes: crashes,
			MaxConsecutive: o.model.MaxConsecutive})
	}, nil
}

// hangUp closes the connections of a transport that nobody uses any more.
func hangUp(t http.RoundTripper) func() error {
	return func() error {
		if c, ok := t.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
		return nil
	}
}

func closeAgent(a triage.Agent) error {
	if c, ok := a.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// waits are the answers of one agent that are waited for.
type waits struct {
	name  string
	now   func() time.Time
	mu    sync.Mutex
	since map[*awaited]time.Time
}

// String says what is waited for, or nothing.
func (w *waits) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	oldest := time.Duration(0)
	for _, t := range w.since {
		oldest = max(oldest, now.Sub(t))
	}
	switch n := len(w.since); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s: 1 answer is waited for, for %v", w.name, oldest.Round(time.Second))
	default:
		return fmt.Sprintf("%s: %d answers are waited for, the oldest for %v", w.name, n, oldest.Round(time.Second))
	}
}

// awaited is an agent whose answers take their time.
type awaited struct {
	inner triage.Agent
	waits *waits
}

var (
	_ triage.Agent   = (*awaited)(nil)
	_ triage.Starter = (*awaited)(nil)
	_ io.Closer      = (*awaited)(nil)
)

// Act lets the inner agent answer.
func (a *awaited) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	a.waits.mu.Lock()
	a.waits.since[a] = a.waits.now()
	a.waits.mu.Unlock()
	defer func() {
		a.waits.mu.Lock()
		defer a.waits.mu.Unlock()
		delete(a.waits.since, a)
	}()
	return a.inner.Act(ctx, o)
}

// Start tells the inner agent of the episode.
func (a *awaited) Start(key triage.Key) {
	if s, ok := a.inner.(triage.Starter); ok {
		s.Start(key)
	}
}

// Close lets the inner agent go.
func (a *awaited) Close() error { return closeAgent(a.inner) }

// lockedWriter writes for several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
