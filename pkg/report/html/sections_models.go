package html

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
)

// stages of reading a reply, the plainest first.
var stages = []string{"exact", "fenced", "embedded", "repaired", "none"}

// models says how replies of models were read, and what they cost.
func (p *Page) models() section {
	s := section{ID: "models", Title: "Models: replies, tokens, cost, latency", Short: "Models"}
	replies := &table{Caption: "How replies were read", Head: head("Agent", "Task", "#Decisions", "#Exact", "#Fenced", "#Embedded", "#Repaired", "#None",
		"Causes", "#Values taken for others", "#Re-asked", "#Score", "#Strict score")}
	costs := &table{Caption: "Calls, tokens, cost", Head: head("Agent", "Task", "#Calls made", "#Kept", "#Retries", "#Failed", "#Tokens in", "#Cached", "#Tokens out",
		"#Reasoning", "#Cost, $", "#Spent, $", "#p50, ms", "#p95, ms", "#p99, ms"), Notes: []string{
		"Cost: of all replies at list prices, those from the cache included; Spent: of the calls that were made; – is unknown, not 0."}}
	chart := bars{title: "Stage at which replies were read", words: "A row for each agent and task: the shares of replies by the stage at which an answer was found in them.",
		classes: []string{"g0", "g1", "g2", "g3", "g4"}}
	for _, t := range p.tallies {
		m := t.summary.Model
		if m == nil {
			continue
		}
		replies.Rows = append(replies.Rows, t.repliesRow())
		costs.Rows = append(costs.Rows, t.costRow())
		r := bar{label: t.name + ", " + t.task.Name, value: "n " + strconv.Itoa(m.Decisions)}
		for _, stage := range stages {
			r.shares = append(r.shares, float64(m.Stages[stage])/float64(max(1, m.Decisions)))
		}
		chart.rows = append(chart.rows, r)
	}
	if len(replies.Rows) == 0 {
		return s
	}
	replies.Notes = []string{"Strict: what was not read as it stands counts as no answer."}
	f := figure{Title: chart.title, SVG: chart.draw(), Table: replies}
	for i, stage := range stages {
		f.Legend = append(f.Legend, legend{Mark: swatch(chart.classes[i]), Text: stage})
	}
	s.Blocks = []block{{Figures: []figure{f}}, {Table: costs}}
	return s
}

func (t *tally) repliesRow() []cell {
	s, m := &t.summary, t.summary.Model
	row := []cell{headCell(t.name), textCell(t.task.Name), countCell(m.Decisions)}
	for _, stage := range stages {
		row = append(row, countCell(m.Stages[stage]))
	}
	var causes []string
	for _, c := range slices.Sorted(maps.Keys(m.Causes)) {
		causes = append(causes, fmt.Sprintf("%s %d", c, m.Causes[c]))
	}
	if causes == nil {
		causes = []string{"–"}
	}
	share := float64(s.N) / float64(s.N+s.Errors)
	return append(row, textCell(strings.Join(causes, ", ")), countCell(m.Coerced), countCell(m.Reasked), shareCell(s.WithErrors.Mean), shareCell(m.Strict.Mean*share))
}

func (t *tally) costRow() []cell {
	m, f := t.summary.Model, t.calls
	total := func(v results.Total) cell {
		if sum, ok := v.Known(); ok {
			return numberCell(strconv.FormatInt(sum, 10))
		}
		return numberCell("–")
	}
	money := func(v results.Total, show bool) cell {
		if sum, ok := v.Known(); ok && show {
			return numberCell(decimal(float64(sum)/1e9, 4))
		}
		return numberCell("–")
	}
	row := []cell{headCell(t.name), textCell(t.task.Name)}
	if f == nil {
		row = append(row, numberCell("–"), numberCell("–"), numberCell("–"), numberCell("–"))
	} else {
		row = append(row, countCell(f.Made), countCell(f.Kept), countCell(f.Retries), countCell(f.Failed))
	}
	row = append(row, total(m.In), total(m.Cached), total(m.Out), total(m.Reasoning), money(m.Cost, true))
	if f == nil {
		return append(row, numberCell("–"), numberCell("–"), numberCell("–"), numberCell("–"))
	}
	_, priced := m.Cost.Known()
	row = append(row, money(f.Spent, f.Spent.Sum > 0 || priced))
	for _, q := range []float64{0.5, 0.95, 0.99} {
		if v, ok := f.Percentile(q); ok {
			row = append(row, countCell(v))
		} else {
			row = append(row, numberCell("–"))
		}
	}
	return row
}
