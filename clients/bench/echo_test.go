package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/clients/bench/load"
)

var episode = []string{
	`{"type":"observation","data":{"observation":{"position":0},"done":false}}`,
	`{"type":"observation","data":{"observation":{"position":1},"done":false}}`,
	`{"type":"observation","data":{"observation":{"position":2},"done":true}}`,
}

func TestTheEchoGivesTheEpisodeThatItWasGiven(t *testing.T) {
	t.Parallel()
	e := &echo{}
	for _, frame := range episode {
		e.frames = append(e.frames, []byte(frame))
	}
	server := httptest.NewServer(e.handler())
	defer server.Close()
	target := load.Target{Addr: strings.TrimPrefix(server.URL, "http://"), Path: "/ws", Action: action}
	for range 2 {
		answers, err := load.Episode(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range answers {
			got = append(got, string(a))
		}
		if diff := cmp.Diff(episode, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	}
	crowd, err := load.Open(t.Context(), target, 3, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Close()
	if got, err := crowd.Steps(4); err != nil || got.Steps != 12 || got.Episodes != 3 {
		t.Errorf("%+v, %v; want 12 steps and 3 whole episodes", got, err)
	}
}

// TestMain lets the test binary be the echo that the harness starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "echo" {
		if err := echoMain(context.Background(), system{out: os.Stdout, err: os.Stderr, now: time.Now}, os.Args[2:]); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestARunOnTheEchoPrintsItsFiguresAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	file := filepath.Join(t.TempDir(), "frames.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(episode, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &options{rounds: 2, starts: 2, duration: 50 * time.Millisecond, servers: []string{nameEcho}, frames: file, against: nameReference}
	list, err := specs(o)
	if err != nil {
		t.Fatal(err)
	}
	list[0].sessions = 20
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b := &bench{sys: testSystem(t), spec: list[0], found: newServer(list[0].name)}
	if err := b.begin(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := rounds(ctx, b.sys, o, []*bench{b}); err != nil || n != o.rounds {
		t.Errorf("%d rounds, %v; want %d", n, err, o.rounds)
	}
	b.process.stop()
	if pid := b.process.cmd.Process.Pid; !gone(pid) {
		t.Errorf("process %d still runs", pid)
	}
	for _, n := range crowds {
		if at := b.found.At(n); len(at.Rate) != o.rounds || len(at.CPU) != o.rounds || len(at.Generator) != o.rounds || at.Rate[0] <= 0 {
			t.Errorf("%d sessions: %+v; want %d figures each", n, at, o.rounds)
		}
	}
	if len(b.found.Start) != o.starts || b.found.MemorySessions != 20 || b.found.Frame == 0 {
		t.Errorf("%+v; want %d starts, memory at 20 sessions and a frame's length", b.found, o.starts)
	}
}

func TestRoundsEndBeforeTheTimeIsUp(t *testing.T) {
	t.Parallel()
	e := &echo{frames: [][]byte{[]byte(episode[0]), []byte(episode[2])}}
	server := httptest.NewServer(e.handler())
	defer server.Close()
	b := &bench{sys: testSystem(t), spec: &spec{}, found: newServer("echo"),
		process: &process{addr: strings.TrimPrefix(server.URL, "http://"), cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	n, err := rounds(ctx, b.sys, &options{rounds: 1000, duration: 100 * time.Millisecond}, []*bench{b})
	if err != nil || n < 1 || n >= 1000 || len(b.found.At(1).Rate) != n {
		t.Errorf("%d rounds with %d figures, %v; want some, as many figures as rounds, and no error", n, len(b.found.At(1).Rate), err)
	}
}
