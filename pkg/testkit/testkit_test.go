package testkit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/testkit"
)

// heard is a test that takes down what it is told.
type heard struct {
	testing.TB
	text string
}

func (h *heard) Helper() {}

func (h *heard) Errorf(format string, args ...any) { h.text += fmt.Sprintf(format, args...) }

func TestGoldenTellsAnotherText(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.golden")
	if err := os.WriteFile(file, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, file, "one\n")
	var h heard
	testkit.Golden(&h, file, []byte("two\n"))
	if !strings.Contains(h.text, "a.golden; -update rewrites it") {
		t.Errorf("another text gives %q", h.text)
	}
}

func TestFullTakesWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	f := &testkit.Full{Room: 5}
	for _, step := range []struct {
		text string
		n    int
		full bool
	}{{"abc", 3, false}, {"", 0, false}, {"def", 2, true}, {"g", 0, true}} {
		n, err := f.Write([]byte(step.text))
		if n != step.n || errors.Is(err, testkit.ErrFull) != step.full {
			t.Errorf("%q: %d bytes, %v", step.text, n, err)
		}
	}
}
