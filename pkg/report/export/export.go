// Package export writes the tickets of runs one by one, in forms that other programs read: a table for spreadsheets, JSON
// lines for data frames, JUnit for build servers, conversations for training, logs of inspect_ai. It takes episodes as they
// stand in a log and gives each format what it holds of them; it sums nothing up (that is what [results.Summarize] and the tables
// of package report do), opens no file and asks nobody. Start at [Writer] and at the New function of a format.
package export

import (
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Source is the run that episodes come from.
type Source struct {
	// Name is what the output calls the run: the folder or file as it was given.
	Name string
	// Generator, Grader, Split and Bank are what the run was played with; empty where that is not known.
	Generator, Grader, Split, Bank string
	// Created is when the run was finished, in RFC 3339, or empty.
	Created string
	// Models maps agents to the model that they ask for; agents that ask none are missing.
	Models map[string]string
}

// Writer writes episodes in one format, in the order in which they come. It is for one goroutine. Errors are those of the
// [io.Writer] below it, or say which episode cannot be read.
type Writer interface {
	// Episode takes an episode, also a broken one.
	Episode(src *Source, ep *results.Logged) error
	// Close writes what stands after the last episode. It does not close the writer below.
	Close() error
}

// PartsOf lists the parts of the answers to tasks, each once, in the order of tables; columns are the label columns of imported
// tickets, which come last. It says which columns [NewCSV] and [NewJSONL] have.
func PartsOf(tasks []triage.Task, columns []string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(names []string) {
		for _, n := range names {
			if !seen[n] {
				seen[n], out = true, append(out, n)
			}
		}
	}
	for _, t := range tasks {
		add(results.PartNames(t))
	}
	add(columns)
	return out
}

// taskOf is the task of an episode's key; imported tickets have none of the table.
func taskOf(key triage.Key) triage.Task {
	if t, err := triage.TaskByName(key.Task); err == nil {
		return t
	}
	return triage.Task{Name: key.Task, Track: triage.Dataset, Tickets: 1}
}
