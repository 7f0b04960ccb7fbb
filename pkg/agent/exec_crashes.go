package agent

import (
	"fmt"
	"strings"
	"sync"
)

// Crashes counts what goes wrong with an agent that is a program of its own, over all workers that play it. The zero value is
// ready. It is safe for several goroutines.
type Crashes struct {
	mu      sync.Mutex
	workers int
	counts  CrashCounts
	row     int // faults since the last answer of any worker
	fresh   int // of them in processes that had not answered yet
}

// CrashCounts are the faults of a program so far. After each of them its process was started again.
type CrashCounts struct {
	Crashes  int `json:"crashes"`  // it ended, or closed its input or output, instead of an answer
	Timeouts int `json:"timeouts"` // no answer came in time
	Garbled  int `json:"garbled"`  // it wrote what is no answer, or what nobody asked for
}

// Total is the number of all faults.
func (c CrashCounts) Total() int { return c.Crashes + c.Timeouts + c.Garbled }

// String lists the counts that are not 0, such as "2 crashes, 1 timeout", or says "none".
func (c CrashCounts) String() string {
	var out []string
	for _, n := range []struct {
		count     int
		one, many string
	}{{c.Crashes, "crash", "crashes"}, {c.Timeouts, "timeout", "timeouts"}, {c.Garbled, "garbled answer", "garbled answers"}} {
		switch {
		case n.count == 1:
			out = append(out, "1 "+n.one)
		case n.count > 1:
			out = append(out, fmt.Sprintf("%d %s", n.count, n.many))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// Counts gives the faults so far.
func (c *Crashes) Counts() CrashCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// join gives the next worker its number, from 1.
func (c *Crashes) join() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers++
	return c.workers
}

// well says that an answer came.
func (c *Crashes) well() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row, c.fresh = 0, 0
}

// maxFresh is after how many processes in a row that ended before their first answer no more are started.
const maxFresh = 3

// count counts a fault; answered says whether its process had answered before. It gives why the program is not to be started
// again, or nothing.
func (c *Crashes) count(kind faultKind, answered bool, most int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind {
	case crashed:
		c.counts.Crashes++
	case timedOut:
		c.counts.Timeouts++
	case garbled:
		c.counts.Garbled++
	}
	c.row++
	if !answered {
		c.fresh++
	}
	switch {
	case c.fresh >= maxFresh:
		return fmt.Sprintf("%d times in a row it did not come to its first answer", c.fresh)
	case c.row >= most:
		return fmt.Sprintf("that was fault %d in a row", c.row)
	}
	return ""
}

// miss counts an observation that nobody answered, and gives how many those are in a row.
func (c *Crashes) miss() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row++
	return c.row
}
