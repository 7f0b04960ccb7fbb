package main_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/cli"
)

// readmeCommands are README's two commands, as they stand there.
const readmeCommands = "```sh\ngo run ./cmd/triage baseline --difficulties easy medium hard --seed 42\ngo test ./...\n```\n"

// TestReadmeShowsWhatItsCommandPrints fails when tickets, agents or tables changed and README still has the old output.
func TestReadmeShowsWhatItsCommandPrints(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	if !strings.Contains(readme, readmeCommands) {
		t.Error("README no longer has its two commands as they were")
	}
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	args := strings.Fields("baseline --difficulties easy medium hard --seed 42 --output " + filepath.Join(t.TempDir(), "baseline_results.json"))
	if code := cli.Main(context.Background(), app, args); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	tables, _, found := strings.Cut(out.String(), "Results: ")
	if !found || !strings.Contains(readme, tables) {
		t.Errorf("README does not show what its command prints now:\n%s", tables)
	}
}

// TestReadmeNamesOnlyFlagsThatExist runs every command line of README that begins with "triage" as far as its help.
func TestReadmeNamesOnlyFlagsThatExist(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"README.md", "CONTRIBUTING.md", "docs/models.md", "docs/confidence.md", "docs/prompts.md", "docs/doctor.md", "docs/fake-llm.md", "docs/agents.md",
		"docs/serving.md", "docs/play.md", "docs/history.md", "docs/view.md", "docs/compare.md", "docs/ci.md", "docs/report.md", "docs/scenarios.md", "examples/README.md"} {
		data, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for _, line := range strings.Split(string(data), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced && strings.HasPrefix(line, "```sh")
				continue
			}
			args, ok := strings.CutPrefix(line, "triage ")
			if !fenced || !ok {
				continue
			}
			args, _, _ = strings.Cut(args, "#")
			args, _, _ = strings.Cut(args, " | ")
			app := cli.System()
			var out, errs bytes.Buffer
			app.Out, app.Err, app.ErrTerminal = &out, &errs, false
			if code := cli.Main(context.Background(), app, append(strings.Fields(args), "--help")); code != 0 {
				t.Errorf("%s: %q: exit code %d: %s", file, line, code, errs.String())
			}
		}
	}
}
