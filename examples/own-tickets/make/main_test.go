package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheExportIsWhatItsCommandMakes(t *testing.T) {
	t.Parallel()
	table, bodies, err := export()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"tickets.csv": table, "bodies.json": bodies} {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not current: go run ./examples/own-tickets/make", name)
		}
	}
}
