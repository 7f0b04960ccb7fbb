package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"time"
)

// fault is one thing that goes wrong. It gives what was seen, or what harm it did.
type fault struct {
	name string
	run  func(ctx context.Context, a *arena) (seen string, err error)
}

// arena is what faults are committed on.
type arena struct {
	sys system
	// main is the server that is measured; brief ends sessions that are idle for a short while, and aside meets the slow ones.
	main, brief, aside *target
	sessions           int // that main allows
}

// briefly is how long the second server's sessions may be idle.
const briefly = 3 * time.Second

// limit bounds the whole run.
const limit = 150 * time.Second

// slow are the faults that take long because the server is patient. They run beside the others.
var slow = []fault{
	{"slowloris: 200 bodies, a byte at a time", slowBodies},
	{"slowloris: 100 frames, a byte at a time", slowFrames},
	{"50 clients that ask and never read", deaf},
}

// quick are committed one after another.
var quick = []fault{
	{"a trainer with 300 environments", trainer},
	{"kill -9 of clients in the middle of steps", killed},
	{"slowloris: 300 headers, a byte at a time", slowHeaders},
	{"sockets that fall silent", silent},
	{"garbage on the port", garbage},
	{"frames that no client may send", badFrames},
	{"texts that are no JSON, or odd", oddTexts},
	{"huge frames", hugeFrames},
	{"objects of a million members", crowds},
	{"a bomb of compressed frames, and gzip bodies", bombs},
	{"huge and endless bodies", hugeBodies},
	{"2,000 clients that come, ask and hang up", hangUps},
	{"floods of pings and of frames in a row", floods},
	{"episodes and sessions that nobody comes back to", abandoned},
	{"10,000 sessions asked of 4,096", tooMany},
}

func faultsMain(ctx context.Context, sys system, args []string) error {
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.SetOutput(sys.err)
	binary := flags.String("triage", "", "the `binary` to attack")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *binary == "" || flags.NArg() > 0 {
		return errors.New("name the binary, and nothing else: --triage BINARY")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a := &arena{sys: sys, sessions: 4096}
	var err error
	if a.main, err = startServer(ctx, sys, *binary); err != nil {
		return err
	}
	defer a.main.kill()
	if a.brief, err = startServer(ctx, sys, *binary, "--session-timeout", briefly.String(), "--max-sessions", "2000"); err != nil {
		return err
	}
	defer a.brief.kill()
	if a.aside, err = startServer(ctx, sys, *binary); err != nil {
		return err
	}
	defer a.aside.kill()
	if failed := a.commit(ctx); failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}

// commit commits all faults and gives how many did harm.
func (a *arena) commit(ctx context.Context) int {
	begun := a.sys.now()
	healthy := startHealthy(ctx, a, a.main, a.main, a.aside)
	pause(ctx, 2*time.Second) // they fill the server's caches
	before := a.main.figures(ctx)
	var mu sync.Mutex
	failed := 0
	do := func(f fault) {
		at := a.sys.now()
		seen, err := f.run(ctx, a)
		mu.Lock()
		defer mu.Unlock()
		failed += a.say(f.name, seen, err, a.sys.now().Sub(at))
	}
	var beside sync.WaitGroup
	for _, f := range slow {
		beside.Go(func() { do(f) })
	}
	for _, f := range quick {
		do(f)
	}
	beside.Wait()
	err := a.aside.settled(ctx, 1)
	failed += a.say("what the slow ones leave", "the session of the healthy client", err, 0)
	seen, err := healthy.stop()
	failed += a.say("healthy clients all the while", seen, err, a.sys.now().Sub(begun))
	seen, err = a.recovers(ctx, before)
	failed += a.say("memory, sessions and descriptors afterwards", seen, err, 0)
	at := a.sys.now()
	seen, err = drained(ctx, a)
	failed += a.say("SIGTERM under load", seen, err, a.sys.now().Sub(at))
	total := len(quick) + len(slow) + 4
	_, _ = fmt.Fprintf(a.sys.out, "RESULTS: %d/%d faults without harm in %.0f s\n", total-failed, total, a.sys.now().Sub(begun).Seconds())
	return failed
}

// say prints the line of a fault and gives 1 if it did harm.
func (a *arena) say(name, seen string, err error, took time.Duration) int {
	verdict, failed := "PASS", 0
	var skipped skip
	switch {
	case errors.As(err, &skipped):
		verdict, seen = "SKIP", err.Error()
	case err != nil:
		verdict, failed = "FAIL", 1
		if seen != "" {
			seen += "; "
		}
		seen += err.Error()
	}
	_, _ = fmt.Fprintf(a.sys.out, "%s  %s: %s (%.1f s)\n", verdict, name, seen, took.Seconds()) // whoever reads may be gone
	return failed
}

// skip says why a fault could not be committed.
type skip string

func (s skip) Error() string { return string(s) }

// settled waits until the server has as many sessions as the healthy clients, and says how many there were last.
func (t *target) settled(ctx context.Context, want int) error {
	deadline := t.sys.now().Add(patience)
	for {
		f := t.figures(ctx)
		if f.err == nil && f.sessions <= want {
			return nil
		}
		if t.sys.now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%d sessions are left, %d should be: %w", f.sessions, want, errors.Join(f.err, ctx.Err(), errLeft))
		}
		pause(ctx, 100*time.Millisecond)
	}
}

var errLeft = errors.New("they do not end")
