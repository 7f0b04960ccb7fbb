package html

import (
	"fmt"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// confidence shows what could be left to the agents that say how sure they are, and whether what they say is right.
func (p *Page) confidence() section {
	s := section{ID: "confidence", Title: "Confidence: what could be left to the agent", Short: "Confidence", Lead: []string{"Coverage: the largest share of tickets that can be left to " +
		"the agent if at most a share of its answers may be wrong, on these very tickets. Whole answers are as sure as their least sure field, unless the agent says otherwise."}}
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
	return s
}

// coverageFigure draws the coverage of a task's whole answers against the error that is allowed.
func (p *Page) coverageFigure(task triage.Task, list []series) (figure, bool) {
	title := task.Name + ": coverage at an error"
	chart := dots{title: title, words: "A row for each share of wrong answers that is allowed and agent: the share of tickets that can be left to the agent, from 0 to 1, with its 95 percent interval.",
		low: 0, high: 1, series: len(list)}
	out := &table{Caption: title, Head: head("Wrong at most", "Agent", "#Taken", "#Coverage [95 %]", "#From confidence", "#Wrong [95 %]")}
	for i, most := range results.ErrorLevels() {
		label := fmt.Sprintf("%g %%", most*100)
		g := dotGroup{label: label}
		for _, t := range p.tallies {
			c := t.summary.Confidence
			if t.task.Name != task.Name || c == nil || i >= len(c.Answer.Levels) {
				continue
			}
			l := &c.Answer.Levels[i]
			if at := slices.IndexFunc(list, func(s series) bool { return s.run == t.run && s.agent == t.agent }); at >= 0 {
				g.dots = append(g.dots, dot{series: at, label: t.name, estimate: l.Coverage, floor: math.NaN(), target: math.NaN()})
			}
			row := []cell{headCell(label), textCell(t.name), countCell(l.Taken), estimateCell(l.Coverage), numberCell("–"), numberCell("–")}
			if l.Taken > 0 {
				row[4], row[5] = shareCell(l.Threshold), estimateCell(l.Error)
			}
			out.Rows = append(out.Rows, row)
		}
		chart.groups = append(chart.groups, g)
	}
	if len(out.Rows) == 0 {
		return figure{}, false
	}
	return figure{Title: title, Legend: legendOf(list), SVG: chart.draw(), Table: out}, true
}
