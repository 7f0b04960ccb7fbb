package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// Formats of comparisons, and of runs, beside those of every table; the page is the third.
const (
	formatJUnit  = "junit"
	formatGitHub = "github"
)

// comparing is what was compared, on its way to a format.
type comparing struct {
	list    []report.Compared
	ranking *compare.Ranking // or nil
	whole   *report.Report
	lenient bool // what is inconclusive is a warning
}

// compareFormats are the formats of comparisons.
func compareFormats() []string {
	return append(report.FormatNames(), slices.Sorted(maps.Keys(comparisonFormats()))...)
}

// comparisonFormats print comparisons otherwise than as tables.
func comparisonFormats() map[string]func(io.Writer, *comparing) error {
	return map[string]func(io.Writer, *comparing) error{
		formatJUnit: func(w io.Writer, c *comparing) error {
			return report.JUnit(w, "triage compare", report.VerdictChecks(c.list, c.lenient), report.VerdictNotes(c.list)...)
		},
		formatGitHub: func(w io.Writer, c *comparing) error {
			return report.GitHubComparison(w, c.list, report.GitHubOptions{})
		},
		formatHTML: writeComparisonPage,
	}
}

// writeComparisonPage writes a page that shows everything and works offline.
func writeComparisonPage(w io.Writer, c *comparing) error {
	page := html.New(html.Options{Title: "Comparison"})
	for i := range c.list {
		page.AddComparison(c.list[i].Comparison)
	}
	if c.ranking != nil {
		page.AddRanking(c.ranking)
	}
	page.AddVerdicts(c.list)
	return page.Write(w)
}

func runCompare(ctx context.Context, o *compareOptions) error {
	root, err := o.openOutput() // before the work: a path that cannot be written is known at once
	if err != nil {
		return err
	}
	if root != nil {
		defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	}
	s := &sources{app: o.app}
	defer s.close()
	inputs, err := o.sides(ctx, s)
	if err != nil {
		return err
	}
	if o.AA {
		return o.repeats(root, slices.Concat(inputs...))
	}
	m, err := o.match(inputs)
	if err != nil {
		return err
	}
	c, err := o.compared(ctx, m)
	if err != nil {
		return err
	}
	for _, text := range m.left {
		o.app.warn("%s: left out", text)
	}
	if err := o.write(root, c); err != nil {
		return err
	}
	return o.outcome(o.app, c.list)
}

// openOutput opens the folder of the report's file, if there is one.
func (o *compareOptions) openOutput() (*os.Root, error) {
	if o.Output == "" {
		return nil, nil
	}
	return o.app.openReport(o.Output, o.Inputs)
}

// options are those of comparing.
func (o *compareOptions) options(ranked bool) compare.Options {
	moved := o.Moved
	switch {
	case moved == 0, ranked && !o.given["moved"] && (o.Format == formatTable || o.Format == formatMarkdown): // people look at the ranking
		moved = -1 // none
	case o.Show != showAll: // which are shown is known when all are
		moved = mostMoved
	}
	return compare.Options{Deterministic: deterministic, Allow: o.Allow, Moved: moved}
}

// compared compares the pairs, judges them, and ranks where there is something to rank.
func (o *compareOptions) compared(ctx context.Context, m *matchup) (*comparing, error) {
	out := &comparing{lenient: o.Inconclusive == inconclusiveWarn}
	for _, p := range m.pairs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c, err := compare.Compare(p[0], p[1], o.options(m.ranked != nil))
		if err != nil {
			return nil, err
		}
		x, err := o.judge(c)
		if err != nil {
			return nil, err
		}
		o.choose(&x)
		out.list = append(out.list, x)
	}
	out.whole = report.FromComparisons(out.list)
	if m.ranked == nil {
		return out, nil
	}
	var err error
	if out.ranking, err = compare.Rank(m.ranked, o.options(true)); err != nil {
		return nil, err
	}
	out.whole.AddRanking(out.ranking)
	return out, nil
}

// choose leaves those of the tickets that moved which are to be shown.
func (o *compareOptions) choose(x *report.Compared) {
	if o.Show == showAll || o.Show == "" {
		return
	}
	x.Show = o.Show
	for i := range x.Tasks {
		k := &x.Tasks[i]
		all := len(k.Moved) == k.MovedInAll
		k.Moved = slices.DeleteFunc(k.Moved, func(m compare.Moved) bool { return report.Direction(&m) != o.Show })
		if all { // more than the most that are looked at are not counted
			k.MovedInAll = len(k.Moved)
		}
		k.Moved = k.Moved[:min(len(k.Moved), o.Moved)]
	}
}

// judge holds a comparison against the gates.
func (g *gating) judge(c *compare.Comparison) (report.Compared, error) {
	out := report.Compared{Comparison: c}
	if len(g.gates) == 0 {
		return out, nil
	}
	var err error
	if out.Verdicts, err = compare.Judge(c, g.gates, compare.JudgeOptions{AsSample: g.AsSample}); err != nil {
		return out, usageError("%v", err)
	}
	return out, nil
}

// write writes the report to the file of --output and says in short what is in it, or prints it.
func (o *compareOptions) write(root *os.Root, c *comparing) error {
	if o.Format == formatGitHub { // GitHub reads workflow commands from both streams
		if err := report.WriteAnnotations(o.app.Err, report.ComparisonAnnotations(c.list)); err != nil {
			return printing(err, "print annotations")
		}
	}
	format := func(w io.Writer) error {
		if f := comparisonFormats()[o.Format]; f != nil {
			return f(w, c)
		}
		return report.Formats()[o.Format](w, shownAs(o.Format, c.whole))
	}
	if root == nil {
		return printing(format(o.app.Out), "print comparison")
	}
	if err := results.WriteFile(root, filepath.Base(o.Output), format); err != nil {
		return err
	}
	short := report.InShort(c.list, o.Output)
	if len(c.list) == 0 { // gates on repeats
		short.Lines = append(slices.Clone(c.whole.Lines), short.Lines...)
	}
	return printing(report.Text(o.app.Out, short), "print verdicts")
}

// shownAs leaves out what people need not see.
func shownAs(format string, r *report.Report) *report.Report {
	if format == formatTable || format == formatMarkdown {
		return r.ForPeople()
	}
	return r
}

// printing is the error of printing.
func printing(err error, doing string) error {
	if err == nil {
		return nil
	}
	return &triage.Error{Code: triage.CodeFiles, Message: doing, Err: err}
}

// outcome is the error of the worst verdict, if it is none that passes.
func (g *gating) outcome(app *App, list []report.Compared) error {
	texts := map[compare.Outcome][]string{}
	for i := range list {
		for _, v := range list[i].Verdicts {
			text := fmt.Sprintf("%s on %s", v.Gate, v.Scope)
			if len(list) > 1 {
				text = fmt.Sprintf("%s of %s", text, list[i].New.Name)
			}
			texts[v.Outcome] = append(texts[v.Outcome], text)
		}
	}
	if bad := texts[compare.Regression]; len(bad) > 0 {
		return &triage.Error{Code: triage.CodeCheck, Message: "regression: " + joinSome(bad)}
	}
	open := texts[compare.Inconclusive]
	switch {
	case len(open) == 0:
		return nil
	case g.Inconclusive == inconclusiveWarn:
		app.warn("inconclusive: %s", joinSome(open))
		return nil
	}
	return undecided{gates: open}
}

// mostNamed is how many gates a message names.
const mostNamed = 10

func joinSome(list []string) string {
	if len(list) > mostNamed {
		list = append(list[:mostNamed:mostNamed], fmt.Sprintf("and %d more", len(list)-mostNamed))
	}
	return join(list)
}
