//go:build unix

package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// A pipe among the files of a folder is refused by everything that reads one: nobody may ever write to it.
func TestAPipeInARunFolderIsRefusedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	settings := `{"schema": "triage.run/1", "digest": "x", "settings": {"agents": "a", "shard": "1/1"}}`
	for name, files := range map[string]map[string]string{
		results.RunFile:      {},
		"results-a.json":     {results.RunFile: settings},
		results.EpisodesFile: {results.RunFile: settings},
		results.JournalFile:  {results.RunFile: settings},
		results.CallsFile:    {results.RunFile: settings},
	} {
		root := folder(t)
		for file, text := range files {
			write(t, root, file, text)
		}
		if err := syscall.Mkfifo(filepath.Join(root.Name(), name), 0o600); err != nil {
			t.Skip(err)
		}
		readers := map[string]func() error{
			"open and read": func() error {
				f, err := results.OpenFolder(root)
				if err == nil {
					_, err = f.Episodes(func(*results.Logged) error { return nil })
				}
				return err
			},
			"resume": func() error {
				_, err := results.ResumeRun(root, results.Settings{"agents": "a", "shard": "1/1"}, 1, placeOf, clock(), func(int, *triage.Episode) {})
				return err
			},
		}
		switch name {
		case results.EpisodesFile:
			readers["merge"] = func() error {
				_, err := results.Merge(folder(t), []*os.Root{root}, nil, func(*results.Logged) error { return nil })
				return err
			}
		case results.CallsFile:
			readers = map[string]func() error{"count calls": func() error { return results.NewCalls().Open(root) }}
		case "results-a.json":
			delete(readers, "resume") // it reads none
		}
		for what, read := range readers {
			done := make(chan error, 1)
			go func() { done <- read() }()
			select {
			case err := <-done:
				if triage.CodeOf(err) != triage.CodeFiles || !strings.Contains(err.Error(), name+": it is no regular file") {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s, %s: it waits", name, what)
			}
		}
	}
}
