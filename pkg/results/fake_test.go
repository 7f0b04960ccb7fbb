package results_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// folder opens a new folder.
func folder(t testing.TB) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func read(t testing.TB, root *os.Root, name string) string {
	t.Helper()
	data, err := root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, root *os.Root, name, text string) {
	t.Helper()
	if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// names lists the files of a folder.
func names(t testing.TB, root *os.Root) []string {
	t.Helper()
	entries, err := os.ReadDir(root.Name())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// clock gives times that are a second apart.
func clock() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// agentsOf and tasksOf are those of the plan of most tests; episodes are those of a group.
var (
	agentsOf = []string{"heuristic", "constant"}
	tasksOf  = []string{"queue-hard", "desk-hard"}
)

const (
	episodes  = 4
	firstSeed = 42
	planned   = 2 * 2 * episodes
)

// keyAt is the key at a place of the plan, placeOf its inverse.
func keyAt(place int) triage.Key {
	return triage.Key{Agent: agentsOf[place/(2*episodes)], Task: tasksOf[place/episodes%2], Seed: firstSeed + int64(place%episodes)}
}

func placeOf(k triage.Key) int {
	for place := range planned {
		if keyAt(place) == k {
			return place
		}
	}
	return -1
}

func pointer(v float64) *float64 { return &v }

// episodeAt makes the episode at a place: a pure function of it, with numbers that a file rounds.
func episodeAt(place int) *triage.Episode {
	third := float64(place%7) / 7
	ep := &triage.Episode{Key: keyAt(place), Score: pointer(third), Efficiency: pointer(1 - third/3), Reward: pointer(third * 0.9), Ended: triage.EndedComplete}
	ep.Steps = []triage.Step{
		{Observation: triage.Observation{Queue: &triage.QueueObservation{Task: ep.Key.Task, Message: fmt.Sprintf("<%d>\n\u2028", place)}},
			Action: triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing}}, Score: partsOf(third)},
		{Action: triage.Action{Track: triage.Queue}, Score: partsOf(1), Error: "refused"}}
	return ep
}

func partsOf(v float64) *triage.Score {
	return &triage.Score{Total: v, Parts: []triage.Part{{Name: "a", Value: v, Weight: 0.5, Why: triage.Why{Code: triage.WhyExact, Got: "x", Want: "x"}},
		{Name: "b", Value: 1, Weight: 0.5}}}
}

func brokenAt(place int) *triage.Episode {
	ep := episodeAt(place)
	return &triage.Episode{Key: ep.Key, Steps: ep.Steps[:1], Ended: triage.EndedError, Error: "step: cut"}
}

func line(ep *triage.Episode) string {
	e := triage.Encoder{Round: true}
	e.Episode(ep)
	return string(e.Buf) + "\n"
}

var settings = results.Settings{"agents": "heuristic,constant", "seed": "42", "shard": "1/1", "secret": ""}

func create(t testing.TB, root *os.Root, s results.Settings) *results.Journal {
	t.Helper()
	j, err := results.CreateRun(root, s, planned, clock())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// resume opens a run again and gives the places that are done with their records, in the order in which they come.
func resume(root *os.Root) (*results.Journal, []int, map[int]results.Record, error) {
	var order []int
	records := map[int]results.Record{}
	j, err := results.ResumeRun(root, settings, planned, placeOf, clock(), func(place int, ep *triage.Episode) {
		order = append(order, place)
		records[place] = results.RecordOf(ep)
	})
	return j, order, records, err
}

func finish(t testing.TB, j *results.Journal) {
	t.Helper()
	if err := j.Finish(); err != nil {
		t.Fatal(err)
	}
}

func appendAll(t testing.TB, j *results.Journal, places ...int) {
	t.Helper()
	for _, p := range places {
		if err := j.Append(p, episodeAt(p)); err != nil {
			t.Fatal(err)
		}
	}
}

// wantError checks a message and that it is one of a file.
func wantError(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want || triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("error %v with code %q\nwant  %s", err, triage.CodeOf(err), want)
	}
}

var errFull = errors.New("disk full")
