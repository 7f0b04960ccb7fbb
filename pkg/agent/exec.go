package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// DefaultTimeout is how long a program of its own has for an answer where nothing else is said.
const DefaultTimeout = 120 * time.Second

// ExecOptions say which program is the agent. Command and Start are needed; the zero value of the rest means its default.
type ExecOptions struct {
	Name    string // in messages; default: exec: and the command line
	Command string // quoted as for a POSIX shell; no shell reads it
	Start   StartProcess
	Env     []string      // the program's whole environment, NAME=value; see [ExecEnv]
	Timeout time.Duration // for one answer, with the start of the program where it has to be started; default DefaultTimeout
	// Stderr gets what the program writes to standard error, line by line behind the name and the worker's number, from all
	// workers that share it: it must be safe for several goroutines. Nil: nobody sees it.
	Stderr io.Writer
	// Crashes counts over all workers that share it. Nil: this agent counts for itself.
	Crashes *Crashes
	// MaxConsecutive is after how many faults in a row the program is given up; default 10.
	MaxConsecutive int
}

// Exec is an agent that is a program: it gets each observation as one line of JSON and answers each with one line, a JSON object.
// Each worker has a process of its own, which lives from its first observation until Close. A process that ends, is too slow or
// writes what is no answer costs that observation (an error without a code) and is started again for the next one. A program that
// cannot be started, fails three times before its first answer or MaxConsecutive times in a row gives an [triage.Error] with
// CodeUnusable.
type Exec struct {
	o    ExecOptions
	argv []string
	log  *logLines
	run  *running // nil: no process
}

var (
	_ triage.Agent = (*Exec)(nil)
	_ io.Closer    = (*Exec)(nil)
)

// NewExec makes an agent of a program, which it does not start yet. A command line that cannot be split gives CodeUsage.
func NewExec(o ExecOptions) (*Exec, error) {
	argv, err := splitCommand(o.Command)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = "exec:" + strings.TrimSpace(o.Command)
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Crashes == nil {
		o.Crashes = &Crashes{}
	}
	const consecutive = 10
	if o.MaxConsecutive <= 0 {
		o.MaxConsecutive = consecutive
	}
	o.Name = clean(o.Name)
	return &Exec{o: o, argv: argv, log: &logLines{to: o.Stderr}}, nil
}

// Words are the words of the command: the program, then its arguments.
func (e *Exec) Words() []string { return slices.Clone(e.argv) }

// Act asks the program. What it answers that is no action of the track comes back as Raw, for the environment to refuse.
func (e *Exec) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	e.log.begin()
	if ctx.Err() != nil {
		return triage.Action{}, context.Cause(ctx)
	}
	if e.log.prefix == "" { // an agent that is never asked is no worker
		e.log.prefix = fmt.Sprintf("%s [%d]: ", e.o.Name, e.o.Crashes.join())
	}
	if e.run == nil {
		p, err := e.o.Start(ctx, e.argv, e.o.Env, e.log)
		if err != nil {
			return triage.Action{}, &triage.Error{Code: triage.CodeUnusable, Message: e.o.Name + ": start the program", Err: err}
		}
		e.run = newRunning(p)
	}
	answer, err := e.run.ask(ctx, append(observed(o), '\n'), e.o.Timeout)
	if err != nil {
		return triage.Action{}, e.lose(err)
	}
	e.o.Crashes.well()
	return actionOf(o, answer), nil
}

// lose ends a process that is of no more use, and gives the error that says so.
func (e *Exec) lose(err error) error {
	run := e.run
	e.run = nil
	var f *fault
	if !errors.As(err, &f) {
		_, _ = run.stop(0) // interrupted: how it ends does not matter
		e.log.finish()
		return err
	}
	patience := time.Duration(0)
	if f.kind == crashed {
		patience = grace // it is about to tell its exit status
	}
	how, itself := run.stop(patience)
	said := e.log.finish()
	text := f.text
	if f.kind == crashed {
		if !itself {
			how = "it closed its input or output and had to be killed"
		}
		text += " (" + how + ")"
	}
	why := e.o.Crashes.count(f.kind, run.answers > 0, e.o.MaxConsecutive)
	if why == "" {
		e.log.say(text + "; it is started again")
		return fmt.Errorf("%s: %s", e.o.Name, text)
	}
	text += "; " + why
	if len(said) > 0 {
		text += "; it said last: " + strings.Join(said, " | ")
	}
	return &triage.Error{Code: triage.CodeUnusable, Message: e.o.Name + ": " + text}
}

// Close ends the process: its input is closed, and if it has not ended 2 s later it is killed with what it has started.
func (e *Exec) Close() error {
	if e.run != nil {
		_, _ = e.run.stop(grace) // all answers are in: how it ends does not matter
		e.run = nil
		e.log.finish()
	}
	e.log.begin()
	return nil
}

// observed is an observation as a program sees it: its JSON, with the fields in its order. It is new each time: what was given up may
// still be read.
func observed(o triage.Observation) []byte {
	var e triage.Encoder
	e.Observation(o)
	return triage.ShuffleMembers(e.Buf, o.Order)
}

// actionOf reads an answer to an observation.
func actionOf(o triage.Observation, answer []byte) triage.Action {
	track := triage.Queue
	var labels map[string][]string
	switch {
	case o.Desk != nil:
		track = triage.Desk
	case o.Dataset != nil:
		track, labels = triage.Dataset, o.Dataset.Labels
	}
	a, err := triage.ParseAction(track, answer, labels)
	if err != nil {
		return triage.Action{Track: track, Raw: append([]byte{}, answer...)} // never nil, also of nothing: that would be an empty action
	}
	return a
}
