package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
)

// confident is an agent on a task with what its confidences are worth.
type confident struct {
	agent string
	task  *results.TaskSummary
}

// confidents are the agents and tasks that have confidences, in the order of the tables.
func confidents(agents []agentResult) []confident {
	var out []confident
	for _, a := range agents {
		for i := range a.Tasks {
			if a.Tasks[i].Confidence != nil {
				out = append(out, confident{a.Agent, &a.Tasks[i]})
			}
		}
	}
	return out
}

// confidenceTables are the tables of confidences; none where no answer has one.
func confidenceTables(agents []agentResult) []report.Table {
	list := confidents(agents)
	if len(list) == 0 {
		return nil
	}
	return []report.Table{coverageTable(list), calibrationTable(list)}
}

// coverageNote explains the table of coverage.
const coverageNote = "Coverage at an error: the largest share of tickets that can be left to the agent if at most that share of its answers may be wrong, " +
	"with a 95 % interval; from: the confidence from which on answers are taken. " +
	"Thresholds are those of these very tickets: choose one on other tickets than you judge it by."

// coverageTable has a row for each agent, task and field.
func coverageTable(list []confident) report.Table {
	t := report.Table{Name: "coverage", Title: "Coverage: the share of tickets that could be left to the agent, by how many wrong answers are allowed", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Field", Key: "field", Text: true},
		{Title: "n", Key: "n"}, {Title: "Without", Key: "without", Hidden: true}, {Title: "Accuracy", Key: "accuracy", Places: 3}}}
	for _, level := range results.ErrorLevels() {
		percent := fmt.Sprintf("%g", level*100)
		t.Columns = append(t.Columns, report.Column{Title: "≤ " + percent + " % [95 %]", Key: "coverage_" + percent, Places: 2},
			report.Column{Title: "from", Key: "threshold_" + percent, Places: 3},
			report.Column{Title: "taken", Key: "taken_" + percent, Hidden: true}, report.Column{Title: "error", Key: "error_" + percent, Hidden: true})
	}
	for _, c := range list {
		for _, f := range c.task.Confidence.List() {
			row := []report.Cell{c.agent, c.task.Task.Name, f.Name, f.N + f.Without, f.Without, known(f.Accuracy)}
			for i := range results.ErrorLevels() {
				row = append(row, levelCells(f.Levels, i)...)
			}
			t.Rows = append(t.Rows, row)
			if f.Without > 0 {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s, %s: %s without a confidence, which cannot be left to the agent; accuracy is of the others.",
					c.agent, c.task.Task.Name, f.Name, counted(f.Without, "answer")))
			}
		}
	}
	for _, c := range list {
		text := fmt.Sprintf("Whole answer of %s: right is %s; as sure as its least sure field, unless the agent says otherwise.", c.task.Task.Name, results.Success(c.task.Task))
		if c.task.Confidence.List()[0].Name == results.WholeAnswer && !slices.Contains(t.Notes, text) {
			t.Notes = append(t.Notes, text)
		}
	}
	t.Notes = append(t.Notes, coverageNote)
	return t
}

// levelCells are the coverage and threshold of a level, and for machines how many answers are taken and the error among them.
func levelCells(levels []results.CoverageLevel, i int) []report.Cell {
	if i >= len(levels) {
		return []report.Cell{nil, nil, nil, nil}
	}
	l := &levels[i]
	if l.Taken == 0 {
		return []report.Cell{intervalCell(l.Coverage), nil, 0, nil}
	}
	return []report.Cell{intervalCell(l.Coverage), l.Threshold, l.Taken, intervalCell(l.Error)}
}

// calibrationNote explains the table of calibration.
const calibrationNote = "ECE: how far confidences are from the share of right answers, in 10 bins (0 is best); Brier: mean squared error of the confidences (0 is best). " +
	"Risk area: mean share of wrong answers among the k surest, over all k; best and chance: with a perfect and with a meaningless order of the same answers."

// calibrationTable has a row for each agent, task and field.
func calibrationTable(list []confident) report.Table {
	t := report.Table{Name: "calibration", Title: "Calibration: whether confidences are right", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Field", Key: "field", Text: true},
		{Title: "n", Key: "n"}, {Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Mean confidence", Key: "mean_confidence", Places: 3},
		{Title: "ECE", Key: "ece", Places: 3}, {Title: "Brier", Key: "brier", Places: 3}, {Title: "Risk area", Key: "risk_coverage_area", Places: 3},
		{Title: "best", Key: "least_area", Places: 3}, {Title: "chance", Key: "chance_area", Places: 3}}}
	for _, c := range list {
		for _, f := range c.task.Confidence.List() {
			t.Rows = append(t.Rows, []report.Cell{c.agent, c.task.Task.Name, f.Name, f.N, known(f.Accuracy), known(f.Mean), known(f.ECE), known(f.Brier),
				known(f.RiskArea), known(f.LeastArea), known(f.Chance)})
		}
		t.Notes = append(t.Notes, calibrationDoubts(c)...)
	}
	t.Notes = append(t.Notes, calibrationNote)
	return t
}

// calibrationDoubts are the warnings of an agent and task, each once with the fields that have it.
func calibrationDoubts(c confident) []string {
	var order []string
	fields := map[string][]string{}
	for _, f := range c.task.Confidence.List() {
		for _, w := range f.Warnings {
			if fields[w] == nil {
				order = append(order, w)
			}
			fields[w] = append(fields[w], f.Name)
		}
	}
	for i, w := range order {
		order[i] = fmt.Sprintf("%s, %s (%s): %s.", c.agent, c.task.Task.Name, strings.Join(fields[w], ", "), w)
	}
	return order
}

// costTable has a row for each agent and task whose answers have a cost; ok is false where none has.
func costTable(agents []agentResult) (t report.Table, ok bool) {
	t = report.Table{Name: "costs", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Tickets", Key: "tickets"},
		{Title: "Score", Key: "score", Places: 3}, {Title: "Cost a ticket [95 %]", Key: "cost", Places: 3}}}
	handover := false
	for _, a := range agents {
		for i := range a.Tasks {
			handover = handover || a.Tasks[i].Cost != nil && a.Tasks[i].Cost.Handover != nil
		}
	}
	if handover {
		t.Columns = append(t.Columns, report.Column{Title: "Take from", Key: "threshold", Places: 3}, report.Column{Title: "Taken", Key: "coverage", Places: 3},
			report.Column{Title: "Cost then [95 %]", Key: "cost_with_handover", Places: 3}, report.Column{Title: "All handed over", Key: "handover_cost", Places: 3})
	}
	for _, a := range agents {
		for i := range a.Tasks {
			s := &a.Tasks[i]
			c := s.Cost
			if c == nil {
				continue
			}
			ok = true
			t.Title = costTitle(c)
			row := []report.Cell{a.Agent, s.Task.Name, c.Tickets, known(s.WithErrors.Mean), intervalCell(c.Cost)}
			if h := c.Handover; h != nil {
				row = append(row, known(h.Threshold), known(h.Coverage.Mean), intervalCell(h.Mean), h.Cost)
				if math.IsNaN(h.Threshold) {
					t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: no confidence is worth taking: handing over every ticket is cheapest.", a.Agent, s.Task.Name))
				}
			} else if handover {
				row = append(row, nil, nil, nil, nil)
			}
			t.Rows = append(t.Rows, row)
			for _, w := range c.Cost.Warnings {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: cost: %s.", a.Agent, s.Task.Name, w))
			}
		}
	}
	if handover {
		t.Notes = append(t.Notes, "Take from: the confidence from which on taking the answer is cheaper than handing the ticket over, on these very tickets; on others it will do a little worse.")
	}
	return t, ok
}

func costTitle(c *results.CostFigures) string {
	unit := ""
	if c.Unit != "" {
		unit = " in " + c.Unit
	}
	return fmt.Sprintf("Expected cost%s by %s: %s", unit, c.Matrix, strings.Join(c.Labels, ", "))
}
