package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestWhatEndpointsRefuseIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := makeRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder
	want := map[string]wire.Learned{"http://h/v1 m": {Drop: []string{"seed", "temperature"}, Rename: map[string]string{"max_tokens": "max_completion_tokens"}, Format: "json_object", MergeSystem: true, Notes: []string{"a", "b"}},
		"http://h/v1 n": {Format: "text"}}
	if err := writeLearned(root, "learned.json", want); err != nil {
		t.Fatal(err)
	}
	got, err := runLearned(root)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, l := range []wire.Learned{{Drop: []string{"seed"}}, {Rename: map[string]string{"a": "b"}}, {Format: "text"}, {MergeSystem: true}, {Notes: []string{"a"}}} {
		if isNothing(l) {
			t.Errorf("%+v is nothing", l)
		}
	}
	if !isNothing(wire.Learned{}) {
		t.Error("nothing is something")
	}
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":          {"learned: yes", "not a file of triage doctor --write: invalid character"},
		"another schema":   {`{"schema":"triage.learned/2"}`, `schema "triage.learned/2" is not triage.learned/1`},
		"an unknown form":  {`{"schema":"triage.learned/1","endpoints":{"http://h/v1 m":{"format":"jsn"}}}`, `endpoint http://h/v1 m: format "jsn" is not one of json_schema, json_object, tools, text`},
		"auto is no form":  {`{"schema":"triage.learned/1","endpoints":{"u m":{"format":"auto"}}}`, `endpoint u m: format "auto" is not one of`},
		"a list of fields": {`{"schema":"triage.learned/1","endpoints":[]}`, "not a file of triage doctor --write: json"},
	} {
		if err := root.WriteFile("learned.json", []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := runLearned(root); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "learned.json")+": "+tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := root.Remove("learned.json"); err != nil {
		t.Fatal(err)
	}
	if got, err := runLearned(root); got != nil || err != nil {
		t.Errorf("without a file there is %v, %v", got, err)
	}
	if err := root.Mkdir("learned.json", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := runLearned(root); err == nil {
		t.Error("a folder is read")
	}
}

// TestARunBeginsWithWhatIsKnownAndGoesOnWithWhatItLearned counts the requests that are refused.
func TestARunBeginsWithWhatIsKnownAndGoesOnWithWhatItLearned(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "quirks: [refuse_temperature]\nby_model:\n  other: {quirks: [refuse_json_schema]}\n", "desk-easy")
	refused := func(from int) int {
		n := 0
		for _, s := range r.server.Seen()[from:] {
			if s.Status == 400 {
				n++
			}
		}
		return n
	}
	args := func(out string, more ...string) []string {
		return r.args("run", append([]string{"--model", "llamacpp:fake", "--model", "llamacpp:other", "--tasks", "desk-easy", "--episodes", "2", "--workers", "1", "--no-meta", "--out", r.file(t, out, "")}, more...)...)
	}
	r.play(t, ExitOK, args("first")...)
	if n := refused(0); n != 2 {
		t.Errorf("%d requests were refused, want one a model", n)
	}
	known := r.file(t, "known.json", readFile(t, r.dir, "first", "learned.json"))
	before := r.server.Calls()
	out, _ := r.play(t, ExitOK, args("second", "--learned", known, "--record", r.file(t, "tape", ""))...)
	if n := refused(before); n != 0 {
		t.Errorf("%d requests were refused that were known to be", n)
	}
	if !strings.Contains(out, "fake: temperature was not applied: the endpoint refuses it.\nother: response format json_object was asked for: the endpoint refuses json_schema.") {
		t.Errorf("it prints %s", out)
	}
	for _, name := range []string{"learned.json", "results-llamacpp_fake.json", "results-llamacpp_other.json"} {
		if d := cmp.Diff(readFile(t, r.dir, "first", name), readFile(t, r.dir, "second", name)); d != "" {
			t.Errorf("%s (-first +second):\n%s", name, d)
		}
	}
	// a cassette says by itself what was known when it was recorded
	before = r.server.Calls()
	r.play(t, ExitOK, args("third", "--replay", r.file(t, "tape", ""))...)
	if r.server.Calls() != before {
		t.Errorf("%d calls were made", r.server.Calls()-before)
	}
	if d := cmp.Diff(readFile(t, r.dir, "second", "episodes.jsonl"), readFile(t, r.dir, "third", "episodes.jsonl")); d != "" {
		t.Errorf("episodes (-recorded +replayed):\n%s", d)
	}
	// what the run itself found out counts more than a file from before, and what it knows of one model is not lost with another's
	stale := r.file(t, "stale.json", strings.Replace(readFile(t, known), `"temperature"`, `"seed"`, 1))
	if err := os.RemoveAll(filepath.Join(r.dir, "first", "episodes.jsonl")); err != nil {
		t.Fatal(err)
	}
	journal := readFile(t, r.dir, "first", "journal.jsonl")
	r.file(t, "first/journal.jsonl", journal[:strings.Index(journal, "\n")+1]) // the first episode only
	before = r.server.Calls()
	r.play(t, ExitOK, args("first", "--resume", "--learned", stale)...)
	if n := refused(before); n != 0 || r.server.Calls() != before+3 {
		t.Errorf("resumed, %d of %d requests were refused", n, r.server.Calls()-before)
	}
	if d := cmp.Diff(readFile(t, known), readFile(t, r.dir, "first", "learned.json")); d != "" {
		t.Errorf("learned (-before +resumed):\n%s", d)
	}
	// a file that cannot be read
	r.file(t, "first/learned.json", "{")
	if _, errs := r.play(t, ExitUsage, args("first", "--resume")...); !strings.Contains(errs, "DIR/first/learned.json: not a file of triage doctor --write") {
		t.Errorf("it says %s", errs)
	}
}

func TestWhatCannotBeWrittenDownOfAnEndpointIsToldAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "quirks: [refuse_temperature]\n", "desk-easy")
	run := r.file(t, "run", "")
	r.replied = func(s fakellm.Seen) {
		if s.Call == 1 {
			if err := os.MkdirAll(filepath.Join(run, "learned.json", "x"), 0o700); err != nil {
				t.Error(err)
			}
		}
	}
	_, errs := r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "2", "--workers", "1", "--out", run)...)
	if !strings.Contains(errs, "triage: warning: ") || !strings.Contains(errs, "learned.json") {
		t.Errorf("it says %q", errs)
	}
}
