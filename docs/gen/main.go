// Command gen writes what is made from the commands themselves: the reference of commands and settings (docs/reference.md),
// the licences of what is in the program (docs/licenses.md), man pages and shell completions. Run it from the repository's root:
//
//	go run ./docs/gen
//	go run ./docs/gen --man DIR --completions DIR --licenses DIR
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/triagebench/triage/pkg/cli"
)

// page is the reference, from the repository's root.
const page = "docs/reference.md"

func main() {
	man := flag.String("man", "", "write man pages into this `folder` and not the reference")
	completions := flag.String("completions", "", "write shell completions into this `folder` and not the reference")
	texts := flag.String("licenses", "", "write THIRD_PARTY_LICENSES.txt into this `folder` and not the reference")
	flag.Parse()
	if err := run(*man, *completions, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(man, completions, texts string) error {
	commands := cli.Reference(bare(nil))
	if texts != "" {
		data, err := licenseTexts(".")
		if err != nil {
			return err
		}
		if err := write(texts, map[string][]byte{"THIRD_PARTY_LICENSES.txt": data}); err != nil {
			return err
		}
	}
	if man == "" && completions == "" && texts == "" {
		if err := os.WriteFile(page, markdown(commands), 0o644); err != nil {
			return err
		}
		data, err := licenses(".")
		if err != nil {
			return err
		}
		return os.WriteFile(licensesPage, data, 0o644)
	}
	if man != "" {
		files := map[string][]byte{}
		for i := range commands {
			files[manName(commands[i].Path)+".1"] = manPage(commands[i])
		}
		if err := write(man, files); err != nil {
			return err
		}
	}
	if completions == "" {
		return nil
	}
	files := map[string][]byte{}
	for shell, name := range map[string]string{"bash": "triage.bash", "zsh": "_triage", "fish": "triage.fish", "powershell": "triage.ps1"} {
		var out bytes.Buffer
		if code := cli.Main(context.Background(), bare(&out), []string{"completion", shell}); code != 0 {
			return fmt.Errorf("completion %s: exit code %d", shell, code)
		}
		files[name] = out.Bytes()
	}
	return write(completions, files)
}

// write makes a folder with files.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// bare is the program without the surroundings of this process, so that what is written is the same everywhere.
func bare(out *bytes.Buffer) *cli.App {
	app := cli.System()
	if out != nil {
		app.Out = out
	}
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	return app
}
