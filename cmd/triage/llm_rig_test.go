//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the built program; every process of it runs without the variables of this one.
type program struct{ path string }

func buildProgram(t *testing.T) program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "triage")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program{path}
}

// started is a process on its way.
type started struct {
	cmd            *exec.Cmd
	stdout, stderr shared
	done           chan struct{}
}

// shared is a buffer that is read while a process writes it.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start starts the program in a folder; variables are NAME=value. It is killed with the test.
func (p program) start(t *testing.T, dir string, variables []string, args ...string) *started {
	t.Helper()
	s := &started{cmd: exec.Command(p.path, args...), done: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = dir, &s.stdout, &s.stderr
	s.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, variables...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait() // how it ended is in ProcessState
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // one that has ended is as good
		<-s.done
	})
	return s
}

// wait gives the exit code, -1 after a signal that nobody caught.
func (s *started) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(2 * time.Minute):
		t.Fatalf("%v does not end; stderr: %s", s.cmd.Args, &s.stderr)
	}
	return s.cmd.ProcessState.ExitCode()
}

// send sends a signal; the process may have ended meanwhile.
func (s *started) send(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// ended tells whether the process has.
func (s *started) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// until waits for what must come to be true.
func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("within a minute there is not: %s", what)
		}
	}
}

// must runs the program to its end and gives what it printed; another exit code ends the test.
func (p program) must(t *testing.T, code int, dir string, variables []string, args ...string) *started {
	t.Helper()
	s := p.start(t, dir, variables, args...)
	if got := s.wait(t); got != code {
		t.Fatalf("%v ends with %d, not %d: %s", args, got, code, &s.stderr)
	}
	return s
}

// endpoint is a process of `triage fake-llm`.
type endpoint struct {
	url  string
	log  string
	proc *started
	read int64 // bytes of the log that are in seen
	seen []asked
}

// serve starts a scripted model that knows the tickets of the flags.
func (p program) serve(t *testing.T, script string, flags ...string) *endpoint {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &endpoint{log: filepath.Join(dir, "seen.jsonl")}
	e.proc = p.start(t, dir, nil, append([]string{"fake-llm", "--script", "script.yaml", "--log", "seen.jsonl"}, flags...)...)
	e.url = e.proc.address(t)
	return e
}

// address is that of a fake model, once it listens.
func (s *started) address(t *testing.T) string {
	t.Helper()
	var line string
	until(t, "an address of the fake model", func() bool {
		var whole bool
		line, _, whole = strings.Cut(s.stdout.String(), "\n")
		return whole || s.ended()
	})
	url, listens := strings.CutPrefix(line, "listening on ")
	if !listens {
		t.Fatalf("the fake model does not start: %s", &s.stderr)
	}
	return url
}

// asked is a request that the model has seen.
type asked struct {
	At     time.Time
	Fault  string
	Form   string
	Status int
	Body   struct {
		Model    string
		Messages []struct{ Content string }
	}
}

// ticket is the text of the ticket that a request is about: what stands in its last fence.
func (a *asked) ticket(t *testing.T) string {
	t.Helper()
	for _, m := range slices.Backward(a.Body.Messages) {
		_, rest, found := strings.Cut(m.Content, "\n<ticket id=")
		if !found {
			continue
		}
		_, rest, _ = strings.Cut(rest, ">\n")
		text, _, found := strings.Cut(rest, "\n</ticket id=")
		if found {
			return text
		}
	}
	t.Fatal("a request has no ticket")
	return ""
}

// asked gives what the model has seen so far; a line that is not whole yet is left out.
func (e *endpoint) asked(t *testing.T) []asked {
	t.Helper()
	f, err := os.Open(e.log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	data, err := io.ReadAll(io.NewSectionReader(f, e.read, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data[:bytes.LastIndexByte(data, '\n')+1]) {
		var a asked
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		e.read, e.seen = e.read+int64(len(line)), append(e.seen, a)
	}
	return e.seen
}

// answered counts the requests among them that got an answer.
func answered(list []asked) int {
	n := 0
	for i := range list {
		if list[i].Status == 200 && list[i].Fault == "" {
			n++
		}
	}
	return n
}

// wholeLines reads the lines of a file that a process may still be writing; none of a file that is not there.
func wholeLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	return lines[:len(lines)-1]
}

func sameFile(t *testing.T, want, got string) {
	t.Helper()
	if a, b := readText(t, want), readText(t, got); a != b {
		t.Errorf("%s and %s differ: %d and %d bytes", want, got, len(a), len(b))
	}
}
