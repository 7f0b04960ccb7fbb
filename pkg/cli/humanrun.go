package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/triagebench/triage/pkg/handbook"
	human "github.com/triagebench/triage/pkg/play"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// errHumanLeft is how a sitting ends that the person left before its end.
var errHumanLeft = errors.New("the person left")

// runHuman lets a person play, and sums up when all tickets are answered. Before that no score is shown.
func runHuman(ctx context.Context, o *humanOptions) (err error) {
	p, err := o.plan()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	rivals, err := o.planRivals()
	if err != nil {
		return err
	}
	if rivals != nil {
		defer func() { err = errors.Join(err, rivals.close()) }()
		if err := rivals.consent(ctx); err != nil {
			return err
		}
	}
	h := &sitting{o: o, play: p}
	p.engine.game = &watched{game: p.engine.game, record: h.record}
	p.engine.drive = h.drive
	r := &playResult{options: p.options, play: p, started: o.app.Now(), values: map[string]report.Cell{}}
	out, err := p.engine.play(ctx)
	if out == nil || err != nil {
		return h.left(out, err)
	}
	if p.imported != nil {
		if err := p.imported.unchanged(); err != nil {
			return err
		}
	}
	return h.sumUp(ctx, r, out, rivals)
}

// sitting is a person at the terminal.
type sitting struct {
	o        *humanOptions
	play     *play
	episodes []*triage.Episode // that are finished, those of earlier sittings included
}

// watched is a game that shows the episodes that are taken into account.
type watched struct {
	game
	record func(ep *triage.Episode)
}

func (w *watched) take(place int, ep *triage.Episode) {
	w.record(ep)
	w.game.take(place, ep)
}

func (h *sitting) record(ep *triage.Episode) { h.episodes = append(h.episodes, ep) }

// drive lets the person answer what is wanted.
func (h *sitting) drive(ctx context.Context, r *runner.Runner, want func(place int) bool, keep, count runner.Sink) error {
	s := human.NewSession(human.Config{Plan: h.play.engine.plan, NewEnv: r.NewEnv, Want: want, Before: r.Before, Step: r.OnStep, Episode: keep,
		Tickets: func(key triage.Key) int {
			if t, err := triage.TaskByName(key.Task); err == nil {
				return t.Tickets
			}
			return 1
		}})
	defer s.Close()
	err := s.Start(ctx)
	if err == nil && s.Ticket() != nil {
		err = h.sit(ctx, s)
	}
	s.Close()
	done := s.Finished()
	for place := range h.play.engine.plan.Len() { // in the plan's order
		if ep := done[place]; ep != nil {
			err = errors.Join(err, count(place, ep))
		}
	}
	return err
}

// sit shows the session, full-screen where that can be.
func (h *sitting) sit(ctx context.Context, s *human.Session) error {
	o := h.o
	opts := human.Options{Feedback: o.Feedback, Kept: o.Out, Rules: handbook.Text()}
	if o.Tickets != "" {
		opts.Rules = "Your own tickets have no handbook here: label as your desk does.\n"
	}
	if o.Out == "" {
		o.app.warn("without --out DIR the answers are kept nowhere")
	}
	var outcome human.Outcome
	var err error
	if in, ok := o.fullScreen(); ok {
		m := human.NewModel(s, opts)
		// The program's own handler of signals ends ctx, with the reason.
		program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(o.app.Err), tea.WithEnvironment(o.app.Environ()), tea.WithoutSignalHandler())
		if _, err := program.Run(); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &triage.Error{Code: triage.CodeFiles, Message: "show tickets on the terminal", Err: err}
		}
		outcome, err = m.Outcome()
	} else {
		outcome, err = human.Plain(ctx, s, opts, o.app.In, o.app.Err)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case outcome == human.BrokenOff:
		return Interrupted{Code: ExitInterrupted}
	case outcome == human.Left:
		return errHumanLeft
	}
	return nil
}

// left tells what there is of a sitting that came to no end. No score is told.
func (h *sitting) left(out *outcome, err error) error {
	left := errors.Is(err, errHumanLeft)
	if out == nil || !left && !isInterrupted(err) {
		return err
	}
	switch o := h.o; {
	case out.nothing:
		o.tell("Nothing was answered: " + o.Out + " holds no run.")
	case o.Out == "":
		o.tell("Not finished. The answers are kept nowhere: --out DIR would have kept them.")
	default:
		o.tell("Not finished. Your answers are kept in " + o.Out + "; go on with the same command and --resume.")
	}
	if left {
		return nil
	}
	return err
}

// tell says something on the terminal that is no result.
func (o *humanOptions) tell(text string) {
	_, _ = o.app.Err.Write([]byte("triage: " + plainLine(text) + "\n")) // a lost word is no reason to stop
}

// sumUp writes results and prints them, with who agreed.
func (h *sitting) sumUp(ctx context.Context, r *playResult, out *outcome, rivals *play) error {
	r.sumUp(out)
	r.tellBroken(out)
	if h.play.generated != nil {
		floors, err := h.play.generated.floors(ctx, h.play.engine.plan, runner.Shard{}, h.o.Name)
		if err != nil {
			return err
		}
		r.setFloors(floors)
	}
	writeErr := r.writeFolder()
	if rivals != nil {
		agreed, err := h.agreed(ctx, rivals)
		if err != nil {
			return errors.Join(writeErr, err)
		}
		r.compared = agreed
	}
	if err := errors.Join(writeErr, r.print()); err != nil {
		return err
	}
	if out.failed > 0 {
		return episodesError{out.failed, 0}
	}
	return nil
}

// agreed plays the rivals and reports who agreed with whom.
func (h *sitting) agreed(ctx context.Context, rivals *play) (*report.Report, error) {
	o := h.o
	scales := newScales()
	if m := h.play.imported; m != nil {
		scales.add(m.columns)
	}
	you := newRater(o.Name, o.Name)
	truth := newRater("truth", "truth")
	for _, ep := range h.episodes {
		you.episode(ep)
		truth.truths(ep)
	}
	list := []*rater{you, truth}
	by := map[string]*rater{}
	for _, name := range rivals.options.Agents {
		by[name] = newRater(name, name)
		list = append(list, by[name])
	}
	run := runner.Runner{NewEnv: rivals.engine.game.newEnv, NewAgent: rivals.engine.game.newAgent}
	done := map[triage.Key]bool{}
	for _, ep := range h.episodes {
		k := ep.Key
		k.Agent = ""
		done[k] = true
	}
	var broken int
	err := run.Run(ctx, rivals.engine.plan, func(place int) bool {
		k := rivals.engine.plan.Key(place)
		k.Agent = ""
		return done[k]
	}, func(_ int, ep *triage.Episode) error {
		if ep.Ended == triage.EndedError {
			broken++
		}
		by[ep.Key.Agent].episode(ep)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if broken > 0 {
		o.app.warn("%s of the agents broke: their answers are missing below", counted(broken, "episode"))
	}
	rep := agreement(list, scales, agreementOptions{List: listedHuman, Pairs: func(a, _ int) bool { return a == 0 }})
	if m := h.play.imported; m != nil {
		for _, r := range list[2:] {
			rep.Tables[0].Notes = append(rep.Tables[0].Notes, unanswered(r, m.columns)...)
		}
	}
	return rep, nil
}

// unanswered says to which label columns an agent gave no answer at all.
func unanswered(r *rater, columns []results.Column) []string {
	var out []string
	for _, c := range columns {
		answers := r.answers[c.Name]
		if len(answers) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(answers)), func(v string) bool { return v != "" }) {
			out = append(out, fmt.Sprintf("%s answered no %s: it knows none of the column's labels.", r.name, c.Name))
		}
	}
	return out
}

// listedHuman is how many answers on which raters differ are listed after a sitting.
const listedHuman = 200

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

func formatSeed(seed int64) string { return strconv.FormatInt(seed, 10) }
