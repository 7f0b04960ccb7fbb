//go:build unix

package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// lines are what a list says of each entry.
func lines(list []*history.Entry) []string {
	var out []string
	for _, e := range list {
		date := "–"
		if !e.Finished.IsZero() {
			date = e.Finished.Format("2006-01-02")
		}
		out = append(out, fmt.Sprintf("%s | %s | %s | %s", e.Path, strings.Join(e.Agents, ","), date, e.Progress()))
	}
	return out
}

// lesson D58: how far a run came is counted from its episodes.
func TestARunIsListedByTheEpisodesThatAreThere(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete("b", "keyword", "2026-01-02T03:04:05Z", 0.5, 1)
	f.complete("deep/er/a", "keyword", "2026-01-02T03:04:05Z", 0.5, 1)
	f.complete("newest", "random", "2026-03-02T03:04:05Z", 0.5)
	f.complete("undated", "random", "", 0.5)
	f.played("cut", "heuristic", 3, 10)
	f.played("all-played", "heuristic", 4, 4)
	going := f.begin("going", "heuristic", 2, 5)
	f.must(going.Append(2, broken("heuristic", 2)))
	// a status word that says otherwise changes nothing
	f.write("cut/status.txt", "complete")
	// results of fewer episodes than were planned, as score gives them of an interrupted run
	f.played("scored", "keyword", 1, 9)
	f.results("scored/results-keyword.json", resultsOf("keyword", "2025-01-01T00:00:00Z", 0.5))
	f.results("lone.json", resultsOf("constant", "2024-01-01T00:00:00+02:00", 0, 1))
	f.write("notes.json", `{"schema": "something else"}`)
	f.write("README.md", "triage.results/1")
	want := []string{
		"newest | random | 2026-03-02 | complete",
		"b | keyword | 2026-01-02 | complete",
		"deep/er/a | keyword | 2026-01-02 | complete",
		"scored | keyword | 2025-01-01 | interrupted: 1 of 9",
		"lone.json | constant | 2023-12-31 | complete",
		"all-played | heuristic | – | not summed up: 4 of 4",
		"cut | heuristic | – | interrupted: 3 of 10",
		"going | heuristic | – | going on: 3 of 5",
		"undated | random | – | complete",
	}
	if d := cmp.Diff(want, lines(f.scan())); d != "" {
		t.Error(d)
	}
	e := history.NewScanner(f.root).Look("going")
	if e.Done != 3 || e.Broke != 1 || e.Planned != 5 || len(e.Digest) != 16 {
		t.Errorf("going: %+v", e)
	}
	f.must(going.Finish())
	if e := history.NewScanner(f.root).Look("going"); e.State != history.Interrupted {
		t.Errorf("a run that nobody writes any more is %s", e.Progress())
	}
}

func TestABrokenFolderIsARowAndNotTheEnd(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete("good", "keyword", "2026-01-02T03:04:05Z", 1)
	f.write("no-json/run.json", "{")
	f.write("another-schema/run.json", `{"schema": "x/1", "settings": {}}`)
	f.write("no-settings/run.json", `{"schema": "triage.run/1"}`)
	f.write("nameless/journal.jsonl", "")
	f.complete("bad-results", "keyword", "2026-01-02T03:04:05Z", 1)
	f.write("bad-results/results-keyword.json", `{"schema": "triage.results/1"}`)
	f.played("bad-journal", "keyword", 1, 3)
	f.write("bad-journal/journal.jsonl", "{}\n{}\n")
	f.write("lone.json", `{"schema": "triage.results/1"}`)
	f.must(os.MkdirAll(filepath.Join(f.dir, "a-folder", "run.json"), 0o755))
	if err := syscall.Mkfifo(filepath.Join(f.dir, "a-folder", "journal.jsonl"), 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // root reads everything
		f.complete("closed", "keyword", "2026-01-02T03:04:05Z", 1)
		f.must(os.Chmod(filepath.Join(f.dir, "closed"), 0))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(f.dir, "closed"), 0o755) })
	}
	want := map[string]string{
		"good": "complete", "no-json": "run.json: not a run", "another-schema": `schema "x/1" is not triage.run/1`, "no-settings": "not triage.run/1",
		"nameless": "it has no run.json: nobody knows what was run", "bad-results": "results-keyword.json: not a results file: agent.name is missing",
		"bad-journal": "journal.jsonl: the line at byte 0 is not an episode: it does not begin with a key", "lone.json": "lone.json: not a results file",
		"a-folder": "journal.jsonl is no regular file", "closed": "permission denied",
	}
	list := f.scan()
	for _, e := range list {
		if text := e.Progress(); want[e.Path] == "" || !strings.Contains(text, want[e.Path]) || strings.Contains(text, f.dir) {
			t.Errorf("%s is %q, want %q", e.Path, text, want[e.Path])
		}
	}
	if len(list) < len(want)-1 {
		t.Errorf("%d entries of %d: %q", len(list), len(want), lines(list))
	}
	for _, e := range list {
		if e.Path == "bad-results" && (e.Digest == "" || len(e.Agents) != 1) {
			t.Errorf("what can be read of a broken run is lost: %+v", e)
		}
	}
}

func TestListingGoesNowhereElse(t *testing.T) {
	t.Parallel()
	other := newFolder(t)
	other.complete("run", "keyword", "2026-01-02T03:04:05Z", 1)
	f := newFolder(t)
	f.complete(".hidden/run", "keyword", "", 1)
	f.complete("1/2/3/4/deep", "keyword", "", 1)
	f.complete("1/2/3/4/5/too-deep", "keyword", "", 1)
	f.complete("run/inner", "keyword", "", 1) // beside it a run.json: what lies in a run is not looked for
	f.write("run/run.json", "{}")
	f.must(os.Symlink(filepath.Join(other.dir, "run"), filepath.Join(f.dir, "link")))
	f.must(os.Symlink(filepath.Join(f.dir, "1"), filepath.Join(f.dir, "inside")))
	f.must(os.Symlink(filepath.Join(other.dir, "run", "results-keyword.json"), filepath.Join(f.dir, "link.json")))
	f.complete("run-link", "keyword", "", 1)
	f.must(os.Remove(filepath.Join(f.dir, "run-link", "results-keyword.json")))
	f.must(os.Symlink(filepath.Join(other.dir, "run", "results-keyword.json"), filepath.Join(f.dir, "run-link", "results-keyword.json")))
	want := []string{
		"1/2/3/4/deep | keyword | – | complete",
		"run |  | – | broken: run.json: schema \"\" is not triage.run/1",
		"run-link |  | – | broken: results-keyword.json is no regular file",
	}
	if d := cmp.Diff(want, lines(f.scan())); d != "" {
		t.Error(d)
	}
	s := history.NewScanner(f.root)
	for _, path := range []string{"../" + filepath.Base(other.dir) + "/run", "/etc", "", "link", "nothing", "1", "run/../run-link", "\xff"} {
		if e := s.Look(path); e.State != history.Broken || e.Problem == "" {
			t.Errorf("looking at %q gives %s", path, e.Progress())
		}
	}
}

func TestTheFolderItselfMayBeARun(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete(".", "keyword", "2026-01-02T03:04:05Z", 1)
	if d := cmp.Diff([]string{". | keyword | 2026-01-02 | complete"}, lines(f.scan())); d != "" {
		t.Error(d)
	}
	if e := history.NewScanner(f.root).Look("."); e.State != history.Complete {
		t.Errorf("it is %s", e.Progress())
	}
	gone := newFolder(t)
	f.must(os.Remove(gone.dir))
	if list, err := history.NewScanner(gone.root).Scan(); err == nil {
		t.Errorf("a folder that is gone lists %q", lines(list))
	}
}

func TestAShardPlansItsPart(t *testing.T) {
	t.Parallel()
	for shard, want := range map[string]string{"1/3": "interrupted: 1 of 4", "2/3": "interrupted: 1 of 3", "3/3": "interrupted: 1 of 3",
		"0/3": "interrupted: 1 of 10", "x": "interrupted: 1 of 10", "9223372036854775807/9223372036854775807": "interrupted: 1 episodes", "1/9223372036854775807": "interrupted: 1 episodes"} {
		f := newFolder(t)
		s := settings("keyword", 10)
		s["shard"] = shard
		j, err := results.CreateRun(f.sub("run"), s, 10, clock)
		f.must(err)
		f.must(j.Append(0, episode("keyword", 0)))
		f.must(j.Finish())
		if e := f.scan()[0]; e.Progress() != want {
			t.Errorf("shard %s is %s, want %s", shard, e.Progress(), want)
		}
	}
	f := newFolder(t)
	j, err := results.CreateRun(f.sub("run"), results.Settings{"agents": "keyword"}, 1, clock)
	f.must(err)
	f.must(j.Append(0, episode("keyword", 0)))
	f.must(j.Finish())
	if e := f.scan()[0]; e.Progress() != "interrupted: 1 episodes" {
		t.Errorf("without a plan it is %s", e.Progress())
	}
}

// lesson D63: an episode that stands there twice counts once, and progress is never over 100 %.
func TestAJournalIsReadOnAsItGrows(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	j := f.begin("run", "keyword", 0, 5)
	s := history.NewScanner(f.root)
	check := func(done, broke int, state history.State) {
		t.Helper()
		if e := s.Look("run"); e.Done != done || e.Broke != broke || e.State != state {
			t.Errorf("%d done, %d broke, %s; want %d, %d, %s", e.Done, e.Broke, e.Progress(), done, broke, state)
		}
	}
	check(0, 0, history.Running)
	f.must(j.Append(0, episode("keyword", 0)))
	check(1, 0, history.Running)
	f.must(j.AppendStep(triage.Key{Agent: "keyword", Task: "desk-easy", Seed: 43}, 0, &triage.Step{}))
	check(1, 0, history.Running)
	f.must(j.Append(1, broken("keyword", 1)))
	check(2, 1, history.Running)
	f.must(j.Append(1, episode("keyword", 1))) // played again
	check(2, 0, history.Running)
	name := filepath.Join(f.dir, "run", results.JournalFile)
	whole, err := os.ReadFile(name)
	f.must(err)
	half := append(whole[:len(whole):len(whole)], whole[:40]...) // a torn line
	f.must(os.WriteFile(name, half, 0o644))
	check(2, 0, history.Running)
	f.must(os.WriteFile(name, append(half[:len(half):len(half)], '\n'), 0o644)) // torn, and ended all the same
	check(2, 0, history.Running)
	f.must(os.WriteFile(name, whole[:20], 0o644)) // shorter: it is read from its beginning
	check(0, 0, history.Running)
	if err := j.Finish(); err == nil { // it lets go of the journal, whatever it says
		t.Error("the writer does not see that its journal was changed")
	}
	if e := s.Look("run"); e.State != history.Interrupted {
		t.Errorf("after the end it is %s", e.Progress())
	}
}

func TestWhatDidNotChangeIsNotReadAgain(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.complete("run", "keyword", "2026-01-02T03:04:05Z", 1)
	f.results("lone.json", resultsOf("keyword", "", 1))
	s := history.NewScanner(f.root)
	first, err := s.Scan()
	f.must(err)
	again, err := s.Scan()
	f.must(err)
	if len(first) != 2 || first[0] != again[0] || first[1] != again[1] {
		t.Errorf("it reads again: %q, %q", lines(first), lines(again))
	}
	f.results("run/results-keyword.json", resultsOf("keyword", "2027-01-02T03:04:05Z", 0.25))
	third, err := s.Scan()
	f.must(err)
	if third[0] == first[0] || third[0].Overall[0].Mean != 0.25 || third[0].Version == first[0].Version {
		t.Errorf("it does not see what changed: %+v", third[0])
	}
	f.must(os.RemoveAll(filepath.Join(f.dir, "run")))
	if last, err := s.Scan(); err != nil || len(last) != 1 {
		t.Errorf("it lists what is gone: %q, %v", lines(last), err)
	}
}

func TestHostileNamesAreListed(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for _, name := range []string{"=cmd()", "a|b", "<script>", "new\nline", "\u202eleft", strings.Repeat("long", 50), "-rf"} {
		f.complete(name, "keyword", "", 1)
	}
	f.must(os.Mkdir(filepath.Join(f.dir, "no\xffutf"), 0o755))
	list := f.scan()
	if len(list) != 8 {
		t.Fatalf("%q", lines(list))
	}
	for _, e := range list {
		if want := e.Path != "no\xffutf"; (e.State == history.Complete) != want {
			t.Errorf("%q is %s", e.Path, e.Progress())
		}
	}
}
