package main

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/triagebench/triage/clients/bench/figures"
)

// action is what every step answers: valid for every ticket, never more than accidentally right.
const action = `{"route_category":"billing","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":12}`

// specs gives the servers that are wanted, in the order in which they play.
func specs(o *options) ([]*spec, error) {
	makers := map[string]func(*options) (*spec, error){
		nameReference: referenceSpec, nameTuned: tunedSpec, nameEcho: echoSpec, nameOurs: oursSpec,
	}
	var out []*spec
	for _, name := range names() {
		if !o.wants(name) {
			continue
		}
		s, err := makers[name](o)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// referenceSpec is the Python server as the package's template has it: calls in threads, the event loop of the standard library.
func referenceSpec(o *options) (*spec, error) {
	s, err := tunedSpec(o)
	if err == nil {
		s.name, s.command = nameReference, append(s.command, "--plain")
	}
	return s, err
}

// tunedSpec is the Python server at its fastest.
func tunedSpec(o *options) (*spec, error) {
	const slack = 64 // sessions more than play: those that have just ended
	python, err := executable(o.python)
	if err != nil {
		return nil, err
	}
	// A start takes seconds, and there are two of these servers: half as many are timed.
	return &spec{name: nameTuned, dir: o.reference, sessions: o.limit, starts: (o.starts + 1) / 2, command: []string{
		python, "-m", "reference", "--port", "0", "--track", "queue", "--max-sessions", strconv.Itoa(max(o.limit, figures.Many) + slack),
	}}, nil
}

func echoSpec(o *options) (*spec, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &spec{name: nameEcho, sessions: figures.Idle, starts: o.starts, command: []string{self, "echo", "-frames", o.frames}}, nil
}

func oursSpec(o *options) (*spec, error) {
	binary, err := executable(o.triage)
	if err != nil {
		return nil, err
	}
	return &spec{name: nameOurs, sessions: figures.Idle, starts: o.starts, command: []string{binary, "serve", "--port", "0", "--track", "queue"}}, nil
}

// executable makes a path with a folder in it good for processes that start in another folder. A symbolic link stays one: it
// is how a Python interpreter knows its environment.
func executable(path string) (string, error) {
	if filepath.Base(path) == path {
		return path, nil
	}
	return filepath.Abs(path)
}
