package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

type statsOptions struct {
	bankOptions
	Tasks []string
	Seed  int64
	N     int
	Check bool

	Format, Progress string
}

func newTicketsStatsCmd(app *App, run func(context.Context, *statsOptions) error) *cobra.Command {
	o := &statsOptions{bankOptions: bankOptions{app: app}}
	cmd := &cobra.Command{Use: "stats", Short: "Measure a large sample of tickets, and hold it against the bars", Args: noArgs,
		Long: `Makes n tickets of each task and prints the distributions of labels and facts, lengths, different 1- to 4-grams,
near-duplicates, and how well each observed field predicts each label. With --check it prints the bars that the benchmark
promises, and exits with 1 if one does not hold.`,
		Example: "  triage tickets stats --tasks queue-hard -n 2000\n  triage tickets stats --check",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.N < 10 || o.N > mostMeasured {
				return usageError("-n %d is not allowed; allowed is 10 to %d", o.N, mostMeasured)
			}
			if len(o.Tasks) == 0 {
				o.Tasks = taskNames()
			}
			if err := checkSeeds(o.Seed, max(o.N, synth.TrainSample), o.Tasks...); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		}}
	listFlag(cmd.Flags(), &o.Tasks, "tasks", taskNames(), "tasks to measure; all by default")
	intFlag(cmd.Flags(), &o.Seed, "seed", 0, "seed of the first episode")
	o.N = barsSample
	cmd.Flags().VarP(&number[int]{&o.N}, "number", "n", "number of tickets a task")
	cmd.Flags().BoolVar(&o.Check, "check", false, "hold the sample against the bars; exit with 1 if one does not hold")
	choiceFlag(cmd.Flags(), &o.Format, "format", "table", report.FormatNames(), "how to print")
	choiceFlag(cmd.Flags(), &o.Progress, "progress", "auto", progressModes(), "how to tell how far it is")
	o.bind(cmd)
	return cmd
}

// mostMeasured is the most tickets that are measured at once: they are held in memory.
const mostMeasured = 1_000_000

// take measures a sample, and gives up when the command is interrupted.
func take(ctx context.Context, src *synth.Source, seed int64, n int, train *synth.Source) (*synth.Census, error) {
	done := make(chan *synth.Census, 1)
	go func() { done <- synth.Take(src, seed, n, train) }()
	select {
	case c := <-done:
		return c, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func runTicketsStats(ctx context.Context, o *statsOptions) error {
	s, err := o.session()
	if err != nil {
		return err
	}
	var rep report.Report
	var checks []triage.Check
	bar := newProgress(o.app, o.Progress, "tasks", len(o.Tasks))
	defer bar.finish()
	for i, name := range o.Tasks {
		bar.step(i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		task, err := triage.TaskByName(name)
		if err != nil {
			return err
		}
		src, err := s.source(task, triage.Split(o.Split))
		if err != nil {
			return err
		}
		var train *synth.Source
		if o.Split == string(triage.Test) {
			if train, err = s.source(task, triage.Train); err != nil {
				return err
			}
		}
		c, err := take(ctx, src, o.Seed, o.N, train)
		if err != nil {
			return err
		}
		if o.Check {
			checks = append(checks, c.Check()...)
		} else {
			rep.Tables = append(rep.Tables, censusTables(c)...)
		}
	}
	bar.finish()
	if !o.Check {
		return report.Formats()[o.Format](o.app.Out, &rep)
	}
	err = printChecks(o.app, o.Format, checks)
	if triage.CodeOf(err) == triage.CodeCheck && o.N < barsSample {
		o.app.warn("the bars are meant for %d tickets a task; %d vary more by chance", barsSample, o.N)
	}
	return err
}

// barsSample is the number of tickets that the bars are meant for.
const barsSample = 10000

// printChecks prints checks with a closing line, and gives an error of the check's kind if one failed.
func printChecks(app *App, format string, checks []triage.Check) error {
	t := report.Table{Name: "checks", Columns: []report.Column{{Title: "Check", Key: "id", Text: true}, {Title: "What", Key: "what", Text: true, Width: 36},
		{Title: "Expected", Key: "expected", Text: true, Width: 28}, {Title: "Seen", Key: "seen", Text: true, Width: 28},
		{Title: "Holds", Key: "passed", Text: true, Width: 24}}}
	passed, failed := 0, []string{}
	for _, c := range checks {
		holds := report.Cell(c.Passed)
		switch {
		case c.Skipped != "":
			holds = "skipped: " + c.Skipped
		case c.Printed:
			holds = nil
		case c.Passed:
			passed++
		default:
			failed = append(failed, c.ID)
		}
		t.Rows = append(t.Rows, []report.Cell{c.ID, c.Description, c.Expected, c.Seen, holds})
	}
	rep := report.Report{Tables: []report.Table{t}, Lines: []string{fmt.Sprintf("RESULTS: %d/%d checks passed", passed, passed+len(failed))},
		Values: map[string]report.Cell{"passed": passed, "failed": len(failed)}}
	if err := report.Formats()[format](app.Out, &rep); err != nil {
		return err
	}
	if len(failed) > 0 {
		return &triage.Error{Code: triage.CodeCheck, Message: fmt.Sprintf("%d of %d checks do not hold: %s", len(failed), passed+len(failed), strings.Join(failed, ", "))}
	}
	return nil
}

func censusTables(c *synth.Census) []report.Table {
	title := fmt.Sprintf("%s, split %s, %d tickets", c.Task.Name, c.Split, c.N)
	counts := report.Table{Name: c.Task.Name + " counts", Title: title, Columns: []report.Column{{Title: "What", Key: "what", Text: true},
		{Title: "Value", Key: "value", Text: true}, {Title: "Tickets", Key: "tickets"}, {Title: "Share", Key: "share", Places: 3}}}
	for _, k := range c.Kinds() {
		for _, v := range c.Values(k) {
			counts.Rows = append(counts.Rows, []report.Cell{k, v, c.Counts[k][v], c.Share(k, v)})
		}
	}
	texts := report.Table{Name: c.Task.Name + " texts", Columns: []report.Column{{Title: "Texts", Key: "what", Text: true}, {Title: "", Key: "value", Text: false, Places: 3}}}
	row := func(what string, v report.Cell) { texts.Rows = append(texts.Rows, []report.Cell{what, v}) }
	at := func(list []int, q float64) int { return list[int(q*float64(len(list)-1))] }
	for _, q := range []struct {
		name string
		at   float64
	}{{"shortest", 0}, {"median", 0.5}, {"95th percentile", 0.95}, {"longest", 1}} {
		row("words, "+q.name, at(c.Words, q.at))
		row("bytes, "+q.name, at(c.Bytes, q.at))
	}
	row("different texts", c.Texts)
	row("tickets with a near-duplicate", c.Near)
	for n := range c.Grams {
		row(fmt.Sprintf("different %d-grams, share of all", n+1), float64(c.Distinct[n])/float64(max(1, c.Grams[n])))
	}
	if c.Split == triage.Test {
		row(fmt.Sprintf("6-grams that occur in %d train tickets, share", synth.TrainSample), c.Seen)
	}
	predicts := report.Table{Name: c.Task.Name + " predictions", Columns: []report.Column{{Title: "Observed field", Key: "field", Text: true}, {Title: "Label", Key: "label", Text: true},
		{Title: "Accuracy", Key: "accuracy", Places: 3}, {Title: "Majority", Key: "majority", Places: 3}}}
	for _, p := range c.Predicts {
		predicts.Rows = append(predicts.Rows, []report.Cell{p.Field, p.Label, p.Accuracy, p.Majority})
	}
	return []report.Table{counts, texts, predicts}
}
