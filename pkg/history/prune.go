package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Kept is an entry that pruning leaves, with the reason.
type Kept struct {
	Entry  *Entry
	Reason string
}

// Plan says what pruning removes: of the run folders that are complete and have a date all but the newest keep, those of equal
// date by path. Everything else stays: what is not complete or damaged may go on or was to be looked at, what has no date, or one
// that is later than now, may be the newest, what holds other files or cannot be read is not only ours. kept are those that stay for such a reason, and not
// because they are new. Entries come in any order; lone results files are in neither list.
func Plan(entries []*Entry, keep int, now time.Time) (remove []*Entry, kept []Kept) {
	list := slices.Clone(entries)
	Sort(list)
	for _, e := range list {
		if e.Lone {
			continue
		}
		switch reason := e.stays(now); {
		case reason == "" && keep <= 0 && len(e.Foreign) == 0:
			remove = append(remove, e)
		case reason != "":
			kept = append(kept, Kept{e, reason})
		case keep <= 0:
			kept = append(kept, Kept{e, fmt.Sprintf("it holds %q, which no run writes", e.Foreign[0])})
		default:
			keep--
		}
	}
	return remove, kept
}

// stays says why a run is not one of those that are counted, or nothing.
func (e *Entry) stays(now time.Time) string {
	switch {
	case e.State == Broken:
		return "it cannot be read"
	case e.State == Damaged:
		return "it is damaged: " + e.Problem
	case e.Path == ".":
		return "it is the folder itself"
	case e.State != Complete:
		return "it is not complete"
	case e.Finished.IsZero():
		return "it has no date"
	case e.Finished.After(now):
		return "its date is yet to come"
	}
	return ""
}

// Remove removes the run folder of an entry that [Plan] names, below root. It looks again first: a folder that is no longer that
// run, that holds anything that no run writes, or whose journal another process is writing stays as it is, with an error that
// says why. No symbolic link is followed. The run's results and its run.json are removed last: what was interrupted is still
// listed.
func Remove(root *os.Root, e *Entry) error {
	if e.Lone || e.stays(e.Finished) != "" || !fs.ValidPath(e.Path) {
		return refused(e, errors.New("it is no run that is removed"))
	}
	if info, err := root.Lstat(e.Path); err != nil || !info.IsDir() {
		return refused(e, errors.New("it is no folder any more"))
	}
	sub, err := root.OpenRoot(e.Path)
	if err == nil {
		err = errors.Join(empty(sub, e), sub.Close())
	}
	if err == nil {
		err = root.Remove(e.Path)
	}
	if err != nil {
		return refused(e, err)
	}
	return nil
}

func refused(e *Entry, err error) error {
	return &triage.Error{Code: triage.CodeFiles, Message: "remove " + e.Path, Err: cause(err)}
}

// empty removes the files of a run while nobody can go on with it.
func empty(sub *os.Root, e *Entry) error {
	unlock, err := hold(sub)
	if err != nil {
		return err
	}
	defer unlock()
	names, err := own(sub, e)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := sub.Remove(name); err != nil {
			return fmt.Errorf("%s: %w", name, cause(err))
		}
	}
	return nil
}

// hold takes the lock of the folder's journal, if it has one, so that no run goes on in it.
func hold(sub *os.Root) (unlock func(), err error) {
	info, err := sub.Lstat(results.JournalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", results.JournalFile)
	}
	if err != nil {
		return nil, err
	}
	f, err := results.OpenRegular(sub, results.JournalFile)
	if err != nil {
		return nil, err
	}
	if err := results.Lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", results.JournalFile, err), f.Close())
	}
	return func() { _ = f.Close() }, nil // it was opened for reading
}

// own lists the files of the folder in the order in which they are removed, if it still is the run of the entry and holds nothing
// else.
func own(sub *os.Root, e *Entry) ([]string, error) {
	list, err := fs.ReadDir(sub.FS(), ".")
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list))
	for _, d := range list {
		if !Ours(d.Name()) || !d.Type().IsRegular() {
			return nil, fmt.Errorf("it holds %q, which no run writes", d.Name())
		}
		names = append(names, d.Name())
	}
	settings, err := results.ReadSettings(sub)
	if err != nil {
		return nil, err
	}
	if settings.Digest() != e.Digest {
		return nil, errors.New("it holds another run now")
	}
	order := func(name string) int {
		switch {
		case name == results.RunFile:
			return 3
		case name == results.JournalFile: // its lock is held as long as may be
			return 2
		case strings.HasPrefix(name, results.ResultsPrefix):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	return names, nil
}
