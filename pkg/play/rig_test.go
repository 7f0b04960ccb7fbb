package play_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/play"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// rows are tickets of a file.
type rows []triage.Case

func (r rows) Len() int { return len(r) }

func (r rows) Case(i int) (triage.Case, error) { return r[i], nil }

// allowed are the labels of the rows.
func allowed() map[string][]string {
	return map[string][]string{"team": {"billing", "network", "printer queue"}, "urgency": {"low", "medium", "high"}}
}

// hostile is a text that wants to steer the terminal.
const hostile = "line one\x1b[2J\x1b]0;title\x07 and \u202Eback\u202C\r\nsecond\tline \x9b31m\x00\xff <script>=cmd()|a\u200b"

func someRows() rows {
	return rows{
		{Ticket: triage.Ticket{ID: "A-1", Subject: "Printer \x1b[31mdown", Body: hostile, Fields: map[string]string{"channel": "mail", "=who()": "x|y"}},
			Truth: triage.Truth{Labels: map[string]string{"team": "printer queue", "urgency": "high"}}},
		{Ticket: triage.Ticket{ID: "A-2", Subject: "Invoice", Body: strings.Repeat("A long line of a long mail that has to be broken somewhere. ", 40)},
			Truth: triage.Truth{Labels: map[string]string{"team": "billing", "urgency": "low"}}},
		{Ticket: triage.Ticket{ID: "A-3", Subject: "Wi-Fi", Body: "slow today"}, Truth: triage.Truth{Labels: map[string]string{"team": "network", "urgency": "medium"}}},
	}
}

// newEnv makes any environment.
func newEnv(task string, _ triage.Int) (triage.Env, error) {
	if task == env.TicketsTask {
		return env.NewTickets(someRows(), allowed()), nil
	}
	t, err := triage.TaskByName(task)
	if err != nil {
		return nil, err
	}
	return env.New(t, triage.Test, func(split triage.Split) (env.Source, error) {
		bank, err := scenario.Embedded()
		if err != nil {
			return nil, err
		}
		return synth.New(bank, t, split, nil)
	})
}

func planOf(t testing.TB, groups ...runner.Group) *runner.Plan {
	t.Helper()
	plan, err := runner.NewPlan(groups)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// journal keeps what a session keeps.
type journal struct {
	lines    []string
	episodes map[int]*triage.Episode
}

func (j *journal) config(plan *runner.Plan) play.Config {
	j.episodes = map[int]*triage.Episode{}
	return play.Config{Plan: plan, NewEnv: newEnv, Want: func(int) bool { return true },
		Step: func(key triage.Key, index int, _ *triage.Step) error {
			j.lines = append(j.lines, fmt.Sprintf("%s step %d", key, index))
			return nil
		},
		Episode: func(place int, ep *triage.Episode) error {
			j.lines = append(j.lines, fmt.Sprintf("%s done", ep.Key))
			j.episodes[place] = ep
			return nil
		},
		Tickets: func(key triage.Key) int {
			if task, err := triage.TaskByName(key.Task); err == nil {
				return task.Tickets
			}
			return 1
		}}
}

func started(t testing.TB, c play.Config) *play.Session {
	t.Helper()
	s := play.NewSession(c)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// asJSON is an episode as a log has it.
func asJSON(t testing.TB, ep *triage.Episode) string {
	t.Helper()
	e := triage.Encoder{Round: true}
	e.Episode(ep)
	if !json.Valid(e.Buf) {
		t.Fatalf("no JSON: %s", e.Buf)
	}
	return string(e.Buf)
}

// byAgent plays the plan by the runner with an agent of the project, in the person's name.
func byAgent(t testing.TB, plan *runner.Plan, name string) map[int]*triage.Episode {
	t.Helper()
	out := map[int]*triage.Episode{}
	r := runner.Runner{NewEnv: newEnv, Workers: 1, NewAgent: func(string) (triage.Agent, error) { return agent.New(name) }}
	if err := r.Run(context.Background(), plan, nil, func(place int, ep *triage.Episode) error { out[place] = ep; return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// actions are the answers of episodes, a ticket each.
func actions(eps map[int]*triage.Episode) []triage.Action {
	var places []int
	for p := range eps {
		places = append(places, p)
	}
	slices.Sort(places)
	var out []triage.Action
	for _, p := range places {
		for i := range eps[p].Steps {
			if eps[p].Steps[i].Action.Track == triage.Desk && i > 0 {
				continue
			}
			out = append(out, eps[p].Steps[i].Action)
		}
	}
	return out
}
