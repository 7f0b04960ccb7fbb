package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// verdicts is the table of what the gates say.
func (c *comparisons) verdicts() Table {
	t := c.table("verdicts", "Gates", Column{Title: "Verdict", Key: "verdict", Text: true}, Column{Title: "Gate", Key: "gate", Text: true}, Column{Title: "On", Key: "scope", Text: true},
		Column{Title: "n", Key: "n"}, Column{Title: "Units", Key: "units", Text: true}, Column{Title: "Value [95 %]", Key: "value", Places: 3}, Column{Title: "Why", Key: "why", Text: true, Width: 70})
	for i := range c.list {
		x := &c.list[i]
		for j := range x.Verdicts {
			v := &x.Verdicts[j]
			t.Rows = append(t.Rows, c.row(x, string(v.Outcome), cleaned(v.Gate.String(), noteLength), cleaned(v.Scope, nameLength), v.N, v.Units, verdictValue(v), cleaned(v.Why, noteLength)))
		}
		t.Notes = append(t.Notes, c.verdictWarnings(x)...)
	}
	if note := guardNote(c.list); note != "" {
		t.Notes = append(t.Notes, note)
	}
	return t
}

// overall is the scope of a gate on all tasks together.
const overall = "overall"

// guardNote says why the interval of a gate is not that of the same difference in the table of scores, where the two are seen to differ.
func guardNote(list []Compared) string {
	note := ""
	for i := range list {
		for j := range list[i].Verdicts {
			v := &list[i].Verdicts[j]
			d := differenceOf(&list[i], v)
			if v.Interval == nil || d == nil || d.Delta.CI95 == nil {
				continue
			}
			const seen = 1e-3 // of three decimals
			wide, plain := v.Interval.High-v.Interval.Low, d.Delta.CI95.High-d.Delta.CI95.Low
			switch {
			case wide > plain+seen:
				return "A gate's interval allows for what so few tickets do not show: it is wider than that of the same difference in its table."
			case math.Abs(wide-plain) > seen, math.Abs(math.Abs(v.Value)-math.Abs(d.Delta.Mean)) > seen:
				note = "A gate's interval allows for what so few tickets do not show: it is not that of the same difference in its table."
			}
		}
	}
	return note
}

// differenceOf is the difference that a gate on a drop or rise is about, or nil where no table has it.
func differenceOf(x *Compared, v *compare.Verdict) *compare.Difference {
	if v.Gate.Change == "" {
		return nil
	}
	if v.Scope == overall && len(x.Tasks) != 1 {
		if v.Gate.Metric == x.Overall.Metric {
			return &x.Overall
		}
		return nil
	}
	for i := range x.Tasks {
		k := &x.Tasks[i]
		if v.Scope != k.Task.Name && v.Scope != overall {
			continue
		}
		if v.Gate.Metric == k.Score.Metric {
			return &k.Score
		}
		for j := range k.Others {
			if v.Gate.Metric == k.Others[j].Metric {
				return &k.Others[j]
			}
		}
	}
	return nil
}

// verdictWarnings are the warnings of a comparison's verdicts; one that several verdicts have stands once.
func (c *comparisons) verdictWarnings(x *Compared) []string {
	var order []string
	gates := map[string][]string{}
	for j := range x.Verdicts {
		v := &x.Verdicts[j]
		for _, w := range v.Warnings {
			if gates[w] == nil {
				order = append(order, w)
			}
			gates[w] = append(gates[w], gateOn(v))
		}
	}
	var out []string
	for _, w := range order {
		of := strings.Join(gates[w], ", ")
		if n := len(gates[w]); n > 1 && n == len(x.Verdicts) {
			of = "all gates"
		}
		out = append(out, c.note(x, "%s", warning(of+": "+w)))
	}
	return out
}

// warning is a doubt as a sentence of its own.
func warning(text string) string {
	return cleaned("Warning: "+strings.TrimSuffix(text, "."), noteLength) + "."
}

// doubtsOf are the doubts about a comparison and its tasks, and what only one side has.
func (c *comparisons) doubtsOf(x *Compared) []string {
	var out []string
	for _, w := range warningsOf(x) {
		out = append(out, warning(w))
	}
	for i := range x.Tasks {
		k := &x.Tasks[i]
		for _, w := range k.Warnings {
			out = append(out, warning(k.Task.Name+": "+w))
		}
	}
	return out
}

// VerdictNotes are lines about all that was compared, for the suite of [JUnit]: what came out, and every doubt about it.
func VerdictNotes(list []Compared) []string {
	c := comparisons{list: list, many: len(list) > 1}
	var out []string
	for i := range list {
		x := &list[i]
		out = append(out, c.note(x, "%s", Headline(x.Comparison)))
		for _, w := range c.doubtsOf(x) {
			out = append(out, c.note(x, "%s", w))
		}
	}
	return out
}

// FromVerdicts is the report of the verdicts alone; it is empty where no gate was asked for.
func FromVerdicts(list []Compared) *Report {
	c := comparisons{list: list, many: len(list) > 1}
	r := &Report{}
	if t := c.verdicts(); len(t.Rows) > 0 {
		r.Tables = append(r.Tables, t)
	}
	return r
}

// verdictValue is the figure of a verdict; what is counted has no decimals.
func verdictValue(v *compare.Verdict) Cell {
	if v.Interval == nil && v.Value == math.Trunc(v.Value) && math.Abs(v.Value) < 1<<53 && v.Units == "tasks" {
		return int(v.Value)
	}
	out := Interval{Value: v.Value, Low: math.NaN(), High: math.NaN()}
	if v.Interval != nil {
		out.Low, out.High = v.Interval.Low, v.Interval.High
	}
	return out
}

// gateOn names a gate and, where its text does not, what it is judged on.
func gateOn(v *compare.Verdict) string {
	return cleaned(fmt.Sprintf("%s on %s", v.Gate, v.Scope), noteLength)
}

// VerdictChecks gives the verdicts as checks, for [JUnit]: a regression fails, and so does what is inconclusive unless lenient
// says that it is left out.
func VerdictChecks(list []Compared, lenient bool) []triage.Check {
	c := comparisons{list: list, many: len(list) > 1}
	var out []triage.Check
	for i := range list {
		x := &list[i]
		for j := range x.Verdicts {
			v := &x.Verdicts[j]
			check := triage.Check{ID: gateOn(v), Description: pairName(x), Expected: cleaned(v.Gate.String(), noteLength), Seen: cleaned(fmt.Sprintf("%s: %s", v.Outcome, v.Why), noteLength),
				Passed: v.Outcome == compare.Pass}
			for _, w := range v.Warnings {
				check.Description += "\n" + warning(w)
			}
			if c.many {
				check.ID = pairName(x) + ": " + check.ID
			}
			if lenient && v.Outcome == compare.Inconclusive {
				check.Skipped = check.Seen
			}
			out = append(out, check)
		}
	}
	return out
}

// AddRanking puts the ranking of several sides above the comparisons: over all tasks, then of each.
func (r *Report) AddRanking(ranking *compare.Ranking) {
	t := Table{Name: "ranking", Title: "Ranking, over what all of them played", Columns: []Column{{Title: "Task", Key: "task", Text: true}, {Title: "Rank", Key: "rank"},
		{Title: "Agent", Key: "agent", Text: true}, {Title: "n", Key: "n"}, {Title: "Score [95 %]", Key: "score", Places: 3},
		{Title: "Minus the one above [95 %]", Key: "below", Places: 3}, {Title: "p (Holm)", Key: "p_holm", Places: 3}, {Title: "Told from the one above", Key: "told_apart", Text: true}, {Title: "From the best", Key: "told_from_best", Text: true}}}
	add := func(task string, list []compare.Standing) {
		for i := range list {
			s := &list[i]
			row := []Cell{task, s.Rank, cleaned(s.Side.Name, nameLength), s.Score.N, estimated(s.Score), nil, nil, nil, nil}
			if i > 0 {
				row[5], row[6], row[7], row[8] = estimated(s.Below.Delta), Chance(s.Below.Holm), !s.Tied, !s.TiedWithBest
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(ranking.Tasks) != 1 {
		add("overall", ranking.Standings)
	}
	for i := range ranking.Tasks {
		add(cleaned(ranking.Tasks[i].Task.Name, nameLength), ranking.Tasks[i].Standings)
	}
	for _, w := range ranking.Warnings {
		t.Notes = append(t.Notes, cleaned("Warning: "+strings.TrimSuffix(w, ".")+".", noteLength))
	}
	r.Tables = append([]Table{t}, r.Tables...)
}

// InShort is what a terminal is told where the report itself went to a file: of each comparison a line, the doubts about it, and a
// line a verdict with its warnings.
func InShort(list []Compared, file string) *Report {
	c := comparisons{list: list, many: len(list) > 1}
	r := &Report{}
	for i := range list {
		x := &list[i]
		r.Lines = append(r.Lines, c.note(x, "%s", Headline(x.Comparison)))
		for _, w := range c.doubtsOf(x) {
			r.Lines = append(r.Lines, c.note(x, "%s", w))
		}
		for j := range x.Verdicts {
			v := &x.Verdicts[j]
			r.Lines = append(r.Lines, c.note(x, "%s: %s: %s", v.Outcome, gateOn(v), v.Why))
		}
		r.Lines = append(r.Lines, c.verdictWarnings(x)...)
	}
	r.Lines = append(r.Lines, "Report: "+cleaned(file, noteLength))
	return r
}
