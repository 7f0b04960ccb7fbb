package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/triagebench/triage/pkg/dataset"
)

// closeRead closes a file that was read.
func closeRead(f *os.File) func() error {
	return func() error {
		_ = f.Close() // nothing is lost
		return nil
	}
}

// setOptions reads what --map and --labels-file say of columns; either may be empty.
func setOptions(app *App, columns, labelsFile string) (opts dataset.Options, err error) {
	if columns != "" {
		if opts.Map, err = dataset.ParseMap(columns); err != nil {
			return opts, usageError("--map: %v", err)
		}
	}
	if labelsFile != "" {
		f, err := app.OpenFile(labelsFile)
		if err != nil {
			return opts, fileProblem("open", labelsFile, err)
		}
		defer func() { _ = f.Close() }() // opened for reading
		if opts.Labels, err = dataset.ReadScales(f, labelsFile); err != nil {
			return opts, err
		}
	}
	return opts, nil
}

// openSet opens a file of tickets. It stays open as long as there is something to play: tickets are read then.
func openSet(app *App, name string, opts dataset.Options) (*os.File, *dataset.Set, error) {
	f, err := app.OpenFile(name)
	if err != nil {
		return nil, nil, fileProblem("open", name, err)
	}
	set, err := setOf(f, name, opts)
	if err != nil {
		_ = f.Close() // opened for reading
		return nil, nil, err
	}
	return f, set, nil
}

func setOf(f *os.File, name string, opts dataset.Options) (*dataset.Set, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileProblem("read", name, err)
	case info.IsDir():
		return nil, usageError("%s is a folder, not a file of tickets", name)
	}
	return dataset.Open(f, info.Size(), name, opts)
}

func digestOf(f *os.File, name string) (string, error) {
	h := sha256.New()
	info, err := f.Stat()
	if err != nil {
		return "", fileProblem("read", name, err)
	}
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, info.Size())); err != nil {
		return "", fileProblem("read", name, err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// unchanged is an error if the file was written while its tickets were played: then they were not those of the digest.
func (m *imported) unchanged() error {
	now, err := m.file.Stat()
	if err != nil {
		return fileProblem("read", m.options.Tickets, err)
	}
	if now.Size() != m.info.Size() || !now.ModTime().Equal(m.info.ModTime()) {
		return usageError("%s was changed while its tickets were played: the scores are of neither state; play it again", m.options.Tickets)
	}
	return nil
}

// digestOfTexts tells lists of texts apart.
func digestOfTexts(list []string) string {
	h := sha256.New()
	for _, s := range list {
		_, _ = fmt.Fprintf(h, "%d:%s", len(s), s) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}
