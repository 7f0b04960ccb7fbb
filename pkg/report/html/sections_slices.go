package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// worstScenarios is how many are listed.
const worstScenarios = 15

// facts are the graded tickets of an agent on a track. Their units and scenarios are numbered across its tasks.
func (p *Page) facts(s series, track triage.Track) []fact {
	var out []fact
	base := 0
	for _, t := range p.ofTrack(track) {
		if t.run != s.run || t.agent != s.agent {
			continue
		}
		for _, f := range t.facts {
			f.unit += int32(base)
			out = append(out, f)
		}
		base += len(t.units)
	}
	return out
}

// meanOf estimates the mean score of the facts that are chosen: trials of a ticket count as their mean, and the interval allows
// for the tickets of one scenario, where scenarios are known.
func meanOf(facts []fact, chosen func(*fact) bool) stats.Estimate {
	var values []float64
	var units, scenarios []int
	known := true
	for i := range facts {
		f := &facts[i]
		if !chosen(f) {
			continue
		}
		values, units, scenarios = append(values, f.score), append(units, int(f.unit)), append(scenarios, int(f.scenario))
		known = known && f.scenario >= 0
	}
	if !known {
		scenarios = nil
	}
	return stats.MeanNested(values, units, scenarios, 0, 1)
}

// slices shows scores against what tickets are like.
func (p *Page) slices() section {
	s := section{ID: "slices", Title: "Score by what tickets are like", Short: "Kinds of tickets", Lead: []string{"Mean score of the scored tickets, over all tasks of the track that were played, with " +
		"its 95 % interval (clustered by scenario; trials of one ticket count as their mean). The properties go together: harder tasks have more traps and longer texts."}}
	for _, track := range p.tracks() {
		onTrack := func(t *tally) bool { return t.task.Track == track && len(t.facts) > 0 }
		shown, note := p.shown(onTrack)
		var all []series
		for _, x := range p.series() {
			if slices.ContainsFunc(p.tallies, func(t *tally) bool { return onTrack(t) && t.run == x.run && t.agent == x.agent }) {
				all = append(all, x)
			}
		}
		facts := make([][]fact, len(all))
		for i, x := range all {
			facts[i] = p.facts(x, track)
		}
		b := block{Heading: trackName(track)}
		add := func(title string, bins []string, in func(f *fact, bin int) bool) {
			if f, ok := sliceFigure(title, bins, all, facts, len(shown), in); ok {
				f.Notes = note
				b.Figures = append(b.Figures, f)
			}
		}
		for i, x := range sliceList() {
			add(x.title, x.bins, func(f *fact, bin int) bool { return int(f.bins[i]) == bin })
		}
		traps := append([]string{"no trap"}, p.traps.list...)
		if order := trapOrder(traps, facts); len(order) > 1 {
			title := "Traps in the text"
			if len(order) < len(traps) {
				title = fmt.Sprintf("Traps in the text: the %d most frequent of %d", len(order)-1, len(traps)-1)
			}
			add(title, pick(traps, order), func(f *fact, bin int) bool {
				if trap := order[bin]; trap > 0 {
					return slices.Contains(f.traps, int32(trap-1))
				}
				return f.told && len(f.traps) == 0
			})
		}
		if b.Figures == nil {
			continue
		}
		s.Blocks = append(s.Blocks, b)
		if x := p.worst(all, facts); len(x) > 0 {
			s.Blocks = append(s.Blocks, block{More: &more{Summary: trackName(track) + ": the scenarios with the lowest scores", Tables: x}})
		}
	}
	return s
}

// mostTraps is how many traps are shown: each costs a look at every ticket.
const mostTraps = 60

// trapOrder gives the numbers of the traps that are shown in the alphabetical order of their names; the first stays. Of many these are the
// most frequent ones.
func trapOrder(traps []string, facts [][]fact) []int {
	order := make([]int, len(traps))
	for i := range order {
		order[i] = i
	}
	if len(traps) > mostTraps+1 {
		count := make([]int, len(traps))
		for _, list := range facts {
			for i := range list {
				for _, trap := range list[i].traps {
					count[trap+1]++
				}
			}
		}
		slices.SortFunc(order[1:], func(a, b int) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(traps[a], traps[b]))
		})
		order = order[:mostTraps+1]
	}
	slices.SortFunc(order[1:], func(a, b int) int { return cmp.Compare(traps[a], traps[b]) })
	return order
}

func pick(list []string, order []int) []string {
	out := make([]string, len(order))
	for i, j := range order {
		out[i] = list[j]
	}
	return out
}

// sliceFigure draws the scores of all agents by the bins of a property; ok is false where fewer than two bins hold a ticket.
func sliceFigure(title string, bins []string, all []series, facts [][]fact, shown int, in func(f *fact, bin int) bool) (figure, bool) {
	chart := dots{title: title, words: "A row for each value and agent: the mean score from 0 to 1 with its 95 percent interval.", low: 0, high: 1, series: shown}
	out := &table{Caption: title, Head: head("Value", "Agent", "#Tickets", "#Mean [95 %]")}
	for bin, name := range bins {
		g := dotGroup{label: name}
		for i, s := range all {
			e := meanOf(facts[i], func(f *fact) bool { return in(f, bin) })
			if e.N == 0 {
				continue
			}
			out.Rows = append(out.Rows, []cell{headCell(name), textCell(s.name), countCell(e.N), estimateCell(e)})
			if i < shown {
				g.dots = append(g.dots, dot{series: i, label: s.name, estimate: e, floor: math.NaN(), target: math.NaN()})
			}
		}
		if g.dots != nil {
			chart.groups = append(chart.groups, g)
		}
	}
	if len(chart.groups) < 2 {
		return figure{}, false
	}
	return figure{Title: title, Legend: legendOf(all[:shown]), SVG: chart.draw(), Table: out}, true
}

// worst lists the scenarios with the lowest mean scores of each agent.
func (p *Page) worst(all []series, facts [][]fact) []table {
	var out []table
	for i, s := range all {
		by := map[int32][]fact{}
		for _, f := range facts[i] {
			if f.scenario >= 0 {
				by[f.scenario] = append(by[f.scenario], f)
			}
		}
		type row struct {
			name string
			e    stats.Estimate
		}
		var rows []row
		for number, list := range by {
			rows = append(rows, row{p.scenarios[number], meanOf(list, func(*fact) bool { return true })})
		}
		if len(rows) == 0 {
			continue
		}
		slices.SortFunc(rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.e.Mean, b.e.Mean), cmp.Compare(b.e.N, a.e.N), cmp.Compare(a.name, b.name))
		})
		t := table{Caption: clean(s.name), Head: head("Scenario", "#Tickets", "#Mean")}
		for _, r := range rows[:min(len(rows), worstScenarios)] {
			t.Rows = append(t.Rows, []cell{headCell(r.name), countCell(r.e.N), shareCell(r.e.Mean)})
		}
		out = append(out, t)
	}
	return out
}
