package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// sections are the page's parts in their order; those without anything to show are left out.
func (p *Page) sections() []section {
	all := []section{p.scores()}
	all = append(all, p.gates())
	for i, r := range p.rankings {
		all = append(all, rankingSection(i, r))
	}
	for i, c := range p.comparisons {
		all = append(all, comparisonSection(i, c, len(p.comparisons) > 1))
	}
	all = append(all, p.byDifficulty(), p.confusions(), p.urgency(), p.reliability(), p.confidence(), p.costs(), p.efficiency(), p.slices(), p.models())
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Blocks) == 0 })
}

// runsTable says what the runs are.
func (p *Page) runsTable() *table {
	if len(p.runs) == 0 {
		return nil
	}
	out := &table{Caption: "Runs", Head: head("Run", "Agents", "Split", "#Seeds from", "#Episodes", "Generator", "Grader", "Bank", "Finished")}
	for _, r := range p.runs {
		s := r.settings
		finished := "–"
		if r.meta != nil && r.meta.Finished != "" {
			finished = r.meta.Finished
		}
		if !r.complete {
			finished = "not complete: shown as far as it is"
		}
		bank := s["bank"]
		if secret := s["secret"]; secret != "" {
			bank += ", secret " + secret
		}
		if r.source != nil {
			bank = "tickets of " + r.source.Name
		}
		row := []cell{headCell(r.name), textCell(strings.Join(r.agents, ", ")), textCell(s["split"]), numberCell(s["seed"]), countCell(r.episodes),
			textCell(s["generator"]), textCell(s["grader"]), textCell(bank), textCell(finished)}
		for i := range row {
			if row[i].Text == "" {
				row[i].Text = "–"
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// scores has the tables that a run prints.
func (p *Page) scores() section {
	s := section{ID: "scores", Title: "Scores", Lead: []string{"Floor: the best of the agents that do not read (constant, random, each metadata field copied), " +
		"on the same tickets (imported tickets: always the most frequent label): what a score is worth without reading. Target: what a mean has to reach to pass. Intervals say how a mean would vary with other " +
		"tickets and with the agent's own chance."}}
	for _, track := range p.tracks() {
		s.Blocks = append(s.Blocks, block{Table: p.scoreTable(track)})
	}
	if t := p.labelTable(); t != nil {
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	if o := p.overall(); o != nil && len(p.tallies) > 1 {
		s.Blocks = append(s.Blocks, block{Table: o})
	}
	return s
}

// shown are the series that charts show, with the place of each.
func (p *Page) shown(keep func(*tally) bool) (list []series, note []string) {
	for _, s := range p.series() {
		if slices.ContainsFunc(p.tallies, func(t *tally) bool { return t.run == s.run && t.agent == s.agent && keep(t) }) {
			list = append(list, s)
		}
	}
	if len(list) > mostSeries {
		note = []string{fmt.Sprintf("The chart shows the first %d of %d agents; the table has all.", mostSeries, len(list))}
		list = list[:mostSeries]
	}
	return list, note
}

func legendOf(list []series) []legend {
	if len(list) < 2 {
		return nil
	}
	out := make([]legend, len(list))
	for i, s := range list {
		out[i] = legend{Mark: seriesKey(i), Text: clean(s.name)}
	}
	return out
}

// perTask makes a figure of a track: a group a task, a value an agent.
func (p *Page) perTask(track triage.Track, title, words string, of func(*tally) stats.Estimate, bounds bool) figure {
	onTrack := func(t *tally) bool { return t.task.Track == track }
	list, note := p.shown(onTrack)
	chart := dots{title: title, words: words, low: 0, high: 1, series: len(list)}
	out := &table{Caption: title, Head: head("Task", "Agent", "#n", "#Mean [95 %]")}
	if bounds {
		out.Head = append(out.Head, head("#Floor", "#Target")...)
	}
	for _, task := range p.tasksOf(track) {
		g := dotGroup{label: task.Name}
		for _, t := range p.ofTrack(track) {
			if t.task.Name != task.Name {
				continue
			}
			e := of(t)
			row := []cell{headCell(task.Name), textCell(t.name), countCell(t.summary.N), estimateCell(e)}
			x := dot{label: t.name, estimate: e, n: t.summary.N, floor: math.NaN(), target: math.NaN()}
			if bounds {
				row = append(row, shareCell(t.floor()), numberCell(decimal(t.target(), 2)))
				x.floor, x.target = t.floor(), t.target()
			}
			out.Rows = append(out.Rows, row)
			if x.series = slices.IndexFunc(list, func(s series) bool { return s.run == t.run && s.agent == t.agent }); x.series >= 0 {
				g.dots = append(g.dots, x)
			}
		}
		chart.groups = append(chart.groups, g)
	}
	f := figure{Title: title, Legend: legendOf(list), SVG: chart.draw(), Table: out, Notes: note}
	if bounds {
		f.Legend = append(f.Legend, legend{Mark: key(floorPath), Text: "floor"}, legend{Mark: key(targetPath), Text: "target"})
	}
	return f
}

// tasksOf are the tasks of a track that were played, in their order.
func (p *Page) tasksOf(track triage.Track) []triage.Task {
	var out []triage.Task
	for _, t := range p.ofTrack(track) {
		if !slices.ContainsFunc(out, func(x triage.Task) bool { return x.Name == t.task.Name }) {
			out = append(out, t.task)
		}
	}
	slices.SortStableFunc(out, compareTasks)
	return out
}

func (p *Page) byDifficulty() section {
	s := section{ID: "difficulty", Title: "Score by difficulty", Lead: []string{"Mean score of the episodes with its 95 % interval; what broke counts as 0."}}
	var b block
	for _, track := range p.tracks() {
		if track != triage.Dataset {
			b.Figures = append(b.Figures, p.perTask(track, trackName(track)+" track: score by difficulty",
				"A row for each difficulty and agent: the mean score from 0 to 1 with its 95 percent interval, the floor and the target.",
				func(t *tally) stats.Estimate { return t.summary.WithErrors }, true))
		}
	}
	if b.Figures != nil {
		s.Blocks = []block{b}
	}
	return s
}

func (p *Page) efficiency() section {
	s := section{ID: "efficiency", Title: "Efficiency", Lead: []string{"Queue: tickets divided by touches; a misroute, an urgency called too low and an effort " +
		"guessed wrong cost further touches. Desk: how directly the answer was given. Mean with its 95 % interval; what broke counts as 0."}}
	var b block
	for _, track := range p.tracks() {
		if track == triage.Dataset {
			continue
		}
		b.Figures = append(b.Figures, p.perTask(track, trackName(track)+" track: efficiency",
			"A row for each difficulty and agent: the mean efficiency from 0 to 1 with its 95 percent interval.", (*tally).efficiency, false))
	}
	if b.Figures != nil {
		s.Blocks = []block{b}
	}
	return s
}

// efficiency is the mean over the episodes, with what broke as 0, as the tables of scores have it; trials of one count as their mean.
func (t *tally) efficiency() stats.Estimate {
	var values []float64
	var units []int
	places := map[unit]int{}
	for i := range t.records {
		r := &t.records[i]
		efficiency := 0.0
		if r.Scored {
			efficiency = r.Efficiency
		}
		if math.IsNaN(efficiency) {
			continue
		}
		u := unit{r.Seed, int(r.Position), 0}
		if _, ok := places[u]; !ok {
			places[u] = len(places)
		}
		values, units = append(values, efficiency), append(units, places[u])
	}
	return stats.MeanNested(values, units, nil, 0, 1)
}

func (p *Page) reliability() section {
	s := section{ID: "reliability", Title: "Reliability over trials", Short: "Reliability", Lead: []string{"pass^k: how likely all of k trials of a ticket are right; pass@k: at least one. " +
		"Flips: the share of tickets whose answers are not all the same. Intervals are over tickets: they do not say how another run would come out."}}
	with := func(t *tally) bool { return t.summary.Reliability != nil }
	list, note := p.shown(with)
	if len(list) == 0 {
		return s
	}
	t := &table{Caption: "Reliability", Head: head("Agent", "Task", "#Tickets", "#Trials", "#Errors", "Errors count", "#pass^1 [95 %]", "#pass^k [95 %]",
		"#pass@k [95 %]", "#Flips [95 %]", "#Lowest trial", "#Highest trial")}
	b := block{}
	for _, track := range p.tracks() {
		for _, task := range p.tasksOf(track) {
			if f, ok := p.passFigure(task, list); ok {
				b.Figures = append(b.Figures, f)
			}
		}
	}
	for _, x := range p.tallies {
		if !with(x) {
			continue
		}
		r := x.summary.Reliability
		t.Rows = append(t.Rows, reliabilityRow(x.name, r, "as failed", &r.ErrorsFail))
		if r.Errors > 0 {
			t.Rows = append(t.Rows, reliabilityRow(x.name, r, "not at all", &r.ErrorsExcluded))
		}
		if line := x.task.Name + ": right is " + results.Success(x.task) + "."; !slices.Contains(t.Notes, line) {
			t.Notes = append(t.Notes, line)
		}
	}
	t.Notes = append(t.Notes, note...)
	s.Blocks = []block{{Table: t}, b}
	return s
}

func reliabilityRow(name string, r *results.TaskReliability, rule string, f *results.PassFigures) []cell {
	last := len(f.Hat) - 1
	return []cell{headCell(name), textCell(r.Task.Name), countCell(r.Tickets), countCell(r.Trials), countCell(r.Errors), textCell(rule), estimateCell(f.Hat[0].Estimate),
		estimateCell(f.Hat[last].Estimate), estimateCell(f.At[last].Estimate), estimateCell(r.FlipRate), shareCell(r.Lowest), shareCell(r.Highest)}
}

// passFigure draws pass^k of a task against k.
func (p *Page) passFigure(task triage.Task, list []series) (figure, bool) {
	title := task.Name + ": pass^k"
	chart := dots{title: title, words: "A row for each number of trials k and agent: how likely all k trials of a ticket are right, from 0 to 1, with its 95 percent interval.",
		low: 0, high: 1, series: len(list)}
	out := &table{Caption: title, Head: head("k", "Agent", "#Tickets", "#pass^k [95 %]", "#pass@k [95 %]")}
	for _, t := range p.tallies {
		r := t.summary.Reliability
		i := slices.IndexFunc(list, func(s series) bool { return s.run == t.run && s.agent == t.agent })
		if t.task.Name != task.Name || r == nil {
			continue
		}
		for k, f := range r.ErrorsFail.Hat {
			for len(chart.groups) <= k {
				chart.groups = append(chart.groups, dotGroup{label: "k = " + strconv.Itoa(len(chart.groups)+1)})
			}
			if i >= 0 {
				chart.groups[k].dots = append(chart.groups[k].dots, dot{series: i, label: t.name, estimate: f.Estimate, floor: math.NaN(), target: math.NaN()})
			}
			out.Rows = append(out.Rows, []cell{headCell(strconv.Itoa(k + 1)), textCell(t.name), countCell(f.N), estimateCell(f.Estimate), estimateCell(r.ErrorsFail.At[k].Estimate)})
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b []cell) int {
		return cmp.Or(len(a[0].Text)-len(b[0].Text), strings.Compare(a[0].Text, b[0].Text))
	})
	if len(out.Rows) == 0 {
		return figure{}, false
	}
	return figure{Title: title, Legend: legendOf(list), SVG: chart.draw(), Table: out}, true
}
