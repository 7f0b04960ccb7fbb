// Package history lists what runs left behind: the run folders below a folder of results, and results files that lie alone. It
// says of each how far it came, holds those against each other that may be ([Boards]), and removes old ones ([Plan], [Remove]).
//
// It is not a database: everything is read from the folders each time, but for what a [Scanner] knows already and sees
// unchanged. It plays nothing, prints nothing and writes nothing. Start at [NewScanner].
package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
)

// State says how far a run came. It is decided from the episodes that are there, never from a word that a run wrote about
// itself: a run that was killed could not take that back.
type State string

// The states.
const (
	// Complete runs have a results file of every agent, and those tell of every planned episode and of nothing that is not there.
	Complete State = "complete"
	// Running is a run whose journal another process is writing.
	Running State = "going on"
	// Interrupted is a run that nobody writes and that misses episodes.
	Interrupted State = "interrupted"
	// Unsummed runs have every episode, but not every results file: they ended before they were summed up.
	Unsummed State = "not summed up"
	// Damaged runs were summed up, and what they were summed up from is not there any more: the results files and the episodes
	// do not tell of the same.
	Damaged State = "damaged"
	// Unfinished is said in place of Running and Interrupted on systems on which these cannot be told apart.
	Unfinished State = "unfinished"
	// Broken folders and files cannot be read.
	Broken State = "broken"
)

// Entry is a run folder, or a results file that lies in none.
type Entry struct {
	// Path is where it lies below the folder that was listed, with slashes; "." is that folder itself.
	Path string
	Lone bool // a results file in no run folder
	// State is how far the run came; Problem is why it cannot be read or what is missing, where State is Broken or Damaged.
	State   State
	Problem string
	// Done are the episodes that are there, Broke those of them that broke through no fault of the agent, Planned how many
	// the run has in all: 0 where it does not say.
	Done, Broke, Planned int
	Settings             results.Settings // nil for a lone file
	Digest               string           // of the settings, 16 hex digits; of a lone file that of its agent's settings, if there are any
	Agents               []string
	// Results are the results files, without the figures of single episodes; Overall the overall score of each.
	Results []*results.Results
	Overall []stats.Estimate
	played  [][]string // of each results file and task, which episodes it is about
	// Finished is when the newest of the results files says that it was written; zero where none says so.
	Finished time.Time
	// Version changes when a file of the folder does, or its state.
	Version string
	// Foreign are files and folders in a run folder that no run writes there.
	Foreign []string
}

// Progress is the state for people, such as "interrupted: 12 of 100" or "damaged: why".
func (e *Entry) Progress() string {
	switch {
	case e.State == Broken, e.State == Damaged:
		return fmt.Sprintf("%s: %s", e.State, e.Problem)
	case e.State == Complete:
		return string(e.State)
	case e.Planned == 0:
		return fmt.Sprintf("%s: %d episodes", e.State, e.Done)
	}
	return fmt.Sprintf("%s: %d of %d", e.State, e.Done, e.Planned)
}

// Sound tells whether the results of an entry may be held against others: it can be read, and nothing of it is missing.
func (e *Entry) Sound() bool { return e.State != Broken && e.State != Damaged }

// Result gives the results file of an agent with its overall score, or nil.
func (e *Entry) Result(agent string) (*results.Results, stats.Estimate) {
	for i, r := range e.Results {
		if r.Agent == agent {
			return r, e.Overall[i]
		}
	}
	return nil, stats.Estimate{}
}

// Sort puts entries in the order of lists: the newest first, those without a date last, and by path where that is the same.
func Sort(list []*Entry) {
	slices.SortStableFunc(list, func(a, b *Entry) int { return cmp.Or(b.Finished.Compare(a.Finished), cmp.Compare(a.Path, b.Path)) })
}
