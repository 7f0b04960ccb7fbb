package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// Mode says which HTTP routes there are.
type Mode string

// The modes. Production has no /reset, /step and /state over HTTP; sockets are the same in both.
const (
	Simulation Mode = "simulation"
	Production Mode = "production"
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Simulation, Production} }

// Deps are what a server needs of the outside. All functions are called concurrently.
type Deps struct {
	// NewEnv makes an environment; split is what it plays when a reset names none. It is used by one caller at a time. It may be
	// a [triage.Grader]: then the last observation has the episode's figures.
	NewEnv func(task triage.Task, split triage.Split) (triage.Env, error)
	// NewAgent makes the agent that the page compares people with; nil for none.
	NewAgent func() (triage.Agent, error)
	Handbook string
	// Page is what / and /web show; nil for nothing.
	Page http.Handler
	// Ledger decides what a sealed server's clients play; nil unless it is sealed.
	Ledger *Ledger
	Log    *slog.Logger
	Now    func() time.Time
	Random io.Reader // unpredictable bytes, for ids
	// Memory is told now and then how many sessions there are, to hold no more memory than they need, see [GiveBack]; nil for nothing.
	Memory func(sessions int)
}

// Options are the settings of a server. The zero value of a duration or number means its default.
type Options struct {
	Track       triage.Track // at the root
	Mode        Mode
	Version     string
	MaxSessions int           // default 4096
	Timeout     time.Duration // of an idle session, default 30 min
	Rewards     triage.Rewards
	Sealed      bool
	// Tokens are those of which a request must bear one; none means that anyone may come.
	Tokens []string
	// Loopback says that only this machine can reach the server.
	Loopback bool
	// Origins are those of pages on other hosts whose scripts may call.
	Origins []string
	// Ping is how often sockets are asked whether they still live, default 20 s; one that is silent for twice that is closed.
	Ping time.Duration
}

// The defaults and limits of a server.
const (
	DefaultMaxSessions = 4096
	DefaultTimeout     = 30 * time.Minute
	defaultPing        = 20 * time.Second
	maxFrame           = 16 << 20 // bytes of a frame and of a body
	maxKept            = 32       // HTTP episodes of a caller
)

// split is the half of the bank that is played where a client names none.
func (o *Options) split() triage.Split {
	if o.Sealed {
		return triage.Test
	}
	return triage.Train
}

// Server serves both tracks. It is an [http.Handler].
type Server struct {
	deps     Deps
	options  Options
	tokens   tokens
	sessions *sessions
	episodes *episodes
	counts   *counts
	crew     crew
	routes   []route
	handler  http.Handler
	// ended is closed when the server drains.
	ended     chan struct{}
	endOnce   sync.Once
	entry     sync.Mutex     // held where ended is closed, and where a socket is added to running
	running   sync.WaitGroup // sockets and the caretaker
	large     chan struct{}  // holds an entry for each large frame that is under way
	middle    chan struct{}  // the same for those that are not small, and for such bodies
	randomize sync.Mutex
}

// New makes a server and starts its caretaker, which [Server.Drain] ends.
func New(deps Deps, options Options) *Server {
	if options.MaxSessions == 0 {
		options.MaxSessions = DefaultMaxSessions
	}
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	if options.Ping == 0 {
		options.Ping = defaultPing
	}
	if options.Track == "" {
		options.Track = triage.Queue
	}
	if options.Mode == "" {
		options.Mode = Simulation
	}
	s := &Server{deps: deps, options: options, tokens: newTokens(options.Tokens), ended: make(chan struct{}), crew: crew{jobs: make(chan job)}, large: make(chan struct{}, mostLarge), middle: make(chan struct{}, mostMiddle)}
	if deps.Ledger != nil {
		deps.Ledger.report = func(err error) {
			deps.Log.Error("the ledger cannot be written: nothing can be played any more", "error", err)
		}
	}
	s.sessions = newSessions(options.MaxSessions, deps.Now)
	s.episodes = newEpisodes(DefaultMaxSessions, deps.Now)
	s.counts = newCounts(s)
	s.routes = s.table()
	s.handler = s.logged(s.guarded(http.HandlerFunc(s.route)))
	s.running.Go(s.care)
	s.running.Go(s.watch)
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// draining tells whether no new session may begin.
func (s *Server) draining() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// enter counts a socket that begins among what runs, unless the server drains.
func (s *Server) enter() bool {
	s.entry.Lock()
	defer s.entry.Unlock()
	if s.draining() {
		return false
	}
	s.running.Add(1)
	return true
}

// Drain lets no session begin, lets running steps finish, closes all sessions and waits until they are gone or ctx ends.
func (s *Server) Drain(ctx context.Context) error {
	s.endOnce.Do(func() {
		s.entry.Lock()
		defer s.entry.Unlock()
		close(s.ended)
	})
	s.sessions.endAll("the server is going down")
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		s.sessions.closeAll()
		s.episodes.closeAll()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// care closes what nobody uses any more, until the server drains.
func (s *Server) care() {
	every := max(min(s.options.Timeout, s.options.Ping)/4, time.Millisecond)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-ticker.C:
			s.sessions.endIdle(s.options.Timeout)
			s.episodes.endIdle(s.options.Timeout)
			for _, k := range s.sessions.sockets() {
				k.check(s.deps.Now(), s.options.Ping)
			}
			if s.deps.Memory != nil {
				s.deps.Memory(s.sessions.count() + s.episodes.count())
			}
		}
	}
}

// random fills b with unpredictable bytes.
func (s *Server) random(b []byte) error {
	s.randomize.Lock()
	defer s.randomize.Unlock()
	if _, err := io.ReadFull(s.deps.Random, b); err != nil {
		return &triage.Error{Code: triage.CodeUnavailable, Message: "read random bytes", Err: err}
	}
	return nil
}
