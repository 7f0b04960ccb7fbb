package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
)

// defaultResults is where runs are kept.
const defaultResults = "results"

type historyOptions struct {
	app            *App
	Results        string
	Agents         []string
	Keep           int
	prune, Yes     bool
	Format, Output string
}

func newHistoryCmd(app *App, run func(context.Context, *historyOptions) error) *cobra.Command {
	o := &historyOptions{app: app}
	cmd := &cobra.Command{Use: "history [FOLDER]", Short: "List the runs that are kept, and remove old ones",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usageError("%sone folder at most, there are %d", place(cmd), len(args))
			case len(args) == 1 && args[0] == "":
				return usageError("%sthe folder is empty: name one, or leave it out for %s", place(cmd), defaultResults)
			case len(args) == 1 && cmd.Flags().Changed("results"):
				return usageError("%sthe folder %s and --results %s are both given: give one", place(cmd), args[0], o.Results)
			}
			return nil
		},
		Long: `Lists the run folders below a folder, ` + defaultResults + ` if none is named, and the results files that lie in none: agents, scores, when they were finished, a digest of their
settings, and how far they came, which is counted from the episodes that are there. --format csv and json have everything: a row for each run, agent and task.

--keep N removes all but the newest N complete runs, of all or of those with --agent. It says what would go, and does so with --yes. What is not
complete or is damaged, has no date or one that is yet to come, cannot be read, or holds files that no run writes, is never removed.`,
		Example: `  triage history
  triage history other/results
  triage history --agent heuristic --format csv --output history.csv
  triage history --keep 20
  triage history --keep 20 --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Results = args[0]
			}
			formatByEnding(app, cmd, &o.Format, o.Output)
			o.prune = cmd.Flags().Changed("keep")
			switch {
			case o.prune && o.Keep < 1:
				return usageError("--keep %d is not allowed; allowed is 1 and more", o.Keep)
			case o.Yes && !o.prune:
				return usageError("--yes goes with --keep N")
			}
			return run(cmd.Context(), o)
		}}
	f := cmd.Flags()
	f.StringVar(&o.Results, "results", defaultResults, "`folder` of runs, as one that is named without a flag")
	f.StringArrayVar(&o.Agents, "agent", nil, "only runs with this `agent`; repeat it for several")
	intFlag(f, &o.Keep, "keep", 0, "remove all but so many of the newest complete runs")
	f.BoolVar(&o.Yes, "yes", false, "remove, and do not only say what would go")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print; csv and json have a row for each task")
	f.StringVar(&o.Output, "output", "", "`file` to write to in place of standard output")
	return cmd
}

func runHistory(_ context.Context, o *historyOptions) error {
	root, err := o.app.OpenExisting(o.Results)
	if err != nil {
		return fileProblem("open the folder of runs", o.Results, err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	all, err := history.NewScanner(root).Scan()
	if err != nil {
		return err
	}
	entries := o.choose(all)
	if len(entries) == 0 && len(all) > 0 {
		return usageError("no run in %s has the agent %s: there are %s%s", o.Results, strings.Join(o.Agents, " or "), historyAgents(all), o.agentMeant(all))
	}
	if o.prune {
		return o.pruneRuns(root, entries)
	}
	rep := &report.Report{Values: map[string]report.Cell{}}
	switch o.Format {
	case "csv":
		rep.Tables = []report.Table{historyTasks(entries, o.Agents)}
	case "json":
		rep.Tables = []report.Table{historyRuns(entries, o.Agents), historyTasks(entries, o.Agents)}
	default:
		rep.Tables = []report.Table{historyRuns(entries, o.Agents)}
	}
	if len(entries) == 0 {
		rep.Lines = []string{"There are no runs in " + o.Results + " yet: triage run --out " + filepath.Join(o.Results, "NAME") + " keeps one."}
	}
	return o.print(rep)
}

// choose gives the entries that have one of the agents, where some are named.
func (o *historyOptions) choose(all []*history.Entry) []*history.Entry {
	if len(o.Agents) == 0 {
		return all
	}
	var out []*history.Entry
	for _, e := range all {
		if slices.ContainsFunc(e.Agents, func(a string) bool { return slices.Contains(o.Agents, a) }) {
			out = append(out, e)
		}
	}
	return out
}

// mostAgents is how many agents a message names.
const mostAgents = 20

// historyAgents names the agents of entries, each once.
func historyAgents(all []*history.Entry) string {
	var names []string
	for _, e := range all {
		names = append(names, e.Agents...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch n := len(names); {
	case n == 0:
		return "none that can be read"
	case n > mostAgents:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostAgents], ", "), n-mostAgents)
	}
	return strings.Join(names, ", ")
}

// agentMeant is a hint for a mistyped agent, or empty where none is near or several are asked for.
func (o *historyOptions) agentMeant(all []*history.Entry) string {
	if len(o.Agents) != 1 {
		return ""
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Agents...)
	}
	return near.Hint(o.Agents[0], names)
}

// pruneRuns removes old runs, or says which would go.
func (o *historyOptions) pruneRuns(root *os.Root, entries []*history.Entry) error {
	remove, kept := history.Plan(entries, o.Keep, o.app.Now())
	t := report.Table{Name: "prune", Columns: []report.Column{{Title: "Run", Key: "run", Text: true}, {Title: "What", Key: "what", Text: true},
		{Title: "Why", Key: "why", Text: true, Width: 60}}}
	var failed error
	gone := 0
	for _, e := range remove {
		what := "would be removed"
		if o.Yes {
			what = "removed"
			if err := history.Remove(root, e); err != nil {
				failed = errors.Join(failed, err)
				what = "not removed"
			} else {
				gone++
			}
		}
		t.Rows = append(t.Rows, []report.Cell{e.Path, what, "finished " + historyDate(e) + "; kept are the newest " + strconv.Itoa(o.Keep)})
	}
	for _, k := range kept {
		t.Rows = append(t.Rows, []report.Cell{k.Entry.Path, "stays", k.Reason})
	}
	rep := &report.Report{Values: map[string]report.Cell{"removed": gone, "chosen": len(remove)}}
	if len(t.Rows) > 0 {
		rep.Tables = []report.Table{t}
	}
	switch {
	case len(remove) == 0:
		rep.Lines = []string{"Nothing is to be removed: there are no more than " + counted(o.Keep, "complete run") + "."}
	case o.Yes:
		rep.Lines = []string{"Removed " + counted(gone, "run") + "."}
	default:
		rep.Lines = []string{counted(len(remove), "run") + " would be removed: --yes does it."}
	}
	return errors.Join(failed, o.print(rep))
}

// print prints to standard output or into a file, as a whole.
func (o *historyOptions) print(rep *report.Report) error {
	format := report.Formats()[o.Format]
	if o.Output == "" {
		return format(o.app.Out, rep)
	}
	var buf bytes.Buffer
	if err := format(&buf, rep); err != nil {
		return err
	}
	root, err := o.app.openReport(o.Output, nil)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	return results.WriteFile(root, filepath.Base(o.Output), func(w io.Writer) error {
		_, err := w.Write(buf.Bytes())
		return err
	})
}
