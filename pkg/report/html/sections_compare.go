package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// movedTicket is a ticket with the answers of two sides.
type movedTicket struct {
	Summary string
	Delta   string
	Class   string // gain or loss
	Text    string // of the ticket, as the agent saw it
	Sides   []movedSide
}

type movedSide struct {
	Name, Score, Answer, Error string
	Parts                      []movedPart
}

type movedPart struct{ Name, Value, Why string }

func differenceCell(d *compare.Difference) cell { return numberCell(differenceText(d)) }

// chanceCell shows a P with three decimals; a smaller one is not 0.
func chanceCell(p float64) cell {
	if p >= 0 && p < 0.0005 {
		return numberCell("< 0.001")
	}
	return numberCell(decimal(p, 3))
}

func differenceText(d *compare.Difference) string {
	c := dots{signed: true}
	return c.words3(d.Delta)
}

// comparisonSection shows new against base.
func comparisonSection(i int, c *compare.Comparison, many bool) section {
	s := section{ID: fmt.Sprintf("comparison-%d", i+1), Title: clean(pairName(c)), Short: "Comparison",
		Lead: []string{clean(fmt.Sprintf("Base: %s. New: %s. Differences are new − base, compared in pairs where the two played the same, each with its 95 %% interval; "+
			"the interval says how the difference would vary with other tickets.", sideName(c.Base), sideName(c.New)))}}
	if many {
		s.Short = clean(middle(c.New.Name, mostShort))
	}
	s.Blocks = append(s.Blocks, block{Table: mismatches(c)}, block{Table: comparisonTable(c)})
	b := block{Figures: []figure{scoreDifferences(c)}}
	for j := range c.Tasks {
		if t := &c.Tasks[j]; len(t.Others) > 0 {
			b.Figures = append(b.Figures, differences("Differences by part: "+t.Task.Name, append([]compare.Difference{t.Score}, t.Others...)))
		}
	}
	s.Blocks = append(s.Blocks, b)
	for j := range c.Tasks {
		t := &c.Tasks[j]
		if len(t.Moved) == 0 {
			continue
		}
		m := block{Heading: fmt.Sprintf("%s: tickets that moved most, %d of %d", t.Task.Name, len(t.Moved), t.MovedInAll)}
		for k := range t.Moved {
			m.Moved = append(m.Moved, movedOf(c, &t.Moved[k]))
		}
		s.Blocks = append(s.Blocks, m)
	}
	s.Blocks = slices.DeleteFunc(s.Blocks, func(b block) bool {
		return b.Table == nil && b.Figures == nil && b.Moved == nil && b.Notes == nil
	})
	return s
}

// mostShort is how many characters of a side's name stand in the contents.
const mostShort = 28

// sideName is the name of a side with where it is from, unless the name says it.
func sideName(s *compare.Side) string {
	if s.From == "" || strings.HasSuffix(s.Name, "("+s.From+")") || s.Name == s.From {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", s.Name, s.From)
}

// mismatches are what the two sides do not share; nil where there is nothing.
func mismatches(c *compare.Comparison) *table {
	out := &table{Caption: "What the two do not share", Head: head("What", "Base", "New", "Note")}
	for _, x := range c.Allowed {
		out.Rows = append(out.Rows, []cell{headCell(x.Key), textCell(x.Base), textCell(x.New), textCell("allowed to differ")})
	}
	for _, x := range c.Noted {
		out.Rows = append(out.Rows, []cell{headCell(x.Key), textCell(x.Base), textCell(x.New), textCell("differs, and may")})
	}
	if len(c.BaseOnly) > 0 {
		out.Notes = append(out.Notes, clean("Only base has the tasks "+strings.Join(c.BaseOnly, ", ")+"."))
	}
	if len(c.NewOnly) > 0 {
		out.Notes = append(out.Notes, clean("Only new has the tasks "+strings.Join(c.NewOnly, ", ")+"."))
	}
	if len(out.Rows) == 0 && len(out.Notes) == 0 {
		return nil
	}
	return out
}

func comparisonTable(c *compare.Comparison) *table {
	out := &table{Caption: "Scores", Head: head("Task", "Units", "#n", "#Base", "#New", "#Difference [95 %]", "#p (Holm)", "#Fixed", "#Broken", "#Both right", "#Both wrong")}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		d := &t.Score
		f := &t.Flips
		flips := []cell{countCell(f.Fixed), countCell(f.Broken), countCell(f.BothRight), countCell(f.BothWrong)}
		if t.Pairs == 0 { // two samples: nobody knows which tickets are the same
			flips = []cell{numberCell("–"), numberCell("–"), numberCell("–"), numberCell("–")}
		}
		if t.SameBytes {
			out.Notes = append(out.Notes, clean(t.Task.Name+": the same bytes on both sides."))
		}
		row := []cell{headCell(t.Task.Name), textCell(t.Units), countCell(d.Delta.N), shareCell(d.Base), shareCell(d.New), differenceCell(d), chanceCell(d.Holm)}
		out.Rows = append(out.Rows, append(row, flips...))
		out.Notes = append(out.Notes, taskNotes(t)...)
	}
	if d := &c.Overall; len(c.Tasks) > 1 {
		none := numberCell("–")
		out.Rows = append(out.Rows, []cell{headCell("overall"), textCell("–"), none, shareCell(d.Base), shareCell(d.New), differenceCell(d), none, none, none, none, none})
	}
	for _, w := range c.Warnings {
		out.Notes = append(out.Notes, clean(sentence(w)))
	}
	out.Notes = append(out.Notes, "Fixed: only new is right; broken: only base was right.")
	return out
}

// sentence ends a text with a full stop, unless it has one.
func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

// taskNotes are what is to be doubted about a task.
func taskNotes(t *compare.TaskComparison) []string {
	var out []string
	say := func(n int, text string) {
		if n > 0 {
			out = append(out, clean(fmt.Sprintf("%s: %d %s.", t.Task.Name, n, text)))
		}
	}
	say(t.BaseOnly, t.Units+" that only base has")
	say(t.NewOnly, t.Units+" that only new has")
	say(t.OtherTickets, t.Units+" whose ticket is another one are left out")
	switch {
	case t.BaseBroke+t.NewBroke > 0:
		say(t.BaseBroke, t.Units+" of which base broke; they count as 0 there")
		say(t.NewBroke, t.Units+" of which new broke; they count as 0 there")
	default:
		say(t.Broke, t.Units+" of which a side broke; they count as 0 there")
	}
	for _, text := range []string{t.Incomplete, t.BytesUnknown} {
		if text != "" {
			out = append(out, clean(sentence(t.Task.Name+": "+text)))
		}
	}
	if r := t.Score.Reason; r != "" {
		out = append(out, clean(sentence(t.Task.Name+": "+trueMinus(r))))
	}
	for _, w := range t.Warnings {
		out = append(out, clean(sentence(t.Task.Name+": "+trueMinus(w))))
	}
	return out
}

func scoreDifferences(c *compare.Comparison) figure {
	list := make([]compare.Difference, 0, len(c.Tasks)+1)
	for i := range c.Tasks {
		d := c.Tasks[i].Score
		d.Metric = c.Tasks[i].Task.Name
		list = append(list, d)
	}
	if len(c.Tasks) > 1 {
		d := c.Overall
		d.Metric = "overall"
		list = append(list, d)
	}
	return differences("Differences of the score", list)
}

// differences draws differences round 0.
func differences(title string, list []compare.Difference) figure {
	most := 0.05
	for _, d := range list {
		for _, v := range []float64{d.Delta.Mean, bound(&d, false), bound(&d, true)} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				most = max(most, math.Abs(v))
			}
		}
	}
	most = axisEnd(most)
	chart := dots{title: title, words: fmt.Sprintf("A row each: new minus base with its 95 percent interval, on an axis from minus %s to %s; 0 is no difference.",
		decimal(most, 2), decimal(most, 2)), low: -most, high: most, series: 1, zero: true, signed: true}
	out := &table{Caption: title, Head: head("What", "#Base", "#New", "#Difference [95 %]", "#p")}
	for i := range list {
		d := &list[i]
		name := partName(d.Metric)
		if strings.Contains(d.Metric, "-") {
			name = d.Metric
		}
		chart.groups = append(chart.groups, dotGroup{label: name, dots: []dot{{estimate: d.Delta, floor: math.NaN(), target: math.NaN()}}})
		out.Rows = append(out.Rows, []cell{headCell(name), shareCell(d.Base), shareCell(d.New), differenceCell(d), chanceCell(d.P)})
	}
	return figure{Title: title, SVG: chart.draw(), Table: out}
}

// axisEnd is the end of an axis round 0 that holds a value: half of it has two decimals, as the marks of the axis show.
func axisEnd(most float64) float64 {
	for _, end := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8} {
		if most <= end {
			return end
		}
	}
	return 1
}

func bound(d *compare.Difference, high bool) float64 {
	switch {
	case d.Delta.CI95 == nil:
		return math.NaN()
	case high:
		return d.Delta.CI95.High
	}
	return d.Delta.CI95.Low
}

func movedOf(c *compare.Comparison, m *compare.Moved) movedTicket {
	where := fmt.Sprintf("seed %d", m.Seed)
	if m.Position >= 0 {
		where += fmt.Sprintf(", position %d", m.Position)
	} else if m.Index > 0 {
		where += fmt.Sprintf(", ticket %d", m.Index+1)
	}
	if m.Trial > 0 || m.Trials > 1 {
		where += ", trial " + strconv.Itoa(int(m.Trial))
	}
	delta := dots{signed: true}
	d := m.New.Score - m.Base.Score
	out := movedTicket{Summary: clean(strings.TrimSpace(fmt.Sprintf("%s %s (%s)", m.ID, short(m.Subject, subjectMost), where))),
		Text: clean(short(m.Text, mostAnswer)), Delta: delta.number(d, 3), Class: "gain", Sides: []movedSide{movedSideOf(c.Base.Name, &m.Base), movedSideOf(c.New.Name, &m.New)}}
	if d < 0 {
		out.Class = "loss"
	}
	return out
}

func movedSideOf(name string, m *compare.MovedSide) movedSide {
	out := movedSide{Name: clean(name), Score: decimal(m.Score, 3), Answer: clean(short(m.Answer, mostAnswer)), Error: clean(m.Error)}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, partOf(p))
	}
	return out
}

// mostAnswer is how many characters of an answer a comparison shows.
const mostAnswer = 4000

func partOf(p triage.Part) movedPart {
	return movedPart{Name: clean(partName(p.Name)), Value: decimal(p.Value, 2), Why: clean(short(p.Why.String(), mostAnswer))}
}

// rankingSection shows several sides in the order of their scores, over all tasks and on each.
func rankingSection(i int, r *compare.Ranking) section {
	s := section{ID: fmt.Sprintf("ranking-%d", i+1), Title: "Ranking", Lead: []string{"Over what all sides played, with 95 % intervals. Where a side is not told from the one above it, " +
		"these tickets cannot say which of the two is better."}}
	of := "Overall"
	if len(r.Tasks) == 1 {
		of = r.Tasks[0].Task.Name
	}
	if len(r.Standings) == 0 {
		return s
	}
	whole := rankingTable(of, r.Standings)
	for _, w := range r.Warnings {
		whole.Notes = append(whole.Notes, clean(sentence("Warning: "+trueMinus(w))))
	}
	chart := dots{title: "Scores", words: "A row for each side, the best first: the mean score from 0 to 1 with its 95 percent interval.", low: 0, high: 1, series: 1}
	for j := range r.Standings {
		x := &r.Standings[j]
		chart.groups = append(chart.groups, dotGroup{label: fmt.Sprintf("%d. %s", x.Rank, x.Side.Name), dots: []dot{{estimate: x.Score, floor: math.NaN(), target: math.NaN()}}})
	}
	s.Blocks = []block{{Table: &whole}, {Figures: []figure{{Title: "Scores: " + strings.ToLower(of), SVG: chart.draw()}}}}
	if len(r.Tasks) > 1 {
		var b block
		for j := range r.Tasks {
			b.Tables = append(b.Tables, rankingTable(r.Tasks[j].Task.Name, r.Tasks[j].Standings))
		}
		s.Blocks = append(s.Blocks, b)
	}
	return s
}

func rankingTable(of string, list []compare.Standing) table {
	out := table{Caption: clean(of), Head: head("#Rank", "Agent", "#n", "#Score [95 %]", "#Minus the one above [95 %]", "#p (Holm)", "Told from the one above")}
	for j := range list {
		x := &list[j]
		apart, below, p := "yes", numberCell("–"), numberCell("–")
		if j == 0 {
			apart = "–"
		} else {
			below, p = differenceCell(&x.Below), chanceCell(x.Below.Holm)
		}
		if x.Tied {
			apart = "no"
		}
		out.Rows = append(out.Rows, []cell{countCell(x.Rank), headCell(x.Side.Name), countCell(x.Score.N), estimateCell(x.Score), below, p, textCell(apart)})
	}
	return out
}
