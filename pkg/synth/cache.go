package synth

import (
	"sync"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/triage"
)

// Cache keeps tickets that sources have made, for those who play the same seeds again and again, as training does. What a
// cached source gives does not depend on it.
type Cache struct {
	limit int64
	size  atomic.Int64 // bytes, about
}

// NewCache makes a cache of at most limit bytes, about, for all sources together. With 0 nothing is kept.
func NewCache(limit int) *Cache { return &Cache{limit: int64(limit)} }

// Source gives a source that keeps the tickets of another. It is safe for concurrent use. The tickets that it gives are shared:
// what they point to must not be changed.
func (c *Cache) Source(s *Source) *CachedSource {
	return &CachedSource{cache: c, source: s, tickets: map[place]*triage.Case{}}
}

// CachedSource is a source with a memory.
type CachedSource struct {
	cache   *Cache
	source  *Source
	mu      sync.Mutex
	tickets map[place]*triage.Case
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

// keep remembers a ticket. Any others are forgotten where there is no room: whose they are decides nothing.
func (c *CachedSource) keep(at place, made *triage.Case) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tickets[at] != nil {
		return
	}
	c.tickets[at] = made
	size := c.cache.size.Add(weight(made))
	for other, old := range c.tickets {
		if size <= c.cache.limit {
			return
		}
		delete(c.tickets, other)
		size = c.cache.size.Add(-weight(old))
	}
}

// weight is about how many bytes a ticket takes.
func weight(c *triage.Case) int64 {
	const fixed = 900
	return fixed + int64(len(c.Ticket.Subject)+len(c.Ticket.Body))
}
