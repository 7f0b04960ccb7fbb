package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/triagebench/triage/clients/bench/figures"
	"github.com/triagebench/triage/clients/bench/load"
)

// bench measures one server.
type bench struct {
	sys     system
	spec    *spec
	process *process // that plays
	found   *figures.Server
}

// begin times starts, after one that is not counted: it fills the caches of the file system, and the memory of sessions is
// measured in its process. The last process stays.
func (b *bench) begin(ctx context.Context) error {
	for i := range b.spec.starts + 1 {
		p, took, err := b.spec.start(ctx, b.sys)
		if err != nil {
			return err
		}
		b.process = p
		if err = b.episode(ctx); err == nil && i == 0 {
			err = b.memory(ctx)
		}
		if i > 0 {
			b.found.Start = append(b.found.Start, float64(took.Microseconds())/1000)
		}
		if err != nil || i < b.spec.starts {
			p.stop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// memory measures what sessions add to the resident memory of a process in which one has played already.
func (b *bench) memory(ctx context.Context) error {
	const steps, settle = 2, time.Second
	pid := b.process.cmd.Process.Pid
	before, err := resident(pid)
	if err != nil {
		return err
	}
	crowd, err := load.Open(ctx, b.target(), b.spec.sessions, b.sys.now)
	if err != nil {
		return err
	}
	defer crowd.Close()
	if _, err := crowd.Steps(steps); err != nil {
		return err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := resident(pid)
	b.found.Memory, b.found.MemorySessions = (after-before)/float64(b.spec.sessions), b.spec.sessions
	b.progress("%.1f KiB a session at %d", b.found.Memory, b.spec.sessions)
	return err
}

// episode plays one episode, so that all of the server has been used once, and notes how long its answers are.
func (b *bench) episode(ctx context.Context) error {
	answers, err := load.Episode(ctx, b.target())
	if err != nil {
		return err
	}
	b.found.Frame = 0
	for _, a := range answers[1:] {
		b.found.Frame += float64(len(a)) / float64(len(answers)-1)
	}
	return nil
}

// play measures one server at one number of sessions once.
func (b *bench) play(ctx context.Context, t load.Target, n int, d time.Duration) error {
	crowd, err := load.Open(ctx, t, n, b.sys.now)
	if err != nil {
		return err
	}
	defer crowd.Close()
	pids := []int{b.process.cmd.Process.Pid, os.Getpid()}
	var used [2]time.Duration
	for i, pid := range pids {
		if used[i], err = cpu(pid); err != nil {
			return err
		}
	}
	count, err := crowd.Play(d)
	if err != nil {
		return err
	}
	for i, pid := range pids {
		now, err := cpu(pid)
		if err != nil {
			return err
		}
		used[i] = now - used[i]
	}
	at := b.found.At(n)
	b.found.Loads[n] = at
	steps := float64(max(count.Steps, 1))
	at.Rate = append(at.Rate, float64(count.Steps)/count.Elapsed.Seconds())
	at.CPU = append(at.CPU, float64(used[0].Microseconds())/steps)
	at.Generator = append(at.Generator, float64(used[1].Microseconds())/steps)
	b.progress("%d sessions: %.0f steps/s, %.1f µs CPU a step", n, at.Rate[len(at.Rate)-1], at.CPU[len(at.CPU)-1])
	return nil
}

// progress writes a line about the server.
func (b *bench) progress(format string, args ...any) {
	_, _ = fmt.Fprintf(b.sys.err, "%-10s"+format+"\n", append([]any{b.spec.name}, args...)...) // progress is no result
}

// target is how to play on the server.
func (b *bench) target() load.Target {
	return load.Target{Addr: b.process.addr, Path: "/ws", Action: action}
}

func newServer(name string) *figures.Server {
	return &figures.Server{Name: name, Loads: map[int]*figures.Load{}}
}
