package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/triagebench/triage/pkg/triage"
)

// maxLine is the longest line of an episode log that is read: 64 MiB.
const maxLine = 64 << 20

// Logged is an episode as it stands in a log; observations and actions are left as JSON.
type Logged struct {
	Key        triage.Key   `json:"key"`
	Steps      []LoggedStep `json:"steps"`
	Score      *float64     `json:"score"`
	Efficiency *float64     `json:"efficiency"`
	Reward     *float64     `json:"reward"`
	Ended      triage.Ended `json:"ended"`
	Error      *string      `json:"error"`
}

// LoggedStep is a step as it stands in a log.
type LoggedStep struct {
	Observation json.RawMessage `json:"observation"`
	Action      json.RawMessage `json:"action"`
	Score       *triage.Score   `json:"score"`
	About       *triage.About   `json:"about"`
	Usage       *triage.Usage   `json:"usage"`
	Reply       *triage.Reply   `json:"reply"`
	Error       *string         `json:"error"`
}

// Episode gives the logged episode without observations; its actions are as they were written. That is enough for everything
// that sums up.
func (l *Logged) Episode() *triage.Episode {
	ep := &triage.Episode{Key: l.Key, Score: l.Score, Efficiency: l.Efficiency, Reward: l.Reward, Ended: l.Ended,
		Steps: make([]triage.Step, len(l.Steps))}
	if l.Error != nil {
		ep.Error = *l.Error
	}
	for i, s := range l.Steps {
		ep.Steps[i] = triage.Step{Action: triage.Action{Raw: s.Action}, Score: s.Score, About: s.About, Usage: s.Usage, Reply: s.Reply}
		if s.Error != nil {
			ep.Steps[i].Error = *s.Error
		}
	}
	return ep
}

// FullSteps gives the steps as they were before they were written. An error is about an observation that cannot be read.
func (l *Logged) FullSteps() ([]triage.Step, error) {
	out := make([]triage.Step, len(l.Steps))
	for i := range l.Steps {
		s, err := l.Steps[i].step(l.Key.Task)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		out[i] = s
	}
	return out, nil
}

// step gives the whole step, as it was before it was written. An action that cannot be read as the task's is kept raw.
func (s *LoggedStep) step(task string) (triage.Step, error) {
	track := triage.Dataset
	if t, err := triage.TaskByName(task); err == nil {
		track = t.Track
	}
	o, err := triage.DecodeObservation(track, s.Observation)
	if err != nil {
		return triage.Step{}, err
	}
	var labels map[string][]string
	if o.Dataset != nil {
		labels = o.Dataset.Labels
	}
	out := triage.Step{Observation: o, Score: s.Score, About: s.About, Usage: s.Usage, Reply: s.Reply}
	if out.Action, err = triage.ParseAction(track, s.Action, labels); err != nil {
		out.Action = triage.Action{Track: track, Raw: s.Action}
	}
	if s.Error != nil {
		out.Error = *s.Error
	}
	return out, nil
}

// ReadLog calls f for each episode of a log, in the file's order, with its line (from 1). A line that is no episode is an
// error that names the line.
func ReadLog(r io.Reader, name string, f func(line int, ep *Logged) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 1<<16), maxLine)
	line := 0
	for sc.Scan() {
		line++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		ep, err := parseLogged(sc.Bytes())
		if err != nil {
			return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d: not an episode", name, line), Err: err}
		}
		if err := f(line, ep); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: fmt.Sprintf("%s:%d", name, line+1), Err: err}
	}
	return nil
}

func parseLogged(data []byte) (*Logged, error) {
	ep := new(Logged)
	if err := json.Unmarshal(data, ep); err != nil {
		return nil, err
	}
	if err := ep.Key.Validate(); err != nil {
		return nil, err
	}
	return ep, ep.check()
}

// check says what cannot be true of an episode.
func (l *Logged) check() error {
	switch l.Ended {
	case triage.EndedError:
		if l.Score != nil {
			return errors.New("it broke and has a score")
		}
		return nil
	case triage.EndedComplete, triage.EndedTruncated:
	case "":
		return errors.New(`"ended" is missing`)
	default:
		return fmt.Errorf("ended %q is not one of complete, truncated, error", l.Ended)
	}
	if l.Score == nil || len(l.Steps) == 0 {
		return fmt.Errorf("it is %s and has no score or no steps", l.Ended)
	}
	for _, v := range []*float64{l.Score, l.Efficiency, l.Reward} {
		if v != nil && (*v < 0 || *v > 1) {
			return fmt.Errorf("%v is no score from 0 to 1", *v)
		}
	}
	return nil
}
