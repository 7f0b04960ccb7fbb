package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
)

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"key":{"agent":"a","task":"desk-easy","seed":1},"steps":[],"score":1,"ended":"complete","error":null}` + "\n"))
	f.Add([]byte(`{"key":{"agent":"a","task":"desk-easy","seed":1},"index":0,"step":{}}` + "\n{\"key\":"))
	f.Add([]byte("\n\n"))
	dir := f.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	j, err := results.CreateRun(root, settings("a", 3), 3, clock)
	if err != nil {
		f.Fatal(err)
	}
	if err := j.Finish(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, results.JournalFile), data, 0o644); err != nil {
			t.Fatal(err)
		}
		e := history.NewScanner(root).Look(".")
		if e.Done < 0 || e.Broke < 0 || e.Broke > e.Done || e.State == history.Broken && e.Problem == "" {
			t.Errorf("%+v", e)
		}
	})
}
