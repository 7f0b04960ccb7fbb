package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestMergeOfBrokenFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := newTestApp()
	app.mustRun(t, "run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", "3", "--no-floor", "--out", filepath.Join(dir, "a"))
	if err := app.runAll(t, "merge", filepath.Join(dir, "a"), "--out", filepath.Join(dir, "w"), "--no-floor"); err != nil {
		t.Fatal(err) // a whole run is a run of one shard
	}
	if readFile(t, dir, "w", "episodes.jsonl") != readFile(t, dir, "a", "episodes.jsonl") {
		t.Error("merging one whole run changes it")
	}
	for what, settings := range map[string]string{
		"not a run": `{}`, "it does not say how many episodes": `{"schema":"triage.run/1","digest":"","settings":{"seed":"1","shard":"1/1"}}`,
		`"x" is not i/n`: `{"schema":"triage.run/1","digest":"","settings":{"seed":"1","shard":"x"}}`,
	} {
		root, err := makeRoot(filepath.Join(dir, "b"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(root.WriteFile("run.json", []byte(settings), 0o600), root.WriteFile("episodes.jsonl", nil, 0o600), root.Close()); err != nil {
			t.Fatal(err)
		}
		if err := app.runAll(t, "merge", filepath.Join(dir, "b"), "--out", filepath.Join(dir, "v")); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(what, "not a run")) {
			t.Errorf("%s gives %v", settings, err)
		}
	}
}

// runAll gives what the program says as an error, if it fails.
func (a *testApp) runAll(t *testing.T, args ...string) error {
	t.Helper()
	a.errs.Reset()
	if code := a.run(t.Context(), args...); code != ExitOK {
		return errors.New(a.errs.String())
	}
	return nil
}
