//go:build conformance

package browser

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, as Main built it.
var binary string

// Main is what TestMain does: it builds the program, runs the tests, removes the program and gives the exit code.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "triage-browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "triage")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/triagebench/triage/cmd/triage").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// Command is a call of the program in a folder.
func Command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = dir
	return cmd
}

// Run runs the program to its end in a folder, and gives what it prints.
func Run(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, err := Command(dir, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		t.Fatalf("triage %q: %v\n%s", args, err, out)
	}
	return out
}

// Server is a running program that listens.
type Server struct {
	URL string

	t    *testing.T
	args []string
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// Serve starts the program in a folder, where its first line must tell its address. It is stopped at the test's end.
func Serve(t *testing.T, dir string, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, args: args, cmd: Command(dir, args...)}
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if !ok {
		s.Stop()
		t.Fatalf("the first line of triage %q is %q (%v), want the address\n%s", args, line, err, s.log.String())
	}
	s.URL = url
	return s
}

// Stop ends the program as an operator does, and by force if that takes too long; it must end well. A second time it does nothing.
func (s *Server) Stop() {
	s.t.Helper()
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(15*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("after SIGTERM triage %q ends with %v\n%s", s.args, err, s.log.String())
	}
	s.cmd = nil
}
