package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// progressModes are the values of --progress.
func progressModes() []string { return []string{"auto", "plain", "json", "off"} }

// progress tells how far a run is: a bar on a terminal, a plain line every few seconds elsewhere.
type progress struct {
	w     io.Writer
	mode  string // bar, plain, json, off
	what  string
	total int
	now   func() time.Time
	begun time.Time
	last  time.Time
	drawn int // characters of the bar that stands there
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 3 * time.Second
	barWidth  = 30
)

func newProgress(app *App, mode, what string, total int) *progress {
	if mode == "auto" {
		mode = "plain"
		if app.ErrTerminal {
			mode = "bar"
		}
	}
	t := app.Now()
	return &progress{w: app.Err, mode: mode, what: what, total: total, now: app.Now, begun: t, last: t}
}

// step is called after each finished episode.
func (p *progress) step(done int) {
	if p.mode == "off" {
		return
	}
	every := lineEvery
	if p.mode == "bar" {
		every = barEvery
	}
	t := p.now()
	if t.Sub(p.last) < every {
		return
	}
	p.last = t
	elapsed := t.Sub(p.begun)
	left := time.Duration(0)
	if done > 0 {
		left = time.Duration(float64(elapsed) / float64(done) * float64(p.total-done))
	}
	switch p.mode {
	case "bar":
		full := barWidth * done / max(1, p.total)
		line := fmt.Sprintf("%s %s%s %d/%d, about %s left", p.what, strings.Repeat("█", full), strings.Repeat("░", barWidth-full), done, p.total, left.Round(time.Second))
		n := utf8.RuneCountInString(line)
		p.say("\r%s%s", line, strings.Repeat(" ", max(0, p.drawn-n))) // a shorter line covers the longer one
		p.drawn = n
	case "json":
		line, err := json.Marshal(map[string]any{"what": p.what, "done": done, "total": p.total, "elapsed_seconds": elapsed.Seconds()})
		if err == nil {
			p.say("%s\n", line)
		}
	default:
		p.say("%s: %d of %d, about %s left\n", p.what, done, p.total, left.Round(time.Second))
	}
}

// finish clears the bar.
func (p *progress) finish() {
	if p.drawn > 0 {
		p.say("\r%s\r", strings.Repeat(" ", p.drawn))
		p.drawn = 0
	}
}

// say writes progress; a lost line is no reason to stop a run.
func (p *progress) say(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }
