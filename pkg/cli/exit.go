package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/triage"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitCheck       = 1 // a gate, check or target that was asked for did not hold
	ExitUsage       = 2 // usage, settings, input or output files
	ExitEpisodes    = 3 // ran, but episodes failed through no fault of the agent
	ExitUnavailable = 4 // the endpoint or server is unusable
	// ExitInconclusive is that a gate could not be decided: neither a pass nor a regression.
	ExitInconclusive = 5
	ExitInterrupted  = 130
	ExitTerminated   = 143
)

// Interrupted is the cause of a context that a signal ended.
type Interrupted struct{ Code int }

// Error says what happened.
func (i Interrupted) Error() string { return "interrupted" }

// episodesError says that episodes failed through no fault of the agent.
type episodesError struct{ failed, allowed int }

func (e episodesError) Error() string {
	return fmt.Sprintf("%s failed through no fault of the agent; allowed are %d (--max-errors)", counted(e.failed, "episode"), e.allowed)
}

// undecided says which gates could not be decided.
type undecided struct{ gates []string }

func (u undecided) Error() string {
	return fmt.Sprintf("inconclusive: %s (--inconclusive warn lets it pass)", strings.Join(u.gates, "; "))
}

// silent is an error whose message is printed already.
type silent struct{ error }

func (s silent) Unwrap() error { return s.error }

// exitCode maps an error to the exit code.
func exitCode(ctx context.Context, err error) int {
	var i Interrupted
	var e episodesError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &i):
		return i.Code
	case errors.Is(err, context.Canceled):
		if errors.As(context.Cause(ctx), &i) {
			return i.Code
		}
		return ExitInterrupted
	case errors.As(err, &e):
		return ExitEpisodes
	}
	switch triage.CodeOf(err) {
	case triage.CodeCheck:
		return ExitCheck
	case triage.CodeUnavailable, triage.CodeUnusable:
		return ExitUnavailable
	}
	var u undecided
	if errors.As(err, &u) && triage.CodeOf(err) == "" {
		return ExitInconclusive
	}
	return ExitUsage
}

// complain prints an error on w, once and with the program's name.
func complain(w io.Writer, err error) {
	var s silent
	if err == nil || errors.As(err, &s) || errors.Is(err, syscall.EPIPE) { // whoever closed the pipe knows
		return
	}
	text := strings.ReplaceAll(strings.TrimSpace(err.Error()), "##[", "## [")
	for line := range strings.SplitSeq(text, "\n") { // of several errors, or forged by a name in a file: none is a command of a build server
		_, _ = fmt.Fprintf(w, "triage: %s\n", plainLine(line)) // there is nowhere else to say it
	}
	var call *llm.Error
	if errors.As(err, &call) && call.Hint != "" {
		_, _ = fmt.Fprintf(w, "triage: what to do: %s\n", call.Hint) // as above
	}
}

func usageError(format string, args ...any) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(format, args...)}
}
