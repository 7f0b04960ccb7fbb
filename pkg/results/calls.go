package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// CallsFile has a line a call of a model: how it went, and how long it took. Unlike everything else in a run folder it
// differs between two runs of the same command.
const CallsFile = "calls.jsonl"

// Attempt is one request of a call.
type Attempt struct {
	Status    int    `json:"status"`     // 0 where no answer came
	WaitMS    int64  `json:"wait_ms"`    // before the request
	LatencyMS int64  `json:"latency_ms"` // of the request
	Sent      int    `json:"sent_bytes"`
	Got       int    `json:"got_bytes"`
	Error     string `json:"error,omitempty"`
}

// Call is one call with its retries.
type Call struct {
	Agent    string    `json:"agent"`
	Task     string    `json:"task"`
	Scope    string    `json:"scope"`
	Kept     bool      `json:"kept"` // from a cache or cassette: nothing was requested
	Attempts []Attempt `json:"attempts"`
	CostNano *int64    `json:"cost_nano_usd"` // 10^-9 US dollars; null where it is unknown
	Error    string    `json:"error,omitempty"`
}

// CallFigures are the figures of the calls of one agent on one task.
type CallFigures struct {
	Made, Kept, Failed int
	Retries            int
	Spent              Total // nano-dollars, of the calls that were made
	latencies          []int32
}

// Percentile gives the latency that q (0..1) of the successful calls did not exceed, in milliseconds, by the nearest rank;
// ok is false where no call was made.
func (f *CallFigures) Percentile(q float64) (ms int, ok bool) {
	n := len(f.latencies)
	if n == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(f.latencies))
	rank := int(float64(q*float64(n)) + 0.999999)
	return int(sorted[min(max(rank, 1), n)-1]), true
}

// Join adds the figures of another task.
func (f *CallFigures) Join(o *CallFigures) {
	f.Made, f.Kept, f.Failed, f.Retries = f.Made+o.Made, f.Kept+o.Kept, f.Failed+o.Failed, f.Retries+o.Retries
	f.Spent.join(o.Spent)
	f.latencies = append(f.latencies, o.latencies...)
}

func (f *CallFigures) add(c *Call) {
	if c.Kept {
		f.Kept++
		return
	}
	f.Made++
	f.Retries += max(0, len(c.Attempts)-1)
	if c.Error != "" {
		f.Failed++
		return
	}
	f.Spent.addPointer(c.CostNano)
	if n := len(c.Attempts); n > 0 {
		f.latencies = append(f.latencies, int32(min(c.Attempts[n-1].LatencyMS, 1<<31-1)))
	}
}

func (t *Total) addPointer(v *int64) {
	if v == nil {
		t.Unknown++
		return
	}
	t.Sum += *v
}

// Calls counts the calls of a run and writes them to a file, if there is one. It is safe for several goroutines.
type Calls struct {
	mu      sync.Mutex
	figures map[Pair]*CallFigures
	file    *os.File
	name    string
	failed  error
}

// NewCalls counts calls; nothing is written.
func NewCalls() *Calls { return &Calls{figures: map[Pair]*CallFigures{}} }

// Open reads the calls that an interrupted run has written and goes on at the end of the file. A torn last line is cut off.
func (c *Calls) Open(root *os.Root) error {
	f, err := openRegular(root, CallsFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return fileError("open", root, CallsFile, err)
	}
	c.file, c.name = f, filepath.Join(root.Name(), CallsFile)
	end, r := int64(0), bufio.NewReader(f)
	for line := 1; ; line++ {
		data, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var call Call
		if err == nil {
			err = json.Unmarshal(data, &call)
		}
		if err != nil {
			return errors.Join(&triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not a call", c.name, line), Err: err}, f.Close())
		}
		c.count(&call)
		end += int64(len(data))
	}
	err = f.Truncate(end)
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return errors.Join(fileError("open", root, CallsFile, err), f.Close())
	}
	return nil
}

// Add counts a call and writes it. An error of the file is told by Close.
func (c *Calls) Add(call *Call) {
	data, err := json.Marshal(call)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(call)
	if c.file == nil || c.failed != nil {
		return
	}
	if err == nil {
		_, err = c.file.Write(append(data, '\n'))
	}
	c.failed = err
}

func (c *Calls) count(call *Call) {
	p := Pair{call.Agent, call.Task}
	f := c.figures[p]
	if f == nil {
		f = &CallFigures{}
		c.figures[p] = f
	}
	f.add(call)
}

// Of gives the figures of an agent on a task, or nil where nothing was called.
func (c *Calls) Of(agent, task string) *CallFigures {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.figures[Pair{agent, task}]
}

// Spent is what the calls that were made have cost so far in nano-dollars, as far as that is known.
func (c *Calls) Spent() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := int64(0)
	for _, f := range c.figures {
		sum += f.Spent.Sum
	}
	return sum
}

// Close closes the file, and tells what went wrong with it.
func (c *Calls) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		return nil
	}
	err := errors.Join(c.failed, c.file.Close())
	c.file = nil
	if err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "write " + c.name, Err: err}
	}
	return nil
}

// object is the form of the figures in the meta block of a results file.
func (f *CallFigures) object() map[string]any {
	out := map[string]any{"made": f.Made, "kept": f.Kept, "failed": f.Failed, "retries": f.Retries, "spent_nano_usd": nil,
		"latency_ms_p50": nil, "latency_ms_p95": nil}
	if v, ok := f.Spent.Known(); ok {
		out["spent_nano_usd"] = v
	}
	if v, ok := f.Percentile(0.5); ok {
		out["latency_ms_p50"] = v
	}
	if v, ok := f.Percentile(0.95); ok {
		out["latency_ms_p95"] = v
	}
	return out
}
