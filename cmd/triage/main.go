// Command triage is a benchmark and a set of environments for agents that triage customer-support tickets.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/triagebench/triage/pkg/cli"
)

func main() {
	os.Exit(cli.Main(signals(), cli.System(), os.Args[1:]))
}

// signals gives a context that the first signal cancels; a second one ends the process at once.
func signals() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signal.Ignore(syscall.SIGPIPE) // a reader that went away is a write error, and no reason to lose a run
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	go func() {
		code := cli.ExitInterrupted
		if s := <-c; s == syscall.SIGTERM {
			code = cli.ExitTerminated
		}
		signal.Stop(c)
		cancel(cli.Interrupted{Code: code})
	}()
	return ctx
}
