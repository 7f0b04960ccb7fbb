package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/results"
)

// read fills the entry of a run folder. What it found before an error stays.
func (s *Scanner) read(dir string, list []fs.DirEntry, k *known, e *Entry) (err error) {
	has := map[string]bool{}
	for _, d := range list {
		switch {
		case !Ours(d.Name()):
			e.Foreign = append(e.Foreign, d.Name())
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", d.Name())
		}
		has[d.Name()] = true
	}
	if !has[results.RunFile] {
		return fmt.Errorf("it has no %s: nobody knows what was run", results.RunFile)
	}
	root, err := s.root.OpenRoot(dir)
	if err != nil {
		return cause(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if e.Settings, err = results.ReadSettings(root); err != nil {
		return inside(root, err)
	}
	e.Digest, e.Agents = e.Settings.Digest(), results.SplitAgents(e.Settings[results.AgentsSetting])
	if n, ok := e.Settings.PlannedInAll(); ok {
		e.Planned = max(n, 0)
	}
	f, err := results.OpenFolder(root)
	if err != nil {
		return inside(root, err)
	}
	for _, r := range f.Results {
		e.add(r)
	}
	e.Done, e.Broke = episodes(e.Results)
	if f.Complete && e.Done >= e.Planned {
		e.State = Complete
	} else if err := k.progress(root, has, e); err != nil {
		return err
	}
	return k.damage(root, has, e)
}

// inside takes the folder's own name out of a message: the entry has it.
func inside(root *os.Root, err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), root.Name()+string(os.PathSeparator), ""))
}

// progress counts the episodes of a run that is not complete and finds out whether somebody writes it.
func (k *known) progress(root *os.Root, has map[string]bool, e *Entry) (err error) {
	name := results.JournalFile
	if !has[name] {
		if name = results.EpisodesFile; !has[name] {
			e.State, e.Done, e.Broke = Interrupted, 0, 0
			return nil
		}
	}
	f, err := results.OpenRegular(root, name)
	if err != nil {
		return cause(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }() // lets go of the lock too
	if err := k.count.read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.Done, e.Broke = k.count.done(), k.count.broke
	switch {
	case errors.Is(results.Lock(f), results.ErrLocked):
		e.State = Running
	case e.Planned > 0 && e.Done >= e.Planned:
		e.State = Unsummed
	case results.CanLock:
		e.State = Interrupted
	default:
		e.State = Unfinished
	}
	return nil
}

// add takes a results file in: its figures, but those of single episodes, which are the most of it.
func (e *Entry) add(r *results.Results) {
	e.Overall = append(e.Overall, Overall(r.Tasks))
	e.Results = append(e.Results, r)
	played := make([]string, len(r.Tasks))
	for i := range r.Tasks {
		played[i] = playedOf(r, &r.Tasks[i])
		r.Tasks[i].Seeds = nil
	}
	e.played = append(e.played, played)
	if r.Meta == nil {
		return
	}
	if t, err := time.Parse(time.RFC3339, r.Meta.Finished); err == nil && t.After(e.Finished) {
		e.Finished = t.UTC()
	}
}

// episodes counts those that results files tell of.
func episodes(list []*results.Results) (n, broke int) {
	for _, r := range list {
		for i := range r.Tasks {
			n, broke = plus(n, r.Tasks[i].N, r.Tasks[i].Errors), plus(broke, r.Tasks[i].Errors)
		}
	}
	return n, broke
}
