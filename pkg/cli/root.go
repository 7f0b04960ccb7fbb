package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/config"
	"github.com/triagebench/triage/pkg/lazyregexp"
)

// Main runs the program with its arguments (without its name) and gives the exit code.
func Main(ctx context.Context, app *App, args []string) int {
	root := newRoot(app)
	root.SetArgs(joinLists(root, args))
	err := root.ExecuteContext(ctx)
	complain(app.Err, err)
	return exitCode(ctx, err)
}

// asksVersion tells whether it is the program itself that runs, with --version.
func asksVersion(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("version")
	return !cmd.HasParent() && f != nil && f.Value.String() == "true"
}

// newRoot builds the command tree: a line a command.
func newRoot(app *App) *cobra.Command {
	root := &cobra.Command{
		Use:   "triage",
		Short: "Benchmark and environments for agents that triage support tickets",
		Long: `triage makes realistic support tickets from a seed, plays an agent through them, grades every decision against a
written handbook, and reports scores that are the same, byte for byte, wherever the same command runs.`,
		Example: `  triage baseline --difficulties easy medium hard --seed 42
  triage run --agent heuristic --agent keyword --tasks queue-hard --episodes 50
  triage tickets show queue-hard 42 3`,
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asksVersion(cmd) {
				_, err := io.WriteString(app.Out, versionText(app))
				return err
			}
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	root.SetFlagErrorFunc(flagError)
	// cobra's own flag prints another text, and setting a template links text/template, which keeps every method of every type
	root.Flags().BoolP("version", "v", false, "version for triage")
	root.PersistentFlags().String("config", "", "YAML `file` of settings: flag names and values, for all commands or under a command's name")
	root.PersistentFlags().Bool("print-config", false, "print the settings and where each comes from, and do nothing")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if asksVersion(cmd) { // whatever the settings are
			return nil
		}
		if err := refuseEmpty(cmd); err != nil {
			return err
		}
		return applySettings(app, cmd)
	}
	root.AddCommand(
		newBaselineCmd(app, runBaseline), newRunCmd(app, runRun), newMergeCmd(app, runMerge), newScoreCmd(app, runScore), newCompareCmd(app, runCompare), newReportCmd(app, runReport), newAuditCmd(app, runAudit), newServeCmd(app, runServe), newHealthCmd(app, runHealth), newFakeLLMCmd(app, runFakeLLM), newDoctorCmd(app, runDoctor), newHistoryCmd(app, runHistory), newViewCmd(app, runView),
		newValidateCmd(app, runValidate), newTicketsCmd(app), newImportCmd(app, runImport), newTrainCmd(app, runTrain), newExplainCmd(app, runExplain), newListCmd(app), newSecretCmd(app), newHandbookCmd(app), newHumanCmd(app, runHuman), newAgreementCmd(app, runAgreement), newVersionCmd(app),
	)
	root.SetHelpCommand(newHelpCmd(root))
	root.InitDefaultCompletionCmd()
	describeCompletion(root)
	return root
}

// flagError says which command does not know a flag. A mistyped command comes first: its flags are unknown to the command
// that stands above it.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return unknownCommand(cmd, cmd.Flags().Arg(0))
	}
	return usageError("%s%s; see `%s --help`", place(cmd), plainly(err), cmd.CommandPath())
}

// badNumber is how the flag library says that a number or a truth is none, badDuration that a duration is.
var (
	badNumber   = lazyregexp.New(`^invalid argument (".*") for "(.*)" flag: (?:".*" is (not an integer|out of range)|strconv\.ParseBool.*)$`)
	badDuration = lazyregexp.New(`^invalid argument (".*") for "(.*)" flag: time: .*$`)
)

// plainly says a flag's mistake without the names of functions.
func plainly(err error) string {
	if m := badDuration.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Sprintf("%s %s is %s", m[2], m[1], config.NoDuration)
	}
	m := badNumber.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return err.Error()
	case m[3] == "":
		return fmt.Sprintf("%s %s is not true or false", m[2], m[1])
	}
	return fmt.Sprintf("%s %s is %s", m[2], m[1], m[3])
}

// place begins a message with the command that it is about; the program's own name stands before all messages.
func place(cmd *cobra.Command) string {
	if name := commandName(cmd); name != "" {
		return name + ": "
	}
	return ""
}

// newHelpCmd is cobra's help command, but a topic that does not exist is an error.
func newHelpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "help [command]", Short: "Help about any command", Example: "  triage help run\n  triage help tickets show",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 && cmd.HasSubCommands() {
				return unknownCommand(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		}}
}

// describeCompletion gives cobra's commands examples, and refuses a shell that there is not.
func describeCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Example, c.Args, c.RunE = "  triage completion bash > /etc/bash_completion.d/triage", cobra.ArbitraryArgs, subcommands
		for _, shell := range c.Commands() {
			shell.Example = "  triage completion " + shell.Name()
		}
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	names := make([]string, 0, len(cmd.Commands()))
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", strings.Join(s, " or "))
	}
	return usageError("unknown command %q: the commands are %s%s", name, strings.Join(names, ", "), hint)
}

// refuseEmpty refuses flags that are given without a value: an empty variable of a script must not take away the secret or
// the bank that a run was to have.
func refuseEmpty(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && isEmpty(f.Value.String()) {
			err = usageError("%s--%s is given without a value", place(cmd), f.Name)
		}
	})
	return err
}

// isEmpty tells whether a flag's value is none, or an empty list.
func isEmpty(value string) bool { return value == "" || value == "[]" }

// applySettings merges default < config file < environment < flag.
func applySettings(app *App, cmd *cobra.Command) error {
	name, err := cmd.Flags().GetString("config")
	if err != nil {
		return err
	}
	if v, ok := app.LookupEnv("TRIAGE_CONFIG"); ok && name == "" {
		if v == "" {
			return usageError("variable TRIAGE_CONFIG is empty: set it or unset it")
		}
		name = v
	}
	source := config.Source{Lookup: app.LookupEnv, Environ: app.Environ(), Command: commandName(cmd), Commands: knownFlags(cmd.Root())}
	if name != "" {
		if source.File, err = app.ReadFile(name); err != nil {
			return fileProblem("read settings", name, err)
		}
		source.Name = name
	}
	settings, warnings, err := config.Apply(cmd.Flags(), source)
	if err != nil {
		return usageError("%v", err)
	}
	for _, w := range warnings {
		app.warn("%s", w)
	}
	for _, s := range settings {
		if (strings.HasPrefix(s.From, "variable ") || strings.HasPrefix(s.From, "file ")) && isEmpty(cmd.Flags().Lookup(s.Name).Value.String()) {
			return usageError("%s: %s is empty: give it a value or leave it out", s.From, s.Name)
		}
	}
	if show, err := cmd.Flags().GetBool("print-config"); err != nil || !show {
		return err
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		return config.Print(app.Out, settings)
	}
	return nil
}

// commandName is the command's path without the program's name, such as "tickets show".
func commandName(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	return name
}

// knownFlags maps each command's path to its flags.
func knownFlags(root *cobra.Command) map[string][]string {
	out := map[string][]string{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		out[commandName(c)] = config.FlagNames(c.LocalFlags())
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return out
}
