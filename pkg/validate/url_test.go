package validate_test

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/validate"
)

// checkIDs are the checks of a server, in their order.
var checkIDs = []string{"openapi_version_available", "health_endpoint", "metadata_endpoint", "schema_endpoint", "mcp_endpoint", "mode_endpoint_consistency", "episode",
	"runtime.reward_well_formed", "runtime.observation_schema", "runtime.state_contract", "wrong_frames", "seed_determinism", "seed_difference", "session_capacity", "session_isolation"}

// checked checks a server and gives its checks by id.
func checked(t *testing.T, address string, o validate.ServerOptions) map[string]triage.Check {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 3 * time.Second
	}
	if o.Seed == 0 {
		o.Seed = 42
	}
	list, err := validate.URL(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	out, ids := map[string]triage.Check{}, []string{}
	for _, c := range list {
		out[c.ID] = c
		ids = append(ids, c.ID)
		if c.Description == "" || c.Expected == "" {
			t.Errorf("%s does not say what it is about", c.ID)
		}
	}
	if d := cmp.Diff(checkIDs, ids); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	return out
}

// verdicts gives the ids of checks that fail and of those that are left out.
func verdicts(checks map[string]triage.Check) (failed, skipped string) {
	for _, id := range checkIDs {
		switch c := checks[id]; {
		case c.Skipped != "":
			skipped += " " + id
		case !c.Passed:
			failed += " " + id
		}
	}
	return strings.TrimSpace(failed), strings.TrimSpace(skipped)
}

const afterEpisode = "runtime.reward_well_formed runtime.observation_schema runtime.state_contract wrong_frames seed_determinism seed_difference session_capacity session_isolation"

// fault is a server, what has to be found against it, and what cannot be told.
type fault struct {
	name            string
	server          *fakeServer
	failed, skipped string
	says            string // in what the first failed check has seen
}

func hold(t *testing.T, faults []fault) {
	t.Helper()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			checks := checked(t, f.server.start(t), validate.ServerOptions{})
			failed, skipped := verdicts(checks)
			if failed != f.failed || skipped != f.skipped {
				t.Errorf("failed %q, want %q; skipped %q, want %q", failed, f.failed, skipped, f.skipped)
				for _, id := range checkIDs {
					t.Logf("%s: passed %v: %s %s", id, checks[id].Passed, checks[id].Seen, checks[id].Skipped)
				}
			}
			first, _, _ := strings.Cut(f.failed, " ")
			if got := checks[first].Seen; !strings.Contains(got, f.says) {
				t.Errorf("%s has seen %q, want %q in it", first, got, f.says)
			}
		})
	}
}

func TestAGoodServerHoldsEveryCheck(t *testing.T) {
	t.Parallel()
	hold(t, []fault{
		{name: "two and more sessions", server: &fakeServer{}},
		{name: "one session", server: &fakeServer{places: 1}, skipped: "session_isolation"},
		{name: "nothing random", server: &fakeServer{fixed: true}, skipped: "seed_difference"},
		{name: "seeds refused", server: &fakeServer{refuseSeeds: true}, skipped: "seed_determinism seed_difference"},
		{name: "production", server: &fakeServer{pages: map[string]http.HandlerFunc{"GET /openapi.json": instead("GET /openapi.json", `"/reset":{},"/step":{},"/state":{},`, "")}}},
		{name: "compressed pages, but for the schema", server: &fakeServer{pages: map[string]http.HandlerFunc{"GET /health": zipped(usual["GET /health"], true)}}},
		{name: "redirected", server: &fakeServer{pages: map[string]http.HandlerFunc{"GET /health": http.RedirectHandler("/healthz", http.StatusTemporaryRedirect).ServeHTTP,
			"GET /healthz": page(200, "application/json", usual["GET /health"])}}},
		{name: "numbers that only Python reads, and a byte order mark", server: &fakeServer{pages: map[string]http.HandlerFunc{
			"GET /health":   page(200, "", "\xef\xbb\xbf"+usual["GET /health"]),
			"GET /metadata": page(200, "application/json", `{"name":"a \" NaN","description":"b","load":NaN,"low":-Infinity}`)}}},
		{name: "no schema of its own for resets", server: &fakeServer{pages: map[string]http.HandlerFunc{
			"GET /schema": instead("GET /schema", `"state":`, `"reset_observation":`+strings.Replace(fakeObservation, `"remaining":{"type":"integer"`, `"remaining":{"const":3,"type":"integer"`, 1)+`,"state":`)}}},
	})
}

// zipped sends a body compressed to all, or to those who ask for it.
func zipped(body string, asked bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked && !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = w.Write([]byte(body))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte(body))
		_ = z.Close()
	}
}

// paged is a server with one page that is another than usual.
func paged(key string, h http.HandlerFunc) *fakeServer {
	return &fakeServer{pages: map[string]http.HandlerFunc{key: h}}
}

func TestEachOfTheSixCriteriaFails(t *testing.T) {
	t.Parallel()
	ok := "application/json"
	hold(t, []fault{
		{name: "openapi 404", server: paged("GET /openapi.json", page(404, ok, usual["GET /openapi.json"])), failed: "openapi_version_available mode_endpoint_consistency", says: "status 404"},
		{name: "openapi no JSON", server: paged("GET /openapi.json", page(200, ok, "<html>")), failed: "openapi_version_available mode_endpoint_consistency", says: "no JSON"},
		{name: "openapi version a number", server: paged("GET /openapi.json", instead("GET /openapi.json", `"version":"1.0.0"`, `"version":1`)), failed: "openapi_version_available mode_endpoint_consistency"},
		{name: "openapi without info", server: paged("GET /openapi.json", page(200, ok, `{"paths":{"/reset":{}}}`)), failed: "openapi_version_available mode_endpoint_consistency"},
		{name: "openapi a list", server: paged("GET /openapi.json", page(200, ok, `[]`)), failed: "openapi_version_available mode_endpoint_consistency"},
		{name: "no paths", server: paged("GET /openapi.json", page(200, ok, `{"info":{"version":"1"},"paths":{}}`)), failed: "mode_endpoint_consistency", says: "no paths"},
		{name: "paths a list", server: paged("GET /openapi.json", page(200, ok, `{"info":{"version":"1"},"paths":["/reset"]}`)), failed: "mode_endpoint_consistency"},
		{name: "reset without step", server: paged("GET /openapi.json", instead("GET /openapi.json", `"/step":{},`, "")), failed: "mode_endpoint_consistency", says: "/step false"},
		{name: "state without reset", server: paged("GET /openapi.json", instead("GET /openapi.json", `"/reset":{},"/step":{},`, "")), failed: "mode_endpoint_consistency"},
		{name: "ill", server: paged("GET /health", page(200, ok, `{"status":"ok"}`)), failed: "health_endpoint", says: `{"status":"ok"}`},
		{name: "health 503", server: paged("GET /health", page(503, ok, usual["GET /health"])), failed: "health_endpoint"},
		{name: "health with a mark", server: paged("GET /health", page(200, ok, "\xef\xbb\xbf"+usual["GET /health"])), failed: "health_endpoint"},
		{name: "health drops the line", server: paged("GET /health", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), failed: "health_endpoint", says: "no answer"},
		{name: "health torn", server: paged("GET /health", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			_, _ = w.Write([]byte(usual["GET /health"]))
			panic(http.ErrAbortHandler)
		}), failed: "health_endpoint", says: "no answer"},
		{name: "health runs in circles", server: paged("GET /health", http.RedirectHandler("/health", http.StatusFound).ServeHTTP), failed: "health_endpoint", says: "too many redirections"},
		{name: "metadata without description", server: paged("GET /metadata", page(200, ok, `{"name":"x"}`)), failed: "metadata_endpoint"},
		{name: "metadata name null", server: paged("GET /metadata", page(200, ok, `{"name":null,"description":"x"}`)), failed: "metadata_endpoint"},
		{name: "mcp 500", server: paged("POST /mcp", page(500, "text/plain", "Internal Server Error")), failed: "mcp_endpoint"},
		{name: "mcp of another version", server: paged("POST /mcp", page(200, ok, `{"jsonrpc":2.0}`)), failed: "mcp_endpoint"},
		{name: "mcp only for GET", server: paged("POST /mcp", page(405, ok, `{"jsonrpc":"2.0"}`)), failed: "mcp_endpoint"},
		{name: "schema without state", server: paged("GET /schema", instead("GET /schema", `"state":{"type":"object"}`, `"state":null`)), failed: "schema_endpoint"},
		{name: "schema 404", server: paged("GET /schema", page(404, ok, "{}")), failed: "schema_endpoint episode", skipped: afterEpisode},
	})
}

// frames is a server that changes the answers to a kind of frame.
func frames(kind string, change func(s *fakeSession, data object) any) *fakeServer {
	return &fakeServer{answer: func(s *fakeSession, k string, reply object) any {
		data, ok := reply["data"].(object)
		if k != kind || !ok || reply["type"] == "error" {
			return reply
		}
		return change(s, data)
	}}
}

// set is a server whose answers to a kind of frame have another value.
func set(kind, key string, v any) *fakeServer {
	due := map[string]string{"state": "state"}[kind]
	if due == "" {
		due = "observation"
	}
	return frames(kind, func(_ *fakeSession, data object) any {
		data[key] = v
		if v == "absent" {
			delete(data, key)
		}
		return object{"type": due, "data": data}
	})
}

func observed(key string, v any) *fakeServer {
	return frames("step", func(_ *fakeSession, data object) any {
		data["observation"].(object)[key] = v
		return object{"type": "observation", "data": data}
	})
}

func TestEpisodesThatBreakAreFound(t *testing.T) {
	t.Parallel()
	raw := func(text string) func(*fakeSession, object) any {
		return func(*fakeSession, object) any { return []byte(text) }
	}
	hold(t, []fault{
		{name: "no socket", server: paged("GET /ws", page(404, "", "")), failed: "episode", skipped: afterEpisode, says: "404"},
		{name: "resets end the session", server: frames("reset", func(*fakeSession, object) any { return nil }), failed: "episode", skipped: afterEpisode},
		{name: "a reset of another type", server: frames("reset", raw(`{"type":"state","data":{}}`)), failed: "episode", skipped: afterEpisode, says: "of type state"},
		{name: "a step that is no object", server: frames("step", raw(`[]`)), failed: "episode", skipped: afterEpisode, says: "no object"},
		{name: "a step that is no JSON", server: frames("step", raw(`{"type":`)), failed: "episode", skipped: afterEpisode, says: "no JSON"},
		{name: "a schema without observation", server: paged("GET /schema", page(200, "application/json", `{"action":{},"state":{}}`)), failed: "schema_endpoint episode", skipped: afterEpisode},
		{name: "data that are a list", server: frames("reset", raw(`{"type":"observation","data":[]}`)), failed: "episode", skipped: afterEpisode, says: "a list"},
		{name: "a frame of 2 MiB", server: frames("reset", raw(`{"type":"observation","data":{"x":"`+strings.Repeat("x", 2<<20)+`"}}`)), failed: "episode", skipped: afterEpisode, says: "1048576"},
		{name: "a state that fails in an episode", server: &fakeServer{answer: func(s *fakeSession, kind string, reply object) any {
			if kind == "state" && s.steps == 2 {
				return failure("EXECUTION_ERROR", "no state")
			}
			return reply
		}}, failed: "episode", skipped: afterEpisode, says: "no state"},
		{name: "steps that are all refused as invalid", server: frames("step", func(*fakeSession, object) any { return failure("VALIDATION_ERROR", "Invalid message") }),
			failed: "episode", skipped: afterEpisode, says: "Invalid message"},
		{name: "steps that the environment refuses", server: frames("step", func(*fakeSession, object) any { return failure("EXECUTION_ERROR", "not now") }), skipped: "episode " + afterEpisode},
	})
}

func TestRewardsObservationsAndStatesAreJudged(t *testing.T) {
	t.Parallel()
	schema := func(old, new string) *fakeServer {
		return paged("GET /schema", page(200, "application/json", strings.Replace(usual["GET /schema"], old, new, 1)))
	}
	obs := "runtime.observation_schema"
	rew := "runtime.reward_well_formed"
	hold(t, []fault{
		{name: "reward true", server: set("step", "reward", true), failed: rew + " " + obs, says: "reward is true, a boolean"},
		{name: "reward null", server: set("step", "reward", nil), failed: rew, says: "null"},
		{name: "reward a text", server: set("step", "reward", "0.5"), failed: rew + " " + obs},
		{name: "reward absent", server: set("step", "reward", "absent"), failed: rew + " " + obs},
		{name: "reward absent after the reset", server: set("reset", "reward", "absent"), failed: rew + " " + obs},
		{name: "reward not finite", server: frames("step", func(_ *fakeSession, data object) any {
			text, _ := json.Marshal(data)
			return []byte(`{"type":"observation","data":` + strings.Replace(string(text), `"reward":`, `"reward":NaN,"x":`, 1) + `}`)
		}), failed: rew + " " + obs},
		{name: "reward beyond all", server: frames("step", func(_ *fakeSession, data object) any {
			data["reward"] = json.RawMessage("1e999999999")
			return object{"type": "observation", "data": data}
		}), failed: rew + " " + obs, says: "not a finite number"},
		{name: "done a text", server: set("step", "done", "no"), failed: "episode", skipped: afterEpisode, says: "the episode is over"},
		{name: "a field too many", server: observed("answer", "route"), failed: obs, says: "answer"},
		{name: "a field of another type", server: observed("remaining", "two"), failed: obs, says: "remaining"},
		{name: "a pattern", server: observed("ticket", "X1"), failed: obs, says: "pattern"},
		{name: "no schema of 2020-12", server: schema(`"ticket":{"type":"string"`, `"ticket":{"type":"strin"`), failed: obs, says: "no schema of draft 2020-12"},
		{name: "a schema elsewhere", server: schema(`"ticket":{"type":"string","pattern":"^T[0-9]+$"}`, `"ticket":{"$ref":"https://example.org/ticket.json"}`), failed: obs, says: "another document"},
		{name: "a schema of a file", server: schema(`"metadata":{"type":"object"}},"required":["ticket","remaining"]`, `"metadata":{"$dynamicRef":"file:///etc/passwd"}},"required":["ticket"]`), failed: obs},
		{name: "a compressed schema", server: paged("GET /schema", zipped(usual["GET /schema"], false)), failed: "episode", skipped: afterEpisode, says: "gzip"},
		{name: "a schema of 2 MiB", server: schema(`"state":`, `"note":"`+strings.Repeat("x", 2<<20)+`","state":`), failed: "episode", skipped: afterEpisode, says: "over 1 MiB"},
		{name: "another episode's id", server: set("state", "episode_id", "other"), failed: "runtime.state_contract session_isolation", says: "other"},
		{name: "step_count as a float", server: frames("state", func(_ *fakeSession, data object) any {
			data["step_count"] = json.RawMessage("1.0")
			return object{"type": "state", "data": data}
		}), failed: "runtime.state_contract session_isolation"},
		{name: "step_count stands still", server: set("state", "step_count", 0), failed: "runtime.state_contract session_isolation", says: "where the integer 1 is due"},
	})
}

func TestWrongFramesSessionsAndSeedsAreJudged(t *testing.T) {
	t.Parallel()
	var n int
	hold(t, []fault{
		{name: "another code", server: &fakeServer{answer: func(_ *fakeSession, kind string, reply object) any {
			if kind == "bad" {
				return failure("EXECUTION_ERROR", "?")
			}
			return reply
		}}, failed: "wrong_frames", says: "where INVALID_JSON is due"},
		{name: "wrong frames end the session", server: &fakeServer{answer: func(_ *fakeSession, kind string, reply object) any {
			if kind == "bad" {
				return nil
			}
			return reply
		}}, failed: "wrong_frames"},
		{name: "wrong frames change the state", server: &fakeServer{answer: func(s *fakeSession, kind string, reply object) any {
			if kind == "bad" {
				s.steps++
			}
			return reply
		}}, failed: "wrong_frames", says: "the state is another afterwards"},
		{name: "no determinism", server: &fakeServer{random: true}, failed: "seed_determinism", says: "the reset gives another observation"},
		{name: "rewards without determinism", server: frames("step", func(_ *fakeSession, data object) any {
			n++
			data["reward"] = float64(n)
			return object{"type": "observation", "data": data}
		}), failed: "seed_determinism", says: "step 1"},
		{name: "no difference, though something is random", server: &fakeServer{deaf: true}, failed: "seed_difference", says: "seeds 42 to 45 give the same episode"},
		{name: "a refused session that is closed by another code", server: &fakeServer{places: 1, closing: 1013}, failed: "session_capacity", skipped: "session_isolation", says: "closed with code 1013"},
		{name: "a session that feels the other", server: felt(), failed: "session_isolation", says: "session 1 beside another: step 1 gives another observation"},
		{name: "a place that stays taken", server: &fakeServer{places: 4, late: true}, failed: "seed_difference session_capacity session_isolation", says: "CAPACITY_REACHED"},
		{name: "a second session that is refused by another code", server: &fakeServer{places: 1, answer: func(_ *fakeSession, kind string, reply object) any {
			if kind == "capacity" {
				return failure("SESSION_ERROR", "go away")
			}
			return reply
		}}, failed: "session_capacity session_isolation", says: "SESSION_ERROR"},
		{name: "one episode for all", server: &fakeServer{shared: true}, failed: "session_isolation", says: "episode_id"},
	})
}

// felt is a server whose rewards depend on how many sessions there are.
func felt() *fakeServer {
	f := &fakeServer{}
	f.answer = func(_ *fakeSession, kind string, reply object) any {
		if data, ok := reply["data"].(object); ok && kind == "step" && f.taken > 1 {
			data["reward"] = 0.123
		}
		return reply
	}
	return f
}

// A server of ours is held to more: rewards from 0 to 1, and seeds that make a difference.
func TestAServerOfOursHasToDiffer(t *testing.T) {
	t.Parallel()
	ours := func(f *fakeServer) *fakeServer {
		f.answer = func(_ *fakeSession, kind string, reply object) any {
			if data, ok := reply["data"].(object); ok && kind == "state" {
				data["track"], data["task"] = "queue", "queue-easy"
			}
			if data, ok := reply["data"].(object); ok && kind == "step" && reply["type"] == "observation" {
				data["reward"] = 1.5
			}
			return reply
		}
		return f
	}
	hold(t, []fault{{name: "fixed", server: ours(&fakeServer{fixed: true}), failed: "runtime.reward_well_formed seed_difference", says: "where 0 to 1 is due"}})
}

func TestGivenActionsTokensAndHeadersAreSent(t *testing.T) {
	t.Parallel()
	f := &fakeServer{}
	checks := checked(t, f.start(t), validate.ServerOptions{Token: "secret", Header: http.Header{"X-Team": {"a"}},
		Actions: []json.RawMessage{json.RawMessage(`{"kind":"close"}`), json.RawMessage(`{"kind":"route","level":2}`)}})
	if failed, skipped := verdicts(checks); failed+skipped != "" {
		t.Errorf("failed %s, skipped %s", failed, skipped)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.heads {
		if h.Get("Authorization") != "Bearer secret" || h.Get("X-Team") != "a" {
			t.Errorf("a request has the headers %v", h)
		}
	}
	steps := map[string]bool{}
	for _, frame := range f.sent {
		if strings.Contains(frame, `"step"`) && strings.Contains(frame, "kind") {
			steps[frame] = true
		}
	}
	if d := cmp.Diff(map[string]bool{`{"data":{"kind":"close"},"type":"step"}`: true, `{"data":{"kind":"route","level":2},"type":"step"}`: true}, steps); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
}
