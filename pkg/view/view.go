// Package view shows runs in a browser while they go on and after: a leaderboard over a folder of runs, the report of each run,
// and two of them held against each other. It is an [http.Handler] that reads and never writes, for one person on one machine:
// what it shows are tickets, answers and labels, so that it answers calls by the names of this machine only.
//
// It makes no report itself: the pages of runs and comparisons come from functions that are handed in. Start at [New].
package view

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/history"
)

// Choice names a run or a results file below the folder, and one of its agents; an empty Agent means the first.
type Choice struct{ Path, Agent string }

// Deps are what a [Server] shows and what it needs of the world.
type Deps struct {
	// Root is the folder. It stays the caller's to close, after the last request.
	Root *os.Root
	// Name is what pages call it.
	Name string
	// Single says that the folder is one run, and no folder of runs.
	Single bool
	// Local tells whether a host, without its port, is this machine.
	Local func(host string) bool
	Now   func() time.Time
	// Run writes the page of a run, whose folder lies at the entry's path. progress is the address, relative to the page's own,
	// that tells how far the run is ([Progress]), or empty for a run that is complete.
	Run func(w io.Writer, run *history.Entry, progress string) error
	// Compare writes the page of other against base, where what they do not share is allowed to differ (keys of [Unlike]). For two that
	// do not share more than that its error is a [Refusal].
	Compare func(w io.Writer, base, other Choice, allow []string) error
}

// Unlike is something that two sides do not share.
type Unlike struct{ Key, Base, New string }

// Refusal says why two are not compared: what they do not share and is not allowed to differ. Whoever knows better allows it.
type Refusal struct {
	Unlike []Unlike
	Err    error // the same in words, for a command line
}

// Error is what the command says.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap gives the error of the comparison.
func (r *Refusal) Unwrap() error { return r.Err }

// Progress says how far a run is.
type Progress struct {
	Done    int    `json:"done"`    // episodes that are finished
	Broke   int    `json:"broke"`   // those of them that broke
	Planned int    `json:"planned"` // episodes of the run; 0 where that is not known
	Ended   bool   `json:"ended"`   // nobody writes the run any more, and it is not just being summed up
	State   string `json:"state"`   // for people, such as "interrupted: 12 of 100"
	Version string `json:"version"` // changes with the run
}

// ProgressOf is the progress of a run.
func ProgressOf(e *history.Entry) Progress {
	return Progress{Done: e.Done, Broke: e.Broke, Planned: e.Planned, Ended: !goesOn(e) && e.State != history.Unsummed,
		State: e.Progress(), Version: e.Version}
}

// freshFor is how long what was found in the folder is shown before it is looked at again.
const freshFor = time.Second

// Server shows a folder.
type Server struct {
	deps    Deps
	scanner *history.Scanner
	routes  http.Handler
	pages   pages

	mu     sync.Mutex
	listed time.Time // zero for never
	list   []*history.Entry
	failed error // why there is no list
	looked map[string]look
}

// look is what was found at a path, and when.
type look struct {
	at    time.Time
	entry *history.Entry
}

// maxLooks is how many runs are remembered between two looks at the folder.
const maxLooks = 64

// New makes a server. It reads nothing before the first request.
func New(deps Deps) *Server {
	s := &Server{deps: deps, scanner: history.NewScanner(deps.Root), looked: map[string]look{}, pages: pages{now: deps.Now}}
	s.routes = s.guarded(s.mux())
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// The limits of a connection. A page may be large and is made before it is written.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// HTTPServer gives a server with limits. Errors of connections go to errors.
func (s *Server) HTTPServer(errors *log.Logger) *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: errors, BaseContext: func(net.Listener) context.Context { return context.Background() }}
}

// entries lists the folder, at most once a second.
func (s *Server) entries() ([]*history.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.deps.Now(); s.listed.IsZero() || now.Sub(s.listed) >= freshFor {
		s.list, s.failed = s.scanner.Scan()
		s.listed = s.deps.Now() // a long listing is not begun again at once
	}
	return s.list, s.failed
}

// entry looks at one run, at most once a second.
func (s *Server) entry(path string) *history.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.deps.Now()
	if l, ok := s.looked[path]; ok && now.Sub(l.at) < freshFor {
		return l.entry
	}
	if len(s.looked) >= maxLooks {
		clear(s.looked)
	}
	e := s.scanner.Look(path)
	s.looked[path] = look{at: now, entry: e}
	return e
}
