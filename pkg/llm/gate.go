package llm

import (
	"context"
	"sync"
)

// gate lets the first call of a client go alone. As long as nothing is known of an endpoint, every other call that needs
// the network waits: so a wrong key costs one call rather than one for each worker, and what an endpoint refuses is
// learned once. A fatal answer shuts the gate for good.
type gate struct {
	mu     sync.Mutex
	state  gateState
	fatal  *Error
	leader any           // the call that goes alone, or nil
	moved  chan struct{} // closed when state or leader changes
}

type gateState int

const (
	gateAlone gateState = iota
	gateOpen
	gateShut
)

// enter waits until the call may use the network. It gives the fatal error where the gate is shut.
func (g *gate) enter(ctx context.Context, call any) error {
	for {
		g.mu.Lock()
		switch {
		case g.state == gateShut:
			err := g.fatal
			g.mu.Unlock()
			return err
		case g.state == gateOpen, g.leader == call:
			g.mu.Unlock()
			return nil
		case g.leader == nil:
			g.leader = call
			g.mu.Unlock()
			return nil
		}
		if g.moved == nil {
			g.moved = make(chan struct{})
		}
		moved := g.moved
		g.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// leave says how a call ended. A fatal error shuts the gate, any other end of the leader opens it, but for one that was
// cancelled or never got to the network: then another goes first.
func (g *gate) leave(call any, fatal *Error, answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	leads := g.leader == call
	switch {
	case g.state == gateShut:
		return
	case fatal != nil:
		g.state, g.fatal = gateShut, fatal
	case !leads:
		return
	case answered:
		g.state = gateOpen
	}
	g.leader = nil
	if g.moved != nil {
		close(g.moved)
		g.moved = nil
	}
}

// shut gives the fatal error, or nil where calls may go on.
func (g *gate) shut() *Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fatal
}
