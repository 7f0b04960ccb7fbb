package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
)

// intervalCell is an estimate in a table; one that there is not is a dash.
func intervalCell(e stats.Estimate) report.Cell {
	cell := report.Interval{Value: e.Mean, Low: math.NaN(), High: math.NaN()}
	if e.CI95 != nil {
		cell.Low, cell.High = e.CI95.Low, e.CI95.High
	}
	return cell
}

// reliabilityNote explains the figures of several trials.
const reliabilityNote = "pass^k: all of k trials of a ticket right; pass@k: at least one; k is the number of trials. Flips: tickets with answers that differ. " +
	"Lowest and highest: mean scores of a trial. Intervals are over tickets: they do not say how another run would come out."

// reliabilityTable prints a row for each agent and task, and a second one where trials broke: there each error rule has its own.
func reliabilityTable(list []results.TaskReliability) report.Table {
	t := report.Table{Name: "reliability", Title: "Reliability over trials", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Tickets", Key: "tickets"},
		{Title: "Trials", Key: "trials"}, {Title: "Errors", Key: "errors"}, {Title: "Errors count", Key: "error_rule", Text: true},
		{Title: "pass^1 [95 %]", Key: "pass_hat_1", Places: 3}, {Title: "pass^k [95 %]", Key: "pass_hat_k", Places: 3},
		{Title: "pass@k [95 %]", Key: "pass_at_k", Places: 3}, {Title: "Flips [95 %]", Key: "flip_rate", Places: 3},
		{Title: "Lowest", Key: "lowest_trial", Places: 3}, {Title: "Highest", Key: "highest_trial", Places: 3}}}
	var meanings []string // of success, in the order of the tasks
	tasks := map[string][]string{}
	for i := range list {
		f := &list[i]
		addReliability(&t, f, "as failed", &f.ErrorsFail)
		if f.Errors > 0 {
			addReliability(&t, f, "not at all", &f.ErrorsExcluded)
		}
		text := results.Success(f.Task)
		if tasks[text] == nil {
			meanings = append(meanings, text)
		}
		if !slices.Contains(tasks[text], f.Task.Name) {
			tasks[text] = append(tasks[text], f.Task.Name)
		}
	}
	for _, text := range meanings {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: right is %s.", strings.Join(tasks[text], ", "), text))
	}
	if len(list) > 0 {
		t.Notes = append(t.Notes, reliabilityNote)
	}
	return t
}

func addReliability(t *report.Table, f *results.TaskReliability, rule string, p *results.PassFigures) {
	first, hat, at := p.Hat[0], p.Hat[len(p.Hat)-1], p.At[len(p.At)-1]
	t.Rows = append(t.Rows, []report.Cell{f.Agent, f.Task.Name, f.Tickets, f.Trials, f.Errors, rule, intervalCell(first.Estimate),
		intervalCell(hat.Estimate), intervalCell(at.Estimate), intervalCell(f.FlipRate), f.Lowest, f.Highest})
	doubt := func(text string) {
		t.Notes = append(t.Notes, fmt.Sprintf("%s, %s, errors count %s: %s.", f.Agent, f.Task.Name, rule, text))
	}
	if hat.Reason != "" {
		doubt(fmt.Sprintf("no pass^%d: %s", hat.K, hat.Reason))
	}
	for _, w := range hat.Warnings {
		doubt(fmt.Sprintf("pass^%d: %s", hat.K, w))
	}
}

// perturbedScore is what one perturbation does to the score of an agent on a task.
type perturbedScore struct {
	Agent, Task, Kind string
	Paired            results.Paired
}

// perturbedScores compares every agent of a name such as heuristic+typos with the agent before the sign, which has to be in the
// records too. Agents and tasks come in the order that is given; tasks that one of the two did not play are left out.
func perturbedScores(agents, tasks []string, records map[string]map[string][]results.Record) []perturbedScore {
	var out []perturbedScore
	for _, name := range agents {
		inner, kind, ok := agent.CutPerturbed(name)
		if !ok {
			continue
		}
		for _, task := range tasks {
			base, other := records[inner][task], records[name][task]
			if len(base) > 0 && len(other) > 0 {
				out = append(out, perturbedScore{Agent: inner, Task: task, Kind: kind, Paired: results.PairedDifference(base, other)})
			}
		}
	}
	return out
}

// perturbationNote explains the table of perturbations.
const perturbationNote = "Difference: perturbed minus base, in pairs of the same episode; its interval is over episodes."

// perturbationTable prints a row for each agent, task and perturbation.
func perturbationTable(list []perturbedScore) report.Table {
	t := report.Table{Name: "perturbations", Title: "The same tickets, perturbed", Columns: []report.Column{
		{Title: "Agent", Key: "agent", Text: true}, {Title: "Task", Key: "task", Text: true}, {Title: "Perturbation", Key: "perturbation", Text: true},
		{Title: "n", Key: "n"}, {Title: "Score base", Key: "score_base", Places: 3}, {Title: "Score perturbed", Key: "score_perturbed", Places: 3},
		{Title: "Difference [95 %]", Key: "difference", Places: 3}}}
	for i := range list {
		s := &list[i]
		p := &s.Paired
		t.Rows = append(t.Rows, []report.Cell{s.Agent, s.Task, s.Kind, p.Pairs, p.Base, p.Other, intervalCell(p.Difference)})
		doubt := func(format string, args ...any) {
			t.Notes = append(t.Notes, fmt.Sprintf("%s, %s, %s: %s.", s.Agent, s.Task, s.Kind, fmt.Sprintf(format, args...)))
		}
		if p.Dropped > 0 {
			doubt("%d of %d pairs are dropped, as an episode of them broke", p.Dropped, p.Dropped+p.Pairs)
		}
		if p.Alone > 0 {
			doubt("%d episodes were played by only one of the two", p.Alone)
		}
		if p.Difference.N != p.Pairs {
			doubt("%d pairs of %d episodes; trials of one episode count as one value", p.Pairs, p.Difference.N)
		}
		for _, w := range p.Difference.Warnings {
			doubt("%s", w)
		}
	}
	if len(list) > 0 {
		t.Notes = append(t.Notes, perturbationNote)
	}
	return t
}
