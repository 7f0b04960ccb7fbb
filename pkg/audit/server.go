package audit

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/triagebench/triage/pkg/triage"
)

// Socket is a WebSocket session: a frame out, the next frame in. One caller at a time uses it.
type Socket interface {
	Exchange(ctx context.Context, frame []byte) ([]byte, error)
	Close()
}

// ServerDeps are what the audit of a server plays with. Of [Deps], NewEnv, Outside and Secret are not used: environments are
// those of the server, and Source and Bank are what an attacker has.
type ServerDeps struct {
	Deps
	// URL gives the address of a path, which begins with a slash.
	URL func(path string) string
	// HTTP sends requests. Redirects that it follows are the server's answers.
	HTTP *http.Client
	// Open begins a session at the path of a WebSocket as the bearer of a token; an empty token is none.
	Open func(ctx context.Context, path, token string) (Socket, error)
	// Tokens are those that the audit may use: the first one plays, the second one is the stranger.
	Tokens []string
}

// ServerOptions say what is played on a server. Seeds are Seed … Seed+Episodes−1, where the server lets its clients choose.
type ServerOptions struct {
	Tasks    []triage.Task
	Split    triage.Split
	Seed     int64
	Episodes map[triage.Track]int // a task
	Workers  int                  // sessions at once
	// Train is as in [Options]. Sample is how many tickets decide whether ids, positions and lengths tell a label; 0 means
	// 4,000.
	Train, Sample int
	// Step, if set, is told after each episode (played by all attacks) how many of all are done. Calls do not overlap.
	Step func(done, total int)
}

const defaultServerSample = 4000

// server is what an audit of a server knows of it.
type server struct {
	ServerDeps
	options ServerOptions
	nature
	watch *watch
	books map[string]*book
	// visits is how many episodes are played under each prefix and on each kind of socket to see what changes with the ticket.
	visits int
	// prefixes are where the server has its routes: at the root, and under each track that is played.
	prefixes []string
	// begun counts episodes: each has a number of its own.
	begun atomic.Int64
}

// isSealed tells whether the arena is on a sealed server.
func (a *audit) isSealed() bool { return a.server != nil && a.server.sealed }

// RunServer plays the attacks on a server and looks at everything that it answers. What the server is (whether it is sealed, needs
// tokens, has a secret) is found out first. Errors have CodeUnavailable where the server cannot be reached or played on.
func RunServer(ctx context.Context, d ServerDeps, o ServerOptions) ([]triage.Check, error) {
	s, err := meet(ctx, d, o)
	if err != nil {
		return nil, err
	}
	out := s.told()
	for _, track := range s.tracks() {
		checks, err := s.play(ctx, track, serverSections())
		if err != nil {
			return nil, err
		}
		out = append(out, checks...)
	}
	checks, err := s.look(ctx)
	return append(out, checks...), err
}

// tracks lists those that are played.
func (s *server) tracks() []triage.Track {
	var out []triage.Track
	for _, t := range triage.Tracks() {
		if slices.ContainsFunc(s.options.Tasks, func(x triage.Task) bool { return x.Track == t }) {
			out = append(out, t)
		}
	}
	return out
}

// play plays the attacks on the tasks of a track.
func (s *server) play(ctx context.Context, track triage.Track, list []section) ([]triage.Check, error) {
	o := Options{Split: s.options.Split, Seed: s.options.Seed, Episodes: s.options.Episodes[track], Workers: s.options.Workers,
		Train: s.options.Train, Sample: s.options.Sample}
	if o.Train == 0 {
		o.Train = defaultTrain
	}
	if o.Sample == 0 {
		o.Sample = defaultServerSample
	}
	before, total := 0, 0
	for _, t := range s.options.Tasks {
		n := s.options.Episodes[t.Track]
		total += n
		if t.Track == track {
			o.Tasks = append(o.Tasks, t)
		} else if track == triage.Desk {
			before += n
		}
	}
	if o.Episodes < 1 || o.Workers < 1 {
		return nil, &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
			"audit of %d episodes of track %s in %d sessions: at least one of each is needed", o.Episodes, track, o.Workers)}
	}
	if s.options.Step != nil {
		o.Step = func(done, _ int) { s.options.Step(before+done, total) }
	}
	d := s.Deps
	d.NewEnv = func(task triage.Task, _ triage.Split, _ []byte) (triage.Env, error) { return s.env(task), nil }
	d.Secret = nil
	return (&audit{Deps: d, Options: o, books: s.books, server: s}).run(ctx, list)
}

// look plays by hand what no agent does, and looks at every answer.
func (s *server) look(ctx context.Context) ([]triage.Check, error) {
	var out []triage.Check
	for _, part := range []func(context.Context) ([]triage.Check, error){s.checkTokens, s.checkEndpoints, s.checkSessions, s.checkSealed} {
		checks, err := part(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, checks...)
	}
	return out, nil
}
