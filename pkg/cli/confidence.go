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
var coverageNote = fmt.Sprintf("Coverage: the largest share of tickets that can be left to the agent if at most so many of its answers may be wrong; from: the confidence from "+
	"which on answers are taken; then: what was wrong of them. – or no row where no threshold does: it must take %d answers or more, with the upper bound of the errors at most %d times what is "+
	"allowed. Thresholds are those of these very tickets, and so optimistic: choose one on other tickets than you judge it by.", results.LeastTaken, results.MostDoubt)

// fieldsNote says where the rows are that people are spared.
const fieldsNote = "The fields one by one: --format csv, json or html."

// forPeople tells whether a row of a task is for people too: whole answers are, and the fields of imported tickets, which are few.
func (c confident) forPeople(i int) bool { return i == 0 || c.task.Task.Track == triage.Dataset }

// coverageTable has a row for each agent, task, field and share of wrong answers that is allowed.
func coverageTable(list []confident) report.Table {
	t := report.Table{Name: "coverage", Title: "Coverage: the share of tickets that could be left to the agent, by how many wrong answers are allowed", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Field", Key: "field", Text: true},
		{Title: "n", Key: "n", Hidden: true}, {Title: "Without", Key: "without", Hidden: true}, {Title: "Accuracy", Key: "accuracy", Places: 3, Hidden: true},
		{Title: "Wrong", Key: "max_error", Places: 2}, {Title: "Coverage [95 %]", Key: "coverage", Places: 2}, {Title: "From", Key: "threshold", Places: 3},
		{Title: "Taken", Key: "taken"}, {Title: "Wrong then [95 %]", Key: "error", Places: 2}}}
	fields := false // some are for machines only
	for _, c := range list {
		for i, f := range c.task.Confidence.List() {
			for k := range f.Levels {
				row := append([]report.Cell{c.agent, c.task.Task.Name, f.Name, f.N + f.Without, f.Without, known(f.Accuracy)}, levelCells(&f.Levels[k])...)
				if c.forPeople(i) && (f.Levels[k].Settled() || k == len(f.Levels)-1) {
					t.Rows = append(t.Rows, row)
				} else {
					t.More = append(t.More, row)
				}
			}
			fields = fields || !c.forPeople(i)
			if f.Without > 0 && c.forPeople(i) {
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
	if fields {
		t.Notes = append(t.Notes, fieldsNote)
	}
	return t
}

// levelCells are the share that is allowed, the coverage, its threshold, how many answers are taken and the errors among them; nothing but
// the first where too few were taken to tell.
func levelCells(l *results.CoverageLevel) []report.Cell {
	most := report.Bound{Sign: "≤", Value: l.MaxError}
	if !l.Settled() {
		return []report.Cell{most, nil, nil, nil, nil}
	}
	return []report.Cell{most, intervalCell(l.Coverage), l.Threshold, l.Taken, intervalCell(l.Error)}
}

// calibrationNote explains the table of calibration.
const calibrationNote = "ECE: how far confidences are from the share of right answers, in 10 bins (0 is best); Brier: mean squared error of the confidences (0 is best). " +
	"docs/confidence.md says what to do where they are high."

// calibrationTable has a row for each agent, task and field.
func calibrationTable(list []confident) report.Table {
	t := report.Table{Name: "calibration", Title: "Calibration: whether confidences are right", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Field", Key: "field", Text: true},
		{Title: "n", Key: "n"}, {Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Mean confidence", Key: "mean_confidence", Places: 3},
		{Title: "ECE", Key: "ece", Places: 3}, {Title: "Brier", Key: "brier", Places: 3}, {Title: "Risk area", Key: "risk_coverage_area", Places: 3, Hidden: true},
		{Title: "best", Key: "least_area", Places: 3, Hidden: true}, {Title: "chance", Key: "chance_area", Places: 3, Hidden: true}}}
	for _, c := range list {
		for i, f := range c.task.Confidence.List() {
			row := []report.Cell{c.agent, c.task.Task.Name, f.Name, f.N, known(f.Accuracy), known(f.Mean), known(f.ECE), known(f.Brier),
				known(f.RiskArea), known(f.LeastArea), known(f.Chance)}
			if c.forPeople(i) {
				t.Rows = append(t.Rows, row)
			} else {
				t.More = append(t.More, row)
			}
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
	for i, f := range c.task.Confidence.List() {
		if !c.forPeople(i) {
			continue
		}
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
