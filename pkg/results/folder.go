package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// ResultsPrefix and ResultsSuffix stand around an agent's name, with what a file name cannot hold replaced, in the name of
// its results file in a run folder.
const (
	ResultsPrefix = "results-"
	ResultsSuffix = ".json"
)

// Folder is a run folder that is read. It holds no episodes: they are read one by one.
type Folder struct {
	Root     *os.Root
	Settings Settings
	// Results are the results files of the folder, in the order of the run's agents. They are missing while the run goes on
	// and after an interruption.
	Results []*Results
	// Complete says that the run was summed up: there is a results file of every agent.
	Complete bool
}

// OpenFolder reads settings and results files of a run folder.
func OpenFolder(root *os.Root) (*Folder, error) {
	settings, err := ReadSettings(root)
	if err != nil {
		return nil, err
	}
	f := &Folder{Root: root, Settings: settings}
	names, err := fs.Glob(root.FS(), ResultsPrefix+"*"+ResultsSuffix)
	if err != nil {
		return nil, fileError("list", root, "", err)
	}
	slices.Sort(names)
	for _, name := range names {
		r, err := readResultsFile(root, name)
		if err != nil {
			return nil, err
		}
		f.Results = append(f.Results, r)
	}
	agents := f.Agents()
	rank := func(r *Results) int { return slices.Index(agents, r.Agent) }
	slices.SortStableFunc(f.Results, func(a, b *Results) int { return rank(a) - rank(b) })
	f.Complete = !slices.ContainsFunc(agents, func(a string) bool { return f.ResultsOf(a) == nil })
	return f, nil
}

func readResultsFile(root *os.Root, name string) (r *Results, err error) {
	file, err := OpenRegular(root, name)
	if err != nil {
		return nil, fileError("open", root, name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return ReadResults(file, filepath.Join(root.Name(), name))
}

// Agents are the run's agents in the order of their rows.
func (f *Folder) Agents() []string { return SplitAgents(f.Settings[AgentsSetting]) }

// ResultsOf gives the results file of an agent, or nil.
func (f *Folder) ResultsOf(agent string) *Results {
	for _, r := range f.Results {
		if r.Agent == agent {
			return r
		}
	}
	return nil
}

// AgentSettings are the settings that decide what an agent of the run answers, by name.
func (f *Folder) AgentSettings(agent string) map[string]string {
	out := map[string]string{}
	for name, value := range f.Settings {
		if rest, ok := strings.CutPrefix(name, AgentSettingPrefix(agent)); ok {
			out[rest] = value
		}
	}
	return out
}

// AgentSettingPrefix begins the names of an agent's own settings in those of its run.
func AgentSettingPrefix(agent string) string { return "agent " + agent + ": " }

// Episodes calls each for every episode that is finished, broken ones included: those of episodes.jsonl in the plan's order or,
// while the run is not complete, those of the journal in the order in which they ended, each key once (the last counts). torn
// says that the journal's last line was not whole, as happens while a run goes on.
func (f *Folder) Episodes(each func(ep *Logged) error) (torn bool, err error) {
	name, read := EpisodesFile, f.readEpisodes
	if _, err := f.Root.Lstat(JournalFile); err == nil && !f.Complete {
		name, read = JournalFile, f.readJournal
	}
	file, err := OpenRegular(f.Root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s holds neither %s nor %s: it has no episodes",
			f.Root.Name(), EpisodesFile, JournalFile)}
	}
	if err != nil {
		return false, fileError("open", f.Root, name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return read(file, filepath.Join(f.Root.Name(), name), each)
}

func (f *Folder) readEpisodes(file *os.File, name string, each func(*Logged) error) (bool, error) {
	return false, ReadLog(file, name, func(_ int, ep *Logged) error { return each(ep) })
}

func (f *Folder) readJournal(file *os.File, name string, each func(*Logged) error) (bool, error) {
	last, end := map[triage.Key]int{}, 0
	if _, err := eachJournalLine(file, name, func(line, _ int, l *journalLine) error {
		if end = line; l.Step == nil {
			last[l.Key] = line
		}
		return nil
	}); err != nil {
		return false, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, fileError("seek", f.Root, JournalFile, err)
	}
	done := errors.New("what came after the first reading")
	torn, err := eachJournalLine(file, name, func(line, _ int, l *journalLine) error {
		switch {
		case line > end:
			return done
		case l.Step != nil || last[l.Key] != line:
			return nil
		}
		return each(&l.Logged)
	})
	if errors.Is(err, done) {
		err = nil
	}
	return torn, err
}
