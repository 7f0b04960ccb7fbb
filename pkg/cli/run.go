package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/results"
)

func join(list []string) string { return strings.Join(list, ", ") }

func newRunCmd(app *App, run playFunc) *cobra.Command {
	o := &playOptions{app: app}
	cmd := &cobra.Command{
		Use: "run", Short: "Play agents through tasks, or through your own tickets",
		Args: o.noArgs,
		Long: `Plays agents × tasks × seeds, or the tickets of a file (--tickets), and prints the scores. With --out every episode is
kept: journal.jsonl grows as episodes finish, episodes.jsonl has them in the order of the plan when the run ends, also
after an interruption; --resume goes on. --shard plays every n-th episode; triage merge puts the shards together.`,
		Example: `  triage run --agent heuristic --agent keyword --tasks queue-hard desk-hard --episodes 50 --out results/first
  triage run --agent heuristic --only queue-hard:42:3 --out results/one
  triage run --tickets tickets.csv --map body=text,route=category --agent constant`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if err := o.agree(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	o.Agents = []string{"heuristic"}
	f.Var(&agentList{values: &o.Agents}, "agent", "`agent` to play; repeat it for several ("+agentNames()+", linear:FILE, llm, exec:COMMAND, http:URL)")
	o.bind(cmd)
	intFlag(f, &o.Limit, "limit", 0, "play at most that many episodes of each agent and task")
	f.StringSliceVar(&o.Only, "only", nil, "play only this episode or ticket: `TASK:SEED[:POSITION]`; repeat it for several")
	f.StringVar(&o.Shard, "shard", "", "play every n-th episode: `i/n`")
	f.StringVar(&o.Tickets, "tickets", "", "`file` of your own tickets to play in place of the bank: CSV, JSONL or what triage import writes")
	f.StringVar(&o.Map, "map", "", "which column is what, such as body=text,route=category; names other than id, subject and body are labels")
	f.StringVar(&o.LabelsFile, "labels-file", "", "YAML or JSON `file` with the allowed values of label columns and their order")
	f.StringVar(&o.Train, "train", "", "`file` from which the majority floor is counted, its train side where it has sides; the tickets' own file by default")
	f.BoolVar(&o.Strict, "strict", false, "stop at the first bad row of the tickets' file")
	f.BoolVar(&o.Yes, "yes", false, "send the texts of --tickets to models and addresses on other machines without asking")
	f.BoolVar(&o.Check, "check", false, "exit with 1 if a target is missed")
	return cmd
}

// noArgs remembers which flags stand on the command line: files and variables are read later.
func (o *playOptions) noArgs(cmd *cobra.Command, args []string) error {
	o.given = map[string]bool{}
	cmd.Flags().Visit(func(f *pflag.Flag) { o.given[f.Name] = true })
	return noArgs(cmd, args)
}

// agree refuses flags that do not go together. What a file or variable sets for other runs has no effect where it does not
// belong.
func (o *playOptions) agree() error {
	refuse := func(format string, names ...string) error {
		for _, name := range names {
			if o.given[name] {
				return usageError(format, name)
			}
		}
		return nil
	}
	if len(o.Agents) == 0 {
		return usageError("no agent is named; the agents are %s", agentNames())
	}
	switch {
	case o.Tickets != "":
		if err := refuse("--%s does not go with --tickets: the tickets are the file's",
			"tasks", "difficulties", "track", "episodes", "only", "seed", "bank", "secret-file"); err != nil {
			return err
		}
		if err := refuse("--%s does not go with --tickets: imported tickets have no target", "check"); err != nil {
			return err
		}
		if err := refuse("--%s does not go with --tickets: solved tickets come from the bank", "few-shot"); err != nil {
			return err
		}
		o.Only, o.Check, o.model.FewShot = nil, false, 0
	case len(o.Only) > 0:
		if err := refuse("--%s does not go with --only, which names the episodes", "tasks", "difficulties", "track", "episodes",
			"seed", "limit"); err != nil {
			return err
		}
		o.Tasks, o.Difficulties, o.Tracks, o.Limit = nil, nil, nil, 0
	}
	if o.Tickets == "" {
		return refuse("--%s goes with --tickets FILE", "map", "labels-file", "train", "strict", "yes")
	}
	return nil
}

func runRun(ctx context.Context, o *playOptions) error {
	p, err := o.prepare()
	if err != nil {
		return err
	}
	return p.run(ctx, func(r *playResult) error { return r.writeFolder() })
}

// longestName is how long the name of a results file may be before it is cut: systems take 255 bytes.
const longestName = 120

// resultsFiles are the results files of the agents of a run folder. Names that are the same or too long as names of files end
// in a digest.
func resultsFiles(agents []string) []string {
	count := map[string]int{}
	for _, a := range agents {
		count[strings.ToLower(resultsFile(a))]++ // some systems take upper and lower case for the same
	}
	out := make([]string, len(agents))
	for i, a := range agents {
		out[i] = resultsFile(a)
		if count[strings.ToLower(out[i])] > 1 || len(out[i]) > longestName {
			stem := strings.TrimSuffix(out[i], ".json")
			out[i] = stem[:min(len(stem), longestName)] + "-" + digestOfTexts([]string{a}) + ".json"
		}
	}
	return out
}

// resultsFile is the plain name of the results file of an agent in a run folder.
func resultsFile(agent string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, agent)
	return fmt.Sprintf("%s%s%s", results.ResultsPrefix, clean, results.ResultsSuffix)
}

// writeFolder writes a results file an agent into the run folder, if there is one.
func (r *playResult) writeFolder() error {
	if r.options.Out == "" {
		return nil
	}
	root, err := r.options.app.OpenRoot(r.options.Out)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	names := make([]string, len(r.agents))
	for i := range r.agents {
		names[i] = r.agents[i].Agent
	}
	for i, name := range resultsFiles(names) {
		if err := r.writeFile(root, name, i); err != nil {
			return err
		}
	}
	r.say("Run: %s (%s, results-<agent>.json)", r.options.Out, results.EpisodesFile)
	r.values["run"] = r.options.Out
	return nil
}
