package baselines_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/baselines"
)

// TestPackedFilesAreThoseOfTheFolder compares contents: the packed text may differ between versions of Go.
func TestPackedFilesAreThoseOfTheFolder(t *testing.T) {
	t.Parallel()
	const stale = "run `go generate ./baselines`"
	folder := os.DirFS(".")
	n := 0
	for _, pattern := range baselines.Patterns() {
		names, err := fs.Glob(folder, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s matches %d files: %v", pattern, len(names), err)
		}
		for _, name := range names {
			n++
			want, err := fs.ReadFile(folder, name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := fs.ReadFile(baselines.Files, name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s in packed.txt is stale: %s (%v)", name, stale, err)
			}
		}
	}
	all, err := fs.Glob(baselines.Files, "*/*")
	if err != nil || len(all) != n {
		t.Errorf("packed.txt has %d files, the folder %d: %s (%v)", len(all), n, stale, err)
	}
	scores, err := fs.Glob(folder, "scores/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range scores {
		scores[i] = strings.TrimSuffix(path.Base(name), ".json")
	}
	if got := baselines.ScoreNames(); !slices.Equal(got, scores) {
		t.Errorf("names.txt has %q, the folder %q: %s", got, scores, stale)
	}
	if info, err := os.Stat("packed.txt"); err != nil || info.Size() >= 1<<20 {
		t.Errorf("packed.txt has to stay under 1 MiB: %v", err)
	}
}
