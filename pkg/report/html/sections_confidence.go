package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// confidence shows what could be left to the agents that say how sure they are, and whether what they say is right.
func (p *Page) confidence() section {
	s := section{ID: "confidence", Title: "Confidence: what could be left to the agent", Short: "Confidence", Lead: []string{"Coverage: the largest share of tickets that can be left to " +
		"the agent if at most a share of its answers may be wrong, on these very tickets; – where too few would be taken to tell. Whole answers are as sure as their least " +
		"sure field, unless the agent says otherwise."}}
	with := func(t *tally) bool { return t.summary.Confidence != nil }
	list, note := p.shown(with)
	if len(list) == 0 {
		return s
	}
	b := block{}
	for _, track := range []triage.Track{triage.Queue, triage.Desk, triage.Dataset} {
		for _, task := range p.tasksOf(track) {
			if f, ok := p.coverageFigure(task, list); ok {
				b.Figures = append(b.Figures, f)
			}
		}
	}
	t := &table{Caption: "Calibration", Head: head("Agent", "Task", "Field", "#n", "#Without", "#Accuracy", "#Mean confidence", "#ECE", "#Brier", "#Risk area", "#best", "#chance"),
		Notes: []string{"ECE: how far confidences are from the share of right answers, in 10 bins; Brier: their mean squared error; risk area: mean share of wrong answers among " +
			"the k surest, over all k, beside that of a perfect and of a meaningless order. 0 is best of each."}}
	bins := table{Caption: "Share of right answers by confidence, whole answers", Head: head("Agent", "Task", "Confidence", "#n", "#Mean confidence", "#Right")}
	for _, x := range p.tallies {
		if !with(x) {
			continue
		}
		for _, f := range x.summary.Confidence.List() {
			t.Rows = append(t.Rows, []cell{headCell(x.name), textCell(x.task.Name), textCell(f.Name), countCell(f.N), countCell(f.Without), shareCell(f.Accuracy), shareCell(f.Mean),
				shareCell(f.ECE), shareCell(f.Brier), shareCell(f.RiskArea), shareCell(f.LeastArea), shareCell(f.Chance)})
		}
		for _, bin := range x.summary.Confidence.Answer.Bins {
			if bin.N > 0 {
				bins.Rows = append(bins.Rows, []cell{headCell(x.name), textCell(x.task.Name), textCell(fmt.Sprintf("%.1f to %.1f", bin.Low, bin.High)), countCell(bin.N),
					shareCell(bin.Confidence), shareCell(bin.Right)})
			}
		}
	}
	t.Notes = append(t.Notes, note...)
	s.Blocks = []block{b, {Table: t}, {Tables: []table{bins}}}
	if fields := p.fieldCoverage(); len(fields.Rows) > 0 {
		s.Blocks = slices.Insert(s.Blocks, 1, block{Table: fields})
	}
	return s
}

// coverageNote says when a coverage is told.
func coverageNote() string {
	return fmt.Sprintf("– where no confidence takes %d answers or more with the upper bound of their errors at most %d times what is allowed.", results.LeastTaken, results.MostDoubt)
}

// levelCells are the cells of a level: how many answers are taken, their share, from which confidence on, and what was wrong of them.
func levelCells(l *results.CoverageLevel) []cell {
	if !l.Settled() {
		return []cell{numberCell("–"), numberCell("–"), numberCell("–"), numberCell("–")}
	}
	return []cell{countCell(l.Taken), estimateCell(l.Coverage), shareCell(l.Threshold), estimateCell(l.Error)}
}

// fieldCoverage is the table of the fields one by one.
func (p *Page) fieldCoverage() *table {
	out := &table{Caption: "Coverage by field", Head: head("Agent", "Task", "Field", "Wrong at most", "#Taken", "#Coverage [95 %]", "#From confidence", "#Wrong [95 %]"),
		Notes: []string{coverageNote()}}
	for _, t := range p.tallies {
		c := t.summary.Confidence
		if c == nil {
			continue
		}
		for _, f := range c.List() {
			if f.Name == results.WholeAnswer { // the figure's
				continue
			}
			for i := range f.Levels {
				row := []cell{headCell(t.name), textCell(t.task.Name), textCell(f.Name), textCell(fmt.Sprintf("%g %%", f.Levels[i].MaxError*100))}
				out.Rows = append(out.Rows, append(row, levelCells(&f.Levels[i])...))
			}
		}
	}
	return out
}

// costs shows what the answers cost by a cost matrix, where that was asked for.
func (p *Page) costs() section {
	s := section{ID: "costs", Title: "What mistakes cost", Short: "Costs"}
	handover := slices.ContainsFunc(p.tallies, func(t *tally) bool { return t.summary.Cost != nil && t.summary.Cost.Handover != nil })
	out := &table{Head: head("Agent", "Task", "#Tickets", "#Score", "#Cost a ticket [95 %]")}
	if handover {
		out.Head = append(out.Head, head("#Take from", "#Taken", "#Cost then [95 %]", "#All handed over")...)
		out.Notes = append(out.Notes, "Take from: the confidence from which on taking the answer is cheaper than handing the ticket over, on these very tickets; – where handing over all is cheapest.")
	}
	for _, t := range p.tallies {
		c := t.summary.Cost
		if c == nil {
			continue
		}
		out.Caption = "Expected cost"
		if c.Unit != "" {
			out.Caption += " in " + clean(c.Unit)
		}
		out.Caption += clean(fmt.Sprintf(" by %s: %s", c.Matrix, strings.Join(c.Labels, ", ")))
		row := []cell{headCell(t.name), textCell(t.task.Name), countCell(c.Tickets), shareCell(t.summary.WithErrors.Mean), estimateCell(c.Cost)}
		switch h := c.Handover; {
		case h != nil:
			row = append(row, shareCell(h.Threshold), shareCell(h.Coverage.Mean), estimateCell(h.Mean), shareCell(h.Cost))
		case handover:
			row = append(row, numberCell("–"), numberCell("–"), numberCell("–"), numberCell("–"))
		}
		out.Rows = append(out.Rows, row)
	}
	if len(out.Rows) > 0 {
		s.Blocks = []block{{Table: out}}
	}
	return s
}

// coverageFigure draws the coverage of a task's whole answers against the error that is allowed.
func (p *Page) coverageFigure(task triage.Task, list []series) (figure, bool) {
	title := task.Name + ": coverage at an error"
	chart := dots{title: title, words: "A row for each share of wrong answers that is allowed and agent: the share of tickets that can be left to the agent, from 0 to 1, with its 95 percent interval.",
		low: 0, high: 1, series: len(list)}
	out := &table{Caption: title, Head: head("Wrong at most", "Agent", "#Taken", "#Coverage [95 %]", "#From confidence", "#Wrong [95 %]"), Notes: []string{coverageNote()}}
	told := false
	for i, most := range results.ErrorLevels() {
		label := fmt.Sprintf("%g %%", most*100)
		g := dotGroup{label: label}
		for _, t := range p.tallies {
			c := t.summary.Confidence
			if t.task.Name != task.Name || c == nil || i >= len(c.Answer.Levels) {
				continue
			}
			l := &c.Answer.Levels[i]
			if at := slices.IndexFunc(list, func(s series) bool { return s.run == t.run && s.agent == t.agent }); at >= 0 && l.Settled() {
				g.dots = append(g.dots, dot{series: at, label: t.name, estimate: l.Coverage, floor: math.NaN(), target: math.NaN()})
				told = true
			}
			row := append([]cell{headCell(label), textCell(t.name)}, levelCells(l)...)
			out.Rows = append(out.Rows, row)
		}
		chart.groups = append(chart.groups, g)
	}
	if len(out.Rows) == 0 {
		return figure{}, false
	}
	f := figure{Title: title, Table: out}
	if told {
		f.Legend, f.SVG = legendOf(list), chart.draw()
	} else {
		f.Notes = []string{"No share of the tickets can be named: " + strings.TrimPrefix(coverageNote(), "– where ")}
	}
	return f, true
}
