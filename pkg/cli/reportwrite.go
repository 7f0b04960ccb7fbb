package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// shownWorst is how many tickets a step summary may show; how many it has room for is another matter.
const shownWorst = 2000

// writeRuns writes the runs in the format that is asked for.
func (o *reportOptions) writeRuns(ctx context.Context, runs []*reportRun, out reportOutput) error {
	switch o.Format {
	case formatHTML:
		return o.writePage(ctx, runs, out)
	case formatInspect:
		return o.writeLogs(ctx, runs, out)
	case formatCSV, formatJSONL, formatJUnit, formatChat:
		return o.writeTickets(ctx, runs, out)
	}
	return o.writeSummary(ctx, runs, out)
}

// writeTickets writes a format that takes tickets as they come.
func (o *reportOptions) writeTickets(ctx context.Context, runs []*reportRun, out reportOutput) error {
	if o.Format == formatChat {
		o.warnTest(runs)
	}
	var x export.Writer
	if err := out.write(o.app, "", func(w io.Writer) error {
		if o.BOM {
			if _, err := io.WriteString(w, export.ByteOrderMark); err != nil {
				return err
			}
		}
		x = o.newWriter(w, runs)
		return o.feed(ctx, runs, x)
	}); err != nil {
		return err
	}
	switch x := x.(type) {
	case *export.Chat:
		if x.Left > 0 {
			o.app.warn("%s left out: without a score there is no reward", counted(x.Left, "episode"))
		}
	case *export.Pairs:
		if x.Left > 0 {
			o.app.warn("%s left out: nothing was answered, or it was not graded", counted(x.Left, "answer"))
		}
		if x.Written == 0 {
			o.app.warn("there are no pairs: they take two answers with different scores to the same ticket, of several agents, trials or runs")
		}
	}
	return nil
}

// newWriter makes the writer of a format.
func (o *reportOptions) newWriter(w io.Writer, runs []*reportRun) export.Writer {
	switch o.Format {
	case formatCSV:
		return export.NewCSV(w, o.parts(runs))
	case formatJSONL:
		return export.NewJSONL(w, o.parts(runs))
	case formatJUnit:
		return export.NewJUnit(w, o.FailBelow)
	}
	if o.Pairs {
		return export.NewPairs(w, export.PairOptions{MinGap: o.MinGap, Most: o.MaxPairs})
	}
	c := export.NewChat(w)
	c.Replies = o.Replies
	return c
}

// feed gives a writer the episodes of all runs, and closes it.
func (o *reportOptions) feed(ctx context.Context, runs []*reportRun, x export.Writer) error {
	kept := 0
	for _, r := range runs {
		if err := r.episodes(ctx, func(ep *results.Logged) error { return x.Episode(r.source, ep) }); err != nil {
			return err
		}
		kept += r.kept
	}
	if kept == 0 {
		return o.empty(runs)
	}
	return x.Close()
}

// warnTest says that a model that is trained on the test split is no longer tested by it.
func (o *reportOptions) warnTest(runs []*reportRun) {
	splits := map[string]bool{}
	for _, r := range runs {
		split := r.source.Split
		splits[split] = true
		switch {
		case split == string(triage.Test):
			o.app.warn("%s is of the test split: what is trained on it is no longer tested by it (triage run --split train)", r.name)
		case split == "" && r.folder == nil:
			o.app.warn("%s does not say which split it is of: what is trained on the test split is no longer tested by it", r.name)
		}
	}
	if len(splits) > 1 {
		o.app.warn("the runs are of several splits; each line says of which")
	}
}

// writeLogs writes a log of inspect_ai for each run, agent and task.
func (o *reportOptions) writeLogs(ctx context.Context, runs []*reportRun, out reportOutput) error {
	alone := out.root == nil || out.name != ""
	if n := o.groups(runs); alone && n > 1 {
		return several(n)
	}
	var x *export.Inspect
	x = export.NewInspect(func(name string, write func(io.Writer) error) error {
		if n := x.Logs(); alone && n > 1 {
			return several(n)
		}
		return out.write(o.app, name, write)
	})
	if err := o.feed(ctx, runs, x); err != nil {
		return err
	}
	out.said(o.app, o.Output, counted(x.Logs(), "log"))
	return nil
}

// writePage writes the page for people.
func (o *reportOptions) writePage(ctx context.Context, runs []*reportRun, out reportOutput) error {
	options := html.Options{Keep: o.keeps}
	var folders []*results.Folder
	for _, r := range runs {
		options.Names = append(options.Names, r.name)
		folders = append(folders, r.folder)
	}
	if o.costs.Matrix != "" {
		var err error
		if options.Cost, err = pageCosts(ctx, runs); err != nil {
			return err
		}
	}
	page, err := html.Collect(ctx, folders, options)
	if err != nil {
		return err
	}
	return out.write(o.app, "", page.Write)
}

// pageCosts finds what answers cost, for the page: it reads the runs once more.
func pageCosts(ctx context.Context, runs []*reportRun) (func(run int, agent, task string) *results.CostFigures, error) {
	figures := make([]map[results.Pair]*results.CostFigures, len(runs))
	for i, r := range runs {
		s, err := summarizeRun(ctx, r, nil)
		if err != nil {
			return nil, err
		}
		figures[i] = map[results.Pair]*results.CostFigures{}
		for _, a := range s.result.agents {
			for j := range a.Tasks {
				figures[i][results.Pair{Agent: a.Agent, Task: a.Tasks[j].Task.Name}] = a.Tasks[j].Cost
			}
		}
	}
	return func(run int, agent, task string) *results.CostFigures {
		return figures[run][results.Pair{Agent: agent, Task: task}]
	}, nil
}

// writeSummary writes tables; a step summary has the worst tickets too.
func (o *reportOptions) writeSummary(ctx context.Context, runs []*reportRun, out reportOutput) error {
	var worst *report.Worst
	if o.Format == formatGitHub {
		worst = report.NewWorst(shownWorst)
	}
	list := make([]*runSummary, len(runs))
	left := 0
	for i, r := range runs {
		var err error
		if list[i], err = summarizeRun(ctx, r, worst); err != nil {
			return err
		}
		left += len(list[i].result.agents)
	}
	if left == 0 {
		return o.empty(runs)
	}
	rep := joinReports(list)
	return out.write(o.app, "", func(w io.Writer) error {
		if worst == nil {
			return o.tableFormat()(w, rep)
		}
		more := runs[0].name
		if runs[0].folder == nil {
			more = ""
		}
		if tickets, _, broken := worst.Counts(); tickets+broken == 0 { // results files only
			worst = nil
		} else if err := report.WriteAnnotations(o.app.Err, report.RunAnnotations(worst)); err != nil { // GitHub reads workflow commands from both streams
			return err
		}
		return report.GitHubRun(w, rep, worst, report.GitHubOptions{More: more})
	})
}

// notWhole is the line of a run that goes on.
func (r *reportRun) notWhole() string {
	return fmt.Sprintf("Not complete: %d of %d episodes are finished; these are the scores of a part, of which no target is reached or missed.", r.read, r.planned())
}
