package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// The formats of runs beside those of every table; formatJUnit and formatGitHub are those of comparisons too.
const (
	formatTable, formatMarkdown, formatJSON = "table", "markdown", "json"
	formatCSV, formatJSONL                  = "csv", "jsonl"
	formatHTML                              = "html"
	formatChat                              = "chat"
	formatInspect                           = "inspect"
)

// reportFormats are the formats of runs, in the order of help.
func reportFormats() []string {
	return []string{formatTable, formatMarkdown, formatJSON, formatCSV, formatJSONL, formatJUnit, formatHTML, formatGitHub, formatChat, formatInspect}
}

// sumsUp tells whether a format needs no single tickets, so that a results file is enough.
func sumsUp(format string) bool {
	return slices.Contains([]string{formatTable, formatMarkdown, formatJSON, formatGitHub}, format)
}

// reportOptions are what `report` is asked for.
type reportOptions struct {
	app                                 *App
	Runs                                []string
	Agents, Tasks, Difficulties, Tracks []string
	Format, Output                      string
	BOM                                 bool    // csv
	FailBelow                           float64 // junit; 0 for what is not right
	Replies                             bool    // chat
	Pairs                               bool    // chat
	MinGap                              float64 // pairs
	MaxPairs                            int     // pairs
	costs                               costOptions
}

func newReportCmd(app *App, run func(context.Context, *reportOptions) error) *cobra.Command {
	o := &reportOptions{app: app}
	var below, gap string
	cmd := &cobra.Command{Use: "report RUN...", Short: "Print runs as tables, pages, and files for other programs",
		Long: `Takes run folders (triage run --out DIR) and prints what they hold. table, markdown and json sum up, as triage run
does; github is a step summary; html is a page for people. csv and jsonl have a row a ticket, junit a case, chat a
conversation an episode for training, inspect a log that inspect view opens. For table, markdown, json and github a RUN may
be a results file too; - is an episodes.jsonl on standard input. A run that goes on or was interrupted is reported as far
as it is.`,
		Example: `  triage report results/first
  triage report results/first --format csv --output tickets.csv
  triage report results/first results/second --format chat --pairs --output pairs.jsonl
  triage report results/first --format inspect --output logs`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%stakes run folders, results files, or -; see `%s --help`", place(cmd), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Runs = args
			formatByEnding(app, cmd, &o.Format, o.Output)
			if err := o.numbers(below, gap); err != nil {
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		}}
	f := cmd.Flags()
	choiceFlag(f, &o.Format, "format", formatTable, reportFormats(), "how to print")
	f.StringVar(&o.Output, "output", "", "`file` to write to in place of standard output; a folder for several logs of inspect")
	f.StringArrayVar(&o.Agents, "agent", nil, "only this `agent`; repeat it for several")
	listFlag(f, &o.Tasks, "tasks", taskNames(), "only these tasks")
	listFlag(f, &o.Difficulties, "difficulties", names(triage.Difficulties()), "only these difficulties")
	listFlag(f, &o.Tracks, "track", names(triage.Tracks()), "only these tracks")
	f.BoolVar(&o.BOM, "bom", false, "csv: begin with a byte order mark, from which Excel knows that it is UTF-8")
	f.StringVar(&below, "fail-below", "", "junit: a ticket fails if its `score` is under this, above 0 to 1 (default: if it is not right)")
	f.BoolVar(&o.Replies, "replies", false, "chat: what models wrote, as it came, in place of the actions that were read from it")
	f.BoolVar(&o.Pairs, "pairs", false, "chat: pairs of a better and a worse answer to the same ticket, for training on preferences")
	f.StringVar(&gap, "min-gap", "", "pairs: the least difference of scores, above 0 to 1 (default: any)")
	o.costs.bind(f)
	intFlag(f, &o.MaxPairs, "max-pairs", 1, "pairs: how many of one ticket, those that differ most first; 0 for all")
	return cmd
}

// numbers reads the numbers that are shares.
func (o *reportOptions) numbers(below, gap string) error {
	for _, x := range []struct {
		flag, text string
		to         *float64
	}{{"--fail-below", below, &o.FailBelow}, {"--min-gap", gap, &o.MinGap}} {
		if x.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(x.text, 64)
		if err != nil || !(v > 0 && v <= 1) {
			return usageError("%s %q is not allowed; allowed is a number above 0 and up to 1", x.flag, x.text)
		}
		*x.to = v
	}
	return nil
}

// check refuses what does not go together.
func (o *reportOptions) check(cmd *cobra.Command) error {
	for _, x := range []struct {
		flag, format string
		pairs        bool
	}{{"bom", formatCSV, false}, {"fail-below", formatJUnit, false}, {"replies", formatChat, false}, {"pairs", formatChat, false},
		{"min-gap", formatChat, true}, {"max-pairs", formatChat, true}} {
		switch {
		case !cmd.Flags().Changed(x.flag):
		case o.Format != x.format:
			return usageError("--%s goes with --format %s, not %s", x.flag, x.format, o.Format)
		case x.pairs && !o.Pairs:
			return usageError("--%s goes with --pairs", x.flag)
		}
	}
	switch {
	case o.costs.Matrix != "" && o.Format != formatHTML && !sumsUp(o.Format):
		return usageError("--cost-matrix goes with --format table, markdown, json, github or html, not %s, which has single tickets (triage run and triage score print costs as csv)", o.Format)
	case o.Pairs && o.Replies:
		return usageError("--pairs takes the actions that were read: it does not go with --replies")
	case o.MaxPairs < 0:
		return usageError("--max-pairs %d is not allowed; allowed is 0 and more", o.MaxPairs)
	case strings.HasPrefix(o.Output, "-"):
		return usageError("--output %s looks like a flag: name a file, with ./ before it if it is really called so", o.Output)
	}
	for i, r := range o.Runs {
		if slices.Contains(o.Runs[:i], r) {
			return usageError("%s is given twice", r)
		}
	}
	return nil
}

// keeps tells whether an episode is asked for. Imported tickets are of no task, difficulty or track.
func (o *reportOptions) keeps(k triage.Key) bool {
	if len(o.Agents) > 0 && !slices.Contains(o.Agents, k.Agent) {
		return false
	}
	if len(o.Tasks)+len(o.Difficulties)+len(o.Tracks) == 0 {
		return true
	}
	t, err := triage.TaskByName(k.Task)
	has := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	return err == nil && has(o.Tasks, t.Name) && has(o.Difficulties, string(t.Difficulty)) && has(o.Tracks, string(t.Track))
}

// filters are the flags that choose episodes, as they were given.
func (o *reportOptions) filters() string {
	var out []string
	for _, a := range o.Agents {
		out = append(out, "--agent "+a)
	}
	for _, x := range []struct {
		flag string
		list []string
	}{{"--tasks", o.Tasks}, {"--difficulties", o.Difficulties}, {"--track", o.Tracks}} {
		if len(x.list) > 0 {
			out = append(out, x.flag+" "+strings.Join(x.list, ","))
		}
	}
	return strings.Join(out, " ")
}

func runReport(ctx context.Context, o *reportOptions) error {
	if err := o.costs.open(o.app); err != nil {
		return err
	}
	out, err := o.openOutput() // before the work: a path that cannot be written is known at once
	if err != nil {
		return err
	}
	defer out.close()
	runs, err := o.open()
	defer func() {
		for _, r := range runs {
			r.close()
		}
	}()
	if err != nil {
		return err
	}
	if err := o.knownAgents(runs); err != nil {
		return err
	}
	if err := o.writeRuns(ctx, runs, out); err != nil {
		return err
	}
	for _, r := range runs {
		r.tell(o.app)
	}
	return nil
}

// tableFormat is the format of a report of tables.
func (o *reportOptions) tableFormat() report.Format { return report.Formats()[o.Format] }
