// Command pack writes baselines/packed.txt and names.txt, which the binary has embedded, from the files of that folder. It is run by go generate in
// baselines, after whatever changed one of them.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

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
	if err := os.WriteFile(filepath.Join(dir, "packed.txt"), text, 0o644); err != nil {
		return err
	}
	names, err := fs.Glob(os.DirFS(dir), "scores/*.json")
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, name := range names {
		list.WriteString(strings.TrimSuffix(path.Base(name), ".json") + "\n")
	}
	return os.WriteFile(filepath.Join(dir, "names.txt"), []byte(list.String()), 0o644)
}
