package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/agent"
)

// process is a program that was started for an agent, with pipes of ours: those of os/exec are closed when the program ends, also
// before they were read.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	errs   *os.File
	passed chan struct{} // closed when its standard error was passed on
	mu     sync.Mutex
	ended  bool
}

// startProcess starts a program in a process group of its own.
func startProcess(ctx context.Context, argv, env []string, stderr io.Writer) (agent.Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), passed: make(chan struct{})} //nolint:gosec // what to run is what the user named
	p.cmd.Env = append([]string{}, env...)                                              // never nil, which would be our own
	ownGroup(p.cmd)
	theirs, err := p.pipes()
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the program has its own
		}
	}()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		for _, f := range []*os.File{p.in, p.out, p.errs} {
			if f != nil {
				_ = f.Close()
			}
		}
		return nil, err
	}
	go func() {
		_, _ = io.Copy(stderr, p.errs) // its end is the end of the program
		close(p.passed)
	}()
	return p, nil
}

// pipes makes the three pipes and gives the program's ends.
func (p *process) pipes() (theirs []*os.File, err error) {
	in, w, err := os.Pipe()
	if err != nil {
		return theirs, err
	}
	p.in, p.cmd.Stdin, theirs = w, in, append(theirs, in)
	r, out, err := os.Pipe()
	if err != nil {
		return theirs, err
	}
	p.out, p.cmd.Stdout, theirs = r, out, append(theirs, out)
	r, errs, err := os.Pipe()
	if err != nil {
		return theirs, err
	}
	p.errs, p.cmd.Stderr, theirs = r, errs, append(theirs, errs)
	return theirs, nil
}

func (p *process) Input() io.WriteCloser { return p.in }

func (p *process) Output() io.ReadCloser { return p.out }

// Pid is the number of the process, and of its group.
func (p *process) Pid() int { return p.cmd.Process.Pid }

func (p *process) Wait() string {
	err := p.cmd.Wait()
	p.mu.Lock()
	p.ended = true
	killGroup(p.cmd) // what it has left running; right away, before the number can belong to another
	p.mu.Unlock()
	const patience = time.Second // for one that left the group and holds on to the pipe
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.passed:
		_ = p.errs.Close() // read to its end
	case <-timer.C:
		_ = p.errs.Close() // ends the reading
		<-p.passed
	}
	if p.cmd.ProcessState == nil {
		return err.Error()
	}
	return p.cmd.ProcessState.String()
}

func (p *process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		killGroup(p.cmd)
	}
}
