package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// The bars of the project.
const (
	barOff   = 3000.0 // calls/s without the cache
	barOn    = 2000.0 // calls/s with it
	barShare = 0.20   // of the bare client's
	barMiB   = 200.0
	barSlow  = 0.95 // of what the latency allows
)

// round are the figures of one round, in calls a second.
type round struct{ bare, off, on float64 }

func (o *options) bench(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "llmbench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left lies in the temporary folder
	fast, err := o.startFake(ctx, dir, "fast", "answers: right\n", o.calls)
	if err != nil {
		return err
	}
	defer fast.stop()
	bodies, err := o.capture(ctx)
	if err != nil {
		return err
	}
	var rounds []round
	most := 0.0
	for i := range o.rounds {
		var r round
		if r.bare, err = o.bare(ctx, fast.url, bodies); err != nil {
			return err
		}
		off, err := o.harness(ctx, dir, fmt.Sprintf("off%d", i), fast.url, "off", o.calls)
		if err != nil {
			return err
		}
		on, err := o.harness(ctx, dir, fmt.Sprintf("on%d", i), fast.url, "on", o.calls)
		if err != nil {
			return err
		}
		r.off, r.on = off.rate, on.rate
		most = max(most, off.mib, on.mib)
		rounds = append(rounds, r)
		if _, err := fmt.Fprintf(o.err, "round %d of %d: bare %.0f calls/s, cache off %.0f, cache on %.0f\n", i+1, o.rounds, r.bare, r.off, r.on); err != nil {
			return err
		}
	}
	fast.stop()
	slow, err := o.startFake(ctx, dir, "slow", "answers: right\nlatency: "+o.slow.String()+"\n", o.slowCalls)
	if err != nil {
		return err
	}
	defer slow.stop()
	s, err := o.harness(ctx, dir, "slow", slow.url, "off", o.slowCalls)
	if err != nil {
		return err
	}
	return o.table(rounds, max(most, s.mib), s.rate)
}

func (o *options) table(rounds []round, mib, slow float64) error {
	of := func(f func(round) float64) float64 {
		var list []float64
		for _, r := range rounds {
			list = append(list, f(r))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	allowed := float64(o.concurrency) / o.slow.Seconds()
	share := of(func(r round) float64 { return r.off / r.bare })
	rows := []struct {
		what  string
		value float64
		bar   float64
		below bool
		unit  string
	}{
		{"bare net/http POST of the same bytes", of(func(r round) float64 { return r.bare }), 0, false, "calls/s"},
		{"triage run, cache off", of(func(r round) float64 { return r.off }), barOff, false, "calls/s"},
		{"triage run, cache on (empty at the start)", of(func(r round) float64 { return r.on }), barOn, false, "calls/s"},
		{"cache off / bare", share, barShare, false, ""},
		{"most memory", mib, barMiB, true, "MiB"},
		{fmt.Sprintf("%s a call, %d in flight: share of %.0f calls/s", o.slow, o.concurrency, allowed), slow / allowed, barSlow, false, ""},
	}
	missed := 0
	for _, r := range rows {
		verdict := ""
		if r.bar > 0 {
			verdict = "ok"
			if r.below == (r.value > r.bar) {
				verdict = "MISSED"
				missed++
			}
			verdict += " (bar " + strconv.FormatFloat(r.bar, 'g', -1, 64) + ")"
		}
		if _, err := fmt.Fprintf(o.out, "%-60s %10.2f %-8s %s\n", r.what, r.value, r.unit, verdict); err != nil {
			return err
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d bars are missed", missed)
	}
	return nil
}

// measured is what one run of the harness gave.
type measured struct{ rate, mib float64 }

// harness plays the tickets through a model, one call each.
func (o *options) harness(ctx context.Context, dir, name, url, cache string, calls int) (measured, error) {
	p := o.command(ctx, "run", "--agent", "llm", "--model", "fake", "--base-url", url, "--api-key-env", "LLMBENCH_KEY", "--tasks", "desk-easy",
		"--episodes", strconv.Itoa(calls), "--concurrency", strconv.Itoa(o.concurrency), "--cache", cache, "--cache-dir", filepath.Join(dir, "cache-"+name),
		"--out", filepath.Join(dir, "run-"+name), "--no-floor", "--progress", "off", "--format", "json")
	begun := o.now()
	out, err := p.Output()
	took := o.now().Sub(begun)
	if err != nil {
		return measured{}, fmt.Errorf("triage run, cache %s: %w: %s", cache, err, p.Stderr)
	}
	if err := allRight(out, calls); err != nil {
		return measured{}, fmt.Errorf("triage run, cache %s: %w", cache, err)
	}
	return measured{rate: float64(calls) / took.Seconds(), mib: peakMiB(p.ProcessState)}, os.RemoveAll(filepath.Join(dir, "cache-"+name))
}

func rateOf(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }
