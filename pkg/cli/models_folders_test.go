package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/results"
)

func TestShardsOfAModelMergeToTheBytesOfTheWholeRun(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "form: {exact: 1, fenced: 1}\nquirks: [refuse_temperature]\nvary: request\n", "desk-easy", "queue-easy")
	args := func(out string, more ...string) []string {
		return r.args("run", append([]string{"--tasks", "desk-easy", "queue-easy", "--episodes", "3", "--trials", "2", "--no-meta", "--out", r.file(t, out, "")}, more...)...)
	}
	r.play(t, ExitOK, args("whole")...)
	r.play(t, ExitOK, args("one", "--shard", "1/2")...)
	r.play(t, ExitOK, args("two", "--shard", "2/2")...)
	out, _ := r.play(t, ExitOK, "merge", r.file(t, "one", ""), r.file(t, "two", ""), "--no-floor", "--out", r.file(t, "merged", ""))
	for _, name := range []string{"run.json", "episodes.jsonl", "results-llamacpp_fake.json", "learned.json"} {
		if d := cmp.Diff(readFile(t, r.dir, "whole", name), readFile(t, r.dir, "merged", name)); d != "" {
			t.Errorf("%s (-whole +merged):\n%s", name, d)
		}
	}
	if !strings.Contains(out, "Reliability over trials") || !strings.Contains(out, "fake: temperature was not applied: the endpoint refuses it.") || !strings.Contains(out, "│ llamacpp:fake │ all        │          – │    – │") {
		t.Errorf("it prints %s", out)
	}
	r.file(t, "two/learned.json", "[")
	if _, errs := r.play(t, ExitUsage, "merge", r.file(t, "one", ""), r.file(t, "two", ""), "--no-floor", "--out", r.file(t, "again", "")); !strings.Contains(errs, "DIR/two/learned.json: not a file") {
		t.Errorf("it says %s", errs)
	}
}

func TestABaselineOfAModelIsTheSameFileFromTheCache(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	args := func(out string, more ...string) []string {
		return r.args("baseline", append([]string{"--tasks", "desk-easy", "--episodes", "3", "--cache-dir", r.file(t, "cache", ""), "--no-meta", "--output", r.file(t, out+".json", ""), "--out", r.file(t, out, "")}, more...)...)
	}
	out, _ := r.play(t, ExitOK, args("one")...)
	if !strings.Contains(out, "Results: DIR/one.json\nRun: DIR/one (episodes.jsonl, results-<agent>.json)") {
		t.Errorf("it prints %s", out)
	}
	out, _ = r.play(t, ExitOK, args("two", "--check")...)
	if !strings.Contains(out, "│ llamacpp:fake │ desk-easy │          0 │    3 │       0 │") || r.server.Calls() != 3 {
		t.Errorf("%d calls; it prints %s", r.server.Calls(), out)
	}
	for _, other := range []string{"two.json", "one/results-llamacpp_fake.json", "two/results-llamacpp_fake.json"} {
		if d := cmp.Diff(readFile(t, r.dir, "one.json"), readFile(t, r.dir, other)); d != "" {
			t.Errorf("%s (-one.json +it):\n%s", other, d)
		}
	}
	// what is in the way is found before anything is called, and nothing stays open
	r.file(t, "here", "x")
	for name, bad := range map[string]string{"a folder": r.dir, "under a file": filepath.Join(r.dir, "here", "b.json"), "no name": r.dir + "/"} {
		if _, errs := r.play(t, ExitUsage, args("three", "--output", bad, "--temperature", "1", "--record", r.file(t, "tape", ""))...); r.server.Calls() != 3 || errs == "" {
			t.Errorf("%s: %d calls; it says %s", name, r.server.Calls(), errs)
		}
	}
	if isThere(newTestApp().App, r.file(t, "tape/recording.jsonl", "")) {
		t.Error("the recording was not closed")
	}
}

// TestAFolderThatAnotherRunWritesIsLeftAlone has a run that is going on: what it writes at this moment is not cut off.
func TestAFolderThatAnotherRunWritesIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	args := r.args("run", "--tasks", "desk-easy", "--episodes", "2", "--no-meta", "--out", r.file(t, "run", ""))
	r.play(t, ExitOK, args...)
	torn := readFile(t, r.dir, "run", "calls.jsonl") + `{"agent":"llama`
	r.file(t, "run/calls.jsonl", torn)
	journal, err := os.OpenFile(filepath.Join(r.dir, "run", "journal.jsonl"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := results.Lock(journal); err != nil {
		t.Fatal(err)
	}
	if _, errs := r.play(t, ExitUsage, append(args, "--resume")...); !strings.Contains(errs, "journal.jsonl") || readFile(t, r.dir, "run", "calls.jsonl") != torn {
		t.Errorf("it says %s, and the calls are %s", errs, readFile(t, r.dir, "run", "calls.jsonl"))
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	r.play(t, ExitOK, append(args, "--resume")...)
	if got := readFile(t, r.dir, "run", "calls.jsonl"); !strings.HasPrefix(torn, got) || strings.Count(got, "\n") != 2 {
		t.Errorf("the calls are %s", got)
	}
	// calls of another run do not count, and one that holds something else is said to
	r.file(t, "run/calls.jsonl", "no call\n")
	if _, errs := r.play(t, ExitUsage, append(args, "--resume")...); !strings.Contains(errs, "DIR/run/calls.jsonl:1: not a call") {
		t.Errorf("it says %s", errs)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.file(t, "other/calls.jsonl", torn)
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "1", "--out", filepath.Join(r.dir, "other"))...)
	if f := readResults(t, r.dir, "other", "results-llamacpp_fake.json"); f.Meta.CallsInAll.Made != 1 {
		t.Errorf("%d calls are counted", f.Meta.CallsInAll.Made)
	}
	if _, errs := r.play(t, ExitUsage, args...); !strings.Contains(errs, "holds a run already") {
		t.Errorf("it says %s", errs)
	}
}

func TestARunOfAModelThatIsInterruptedAtItsLastCallGoesOn(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	ctx, cancel := context.WithCancelCause(t.Context())
	args := []string{"run", "--agent", "llm", "--model", "llamacpp:fake", "--base-url", r.base, "--cache", "off", "--tasks", "desk-easy", "--episodes", "2", "--workers", "1", "--progress", "off", "--out", r.file(t, "run", "")}
	a := newTestApp()
	r.replied = func(s fakellm.Seen) {
		if s.Call == 2 { // the last one; its reply still comes, or is asked for again
			cancel(Interrupted{Code: ExitTerminated})
		}
	}
	if code := a.run(ctx, args...); code != ExitTerminated || !strings.Contains(a.out.String(), " of 2 episodes were finished.") {
		t.Errorf("it exits with %d and prints %s", code, a.out.String())
	}
	out, _ := r.play(t, ExitOK, append(args, "--resume")...)
	if !strings.Contains(out, floorNote) || r.server.Calls() > 3 {
		t.Errorf("%d calls; it prints %s", r.server.Calls(), out)
	}
}

func TestTheCacheIsUsedAsItsModeSays(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	calls := 0
	for i, step := range []struct {
		mode string
		want int // calls
	}{{"read", 2}, {"on", 2}, {"on", 0}, {"read", 0}, {"refresh", 2}, {"off", 2}} {
		r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "2", "--cache", step.mode, "--cache-dir", r.file(t, "cache", ""))...)
		if n := r.server.Calls() - calls; n != step.want {
			t.Errorf("step %d, --cache %s: %d calls, want %d", i, step.mode, n, step.want)
		}
		calls = r.server.Calls()
	}
	// the user's own folder where none is named
	a := newTestApp()
	a.CacheDir = func() (string, error) { return filepath.Join(r.dir, "home"), nil }
	r.playIn(t, a, ExitOK, "run", "--agent", "llm", "--model", "llamacpp:fake", "--base-url", r.base, "--tasks", "desk-easy", "--episodes", "1", "--no-floor")
	if _, err := os.Stat(filepath.Join(r.dir, "home", "triage", "llm")); err != nil {
		t.Error(err)
	}
	// recorded from the cache, without a call
	calls = r.server.Calls()
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "2", "--cache-dir", r.file(t, "cache", ""), "--record", r.file(t, "tape", ""))...)
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "2", "--replay", r.file(t, "tape", ""))...)
	if r.server.Calls() != calls {
		t.Errorf("%d calls were made", r.server.Calls()-calls)
	}
	if _, errs := r.play(t, ExitUnavailable, r.args("run", "--tasks", "desk-easy", "--episodes", "3", "--replay", r.file(t, "tape", ""))...); !strings.Contains(errs, "not_kept") || r.server.Calls() != calls {
		t.Errorf("it says %s", errs)
	}
}

func TestAReplayNeedsNoKeyButTheHeadersOfItsRequests(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	args := func(more ...string) []string {
		return r.args("run", append([]string{"--tasks", "desk-easy", "--episodes", "1", "--api-key-env", "MY_TOKEN", "--header", "X-Team: ${TEAM}"}, more...)...)
	}
	a := newTestApp()
	a.env["MY_TOKEN"], a.env["TEAM"] = "sk-0123456789", "blue"
	r.playIn(t, a, ExitOK, args("--record", r.file(t, "tape", ""))...)
	b := newTestApp()
	b.env["TEAM"] = "blue"
	r.playIn(t, b, ExitOK, args("--replay", r.file(t, "tape", ""))...)
	if _, errs := r.play(t, ExitUsage, args("--replay", r.file(t, "tape", ""))...); !strings.Contains(errs, "header X-Team: the variable TEAM is not set") {
		t.Errorf("it says %s", errs)
	}
	if r.server.Calls() != 1 {
		t.Errorf("%d calls", r.server.Calls())
	}
}
