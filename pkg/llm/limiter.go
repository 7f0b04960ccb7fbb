package llm

import (
	"container/list"
	"context"
	"fmt"
	"sync"
)

// Limiter holds the requests in flight, of one client or of several together, under a size. An endpoint that says 429
// halves what is allowed; each success gives one place back, up to the size. First come, first served. Make one with
// [NewLimiter].
type Limiter struct {
	mu       sync.Mutex
	size     int // as asked for
	allowed  int // 1..size
	inFlight int
	most     int
	shrunk   uint64 // counts the times that allowed was halved
	waiting  list.List
}

// NewLimiter gives a limiter of the size: how many requests may be in flight at once, at least 1.
func NewLimiter(size int) (*Limiter, error) {
	if size < 1 {
		return nil, fmt.Errorf("concurrency %d is not allowed; allowed is 1 or more", size)
	}
	return &Limiter{size: size, allowed: size}, nil
}

// place is a place in flight. It is given back once.
type place struct{ shrunk uint64 }

// acquire waits for a place, or for the end of ctx.
func (l *Limiter) acquire(ctx context.Context) (place, error) {
	l.mu.Lock()
	if l.inFlight < l.allowed && l.waiting.Len() == 0 {
		p := l.take()
		l.mu.Unlock()
		return p, nil
	}
	ready := make(chan place, 1)
	element := l.waiting.PushBack(ready)
	l.mu.Unlock()
	select {
	case p := <-ready:
		return p, nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		select {
		case <-ready: // the place came at the same moment: the next one gets it
			l.inFlight--
			l.wake()
		default:
			l.waiting.Remove(element)
		}
		return place{}, context.Cause(ctx)
	}
}

func (l *Limiter) take() place {
	l.inFlight++
	l.most = max(l.most, l.inFlight)
	return place{shrunk: l.shrunk}
}

func (l *Limiter) wake() {
	for l.inFlight < l.allowed && l.waiting.Len() > 0 {
		first := l.waiting.Front()
		l.waiting.Remove(first)
		ready, _ := first.Value.(chan place)
		ready <- l.take()
	}
}

func (l *Limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.wake()
}

// limited halves what is allowed. Answers to requests that began before the last halving do not halve it again: one
// refusal of a full house is one refusal.
func (l *Limiter) limited(p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.shrunk == l.shrunk {
		l.allowed = max(1, l.allowed/2)
		l.shrunk++
	}
}

// succeeded gives one place back after a refusal.
func (l *Limiter) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.allowed < l.size {
		l.allowed++
		l.wake()
	}
}

// Load tells how many requests are in flight, how many may be now, and the most that were at once so far.
func (l *Limiter) Load() (inFlight, allowed, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inFlight, l.allowed, l.most
}
