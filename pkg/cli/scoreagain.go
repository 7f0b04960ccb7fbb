package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// scoring grades a run again.
type scoring struct {
	run      storedRun
	envs     map[string]triage.Env
	episodes []*triage.Episode
	groups   []runner.Group
	changed  []string // what is graded otherwise
	short    int      // episodes in which more would be asked for now than the run has answers
}

// read plays each stored episode with its stored answers.
func (s *scoring) read(ctx context.Context, root *os.Root) error {
	name := filepath.Join(s.run.folder, results.EpisodesFile)
	f, err := root.Open(results.EpisodesFile)
	if err != nil {
		return fileProblem("open", name, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	return results.ReadLog(f, name, func(line int, l *results.Logged) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		ep, err := s.again(ctx, l)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
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
		if s.envs[name], err = s.run.session.newEnv(k.Task, triage.Split(s.run.settings[settingSplit]), k.Position); err != nil {
			return nil, err
		}
	}
	stored := &storedAgent{task: k.Task, steps: steps}
	var a triage.Agent = stored
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
	if stored.missed {
		s.short++
	}
	s.compare(steps, ep)
	return ep, nil
}

// compare notes the steps whose grade has changed.
func (s *scoring) compare(before []triage.Step, ep *triage.Episode) {
	for i := range max(len(before), len(ep.Steps)) {
		if !bytes.Equal(encodedScore(before, i), encodedScore(ep.Steps, i)) {
			s.changed = append(s.changed, fmt.Sprintf("%s step %d: %s, was %s", ep.Key, i, gradeAt(ep.Steps, i), gradeAt(before, i)))
		}
	}
}

// encodedScore is the grade of a step in a record; one that is not there has none.
func encodedScore(steps []triage.Step, i int) []byte {
	if i >= len(steps) || steps[i].Score == nil {
		return nil
	}
	e := triage.Encoder{Round: true}
	e.Score(steps[i].Score)
	return e.Buf
}

func gradeAt(steps []triage.Step, i int) string {
	switch {
	case i >= len(steps):
		return "not there"
	case steps[i].Score == nil:
		return "not graded"
	}
	return strconv.FormatFloat(triage.Rounded(steps[i].Score.Total), 'f', -1, 64)
}

// storedAgent gives stored answers; replies of models are read again.
type storedAgent struct {
	task  string
	steps []triage.Step
	next  int
	// missed tells that it was asked for more.
	missed bool
	usage  *triage.Usage
	reply  *triage.Reply
}

var _ triage.Teller = (*storedAgent)(nil)

// Act gives the next answer; when there is none left, the empty one.
func (a *storedAgent) Act(context.Context, triage.Observation) (triage.Action, error) {
	a.usage, a.reply = nil, nil
	if a.next == len(a.steps) {
		a.missed = true
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
