package audit

import (
	"fmt"
	"strings"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// finding is a check of a server that is being made: what was looked at, and what speaks against it. It is safe for concurrent
// use.
type finding struct {
	id, what, expected string
	mu                 sync.Mutex
	looked             int
	faults             []string
	skipped            string
}

func claim(id, what, expected string) *finding {
	return &finding{id: "server/" + id, what: what, expected: expected}
}

// saw notes that one more thing was looked at.
func (f *finding) saw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked++
}

// fault notes what speaks against the check.
func (f *finding) fault(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, clean(fmt.Sprintf(format, args...)))
}

// unless notes a thing that was looked at, and a fault if it is not well.
func (f *finding) unless(well bool, format string, args ...any) {
	f.saw()
	if !well {
		f.fault(format, args...)
	}
}

// skip says why the check cannot be made.
func (f *finding) skip(why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skipped = why
}

// mostFaults is how many faults are told.
const mostFaults = 3

// check gives the check; things are what was looked at, in the plural.
func (f *finding) check(things string) triage.Check {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := triage.Check{ID: f.id, Description: f.what, Expected: f.expected}
	switch n := len(f.faults); {
	case n > mostFaults:
		c.Seen = fmt.Sprintf("%s; and %d more", strings.Join(f.faults[:mostFaults], "; "), n-mostFaults)
	case n > 0:
		c.Seen = strings.Join(f.faults, "; ")
	case f.skipped != "":
		c.Skipped = f.skipped
	case f.looked == 0:
		c.Skipped = "there was nothing to look at"
	default:
		c.Passed, c.Seen = true, fmt.Sprintf("%d %s", f.looked, things)
	}
	return c
}

// clean makes a text of a server fit for a line of a table.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// short cuts what a server said.
func short[T ~string | ~[]byte](text T) string {
	const most = 100
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "…"
}
