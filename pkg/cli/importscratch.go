package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/triagebench/triage/pkg/importer"
)

// scratch makes the temporary files of an import, in one folder. They hold tickets: only the user may read them, and they have no name
// as soon as the system allows that, so that a killed process leaves none.
type scratch struct {
	app       *App
	dir, name string
	root      *os.Root
	files     []*os.File
	named     []string // that could not be removed while they are open
}

// scratchTries is how many names are tried for a temporary file.
const scratchTries = 1000

// make makes a temporary file.
func (s *scratch) make() (importer.TempFile, error) {
	if s.root == nil {
		root, err := s.app.OpenExisting(s.dir)
		if err != nil {
			return nil, fileProblem("open the folder of temporary files", s.dir, err)
		}
		s.root = root
	}
	for i := range scratchTries {
		name := fmt.Sprintf(".%s.%d.tmp", s.name, i)
		f, err := s.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fileProblem("make a temporary file in", s.dir, err)
		}
		s.files = append(s.files, f)
		if s.root.Remove(name) != nil {
			s.named = append(s.named, name)
		}
		return f, nil
	}
	return nil, usageError("%d files such as .%s.0.tmp stand in the way in %s: remove them", scratchTries, s.name, s.dir)
}

// close lets the files go.
func (s *scratch) close() error {
	for _, f := range s.files {
		_ = f.Close() // nobody needs it any more
	}
	var errs []error
	for _, name := range s.named {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fileProblem("remove", name, err))
		}
	}
	if s.root != nil {
		_ = s.root.Close() // a handle of a folder
	}
	return errors.Join(errs...)
}

// scratchDir is the folder for temporary files where no output folder is better.
func (a *App) scratchDir() string {
	if a.TempDir == nil {
		return "."
	}
	return a.TempDir()
}
