package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
)

// stages are the columns of the table of replies, the plainest first.
var stages = []string{"exact", "fenced", "embedded", "repaired", "none"}

// modelTables are the tables of replies and of costs, with a row for each model and task and one for all tasks; nil where no
// model played.
func modelTables(agents []agentResult, calls *results.Calls) []report.Table {
	replies := report.Table{Name: "replies", Title: "Replies: how they were read", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true},
		{Title: "Task", Key: "task", Text: true}, {Title: "Decisions", Key: "decisions"}}}
	for _, s := range stages {
		replies.Columns = append(replies.Columns, report.Column{Title: capital(s), Key: s})
	}
	replies.Columns = append(replies.Columns, report.Column{Title: "Values taken for others", Key: "coerced"}, report.Column{Title: "Re-asked", Key: "reasked"},
		report.Column{Title: "Score", Key: "score", Places: 3}, report.Column{Title: "Strict score", Key: "strict_score", Places: 3})
	costs := report.Table{Name: "costs", Title: "Calls, tokens, cost", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true},
		{Title: "Calls made", Key: "made"}, {Title: "Kept", Key: "kept"}, {Title: "Retries", Key: "retries"}, {Title: "Tokens in", Key: "tokens_in"},
		{Title: "Cached", Key: "tokens_cached"}, {Title: "Tokens out", Key: "tokens_out"}, {Title: "Reasoning", Key: "tokens_reasoning"},
		{Title: "Cost, $", Key: "cost_usd", Text: true}, {Title: "p50, ms", Key: "latency_ms_p50"}, {Title: "p95, ms", Key: "latency_ms_p95"}}}
	for _, a := range agents {
		var all results.ModelFigures
		var made results.CallFigures
		n := 0
		for i := range a.Tasks {
			s := &a.Tasks[i]
			if s.Model == nil {
				continue
			}
			n++
			f := &results.CallFigures{}
			if calls != nil && calls.Of(a.Agent, s.Task.Name) != nil {
				f = calls.Of(a.Agent, s.Task.Name)
			}
			replies.Rows = append(replies.Rows, repliesRow(a.Agent, s))
			replies.Notes = append(replies.Notes, causeNote(a.Agent, s)...)
			costs.Rows = append(costs.Rows, costRow(a.Agent, s.Task.Name, s.Model, f))
			all.Join(s.Model)
			made.Join(f)
		}
		if n > 1 {
			costs.Rows = append(costs.Rows, costRow(a.Agent, "all", &all, &made))
		}
	}
	if len(replies.Rows) == 0 {
		return nil
	}
	return []report.Table{replies, costs}
}

func repliesRow(agent string, s *results.TaskSummary) []report.Cell {
	row := []report.Cell{agent, s.Task.Name, s.Model.Decisions}
	for _, stage := range stages {
		row = append(row, s.Model.Stages[stage])
	}
	return append(row, s.Model.Coerced, s.Model.Reasked, s.Score.Mean, s.Model.Strict.Mean)
}

// causeNote says why replies could not be read.
func causeNote(agent string, s *results.TaskSummary) []string {
	var parts []string
	for _, cause := range slices.Sorted(maps.Keys(s.Model.Causes)) {
		parts = append(parts, fmt.Sprintf("%s %d", cause, s.Model.Causes[cause]))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s, %s: what was wrong with replies: %s.", agent, s.Task.Name, strings.Join(parts, ", "))}
}

func costRow(agent, task string, m *results.ModelFigures, f *results.CallFigures) []report.Cell {
	total := func(t results.Total) report.Cell {
		if v, ok := t.Known(); ok {
			return int(v)
		}
		return nil
	}
	latency := func(q float64) report.Cell {
		if v, ok := f.Percentile(q); ok {
			return v
		}
		return nil
	}
	var cost report.Cell
	if v, ok := m.Cost.Known(); ok {
		cost = dollars(v)
	}
	return []report.Cell{agent, task, f.Made, f.Kept, f.Retries, total(m.In), total(m.Cached), total(m.Out), total(m.Reasoning), cost, latency(0.5), latency(0.95)}
}

// dollars renders nano-dollars with the digits that tell something.
func dollars(nano int64) string {
	whole, part := nano/1e9, nano%1e9
	text := fmt.Sprintf("%09d", part)
	digits := 4
	if whole == 0 {
		for digits < 9 && strings.Trim(text[:digits], "0") == "" {
			digits++
		}
		digits = min(9, digits+1)
	}
	return strconv.FormatInt(whole, 10) + "." + text[:digits]
}

// costNote explains the table of costs.
const costNote = "Cost: of all replies at list prices, those from the cache included; – is unknown, not 0. Strict: what was not read as it stands counts as no answer."
