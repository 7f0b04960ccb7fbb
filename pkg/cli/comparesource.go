package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/results"
)

// storedFolder is where the stored results are, in the source tree and in the program.
const storedFolder = "baselines/scores"

// storedNames are the names of the results that the program brings along.
func storedNames() []string { return baselines.ScoreNames() }

// sources opens what is compared. What it has open has to be closed when everything is compared: folders are read again for the
// tickets that moved.
type sources struct {
	app     *App
	closers []func() error
}

// options are those of reading.
func (s *sources) options() compare.Options { return compare.Options{Deterministic: deterministic} }

// close closes what was opened for reading.
func (s *sources) close() {
	for _, f := range slices.Backward(s.closers) {
		_ = f() // nothing is lost
	}
	s.closers = nil
}

// open gives the sides of an input: a results file, a run folder, or the name of stored results. A file or folder of the name
// comes first. An input named - is a results file on standard input.
func (s *sources) open(name string) ([]*compare.Side, error) {
	if name == "-" {
		return s.file(s.app.In, "standard input")
	}
	for _, file := range []string{name, name + ".json"} {
		f, err := s.app.OpenFile(file)
		switch {
		case err == nil:
			return s.opened(f, file)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return nil, fileProblem("open", file, err)
		}
	}
	stored := strings.TrimSuffix(filepath.ToSlash(name), ".json")
	stored = strings.TrimPrefix(strings.TrimPrefix(stored, "./"), storedFolder+"/")
	if data, err := fs.ReadFile(baselines.Files, "scores/"+stored+".json"); err == nil && fs.ValidPath(stored) {
		return s.file(bytes.NewReader(data), storedFolder+"/"+stored)
	}
	return nil, noSource(name)
}

// noSource is the error of a name under which nothing stands.
func noSource(name string) error {
	return usageError("%s is no file, no run folder and none of the stored results, which are %s%s", name, strings.Join(storedNames(), ", "), near.Hint(name, storedNames()))
}

// noRun is the error of a folder that is none of a run. One that holds runs says which.
func noRun(root *os.Root, name string) error {
	const most = 10 // that are named
	var runs []string
	list, _ := fs.ReadDir(root.FS(), ".") // what cannot be listed holds nothing that could be named
	for _, d := range list {
		if !d.IsDir() || !exists(root, filepath.Join(d.Name(), results.RunFile)) {
			continue
		}
		if len(runs) == most {
			runs = append(runs, "…")
			break
		}
		runs = append(runs, filepath.Join(name, d.Name()))
	}
	if len(runs) > 0 {
		return usageError("%s is no run folder but a folder of runs: name one of %s", name, strings.Join(runs, ", "))
	}
	return usageError("%s is no run folder: it has no %s (triage run --out DIR makes one)", name, results.RunFile)
}

// opened reads a file or folder that there is.
func (s *sources) opened(f *os.File, name string) ([]*compare.Side, error) {
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileProblem("read", name, err)
	case !info.IsDir():
		return s.file(f, s.app.shownPath(name))
	}
	root, err := s.app.OpenExisting(name)
	if err != nil {
		return nil, fileProblem("open run", name, err)
	}
	s.closers = append(s.closers, root.Close)
	if !exists(root, results.RunFile) {
		return nil, noRun(root, name)
	}
	folder, err := results.OpenFolder(root)
	if err != nil {
		return nil, err
	}
	return compare.FromFolder(s.app.shownPath(name), folder, s.options())
}

func (s *sources) file(r io.Reader, name string) ([]*compare.Side, error) {
	read, err := results.ReadResults(r, name)
	if err != nil {
		return nil, err
	}
	return []*compare.Side{compare.FromResults(name, read, s.options())}, nil
}

// deterministic tells whether an agent's answers depend on nothing but the ticket: those of the program do, also where they read
// perturbed tickets; models and programs of others may not.
func deterministic(name string, _ map[string]string) bool {
	for inner, _, ok := agent.CutPerturbed(name); ok; inner, _, ok = agent.CutPerturbed(name) {
		name = inner
	}
	for _, a := range agent.List() {
		if a.Name == name {
			return true
		}
	}
	_, err := agent.NewFloor(name)
	return err == nil
}
