package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
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
	done  int
	had   int // of done, before the beginning
	mu    sync.Mutex
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 3 * time.Second
	beatEvery = 10 * time.Second
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

// start says how many were done before.
func (p *progress) start(done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.had = done, done
}

// due tells whether it is time to say something again, and how long the work takes so far.
func (p *progress) due() (elapsed time.Duration, due bool) {
	every := lineEvery
	if p.mode == "bar" {
		every = barEvery
	}
	t := p.now()
	if t.Sub(p.last) < every {
		return 0, false
	}
	p.last = t
	return t.Sub(p.begun), true
}

// step is called after each finished episode.
func (p *progress) step(done int) {
	if p.mode == "off" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = done
	elapsed, due := p.due()
	if !due {
		return
	}
	left := time.Duration(0)
	if n := done - p.had; n > 0 {
		left = time.Duration(float64(elapsed) / float64(n) * float64(p.total-done))
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

// beat says every ten seconds what is waited for, if nothing else was said in that time. The function that it gives ends it.
func (p *progress) beat(waiting func() string) (stop func()) {
	if waiting == nil || p.mode == "off" {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	ticker := time.NewTicker(beatEvery)
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				p.tellWait(waiting())
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// tellWait says what is waited for.
func (p *progress) tellWait(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.now()
	if what == "" || p.mode != "bar" && t.Sub(p.last) < beatEvery/2 {
		return
	}
	p.last = t
	switch p.mode {
	case "bar":
		p.clear()
		p.say("%s: %d of %d; %s\n", p.what, p.done, p.total, what)
	case "json":
		if line, err := json.Marshal(map[string]any{"what": p.what, "done": p.done, "total": p.total, "elapsed_seconds": t.Sub(p.begun).Seconds(), "waiting": what}); err == nil {
			p.say("%s\n", line)
		}
	default:
		p.say("%s: %d of %d; %s\n", p.what, p.done, p.total, what)
	}
}

// finish clears the bar.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.drawn > 0 {
		p.say("\r%s\r", strings.Repeat(" ", p.drawn))
		p.drawn = 0
	}
}

// say writes progress; a lost line is no reason to stop a run.
func (p *progress) say(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }
