package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// isScenarioFile tells whether a path names a file of a bank by its ending, and no folder.
func isScenarioFile(clean string) bool {
	ext := filepath.Ext(clean)
	return ext == ".yaml" || ext == ".yml"
}

// isBank tells whether a path names a folder of routes, by its name.
func isBank(p string) bool {
	clean := filepath.Clean(p)
	if abs, err := filepath.Abs(clean); err == nil {
		clean = abs
	}
	return !isScenarioFile(clean) && !triage.Route(filepath.Base(clean)).Valid()
}

// playable says on which tracks and splits a bank without mistakes can be played, and what the others lack.
func playable(files fstest.MapFS) (plays string, lacks scenario.Problems, err error) {
	bank, err := scenario.LoadDir(files)
	if err != nil {
		return "", nil, err
	}
	var good []string
	for _, track := range triage.Tracks() {
		for _, split := range triage.Splits() {
			if _, err := synth.New(bank, firstTask(track), split, nil); err != nil {
				message := strings.ReplaceAll(err.Error(), "task "+firstTask(track).Name+" needs", string(track)+" tasks need")
				lacks = append(lacks, scenario.Problem{File: ".", Message: message})
				continue
			}
			good = append(good, string(track)+" tasks in split "+string(split))
		}
	}
	if len(good) == 0 {
		return "No task can be played on this bank yet.", lacks, nil
	}
	return "It can be played: " + strings.Join(good, ", ") + ".", lacks, nil
}

// firstTask is the easiest task of a track: all tasks of one need the same scenarios.
func firstTask(track triage.Track) triage.Task {
	for _, t := range triage.Tasks() {
		if t.Track == track {
			return t
		}
	}
	return triage.Task{}
}

// servable refuses a bank on which no task can be played, and warns of what it lacks for a track and split.
func servable(app *App, s *session) error {
	var lacks []error
	good := false
	for _, track := range triage.Tracks() {
		for _, split := range triage.Splits() {
			if _, err := s.source(firstTask(track), split); err != nil {
				lacks = append(lacks, err)
			} else {
				good = true
			}
		}
	}
	if !good {
		return errors.Join(lacks...)
	}
	for _, err := range lacks {
		app.warn("%v", err)
	}
	return nil
}
