package agent

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

const (
	maxLogLine  = 2000 // bytes of a line that are passed on
	maxLogLines = 200  // lines that are passed on between two observations
	lastLines   = 5    // that an error shows
)

// logLines passes on what a program writes to standard error: line by line behind a prefix, cleaned, and not without end. It
// keeps the last lines. It is safe for several goroutines.
type logLines struct {
	mu     sync.Mutex
	to     io.Writer // nil: nowhere
	prefix string
	open   []byte // the line that has no end yet
	cut    bool   // more of it came than is kept
	passed int    // lines since the last observation
	left   int    // lines left out since then
	last   []string
}

// Write takes what the program wrote. It never fails: what cannot be passed on is lost.
func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := maxLogLine - len(l.open); len(part) > room {
			part, l.cut = part[:room], true
		}
		l.open = append(l.open, part...)
		if ended {
			l.end()
		}
		p = rest
	}
	return n, nil
}

// end passes the open line on.
func (l *logLines) end() {
	text := clean(string(l.open))
	if l.cut {
		text += " …"
	}
	l.open, l.cut = l.open[:0], false
	if l.last = append(l.last, text); len(l.last) > lastLines {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	if l.passed++; l.passed > maxLogLines {
		l.left++
		return
	}
	l.print(text)
}

func (l *logLines) print(text string) {
	if l.to != nil {
		_, _ = io.WriteString(l.to, l.prefix+text+"\n") // a lost log line is no reason to stop
	}
}

// say writes a line of our own.
func (l *logLines) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print(text)
}

// begin says that something new is asked: lines are counted from 0 again.
func (l *logLines) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left > 0 {
		l.print(fmt.Sprintf("… %d more lines are left out", l.left))
	}
	l.passed, l.left = 0, 0
}

// finish passes on a last line that has no end, and forgets for the next process what was said last. It gives that.
func (l *logLines) finish() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) > 0 {
		l.end()
	}
	said := l.last
	l.last = nil
	return said
}

// clean makes a line fit for a terminal: control characters become spaces, and what is no UTF-8 becomes U+FFFD.
func clean(s string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")), " ")
}

// show quotes a text for a message, cut at 100 characters.
func show(text []byte) string {
	const most = 100
	r := []rune(string(text[:min(len(text), 4*most)]))
	if len(r) <= most && len(text) <= 4*most {
		return strconv.Quote(string(r))
	}
	return strconv.Quote(string(r[:min(len(r), most)])) + " …"
}
