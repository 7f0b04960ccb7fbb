package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/agent"
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
	Format           string
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
	choiceFlag(f, &o.Format, "format", "table", report.FormatNames(), "how to print")
	return cmd
}

func runScore(ctx context.Context, o *scoreOptions) error {
	session, err := newSession(o.app, o.Bank, o.SecretFile)
	if err != nil {
		return err
	}
	root, err := o.app.OpenExisting(o.Folder)
	if err != nil {
		return fileProblem("open run", o.Folder, err)
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	settings, err := results.ReadSettings(root)
	if err != nil {
		return err
	}
	if err := session.fits(settings, o.Folder); err != nil {
		return err
	}
	seed, err := strconv.ParseInt(settings[settingSeed], 10, 64)
	if err != nil {
		return usageError("%s: seed %q is not a number", filepath.Join(o.Folder, results.RunFile), settings[settingSeed])
	}
	s := &scoring{folder: o.Folder, session: session, split: triage.Split(settings[settingSplit]), envs: map[string]triage.Env{}}
	if err := s.read(ctx, root); err != nil {
		return err
	}
	return s.finish(ctx, o, settings, seed)
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

// scoring grades a run again.
type scoring struct {
	folder   string
	session  *session
	split    triage.Split
	envs     map[string]triage.Env
	episodes []*triage.Episode
	groups   []runner.Group
	changed  []string // what is graded otherwise
}

// read plays each stored episode with its stored answers.
func (s *scoring) read(ctx context.Context, root *os.Root) error {
	f, err := root.Open(results.EpisodesFile)
	if err != nil {
		return fileProblem("open", filepath.Join(s.folder, results.EpisodesFile), err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	return results.ReadLog(f, filepath.Join(s.folder, results.EpisodesFile), func(line int, l *results.Logged) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		ep, err := s.again(ctx, l)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Join(s.folder, results.EpisodesFile), line, err)
		}
		s.episodes = append(s.episodes, ep)
		s.groups = appendEpisode(s.groups, l.Key)
		return nil
	})
}

// again plays one episode.
func (s *scoring) again(ctx context.Context, l *results.Logged) (*triage.Episode, error) {
	steps, err := l.FullSteps()
	if err != nil {
		return nil, err
	}
	if l.Ended == triage.EndedError {
		ep := l.Episode()
		ep.Steps = steps
		return ep, nil
	}
	k := l.Key
	name := k.Task + "/" + strconv.Itoa(k.Position.Value) + strconv.FormatBool(k.Position.Set)
	if s.envs[name] == nil {
		if s.envs[name], err = s.session.newEnv(k.Task, s.split, k.Position); err != nil {
			return nil, err
		}
	}
	var a triage.Agent = &storedAgent{task: k.Task, steps: steps}
	for inner, kind, ok := agent.CutPerturbed(k.Agent); ok; inner, kind, ok = agent.CutPerturbed(inner) {
		if a, err = agent.Perturb(kind, a); err != nil {
			return nil, err
		}
	}
	opts := triage.ResetOptions{}
	if k.Position.Set {
		opts.Tickets = 1
	}
	ep, err := runner.Play(ctx, s.envs[name], a, k, opts)
	if err != nil {
		return nil, err
	}
	s.compare(steps, ep)
	return ep, nil
}

// compare notes the steps whose grade has changed.
func (s *scoring) compare(before []triage.Step, ep *triage.Episode) {
	for i := range ep.Steps {
		was, is := encodedScore(nil), encodedScore(ep.Steps[i].Score)
		if i < len(before) {
			was = encodedScore(before[i].Score)
		}
		if !bytes.Equal(was, is) {
			s.changed = append(s.changed, fmt.Sprintf("%s step %d: %s, was %s", ep.Key, i, gradeOf(ep.Steps[i].Score), gradeAt(before, i)))
		}
	}
}

func encodedScore(score *triage.Score) []byte {
	if score == nil {
		return nil
	}
	e := triage.Encoder{Round: true}
	e.Score(score)
	return e.Buf
}

func gradeOf(score *triage.Score) string {
	if score == nil {
		return "not graded"
	}
	return strconv.FormatFloat(triage.Rounded(score.Total), 'f', -1, 64)
}

func gradeAt(steps []triage.Step, i int) string {
	if i >= len(steps) {
		return "not there"
	}
	return gradeOf(steps[i].Score)
}

// storedAgent gives stored answers; replies of models are read again.
type storedAgent struct {
	task  string
	steps []triage.Step
	next  int
	usage *triage.Usage
	reply *triage.Reply
}

var _ triage.Teller = (*storedAgent)(nil)

// Act gives the next answer; when there is none left, the empty one.
func (a *storedAgent) Act(context.Context, triage.Observation) (triage.Action, error) {
	a.usage, a.reply = nil, nil
	if a.next == len(a.steps) {
		return triage.Action{}, errors.New("the run has no answer to this step")
	}
	s := &a.steps[a.next]
	a.next++
	a.usage = s.Usage
	if s.Reply == nil {
		var err error
		if s.Error != "" && s.Action.Raw == nil {
			err = errors.New(s.Error)
		}
		return s.Action, err
	}
	action, reply, err := agent.Read(a.task, nil, *s.Reply)
	a.reply = &reply
	return action, err
}

// Told gives usage and reply of the last answer.
func (a *storedAgent) Told() (*triage.Usage, *triage.Reply) { return a.usage, a.reply }

// shownChanges is how many changed grades are printed.
const shownChanges = 10

// finish sums up, writes and prints.
func (s *scoring) finish(ctx context.Context, o *scoreOptions, settings results.Settings, seed int64) error {
	plan, err := runner.NewPlan(s.groups)
	if err != nil {
		return err
	}
	options := &playOptions{app: o.app, Agents: results.SplitAgents(settings[results.AgentsSetting]), Seed: seed, Split: string(s.split), Out: o.Out, NoMeta: o.NoMeta, Format: o.Format, Trials: trialsOf(plan)}
	options.cast = storedCast(o.app, options, settings)
	g := &generated{session: s.session, split: s.split, options: options}
	p := &play{options: options, generated: g, engine: engine{app: o.app, game: g, plan: plan, settings: settings, records: true}}
	r := &playResult{options: options, values: map[string]report.Cell{}, started: o.app.Now(), play: p}
	out := &outcome{filled: make([]bool, plan.Len()), records: make([]results.Record, plan.Len())}
	for _, ep := range s.episodes {
		place := plan.Index(ep.Key)
		out.filled[place], out.records[place] = true, results.RecordOf(ep)
		options.cast.take(place, ep)
	}
	r.sumUp(out)
	if !o.NoFloor {
		floors, err := g.floors(ctx, plan, runner.Shard{}, options.Agents[0])
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
	r.values["changed"] = s.changed
	if err := s.write(o, r, settings); err != nil {
		return err
	}
	return r.print()
}

// write writes the run as it is graded now.
func (s *scoring) write(o *scoreOptions, r *playResult, settings results.Settings) error {
	if o.Out == "" {
		return nil
	}
	root, err := o.app.OpenRoot(o.Out)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a handle of a folder: nothing is lost
	j, err := results.CreateRun(root, settings, r.play.engine.plan.Len(), o.app.Now)
	if err != nil {
		return err
	}
	for _, ep := range s.episodes {
		if err := j.Append(r.play.engine.plan.Index(ep.Key), ep); err != nil {
			return errors.Join(err, j.Finish())
		}
	}
	return errors.Join(j.Finish(), r.writeFolder())
}
