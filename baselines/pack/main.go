// Command pack writes baselines/packed.txt, which the binary has embedded, from the files of that folder. It is run by go generate in
// baselines, after whatever changed one of them.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/packed"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	text, err := packed.PackFiles(os.DirFS(dir), baselines.Patterns()...)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "packed.txt"), text, 0o644)
}
