package view_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/view"
)

// rig is a server on a folder of results, whose pages say what they were made of.
type rig struct {
	t    *testing.T
	dir  string
	root *os.Root
	s    *view.Server

	agentSettings map[string]string // of the results that are written next

	mu    sync.Mutex
	now   time.Time
	costs time.Duration // of making a page
	made  []string
}

func newRig(t *testing.T, change func(*view.Deps)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), now: time.Unix(1_000_000, 0)}
	var err error
	if r.root, err = os.OpenRoot(r.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.root.Close() })
	d := view.Deps{Root: r.root, Name: "results", Now: r.clock, Local: func(host string) bool { return host == "127.0.0.1" || host == "localhost" },
		Run: func(w io.Writer, e *history.Entry, progress string) error {
			r.note("run %s %d", e.Path, e.Done)
			_, err := fmt.Fprintf(w, "<p>run %q, %d episodes, asks %q</p>", e.Path, e.Done, progress)
			return err
		},
		Compare: func(w io.Writer, base, other view.Choice, _ []string) error {
			r.note("compare")
			_, err := fmt.Fprintf(w, "<p>%q against %q</p>", other, base)
			return err
		}}
	if change != nil {
		change(&d)
	}
	r.s = view.New(d)
	return r
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// later lets time pass.
func (r *rig) later(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, fmt.Sprintf(format, args...))
	r.now = r.now.Add(r.costs)
}

// pages are the pages that were made since the last call.
func (r *rig) pages() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := strings.Join(r.made, ", ")
	r.made = nil
	return out
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// ask asks for an address, with headers as pairs.
func (r *rig) ask(method, address string, headers ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	q := httptest.NewRequest(method, "http://127.0.0.1:8080"+address, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			q.Host = headers[i+1]
		} else {
			q.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	r.s.ServeHTTP(w, q)
	return w
}

// get asks for a page that must be there.
func (r *rig) get(address string) string {
	r.t.Helper()
	w := r.ask(http.MethodGet, address)
	if w.Code != http.StatusOK {
		r.t.Fatalf("GET %s: %d %s", address, w.Code, w.Body)
	}
	return w.Body.String()
}

func settings(agent string, planned int) results.Settings {
	return results.Settings{"agents": agent, "episodes": strconv.Itoa(planned), "generator": "2-abc", "shard": "1/1"}
}

func (r *rig) sub(name string) *os.Root {
	r.t.Helper()
	r.must(os.MkdirAll(filepath.Join(r.dir, name), 0o755))
	root, err := r.root.OpenRoot(name)
	r.must(err)
	r.t.Cleanup(func() { _ = root.Close() })
	return root
}

func (r *rig) begin(name, agent string, planned int) *results.Journal {
	r.t.Helper()
	j, err := results.CreateRun(r.sub(name), settings(agent, planned), planned, r.clock)
	r.must(err)
	return j
}

func (r *rig) append(j *results.Journal, i int) {
	r.t.Helper()
	r.appendOf(j, "keyword", i)
}

func (r *rig) appendOf(j *results.Journal, agent string, i int) {
	r.t.Helper()
	score := 0.5
	r.must(j.Append(i, &triage.Episode{Key: triage.Key{Agent: agent, Task: "desk-easy", Seed: int64(i)}, Score: &score, Efficiency: &score, Reward: &score, Ended: triage.EndedComplete}))
}

// summed writes the results of an agent.
func (r *rig) summed(name, agent, finished string, scores ...float64) {
	r.t.Helper()
	task, err := triage.TaskByName("desk-easy")
	r.must(err)
	var records []results.Record
	for i, v := range scores {
		records = append(records, results.Record{Seed: int64(i), Position: -1, Scored: true, Score: v})
	}
	s := results.Summarize(task, records)
	s.Floor = &results.Floor{Agent: "constant", Score: 0.25}
	out := results.Results{Generator: "2-abc", Grader: "1-def", Split: triage.Test, Bank: "public", Agent: agent, Settings: r.agentSettings, Tasks: []results.TaskSummary{s}}
	if finished != "" {
		out.Meta = &results.Meta{Finished: finished}
	}
	r.must(results.WriteFile(r.sub(filepath.Dir(name)), filepath.Base(name), out.Write))
}

// complete makes a run that is complete.
func (r *rig) complete(name, agent, finished string, scores ...float64) {
	r.t.Helper()
	j := r.begin(name, agent, len(scores))
	for i := range scores {
		r.appendOf(j, agent, i)
	}
	r.must(j.Finish())
	r.summed(name+"/results-x.json", agent, finished, scores...)
}

var errMade = errors.New("no such grader")
