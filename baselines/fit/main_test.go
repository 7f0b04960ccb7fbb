package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreWhatFitGives(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it plays for half a minute")
	}
	dir := t.TempDir()
	for _, sub := range []string{"constant", "floor"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"constant/rules.json", "floor/fields.json"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("baselines/%s is stale: run `go generate ./pkg/scenario && go run ./baselines/fit`", name)
		}
	}
}

func TestMostIsTheFirstOfTheMostFrequent(t *testing.T) {
	t.Parallel()
	list := make([]example, 5)
	i := -1
	values := []string{"b", "a", "c", "a", "b"}
	if got := most([]string{"a", "b", "c"}, list, func(*example) string { i++; return values[i] }); got != "a" {
		t.Errorf("most gives %s", got)
	}
}

func TestSearchSetsTheBestValue(t *testing.T) {
	t.Parallel()
	v := 0
	search([]int{1, 5, 3, 5}, func(x int) { v = x }, func() float64 { return float64(v) })
	if v != 5 {
		t.Errorf("search sets %d", v)
	}
}
