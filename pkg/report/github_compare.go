package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
)

// GitHubComparison writes comparisons as a step summary for GitHub, which is Markdown: what the gates say first, worst first, then
// the scores, then the tickets that moved with both answers and why: those that broke by the size of their drop, then those that
// were fixed. What is over the limit is left out and counted; of one comparison the new run is where it can be read, where o does
// not say.
func GitHubComparison(w io.Writer, list []Compared, o GitHubOptions) error {
	p := o.page()
	if o.More == "" && len(list) == 1 {
		o.More = list[0].New.From
	}
	list = worstFirst(list)
	whole := FromComparisons(list)
	p.within(roomForMore, func() {
		p.add(githubVerdict(list))
		for i := range list {
			p.add("\n" + githubText(pairName(&list[i])+": "+Headline(list[i].Comparison), shownText) + "\n")
		}
		p.within(p.limit/2, func() { // a comparison of a thousand labels leaves room for the tickets
			for _, name := range []string{"verdicts", "tasks"} {
				for i := range whole.Tables {
					if whole.Tables[i].Name == name {
						githubTable(p, &whole.Tables[i], o)
					}
				}
			}
		})
	})
	githubMoved(p, list, o)
	p.within(roomForMore/2, func() {
		for i := range whole.Tables {
			if name := whole.Tables[i].Name; name == "parts" || name == "sides" {
				githubFolded(p, &whole.Tables[i], o)
			}
		}
	})
	p.within(roomForMore/2, func() {
		githubLines(p, slices.DeleteFunc(slices.Clone(whole.Lines), func(l string) bool { // what stands above
			return slices.ContainsFunc(list, func(x Compared) bool { return strings.HasSuffix(l, Headline(x.Comparison)) })
		}), o)
	})
	_, err := io.WriteString(w, p.b.String())
	return err
}

// worstFirst puts the verdicts of each comparison in the order of how bad they are.
func worstFirst(list []Compared) []Compared {
	out := slices.Clone(list)
	rank := map[compare.Outcome]int{compare.Regression: 0, compare.Inconclusive: 1, compare.Pass: 2}
	for i := range out {
		out[i].Verdicts = slices.Clone(out[i].Verdicts)
		slices.SortStableFunc(out[i].Verdicts, func(a, b compare.Verdict) int { return rank[a.Outcome] - rank[b.Outcome] })
	}
	return out
}

// ComparisonAnnotations are the annotations of comparisons: an error for each regression, a warning for each gate that could not be
// decided and for each doubt, and a notice that says what came out where there is nothing worse.
func ComparisonAnnotations(list []Compared) []Annotation {
	var out []Annotation
	gates := 0
	for i := range list {
		x := &list[i]
		gates += len(x.Verdicts)
		for j := range x.Verdicts {
			v := &x.Verdicts[j]
			title := fmt.Sprintf("triage: %s: %s", v.Outcome, gateOn(v))
			switch v.Outcome {
			case compare.Regression:
				out = append(out, Annotation{AnnotationError, title, pairName(x) + ": " + v.Why})
			case compare.Inconclusive:
				out = append(out, Annotation{AnnotationWarning, title, pairName(x) + ": " + v.Why})
			}
			for _, w := range v.Warnings {
				out = append(out, Annotation{AnnotationWarning, "triage: " + gateOn(v), pairName(x) + ": " + w})
			}
		}
		for _, w := range x.Warnings {
			out = append(out, Annotation{AnnotationWarning, "triage: " + pairName(x), w})
		}
	}
	if len(out) > 0 {
		return out
	}
	for i := range list {
		text := Headline(list[i].Comparison)
		if gates > 0 {
			text = number1(len(list[i].Verdicts), "gate") + " passed. " + text
		}
		out = append(out, Annotation{AnnotationNotice, "triage: " + pairName(&list[i]), text})
	}
	return out
}

// githubVerdict is the first line: what came out of the gates.
func githubVerdict(list []Compared) string {
	var all []compare.Verdict
	for i := range list {
		all = append(all, list[i].Verdicts...)
	}
	if len(all) == 0 {
		return "## triage: compared, without a gate\n"
	}
	switch compare.Worst(all) {
	case compare.Regression:
		return "## ❌ triage: regression\n"
	case compare.Inconclusive:
		return "## ⚠️ triage: inconclusive\n"
	}
	return "## ✅ triage: pass\n"
}

// githubFolded writes a table that opens, as far as there is room.
func githubFolded(p *page, t *Table, o GitHubOptions) {
	inner := &page{limit: p.limit - p.b.Len() - roomForMore}
	untitled := *t
	untitled.Title = ""
	githubTable(inner, &untitled, o)
	p.add("\n<details><summary>", githubText(t.Title, shownName), "</summary>\n", inner.b.String(), "\n</details>\n")
}

// change is a ticket that moved, with where it stands.
type change struct {
	of   *Compared
	task *compare.TaskComparison
	*compare.Moved
	by float64 // new − base
}

// githubMoved writes the tickets that moved, as far as there is room.
func githubMoved(p *page, list []Compared, o GitHubOptions) {
	var broken, fixed []change
	all := 0
	for i := range list {
		for j := range list[i].Tasks {
			k := &list[i].Tasks[j]
			all += k.MovedInAll
			for m := range k.Moved {
				c := change{&list[i], k, &k.Moved[m], scoreOf(k.Moved[m].New.Score) - scoreOf(k.Moved[m].Base.Score)}
				if c.by < 0 {
					broken = append(broken, c)
				} else {
					fixed = append(fixed, c)
				}
			}
		}
	}
	shown := 0
	p.within(roomForMore, func() {
		for _, part := range []struct {
			title string
			list  []change
		}{{"got worse", broken}, {"got better", fixed}} {
			slices.SortStableFunc(part.list, func(a, b change) int { return cmp.Compare(math.Abs(b.by), math.Abs(a.by)) })
			if len(part.list) == 0 {
				continue
			}
			if !p.add("\n### ", capitalUnits(part.list[0].task.Units), " that ", part.title, "\n\n") {
				return
			}
			for i := range part.list {
				if !p.add(part.list[i].block(len(list) > 1)) {
					return
				}
				shown++
			}
		}
	})
	p.add(o.more(all-shown, "that moved"))
}

// capitalUnits are the units of a heading.
func capitalUnits(units string) string {
	if units == "episodes" {
		return "Episodes"
	}
	return "Tickets"
}

// scoreOf takes what has no score for 0, as the means do.
func scoreOf(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// scoreText is a score of one ticket, or that there is none.
func scoreText(v float64) string {
	if math.IsNaN(v) {
		return "broke"
	}
	return decimal(v, 3)
}

// block is a ticket as a part that opens, where there is something to see of it: HTML without an empty line, in which GitHub reads no Markdown.
func (c *change) block(many bool) string {
	var b strings.Builder
	head := fmt.Sprintf("<b>%s → %s</b> ", scoreText(c.Base.Score), scoreText(c.New.Score))
	if many {
		head += githubCode(pairName(c.of), shownName) + " "
	}
	head += githubCode(MovedPlace(c.task, c.Moved), shownName)
	if c.Subject+c.Base.Answer+c.New.Answer+c.Base.Error+c.New.Error == "" && len(c.Base.Parts)+len(c.New.Parts) == 0 {
		return "<p>" + head + "</p>\n\n" // of a results file: there is nothing to open
	}
	fmt.Fprintf(&b, "<details><summary>%s: %s</summary>\n", head, githubCode(c.Subject, shownSubject))
	b.WriteString("<table><tr><th>side</th><th>answer</th><th>why</th></tr>\n")
	fmt.Fprintf(&b, "<tr><td>base</td><td>%s</td><td>%s</td></tr>\n", githubCode(spaced(c.Base.Answer), shownText), githubCode(whyOf(&c.Base, &c.New), shownText))
	fmt.Fprintf(&b, "<tr><td>new</td><td>%s</td><td>%s</td></tr>\n", githubCode(spaced(c.New.Answer), shownText), githubCode(whyOf(&c.New, &c.Base), shownText))
	b.WriteString("</table>\n</details>\n\n")
	return b.String()
}
