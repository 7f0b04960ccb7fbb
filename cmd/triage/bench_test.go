package main_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/triagebench/triage/pkg/cli"
)

// built compiles the program once for a benchmark of whole processes.
func built(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "triage")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// BenchmarkProcess times whole processes: what `triage version` takes beyond a process that does nothing.
func BenchmarkProcess(b *testing.B) {
	program := built(b)
	dir := b.TempDir()
	for _, c := range []struct {
		name string
		argv []string
	}{
		{"true", []string{"/bin/true"}},
		{"version", []string{program, "version"}},
		{"baseline", []string{program, "baseline", "--output", filepath.Join(dir, "results.json"), "--progress", "off"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(c.argv[0], c.argv[1:]...)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %v\n%s", c.argv, err, out)
				}
			}
		})
	}
}

// quiet is the real world without its streams.
func quiet() *cli.App {
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = io.Discard, io.Discard, false
	return app
}

func play(b *testing.B, args ...string) {
	b.Helper()
	app := quiet()
	var errs bytes.Buffer
	app.Err = &errs
	if code := cli.Main(context.Background(), app, args); code != 0 {
		b.Fatalf("exit code %d: %s", code, errs.String())
	}
}

// BenchmarkRun plays 1,000 episodes of each of the six tasks with the heuristic, with and without a run folder.
func BenchmarkRun(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
			play(b, "run", "--episodes", "1000", "--progress", "off")
		}
	})
	b.Run("folder", func(b *testing.B) {
		dir := b.TempDir()
		for i := 0; b.Loop(); i++ {
			play(b, "run", "--episodes", "1000", "--progress", "off", "--out", filepath.Join(dir, strconv.Itoa(i)))
		}
	})
}

// BenchmarkMemory reports the bytes that stay live per episode at the end of a run, beyond a constant: the peak of the
// heap after a long run less that after a short one, by the difference in episodes.
func BenchmarkMemory(b *testing.B) {
	const short, long = 2000, 52000
	peak := func(n int) float64 {
		dir := b.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run", "^TestPeak$", "-test.v")
		cmd.Env = append(os.Environ(), "TRIAGE_PEAK_EPISODES="+strconv.Itoa(n), "TRIAGE_PEAK_DIR="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		_, text, _ := bytes.Cut(out, []byte("live="))
		text, _, _ = bytes.Cut(text, []byte(" "))
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			b.Fatalf("%v in %s", err, out)
		}
		return v
	}
	for b.Loop() {
		b.ReportMetric((peak(long)-peak(short))/(long-short), "B/episode")
	}
}

// TestPeak is run by BenchmarkMemory in a process of its own.
func TestPeak(t *testing.T) {
	episodes := os.Getenv("TRIAGE_PEAK_EPISODES")
	if episodes == "" {
		t.Skip("run by BenchmarkMemory")
	}
	app := quiet()
	app.Environ = func() []string { return nil }
	app.LookupEnv = func(string) (string, bool) { return "", false }
	app.Out = liveWriter{t}
	code := cli.Main(context.Background(), app, []string{"run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", episodes,
		"--progress", "off", "--no-floor", "--out", filepath.Join(os.Getenv("TRIAGE_PEAK_DIR"), "run")})
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
}

// liveWriter measures the live heap at the moment the results are printed, when everything of the run is still held.
type liveWriter struct{ t *testing.T }

func (w liveWriter) Write(p []byte) (int, error) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	w.t.Logf("live=%d bytes", m.HeapAlloc)
	return len(p), nil
}
