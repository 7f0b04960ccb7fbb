package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
)

// TestTheEmbeddedModelIsWhatThisCommandMakes trains anew. What is promised is the same bytes on one architecture.
func TestTheEmbeddedModelIsWhatThisCommandMakes(t *testing.T) {
	t.Parallel()
	switch {
	case testing.Short():
		t.Skip("training takes a minute")
	case runtime.GOARCH != "amd64":
		t.Skip("the embedded model was trained on amd64")
	}
	dir := t.TempDir()
	if err := run(t.Context(), dir, agent.LinearBankTickets); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(filepath.Join("..", "weights-*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(made) == 0 || len(made) != len(there) {
		t.Fatalf("%d files are made, %d are there", len(made), len(there))
	}
	for _, name := range made {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("baselines/linear/%s is stale: run `go generate ./pkg/scenario && go run ./baselines/linear/make`", filepath.Base(name))
		}
		if len(got) >= 1<<20 {
			t.Errorf("baselines/linear/%s has %d bytes, want less than 1 MiB", filepath.Base(name), len(got))
		}
	}
}

func TestAModelIsCutIntoLinesAndFilesAndOldFilesGo(t *testing.T) {
	t.Parallel()
	model := bytes.Repeat([]byte{1, 2, 3, 4}, lineBytes*fileLines/4+10)
	files := inFiles(model)
	if len(files) != 2 || len(files[0]) != fileLines*(lineBytes/3*4+1) || len(files[0]) >= 1<<20 {
		t.Errorf("there are %d files, the first of %d bytes", len(files), len(files[0]))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "weights-9.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), dir, 20); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "weights-*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "weights-1.txt" {
		t.Errorf("there are %v, %v", left, err)
	}
	if err := run(t.Context(), filepath.Join(dir, "nowhere"), 20); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
