package client_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// fake is a server of one task, as ours is one.
type fake struct {
	t      testing.TB
	task   triage.Task
	sealed bool
	// answer, where set, may stand for the answer to a frame; nil means the usual one. An empty answer ends the session.
	answer func(n int, f openenv.Frame) []byte
	mu     sync.Mutex
	heads  []http.Header
	frames []string
	open   int
	// address is where it is served.
	address string
}

func (s *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.heads = append(s.heads, r.Header.Clone())
	s.mu.Unlock()
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	s.count(1)
	defer s.count(-1)
	defer func() { _ = ws.CloseNow() }()
	e := local(s.t, s.task)
	for n := 0; ; n++ {
		_, data, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		s.mu.Lock()
		s.frames = append(s.frames, string(data))
		s.mu.Unlock()
		f, refusal := openenv.ParseFrame(data)
		if f.Type == openenv.TypeClose {
			_ = ws.Close(websocket.StatusNormalClosure, "")
			return
		}
		var out []byte
		if s.answer != nil {
			out = s.answer(n, f)
		}
		switch {
		case out != nil && len(out) == 0:
			_ = ws.Close(websocket.StatusGoingAway, "the server goes down")
			return
		case out == nil && refusal != nil:
			out = openenv.AppendError(nil, refusal)
		case out == nil:
			out = s.play(r.Context(), e, f)
		}
		if ws.Write(r.Context(), websocket.MessageText, out) != nil {
			return
		}
	}
}

func (s *fake) count(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += by
}

func (s *fake) sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

func (s *fake) seen() ([]http.Header, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heads, s.frames
}

// play answers a frame from the environment.
func (s *fake) play(ctx context.Context, e env.Grading, f openenv.Frame) []byte {
	var result triage.StepResult
	var err error
	switch f.Type {
	case openenv.TypeState:
		return openenv.AppendStateFrame(nil, &openenv.State{State: e.State()})
	case openenv.TypeReset:
		o, details := openenv.ParseReset(f.Data)
		if len(details) > 0 {
			return openenv.AppendError(nil, &openenv.Refusal{Code: openenv.CodeValidation, Message: openenv.MessageInvalid, Details: details})
		}
		opts := triage.ResetOptions{EpisodeID: o.EpisodeID, Split: o.Split, Tickets: o.Tickets, Rewards: o.Rewards, OnInvalid: o.OnInvalid}
		if o.Seed != nil {
			opts.Seed = *o.Seed
		}
		result, err = e.Reset(ctx, opts)
	case openenv.TypeStep:
		var a triage.Action
		if a, err = triage.ParseAction(s.task.Track, f.Data, nil); err == nil {
			result, err = e.Step(ctx, a)
		}
	}
	var fields *triage.FieldErrors
	switch {
	case errors.As(err, &fields):
		return openenv.AppendError(nil, &openenv.Refusal{Code: openenv.CodeValidation, Message: openenv.MessageInvalid, Details: openenv.ActionDetails(fields, f.Data)})
	case err != nil:
		return openenv.AppendError(nil, &openenv.Refusal{Code: openenv.CodeExecution, Message: err.Error()})
	}
	return openenv.AppendResultFrame(nil, s.hide(result), s.metadata(e, result.Done))
}

// hide takes out of a result what a sealed server does not tell.
func (s *fake) hide(r triage.StepResult) triage.StepResult {
	if q := r.Observation.Queue; s.sealed && q != nil {
		hidden := *q
		hidden.LastResult, hidden.Stats = nil, nil
		r.Observation.Queue, r.Reward = &hidden, 0
	}
	return r
}

func (s *fake) metadata(e env.Grading, done bool) *openenv.Metadata {
	if !done {
		return &openenv.Metadata{}
	}
	sum, _ := e.Summary()
	f := &openenv.Final{Score: sum.Score, Efficiency: sum.Efficiency, Reward: &sum.Reward, Ended: triage.EndedComplete, Rubrics: map[string]float64{}}
	if sum.Truncated {
		f.Ended = triage.EndedTruncated
	}
	if last := e.LastScore(); s.task.Track == triage.Desk && last != nil {
		for _, p := range last.Parts {
			f.Rubrics[p.Name] = p.Value
		}
	}
	if s.sealed {
		f.Reward, f.Rubrics = nil, nil
	}
	return &openenv.Metadata{Final: f}
}

// serve starts a fake and gives its address. It answers at one path only.
func (s *fake) serve(path string) string {
	mux := http.NewServeMux()
	mux.Handle(path, s)
	srv := httptest.NewServer(mux)
	s.t.Cleanup(srv.Close)
	s.address = srv.URL
	return srv.URL
}

// ours starts a server of ours and gives its address.
func ours(t testing.TB, o server.Options) string {
	t.Helper()
	s := server.New(server.Deps{Handbook: "Handbook", Log: slog.New(slog.DiscardHandler), Now: time.Now, Random: rand.Reader,
		NewEnv: func(task triage.Task, _ triage.Split) (triage.Env, error) { return local(t, task), nil }}, o)
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Drain(ctx); err != nil {
			t.Errorf("drain: %v", err)
		}
		srv.Close()
	})
	return srv.URL
}

func task(t testing.TB, name string) triage.Task {
	t.Helper()
	out, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// local is the environment of a task on the embedded bank.
func local(t testing.TB, task triage.Task) env.Grading {
	t.Helper()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// errorFrame is an error frame with a code.
func errorFrame(code, message string) []byte {
	data, err := json.Marshal(map[string]any{"type": "error", "data": map[string]any{"code": code, "message": message}})
	if err != nil {
		panic(err)
	}
	return data
}
