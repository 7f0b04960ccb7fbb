package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

type scoreOptions struct {
	app              *App
	Folder, Out      string
	SecretFile, Bank string
	NoFloor, NoMeta  bool
	MaxErrors        int
	Format           string
	costs            costOptions
}

func newScoreCmd(app *App, run func(context.Context, *scoreOptions) error) *cobra.Command {
	o := &scoreOptions{app: app}
	cmd := &cobra.Command{Use: "score RUN", Short: "Read and grade the answers of a run again, without calling anything",
		Long: `Takes a run folder, reads the stored replies of models again, grades them and all other stored answers against the
truth, and prints the scores: after a change of the reader or the graders nothing has to be paid for twice. It takes the
bank and the secret of the run. Episodes that broke stay broken. What is graded otherwise than in the run is listed.`,
		Example: `  triage score results/first
  triage score results/first --out results/again`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("%stakes one run folder; see `%s --help`", place(cmd), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folder = args[0]
			return run(cmd.Context(), o)
		}}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "`folder` to write the run to as it is graded now")
	f.StringVar(&o.SecretFile, "secret-file", "", "`file` with the secret of the run")
	f.StringVar(&o.Bank, "bank", "", "`folder` with the bank of the run")
	f.BoolVar(&o.NoFloor, "no-floor", false, "do not play the degenerate agents that give a score its floor")
	f.BoolVar(&o.NoMeta, "no-meta", false, "leave time, duration and version out of results files")
	intFlag(f, &o.MaxErrors, "max-errors", 0, "episodes that may have broken before the exit code is 3")
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	o.costs.bind(f)
	return cmd
}

func runScore(ctx context.Context, o *scoreOptions) error {
	if err := o.costs.open(o.app); err != nil {
		return err
	}
	session, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return err
	}
	root, err := o.app.OpenExisting(o.Folder)
	if err != nil {
		return fileProblem("open run", o.Folder, err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	if !exists(root, results.RunFile) {
		return usageError("%s is no run folder: it has no %s (triage run --out DIR makes one)", o.Folder, results.RunFile)
	}
	settings, err := results.ReadSettings(root)
	if err != nil {
		return err
	}
	if err := session.fits(settings, o.Folder); err != nil {
		return err
	}
	settings[settingGrader] = grade.Version() // what it is graded by now
	learned, err := runLearned(root)
	if err != nil {
		return err
	}
	s := &scoring{run: storedRun{app: o.app, session: session, folder: o.Folder, settings: settings, learned: learned}, envs: map[string]triage.Env{}}
	if err := s.read(ctx, root); err != nil {
		return err
	}
	return s.finish(ctx, o)
}

// fits says why a session cannot make the tickets of a run, if it cannot.
func (s *session) fits(settings results.Settings, folder string) error {
	switch {
	case settings[settingFile] != "":
		return usageError("%s: a run of imported tickets cannot be graded again: their labels are in the tickets' file; play it again, models from the cache", folder)
	case settings[settingGenerator] != s.generator():
		return usageError("%s was played with generator %s, not %s: its tickets need their --bank and program", folder, settings[settingGenerator], s.generator())
	case settings[settingSecret] != synth.Fingerprint(s.secret):
		return usageError("%s was played with another secret: its tickets need their --secret-file", folder)
	}
	return nil
}

// brokenEpisodes is the error of a run of which more episodes broke than are allowed.
func brokenEpisodes(agents []agentResult, allowed int) error {
	n := 0
	for _, a := range agents {
		for i := range a.Tasks {
			n += a.Tasks[i].Errors
		}
	}
	if n > allowed {
		return episodesError{n, allowed}
	}
	return nil
}

// shownChanges is how many changed grades are printed.
const shownChanges = 10

// finish sums up, writes and prints.
func (s *scoring) finish(ctx context.Context, o *scoreOptions) error {
	r, err := s.run.result(s.groups)
	if err != nil {
		return err
	}
	options, plan := r.options, r.play.engine.plan
	options.Out, options.NoMeta, options.Format = o.Out, o.NoMeta, o.Format
	options.costs = o.costs
	if err := options.price(nil); err != nil {
		return err
	}
	out := &outcome{filled: make([]bool, plan.Len()), records: make([]results.Record, plan.Len())}
	for _, ep := range s.episodes {
		place := plan.Index(ep.Key)
		out.filled[place], out.records[place] = true, results.RecordOf(ep)
		options.cast.take(place, ep)
	}
	r.sumUp(out)
	if !o.NoFloor {
		floors, err := r.play.generated.floors(ctx, plan, runner.Shard{}, options.Agents[0])
		if err != nil {
			return err
		}
		r.setFloors(floors)
	}
	for i, text := range s.changed {
		if i == shownChanges {
			r.say("… and %d more.", len(s.changed)-shownChanges)
			break
		}
		r.say("Graded otherwise: %s", text)
	}
	r.say("Graded again: %d episodes; %d decisions are graded otherwise than in the run.", len(s.episodes), len(s.changed))
	if s.short > 0 {
		r.say("In %d of them more would be asked for now than the run has answers; what is missing counts as no answer.", s.short)
	}
	r.values["changed"] = append([]string{}, s.changed...)
	if planned, err := strconv.Atoi(s.run.settings[settingEpisodes]); err == nil && len(s.episodes) < planned {
		r.say("Only %d of the %d episodes of the run's plan are in its log: these are scores of a part.", len(s.episodes), planned)
		r.values["planned"] = planned
	}
	if err := errors.Join(s.write(r), r.print()); err != nil {
		return err
	}
	return brokenEpisodes(r.agents, o.MaxErrors)
}

// write writes the run as it is graded now, into the folder of --out if there is one.
func (s *scoring) write(r *playResult) (err error) {
	if r.options.Out == "" {
		return nil
	}
	root, err := s.run.app.OpenRoot(r.options.Out)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	j, err := results.CreateRun(root, s.run.settings, r.play.engine.plan.Len(), s.run.app.Now)
	if err != nil {
		return err
	}
	for _, ep := range s.episodes {
		if err := j.Append(r.play.engine.plan.Index(ep.Key), ep); err != nil {
			return closing(err, j.Finish)
		}
	}
	if err := j.Finish(); err != nil {
		return err
	}
	if len(s.run.learned) > 0 {
		if err := writeLearned(root, results.LearnedFile, s.run.learned); err != nil {
			return err
		}
	}
	return r.writeFolder()
}
