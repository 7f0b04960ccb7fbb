package synth

import (
	"sync"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/triage"
)

// Cache keeps tickets that sources have made, for those who play the same seeds again and again, as training does. What a
// cached source gives does not depend on it.
type Cache struct {
	limit   int64
	size    atomic.Int64 // bytes, about
	mu      sync.Mutex
	sources []*CachedSource
}

// NewCache makes a cache of at most limit bytes, about, for all sources together. With 0 nothing is kept.
func NewCache(limit int) *Cache { return &Cache{limit: int64(limit)} }

// Source gives a source that keeps the tickets of another. It is safe for concurrent use. The tickets that it gives are shared:
// what they point to must not be changed.
func (c *Cache) Source(s *Source) *CachedSource {
	out := &CachedSource{cache: c, source: s, tickets: map[place]*triage.Case{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, out)
	return out
}

// shrink forgets tickets until there is room: of the source that has most, so that each comes to its share.
func (c *Cache) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.size.Load() > c.limit {
		var most *CachedSource
		for _, s := range c.sources {
			if most == nil || s.held.Load() > most.held.Load() {
				most = s
			}
		}
		if !most.forget() {
			return
		}
	}
}

// CachedSource is a source with a memory.
type CachedSource struct {
	cache   *Cache
	source  *Source
	mu      sync.Mutex
	tickets map[place]*triage.Case
	held    atomic.Int64 // bytes, about
}

// place is where a ticket stands.
type place struct {
	seed     int64
	position int
}

// Ticket gives the ticket at a position (from 0) of the episode with the given seed, from memory or made.
func (c *CachedSource) Ticket(seed int64, position int) *triage.Case {
	at := place{seed, position}
	c.mu.Lock()
	known := c.tickets[at]
	c.mu.Unlock()
	if known != nil {
		return known
	}
	made := c.source.Ticket(seed, position)
	if c.cache.limit > 0 {
		c.keep(at, made)
	}
	return made
}

// keep remembers a ticket. Others are forgotten where there is no room.
func (c *CachedSource) keep(at place, made *triage.Case) {
	c.mu.Lock()
	if c.tickets[at] == nil {
		c.tickets[at] = made
		c.held.Add(weight(made))
		c.cache.size.Add(weight(made))
	}
	c.mu.Unlock()
	if c.cache.size.Load() > c.cache.limit {
		c.cache.shrink()
	}
}

// forget drops any ticket: which one decides nothing but the time of its next making. It gives false where there is none.
func (c *CachedSource) forget() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, old := range c.tickets {
		delete(c.tickets, at)
		c.held.Add(-weight(old))
		c.cache.size.Add(-weight(old))
		return true
	}
	return false
}

// weight is about how many bytes a ticket takes.
func weight(c *triage.Case) int64 {
	const fixed = 900
	return fixed + int64(len(c.Ticket.Subject)+len(c.Ticket.Body))
}
