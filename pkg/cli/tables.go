package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// agentResult are the summaries of one agent.
type agentResult struct {
	Agent   string
	Tasks   []results.TaskSummary
	Columns []results.ColumnSummary
}

// scoreTables builds a table a track; with several agents it has a column for them.
func scoreTables(agents []agentResult, split string, seed int64) []report.Table {
	var out []report.Table
	for _, track := range triage.Tracks() {
		broke := anyBroke(agents, track)
		t := newScoreTable(track, len(agents) > 1, broke)
		rows := 0
		for _, a := range agents {
			for i := range a.Tasks {
				s := &a.Tasks[i]
				if s.Task.Track == track {
					t.Rows = append(t.Rows, scoreRow(track, len(agents) > 1, broke, a.Agent, s))
					t.Notes = append(t.Notes, notes(a.Agent, s)...)
					rows++
				}
			}
		}
		if rows == 0 {
			continue
		}
		t.Title = fmt.Sprintf("%s track, split %s, seeds from %d", capital(string(track)), split, seed)
		if len(agents) == 1 {
			t.Title = fmt.Sprintf("%s track, agent %s, split %s, seeds from %d", capital(string(track)), agents[0].Agent, split, seed)
		}
		out = append(out, t)
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// anyBroke tells whether an episode of a track broke: errors have a column then.
func anyBroke(agents []agentResult, track triage.Track) bool {
	return slices.ContainsFunc(agents, func(a agentResult) bool {
		return slices.ContainsFunc(a.Tasks, func(s results.TaskSummary) bool { return s.Task.Track == track && s.Errors > 0 })
	})
}

func newScoreTable(track triage.Track, withAgent, withErrors bool) report.Table {
	t := report.Table{Name: string(track)}
	add := func(title, key string, places int, text bool) {
		t.Columns = append(t.Columns, report.Column{Title: title, Key: key, Places: places, Text: text})
	}
	if withAgent {
		add("Agent", "agent", 0, true)
	}
	add("Difficulty", "difficulty", 0, true)
	add("n", "n", 0, false)
	if withErrors {
		add("Errors", "errors", 0, false)
	}
	if track == triage.Queue {
		add("Score [95 %]", "score", 3, false)
		add("Route acc.", "route_accuracy", 3, false)
		add("Urgency acc.", "urgency_accuracy", 3, false)
		add("Efficiency", "efficiency", 3, false)
	} else {
		add("Avg reward", "reward", 3, false)
		add("Correctness [95 %]", "correctness", 3, false)
		add("Efficiency", "efficiency", 3, false)
		add("Success", "success_rate", 3, false)
		add("Category acc.", "category_accuracy", 3, false)
		add("Priority acc.", "priority_accuracy", 3, false)
		add("Days acc.", "urgency_days_accuracy", 3, false)
		add("Dept. acc.", "department_accuracy", 3, false)
		add("Recomm.", "recommendation", 3, false)
	}
	add("Floor", "floor", 3, false)
	add("Target", "target", 2, false)
	add("Pass", "pass", 0, true)
	return t
}

func scoreRow(track triage.Track, withAgent, withErrors bool, agent string, s *results.TaskSummary) []report.Cell {
	var row []report.Cell
	if withAgent {
		row = append(row, agent)
	}
	score := intervalCell(s.WithErrors)
	share := float64(s.N) / float64(s.N+s.Errors) // what broke counts as 0 in every mean of the row
	part := func(m map[string]float64, name string) report.Cell {
		if v, ok := m[name]; ok {
			return v * share
		}
		return nil
	}
	row = append(row, string(s.Task.Difficulty), s.N)
	if withErrors {
		row = append(row, s.Errors)
	}
	if track == triage.Queue {
		row = append(row, score, part(s.Exact, "route"), part(s.Exact, "urgency"), s.Efficiency*share)
	} else {
		row = append(row, s.Reward*share, score, s.Efficiency*share, s.SuccessRate*share, part(s.Exact, "category"), part(s.Exact, "priority"),
			part(s.Exact, "urgency_days"), part(s.Exact, "department"), part(s.Parts, "recommendation"))
	}
	var floor report.Cell
	if s.Floor != nil && s.Floor.Agent != "" {
		floor = s.Floor.Score
	}
	target := report.Bound{Sign: ">", Value: s.Task.Target}
	if track == triage.Desk {
		target.Sign = "≥"
	}
	return append(row, floor, target, s.Pass)
}

// notes are what is to be doubted about a row.
func notes(agent string, s *results.TaskSummary) []string {
	var out []string
	if s.Task.Track == triage.Dataset && s.N > 0 {
		out = append(out, fmt.Sprintf("%s: score %.3f, the mean over tickets of the share of their labels that are right.", agent, s.Score.Mean))
	}
	switch {
	case s.Errors > 0 && s.N == 0:
		out = append(out, fmt.Sprintf("%s, %s: n=0 of %d: every episode broke through no fault of the agent, so that there is no score.", agent, s.Task.Name, s.Errors))
	case s.Errors > 0 && s.Task.Track == triage.Dataset:
		out = append(out, fmt.Sprintf("%s, %s: n=%d of %d: %s broke through no fault of the agent; what broke is in none of these figures.",
			agent, s.Task.Name, s.N, s.N+s.Errors, counted(s.Errors, "episode")))
	case s.Errors > 0:
		out = append(out, fmt.Sprintf("%s, %s: n=%d of %d: %s broke through no fault of the agent; what broke counts as 0 here, what was scored has %.1f points of %d.",
			agent, s.Task.Name, s.N, s.N+s.Errors, counted(s.Errors, "episode"), s.Score.Mean*float64(s.N), s.N))
	}
	if s.Refused > 0 {
		out = append(out, fmt.Sprintf("%s, %s: %s refused or missing, which scores 0.", agent, s.Task.Name, counted(s.Refused, "answer")))
	}
	for _, w := range s.WithErrors.Warnings {
		out = append(out, fmt.Sprintf("%s, %s: %s.", agent, s.Task.Name, w))
	}
	return out
}

// overallLines are the overall scores, for people and for machines.
func overallLines(agents []agentResult, values map[string]report.Cell) []string {
	var out []string
	all := map[string]map[string]any{}
	for _, a := range agents {
		o := results.OverallOf(a.Tasks)
		var parts []string
		m := map[string]any{}
		for _, x := range []struct {
			name  string
			value float64
		}{{"queue", o.Queue}, {"desk", o.Desk}, {"all", o.All}} {
			m[x.name] = nil
			if !math.IsNaN(x.value) {
				parts = append(parts, fmt.Sprintf("%s %.3f", x.name, x.value))
				m[x.name] = triage.Rounded(x.value)
			}
		}
		all[a.Agent] = m
		if len(parts) == 0 {
			continue
		}
		name := ""
		if len(agents) > 1 {
			name = " of " + a.Agent
		}
		out = append(out, fmt.Sprintf("Overall score%s: %s", name, strings.Join(parts, ", ")))
	}
	values["overall"] = all
	return out
}

// floorNote explains the column of floors.
const floorNote = "Floor: the best of the agents that do not read (constant, random, each metadata field copied), on the same tickets."
