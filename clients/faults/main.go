// Command faults attacks the server of triage and looks whether it minds. It starts the binary, lets healthy clients play all the while,
// and commits one fault after another: killed clients, slow ones, too many, garbage. It prints a line a fault, PASS or FAIL, and whether
// memory, sessions and descriptors are what they were. Run it from the repository's root on Linux:
//
//	go run ./clients/faults --triage ./triage
//
// It takes about 80 seconds, ends with status 1 where a fault did harm, and stops every process that it started.
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
	self     string // this program, to run again as a client that is killed
	now      func() time.Time
}

// pause waits, or less if ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func main() {
	if err := run(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	sys := system{out: os.Stdout, err: os.Stderr, self: self, now: time.Now}
	if args := os.Args[1:]; len(args) == 2 && args[0] == "victim" {
		return victim(ctx, sys, args[1])
	}
	return faultsMain(ctx, sys, os.Args[1:])
}
