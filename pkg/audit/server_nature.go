package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// nature is what a server is, as far as it can be found out from outside.
type nature struct {
	tokened, sealed bool
	// control is where plain HTTP has reset, step and state: "", "/web", both or none.
	control []string
	// open are the tasks whose tickets the public generator makes from the seed; guesses finds the seeds of their texts, for a
	// server that chooses the seeds itself.
	open    map[string]bool
	guesses map[string]map[string]int64
	// unsteady are tasks of which two resets with one seed show different tickets.
	unsteady []string
}

// token is what the audit plays with.
func (s *server) token() string {
	if !s.tokened {
		return ""
	}
	return s.Tokens[0]
}

const defaultVisits = 4

// meet finds out what the server is.
func meet(ctx context.Context, d ServerDeps, o ServerOptions) (*server, error) {
	s := &server{ServerDeps: d, options: o, visits: defaultVisits, prefixes: []string{""}, books: map[string]*book{}, nature: nature{open: map[string]bool{}, guesses: map[string]map[string]int64{}}}
	for _, t := range s.tracks() {
		s.prefixes = append(s.prefixes, "/"+string(t))
	}
	if err := s.greet(ctx); err != nil {
		return nil, err
	}
	sealed, err := s.findSealed(ctx)
	if err != nil {
		return nil, err
	}
	s.sealed = sealed
	s.watch = newWatch(sealed)
	for _, under := range []string{"", "/web"} {
		r, err := s.ask(ctx, request{path: under + "/reset", body: "[]", token: s.token()})
		if err != nil {
			return nil, err
		}
		if r.status == http.StatusUnprocessableEntity {
			s.control = append(s.control, under)
		}
	}
	for _, task := range o.Tasks {
		if err := s.findSecret(ctx, task); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// greet looks whether this is a server of ours that lets the audit in.
func (s *server) greet(ctx context.Context) error {
	r, err := s.ask(ctx, request{path: "/health"})
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return unusable("GET /health answers %d", r.status)
	}
	if r, err = s.ask(ctx, request{path: "/metadata"}); err != nil {
		return err
	}
	if s.tokened = r.status == http.StatusUnauthorized; s.tokened {
		if len(s.Tokens) == 0 {
			return unusable("the server needs a token")
		}
		if r, err = s.ask(ctx, request{path: "/metadata", token: s.token()}); err != nil {
			return err
		}
	}
	var m struct{ Name string }
	if r.status != http.StatusOK || json.Unmarshal(r.body, &m) != nil {
		return unusable("GET /metadata answers %d: %s", r.status, short(r.body))
	}
	if m.Name != openenv.EnvName {
		return unusable("the server has the environment %q: only servers of %s can be audited", short(m.Name), openenv.EnvName)
	}
	return nil
}

func unusable(format string, args ...any) error {
	return &triage.Error{Code: triage.CodeUnavailable, Message: clean(fmt.Sprintf(format, args...))}
}

// findSealed takes a server for sealed if it refuses a seed, shows no stats, or has a page without gradings. It is then held to all
// of it.
func (s *server) findSealed(ctx context.Context) (bool, error) {
	task := s.options.Tasks[0]
	k, err := s.Open(ctx, wsPath(task.Track), s.token())
	if err != nil {
		return false, err
	}
	defer k.Close()
	options := map[string]any{openenv.OptionDifficulty: task.Difficulty, openenv.OptionSplit: s.options.Split}
	sealed := true
	for _, seed := range []bool{true, false} {
		delete(options, openenv.OptionSeed)
		if seed {
			options[openenv.OptionSeed] = s.options.Seed
		}
		a, raw, err := exchange(ctx, k, frame(openenv.TypeReset, options))
		if err != nil {
			return false, err
		}
		var env struct {
			Observation struct {
				Task  *string `json:"task"`
				Stats any     `json:"stats"`
			} `json:"observation"`
		}
		switch {
		case a.Type == openenv.TypeObservation && json.Unmarshal(a.Data, &env) == nil:
			sealed = !seed || env.Observation.Task != nil && env.Observation.Stats == nil
		case seed && a.Type == openenv.TypeError:
			continue
		default:
			return false, unusable("a reset of %s is answered with %s", task.Name, short(raw))
		}
		break
	}
	if sealed {
		return true, nil
	}
	page, err := s.ask(ctx, request{path: "/web/metadata", token: s.token()})
	if err != nil || page.status != http.StatusOK {
		return false, err
	}
	review, err := s.ask(ctx, request{path: "/web/review", token: s.token()})
	return review.status == http.StatusNotFound, err
}

// guessed is how many seeds are tried to find those of a sealed server.
const guessed = 1000

// findSecret compares the first ticket of a seed with the one that the public generator makes.
func (s *server) findSecret(ctx context.Context, task triage.Task) error {
	tickets, err := s.Source(task, s.options.Split)
	if err != nil {
		return err
	}
	e := s.env(task)
	defer func() { _ = e.Close() }() // it only closes a socket
	r, err := e.Reset(ctx, triage.ResetOptions{Seed: s.options.Seed})
	if err != nil {
		return err
	}
	text := textOf(r.Observation)
	if s.sealed {
		found := make(map[string]int64, guessed)
		for seed := range int64(guessed) {
			c := tickets(seed, 0)
			found[textOfCase(c)] = seed
		}
		s.guesses[task.Name] = found
		_, s.open[task.Name] = found[text]
		return nil
	}
	c := tickets(s.options.Seed, 0)
	s.open[task.Name] = textOfCase(c) == text
	if r, err = e.Reset(ctx, triage.ResetOptions{Seed: s.options.Seed}); err != nil {
		return err
	}
	if textOf(r.Observation) != text {
		s.unsteady = append(s.unsteady, task.Name)
	}
	return nil
}

// told says what the server is.
func (s *server) told() []triage.Check {
	line := func(id, what, seen string) triage.Check {
		return triage.Check{ID: "server/" + id, Description: what, Expected: "printed", Seen: seen, Printed: true}
	}
	yes := map[bool]string{true: "yes", false: "no"}
	tokens := "no"
	if s.tokened {
		tokens = fmt.Sprintf("yes; the audit has %d", len(s.Tokens))
	}
	secret := line("secret", "do its tickets differ from those of the public generator, by a secret or another bank or version?", "")
	var hidden []string
	for _, t := range s.options.Tasks {
		if !s.open[t.Name] {
			hidden = append(hidden, t.Name)
		}
	}
	switch len(hidden) {
	case 0:
		secret.Seen = "no"
	case len(s.options.Tasks):
		secret.Seen = "yes"
	default:
		secret.Seen = "those of " + strings.Join(hidden, ", ")
	}
	control := "no"
	if len(s.control) > 0 {
		control = "yes, under " + strings.Join(quoted(s.control), ", ")
	}
	out := []triage.Check{line("sealed", "is it sealed?", yes[s.sealed]), line("tokens", "does it need tokens?", tokens), secret,
		line("control", "does plain HTTP begin episodes?", control)}
	seeds := claim("seeds", "one seed, reset twice", "the same ticket")
	if s.sealed {
		seeds.skip("a sealed server chooses the seeds")
	}
	for range s.options.Tasks {
		seeds.saw()
	}
	for _, name := range s.unsteady {
		seeds.fault("%s shows another ticket", name)
	}
	return append(out, seeds.check("tasks"))
}

func quoted(list []string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x + "/reset"
	}
	return out
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
