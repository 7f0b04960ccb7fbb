package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sources are the ticket sources of the embedded bank, made once.
var sources sync.Map

var bank = sync.OnceValues(scenario.Embedded)

// newEnv makes a real environment of a task.
func newEnv(task triage.Task, split triage.Split) (triage.Env, error) {
	return realEnv(task, split)
}

func realEnv(task triage.Task, split triage.Split) (env.Grading, error) {
	return env.New(task, split, func(split triage.Split) (env.Source, error) { return realSource(task, split) })
}

func realSource(task triage.Task, split triage.Split) (env.Source, error) {
	b, err := bank()
	if err != nil {
		return nil, err
	}
	once, _ := sources.LoadOrStore(task.Name+" "+string(split), sync.OnceValues(func() (*synth.Source, error) { return synth.New(b, task, split, nil) }))
	return once.(func() (*synth.Source, error))()
}

// direct makes the same environment for a test to play beside the server.
func direct(t testing.TB, task triage.Task) env.Grading {
	t.Helper()
	e, err := realEnv(task, triage.Train)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func taskOf(t testing.TB, track triage.Track, d triage.Difficulty) triage.Task {
	t.Helper()
	task, err := triage.TaskFor(track, d)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// lines is a log that can be read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// rig is a running server.
type rig struct {
	t   testing.TB
	srv *server.Server
	web *httptest.Server
	log *lines
}

type tweak = func(d *server.Deps, o *server.Options)

// outfit gives the dependencies and options of a test's server.
func outfit(log io.Writer, tweaks ...tweak) (server.Deps, server.Options) {
	deps := server.Deps{NewEnv: newEnv, NewAgent: func() (triage.Agent, error) { return agent.New("heuristic") }, Handbook: handbook.Text(),
		Page: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") }),
		Log:  slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: time.Now, Random: rand.Reader}
	options := server.Options{Version: "1.2.3", Loopback: true}
	for _, f := range tweaks {
		f(&deps, &options)
	}
	return deps, options
}

// start starts a server over real environments on a port of this machine.
func start(t testing.TB, tweaks ...tweak) *rig {
	t.Helper()
	r := &rig{t: t, log: &lines{}}
	deps, options := outfit(r.log, tweaks...)
	r.srv = server.New(deps, options)
	r.web = httptest.NewUnstartedServer(r.srv)
	r.web.Config = r.srv.HTTPServer(nil)
	r.web.Start()
	t.Cleanup(r.end)
	return r
}

// end ends the server, after everything that it has begun.
func (r *rig) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.srv.Drain(ctx); err != nil {
		r.t.Errorf("drain: %v", err)
	}
	r.web.Close()
}

// answer is what a request got.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// do sends a request; headers come in pairs. A body is JSON, unless a header says otherwise.
func (r *rig) do(method, path, body string, headers ...string) answer {
	r.t.Helper()
	req, err := http.NewRequest(method, r.web.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			req.Host = headers[i+1]
		case headers[i+1] == "":
			req.Header.Del(headers[i])
		default:
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	client := *r.web.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// ok sends a request that must succeed, and gives its body as an object.
func (r *rig) ok(method, path, body string, headers ...string) map[string]any {
	r.t.Helper()
	a := r.do(method, path, body, headers...)
	if a.Status != http.StatusOK {
		r.t.Fatalf("%s %s %s: status %d, %s", method, path, body, a.Status, a.Body)
	}
	return object(r.t, a.Body)
}

// reset begins an episode over HTTP and gives its session.
func (r *rig) reset(path, body string, headers ...string) string {
	r.t.Helper()
	a := r.do("POST", path, body, headers...)
	session := a.Header.Get("X-Triage-Session")
	if a.Status != http.StatusOK || session == "" {
		r.t.Fatalf("POST %s %s: status %d, session %q, %s", path, body, a.Status, session, a.Body)
	}
	return session
}

// object reads a JSON object.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil || out == nil {
		t.Fatalf("%.300s: no JSON object: %v", text, err)
	}
	return out
}

// plain gives a value as it looks after a trip through JSON.
func plain(t testing.TB, v any) any {
	t.Helper()
	var data []byte
	if s, ok := v.(string); ok && strings.IndexAny(s, "{[") == 0 {
		data = []byte(s)
	} else {
		var err error
		if data, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%.300s: no JSON: %v", data, err)
	}
	return out
}

// same compares two values as JSON; a string that begins like an object or a list is JSON text.
func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(plain(t, want), plain(t, got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// detail is the body of a refusal in words.
func detail(text string) map[string]any { return map[string]any{"detail": text} }

// meta is the metadata beside an observation.
type meta = map[string]any

// envelope is what the wire says of a result: on HTTP the key of the metadata is always there.
func envelope(t testing.TB, r triage.StepResult, m meta, http bool) map[string]any {
	t.Helper()
	if m == nil {
		m = meta{}
	}
	out := map[string]any{"observation": shown(t, r.Observation, m), "reward": r.Reward, "done": r.Done}
	if len(m) > 0 {
		out["metadata"] = m
	} else if http {
		out["metadata"] = nil
	}
	return out
}

// shown is an observation with its metadata.
func shown(t testing.TB, o triage.Observation, m meta) map[string]any {
	t.Helper()
	out := plain(t, o).(map[string]any)
	out["metadata"] = m
	return out
}

// actions gives answers for a track, right and wrong ones, of which an episode takes as many as it needs.
func actions(track triage.Track) []string {
	if track == triage.Queue {
		return []string{`{"route_category":"technical","urgency_assessment":"high","resolution_difficulty":"medium","priority_score":54}`,
			`{"route_category":"billing","priority_score":"25"}`, `{}`, `{"urgency_assessment":"low","metadata":{"note":1}}`,
			`{"route_category":"spam","urgency_assessment":"low","resolution_difficulty":"easy","priority_score":0.0}`}
	}
	return []string{`{"category":"Bug","urgency_days":2}`, `{"priority":"High","recommendation":"Check the logs and reproduce the error for the customer."}`,
		`{"department":"Engineering","category":"Question"}`}
}

// parsed reads an action.
func parsed(t testing.TB, track triage.Track, text string) triage.Action {
	t.Helper()
	a, err := triage.ParseAction(track, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
