package results_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
)

// placesOf are the places of the episodes that a folder gives, in its order.
func placesOf(t *testing.T, f *results.Folder) (list []int, torn bool) {
	t.Helper()
	torn, err := f.Episodes(func(ep *results.Logged) error {
		list = append(list, placeOf(ep.Key))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, torn
}

func TestAFolderIsReadWhileItsRunGoesOn(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, results.Settings{results.AgentsSetting: "a,b", "agent a: temperature": "0"})
	appendAll(t, j, 2, 0)
	if err := j.Append(2, brokenAt(2)); err != nil { // again: the last counts
		t.Fatal(err)
	}
	journal := read(t, root, results.JournalFile)
	write(t, root, results.JournalFile, journal+`{"key":{"agent"`)
	f, err := results.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, torn := placesOf(t, f); !cmp.Equal(got, []int{0, 2}) || !torn || f.Complete {
		t.Errorf("%v, torn %v, complete %v", got, torn, f.Complete)
	}
	if d := cmp.Diff(map[string]string{"temperature": "0"}, f.AgentSettings("a")); d != "" {
		t.Error(d)
	}

	write(t, root, results.JournalFile, journal)
	finish(t, j)
	for _, agent := range []string{"b", "a"} {
		var b bytes.Buffer
		r := results.Results{Agent: agent, Tasks: []results.TaskSummary{{N: 1}}}
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		write(t, root, results.ResultsPrefix+agent+results.ResultsSuffix, b.String())
	}
	if f, err = results.OpenFolder(root); err != nil {
		t.Fatal(err)
	}
	if got, torn := placesOf(t, f); !cmp.Equal(got, []int{0, 2}) || torn || !f.Complete {
		t.Errorf("%v, torn %v, complete %v", got, torn, f.Complete)
	}
	if f.Results[0].Agent != "a" || f.ResultsOf("b") == nil || f.ResultsOf("c") != nil {
		t.Errorf("results of %s, %s", f.Results[0].Agent, f.Results[1].Agent)
	}
}

func TestAFolderWithoutEpisodesOrWithAForeignFileSaysSo(t *testing.T) {
	t.Parallel()
	root := folder(t)
	if _, err := results.OpenFolder(root); err == nil || !strings.Contains(err.Error(), "run.json") {
		t.Error(err)
	}
	finish(t, create(t, root, results.Settings{results.AgentsSetting: "a"}))
	write(t, root, "results-a.json", "{}")
	if _, err := results.OpenFolder(root); err == nil || !strings.Contains(err.Error(), "results-a.json: not a results file") {
		t.Error(err)
	}
	for _, name := range []string{"results-a.json", results.JournalFile, results.EpisodesFile} {
		if err := root.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	f, err := results.OpenFolder(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Episodes(func(*results.Logged) error { return nil }); err == nil || !strings.Contains(err.Error(), "it has no episodes") {
		t.Error(err)
	}
	write(t, root, results.JournalFile, "{}\n{}\n")
	if _, err := f.Episodes(func(*results.Logged) error { return nil }); err == nil || !strings.Contains(err.Error(), "journal.jsonl:1: not an episode") {
		t.Error(err)
	}
}
