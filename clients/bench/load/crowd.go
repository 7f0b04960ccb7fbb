package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Target is a server and how to play on it.
type Target struct {
	Addr, Path string // host:port and, say, /ws
	Action     string // JSON of the action that every step takes; it must be valid for every observation
	Seed       int    // of the first episode; each episode has the next one
	Seeds      int    // after so many seeds the first comes again; 0: never
}

// seed is that of the i-th episode.
func (t *Target) seed(i int) int {
	if t.Seeds > 0 {
		i %= t.Seeds
	}
	return t.Seed + i
}

// Crowd is a number of sessions on a server, each with an episode begun from a seed of its own.
type Crowd struct {
	target   Target
	now      func() time.Time
	step     []byte // the frame of a step
	sessions []*player
}

// player plays episodes in one session.
type player struct {
	*Client
	episode int // its number among those of the crowd
	frame   []byte
	done    bool
}

// Count is what a crowd has done.
type Count struct {
	Steps    int // resets are not counted
	Episodes int // that were played to their end
	Elapsed  time.Duration
}

// Open opens n sessions and resets each with its own seed. The end of the context closes all connections, also later.
func Open(ctx context.Context, t Target, n int, now func() time.Time) (*Crowd, error) {
	const atOnce = 32
	c := &Crowd{target: t, now: now, step: AppendFrame(nil, opText, Step(t.Action)), sessions: make([]*player, n)}
	var next atomic.Int64
	err := together(min(atOnce, n), func(int) error {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			client, err := Dial(ctx, t.Addr, t.Path)
			if err != nil {
				return err
			}
			c.sessions[i] = &player{Client: client, episode: i}
			if err := c.sessions[i].reset(&t); err != nil {
				return fmt.Errorf("session %d: %w", i, err)
			}
		}
		return nil
	})
	if err != nil {
		c.abort()
		return nil, fmt.Errorf("open %d sessions: %w", n, err)
	}
	return c, nil
}

// Play lets all sessions play at once for a time and counts what they did.
func (c *Crowd) Play(d time.Duration) (Count, error) {
	var over atomic.Bool
	timer := time.AfterFunc(d, func() { over.Store(true) })
	defer timer.Stop()
	return c.play(func(int) bool { return over.Load() })
}

// Steps lets every session take k steps.
func (c *Crowd) Steps(k int) (Count, error) {
	return c.play(func(steps int) bool { return steps >= k })
}

// play lets every session take steps until enough says so of the steps it took.
func (c *Crowd) play(enough func(steps int) bool) (Count, error) {
	counts := make([]Count, len(c.sessions))
	start := c.now()
	err := together(len(c.sessions), func(i int) error {
		p := c.sessions[i]
		var n Count
		for !enough(n.Steps) {
			if p.done {
				n.Episodes++
				p.episode += len(c.sessions)
				if err := p.reset(&c.target); err != nil {
					return fmt.Errorf("session %d: %w", i, err)
				}
			}
			if err := p.ask(c.step); err != nil {
				return fmt.Errorf("session %d: %w", i, err)
			}
			n.Steps++
		}
		counts[i] = n
		return nil
	})
	sum := Count{Elapsed: c.now().Sub(start)}
	for _, n := range counts {
		sum.Steps += n.Steps
		sum.Episodes += n.Episodes
	}
	return sum, err
}

// Close says goodbye in all sessions and waits until the server has hung up, but not for long.
func (c *Crowd) Close() {
	const patience = 5 * time.Second
	_ = together(len(c.sessions), func(i int) error {
		c.sessions[i].Close(c.now(), patience)
		return nil
	})
}

func (c *Crowd) abort() {
	for _, p := range c.sessions {
		if p != nil {
			p.Abort()
		}
	}
}

// reset begins the player's episode.
func (p *player) reset(t *Target) error {
	var payload [64]byte
	p.frame = AppendFrame(p.frame[:0], opText, AppendReset(payload[:0], t.seed(p.episode)))
	return p.ask(p.frame)
}

// ask sends a frame and notes whether the episode is over.
func (p *player) ask(frame []byte) error {
	answer, err := p.Ask(frame)
	if err != nil {
		return err
	}
	p.done, err = Done(answer)
	return err
}

// Episode plays the target's first episode and gives its answers, that of the reset first.
func Episode(ctx context.Context, t Target) ([][]byte, error) {
	const most = 1000
	client, err := Dial(ctx, t.Addr, t.Path)
	if err != nil {
		return nil, err
	}
	defer client.Abort()
	frame := AppendFrame(nil, opText, AppendReset(nil, t.seed(0)))
	var answers [][]byte
	for range most {
		answer, err := client.Ask(frame)
		if err != nil {
			return nil, err
		}
		answers = append(answers, append([]byte(nil), answer...))
		done, err := Done(answer)
		if err != nil || done {
			return answers, err
		}
		frame = AppendFrame(frame[:0], opText, Step(t.Action))
	}
	return nil, fmt.Errorf("the episode of seed %d has not ended after %d steps", t.seed(0), most)
}

// together runs f for 0 to n-1 at once and gives the first errors of them.
func together(n int, f func(i int) error) error {
	const shown = 3
	var mu sync.Mutex
	var failed []error
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := f(i); err != nil {
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if extra := len(failed) - shown; extra > 0 {
		failed = append(failed[:shown], fmt.Errorf("and %d more sessions failed", extra))
	}
	return errors.Join(failed...)
}
