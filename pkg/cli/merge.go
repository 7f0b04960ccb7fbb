package cli

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

type mergeOptions struct {
	app     *App
	Folders []string
	Out     string
	Format  string
}

func newMergeCmd(app *App, run func(context.Context, *mergeOptions) error) *cobra.Command {
	o := &mergeOptions{app: app}
	cmd := &cobra.Command{Use: "merge DIR...", Short: "Put the shards of a run together",
		Long: `Takes the run folders of all shards (triage run --shard i/n --out DIR) and writes one with the episodes in the plan's
order: the same bytes as those of a run without shards. Floors are not played again.`,
		Example: `  triage run --agent heuristic --shard 1/2 --out results/one
  triage run --agent heuristic --shard 2/2 --out results/two
  triage merge results/one results/two --out results/whole`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s takes the run folders of all shards", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folders = args
			if o.Out == "" {
				return usageError("--out DIR is missing: where to write the whole run")
			}
			return run(cmd.Context(), o)
		}}
	cmd.Flags().StringVar(&o.Out, "out", "", "`folder` to write the whole run to")
	choiceFlag(cmd.Flags(), &o.Format, "format", "table", report.FormatNames(), "how to print")
	return cmd
}

func runMerge(_ context.Context, o *mergeOptions) error {
	var folders []*os.Root
	defer func() {
		for _, f := range folders {
			_ = f.Close() // handles of folders: nothing is lost
		}
	}()
	for _, name := range o.Folders {
		if _, err := o.app.ReadFile(name + "/" + results.RunFile); err != nil {
			return fileProblem("read run", name+"/"+results.RunFile, err)
		}
		root, err := o.app.OpenRoot(name)
		if err != nil {
			return err
		}
		folders = append(folders, root)
	}
	into, err := o.app.OpenRoot(o.Out)
	if err != nil {
		return err
	}
	folders = append(folders, into)
	records := map[string]map[string][]results.Record{}
	settings, err := results.Merge(into, folders[:len(folders)-1], nil, func(ep *results.Logged) error {
		if records[ep.Key.Agent] == nil {
			records[ep.Key.Agent] = map[string][]results.Record{}
		}
		records[ep.Key.Agent][ep.Key.Task] = append(records[ep.Key.Agent][ep.Key.Task], results.RecordOf(ep.Episode()))
		return nil
	})
	if err != nil {
		return err
	}
	seed, err := strconv.ParseInt(settings["seed"], 10, 64)
	if err != nil {
		return usageError("%s: shards of imported tickets cannot be merged: their labels are in the tickets' file", o.Folders[0])
	}
	rep := report.Report{Values: map[string]report.Cell{"run": o.Out}}
	var agents []agentResult
	for _, name := range strings.Split(settings["agents"], ",") {
		a := agentResult{Agent: name}
		for _, t := range triage.Tasks() {
			if list, ok := records[name][t.Name]; ok {
				s := results.Summarize(t, list)
				s.Floor = &results.Floor{Reason: "merged from shards: floors are not played again", Score: math.NaN()}
				a.Tasks = append(a.Tasks, s)
			}
		}
		agents = append(agents, a)
		out := results.Results{Generator: settings["generator"], Seed: seed, Split: triage.Split(settings["split"]), Secret: settings["secret"],
			Bank: settings["bank"], Agent: name, Tasks: a.Tasks}
		if err := results.WriteFile(into, resultsFile(name), out.Write); err != nil {
			return err
		}
	}
	rep.Tables = scoreTables(agents, settings["split"], seed)
	rep.Lines = append(overallLines(agents, rep.Values), "Run: "+o.Out)
	return report.Formats()[o.Format](o.app.Out, &rep)
}
