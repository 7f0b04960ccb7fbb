package play

import (
	"context"
	"errors"

	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/triage"
)

// Config is what a session plays, and where it goes.
type Config struct {
	Plan   *runner.Plan
	NewEnv func(task string, position triage.Int) (triage.Env, error)
	// Want tells which places of the plan are to be played; those that an earlier sitting has finished are not.
	Want func(place int) bool
	// Before gives the steps of an unfinished episode from an earlier sitting; nil: there are none.
	Before func(key triage.Key) []triage.Step
	// Step keeps a step of an episode that goes on, Episode one that is finished; both are called at once, and again with the new answer
	// when one was taken back. Nil: nothing is kept. An error ends the session.
	Step    func(key triage.Key, index int, s *triage.Step) error
	Episode func(place int, ep *triage.Episode) error
	// Tickets is how many tickets an episode of a task has; nil: one.
	Tickets func(key triage.Key) int
}

// Graded is how an answer was graded. It names the truth.
type Graded struct {
	Ticket *Ticket
	Score  *triage.Score // nil where nothing was graded
}

// Session plays a plan with a person in the place of the agent. It is for one goroutine. Start, then Answer or Undo until Ticket is
// nil, then Close.
type Session struct {
	cfg     Config
	ctx     context.Context
	cancel  context.CancelFunc
	at      []int // the place's first ticket in the plan, counted from 0
	of      int
	steps   map[triage.Key][]triage.Step
	done    map[int]*triage.Episode
	history []answered

	asks    chan ask
	answers chan triage.Action
	ended   chan error
	running bool
	ticket  *Ticket
	last    *Graded
}

// answered is a ticket that was answered in this sitting: its place, and its first step in the episode.
type answered struct{ place, step int }

type ask struct {
	key triage.Key
	o   triage.Observation
}

// errLeft ends a round of the runner: the session was closed, or goes back.
var errLeft = &triage.Error{Code: triage.CodeUsage, Message: "the person left"}

// NewSession makes a session; nothing is played yet.
func NewSession(cfg Config) *Session {
	s := &Session{cfg: cfg, steps: map[triage.Key][]triage.Step{}, done: map[int]*triage.Episode{}, at: make([]int, cfg.Plan.Len())}
	for place := range cfg.Plan.Len() {
		s.at[place] = s.of
		s.of += s.tickets(cfg.Plan.Key(place))
	}
	for place := range cfg.Plan.Len() {
		if key := cfg.Plan.Key(place); cfg.Before != nil {
			if list := cfg.Before(key); len(list) > 0 {
				s.steps[key] = list
			}
		}
	}
	return s
}

func (s *Session) tickets(key triage.Key) int {
	if s.cfg.Tickets == nil || key.Position.Set {
		return 1
	}
	return max(1, s.cfg.Tickets(key))
}

// Start goes to the first ticket. ctx ends the session.
func (s *Session) Start(ctx context.Context) error {
	s.ctx = ctx
	return s.round()
}

// Ticket is the ticket that is to be answered, or nil where all are answered.
func (s *Session) Ticket() *Ticket { return s.ticket }

// Last is the answer that was given last, as it was graded, or nil.
func (s *Session) Last() *Graded { return s.last }

// Finished has the episodes that were finished in this sitting, by place.
func (s *Session) Finished() map[int]*triage.Episode { return s.done }

// Answered is how many tickets were answered, those of earlier sittings included, and how many there are.
func (s *Session) Answered() (n, of int) {
	if s.ticket == nil {
		return s.of, s.of
	}
	return s.ticket.At - 1, s.of
}

// CanUndo tells whether an answer of this sitting can be taken back.
func (s *Session) CanUndo() bool { return len(s.history) > 0 }

// Answer answers the ticket and goes to the next. An empty action is no answer: it earns nothing, and counts. What a desk ticket
// lacks is not asked for again.
func (s *Session) Answer(a triage.Action) error {
	if s.ticket == nil {
		return errors.New("there is no ticket to answer")
	}
	a.Track = s.ticket.track
	key := s.ticket.Key
	s.history = append(s.history, answered{s.cfg.Plan.Index(key), len(s.steps[key])})
	s.last = &Graded{Ticket: s.ticket}
	if over, err := s.pass(a); over {
		return err
	}
	return s.wait()
}

// pass hands an answer to the runner; over tells that the runner ended before it took it.
func (s *Session) pass(a triage.Action) (over bool, err error) {
	select {
	case s.answers <- a:
		return false, nil
	case err := <-s.ended:
		return true, s.end(err)
	}
}

// end is called when the runner is through.
func (s *Session) end(err error) error {
	s.running, s.ticket = false, nil
	s.cancel()
	return err
}

// Undo takes the last answer of this sitting back and shows its ticket again. What was kept of it stays kept until the ticket is
// answered anew.
func (s *Session) Undo() error {
	if !s.CanUndo() {
		return errors.New("there is no answer of this sitting to take back")
	}
	s.Close()
	last := s.history[len(s.history)-1]
	s.history = s.history[:len(s.history)-1]
	key := s.cfg.Plan.Key(last.place)
	if ep := s.done[last.place]; ep != nil {
		s.steps[key] = ep.Steps
		delete(s.done, last.place)
	}
	s.steps[key] = s.steps[key][:last.step:last.step]
	s.last = nil
	return s.round()
}

// Close ends what goes on behind the session; it can go on only by Undo.
func (s *Session) Close() {
	if s.running {
		s.cancel()
		if err := <-s.ended; err != nil {
			s.ticket = nil // it cannot be answered any more
		}
		s.running = false
	}
}

// round plays from the first place that is not finished.
func (s *Session) round() error {
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(s.ctx)
	s.asks, s.answers, s.ended, s.running = make(chan ask), make(chan triage.Action), make(chan error, 1), true
	r := runner.Runner{NewEnv: s.cfg.NewEnv, Workers: 1, OnStep: s.keepStep,
		NewAgent: func(string) (triage.Agent, error) { return &hand{asks: s.asks, answers: s.answers}, nil },
		Before:   func(key triage.Key) []triage.Step { return s.steps[key] }}
	want := func(place int) bool { return s.cfg.Want(place) && s.done[place] == nil }
	go func() { s.ended <- r.Run(ctx, s.cfg.Plan, want, s.keepEpisode) }()
	return s.wait()
}

// wait goes on to the next ticket. While the runner is behind it, nothing else touches the session.
func (s *Session) wait() error {
	for {
		select {
		case err := <-s.ended:
			return s.end(err)
		case a := <-s.asks:
			if a.o.Desk != nil && len(s.steps[a.key]) > 0 { // what was left open stays open
				if over, err := s.pass(triage.Action{Track: triage.Desk}); over {
					return err
				}
				continue
			}
			s.ticket = newTicket(a.key, a.o)
			s.ticket.At, s.ticket.Of = s.at[s.cfg.Plan.Index(a.key)]+1, s.of
			if a.o.Queue != nil {
				s.ticket.At += a.o.Queue.Position
			}
			return nil
		}
	}
}

// keepStep keeps a step of an episode that goes on.
func (s *Session) keepStep(key triage.Key, index int, step *triage.Step) error {
	s.steps[key] = append(s.steps[key][:index:index], *step)
	s.grade(step)
	if s.cfg.Step == nil {
		return nil
	}
	return s.cfg.Step(key, index, step)
}

func (s *Session) keepEpisode(place int, ep *triage.Episode) error {
	s.done[place] = ep
	delete(s.steps, ep.Key)
	if n := len(ep.Steps); n > 0 {
		s.grade(&ep.Steps[n-1])
	}
	if s.cfg.Episode == nil {
		return nil
	}
	return s.cfg.Episode(place, ep)
}

func (s *Session) grade(step *triage.Step) {
	if s.last != nil && step.Score != nil {
		s.last.Score = step.Score.Clone()
	}
}

// hand is the agent: it passes on what it is asked, and what is answered.
type hand struct {
	asks    chan<- ask
	answers <-chan triage.Action
	key     triage.Key
}

// Start takes note of the episode that begins.
func (h *hand) Start(key triage.Key) { h.key = key }

// Act asks the person.
func (h *hand) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	select {
	case h.asks <- ask{h.key, o}:
	case <-ctx.Done():
		return triage.Action{}, errLeft
	}
	select {
	case a := <-h.answers:
		return a, nil
	case <-ctx.Done():
		return triage.Action{}, errLeft
	}
}
