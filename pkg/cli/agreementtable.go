package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/stats"
)

// agreementOptions say what a report of agreement has.
type agreementOptions struct {
	// List is how many answers on which raters differ are listed.
	List int
	// Confusion adds a table of what was answered where, a pair and field.
	Confusion bool
	// Pairs tells which raters are compared, by their places; nil: all, and Krippendorff's alpha of all where there are more than two.
	Pairs func(a, b int) bool
}

// mostMatrix is the most labels that are printed as a matrix.
const mostMatrix = 12

// agreementReport gathers the tables.
type agreementReport struct {
	raters []*rater
	opts   agreementOptions
	rates  report.Table
	alphas report.Table
	tables []report.Table // of confusion
	notes  []string
	rough  bool // an interval rests on few pairs
}

// agreement reports how far raters agree on the fields that they share.
func agreement(raters []*rater, s *scales, o agreementOptions) *report.Report {
	g := &agreementReport{raters: raters, opts: o,
		rates: report.Table{Name: "agreement", Title: "Agreement", Columns: []report.Column{{Title: "Field", Key: "field", Text: true}, {Title: "A", Key: "a", Text: true}, {Title: "B", Key: "b", Text: true},
			{Title: "n", Key: "n"}, {Title: "Missing", Key: "missing"}, {Title: "Agree", Key: "agree", Places: 3}, {Title: "Kappa", Key: "kappa", Places: 3},
			{Title: "Linear", Key: "linear_kappa", Places: 3}, {Title: "Quadratic", Key: "quadratic_kappa", Places: 3}}},
		alphas: report.Table{Name: "alpha", Title: "Krippendorff's alpha of all raters", Columns: []report.Column{{Title: "Field", Key: "field", Text: true},
			{Title: "Kind", Key: "kind", Text: true}, {Title: "Raters", Key: "raters"}, {Title: "n", Key: "n"}, {Title: "Alpha", Key: "alpha", Places: 3}}}}
	for _, field := range sharedFields(raters) {
		sc := s.of(field, valuesOf(raters, field))
		for a := range raters {
			for b := a + 1; b < len(raters); b++ {
				if o.Pairs == nil || o.Pairs(a, b) {
					g.pair(field, sc, raters[a], raters[b])
				}
			}
		}
		if o.Pairs == nil && len(raters) > 2 {
			g.alpha(field, sc)
		}
	}
	g.rates.Notes = append([]string{"Agree: the share of the same answers. Kappa: beyond chance (Cohen); linear and quadratic forgive near misses on a scale. Intervals are 95 %."}, g.notes...)
	if g.rough {
		g.rates.Notes = append(g.rates.Notes, "Below 50 pairs the intervals of kappa are rough.")
	}
	out := &report.Report{Tables: []report.Table{g.rates}, Values: map[string]report.Cell{}}
	if len(g.alphas.Rows) > 0 {
		out.Tables = append(out.Tables, g.alphas)
	}
	out.Tables = append(out.Tables, g.tables...)
	if o.List > 0 {
		out.Tables = append(out.Tables, g.disagreements())
	}
	return out
}

// sharedFields are the fields that two raters or more have, in the order of the first one that has them.
func sharedFields(raters []*rater) []string {
	count := map[string]int{}
	var order []string
	for _, r := range raters {
		for _, f := range r.fields {
			if count[f]++; count[f] == 1 {
				order = append(order, f)
			}
		}
	}
	return slices.DeleteFunc(order, func(f string) bool { return count[f] < 2 })
}

// valuesOf are the answers that occur to a field, sorted.
func valuesOf(raters []*rater, field string) []string {
	seen := map[string]bool{}
	var out []string
	for _, r := range raters {
		for _, v := range r.answers[field] {
			if v != "" && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// pair adds the row of two raters, and their confusion.
func (g *agreementReport) pair(field string, sc scale, a, b *rater) {
	if a.answers[field] == nil || b.answers[field] == nil {
		return
	}
	c := stats.NewConfusion(sc.values)
	missing, same := 0, 0
	for _, unit := range a.units {
		x, ok := a.answers[field][unit]
		y, okay := b.answers[field][unit]
		switch {
		case !ok || !okay:
		case x == "" || y == "":
			missing++
		default:
			c.Add(x, y)
			if x == y {
				same++
			}
		}
	}
	linear, quadratic := report.Cell(nil), report.Cell(nil)
	if sc.ordered {
		linear, quadratic = estimated(stats.Kappa(c, stats.Linear)), estimated(stats.Kappa(c, stats.Quadratic))
	}
	plain := stats.Kappa(c, stats.Unweighted)
	g.rates.Rows = append(g.rates.Rows, []report.Cell{field, a.name, b.name, c.N(), missing, estimated(stats.Share(same, c.N())), estimated(plain), linear, quadratic})
	for _, w := range plain.Warnings {
		if strings.Contains(w, "rough") { // one note for all of them
			g.rough = true
			continue
		}
		g.notes = append(g.notes, fmt.Sprintf("%s, %s and %s: %s.", field, a.name, b.name, w))
	}
	if g.opts.Confusion && same < c.N() {
		g.confusion(field, sc, a, b, c)
	}
}

// estimated is an estimate with its interval, or nothing where there is none.
func estimated(e stats.Estimate) report.Cell {
	switch {
	case math.IsNaN(e.Mean):
		return nil
	case e.CI95 == nil:
		return report.Interval{Value: e.Mean, Low: math.NaN(), High: math.NaN()}
	}
	return report.Interval{Value: e.Mean, Low: e.CI95.Low, High: e.CI95.High}
}

// confusion adds what was answered where: a matrix of a short scale without what does not occur, else the pairs that differ.
func (g *agreementReport) confusion(field string, sc scale, a, b *rater, c *stats.Confusion) {
	var left, top []string // that occur
	for _, v := range sc.values {
		x, y := c.Marginals(v)
		if x > 0 {
			left = append(left, v)
		}
		if y > 0 {
			top = append(top, v)
		}
	}
	t := report.Table{Name: fmt.Sprintf("confusion %s: %s, %s", field, a.name, b.name), Title: fmt.Sprintf("%s: rows are %s, columns %s", field, a.name, b.name)}
	if max(len(left), len(top)) > mostMatrix {
		t.Title = fmt.Sprintf("%s: where %s and %s differ", field, a.name, b.name)
		t.Columns = []report.Column{{Title: a.name, Key: "a", Text: true}, {Title: b.name, Key: "b", Text: true}, {Title: "n", Key: "n"}}
		for _, x := range left {
			for _, y := range top {
				if n := c.Count(x, y); n > 0 && x != y {
					t.Rows = append(t.Rows, []report.Cell{x, y, n})
				}
			}
		}
		slices.SortStableFunc(t.Rows, func(x, y []report.Cell) int { return y[2].(int) - x[2].(int) })
		g.tables = append(g.tables, t)
		return
	}
	t.Columns = []report.Column{{Title: a.name, Key: "label", Text: true}}
	for _, v := range top {
		t.Columns = append(t.Columns, report.Column{Title: v, Key: "as " + v})
	}
	for _, x := range left {
		row := []report.Cell{x}
		for _, y := range top {
			row = append(row, c.Count(x, y))
		}
		t.Rows = append(t.Rows, row)
	}
	g.tables = append(g.tables, t)
}

// alpha adds Krippendorff's alpha of all raters.
func (g *agreementReport) alpha(field string, sc scale) {
	place := map[string]int{}
	for i, v := range sc.values {
		place[v] = i
	}
	var units [][]int
	for _, unit := range g.units() {
		list := make([]int, len(g.raters))
		for i, r := range g.raters {
			list[i] = -1
			if v := r.answers[field][unit]; v != "" {
				list[i] = place[v]
			}
		}
		units = append(units, list)
	}
	kind := "nominal"
	if sc.ordered {
		kind = "ordinal"
	}
	raters := 0
	for _, r := range g.raters {
		if r.answers[field] != nil {
			raters++
		}
	}
	alpha, n, err := stats.Alpha(units, len(sc.values), sc.ordered)
	cell := report.Cell(alpha)
	if err != nil {
		cell = nil
		g.alphas.Notes = append(g.alphas.Notes, field+": "+err.Error()+".")
	}
	g.alphas.Rows = append(g.alphas.Rows, []report.Cell{field, kind, raters, n, cell})
}
