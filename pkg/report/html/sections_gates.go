package html

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/stats"
)

// verdict is what a gate says, as the page shows it: the outcome and why come first, the figures below.
type verdict struct {
	Class, Mark, Outcome string
	Of                   string // the comparison, where there are several
	Gate, Scope          string
	Figure, Count        string
	Why                  string
}

// markOf is the sign that stands before an outcome: it is told without its colour too.
func markOf(o compare.Outcome) string {
	switch o {
	case compare.Pass:
		return "✓"
	case compare.Regression:
		return "✗"
	}
	return "?"
}

// summaryLine is a sentence that stands above everything else.
type summaryLine struct{ Class, Mark, Outcome, Text string }

// inShort is what the page's comparisons found, and what the worst of the gates says.
func (p *Page) inShort() []summaryLine {
	out := make([]summaryLine, 0, len(p.comparisons)+1)
	for _, c := range p.comparisons {
		text := report.Headline(c)
		if len(p.comparisons) > 1 {
			text = pairName(c) + ": " + text
		}
		out = append(out, summaryLine{Text: clean(trueMinus(text))})
	}
	var all []compare.Verdict
	for _, c := range p.verdicts {
		all = append(all, c.Verdicts...)
	}
	if len(all) == 0 {
		return out
	}
	count := map[compare.Outcome]int{}
	for i := range all {
		count[all[i].Outcome]++
	}
	var words []string
	for _, o := range []compare.Outcome{compare.Regression, compare.Inconclusive, compare.Pass} {
		if n := count[o]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", o, n))
		}
	}
	worst := compare.Worst(all)
	return append(out, summaryLine{Class: string(worst), Mark: markOf(worst), Outcome: string(worst), Text: fmt.Sprintf("is the outcome of %s: %s.", counted(len(all), "verdict"), strings.Join(words, ", "))})
}

func pairName(c *compare.Comparison) string { return c.New.Name + " against " + c.Base.Name }

// gates shows the verdicts.
func (p *Page) gates() section {
	s := section{ID: "gates", Title: "Gates"}
	var b block
	for _, c := range p.verdicts {
		for i := range c.Verdicts {
			v := verdictOf(&c.Verdicts[i])
			if len(p.verdicts) > 1 {
				v.Of = clean(pairName(c.Comparison))
			}
			b.Gates = append(b.Gates, v)
		}
	}
	if b.Gates == nil {
		return s
	}
	for _, t := range report.FromVerdicts(p.verdicts).Tables {
		for _, n := range t.Notes {
			b.Notes = append(b.Notes, clean(trueMinus(n)))
		}
	}
	s.Blocks = []block{b}
	return s
}

func verdictOf(v *compare.Verdict) verdict {
	out := verdict{Class: string(v.Outcome), Mark: markOf(v.Outcome), Outcome: string(v.Outcome), Gate: clean(v.Gate.String()), Scope: clean(v.Scope), Why: clean(sentence(trueMinus(v.Why)))}
	out.Figure = estimateText(stats.Estimate{Mean: v.Value, CI95: v.Interval})
	if v.N > 0 {
		out.Count = strings.TrimSpace(strconv.Itoa(v.N) + " " + clean(v.Units))
	}
	return out
}

var minus = lazyregexp.New(`(^|[\s(\[])-(\d)`)

// trueMinus gives the numbers of a text the sign that the page's own have.
func trueMinus(s string) string { return minus.ReplaceAllString(s, "$1−$2") }
