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

// callsOf are the figures of an agent on a task; nil where calls is nil, since nobody counted them.
func callsOf(calls *results.Calls, agent, task string) *results.CallFigures {
	if calls == nil {
		return nil
	}
	if f := calls.Of(agent, task); f != nil {
		return f
	}
	return &results.CallFigures{}
}

// modelTables are the tables of replies and of costs, with a row for each model and task and one for all tasks; nil where no
// model played. calls is nil for a run that is over; asked gives the model that an agent asks for.
func modelTables(agents []agentResult, calls *results.Calls, asked func(agent string) string) []report.Table {
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
		{Title: "Cost, $", Key: "cost_usd", Text: true}, {Title: "Spent, $", Key: "spent_usd", Text: true}, {Title: "p50, ms", Key: "latency_ms_p50"}, {Title: "p95, ms", Key: "latency_ms_p95"}}}
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
			f := callsOf(calls, a.Agent, s.Task.Name)
			replies.Rows = append(replies.Rows, repliesRow(a.Agent, s))
			replies.Notes = append(replies.Notes, causeNote(a.Agent, s)...)
			replies.Notes = append(replies.Notes, servedNote(a.Agent, asked(a.Agent), s)...)
			costs.Rows = append(costs.Rows, costRow(a.Agent, s.Task.Name, s.Model, f))
			all.Join(s.Model)
			if f != nil {
				made.Join(f)
			}
		}
		switch {
		case n > 1 && calls == nil:
			costs.Rows = append(costs.Rows, costRow(a.Agent, "all", &all, nil))
		case n > 1:
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
	share := float64(s.N) / float64(s.N+s.Errors) // what broke counts as 0, as in the table of scores
	return append(row, s.Model.Coerced, s.Model.Reasked, s.WithErrors.Mean, s.Model.Strict.Mean*share)
}

// servedNote says so where another model answered than the one that was asked for, as servers do that have only one.
func servedNote(agent, asked string, s *results.TaskSummary) []string {
	var others []string
	for _, name := range slices.Sorted(maps.Keys(s.Model.Served)) {
		if name != asked && !strings.HasPrefix(name, asked+"-") {
			others = append(others, name)
		}
	}
	if len(others) == 0 || asked == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s, %s: asked for %s, the endpoint says that it answered with %s.", agent, s.Task.Name, asked, strings.Join(others, ", "))}
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

// costRow has no figures of calls where f is nil: they were made by another process.
func costRow(agent, task string, m *results.ModelFigures, f *results.CallFigures) []report.Cell {
	total := func(t results.Total) report.Cell {
		if v, ok := t.Known(); ok {
			return int(v)
		}
		return nil
	}
	calls, latencies := []report.Cell{nil, nil, nil}, []report.Cell{nil, nil}
	if f != nil {
		calls = []report.Cell{f.Made, f.Kept, f.Retries}
		for i, q := range []float64{0.5, 0.95} {
			if v, ok := f.Percentile(q); ok {
				latencies[i] = v
			}
		}
	}
	var cost, spent report.Cell
	if v, ok := m.Cost.Known(); ok {
		cost = dollars(v)
	}
	if f != nil {
		if v, ok := f.Spent.Known(); ok && (v > 0 || cost != nil) {
			spent = dollars(v)
		}
	}
	row := append([]report.Cell{agent, task}, calls...)
	return append(append(row, total(m.In), total(m.Cached), total(m.Out), total(m.Reasoning), cost, spent), latencies...)
}

// dollars renders nano-dollars with the digits that tell something: four places, and for less than a cent of a cent the first
// two that are not 0.
func dollars(nano int64) string {
	if nano == 0 {
		return "0"
	}
	const most = 9
	digits, unit := 4, int64(100_000) // nano-dollars of the last place
	for digits < most && nano < 10*unit {
		digits, unit = digits+1, unit/10
	}
	nano = (nano + unit/2) / unit * unit
	whole, part := nano/1e9, nano%1e9
	return strconv.FormatInt(whole, 10) + "." + fmt.Sprintf("%09d", part)[:digits]
}

// costNote explains the table of costs.
const costNote = "Cost: of all replies at list prices, those from the cache included; Spent: of the calls that were made; – is unknown, not 0. Strict: what was not read as it stands counts as no answer."
