package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePicturesShowWhatTheProgramPrints compares the texts that were drawn with those of today.
func TestThePicturesShowWhatTheProgramPrints(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it plays 2,400 episodes")
	}
	want, err := os.ReadFile(sources)
	if err != nil {
		t.Fatal(err)
	}
	got, err := shown(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("the pictures are old: run `go run ./docs/pictures` (-drawn +today):\n%s", d)
	}
}
