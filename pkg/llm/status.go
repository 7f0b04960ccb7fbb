package llm

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Status tells what a client waits for at one moment, for a heartbeat.
type Status struct {
	Now      time.Time
	Model    string
	URL      string
	InFlight int       // requests whose answer is awaited
	Oldest   time.Time // when the oldest of them began; zero where there is none
	Queued   int       // calls that wait for the first call, for a place in flight or for their pace
	Retrying int       // calls that wait before they try again
	RetryAt  time.Time // when the first of them does; zero where there is none
	RetryWhy string    // why it waits
	LastErr  string    // what the last failed attempt said, or empty
}

// String says it in one line, with ages in whole seconds.
func (s Status) String() string {
	parts := []string{}
	if s.InFlight > 0 {
		parts = append(parts, fmt.Sprintf("%d in flight, the oldest for %v", s.InFlight, s.Now.Sub(s.Oldest).Round(time.Second)))
	}
	if s.Queued > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting for their turn", s.Queued))
	}
	if s.Retrying > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting to retry, the first in %v after: %s", s.Retrying, max(0, s.RetryAt.Sub(s.Now)).Round(time.Second), s.RetryWhy))
	}
	if len(parts) == 0 {
		parts = append(parts, "idle")
	}
	if s.LastErr != "" && s.Retrying == 0 {
		parts = append(parts, "last error: "+s.LastErr)
	}
	return s.Model + " at " + s.URL + ": " + strings.Join(parts, "; ")
}

// Status gives what is waited for now.
func (c *Client) Status() Status {
	out := Status{Now: c.o.Now(), Model: c.o.Endpoint.Model, URL: c.o.Endpoint.place()}
	s := &c.status
	s.mu.Lock()
	defer s.mu.Unlock()
	out.InFlight, out.Queued, out.Retrying, out.LastErr = len(s.flights), s.queue, len(s.retries), s.last
	for _, began := range s.flights {
		if out.Oldest.IsZero() || began.Before(out.Oldest) {
			out.Oldest = began
		}
	}
	for _, r := range s.retries {
		if out.RetryAt.IsZero() || r.at.Before(out.RetryAt) || r.at.Equal(out.RetryAt) && r.why < out.RetryWhy {
			out.RetryAt, out.RetryWhy = r.at, r.why
		}
	}
	return out
}

type status struct {
	mu      sync.Mutex
	flights map[*call]time.Time
	retries map[*call]retry
	queue   int
	last    string
}

type retry struct {
	at  time.Time
	why string
}

func (s *status) init() { s.flights, s.retries = map[*call]time.Time{}, map[*call]retry{} }

// flying, queued and retrying each note the beginning of something and give what notes its end.

func (s *status) flying(k *call, began time.Time) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flights[k] = began
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.flights, k)
	}
}

func (s *status) queued() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue--
	}
}

func (s *status) retrying(k *call, at time.Time, why string) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retries[k] = retry{at, why}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.retries, k)
	}
}

func (s *status) failedWith(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = text
}
