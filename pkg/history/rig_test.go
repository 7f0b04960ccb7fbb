package history_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

func clock() time.Time { return time.Unix(1_000_000, 0) }

// folder is a folder of results that is made for a test.
type folder struct {
	t    testing.TB
	dir  string
	root *os.Root
}

func newFolder(t testing.TB) *folder {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &folder{t: t, dir: dir, root: root}
}

func (f *folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// sub opens a folder below, making it.
func (f *folder) sub(name string) *os.Root {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Join(f.dir, name), 0o755))
	root, err := f.root.OpenRoot(name)
	f.must(err)
	f.t.Cleanup(func() { _ = root.Close() })
	return root
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	f.must(os.MkdirAll(filepath.Dir(filepath.Join(f.dir, name)), 0o755))
	f.must(os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

// settings are those of a run that plays desk-easy from seed 42.
func settings(agent string, planned int) results.Settings {
	return results.Settings{"agents": agent, "episodes": strconv.Itoa(planned), "generator": "2-abc", "grader": "1-def", "split": "test", "secret": "",
		"bank": "public", "seed": "42", "shard": "1/1", "episodes of desk-easy": fmt.Sprintf("seeds 42 to %d", 42+planned-1)}
}

func episode(agent string, i int) *triage.Episode {
	score := float64(i%4) / 4
	return &triage.Episode{Key: triage.Key{Agent: agent, Task: "desk-easy", Seed: 42 + int64(i)}, Score: &score, Efficiency: &score, Reward: &score, Ended: triage.EndedComplete}
}

func broken(agent string, i int) *triage.Episode {
	return &triage.Episode{Key: triage.Key{Agent: agent, Task: "desk-easy", Seed: 42 + int64(i)}, Ended: triage.EndedError, Error: `no network: "ended":"complete"`}
}

// begin starts a run and plays so many of its episodes. The journal stays open.
func (f *folder) begin(name, agent string, done, planned int) *results.Journal {
	f.t.Helper()
	j, err := results.CreateRun(f.sub(name), settings(agent, planned), planned, clock)
	f.must(err)
	for i := range done {
		f.must(j.Append(i, episode(agent, i)))
	}
	return j
}

// played makes a run that ended after so many of its episodes.
func (f *folder) played(name, agent string, done, planned int) {
	f.t.Helper()
	f.must(f.begin(name, agent, done, planned).Finish())
}

// results are the results of so many episodes, each of which scores so much.
func resultsOf(agent, finished string, scores ...float64) *results.Results {
	task, err := triage.TaskByName("desk-easy")
	if err != nil {
		panic(err)
	}
	var records []results.Record
	for i, v := range scores {
		records = append(records, results.Record{Seed: 42 + int64(i), Position: -1, Scored: !math.IsNaN(v), Score: v})
	}
	r := &results.Results{Generator: "2-abc", Grader: "1-def", Seed: 42, Split: triage.Test, Bank: "public", Agent: agent,
		Tasks: []results.TaskSummary{results.Summarize(task, records)}}
	if finished != "" {
		r.Meta = &results.Meta{Finished: finished, Version: "v1", WallSeconds: 2}
	}
	return r
}

func (f *folder) results(name string, r *results.Results) {
	f.t.Helper()
	f.must(results.WriteFile(f.sub(filepath.Dir(name)), filepath.Base(name), r.Write))
}

// complete makes a run that is complete.
func (f *folder) complete(name, agent, finished string, scores ...float64) {
	f.t.Helper()
	f.played(name, agent, len(scores), len(scores))
	f.results(name+"/results-"+agent+".json", resultsOf(agent, finished, scores...))
}

func (f *folder) scan() []*history.Entry {
	f.t.Helper()
	list, err := history.NewScanner(f.root).Scan()
	f.must(err)
	return list
}
