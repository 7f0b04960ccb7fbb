package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseCPUReadsBehindTheName(t *testing.T) {
	t.Parallel()
	got, err := parseCPU("4711 (a) b (c) S 1 4711 4711 0 -1 4194560 9 0 0 0 123 45 6 7 20 0 8 0 1000 1 2\n")
	if want := 1680 * time.Millisecond; err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := parseCPU("4711 (a) S 1"); err == nil {
		t.Error("a short line gives no error")
	}
}

func TestParseResident(t *testing.T) {
	t.Parallel()
	got, err := parseResident("Name:\tx\nVmHWM:\t    9999 kB\nVmRSS:\t    1234 kB\n")
	if err != nil || got != 1234 {
		t.Errorf("%v, %v; want 1234", got, err)
	}
	if _, err := parseResident("Name:\tx\n"); err == nil {
		t.Error("a text without the line gives no error")
	}
}

func testSystem(t *testing.T) system {
	t.Helper()
	return system{out: t.Output(), err: t.Output(), now: time.Now}
}

// gone tells whether there is no process of the id.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestAServerThatFailsTellsItsLastWords(t *testing.T) {
	t.Parallel()
	s := &spec{name: "broken", command: []string{"sh", "-c", "echo no such tickets >&2; exit 3"}}
	_, _, err := s.start(t.Context(), testSystem(t))
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "no such tickets") {
		t.Errorf("error %v; want the server's name and what it said", err)
	}
	s.command = []string{"/nowhere/at/all"}
	if _, _, err := s.start(t.Context(), testSystem(t)); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("error %v; want the path", err)
	}
}

func TestAServerThatNeverAnswersIsStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, first := range []string{"", "echo Listening on http://127.0.0.1:1;"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		s := &spec{name: "mute", dir: dir, command: []string{"sh", "-c", "echo $$ > pid;" + first + " exec sleep 60"}}
		_, _, err := s.start(ctx, testSystem(t))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && (err == nil || !strings.Contains(err.Error(), "/health")) {
			t.Errorf("error %v; want one of the time that is over", err)
		}
		data, err := os.ReadFile(dir + "/pid")
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("kill", "-0", strings.TrimSpace(string(data))).CombinedOutput(); err == nil {
			t.Errorf("process %s still runs %s", data, out)
		}
	}
}
