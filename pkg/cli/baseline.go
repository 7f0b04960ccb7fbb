package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

type playFunc func(context.Context, *playOptions) error

func newBaselineCmd(app *App, run playFunc) *cobra.Command {
	o := &playOptions{app: app}
	cmd := &cobra.Command{
		Use: "baseline", Short: "Play an agent through both tracks and write its results", Args: o.noArgs,
		Long: `Plays an agent through the tasks of both tracks and prints a table a track: scores with 95 % intervals (which
tickets were drawn and how the agent varies from play to play), the floor (the best of the agents that do not read), the
target and whether it is reached. The results file is the same, byte for byte, wherever the same command runs, but for its meta
block, which --no-meta leaves out.

With --against the results are then held against a results file, a run folder or stored results, as triage compare does, on
the tasks that are played and the gates of --gate. Without --gate an agent whose answers depend on nothing but the ticket
has to give the same bytes wherever both played (score drop <= 0); of others the score may not drop by more than 0.05, and
no episode may break. The exit code is that of what is worst: 3 where more episodes broke than --max-errors allows, as
then nothing else can be trusted, else 1 for a regression or a missed target, else 5.`,
		Example: `  triage baseline --difficulties easy medium hard --seed 42
  triage baseline --agent keyword --track queue --episodes 100 --no-meta
  triage baseline --check --output baseline_results.json
  triage baseline --no-meta --against heuristic`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if err := o.against.check(o); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	var agent string
	cmd.Flags().StringVar(&agent, "agent", "heuristic", "agent to play ("+agentNames()+", llm, exec:COMMAND, http:URL)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		o.Agents = []string{agent}
		return nil
	}
	o.bind(cmd)
	cmd.Flags().StringVar(&o.Output, "output", "baseline_results.json", "results `file`")
	cmd.Flags().BoolVar(&o.Check, "check", false, "exit with 1 if a target is missed")
	o.against.bind(cmd.Flags())
	return cmd
}

func runBaseline(ctx context.Context, o *playOptions) error {
	p, err := o.prepare()
	if err != nil {
		return err
	}
	root, err := o.baselineOutput() // before the work: a path that cannot be written is known at once
	if err != nil {
		return closing(err, p.close)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	if err := o.against.open(p); err != nil {
		return closing(err, p.close)
	}
	defer o.against.close()
	err = p.run(ctx, func(r *playResult) error {
		if err := r.writeFile(root, filepath.Base(o.Output), 0); err != nil {
			return err
		}
		r.say("Results: %s", o.Output)
		r.values["results"] = o.Output
		if err := r.writeFolder(); err != nil {
			return err
		}
		return o.against.compare(r)
	})
	return errors.Join(err, o.against.verdict)
}

// baselineOutput opens the folder of the results file.
func (o *playOptions) baselineOutput() (*os.Root, error) {
	if len(o.Agents) > 1 {
		return nil, usageError("baseline writes the results of one agent, not of %s: triage run plays several and writes a file each", join(o.Agents))
	}
	root, err := o.outputRoot()
	if err != nil {
		return nil, err
	}
	var inputs []string
	if o.against.Against != "" {
		inputs = []string{o.against.Against}
	}
	err = o.app.spared(root, o.Output, inputs)
	if err == nil {
		err = results.CheckTarget(root, filepath.Base(o.Output))
	}
	if err != nil {
		return nil, closing(err, root.Close)
	}
	return root, nil
}

// outputRoot opens the folder of the results file; that of the run is made by the run.
func (o *playOptions) outputRoot() (*os.Root, error) {
	if o.Out != "" && filepath.Dir(o.Output) == filepath.Clean(o.Out) {
		root, err := o.app.OpenRoot(o.Out)
		if err != nil {
			return nil, err
		}
		defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	}
	return outputFolder(o.app, o.Output)
}

// missed says which targets were missed, as an error of the check that was asked for.
func missed(agents []agentResult) error {
	var list []string
	for _, a := range agents {
		for i := range a.Tasks {
			if !a.Tasks[i].Pass {
				list = append(list, a.Agent+" on "+a.Tasks[i].Task.Name)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &triage.Error{Code: triage.CodeCheck, Message: "targets missed: " + join(list)}
}
