package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// leaveOpen leaves episodes in the middle, in each way in which that can be done, and tries to go on with them. What comes after
// them is looked at by the watch, as all tickets are: none may come again.
func (s *server) leaveOpen(ctx context.Context, f *finding, track triage.Track) error {
	task, err := triage.TaskFor(track, triage.Easy)
	if err != nil {
		return err
	}
	empty := triage.Action{Track: track}
	const name = "audit-left-open"
	for range 3 {
		e := s.env(task)
		for range 2 { // the second reset leaves the first episode
			if _, err := e.Reset(ctx, triage.ResetOptions{EpisodeID: name}); err != nil {
				return err
			}
			if _, err := e.Step(ctx, empty); err != nil {
				return err
			}
		}
		if s.sealed && len(s.control) > 0 {
			for _, under := range s.control {
				if err := s.goOn(ctx, f, "/"+string(track)+under, name); err != nil {
					return err
				}
			}
		}
		e.lose() // without a word
		again := s.env(task)
		k, err := s.Open(ctx, wsPath(track), s.token())
		if err != nil {
			return err
		}
		again.socket = k
		_, err = again.Step(ctx, empty)
		if err != nil && triage.CodeOf(err) == triage.CodeUnavailable && again.socket == nil {
			return err
		}
		f.unless(err != nil, "a new session on %s goes on without a reset", wsPath(track))
		if _, err := again.Reset(ctx, triage.ResetOptions{EpisodeID: name}); err != nil {
			return err
		}
		_ = again.Close() // it only closes a socket
	}
	return nil
}

// goOn tries to go on over HTTP with an episode that a socket left.
func (s *server) goOn(ctx context.Context, f *finding, under, episode string) error {
	for _, x := range []request{{path: under + "/state?episode_id=" + episode}, {path: under + "/step", body: fmt.Sprintf(`{"episode_id":%q,"action":{}}`, episode)}} {
		x.token = s.token()
		r, err := s.ask(ctx, x)
		if err != nil {
			return err
		}
		f.unless(r.refused(), "%s goes on: %s", x.name(), short(r.body))
	}
	return nil
}

// metersPlayed is how many episodes are played with each kind of answer to see what metrics count; metersTried how often, since
// others may use the server meanwhile.
const metersPlayed, metersTried = 6, 3

// meterAnswers plays episodes with the constant answers and with as many worthless ones, and compares what metrics count.
func (s *server) meterAnswers(ctx context.Context, f *finding, track triage.Track) error {
	task, err := triage.TaskFor(track, triage.Easy)
	if err != nil {
		return err
	}
	constant, err := s.constantAnswer(ctx, task)
	if err != nil {
		return err
	}
	// An answer of nothing earns nothing. On the desk track it would take more steps; there another category is answered.
	other := triage.Action{Track: track}
	if track == triage.Desk {
		other = constant
		other.Desk.Category = triage.Categories()[0]
		if constant.Desk.Category == other.Desk.Category {
			other.Desk.Category = triage.Categories()[1]
		}
	}
	e := s.env(task)
	defer func() { _ = e.Close() }() // it only closes a socket
	if err := e.same(ctx, constant); err != nil {
		return err
	}
	var differ string
	for range metersTried {
		good, err := e.counted(ctx, constant)
		if err != nil {
			return err
		}
		if good == nil {
			f.skip("the server tells no metrics")
			return nil
		}
		bad, err := e.counted(ctx, other)
		if err != nil {
			return err
		}
		if differ = unequal(good, bad); differ == "" {
			for range good {
				f.saw()
			}
			return nil
		}
	}
	f.fault("%s: %s", task.Name, differ)
	return nil
}

// same plays an episode with one answer.
func (e *remote) same(ctx context.Context, a triage.Action) error {
	r, err := e.Reset(ctx, triage.ResetOptions{})
	for err == nil && !r.Done {
		r, err = e.Step(ctx, a)
	}
	return err
}

// counted plays episodes with one answer and gives by how much each series has grown; nil where there are no metrics.
func (e *remote) counted(ctx context.Context, a triage.Action) (map[string]string, error) {
	before, err := e.series(ctx)
	if err != nil || before == nil {
		return nil, err
	}
	for range metersPlayed {
		if err := e.same(ctx, a); err != nil {
			return nil, err
		}
	}
	after, err := e.series(ctx)
	out := map[string]string{}
	for name, v := range after {
		out[name] = fmt.Sprintf("%.9g", v-before[name])
	}
	return out, err
}

// series reads the metrics: name with labels to value. Those of the process and of durations are left out: they change by
// themselves.
func (s *server) series(ctx context.Context) (map[string]float64, error) {
	r, err := s.ask(ctx, request{path: "/metrics", token: s.token()})
	if err != nil || r.status != http.StatusOK {
		return nil, err
	}
	out := map[string]float64{}
	for _, line := range strings.Split(string(r.body), "\n") {
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		name, _, _ := strings.Cut(line[:i], "{")
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") || strings.HasSuffix(name, "_seconds_bucket") || strings.HasSuffix(name, "_seconds_sum") {
			continue
		}
		var v float64
		if json.Unmarshal([]byte(line[i+1:]), &v) == nil {
			out[line[:i]] = v
		}
	}
	return out, nil
}

// unequal says which series grew differently.
func unequal(a, b map[string]string) string {
	var out []string
	for _, name := range sortedKeys(b) {
		if x, ok := a[name]; ok && x != b[name] || !ok && b[name] != "0" {
			out = append(out, fmt.Sprintf("%s grows by %s and by %s", name, a[name], b[name]))
		}
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}
