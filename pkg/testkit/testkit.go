// Package testkit has what the tests of several packages do alike: compare with a golden file ([Golden]), write to a full disk ([Full]) and
// look for products that round otherwise elsewhere ([NoFusedProducts]). Only tests import it.
package testkit

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares a text with a committed file. With the flag -update it writes the file first.
func Golden[T string | []byte](t testing.TB, file string, got T) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -update writes it, to be read and committed", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s; -update rewrites it (-want +got):\n%s", file, diff)
	}
}

// ErrFull is the error of [Full].
var ErrFull = errors.New("disk full")

// Full is a writer with room for so many bytes.
type Full struct{ Room int }

// Write takes what there is room for, and gives ErrFull where that is not all.
func (f *Full) Write(data []byte) (int, error) {
	if len(data) > f.Room {
		n := f.Room
		f.Room = 0
		return n, ErrFull
	}
	f.Room -= len(data)
	return len(data), nil
}

// fused are the arm64 instructions that round a product and a sum at once.
var fused = regexp.MustCompile(`\tFN?M(ADD|SUB)[SD]\t`)

// NoFusedProducts builds the package of the test for arm64 and demands that no product is rounded together with a sum: figures have
// the same bits everywhere then. The package must have so many products at least, which shows that it is the listing that was read.
// With -short the test is skipped.
func NoFusedProducts(t *testing.T, least int) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds for arm64")
	}
	cmd := exec.Command("go", "build", "-gcflags=-S", ".")
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("building for arm64: %v\n%s", err, out)
	}
	products := 0
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("\tFMULD\t")) {
			products++
		}
		if fused.Match(line) {
			t.Errorf("put float64() around the product: %s", bytes.TrimSpace(line))
		}
	}
	if products < least {
		t.Errorf("the listing has %d products: it is not that of this package", products)
	}
}
