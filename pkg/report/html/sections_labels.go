package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// mostLabels is how many labels a matrix has as a table; with more the confusions are listed.
const mostLabels = 12

// mostConfusions is how many are listed then.
const mostConfusions = 30

// labelTable is the table of the label columns of imported tickets that a run prints, from its results files; nil where there is none.
func (p *Page) labelTable() *table {
	out := &table{Caption: "Labels of imported tickets", Head: head("Agent", "Label", "Kind", "#n", "#Accuracy", "#Macro-F1", "#Weighted kappa", "#Floor", "Majority"),
		Notes: []string{"Floor: always the most frequent label."}}
	for _, t := range p.tallies {
		for _, c := range t.columns {
			kind, kappa := "nominal", math.NaN()
			if c.Ordered {
				kind, kappa = "ordered", c.Kappa
			}
			out.Rows = append(out.Rows, []cell{headCell(t.name), textCell(c.Name), textCell(kind), countCell(c.N), shareCell(c.Accuracy), shareCell(c.MacroF1), shareCell(kappa),
				shareCell(c.MajorityShare), textCell(c.Majority)})
		}
	}
	if len(out.Rows) == 0 {
		return nil
	}
	return out
}

// openMatrices is how many agents of a track have their matrices open; those of others are folded away.
const openMatrices = 3

// joined adds the matrices of one label over an agent's tasks of a track.
func (p *Page) joined(s series, track triage.Track) []*matrix {
	var out []*matrix
	for _, t := range p.ofTrack(track) {
		if t.run != s.run || t.agent != s.agent {
			continue
		}
		for _, m := range t.matrices {
			i := slices.IndexFunc(out, func(x *matrix) bool { return x.part == m.part })
			if i < 0 {
				out = append(out, &matrix{part: m.part, order: m.order, ordered: m.ordered, counts: stats.NewConfusion(m.order)})
				i = len(out) - 1
			}
			m.addTo(out[i].counts)
		}
	}
	return out
}

func (m *matrix) addTo(sum *stats.Confusion) {
	labels := m.counts.Labels()
	for _, truth := range labels {
		for _, given := range labels {
			for range m.counts.Count(truth, given) {
				sum.Add(truth, given)
			}
		}
	}
}

// confusions shows what was given for what is right.
func (p *Page) confusions() section {
	s := section{ID: "confusion", Title: "Confusion: what was given for what is right", Short: "Confusion", Lead: []string{"A row is a right label, a column a given one: the number of " +
		"answers and their share of the row. The diagonal is right. All scored tickets of the track together; trials count each."}}
	for _, track := range p.tracks() {
		shown := 0
		for _, x := range p.series() {
			title := clean(trackName(track) + ": " + x.name)
			var tables []table
			for _, m := range p.joined(x, track) {
				tables = append(tables, m.table())
			}
			switch {
			case tables == nil:
			case shown < openMatrices:
				s.Blocks = append(s.Blocks, block{Heading: title, Tables: tables})
				shown++
			default:
				s.Blocks = append(s.Blocks, block{More: &more{Summary: title, Tables: tables}})
			}
		}
	}
	return s
}

// table shows a matrix, or its largest confusions where it has many labels.
func (m *matrix) table() table {
	caption := fmt.Sprintf("%s: accuracy %s, macro-F1 %s", partName(m.part), decimal(m.counts.Accuracy(), 3), decimal(m.counts.MacroF1(), 3))
	if kappa := m.counts.WeightedKappa(len(m.order)); m.ordered && !math.IsNaN(kappa) {
		caption += ", weighted kappa " + decimal(kappa, 3)
	}
	caption = clean(fmt.Sprintf("%s, n %d", caption, m.counts.N()))
	labels := m.counts.Labels()
	if len(labels) > mostLabels {
		return m.list(caption, labels)
	}
	given := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { _, n := m.counts.Marginals(l); return n == 0 && !slices.Contains(m.order, l) })
	out := table{Caption: caption, Class: "matrix", Head: head("right \\ given")}
	for _, g := range given {
		out.Head = append(out.Head, cell{Text: clean(g), Number: true})
	}
	out.Head = append(out.Head, head("#n")...)
	for _, truth := range labels {
		n, _ := m.counts.Marginals(truth)
		if n == 0 && !slices.Contains(m.order, truth) {
			continue
		}
		row := []cell{headCell(truth)}
		for _, g := range given {
			c := m.counts.Count(truth, g)
			row = append(row, matrixCell(c, n, truth == g))
		}
		out.Rows = append(out.Rows, append(row, countCell(n)))
	}
	return out
}

// matrixCell shows a count with its share of the row; the deeper its shade the larger the share.
func matrixCell(c, n int, right bool) cell {
	out := cell{Number: true, Text: "·", Class: "h0"}
	if c > 0 {
		share := float64(c) / float64(n)
		out.Text = fmt.Sprintf("%d (%s %%)", c, strconv.FormatFloat(100*share, 'f', 0, 64))
		out.Class = "h" + strconv.Itoa(min(5, 1+int(share*5)))
		if !right {
			out.Class = "w" + out.Class[1:]
		}
	}
	if right {
		out.Class += " right"
	}
	return out
}

// list shows the largest confusions of a matrix of many labels, and the labels that are missed most.
func (m *matrix) list(caption string, labels []string) table {
	type pair struct {
		truth, given string
		n, of        int
	}
	var pairs []pair
	for _, truth := range labels {
		of, _ := m.counts.Marginals(truth)
		for _, given := range labels {
			if n := m.counts.Count(truth, given); truth != given && n > 0 {
				pairs = append(pairs, pair{truth, given, n, of})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.n, a.n) })
	out := table{Caption: fmt.Sprintf("%s; %d labels: the largest confusions", caption, len(labels)), Head: head("Right", "Given", "#Count", "#Share of the label")}
	for _, x := range pairs[:min(len(pairs), mostConfusions)] {
		out.Rows = append(out.Rows, []cell{headCell(x.truth), textCell(x.given), countCell(x.n), numberCell(decimal(100*float64(x.n)/float64(x.of), 0) + " %")})
	}
	if rest := len(pairs) - mostConfusions; rest > 0 {
		out.Notes = []string{fmt.Sprintf("%d more pairs are not shown.", rest)}
	}
	return out
}

func partName(part string) string {
	name := strings.ReplaceAll(part, "_", " ")
	if name == "" {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// misjudged counts how far answers on a scale are from the right level: below is called too low.
type misjudged struct{ none, below2, below1, right, above1, above2 int }

// misjudge counts the answers of a matrix. urgentLow says that low levels are the urgent ones, as with days.
func misjudge(m *matrix, urgentLow bool) (c misjudged) {
	for i, truth := range m.order {
		c.none += m.counts.Count(truth, none)
		for j, given := range m.order {
			n := m.counts.Count(truth, given)
			off := j - i
			if urgentLow {
				off = -off
			}
			switch {
			case off <= -2:
				c.below2 += n
			case off == -1:
				c.below1 += n
			case off == 0:
				c.right += n
			case off == 1:
				c.above1 += n
			default:
				c.above2 += n
			}
		}
	}
	return c
}

func (c *misjudged) n() int { return c.none + c.below2 + c.below1 + c.right + c.above1 + c.above2 }

// urgency shows how urgency was misjudged: missed is worse than over-called.
func (p *Page) urgency() section {
	s := section{ID: "urgency", Title: "Urgency: missed against over-called", Short: "Urgency", Lead: []string{"Missed: the answer says that it is less urgent than it is, or nothing. " +
		"Over-called: more urgent. Missed costs a customer more than a look too early does."}}
	classes := []string{"miss2", "miss1", "g0", "over1", "over2"}
	words := []string{"missed by two levels or more, or no answer", "missed by one", "right", "over-called by one", "over-called by two or more"}
	var b block
	for _, x := range []struct {
		track triage.Track
		part  string
		low   bool
	}{{triage.Queue, "urgency", false}, {triage.Desk, "priority", false}, {triage.Desk, "urgency_days", true}} {
		title := fmt.Sprintf("%s: %s", trackName(x.track), strings.ToLower(partName(x.part)))
		chart := bars{title: title, words: "A row for each agent and task: the shares of answers that miss the urgency, are right, or over-call it.", classes: classes}
		out := &table{Caption: title, Head: head("Agent", "Task", "#n", "#Missed by 2+", "#Missed by 1", "#Right", "#Over by 1", "#Over by 2+", "#No answer", "#Missed [95 %]", "#Over-called [95 %]")}
		for _, t := range p.ofTrack(x.track) {
			i := slices.IndexFunc(t.matrices, func(m *matrix) bool { return m.part == x.part })
			if i < 0 {
				continue
			}
			c := misjudge(t.matrices[i], x.low)
			n := c.n()
			if n == 0 {
				continue
			}
			share := func(v int) float64 { return float64(v) / float64(n) }
			missed, over := c.none+c.below2+c.below1, c.above1+c.above2
			chart.rows = append(chart.rows, bar{label: t.name + ", " + t.task.Name, value: fmt.Sprintf("missed %s %%, over %s %%", decimal(100*share(missed), 0), decimal(100*share(over), 0)),
				shares: []float64{share(c.none + c.below2), share(c.below1), share(c.right), share(c.above1), share(c.above2)}})
			out.Rows = append(out.Rows, []cell{headCell(t.name), textCell(t.task.Name), countCell(n), countCell(c.below2), countCell(c.below1), countCell(c.right),
				countCell(c.above1), countCell(c.above2), countCell(c.none), estimateCell(stats.Share(missed, n)), estimateCell(stats.Share(over, n))})
		}
		if len(chart.rows) == 0 {
			continue
		}
		f := figure{Title: title, SVG: chart.draw(), Table: out}
		for i, class := range classes {
			f.Legend = append(f.Legend, legend{Mark: swatch(class), Text: words[i]})
		}
		b.Figures = append(b.Figures, f)
	}
	if b.Figures != nil {
		s.Blocks = []block{b}
	}
	return s
}
