package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Process is a program that was started for an agent.
type Process interface {
	// Input is the program's standard input. Closing it says that nothing more will be asked, and ends a Write that waits.
	Input() io.WriteCloser
	// Output is the program's standard output. Closing it ends a Read that waits.
	Output() io.ReadCloser
	// Wait waits until the program has ended, ends what it has left running, and says how it ended, such as "exit status 3".
	// What it wrote to standard error was passed on by then. It is called once.
	Wait() string
	// Kill ends the program and what it has started, without waiting for that. It does nothing where all has ended.
	Kill()
}

// StartProcess starts a program: its words, the first of which names it, and its whole environment as NAME=value. What it
// writes to standard error goes to stderr. ctx is for the start alone: the program lives on when ctx is done.
type StartProcess func(ctx context.Context, argv, env []string, stderr io.Writer) (Process, error)

// MaxAnswer is the longest answer that is read from a program, in bytes: 1 MiB.
const MaxAnswer = 1 << 20

// grace is how long a program that is to end may take until it is killed.
const grace = 2 * time.Second

// fault is what a program did wrong, so that it has to be started again.
type fault struct {
	kind faultKind
	text string
}

type faultKind int

const (
	crashed  faultKind = iota // it ended, or closed its input or output
	timedOut                  // no answer in time
	garbled                   // it wrote what is no answer, or what nobody asked for
)

func (f *fault) Error() string { return f.text }

var errTooLong = errors.New("line too long")

// line is one line that a program wrote, without its end, or why there is none.
type line struct {
	text []byte
	err  error
}

// running is a process with what waits for it.
type running struct {
	p       Process
	lines   chan line // what it writes; a line waits until it is taken
	ended   chan struct{}
	how     string        // it ended; to be read after ended
	quiet   chan struct{} // closed: what it writes is thrown away
	read    chan struct{} // closed when its output has been read to the end
	answers int
}

func newRunning(p Process) *running {
	r := &running{p: p, lines: make(chan line), ended: make(chan struct{}), quiet: make(chan struct{}), read: make(chan struct{})}
	go r.readLines()
	go func() {
		r.how = p.Wait()
		close(r.ended)
	}()
	return r
}

// readLines hands on what the program writes, line by line.
func (r *running) readLines() {
	defer close(r.read)
	const size = 64 << 10
	b := bufio.NewReaderSize(r.p.Output(), size)
	for {
		l := readLine(b)
		select {
		case r.lines <- l:
		case <-r.quiet:
			_, _ = io.Copy(io.Discard, b) // so that the program is not held up at its end
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads one line of at most MaxAnswer bytes. Text behind the last line end is a line if it is whole JSON.
func readLine(b *bufio.Reader) line {
	var text []byte
	for {
		part, err := b.ReadSlice('\n')
		if len(text)+len(part) > MaxAnswer+len("\r\n") {
			return line{err: errTooLong}
		}
		text = append(text, part...)
		switch {
		case err == nil:
			text = bytes.TrimRight(text, "\r\n")
			if len(text) > MaxAnswer {
				return line{err: errTooLong}
			}
			return line{text: text}
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && json.Valid(text):
			return line{text: text}
		default:
			return line{err: err}
		}
	}
}

var errEnded = &fault{kind: crashed, text: "it ended without an answer"}

// ask writes an observation, which is one line with its end, and gives the line that answers it. The error is a [*fault] or
// that of ctx; the process is of no more use then.
func (r *running) ask(ctx context.Context, observation []byte, timeout time.Duration) ([]byte, error) {
	select {
	case l := <-r.lines:
		return nil, unasked(l)
	default:
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := r.p.Input().Write(observation)
		wrote <- err
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var answer []byte
	ended := r.ended
	for wrote != nil || answer == nil {
		lines := r.lines
		if answer != nil {
			lines = nil
		}
		select {
		case l := <-lines:
			if answer, l.err = readAnswer(l); l.err != nil {
				return nil, l.err
			}
		case err := <-wrote:
			if err != nil {
				return nil, errEnded // it reads no more
			}
			wrote = nil
		case <-ended:
			ended = nil // what it has written before is still on its way
			timer.Reset(grace)
		case <-timer.C:
			if ended == nil {
				return nil, errEnded
			}
			return nil, &fault{kind: timedOut, text: "no answer came in " + timeout.String() + " (a program must flush its output after each line)"}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	r.answers++
	return answer, nil
}

// readAnswer gives the text of a line that may be an answer.
func readAnswer(l line) ([]byte, error) {
	const advice = "standard output is for answers, one JSON object a line; logs go to standard error"
	switch text := bytes.TrimSpace(l.text); {
	case errors.Is(l.err, errTooLong):
		return nil, &fault{kind: garbled, text: "its answer is longer than 1 MiB"}
	case l.err != nil:
		return nil, errEnded
	case len(text) == 0:
		return nil, &fault{kind: garbled, text: "it wrote an empty line: " + advice}
	case text[0] != '{':
		return nil, &fault{kind: garbled, text: "it wrote " + show(text) + ": " + advice}
	default:
		return text, nil
	}
}

// unasked says what is wrong with a line that came before anything was asked.
func unasked(l line) error {
	switch {
	case errors.Is(l.err, errTooLong):
		return &fault{kind: garbled, text: "it wrote more than 1 MiB that nobody asked for: one line answers one observation"}
	case l.err != nil:
		return errEnded
	}
	return &fault{kind: garbled, text: "it wrote " + show(l.text) + ", which nobody asked for: an answer is one line of JSON, without indentation and with nothing after it"}
}

// stop ends the process: its input is closed, and what has not ended then after patience is killed. It gives how it ended, and
// whether by itself.
func (r *running) stop(patience time.Duration) (how string, itself bool) {
	close(r.quiet)
	_ = r.p.Input().Close() // it may be closed already
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.ended:
		itself = true
	default:
		select {
		case <-r.ended:
			itself = true
		case <-timer.C:
			r.p.Kill()
			<-r.ended
		}
	}
	_ = r.p.Output().Close() // a process that got away may hold the other end
	<-r.read
	return r.how, itself
}
