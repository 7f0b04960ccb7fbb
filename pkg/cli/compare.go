package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/triage"
)

// compareOptions are what `compare` works on.
type compareOptions struct {
	app *App
	// given are the flags that stand on the command line.
	given map[string]bool

	Inputs, Agents              []string
	Allow                       []string
	Moved                       int
	Show                        string
	Tasks, Difficulties, Tracks []string
	Format, Output              string
	gating
	AA bool
}

// gating are the flags about gates, which compare and baseline share.
type gating struct {
	Gates        []string
	Inconclusive string
	AsSample     bool
	gates        []compare.Gate
}

// What an inconclusive gate does to the exit code.
const (
	inconclusiveFail = "fail"
	inconclusiveWarn = "warn"
)

// showAll shows all tickets that moved.
const showAll = "all"

// defaultMoved is how many tickets that moved are shown of each task, mostMoved how many may be asked for.
const (
	defaultMoved = 5
	mostMoved    = 10_000
)

func newCompareCmd(app *App, run func(context.Context, *compareOptions) error) *cobra.Command {
	o := &compareOptions{app: app}
	cmd := &cobra.Command{
		Use: "compare BASE [NEW…]", Short: "Hold runs against each other, ticket by ticket, and gate on the difference",
		Long: `Compares results files, run folders and stored results by name: per task and over all both means, their difference
with its 95 % interval, p, tickets fixed and broken, parts, and the tickets that moved most (of a ranking only with --moved).
What was played under another generator, grader, split, secret, bank or settings is refused unless --allow names it. Three
runs and more are ranked. A folder holds a side for each of its agents; one folder alone is compared with itself, its first
agent as base. - reads a results file from standard input.

Stored results:
` + indented(storedNames()) + `

A gate is [TASK|TRACK|each.]METRIC [drop|rise] OP NUMBER, or identical. It passes or is a regression (exit code 1) only where
the 95 % interval lies wholly on one side of the margin; otherwise it is inconclusive (exit code 5). Without a gate the exit
code is 0 whatever the difference. docs/compare.md explains how to read the tables.`,
		Example: `  triage compare heuristic results/first
  triage compare results/base results/new --gate 'score drop <= 0.05' --gate 'errors == 0'
  triage compare results/first --agent heuristic --agent keyword --format markdown
  triage compare constant keyword heuristic oracle`,
		Args: func(cmd *cobra.Command, args []string) error {
			o.given = map[string]bool{}
			cmd.Flags().Visit(func(f *pflag.Flag) { o.given[f.Name] = true })
			o.Inputs = args
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			formatByEnding(app, cmd, &o.Format, o.Output)
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.Agents, "agent", nil, "`agent` of the runs to compare; repeat it for several, in one run the first as base (default: all)")
	o.bind(f)
	f.BoolVar(&o.AA, "aa", false, "check the gates themselves: the runs are repeats of one agent, so that no pair may be a regression")
	f.StringArrayVar(&o.Allow, "allow", nil, "`key` that may differ, such as generator or settings.temperature; repeat it for several")
	intFlag(f, &o.Moved, "moved", defaultMoved, "tickets that moved to show of each task")
	choiceFlag(f, &o.Show, "show", showAll, []string{showAll, report.ShowWorse, report.ShowBetter}, "which of the tickets that moved to show")
	listFlag(f, &o.Tasks, "tasks", taskNames(), "tasks to compare; all by default")
	listFlag(f, &o.Difficulties, "difficulties", names(triage.Difficulties()), "difficulties to compare; all by default")
	listFlag(f, &o.Tracks, "track", names(triage.Tracks()), "tracks to compare; both by default")
	choiceFlag(f, &o.Format, "format", "table", compareFormats(), "how to print")
	f.StringVar(&o.Output, "output", "", "`file` to write the report to; the verdicts are still printed")
	return cmd
}

// bind adds the flags about gates.
func (g *gating) bind(f *pflag.FlagSet) {
	f.StringArrayVar(&g.Gates, "gate", nil, "`expression` that has to hold, such as 'score drop <= 0.05'; repeat it for several")
	choiceFlag(f, &g.Inconclusive, "inconclusive", inconclusiveFail, []string{inconclusiveFail, inconclusiveWarn}, "what a gate that these tickets cannot decide does: exit code 5, or a warning")
	f.BoolVar(&g.AsSample, "as-sample", false, "take deterministic agents for a sample too: a drop counts by its interval, not each changed byte")
}

// parse reads the gates.
func (g *gating) parse() error {
	g.gates = nil
	for _, text := range g.Gates {
		gate, err := compare.ParseGate(text)
		if err != nil {
			return usageError("%v", err)
		}
		g.gates = append(g.gates, gate)
	}
	return nil
}

// check refuses what means nothing, and reads the gates. What a file or variable sets for other commands has no effect where it
// does not belong.
func (o *compareOptions) check(cmd *cobra.Command) error {
	if len(o.Inputs) == 0 {
		return usageError("%snames nothing to compare: it takes results files, run folders and names of stored results; see `%s --help`", place(cmd), cmd.CommandPath())
	}
	if o.Moved < 0 || o.Moved > mostMoved {
		return usageError("--moved %d is not allowed; allowed is 0 to %d", o.Moved, mostMoved)
	}
	if len(o.Gates) == 0 {
		for _, name := range []string{"inconclusive", "as-sample", "aa"} {
			if o.given[name] {
				return usageError("--%s goes with --gate EXPRESSION", name)
			}
		}
		if o.Format == formatJUnit {
			return usageError("--format %s has a case a gate: it goes with --gate EXPRESSION", formatJUnit)
		}
		o.AA = false
	}
	if o.AA && comparisonFormats()[o.Format] != nil {
		return usageError("--aa does not go with --format %s; it goes with %s", o.Format, strings.Join(report.FormatNames(), ", "))
	}
	stdin := 0
	for _, in := range o.Inputs {
		switch {
		case in == "":
			return usageError("%san argument is empty: an input is a results file, a run folder or the name of stored results", place(cmd))
		case in == "-":
			stdin++
		case o.Output != "" && filepath.Clean(in) == filepath.Clean(o.Output):
			return usageError("--output %s is what is compared: name another file", o.Output)
		}
	}
	if stdin > 1 {
		return usageError("- stands for standard input, which can be read once")
	}
	return o.parse()
}

// wants tells whether the flags choose a task. Imported tickets are of neither track.
func (o *compareOptions) wants(t triage.Task) bool {
	has := func(list []string, v string) bool {
		for _, x := range list {
			if x == v {
				return true
			}
		}
		return len(list) == 0
	}
	return has(o.Tasks, t.Name) && has(o.Difficulties, string(t.Difficulty)) && has(o.Tracks, string(t.Track))
}

// indented is a list of names for help, as many on a line as there is room for.
func indented(names []string) string {
	const width = 100
	var b strings.Builder
	line := " "
	for i, n := range names {
		if i < len(names)-1 {
			n += ","
		}
		if len(line)+1+len(n) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + n
	}
	return b.String() + line
}
