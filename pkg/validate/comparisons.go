package validate

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

func determinismClaim() *claim {
	return newClaim("seed_determinism", "two episodes of one seed and the same actions", "the same observations, rewards and ends")
}

func differenceClaim() *claim {
	return newClaim("seed_difference", "episodes of different seeds and the same actions", "at least one differs from the first")
}

func capacityClaim() *claim {
	return newClaim("session_capacity", "two sessions at once", "both are served; or the second is told that there is no place, and gets one when the first has ended")
}

func isolationClaim() *claim {
	return newClaim("session_isolation", "two sessions whose steps take turns", "each has its own episode: id, step count, and what it shows when it is alone")
}

// comparisons plays more episodes and compares them: the same seed again, other seeds, and two at once.
func (s *server) comparisons(ctx context.Context, first *session, seeded bool) []triage.Check {
	same, other := determinismClaim(), differenceClaim()
	if !seeded {
		return []triage.Check{same.skipped("the server refuses seeds"), other.skipped("the server refuses seeds"), s.capacity(ctx), s.isolation(ctx, nil, nil)}
	}
	again, err := s.another(ctx, "validate-1", s.Seed, true)
	deterministic := false
	if err != nil {
		same.against("%v", err)
	} else if why := difference(first, again); why != "" {
		same.against("%s", why)
	} else {
		deterministic = true
	}
	out := []triage.Check{same.done("%d steps twice", first.steps)}
	second, check := s.difference(ctx, other, first)
	out = append(out, check, s.capacity(ctx))
	if !deterministic || second == nil {
		first, second = nil, nil // there is nothing to compare with
	}
	return append(out, s.isolation(ctx, first, second))
}

// another plays an episode in a session of its own.
func (s *server) another(ctx context.Context, id string, seed int64, seeded bool) (*session, error) {
	e, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer e.conn.Close()
	return e, e.play(ctx, id, seed, seeded)
}

// difference says where two episodes of the same id differ; states are not compared.
func difference(a, b *session) string {
	x, y := shownBy(a), shownBy(b)
	for i := range x {
		if i < len(y) && !reflect.DeepEqual(x[i], y[i]) {
			what := "the reset"
			if i > 0 {
				what = "step " + strconv.Itoa(i)
			}
			return what + " gives another observation, reward or end"
		}
	}
	if len(x) != len(y) {
		return fmt.Sprintf("%d steps and %d", len(x)-1, len(y)-1)
	}
	return ""
}

// shownBy are the answers to resets and steps.
func shownBy(e *session) []map[string]any {
	var out []map[string]any
	for _, x := range e.trace {
		if x.kind != openenv.TypeState {
			out = append(out, x.data)
		}
	}
	return out
}

// seedsTried is how many other seeds may look the same before they are held to be.
const seedsTried = 3

// difference plays other seeds until one differs. Where none does and nothing in the environment is random, there is nothing
// to find; a server of ours has to differ. The session is that of the next seed.
func (s *server) difference(ctx context.Context, c *claim, first *session) (*session, triage.Check) {
	var next *session
	for i := int64(1); i <= seedsTried; i++ {
		e, err := s.another(ctx, "validate-1", s.Seed+i, true)
		if err != nil {
			c.against("seed %d: %v", s.Seed+i, err)
			return nil, c.done("")
		}
		if next == nil {
			next = e
		}
		if difference(first, e) != "" {
			return next, c.done("seed %d differs from seed %d", s.Seed+i, s.Seed)
		}
	}
	if !s.ours && s.constant(ctx, first) {
		return next, c.skipped("episodes without a seed look the same too: nothing in the environment is random")
	}
	c.against("seeds %d to %d give the same episode", s.Seed, s.Seed+seedsTried)
	return next, c.done("")
}

// constant tells whether episodes without a seed are all like the first.
func (s *server) constant(ctx context.Context, first *session) bool {
	for range seedsTried {
		e, err := s.another(ctx, "validate-1", 0, false)
		if err != nil || difference(first, e) != "" {
			return false
		}
	}
	return true
}

// capacity asks for a second session while the first one plays.
func (s *server) capacity(ctx context.Context) triage.Check {
	c := capacityClaim()
	a, err := s.open(ctx)
	if err != nil {
		c.against("the first session: %v", err)
		return c.done("")
	}
	defer a.conn.Close()
	if _, err := a.reset(ctx, "validate-a", 0, false); err != nil {
		c.against("the first session: %v", err)
		return c.done("")
	}
	b, code, err := s.tried(ctx)
	if err == nil {
		b.conn.Close()
		return c.done("both are served")
	}
	f := refusal(err)
	if f == nil || f.Code != openenv.CodeCapacity {
		c.against("the second session: %v", err)
		return c.done("")
	}
	c.unless(code == 1000, "the refused session is closed with code %d, where 1000 is due", code)
	if _, err := a.ask(ctx, openenv.TypeState, nil); err != nil {
		c.against("the first session does not outlive the refusal: %v", err)
	}
	a.conn.Close()
	if b, err = s.open(ctx); err != nil {
		c.against("after the end of the first session there is still no place: %v", err)
		return c.done("")
	}
	b.conn.Close()
	return c.done("one session at a time; its place is free after its end")
}

// tried opens a session and begins an episode; of a refusal it gives the code with which the server closed.
func (s *server) tried(ctx context.Context) (*session, int, error) {
	e, err := s.once(ctx)
	if err != nil {
		return nil, 0, err
	}
	if _, err = e.reset(ctx, "validate-b", 0, false); err != nil {
		code := e.closed(ctx, s.Timeout)
		e.conn.Close()
		return nil, code, err
	}
	return e, 0, nil
}

// isolation plays two episodes whose steps take turns. alone and other are what their seeds give when they are alone; nil
// where there is nothing to compare with.
func (s *server) isolation(ctx context.Context, alone, other *session) triage.Check {
	c := isolationClaim()
	a, err := s.open(ctx)
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	defer a.conn.Close()
	b, err := s.once(ctx)
	if err != nil {
		c.against("%v", err)
		return c.done("")
	}
	defer b.conn.Close()
	seeded := alone != nil
	idA, idB := "validate-1", "validate-1"
	if !seeded {
		idA, idB = "validate-a", "validate-b"
	}
	if err := s.alternate(ctx, c, [2]*session{a, b}, [2]string{idA, idB}, seeded); err != nil {
		if f := refusal(err); f != nil && f.Code == openenv.CodeCapacity {
			return c.skipped("the server has a place for one session only")
		}
		c.against("%v", err)
		return c.done("")
	}
	if !seeded {
		return c.done("ids and step counts are their own; what they show was not compared: a seed does not decide it")
	}
	for i, x := range []struct{ alone, beside *session }{{alone, a}, {other, b}} {
		if why := difference(x.alone, x.beside); why != "" {
			c.against("session %d beside another: %s", i+1, why)
		}
	}
	return c.done("%d and %d steps, as when they are alone", a.steps, b.steps)
}

// alternate plays both episodes step by step, the second one behind the first, and looks at both states after each step.
func (s *server) alternate(ctx context.Context, c *claim, e [2]*session, ids [2]string, seeded bool) error {
	var seen [2]map[string]any
	var err error
	for i := range e {
		if seen[i], err = e[i].reset(ctx, ids[i], s.Seed+int64(i), seeded); err != nil {
			return err
		}
	}
	for turn := range maxSteps {
		played := false
		for i := range e {
			if seen[i]["done"] == true {
				continue
			}
			played = true
			if seen[i], err = e[i].step(ctx, s.actor.action(turn)); err != nil {
				return err
			}
		}
		for i := range e {
			state, err := e[i].ask(ctx, openenv.TypeState, nil)
			if err != nil {
				return err
			}
			c.unless(state["episode_id"] == ids[i] && counts(state["step_count"], e[i].steps), "session %d after %d steps: episode_id %v, step_count %v", i+1, e[i].steps, state["episode_id"], state["step_count"])
		}
		if !played {
			break
		}
	}
	return nil
}
