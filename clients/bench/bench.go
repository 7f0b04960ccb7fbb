package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/triagebench/triage/clients/bench/figures"
	"github.com/triagebench/triage/clients/bench/load"
)

// crowds are the numbers of sessions that play at once.
var crowds = []int{1, figures.Few, figures.Many}

// benchMain measures all that the flags ask for and prints it.
func benchMain(ctx context.Context, sys system, args []string) error {
	o, err := parse(sys, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "triage-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder of one file under the temporary ones
	if o.frames == "" && o.wants(nameEcho) {
		o.frames = filepath.Join(dir, "frames.jsonl")
		if err := capture(ctx, sys, o); err != nil {
			return err
		}
	}
	report, err := measure(ctx, sys, o)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("not done within %v: %w", o.timeout, err)
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case err != nil:
		return err
	}
	if o.format == "json" {
		err = report.WriteJSON(sys.out)
	} else {
		err = report.WriteTable(sys.out)
	}
	if err == nil && o.strict && !figures.AllPassed(report.Bars) {
		err = errors.New("a bar was missed or not measured")
	}
	return err
}

// capture writes the answers of an episode on ours to a file, for the echo to give.
func capture(ctx context.Context, sys system, o *options) error {
	s, err := oursSpec(o)
	if err != nil {
		return err
	}
	p, _, err := s.start(ctx, sys)
	if err != nil {
		return err
	}
	defer p.stop()
	answers, err := load.Episode(ctx, (&bench{process: p}).target())
	if err != nil {
		return fmt.Errorf("play an episode on %s: %w", s.name, err)
	}
	return os.WriteFile(o.frames, bytes.Join(answers, []byte("\n")), 0o600)
}

// measure starts the servers one after the other, then lets all of them play in turn.
func measure(ctx context.Context, sys system, o *options) (*figures.Report, error) {
	list, err := specs(o)
	if err != nil {
		return nil, err
	}
	var running []*bench
	defer func() {
		for _, b := range running {
			b.process.stop()
		}
	}()
	report := &figures.Report{Machine: machine(), Rounds: o.rounds, Seconds: o.duration.Seconds(), Sessions: crowds,
		Seeds: o.seeds, Against: o.against}
	for _, s := range list {
		b := &bench{sys: sys, spec: s, found: newServer(s.name)}
		if err := b.begin(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		running = append(running, b)
		report.Servers = append(report.Servers, b.found)
	}
	if report.Rounds, err = rounds(ctx, sys, o, running); err != nil {
		return nil, err
	}
	report.Judge()
	return report, nil
}

// rounds lets all servers play in turn, at one number of sessions after the other. After the first round it leaves out those
// for which there is no time, and tells how many it played.
func rounds(ctx context.Context, sys system, o *options, running []*bench) (int, error) {
	const farApart = 100_000_000 // seeds between those of two measurements
	played := 0
	begin := sys.now()
	for round := range o.rounds {
		if end, ok := ctx.Deadline(); ok && round > 0 && sys.now().Add(sys.now().Sub(begin)/time.Duration(round)).After(end) {
			return round, nil
		}
		for _, n := range crowds {
			played++
			for _, b := range running {
				t := b.target()
				if t.Seeds = o.seeds; o.seeds == 0 {
					t.Seed = played * farApart
				}
				if err := b.play(ctx, t, n, o.duration); err != nil {
					return round, fmt.Errorf("%s, round %d, %d sessions: %w: %s", b.spec.name, round+1, n, err, b.process.said)
				}
			}
		}
	}
	return o.rounds, nil
}

// machine names the processor, as far as it is known.
func machine() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%d x %s, %s", runtime.NumCPU(), name, runtime.Version())
}
