// Command bench measures the server of triage against a Python server of the same environments and against a bare echo on the
// same WebSocket library, all three driven by one load generator in one run, on one Linux machine. Run it from the repository's
// root with `make bench-server`, or
//
//	go run ./clients/bench -triage ./triage -python .venv/bin/python
//
// Rounds are interleaved, so that what else the machine does weighs on all alike. Every process that it starts is stopped at its
// end, also after an error or an interrupt.
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

// system is the outside world.
type system struct {
	out, err io.Writer
	now      func() time.Time
}

func main() {
	if err := run(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	sys := system{out: os.Stdout, err: os.Stderr, now: time.Now}
	if len(os.Args) > 1 && os.Args[1] == "echo" {
		return echoMain(ctx, sys, os.Args[2:])
	}
	return benchMain(ctx, sys, os.Args[1:])
}
