//go:build unix

package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
)

// prune removes what is planned and gives what went and what stayed.
func (f *folder) prune(keep int) (gone []string, kept []string) {
	f.t.Helper()
	remove, stay := history.Plan(f.scan(), keep, time.Unix(1<<33, 0))
	for _, e := range remove {
		f.must(history.Remove(f.root, e))
		gone = append(gone, e.Path)
	}
	for _, k := range stay {
		kept = append(kept, k.Entry.Path+": "+k.Reason)
	}
	return gone, kept
}

func TestPruningKeepsTheNewestCompleteRuns(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for i := 1; i <= 5; i++ {
		f.complete(fmt.Sprintf("run-%d", i), "keyword", fmt.Sprintf("2026-01-%02dT00:00:00Z", i), 1)
	}
	f.complete("twin-a", "keyword", "2026-01-03T00:00:00Z", 1)
	f.write("run-1/learned.json", "{}")
	f.write("run-1/calls.jsonl", "{}\n")
	f.write("run-1/episodes.jsonl.0.part", "half")
	f.results("lone.json", resultsOf("keyword", "2020-01-01T00:00:00Z", 1))
	gone, kept := f.prune(3)
	if d := cmp.Diff([]string{"twin-a", "run-2", "run-1"}, gone); d != "" || len(kept) > 0 {
		t.Errorf("%s; kept %q", d, kept)
	}
	want := []string{"run-5 | keyword | 2026-01-05 | complete", "run-4 | keyword | 2026-01-04 | complete", "run-3 | keyword | 2026-01-03 | complete",
		"lone.json | keyword | 2020-01-01 | complete"}
	if d := cmp.Diff(want, lines(f.scan())); d != "" {
		t.Error(d)
	}
	if gone, _ := f.prune(3); gone != nil {
		t.Errorf("again it removes %q", gone)
	}
}

func TestPruningLeavesWhatIsNotOnlyARunOfOurs(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	other := newFolder(t)
	other.complete("run", "keyword", "2020-01-01T00:00:00Z", 1)
	old := "2020-01-01T00:00:00Z"
	f.complete("newest", "keyword", "2026-01-01T00:00:00Z", 1)
	f.complete("undated", "keyword", "", 1)
	f.complete("misdated", "keyword", "yesterday", 1)
	f.played("cut", "keyword", 1, 3)
	f.played("unsummed", "keyword", 3, 3)
	going := f.begin("going", "keyword", 1, 3)
	f.write("no-run/run.json", `{"schema": "npm", "settings": {}}`)
	f.write("nothing-of-ours/notes.txt", "mine")
	f.complete("with-notes", "keyword", old, 1)
	f.write("with-notes/notes.txt", "mine")
	f.complete("with-folder", "keyword", old, 1)
	f.write("with-folder/sub/file", "mine")
	f.complete("with-link", "keyword", old, 1)
	f.must(os.Symlink(filepath.Join(other.dir, "run"), filepath.Join(f.dir, "with-link", "more")))
	f.complete("journal-link", "keyword", old, 1)
	f.must(os.Remove(filepath.Join(f.dir, "journal-link", "journal.jsonl")))
	f.must(os.Symlink(filepath.Join(other.dir, "run", "journal.jsonl"), filepath.Join(f.dir, "journal-link", "journal.jsonl")))
	f.must(os.Symlink(filepath.Join(other.dir, "run"), filepath.Join(f.dir, "link")))
	before := tree(t, f.dir) + tree(t, other.dir)
	gone, kept := f.prune(1)
	want := []string{
		`with-folder: it holds "sub", which no run writes`, `with-link: it holds "more", which no run writes`, `with-notes: it holds "notes.txt", which no run writes`,
		"cut: it is not complete", "going: it is not complete", "journal-link: it cannot be read", "misdated: it has no date", "no-run: it cannot be read",
		"undated: it has no date", "unsummed: it is not complete",
	}
	if d := cmp.Diff(want, kept); d != "" || len(gone) > 0 {
		t.Errorf("%s; gone %q", d, gone)
	}
	if d := cmp.Diff(before, tree(t, f.dir)+tree(t, other.dir)); d != "" {
		t.Error(d)
	}
	f.must(going.Finish())
}

// tree lists everything below a folder, with what is in the files.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", path, info.Mode())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRemovingLooksAgain changes a run between the plan and its removal.
func TestRemovingLooksAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(f *folder)
		want   string
	}{
		"it is gone": {func(f *folder) { f.must(os.RemoveAll(filepath.Join(f.dir, "run"))) }, "it is no folder any more"},
		"it became a link": {func(f *folder) {
			f.must(os.Rename(filepath.Join(f.dir, "run"), filepath.Join(f.dir, "x")))
			f.must(os.Symlink("x", filepath.Join(f.dir, "run")))
		}, "it is no folder any more"},
		"it got a file":   {func(f *folder) { f.write("run/thesis.txt", "mine") }, `it holds "thesis.txt", which no run writes`},
		"it got a folder": {func(f *folder) { f.must(os.Mkdir(filepath.Join(f.dir, "run", "results-x.json"), 0o755)) }, `it holds "results-x.json", which no run writes`},
		"it got a pipe":   {func(f *folder) { f.must(syscall.Mkfifo(filepath.Join(f.dir, "run", "calls.jsonl"), 0o644)) }, `it holds "calls.jsonl", which no run writes`},
		"it is another run": {func(f *folder) {
			f.must(os.RemoveAll(filepath.Join(f.dir, "run")))
			f.complete("run", "random", "2020-01-01T00:00:00Z", 1)
		}, "it holds another run now"},
		"its run.json is gone": {func(f *folder) { f.must(os.Remove(filepath.Join(f.dir, "run", "run.json"))) }, "read"},
		"its journal is a link": {func(f *folder) {
			f.must(os.Remove(filepath.Join(f.dir, "run", "journal.jsonl")))
			f.must(os.Symlink("run.json", filepath.Join(f.dir, "run", "journal.jsonl")))
		}, "journal.jsonl is no regular file"},
		"it is being written": {func(f *folder) {
			j, err := os.OpenFile(filepath.Join(f.dir, "run", "journal.jsonl"), os.O_RDWR, 0)
			f.must(err)
			f.must(results.Lock(j))
			f.t.Cleanup(func() { _ = j.Close() })
		}, "another process is writing it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.complete("run", "keyword", "2020-01-01T00:00:00Z", 1)
			e := f.scan()[0]
			c.change(f)
			before := ""
			if name != "it is gone" && name != "it got a pipe" {
				before = tree(t, f.dir)
			}
			err := history.Remove(f.root, e)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "remove run: ") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if before != "" && before != tree(t, f.dir) {
				t.Errorf("it removed something: %s", cmp.Diff(before, tree(t, f.dir)))
			}
		})
	}
	f := newFolder(t)
	f.complete(".", "keyword", "2020-01-01T00:00:00Z", 1)
	f.results("a/lone.json", resultsOf("keyword", "2020-01-01T00:00:00Z", 1))
	for _, e := range append(f.scan(), &history.Entry{Path: "../x", State: history.Complete}) {
		if err := history.Remove(f.root, e); err == nil {
			t.Errorf("%s was removed", e.Path)
		}
	}
}
