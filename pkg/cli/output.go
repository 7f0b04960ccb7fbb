package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/results"
)

// outputFolder opens the folder in which the file of --output is to be written. It has to be there: a slip in a path makes no
// folders.
func outputFolder(app *App, name string) (*os.Root, error) {
	if name == "" || os.IsPathSeparator(name[len(name)-1]) { // an empty name may come from a settings file
		return nil, usageError("--output %q names no file", name)
	}
	dir := filepath.Dir(name)
	root, err := app.OpenExisting(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError("--output %s: there is no folder %s: make it, or give another name", name, dir)
	}
	if err != nil {
		return nil, fileProblem("open the folder of --output", dir, err)
	}
	if info, err := root.Stat(filepath.Base(name)); err == nil && info.IsDir() {
		return nil, closing(usageError("--output %s is a folder, not a file", name), root.Close)
	}
	return root, nil
}

// openReport opens the folder of a report that is to be written to a file, and refuses what would lose something: a file of a run,
// one that is read by the same command, and a file that is no report of ours. Devices and pipes are written to as they are.
func (a *App) openReport(output string, inputs []string) (*os.Root, error) {
	root, err := outputFolder(a, output)
	if err != nil {
		return nil, err
	}
	if err := a.spared(root, output, inputs); err != nil {
		return nil, closing(err, root.Close)
	}
	if err := overwritable(root, filepath.Base(output), output); err != nil {
		return nil, closing(err, root.Close)
	}
	return root, nil
}

// spared refuses to write over a file of a run folder, or over one of the inputs by whatever name.
func (a *App) spared(root *os.Root, output string, inputs []string) error {
	name := filepath.Base(output)
	if holdsRun(root) && history.Ours(name) {
		return usageError("--output %s is a file of a run: give another name", output)
	}
	target, err := root.Stat(name)
	for _, in := range inputs {
		for _, file := range []string{in, in + ".json"} {
			if file != "-" && filepath.Clean(file) == filepath.Clean(output) {
				return usageError("--output %s is what is read as %s: name another file", output, in)
			}
			if err == nil && a.same(target, file) {
				return usageError("--output %s is the same file as %s, which is read: name another file", output, in)
			}
		}
	}
	return nil
}

// same tells whether a file is the one that stands under a name; - is standard input.
func (a *App) same(target os.FileInfo, name string) bool {
	if name == "-" {
		in, ok := a.In.(*os.File)
		if !ok {
			return false
		}
		info, err := in.Stat()
		return err == nil && info.Mode().IsRegular() && os.SameFile(target, info)
	}
	f, err := a.OpenFile(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	return err == nil && os.SameFile(target, info)
}

// holdsRun tells whether a folder is that of a run, also of one that has lost its settings.
func holdsRun(root *os.Root) bool {
	return exists(root, results.RunFile) || exists(root, results.JournalFile) || exists(root, results.EpisodesFile)
}

// standing gives the first bytes, at most so many, of the regular file that --output would write over; nil where nothing stands that could
// be lost: no file, an empty one or a device. Anything else that is no regular file is refused.
func standing(root *os.Root, name, shown string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil || info.Mode()&(os.ModeDevice|os.ModeNamedPipe) != 0: // nothing is there, or writing says what is wrong
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, usageError("--output %s is no regular file (%s): give another name", shown, info.Mode().Type())
	case info.Size() == 0:
		return nil, nil
	}
	f, err := results.OpenRegular(root, name)
	if err != nil {
		return nil, fileProblem("read", shown, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fileProblem("read", shown, err)
	}
	return data, nil
}

// overwritable refuses to write over a file that is no report of ours.
func overwritable(root *os.Root, name, shown string) error {
	data, err := standing(root, name, shown, mostRecognised)
	if err == nil && data != nil && !isReport(data) {
		err = usageError("--output %s: a file that is no report of triage stands there: remove it, or give another name", shown)
	}
	return err
}

// formatByEnding chooses the format by the ending of --output where --format is not given, and says so.
func formatByEnding(app *App, cmd *cobra.Command, format *string, output string) {
	allowed, ok := cmd.Flags().Lookup("format").Value.(*choice)
	if output == "" || cmd.Flags().Changed("format") || !ok {
		return
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(output), "."))
	found := map[string]string{"html": formatHTML, "htm": formatHTML, "csv": formatCSV, "json": formatJSON, "jsonl": formatJSONL, "md": formatMarkdown,
		"xml": formatJUnit}[ending]
	if found == "" || !slices.Contains(allowed.allowed, found) {
		return
	}
	*format = found
	_, _ = fmt.Fprintf(app.Err, "triage: %s: written as %s, by its ending; --format says otherwise\n", plainLine(output), found) // progress
}

// shownPath is how a report names a file or folder that was read, so that its bytes tell nothing of the machine: a path below the
// working folder from there, another absolute one by its last two names, everything else as it was given.
func (a *App) shownPath(name string) string {
	clean := filepath.Clean(name)
	if !filepath.IsAbs(clean) {
		return clean
	}
	if a.Getwd != nil {
		if dir, err := a.Getwd(); err == nil {
			if rel, err := filepath.Rel(dir, clean); err == nil && filepath.IsLocal(rel) {
				return rel
			}
		}
	}
	parent := filepath.Base(filepath.Dir(clean))
	if parent == string(filepath.Separator) || parent == "." {
		return filepath.Base(clean)
	}
	return filepath.Join(parent, filepath.Base(clean))
}
