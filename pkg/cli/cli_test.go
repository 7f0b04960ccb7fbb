package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// testApp is an outside world of buffers, a clock that stands still, and the files of the machine.
type testApp struct {
	*App
	out, errs bytes.Buffer
	env       map[string]string
}

func newTestApp() *testApp {
	a := &testApp{env: map[string]string{}}
	a.App = &App{In: strings.NewReader(""), Out: &a.out, Err: &a.errs, Random: strings.NewReader(strings.Repeat("r", 64)),
		LookupEnv: func(name string) (string, bool) { v, ok := a.env[name]; return v, ok },
		Environ: func() []string {
			var out []string
			for k, v := range a.env {
				out = append(out, k+"="+v)
			}
			return out
		},
		Now:      func() time.Time { return time.Unix(1_000_000, 0) },
		OpenRoot: makeRoot, OpenExisting: os.OpenRoot, CacheDir: func() (string, error) { return "", errors.New("none here") }, OpenFile: os.Open, ReadFile: os.ReadFile, DirFS: func(dir string) fs.FS { return os.DirFS(dir) },
		Version: func() Version {
			return Version{Number: "v1.2.3", Commit: "abc", Go: "go1.0", Platform: "plan9/mips"}
		}}
	return a
}

// run plays the program and gives its exit code.
func (a *testApp) run(ctx context.Context, args ...string) int { return Main(ctx, a.App, args) }

func (a *testApp) mustRun(t *testing.T, args ...string) string {
	t.Helper()
	a.out.Reset()
	if code := a.run(t.Context(), args...); code != ExitOK {
		t.Fatalf("triage %s exits with %d: %s", strings.Join(args, " "), code, a.errs.String())
	}
	return a.out.String()
}

func readFile(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// failing is a writer or reader that is broken.
type failing struct{}

var errBroken = errors.New("it is broken")

func (failing) Write([]byte) (int, error) { return 0, errBroken }
func (failing) Read([]byte) (int, error)  { return 0, errBroken }

// walk calls f with every command that users see.
func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			walk(sub, f)
		}
	}
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	n := 0
	walk(newRoot(app.App), func(c *cobra.Command) {
		n++
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no summary or no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "triage ") {
				t.Errorf("%s: example %q", c.CommandPath(), line)
			}
		}
		out := newTestApp()
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := out.run(t.Context(), args...); code != ExitOK || !strings.Contains(out.out.String(), "Usage:") || out.errs.Len() > 0 {
			t.Errorf("%s --help exits with %d: %s", c.CommandPath(), code, out.errs.String())
		}
	})
	if n < 15 {
		t.Errorf("there are %d commands", n)
	}
}

// TestExamplesAreTakenAsTheyStand plays the flags of every example: they are known and agree. Files are not opened.
func TestExamplesAreTakenAsTheyStand(t *testing.T) {
	t.Parallel()
	walk(newRoot(newTestApp().App), func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			_, line, ok := strings.Cut(line, "triage ")
			if !ok {
				continue
			}
			line, _, _ = strings.Cut(line, " >")
			line, _, _ = strings.Cut(line, " |")
			args := append(strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), ")")), "--print-config")
			app := newTestApp()
			if code := app.run(t.Context(), args...); code != ExitOK {
				t.Errorf("triage %s exits with %d: %s", strings.Join(args, " "), code, app.errs.String())
			}
		}
	})
}

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"version"}, {"handbook"}, {"secret", "new"}, {"list", "agents"}, {"list", "tasks", "--format", "json"}, {"list", "scenarios", "--format", "csv"},
		{"tickets", "generate", "-n", "1"}, {"tickets", "generate", "-n", "1", "--format", "jsonl"}, {"tickets", "generate", "-n", "1", "--format", "chat"},
		{"tickets", "show", "queue-easy", "1"}, {"tickets", "show", "queue-easy", "1", "--format", "json"}, {"run", "--print-config"},
		{"tickets", "stats", "--tasks", "desk-easy", "-n", "10", "--split", "train"},
		{"tickets", "stats", "--tasks", "desk-easy", "-n", "10", "--split", "train", "--check"},
		{"run", "--agent", "constant", "--tasks", "desk-easy", "--limit", "1", "--no-floor"},
		{"run", "--agent", "constant", "--tasks", "desk-easy", "--limit", "1", "--format", "json"},
	} {
		app := newTestApp()
		app.Out = failing{}
		if code := app.run(t.Context(), args...); code != ExitUsage || !strings.Contains(app.errs.String(), errBroken.Error()) {
			t.Errorf("triage %s exits with %d and says %q", strings.Join(args, " "), code, app.errs.String())
		}
	}
	app := newTestApp()
	app.Random = failing{}
	if code := app.run(t.Context(), "secret", "new"); code != ExitUsage || !strings.Contains(app.errs.String(), "read random bytes: it is broken") {
		t.Errorf("without random bytes it exits with %d: %s", code, app.errs.String())
	}
	if app.out.Len() > 0 {
		t.Errorf("it prints %q", app.out.String())
	}
	app.Random = strings.NewReader("only a few")
	if code := app.run(t.Context(), "secret", "new"); code != ExitUsage || app.out.Len() > 0 {
		t.Errorf("with a few random bytes it exits with %d", code)
	}
}

func TestVersionSaysWhatWasBuilt(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	out := app.mustRun(t, "version")
	if !strings.HasPrefix(out, "triage v1.2.3\ncommit abc\ngenerator 2-") || !strings.HasSuffix(out, "\ngo1.0 plan9/mips\n") {
		t.Errorf("version prints %q", out)
	}
	if other := app.mustRun(t, "--version"); other != out {
		t.Errorf("--version prints %q", other)
	}
	app.Version = func() Version { return Version{} }
	if out := app.mustRun(t, "version"); !strings.Contains(out, "commit unknown") {
		t.Errorf("version prints %q", out)
	}
}

func TestSystemIsTheRealWorld(t *testing.T) {
	t.Parallel()
	s := System()
	if s.In != io.Reader(os.Stdin) || s.Out != io.Writer(os.Stdout) || s.Err != io.Writer(os.Stderr) {
		t.Error("the streams are others")
	}
	if v := s.Version(); v.Number == "" || !strings.HasPrefix(v.Go, "go1.") {
		t.Errorf("version %+v", v)
	}
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Random, b); err != nil || bytes.Equal(b, make([]byte, 8)) {
		t.Errorf("random bytes %x: %v", b, err)
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	root, err := s.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile("f", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenRoot(filepath.Join(dir, "f")); err == nil || strings.Count(err.Error(), "f") > 2 && strings.Count(err.Error(), dir) > 1 {
		t.Errorf("a file in place of the folder gives %v", err)
	}
}

// written makes a file and gives its path.
func written(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
