package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// healthy are clients that play while others misbehave: on sockets, and one over HTTP.
type healthy struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	mu     sync.Mutex
	took   []time.Duration
	errs   []error
	first  map[string]string // seed to its first ticket
}

// healthySessions is how many sessions they have on the main server.
const healthySessions = 2

func startHealthy(ctx context.Context, a *arena, servers ...*target) *healthy {
	ctx, cancel := context.WithCancel(ctx)
	h := &healthy{cancel: cancel, first: map[string]string{}}
	for _, t := range servers {
		h.done.Go(func() { h.overSocket(ctx, a, t) })
	}
	h.done.Go(func() { h.overHTTP(ctx, a) })
	return h
}

// note keeps how long an answer took, or why there was none.
func (h *healthy) note(took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.errs = append(h.errs, err)
		return
	}
	h.took = append(h.took, took)
}

// same looks whether a seed plays what it played before.
func (h *healthy) same(seed, ticket string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if before, ok := h.first[seed]; ok && before != ticket {
		return fmt.Errorf("seed %s began with %s, and now with %s", seed, before, ticket)
	}
	h.first[seed] = ticket
	return nil
}

// shown is what a healthy client looks at.
type shown struct {
	Observation struct {
		Ticket *struct {
			ID string `json:"ticket_id"`
		} `json:"ticket"`
		Position int `json:"position"`
	} `json:"observation"`
	Done bool `json:"done"`
}

const breath = 4 * time.Millisecond

func (h *healthy) overSocket(ctx context.Context, a *arena, t *target) {
	s, err := t.open(ctx, "/ws")
	if err != nil {
		h.note(0, err)
		return
	}
	defer func() { _ = s.Close() }()
	h.episodes(ctx, a, func(frame, _ string) (string, error) {
		text, err := s.say(a.sys.now(), frame)
		if err != nil {
			return "", err
		}
		var f struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &f); err != nil || f.Type != "observation" {
			return "", fmt.Errorf("the answer is %.200s, error %w", text, err)
		}
		return string(f.Data), nil
	})
}

func (h *healthy) overHTTP(ctx context.Context, a *arena) {
	session := ""
	h.episodes(ctx, a, func(frame, kind string) (string, error) {
		var f struct{ Data json.RawMessage }
		if err := json.Unmarshal([]byte(frame), &f); err != nil {
			return "", err
		}
		body := []byte(f.Data)
		if kind == "/step" {
			body = []byte(`{"action":` + string(f.Data) + `}`)
		}
		var headers []string
		if kind == "/step" {
			headers = []string{"X-Triage-Session", session}
		}
		status, text, err := a.main.ask(ctx, "POST", kind, body, headers...)
		if err != nil || status != 200 {
			return "", fmt.Errorf("POST %s: status %d: %.200s, error %w", kind, status, text, err)
		}
		var m struct{ Metadata struct{ Session string } }
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return "", err
		}
		session = m.Metadata.Session
		return text, nil
	})
}

// episodes plays one episode after another until ctx ends; ask sends a frame, or the request of HTTP that says the same.
func (h *healthy) episodes(ctx context.Context, a *arena, ask func(frame, kind string) (string, error)) {
	for n := 0; ctx.Err() == nil; n++ {
		seed := fmt.Sprint(n % 7)
		frame, kind := `{"type":"reset","data":{"seed":`+seed+`}}`, "/reset"
		for step := 0; ctx.Err() == nil; step++ {
			at := a.sys.now()
			text, err := ask(frame, kind)
			if ctx.Err() != nil {
				return
			}
			var r shown
			if err == nil {
				err = json.Unmarshal([]byte(text), &r)
			}
			if err == nil && r.Observation.Position != step {
				err = fmt.Errorf("after step %d the position is %d", step, r.Observation.Position)
			}
			if err == nil && step == 0 {
				err = h.same(seed, r.Observation.Ticket.ID)
			}
			h.note(a.sys.now().Sub(at), err)
			if err != nil {
				return // and with that it is no healthy client any more
			}
			if r.Done {
				break
			}
			frame, kind = `{"type":"step","data":{"route_category":"technical","priority_score":50}}`, "/step"
			pause(ctx, breath)
		}
	}
}

// stop ends them and says how they fared.
func (h *healthy) stop() (string, error) {
	h.cancel()
	h.done.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	slices.Sort(h.took)
	n := len(h.took)
	if n == 0 {
		return "no answer at all", errors.Join(append(h.errs, errors.New("healthy clients were not answered"))...)
	}
	at := func(share float64) time.Duration {
		return h.took[int(share*float64(n-1))].Round(100 * time.Microsecond)
	}
	seen := fmt.Sprintf("%d answers, %d errors, latency p50 %s, p99 %s, largest %s", n, len(h.errs), at(0.5), at(0.99), at(1))
	err := errors.Join(h.errs...)
	const bar99, barMost = time.Second, 5 * time.Second
	if err == nil && (at(0.99) > bar99 || at(1) > barMost) {
		err = fmt.Errorf("over %s for p99 or %s for the largest", bar99, barMost)
	}
	return seen, err
}
