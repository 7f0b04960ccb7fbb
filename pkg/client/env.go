package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

var (
	_ triage.Env    = (*Env)(nil)
	_ triage.Grader = (*Env)(nil)
)

// Env is an environment on a server. It serves one caller at a time. After a lost connection the next reset makes another.
type Env struct {
	task    triage.Task
	address string // of the WebSocket
	options Options
	conn    *Conn // nil after it was lost
	started bool
	done    bool
	state   triage.State
	last    *triage.Score
	summary *triage.Summary
}

// Dial connects to a server and gives the environment of a task there. The address is that of the server's root, or of a
// track below it; servers that serve one track only are found at their root. Errors have CodeUsage (the address) or
// CodeUnavailable. The environment has to be closed.
func Dial(ctx context.Context, address string, task triage.Task, o Options) (*Env, error) {
	base, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	for _, path := range base.sockets(task.Track) {
		e := &Env{task: task, address: base.WebSocket(path), options: o, state: triage.State{Track: task.Track, Task: task.Name}}
		if err = e.connect(ctx); err == nil {
			return e, nil
		}
		var refused *Refused
		if !errors.As(err, &refused) || refused.Status != http.StatusNotFound && refused.Status != http.StatusForbidden {
			break
		}
	}
	return nil, err
}

func (e *Env) connect(ctx context.Context) error {
	conn, err := Open(ctx, e.address, e.options)
	e.conn = conn
	return err
}

// aboutReset begins what an environment of ours says of options that it does not take.
const aboutReset = "reset: "

// Reset begins an episode of the task. Options that the server refuses, and a server of another task, give CodeUsage.
func (e *Env) Reset(ctx context.Context, opts triage.ResetOptions) (triage.StepResult, error) {
	if opts.Split == "" {
		opts.Split = e.options.Split
	}
	e.started, e.done, e.last, e.summary = false, false, nil, nil
	if e.conn == nil {
		if err := e.connect(ctx); err != nil {
			return triage.StepResult{}, err
		}
	}
	env, failure, err := e.exchange(ctx, openenv.TypeReset, resetData(e.task, opts, e.options.ServerSeeds))
	switch {
	case err != nil:
		return triage.StepResult{}, err
	case failure != nil && len(failure.Details) > 0: // the options; the session is well
		return triage.StepResult{}, &triage.Error{Code: triage.CodeUsage, Message: openenv.Message("reset", failure.Details)}
	case failure != nil && strings.HasPrefix(failure.Message, aboutReset): // the same, as servers of ours say it
		return triage.StepResult{}, &triage.Error{Code: triage.CodeUsage, Message: failure.Message}
	case failure != nil:
		return triage.StepResult{}, e.fail("reset", failure)
	}
	result, err := e.result(env)
	if err != nil {
		return triage.StepResult{}, err
	}
	e.started, e.done = true, result.Done
	e.state = triage.State{EpisodeID: opts.EpisodeID, Track: e.task.Track, Task: e.task.Name, Split: opts.Split, Done: e.done,
		Observation: result.Observation}
	return result, nil
}

// Step sends an action. What the server refuses of it gives [triage.FieldErrors].
func (e *Env) Step(ctx context.Context, a triage.Action) (triage.StepResult, error) {
	if e.conn == nil {
		return triage.StepResult{}, unavailable("step", errLost)
	}
	if a.Track == "" {
		a.Track = e.task.Track
	}
	var enc triage.Encoder
	enc.Action(&a)
	env, failure, err := e.exchange(ctx, openenv.TypeStep, enc.Buf)
	switch {
	case err != nil:
		return triage.StepResult{}, err
	case failure != nil && failure.Code == openenv.CodeValidation:
		return triage.StepResult{}, refused(e.task.Track, &a, failure)
	case failure != nil && failure.Code == openenv.CodeExecution && !e.started:
		return triage.StepResult{}, &triage.Error{Code: triage.CodeNotReset, Message: failure.Message}
	case failure != nil && failure.Code == openenv.CodeExecution && e.done:
		return triage.StepResult{}, &triage.Error{Code: triage.CodeDone, Message: failure.Message}
	case failure != nil:
		return triage.StepResult{}, e.fail("step", failure)
	}
	result, err := e.result(env)
	if err != nil {
		return triage.StepResult{}, err
	}
	e.done = result.Done
	e.state.StepCount++
	e.state.Done, e.state.Observation = e.done, result.Observation
	return result, e.graded(env, &result)
}

var errLost = errors.New("the connection was lost: reset begins another episode")

// exchange sends a frame and reads the envelope or the failure that answers it.
func (e *Env) exchange(ctx context.Context, kind string, data []byte) (*Envelope, *Failure, error) {
	answer, err := e.conn.Exchange(ctx, frame(kind, data))
	if err != nil {
		e.conn = nil
		return nil, nil, err
	}
	reply, err := ParseReply(answer)
	if err != nil {
		return nil, nil, e.broken(kind, err)
	}
	if f := reply.Failure(); f != nil {
		return nil, f, nil
	}
	var env Envelope
	switch err = json.Unmarshal(reply.Data, &env); {
	case err == nil && reply.Type != openenv.TypeObservation:
		err = fmt.Errorf("a frame of type %q, where an observation is due", reply.Type)
	case err == nil && (env.Done == nil || env.Observation == nil):
		err = fmt.Errorf("an envelope without observation or done: %s", shorten(reply.Data))
	}
	if err != nil {
		return nil, nil, e.broken(kind, err)
	}
	return &env, nil, nil
}

// broken drops a session whose frames mean nothing any more.
func (e *Env) broken(doing string, err error) error {
	e.lose()
	return unavailable(doing, err)
}

func (e *Env) lose() {
	if e.conn != nil {
		e.conn.abort()
		e.conn = nil
	}
}

// fail makes an error of a failure that is no fault of the action. A session that the server ends with it is lost.
func (e *Env) fail(doing string, f *Failure) error {
	if f.Code != openenv.CodeExecution && f.Code != openenv.CodeValidation {
		e.lose()
	}
	return unavailable(doing, f)
}

// result reads the observation of an envelope, which must be one of the task.
func (e *Env) result(env *Envelope) (triage.StepResult, error) {
	o, err := triage.DecodeObservation(e.task.Track, env.Observation)
	if err != nil {
		return triage.StepResult{}, e.broken("read", err)
	}
	var name, want string
	switch {
	case o.Queue != nil:
		name, want = o.Queue.Task, e.task.Name
	case o.Desk != nil:
		name, want = string(o.Desk.TaskDifficulty), string(e.task.Difficulty)
	}
	if name == "" || name != want {
		e.lose()
		return triage.StepResult{}, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
			"%s does not play %s: its observation is %s", plainURL(e.address), e.task.Name, shorten(env.Observation))}
	}
	out := triage.StepResult{Observation: o, Done: *env.Done}
	if env.Reward != nil {
		out.Reward = *env.Reward
	}
	return out, nil
}

// graded keeps what the server tells of the grading: on the queue track the parts of the last answer, at the end of a desk
// episode its parts, and at the end of any the figures.
func (e *Env) graded(env *Envelope, r *triage.StepResult) error {
	e.last = nil
	if q := r.Observation.Queue; q != nil && q.LastResult != nil {
		e.last = &triage.Score{Total: q.LastResult.Reward, Parts: q.LastResult.Parts}
	}
	if !r.Done {
		return nil
	}
	f, err := env.final()
	if err != nil {
		return e.broken("read metadata", err)
	}
	if f.Score == nil || f.Efficiency == nil {
		return nil
	}
	e.summary = &triage.Summary{Score: *f.Score, Efficiency: *f.Efficiency, Reward: *f.Score, Truncated: f.Ended == triage.EndedTruncated}
	if f.Reward != nil {
		e.summary.Reward = *f.Reward
	}
	if e.task.Track == triage.Desk && len(f.Rubrics) > 0 {
		e.last = &triage.Score{Total: *f.Score}
		for _, name := range deskParts {
			if v, ok := f.Rubrics[name]; ok {
				e.last.Parts = append(e.last.Parts, triage.Part{Name: name, Value: v, Weight: 1 / float64(len(f.Rubrics))})
			}
		}
	}
	return nil
}

// deskParts are the graded parts of a desk ticket, named as the fields that they grade, in their order.
var deskParts = []string{triage.FieldCategory, triage.FieldPriority, triage.FieldUrgencyDays, triage.FieldDepartment, triage.FieldRecommendation}

// LastScore is the grading of the last step without its reasons, or nil where the server tells nothing of it.
func (e *Env) LastScore() *triage.Score { return e.last }

// Summary has the figures of the episode; ok is false until it is done, and where the server tells none.
func (e *Env) Summary() (s triage.Summary, ok bool) {
	if e.summary == nil {
		return triage.Summary{}, false
	}
	return *e.summary, true
}

// State asks the server for the state of the episode. Where it does not answer, the state is what was seen of the episode.
func (e *Env) State() triage.State {
	if e.conn == nil {
		return e.state
	}
	answer, err := e.conn.Exchange(context.Background(), frame(openenv.TypeState, nil))
	if err != nil {
		e.conn = nil
		return e.state
	}
	reply, err := ParseReply(answer)
	var in struct {
		EpisodeID string       `json:"episode_id"`
		StepCount int          `json:"step_count"`
		Split     triage.Split `json:"split"`
	}
	if err != nil || reply.Type != openenv.TypeState || json.Unmarshal(reply.Data, &in) != nil {
		return e.state
	}
	e.state.EpisodeID, e.state.StepCount = in.EpisodeID, in.StepCount
	if in.Split != "" {
		e.state.Split = in.Split
	}
	return e.state
}

// Close ends the session.
func (e *Env) Close() error {
	if e.conn != nil {
		e.conn.Close()
		e.conn = nil
	}
	return nil
}
