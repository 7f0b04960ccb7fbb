//go:build unix

package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a document.
type block struct {
	line int    // of its fence, from 1
	info string // behind the fence
	// cause says why it is not run; empty where nothing is said of that.
	cause   string
	text    string
	section string // the heading of the second level that it stands under
}

// isShell tells whether a block holds commands.
func (b *block) isShell() bool { return b.info == "sh" || strings.HasPrefix(b.info, "sh ") }

// blocksOf gives the fenced blocks of a document.
func blocksOf(text string) (out []block) {
	var open *block
	n, section := 0, ""
	for line := range strings.Lines(text) {
		n++
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case !fence && open == nil && strings.HasPrefix(line, "## "):
			section = strings.TrimSpace(line[3:])
		case fence && open == nil:
			open = &block{line: n, info: info, section: section}
			_, open.cause, _ = strings.Cut(info, "sh no-test: ")
		case fence:
			out, open = append(out, *open), nil
		case open != nil:
			open.text += line
		}
	}
	return out
}

// documents are the names of the documents of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	root := os.DirFS(filepath.Join("..", ".."))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || name == "results" || name == "dist"):
			return fs.SkipDir
		case strings.HasSuffix(name, ".md"):
			out = append(out, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// isReadmesOwn tells whether a block is README's two commands, of which another test holds what the first prints (the second is this one),
// or a way to install, which .ci/install follows in an empty HOME.
func isReadmesOwn(doc string, b *block) bool {
	return doc == "README.md" && (b.section == "Install" || "```sh\n"+b.text+"```\n" == readmeCommands)
}

// TestEveryBlockOfCommandsIsRunOrSaysWhyNot: "```sh" is run, "```sh no-test: CAUSE" is not. Other words for a shell, and other words behind it,
// are refused: the site takes no other form.
func TestEveryBlockOfCommandsIsRunOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	run, not := 0, 0
	for _, doc := range documents(t) {
		for _, problem := range problemsOf(doc, readText(t, filepath.Join("..", "..", doc)), &run, &not) {
			t.Error(problem)
		}
	}
	if run < 40 || not < 10 {
		t.Errorf("%d blocks are run and %d are not: the documents are not all found", run, not)
	}
	t.Logf("%d blocks of commands are run, %d are not", run, not)
	for doc := range pages {
		if !slices.Contains(documents(t), doc) {
			t.Errorf("there is no %s", doc)
		}
	}
}

// information is what may stand behind a fence.
var information = regexp.MustCompile(`^(sh|sh no-test: [^"` + "`" + `]{5,}|json|yaml|python|sql|ini|go|)$`)

// problemsOf says what is wrong with the blocks of a document, and counts those that are run and those that are not.
func problemsOf(doc, text string, run, not *int) (out []string) {
	_, hasPage := pages[doc]
	for _, b := range blocksOf(text) {
		switch {
		case !information.MatchString(b.info):
			out = append(out, fmt.Sprintf("%s:%d: a block cannot be %q: commands are \"sh\", or \"sh no-test: CAUSE\"", doc, b.line, b.info))
		case !b.isShell():
		case b.cause != "":
			*not++
		case elsewhere[doc] != "" || isReadmesOwn(doc, &b):
		case hasPage:
			*run++
		default:
			out = append(out, fmt.Sprintf("%s:%d: the block is not run: give the document a row in pages, or the block a cause (\"sh no-test: CAUSE\")", doc, b.line))
		}
	}
	return out
}

func TestABlockThatIsNeitherRunNorExcusedIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doc, text string
		wrong     bool
	}{
		"run":                        {"docs/compare.md", "```sh\ntriage\n```\n", false},
		"excused":                    {"docs/new.md", "```sh no-test: needs a key\ntriage\n```\n", false},
		"no commands":                {"docs/new.md", "```json\n{}\n```\n", false},
		"a page that is not run":     {"docs/new.md", "```sh\ntriage\n```\n", true},
		"no cause":                   {"docs/compare.md", "```sh no-test\ntriage\n```\n", true},
		"an empty cause":             {"docs/compare.md", "```sh no-test: \ntriage\n```\n", true},
		"another word for a shell":   {"docs/compare.md", "```bash\ntriage\n```\n", true},
		"a cause that breaks a page": {"docs/compare.md", "```sh no-test: needs \"x\"\ntriage\n```\n", true},
		"README's own two commands":  {"README.md", readmeCommands, false},
		"a way to install":           {"README.md", "## Install\n```sh\ngo install\n```\n", false},
		"another page's Install":     {"docs/new.md", "## Install\n```sh\ngo install\n```\n", true},
		"indented":                   {"docs/new.md", "- so:\n\n  ```sh\n  triage\n  ```\n", true},
	} {
		if got := problemsOf(c.doc, c.text, new(int), new(int)); (len(got) > 0) != c.wrong {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestALineMaySayWithWhichCodeItEnds(t *testing.T) {
	t.Parallel()
	for block, fails := range map[string]bool{"true\n": false, "false\n": true, "false     # exit code 1\n": false, "true  # exit code 1\n": true,
		"(exit 5)  # exit code 5\ntrue # a word\n": false, "(exit 5)  # exit code 1\n": true, "false # exit code 1\nfalse\n": true} {
		cmd := exec.CommandContext(t.Context(), "sh", "-eu")
		cmd.Stdin = strings.NewReader(withCodes(block))
		if out, err := cmd.CombinedOutput(); (err != nil) != fails {
			t.Errorf("%q: %v: %s", block, err, out)
		}
	}
}
