// Package tail keeps the end of what a child process writes, for the messages of those who started it.
package tail

import (
	"strings"
	"sync"
)

// kept is how many bytes are kept.
const kept = 4000

// Tail is an [io.Writer] that keeps the end of what is written. The zero value is ready; it is safe for concurrent use.
type Tail struct {
	mu  sync.Mutex
	end []byte
}

// Write keeps the last bytes. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-kept):]
	return len(p), nil
}

// String gives what was kept, without white space around it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.end))
}
