package llm

import (
	"fmt"
	"sync"
)

// Purse holds what may be spent, by one client or by several together. Before a call its estimated cost is set aside;
// afterwards the real one takes its place. Make one with [NewPurse].
type Purse struct {
	mu    sync.Mutex
	limit int64
	spent int64
	aside int64
}

// NewPurse gives a purse with a limit in nano-dollars (10^-9 US dollars), above 0.
func NewPurse(limit int64) (*Purse, error) {
	if limit <= 0 {
		return nil, fmt.Errorf("cost limit of %d nano-dollars is not allowed; allowed is more than 0", limit)
	}
	return &Purse{limit: limit}, nil
}

// Spent gives what was spent and the limit, in nano-dollars.
func (p *Purse) Spent() (spent, limit int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent, p.limit
}

// reserve sets an estimate aside, or tells that it would pass the limit.
func (p *Purse) reserve(estimate int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if estimate > p.limit-p.spent-p.aside {
		return false
	}
	p.aside += estimate
	return true
}

// settle puts what a call has cost in the place of its estimate.
func (p *Purse) settle(estimate, cost int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside -= estimate
	p.spent += cost
}
