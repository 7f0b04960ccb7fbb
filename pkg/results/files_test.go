package results_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestAFileIsWrittenAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<18)
	for _, tt := range []struct {
		name  string
		old   string // empty: there is no file yet
		write func(io.Writer) error
		err   string // after the file's path
		want  string
	}{
		{"new", "", text("new"), "", "new"},
		{"empty", "", text(""), "", ""},
		{"long", "", text(long), "", long},
		{"over an old one", "old and longer", text("new"), "", "new"},
		{"failing at once", "old", func(io.Writer) error { return errFull }, ": disk full", "old"},
		{"failing in the middle", "old", func(w io.Writer) error { _ = text(long)(w); return errFull }, ": disk full", "old"},
		{"failing at another file", "old", func(io.Writer) error { return &os.PathError{Op: "read", Path: "/secret", Err: errFull} }, ": disk full", "old"},
		{"failing without an old one", "", func(io.Writer) error { return errFull }, ": disk full", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			if tt.old != "" {
				write(t, root, "f.json", tt.old)
			}
			err := results.WriteFile(root, "f.json", tt.write)
			if tt.err == "" {
				if err != nil {
					t.Fatal(err)
				}
			} else {
				wantError(t, err, "write "+filepath.Join(root.Name(), "f.json")+tt.err)
			}
			want := []string{"f.json"}
			if tt.err != "" && tt.old == "" {
				want = nil
			} else if got := read(t, root, "f.json"); got != tt.want {
				t.Errorf("the file holds %d bytes, want %d", len(got), len(tt.want))
			}
			if d := cmp.Diff(want, names(t, root)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

func TestAFileIsNotWrittenOverAFolder(t *testing.T) {
	t.Parallel()
	root := folder(t)
	if err := root.Mkdir("f.json", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, root, "f.json/inside", "kept")
	err := results.WriteFile(root, "f.json", text("new"))
	if err == nil || !strings.HasPrefix(err.Error(), "rename "+filepath.Join(root.Name(), "f.json")+": ") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff([]string{"f.json"}, names(t, root)); d != "" || read(t, root, "f.json/inside") != "kept" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

func TestAFileInAFolderThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	root := folder(t)
	err := results.WriteFile(root, "no/f.json", text("new"))
	wantError(t, err, "create "+filepath.Join(root.Name(), "no/f.json")+": no such file or directory")
	if got := names(t, root); got != nil {
		t.Errorf("files %v", got)
	}
	if err := results.WriteFile(root, "../f.json", text("new")); err == nil {
		t.Error("a file outside of the folder was written")
	}
}

func TestARunWhoseFilesCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	root := folder(t)
	for i := range 1000 {
		if err := root.Mkdir(fmt.Sprintf("%s.%d.part", results.RunFile, i), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := results.CreateRun(root, settings, planned, clock()); err == nil || !strings.HasPrefix(err.Error(), "create "+filepath.Join(root.Name(), "run.json")) {
		t.Errorf("error %v", err)
	}
	root = folder(t)
	j := create(t, root, settings)
	appendAll(t, j, 1)
	if err := root.Mkdir(results.EpisodesFile, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := j.Finish(); err == nil || !strings.HasPrefix(err.Error(), "rename "+filepath.Join(root.Name(), "episodes.jsonl")) {
		t.Errorf("error %v", err)
	}
	if err := j.Append(2, episodeAt(2)); err == nil {
		t.Error("an episode was appended to a journal that is closed")
	}
	if err := j.Finish(); err == nil {
		t.Error("a journal was finished twice")
	}
	if d := cmp.Diff(line(episodeAt(1)), read(t, root, results.JournalFile)); d != "" {
		t.Errorf("the journal lost something (-want +got):\n%s", d)
	}
}

func TestAResultsFileReplacesOnlyAnEarlierOne(t *testing.T) {
	t.Parallel()
	root := folder(t)
	for name, content := range map[string]string{"old.json": `{"schema": "triage.results/1"}`, "empty.json": "", "secret.txt": "0123456789abcdef"} {
		if err := root.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.Symlink("old.json", "link.json"); err != nil {
		t.Fatal(err)
	}
	if err := root.Mkdir("dir", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"new.json": "", "old.json": "", "empty.json": "", "dir": "it is a folder",
		"secret.txt": "a file that is no results file stands there: remove it, or give another name", "link.json": "it is no regular file (L---------)"} {
		err := results.CheckTarget(root, name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%s gives %v, want %q", name, err, want)
		}
	}
}

func TestDevicesAreWrittenToAndNotReplaced(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot("/dev")
	if err != nil {
		t.Skip("this system has no /dev")
	}
	defer func() { _ = root.Close() }()
	if err := results.CheckTarget(root, "null"); err != nil {
		t.Error(err)
	}
	if err := results.WriteFile(root, "null", text("gone")); err != nil {
		t.Error(err)
	}
	if info, err := root.Lstat("null"); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("/dev/null is %v, %v", info, err)
	}
	if _, err := root.Lstat("full"); err == nil {
		wantError(t, results.WriteFile(root, "full", text("new")), "write /dev/full: no space left on device")
	}
}
