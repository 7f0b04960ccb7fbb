// Command bankgen writes the embedded form of the bank: pkg/scenario/embedded from pkg/scenario/bank. It is run by
// go generate in pkg/scenario.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/scenario"
)

func main() {
	if err := run("bank", "embedded"); err != nil {
		fmt.Fprintln(os.Stderr, "bankgen:", err)
		os.Exit(1)
	}
}

func run(bank, embedded string) error {
	b, err := scenario.LoadDir(os.DirFS(bank))
	if err != nil {
		return err
	}
	files, err := scenario.Generate(b)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(embedded, name), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d scenarios, %d voices, bank %s\n", len(b.Scenarios), len(b.Voices), b.Hash)
	return nil
}
