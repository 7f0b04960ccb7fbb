package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

var (
	_ triage.Env    = (*remote)(nil)
	_ triage.Grader = (*remote)(nil)
)

// remote is an environment on the server. Every frame that comes is looked at. It differs from a client's environment in that a
// sealed server is sent no options that it refuses.
type remote struct {
	*server
	task   triage.Task
	token  string
	socket Socket // nil before the first reset and after a lost connection
	// number is that of the episode.
	number  int64
	state   triage.State
	last    *triage.Score
	summary *triage.Summary
}

// env gives an environment of a task to the first token. It connects at its first reset.
func (s *server) env(task triage.Task) *remote {
	return &remote{server: s, task: task, token: s.token(), state: triage.State{Track: task.Track, Task: task.Name}}
}

// wsPath is where a track's sockets are.
func wsPath(track triage.Track) string { return "/" + string(track) + "/ws" }

// Reset begins an episode. On a sealed server the seed means nothing.
func (e *remote) Reset(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	if e.socket == nil {
		k, err := e.Open(ctx, wsPath(e.task.Track), e.token)
		if err != nil {
			return triage.StepResult{}, err
		}
		e.socket = k
	}
	e.number = e.begun.Add(1)
	e.state = triage.State{EpisodeID: opts.EpisodeID, Track: e.task.Track, Task: e.task.Name, Split: opts.Split}
	return e.play(ctx, frame(openenv.TypeReset, e.resetOptions(e.task, opts)))
}

// resetOptions are those of a reset on the wire.
func (s *server) resetOptions(task triage.Task, opts triage.ResetOptions) map[string]any {
	out := map[string]any{openenv.OptionDifficulty: task.Difficulty, openenv.OptionSplit: s.options.Split}
	if opts.EpisodeID != "" {
		out[openenv.OptionEpisodeID] = opts.EpisodeID
	}
	if s.sealed {
		return out
	}
	out[openenv.OptionSeed] = opts.Seed
	if opts.Tickets > 0 {
		out[openenv.OptionTickets] = opts.Tickets
	}
	return out
}

// Step sends an action.
func (e *remote) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if e.socket == nil {
		return triage.StepResult{}, &triage.Error{Code: triage.CodeNotReset, Message: "step before reset"}
	}
	if a.Track == "" {
		a.Track = e.task.Track
	}
	r, err := e.play(ctx, frame(openenv.TypeStep, actionJSON(a)))
	if err == nil {
		e.state.StepCount++
	}
	return r, err
}

// envelope is the data of an observation.
type envelope struct {
	Observation json.RawMessage `json:"observation"`
	Reward      *float64        `json:"reward"`
	Done        bool            `json:"done"`
	Metadata    json.RawMessage `json:"metadata"`
}

// play sends a frame and reads the observation that answers it.
func (e *remote) play(ctx context.Context, sent []byte) (triage.StepResult, error) {
	a, raw, err := exchange(ctx, e.socket, sent)
	if err != nil {
		e.lose()
		return triage.StepResult{}, err
	}
	e.watch.frame(raw)
	if a.Type == openenv.TypeError {
		return triage.StepResult{}, e.refusal(a.Data)
	}
	var env envelope
	if err := json.Unmarshal(a.Data, &env); err != nil || a.Type != openenv.TypeObservation {
		e.lose()
		return triage.StepResult{}, unavailable("read a frame", fmt.Errorf("%q is no observation", short(raw)))
	}
	return e.read(&env)
}

// read takes the observation out of an envelope.
func (e *remote) read(env *envelope) (triage.StepResult, error) {
	o, err := triage.DecodeObservation(e.task.Track, env.Observation)
	if err == nil && taskOf(o) != e.task.Name {
		err = fmt.Errorf("%q is not an observation of %s", short(env.Observation), e.task.Name)
	}
	if err != nil {
		e.lose()
		return triage.StepResult{}, unavailable("read an observation", err)
	}
	e.watch.envelope(e.task.Track, "WS "+wsPath(e.task.Track), env)
	e.watch.ticket(e.token, e.task.Name, e.number, o)
	r := triage.StepResult{Observation: o, Done: env.Done}
	if env.Reward != nil {
		r.Reward = *env.Reward
	}
	e.state.Done, e.state.Observation = r.Done, o
	e.last, e.summary = nil, nil
	if o.Queue != nil && o.Queue.LastResult != nil {
		e.last = &triage.Score{Total: o.Queue.LastResult.Reward, Parts: o.Queue.LastResult.Parts}
	}
	if r.Done {
		e.finish(env.Metadata)
	}
	return r, nil
}

// taskOf names the task of an observation.
func taskOf(o triage.Observation) string {
	switch {
	case o.Desk != nil:
		return string(triage.Desk) + "-" + string(o.Desk.TaskDifficulty)
	case o.Queue != nil:
		return o.Queue.Task
	}
	return ""
}

// finish keeps the figures of a finished episode.
func (e *remote) finish(metadata json.RawMessage) {
	var f struct {
		Score, Efficiency, Reward *float64
		Ended                     triage.Ended
		Rubrics                   map[string]float64
	}
	if json.Unmarshal(metadata, &f) != nil || f.Score == nil {
		return
	}
	e.summary = &triage.Summary{Score: *f.Score, Reward: *f.Score, Truncated: f.Ended == triage.EndedTruncated}
	if f.Efficiency != nil {
		e.summary.Efficiency = *f.Efficiency
	}
	if f.Reward != nil {
		e.summary.Reward = *f.Reward
	}
	if v, ok := f.Rubrics[partRecommendation]; ok && e.last == nil {
		e.last = &triage.Score{Total: *f.Score, Parts: []triage.Part{{Name: partRecommendation, Value: v}}}
	}
}

// refusal makes an error of an error frame.
func (e *remote) refusal(data json.RawMessage) error {
	var p problem
	if err := json.Unmarshal(data, &p); err != nil {
		return unavailable("read an error", err)
	}
	switch {
	case p.Code == openenv.CodeValidation:
		fields := &triage.FieldErrors{}
		for _, d := range p.Errors {
			fields.Fields = append(fields.Fields, triage.FieldError{Field: strings.Trim(fmt.Sprint(d.Loc...), "[]"), Value: short(fmt.Sprint(d.Input)), Allowed: d.Msg})
		}
		return fields
	case p.Code == openenv.CodeExecution && e.state.Done:
		return &triage.Error{Code: triage.CodeDone, Message: p.Message}
	}
	return unavailable("the server answers "+p.Code, fmt.Errorf("%s", p.Message))
}

// lose drops a session that is of no more use.
func (e *remote) lose() {
	e.socket.Close()
	e.socket = nil
}

// State is what was seen of the episode.
func (e *remote) State() triage.State { return e.state }

// LastScore is what the server told of the last grading: on the queue track its parts, at the end of a desk episode that of the
// recommendation.
func (e *remote) LastScore() *triage.Score { return e.last }

// Summary has the figures of the episode once it is done.
func (e *remote) Summary() (triage.Summary, bool) {
	if e.summary == nil {
		return triage.Summary{}, false
	}
	return *e.summary, true
}

// Close ends the session.
func (e *remote) Close() error {
	if e.socket != nil {
		e.lose()
	}
	return nil
}
