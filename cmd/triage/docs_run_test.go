package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ranDocs are the documents whose commands a test runs, in their order, with the folder in a copy of which they run. A block that begins with
// ```sh no-test is left out, as it needs a person or a key.
var ranDocs = map[string]string{"docs/own-tickets.md": "examples/own-tickets", "docs/confidence.md": "examples/own-tickets"}

func TestTheCommandsOfDocumentsRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the program is built")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	p := buildProgram(t)
	root := filepath.Join("..", "..")
	for doc, folder := range ranDocs {
		t.Run(doc, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join(root, doc))
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "work")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, folder))); err != nil {
				t.Fatal(err)
			}
			blocks := commandsOf(string(data))
			if len(blocks) < 2 {
				t.Fatalf("%d blocks of commands", len(blocks))
			}
			for _, block := range blocks {
				cmd := exec.CommandContext(t.Context(), "sh", "-eu")
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(block)
				cmd.Env = []string{"PATH=" + filepath.Dir(p.path) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s\n%s", err, block, out)
				}
			}
		})
	}
}

// commandsOf gives the blocks of a document that are to be run.
func commandsOf(text string) (blocks []string) {
	var block strings.Builder
	inside, run := false, false
	for line := range strings.Lines(text) {
		switch fence := strings.TrimSpace(line); {
		case strings.HasPrefix(fence, "```") && !inside:
			inside, run = true, fence == "```sh"
		case fence == "```":
			if run {
				blocks = append(blocks, block.String())
			}
			inside, run = false, false
			block.Reset()
		case run:
			block.WriteString(line)
		}
	}
	return blocks
}
