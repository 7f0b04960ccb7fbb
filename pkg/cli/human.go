package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// agentHuman is the name of a person in tables and run folders, unless --name gives another.
const agentHuman = "human"

// humanOptions are the flags of triage play. The embedded options are those of the run that comes of it.
type humanOptions struct {
	playOptions

	Name     string
	Rivals   []string
	Sample   int
	Plain    bool
	Feedback bool
}

func newHumanCmd(app *App, run func(ctx context.Context, o *humanOptions) error) *cobra.Command {
	o := &humanOptions{playOptions: playOptions{app: app, Trials: 1, Progress: "off"}}
	cmd := &cobra.Command{
		Use: "play", Short: "Triage tickets yourself, in the terminal",
		Long: `You triage the tickets that agents get: your own (--tickets) or generated ones (--tasks), full-screen in a terminal, line by line
with --plain and where there is no terminal. You see no label, score or reason before the end, unless you ask for --feedback. With
--out each answer is kept at once in a run folder, in which you are the agent "human": every command that reads runs reads it. Leave
with q, go on with --resume. With --agents you see afterwards who agreed with whom.`,
		Example: `  triage play --tasks queue-hard --episodes 1 --out runs/me --agents heuristic,linear
  triage play --tickets tickets.jsonl --sample 100 --out runs/me
  triage play --tickets tickets.jsonl --sample 100 --out runs/me --resume`,
		Args: o.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.checkHuman(cmd.Flags()); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks to play (default queue-easy)")
	intFlag(f, &o.Episodes, "episodes", 0, "episodes a task (default 1 for queue tasks, 10 for desk tasks)")
	intFlag(f, &o.Seed, "seed", 42, "seed of the first episode, and of --sample, 0 to 9223372036854775807")
	choiceFlag(f, &o.Split, "split", string(triage.Test), names(triage.Splits()), "half of the bank that tickets come from, or side of the --tickets file")
	f.StringVar(&o.Bank, "bank", "", "`folder` of YAML scenarios to use in place of the public bank")
	f.StringVar(&o.SecretFile, "secret-file", "", "`file` with a secret that hides which tickets come (see triage secret)")
	f.StringVar(&o.Tickets, "tickets", "", "`file` of your own tickets to play in place of the bank: CSV, JSONL or what triage import writes")
	f.StringVar(&o.Map, "map", "", "which column is what, such as body=text,route=category; names other than id, subject and body are labels")
	f.StringVar(&o.LabelsFile, "labels-file", "", "YAML or JSON `file` with the allowed values of label columns and their order")
	intFlag(f, &o.Sample, "sample", 0, "of --tickets play that many, drawn by --seed, in the file's order; all by default")
	intFlag(f, &o.Limit, "limit", 0, "of --tickets play at most that many, from the first")
	f.StringVar(&o.Out, "out", "", "run `folder` in which each answer is kept at once")
	f.BoolVar(&o.Resume, "resume", false, "go on with the run in the folder given by --out")
	f.StringVar(&o.Name, "name", agentHuman, "what you are called in tables and in the run folder")
	f.StringSliceVar(&o.Rivals, "agents", nil, "agents that answer the same tickets afterwards, to see who agreed ("+agentNames()+", linear:FILE, exec:COMMAND, http:URL)")
	f.BoolVar(&o.Yes, "yes", false, "send the texts of --tickets to --agents at addresses on other machines without asking")
	f.BoolVar(&o.Plain, "plain", false, "line by line: answers are read from standard input, for scripts and screen readers")
	f.BoolVar(&o.Feedback, "feedback", false, "show after each answer how it was graded; nothing can be taken back then")
	f.BoolVar(&o.NoMeta, "no-meta", false, "leave time, duration and version out of results files, so that equal runs give equal bytes")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print the scores at the end")
	return cmd
}

// checkHuman refuses flags that mean nothing or do not go together.
func (o *humanOptions) checkHuman(f *pflag.FlagSet) error {
	switch {
	case o.Seed < 0:
		return usageError("--seed %d is not allowed; allowed is 0 to %d", o.Seed, triage.MaxSeed)
	case o.Episodes < 0 || f.Changed("episodes") && o.Episodes == 0:
		return usageError("--episodes %d is not allowed; allowed is 1 and more", o.Episodes)
	case o.Sample < 0 || f.Changed("sample") && o.Sample == 0:
		return usageError("--sample %d is not allowed; allowed is 1 and more", o.Sample)
	case o.Limit < 0 || f.Changed("limit") && o.Limit == 0:
		return usageError("--limit %d is not allowed; allowed is 1 and more", o.Limit)
	case o.Limit > 0 && o.Sample > 0:
		return usageError("--limit does not go with --sample, which draws from all tickets")
	case strings.HasPrefix(o.Out, "-"):
		return usageError("--out %s looks like a flag: name a folder, with ./ before it if it is really called so", o.Out)
	case o.Resume && o.Out == "":
		return usageError("--resume needs the run's folder: --out DIR")
	}
	no, needed := []string{"tasks", "episodes", "bank", "secret-file"}, "does not go with --tickets: the tickets are the file's"
	if o.Tickets == "" {
		no, needed = []string{"map", "labels-file", "sample", "limit"}, "goes with --tickets FILE"
	}
	for _, name := range no {
		if o.given[name] {
			return usageError("--%s %s", name, needed)
		}
	}
	return o.checkNames()
}

// checkNames refuses a name that is an agent's, and agents that are not played beside a person.
func (o *humanOptions) checkNames() error {
	key := triage.Key{Agent: o.Name, Task: "queue-easy"}
	if _, err := agent.New(o.Name); err == nil || isOutside(o.Name) || isLinear(o.Name) || o.Name == agentLLM {
		return usageError("--name %s is an agent's: take another one", o.Name)
	}
	if err := key.Validate(); err != nil || len(o.Name) > longestName || plainLine(o.Name) != o.Name || strings.Contains(o.Name, ",") {
		return usageError("--name %q is no name: allowed are 1 to %d bytes without commas and control characters", o.Name, longestName)
	}
	if _, _, ok := agent.CutPerturbed(o.Name); ok {
		return usageError("--name %s: names that end so are those of perturbed agents", o.Name)
	}
	for _, r := range o.Rivals {
		if r == agentLLM {
			return usageError("--agents llm: a model's answers cost money; play it with `triage run` and compare with `triage agreement`")
		}
	}
	return nil
}

// fullScreen gives the terminal's input where the session can be shown full-screen.
func (o *humanOptions) fullScreen() (*os.File, bool) {
	in, ok := o.app.In.(*os.File)
	if o.Plain || !ok || !o.app.ErrTerminal || !isTerminal(in) {
		return nil, false
	}
	term, _ := o.app.LookupEnv("TERM")
	return in, term != "dumb"
}
