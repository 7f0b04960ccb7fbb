// Command llmbench measures what the harness itself adds to a model's calls: `triage run --agent llm` against `triage fake-llm`, which
// answers at once, beside a bare net/http client that posts the same bytes to the same server in the same run; and against a server
// that takes 200 ms. Run it from the repository's root with `make bench-llm`. Every process that it starts is stopped at its end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// options say what is measured.
type options struct {
	triage      string
	calls       int // with a server that answers at once
	slowCalls   int // with one that takes 200 ms
	concurrency int
	rounds      int
	slow        time.Duration
	out, err    io.Writer
	now         func() time.Time
}

func main() {
	if err := run(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "llmbench:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{out: os.Stdout, err: os.Stderr, now: time.Now, slow: 200 * time.Millisecond}
	f := flag.NewFlagSet("llmbench", flag.ContinueOnError)
	f.SetOutput(o.err)
	f.StringVar(&o.triage, "triage", "./triage", "the binary")
	f.IntVar(&o.calls, "calls", 20000, "calls a round with a server that answers at once")
	f.IntVar(&o.slowCalls, "slow-calls", 6400, "calls with a server that takes 200 ms")
	f.IntVar(&o.concurrency, "concurrency", 64, "calls in flight")
	f.IntVar(&o.rounds, "rounds", 3, "rounds; the figures are medians")
	if err := f.Parse(os.Args[1:]); err != nil {
		return err
	}
	if o.calls < 100 || o.slowCalls < 100 || o.concurrency < 1 || o.rounds < 1 {
		return fmt.Errorf("calls %d, slow calls %d, concurrency %d, rounds %d: allowed are 100, 100, 1, 1 and more", o.calls, o.slowCalls, o.concurrency, o.rounds)
	}
	return o.bench(ctx)
}
