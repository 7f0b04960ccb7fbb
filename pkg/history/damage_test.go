package history_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/history"
)

func (f *folder) read(name string) string {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, name))
	f.must(err)
	return string(data)
}

func (f *folder) remove(name string) {
	f.t.Helper()
	f.must(os.Remove(filepath.Join(f.dir, name)))
}

func TestResultsOfEpisodesThatAreNotThereAreDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		breaks func(f *folder)
		want   string
	}{
		"nothing":     {func(*folder) {}, "complete"},
		"no episodes": {func(f *folder) { f.remove("run/episodes.jsonl") }, "damaged: it has results and no episodes.jsonl"},
		"empty":       {func(f *folder) { f.write("run/episodes.jsonl", "") }, "damaged: the results of keyword tell of 3 episodes of desk-easy, episodes.jsonl holds 0"},
		"a line is gone": {func(f *folder) {
			f.write("run/episodes.jsonl", strings.Join(strings.SplitAfter(f.read("run/episodes.jsonl"), "\n")[1:], ""))
		}, "damaged: the results of keyword tell of 3 episodes of desk-easy, episodes.jsonl holds 2"},
		"torn": {func(f *folder) {
			f.write("run/episodes.jsonl", strings.TrimSuffix(f.read("run/episodes.jsonl"), "}\n"))
		}, "damaged: the results of keyword tell of 3 episodes of desk-easy, episodes.jsonl holds 2"},
		"not episodes": {func(f *folder) { f.write("run/episodes.jsonl", "{}\n{}\n{}\n") }, "damaged: episodes.jsonl: the line at byte 0 is not an episode: it does not begin with a key"},
		"a line twice": {func(f *folder) {
			text := f.read("run/episodes.jsonl")
			f.write("run/episodes.jsonl", text+strings.SplitAfter(text, "\n")[0])
		}, "complete"},
		"of another agent": {func(f *folder) {
			f.write("run/episodes.jsonl", strings.ReplaceAll(f.read("run/episodes.jsonl"), `"keyword"`, `"random"`))
		}, "damaged: the results of keyword tell of 3 episodes of desk-easy, episodes.jsonl holds 0"},
		"more than were summed up": {func(f *folder) {
			text := f.read("run/episodes.jsonl")
			f.write("run/episodes.jsonl", text+strings.ReplaceAll(strings.SplitAfter(text, "\n")[0], "desk-easy", "desk-hard"))
		}, "damaged: the results tell of 3 episodes, episodes.jsonl holds 4"},
		"results of fewer": {func(f *folder) {
			f.results("run/results-keyword.json", resultsOf("keyword", "2020-01-01T00:00:00Z", 0.5, 1))
		}, "damaged: the results of keyword tell of 2 episodes of desk-easy, journal.jsonl holds 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.complete("run", "keyword", "2020-01-01T00:00:00Z", 0.5, 1, 0)
			f.complete("new", "keyword", "2021-01-01T00:00:00Z", 0.5, 1, 0)
			c.breaks(f)
			var e *history.Entry
			list := f.scan()
			for _, x := range list {
				if x.Path == "run" {
					e = x
				}
			}
			if d := cmp.Diff(c.want, e.Progress()); d != "" {
				t.Error(d)
			}
			if e.Sound() {
				return
			}
			for _, b := range history.Boards(list) {
				for _, task := range b.Tasks {
					if len(task.Rows) != 1 || task.Rows[0].Entry.Path != "new" {
						t.Errorf("it is ranked: %v", show(history.Boards(list)))
					}
				}
			}
			for keep := range 3 {
				if remove, _ := history.Plan(list, keep, time.Unix(1<<33, 0)); keep > 0 && len(remove) > 0 || keep == 0 && len(remove) != 1 {
					t.Errorf("of which %d are kept, %d are removed", keep, len(remove))
				}
			}
			if err := history.Remove(f.root, e); err == nil {
				t.Error("it is removed")
			}
		})
	}
}

// A stranger's number is no reason to fall over: 10^18 episodes that broke would not fit into any memory.
func TestNumbersThatCannotBeAreAnEntry(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete("good", "keyword", "2020-01-01T00:00:00Z", 0.5, 1)
	f.complete("run", "keyword", "2020-01-01T00:00:00Z", 0.5, 1)
	for _, errors := range []int{1e18, math.MaxInt, -1, math.MinInt} {
		text := f.read("good/results-keyword.json")
		text = strings.ReplaceAll(text, `"errors": 0`, fmt.Sprintf(`"errors": %d`, errors))
		f.write("run/results-keyword.json", text)
		f.write("lone.json", text)
		list := f.scan()
		if len(list) != 3 {
			t.Errorf("errors %d: %q", errors, lines(list))
		}
		for _, e := range list {
			if e.Path == "run" && e.Sound() {
				t.Errorf("errors %d: %s", errors, e.Progress())
			}
		}
		history.Boards(list)
	}
}

func TestADateThatIsYetToComeIsNone(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete("old", "keyword", "2020-01-01T00:00:00Z", 1)
	f.complete("new", "keyword", "2021-01-01T00:00:00Z", 1)
	f.complete("tomorrow", "keyword", "2999-01-01T00:00:00Z", 1)
	now := time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)
	remove, kept := history.Plan(f.scan(), 2, now)
	if len(remove) > 0 || len(kept) != 1 || kept[0].Reason != "its date is yet to come" {
		t.Errorf("%v %v", remove, kept)
	}
	if remove, _ := history.Plan(f.scan(), 1, now); len(remove) != 1 || remove[0].Path != "old" {
		t.Errorf("%v", remove)
	}
}
