//go:build unix

package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// noisy answers as models do, always the same to the same request: some answers are wrong, some in odd forms, some cannot be
// read and are asked again; some requests are refused and break their episode, and now and then one has to be tried again.
const noisy = `
seed: 7
noise: {category: 0.3, route_category: 0.3, priority: 0.2}
form: {exact: 4, fenced: 2, prose: 1, think: 1, python_dict: 1, truncated: 1, empty: 1, two_objects: 1}
latency: 10ms..40ms
faults:
  - {share: 0.02, reply: 400}
  - {every: 67, reply: 500}
`

// interruptions: twenty times (three in the short form) a run is interrupted, by Ctrl-C and kill -9 in turn, and gone on with.
// lessons D58, D62, D63
func interruptions(t *testing.T, p program) {
	const concurrency = 4
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	tickets := []string{"--tasks", "queue-easy", "desk-hard", "--episodes", "32"}
	model := p.serve(t, noisy, tickets...)
	flags := append(tickets, "--cache", "off", "--concurrency", fmt.Sprint(concurrency), "--max-consecutive-errors", "100")
	r := modelRun{program: p, url: model.url, dir: t.TempDir()}
	r.must(t, 3, "whole", flags...)
	whole := model.asked(t)
	wholeSteps := kept(t, filepath.Join(r.dir, "whole"))
	checkNoise(t, whole, wholeSteps)
	results := "results-llamacpp_fake.json"

	cut := filepath.Join(r.dir, "cut")
	rnd := rand.New(rand.NewPCG(1, 2))
	finished := map[string]keptStep{}
	var begun []time.Time
	for round := range rounds {
		had := len(model.asked(t))
		begun = append(begun, time.Now())
		run := p.start(t, r.dir, nil, r.args("cut", append(flags, "--resume")...)...)
		// What the killed run before this one had in flight may be counted after its end.
		enough := had + concurrency + 3 + rnd.IntN(12)
		if round%10 == 9 {
			enough = had // while it begins
		}
		until(t, "the next answers", func() bool { return len(model.asked(t)) >= enough || run.ended() })
		signal, code := syscall.SIGINT, 130
		if round%2 == 1 {
			signal, code = syscall.SIGKILL, -1
		}
		run.send(t, signal)
		if got := run.wait(t); got != code {
			t.Fatalf("round %d, %v: exit code %d, not %d: %s", round, signal, got, code, &run.stderr)
		}
		if _, err := os.Stat(filepath.Join(cut, results)); err == nil { // lesson B39
			t.Errorf("round %d: there are results of a run that is not whole", round)
		}
		steps := kept(t, cut)
		for ticket := range finished {
			if _, ok := steps[ticket]; !ok {
				t.Errorf("round %d: a step that was finished is lost", round)
			}
		}
		for _, a := range model.asked(t) {
			if _, ok := finished[a.ticket(t)]; ok && a.At.After(begun[round]) {
				t.Errorf("round %d: a step is asked again that was finished", round)
			}
		}
		finished = steps
	}
	r.must(t, 3, "cut", append(flags, "--resume")...)
	sameFile(t, filepath.Join(r.dir, "whole", "episodes.jsonl"), filepath.Join(cut, "episodes.jsonl"))
	sameFile(t, filepath.Join(r.dir, "whole", results), filepath.Join(cut, results))
	all := model.asked(t)
	calls, most := answered(all[len(whole):]), answered(whole)+rounds*concurrency
	t.Logf("%d interruptions with %d of %d steps finished before the last: %d answers, %d without interruptions", rounds, len(finished), len(kept(t, cut)), calls, answered(whole))
	if calls > most {
		t.Errorf("%d answers in all, more than %d", calls, most)
	}
}

// checkNoise: the run that is compared has whatever can happen.
func checkNoise(t *testing.T, all []asked, steps map[string]keptStep) {
	t.Helper()
	seen := map[string]int{}
	for i := range all {
		seen["fault "+all[i].Fault]++
	}
	for _, s := range steps {
		seen[s.Reply.Stage]++
		seen[s.Reply.Cause]++
		seen["asked again"] += s.Usage.Reasks
	}
	for _, name := range []string{"fault 400", "fault 500", "exact", "fenced", "embedded", "repaired", "none", "ambiguous", "asked again"} {
		if seen[name] == 0 {
			t.Errorf("the run has no %q: %v", name, seen)
		}
	}
	requested := map[string]bool{}
	for i := range all {
		requested[all[i].ticket(t)] = true
	}
	for ticket := range steps {
		if !requested[ticket] {
			t.Errorf("a step is of no request, so that nobody can tell whether it is asked again: %q", ticket)
		}
	}
}

// keptStep is a step as far as the tests look at it.
type keptStep struct {
	Observation struct {
		Ticket       *struct{ Subject, Description string }
		CustomerName string `json:"customer_name"`
		IssueText    string `json:"issue_text"`
	}
	Reply *struct{ Stage, Cause string }
	Usage *struct{ Calls, Reasks int }
}

// ticket is its text as it stands in a request.
func (s *keptStep) ticket() string {
	if s.Observation.Ticket == nil {
		return "From: " + s.Observation.CustomerName + "\nSubject: " + s.Observation.IssueText
	}
	return "Subject: " + s.Observation.Ticket.Subject + "\n\n" + s.Observation.Ticket.Description
}

// kept are the steps in a run's journal that need not be played again, by the text of their ticket.
func kept(t *testing.T, folder string) map[string]keptStep {
	t.Helper()
	out := map[string]keptStep{}
	for _, line := range wholeLines(t, filepath.Join(folder, "journal.jsonl")) {
		var l struct {
			Ended string
			Step  *keptStep
			Steps []keptStep
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if l.Step != nil {
			l.Steps = []keptStep{*l.Step}
		}
		for _, s := range l.Steps {
			if l.Step != nil || l.Ended != "error" {
				out[s.ticket()] = s
			}
		}
	}
	return out
}
