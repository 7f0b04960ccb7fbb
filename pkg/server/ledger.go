package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/triagebench/triage/pkg/triage"
)

// Ledger decides what the clients of a sealed server play: each token plays each seed of a task once, in the order 0, 1, 2 …
// It is kept in a file, so that a restart gives nobody a seed again, and an episode that was open then is closed: what was not
// answered scores 0. Finished episodes go to a file of their own, graded with all parts and reasons, for whoever runs the
// server. It is safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	file     LedgerFile
	episodes LedgerFile
	next     map[ledgerKey]int64
	kept     map[string]bool // the episodes that are in their file, by key
	broken   error           // after a line that was not written: nothing is played any more
	report   func(error)     // told once why
}

// LedgerFile is an append-only file.
type LedgerFile interface {
	io.ReadWriteSeeker
	Sync() error
	Truncate(size int64) error
}

// LedgerOrigin names what the seeds of a ledger mean: a ledger of another origin is refused.
type LedgerOrigin struct {
	Generator string `json:"generator"`
	Bank      string `json:"bank"`
	Secret    string `json:"secret"` // its fingerprint
}

// String names generator, bank and secret.
func (o *LedgerOrigin) String() string {
	return "generator " + o.Generator + ", bank " + o.Bank + ", secret " + o.Secret
}

// ledgerSchema names the form of the file.
const ledgerSchema = "triage.ledger/1"

// ledgerKey is a sequence of seeds.
type ledgerKey struct {
	token, task string
	split       triage.Split
}

// The events of a ledger's lines.
const (
	eventOrigin = "ledger"
	eventBegin  = "begin"
	eventStep   = "step"
	eventEnd    = "end"
)

// ledgerLine is a line of the file.
type ledgerLine struct {
	Event     string           `json:"event"`
	Schema    string           `json:"schema,omitempty"`
	Origin    *LedgerOrigin    `json:"origin,omitempty"`
	Token     string           `json:"token,omitempty"`
	Task      string           `json:"task,omitempty"`
	Split     triage.Split     `json:"split,omitempty"`
	Seed      int64            `json:"seed"`
	EpisodeID string           `json:"episode_id,omitempty"`
	OnInvalid triage.OnInvalid `json:"on_invalid,omitempty"`
	Action    json.RawMessage  `json:"action,omitempty"`
	Score     *float64         `json:"score,omitempty"`
}

// sealedRun is an episode of a sealed server.
type sealedRun struct {
	ledger *Ledger
	key    ledgerKey
	opts   triage.ResetOptions
	steps  []triage.Step
}

// begin takes the next seed of a task for a token, and notes it before anything of it is shown.
func (l *Ledger) begin(token string, task triage.Task, opts *triage.ResetOptions) (*sealedRun, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := ledgerKey{token, task.Name, opts.Split}
	opts.Seed = l.next[key]
	l.next[key]++
	run := &sealedRun{ledger: l, key: key, opts: *opts}
	return run, l.write(run.line(eventBegin, &ledgerLine{EpisodeID: opts.EpisodeID, OnInvalid: opts.OnInvalid}), true)
}

// line fills in whose line it is.
func (r *sealedRun) line(event string, x *ledgerLine) *ledgerLine {
	x.Event, x.Token, x.Task, x.Split, x.Seed = event, r.key.token, r.key.task, r.key.split, r.opts.Seed
	return x
}

// write appends a line to the ledger. The caller holds the lock. After a line that could not be written nothing is played.
func (l *Ledger) write(x *ledgerLine, sync bool) error {
	if l.broken != nil {
		return l.broken
	}
	data, err := json.Marshal(x)
	if err == nil {
		err = appendLine(l.file, data, sync)
	}
	if err != nil {
		l.fail(err)
	}
	return l.broken
}

// fail stops all play. Clients are not told why: that is for whoever runs the server.
func (l *Ledger) fail(cause error) {
	l.broken = &triage.Error{Code: triage.CodeUnavailable, Message: "the server cannot keep its record, so nothing can be played"}
	if l.report != nil {
		l.report(cause)
	}
}

// Broken tells whether nothing can be played any more.
func (l *Ledger) Broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken != nil
}

func appendLine(f LedgerFile, data []byte, sync bool) error {
	if _, err := f.Write(append(data, '\n')); err != nil {
		return err
	}
	if !sync {
		return nil
	}
	return f.Sync()
}

// answered notes an answer that the environment took.
func (r *sealedRun) answered(shown triage.Observation, a *triage.Action, score *triage.Score) error {
	action := *a
	action.Track = trackOfTask(r.key.task)
	r.steps = append(r.steps, triage.Step{Observation: shown, Action: action, Score: score})
	data, err := json.Marshal(action)
	if err != nil {
		return err
	}
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	return r.ledger.write(r.line(eventStep, &ledgerLine{Action: data}), false)
}

func trackOfTask(name string) triage.Track {
	task, err := triage.TaskByName(name)
	if err != nil {
		return ""
	}
	return task.Track
}

// episodeKey is the key of the episode in the server's own results: the agent is the token's name, with the split where that is not the
// usual one.
func (r *sealedRun) episodeKey() triage.Key {
	agent := r.key.token
	if r.key.split != triage.Test {
		agent += "@" + string(r.key.split)
	}
	return triage.Key{Agent: agent, Task: r.key.task, Seed: r.opts.Seed}
}

// finish keeps the graded episode, and notes that it is over.
func (r *sealedRun) finish(s triage.Summary) error {
	ep := triage.Episode{Key: r.episodeKey(), Steps: r.steps,
		Score: &s.Score, Efficiency: &s.Efficiency, Reward: &s.Reward, Ended: triage.EndedComplete}
	if s.Truncated {
		ep.Ended = triage.EndedTruncated
	}
	enc := triage.Encoder{Round: true}
	enc.Episode(&ep)
	l := r.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if name := ep.Key.String(); l.broken == nil && !l.kept[name] {
		if err := appendLine(l.episodes, enc.Buf, true); err != nil {
			l.fail(err)
		}
		l.kept[name] = true
	}
	return l.write(r.line(eventEnd, &ledgerLine{Score: &s.Score}), true)
}

// replay plays the answers of an episode that was open when the server went down, and closes it.
func (r *sealedRun) replay(ctx context.Context, env triage.Env, actions []json.RawMessage) error {
	grader, ok := env.(triage.Grader)
	if !ok {
		return fmt.Errorf("the environment of %s tells no score", r.key.task)
	}
	result, err := env.Reset(ctx, r.opts)
	for i := 0; err == nil && !result.Done; i++ {
		action := triage.Action{Track: trackOfTask(r.key.task)}
		if i < len(actions) {
			if action, err = triage.ParseAction(action.Track, actions[i], nil); err != nil {
				action = triage.Action{Track: trackOfTask(r.key.task), Raw: actions[i]}
			}
		}
		shown := result.Observation
		if result, err = env.Step(ctx, action); err == nil {
			r.steps = append(r.steps, triage.Step{Observation: shown, Action: action, Score: grader.LastScore()})
		}
	}
	if err != nil {
		return err
	}
	s, _ := grader.Summary()
	return r.finish(s)
}
