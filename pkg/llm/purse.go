package llm

import (
	"context"
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
	// settled is closed when a call has cost what it has, and those that wait look again.
	settled chan struct{}
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

// Spend takes out what was spent before, in nano-dollars: by an earlier part of the same run.
func (p *Purse) Spend(cost int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += cost
}

// reserve sets an estimate aside, or tells that it would pass the limit. As long as it is only what others have set aside that
// stands in the way it waits, since calls mostly cost less than their estimates. An error is the end of ctx.
func (p *Purse) reserve(ctx context.Context, estimate int64) (bool, error) {
	for {
		p.mu.Lock()
		switch {
		case estimate > p.limit-p.spent:
			p.mu.Unlock()
			return false, nil
		case estimate <= p.limit-p.spent-p.aside:
			p.aside += estimate
			p.mu.Unlock()
			return true, nil
		}
		if p.settled == nil {
			p.settled = make(chan struct{})
		}
		settled := p.settled
		p.mu.Unlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// settle puts what a call has cost in the place of its estimate.
func (p *Purse) settle(estimate, cost int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside -= estimate
	p.spent += cost
	if p.settled != nil {
		close(p.settled)
		p.settled = nil
	}
}
