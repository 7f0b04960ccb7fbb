package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// record is a line of the log without its time.
type record struct {
	Level, Msg, Method, Route, Track, Caller string
	Status                                   int
}

// requests reads the lines of requests.
func requests(t *testing.T, log string) []record {
	t.Helper()
	var out []record
	for line := range strings.Lines(log) {
		var x record
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("the log has a line that is no JSON: %s", line)
		}
		if x.Msg == "request" {
			out = append(out, x)
		}
	}
	return out
}

// TestALogLineTellsARequestAndNothingThatItHeld sends secrets in every place of a request.
func TestALogLineTellsARequestAndNothingThatItHeld(t *testing.T) {
	t.Parallel()
	r := start(t, withTokens(token), func(_ *server.Deps, o *server.Options) { o.Sealed = false })
	const secret = "hush-hush"
	auth := []string{"Authorization", "Bearer " + token}
	a := r.do("POST", "/reset?q="+secret, `{"seed":77123,"episode_id":"`+secret+`"}`, auth...)
	session := a.Header.Get("X-Triage-Session")
	with := append(auth, "X-Triage-Session", session)
	r.do("POST", "/desk/step?q="+secret, `{"action":{"category":"`+secret+`"}}`, auth...)
	r.do("POST", "/step", `{"action":{"route_category":"billing","priority_score":41}}`, with...)
	r.do("POST", "/step", `{"action":{"`+secret+`":1}}`, with...)
	r.do("GET", "/state?episode_id="+secret, "", with...)
	r.do("GET", "/"+secret, "", append(auth, "User-Agent", secret, "Referer", secret, "Cookie", "triage_session="+secret)...)
	r.do("GET", "/state", "", "Authorization", "Bearer "+secret)
	r.do("POST", "/mcp", `{"jsonrpc":"2.0","id":"`+secret+`","method":"`+secret+`"}`, auth...)
	r.do("POST", "/"+secret+"/task", `{}`, auth...)
	ws := r.ws("/desk/ws?session_id=", auth...)
	ws.ask(`{"type":"reset","data":{"episode_id":"` + secret + `"}}`)
	ws.ask(`{"type":"` + secret + `"}`)
	log := r.log.String()
	name := server.TokenName(token)
	want := []record{
		{"DEBUG", "request", "POST", "/reset", "queue", name, 200},
		{"DEBUG", "request", "POST", "/step", "desk", name, 422},
		{"DEBUG", "request", "POST", "/step", "queue", name, 200},
		{"DEBUG", "request", "POST", "/step", "queue", name, 422},
		{"DEBUG", "request", "GET", "/state", "queue", name, 200},
		{"DEBUG", "request", "GET", "none", "queue", name, 404},
		{"DEBUG", "request", "GET", "refused", "queue", "", 401},
		{"DEBUG", "request", "POST", "/mcp", "queue", name, 200},
		{"DEBUG", "request", "POST", "/{env}/task", "queue", name, 404},
		{"DEBUG", "request", "GET", "/ws", "desk", name, 101},
	}
	if d := cmp.Diff(want, requests(t, log)); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	for _, word := range []string{secret, token, session, "77123", "TKT-", "127.0.0.1", "billing"} {
		if strings.Contains(log, word) {
			t.Errorf("the log holds %q:\n%s", word, log)
		}
	}
}

// families reads the metrics as Prometheus does.
func (r *rig) families(headers ...string) map[string]*dto.MetricFamily {
	r.t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	out, err := parser.TextToMetricFamilies(strings.NewReader(r.do("GET", "/metrics", "", headers...).Body))
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// TestMetricsAreWhatTheyAre counts what happened, by labels that clients cannot make up.
func TestMetricsAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *server.Deps, o *server.Options) { o.MaxSessions = 7 })
	r.reset("/reset", `{"seed":1}`)
	r.ok("POST", "/step", `{"action":{"route_category":"billing"}}`)
	desk := r.ws("/desk/ws")
	for range 3 {
		desk.ask(`{"type":"reset","data":{"seed":1}}`)
		desk.ask(`{"type":"step","data":{"category":"Bug"}}`)
		desk.ask(`{"type":"bogus"}`)
	}
	r.open("/mcp")
	for i := range 50 {
		r.do("GET", fmt.Sprintf("/nowhere/%d", i), "")
		r.do("GET", fmt.Sprintf("/env%d/splits", i), "")
		r.do("PATCH", "/health", "", "X-Triage-Session", fmt.Sprint(i))
		r.do("BREW", "/health", "")
	}
	families := r.families()
	got := map[string]float64{}
	for name, f := range families {
		if !strings.HasPrefix(name, "triage_") {
			continue
		}
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				key += " " + l.GetName() + "=" + l.GetValue()
			}
			switch {
			case m.Counter != nil:
				got[key] = m.Counter.GetValue()
			case m.Gauge != nil:
				got[key] = m.Gauge.GetValue()
			case m.Histogram != nil:
				got[key] = float64(m.Histogram.GetSampleCount())
			}
		}
	}
	requests := "triage_http_requests_total route=%s status=%d"
	seconds := "triage_http_request_seconds route="
	want := map[string]float64{"triage_sessions": 2, "triage_sessions_max": 7, "triage_http_episodes": 1, "triage_websockets": 1,
		"triage_resets_total track=queue": 1, "triage_resets_total track=desk": 3, "triage_steps_total track=queue": 1, "triage_steps_total track=desk": 3,
		"triage_refusals_total code=UNKNOWN_TYPE": 3,
		fmt.Sprintf(requests, "/reset", 200):      1, fmt.Sprintf(requests, "/step", 200): 1, fmt.Sprintf(requests, "/ws", 101): 1,
		fmt.Sprintf(requests, "/mcp", 200): 1, fmt.Sprintf(requests, "none", 404): 50, fmt.Sprintf(requests, "/{env}/splits", 404): 50, fmt.Sprintf(requests, "none", 405): 100,
		seconds + "/reset": 1, seconds + "/step": 1, seconds + "/ws": 1, seconds + "/mcp": 1, seconds + "none": 150, seconds + "/{env}/splits": 50}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("metrics (-want +got):\n%s", d)
	}
}

// TestMetricsHoldNothingThatRewardsAreMadeOf plays the same seeds well and badly: apart from times and memory the metrics are the same.
func TestMetricsHoldNothingThatRewardsAreMadeOf(t *testing.T) {
	t.Parallel()
	noise := regexp.MustCompile(`^(go_|process_|promhttp_)|_seconds`)
	played := func(pick func(truth triage.Truth) string) []string {
		r := start(t)
		for _, task := range triage.Tasks() {
			for seed := range 5 {
				e := direct(t, task)
				result, err := e.Reset(t.Context(), triage.ResetOptions{Seed: int64(seed)})
				if err != nil {
					t.Fatal(err)
				}
				path := "/" + string(task.Track)
				session := r.reset(path+"/reset", fmt.Sprintf(`{"seed":%d,"difficulty":%q}`, seed, task.Difficulty))
				for !result.Done {
					truth, _ := e.Truth()
					action := pick(truth)
					if result, err = e.Step(t.Context(), parsed(t, task.Track, action)); err != nil {
						t.Fatal(err)
					}
					r.ok("POST", path+"/step", `{"action":`+action+`}`, "X-Triage-Session", session)
				}
			}
		}
		var lines []string
		for line := range strings.Lines(r.do("GET", "/metrics", "").Body) {
			if !strings.HasPrefix(line, "#") && !noise.MatchString(line) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	right := played(func(truth triage.Truth) string {
		var v any = truth.Queue
		if truth.Desk != nil {
			v = map[string]any{"category": truth.Desk.Category, "priority": truth.Desk.Priority, "urgency_days": truth.Desk.UrgencyDays,
				"department": truth.Desk.Department, "recommendation": "Investigate it."}
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	})
	wrong := played(func(truth triage.Truth) string {
		if truth.Queue != nil {
			routes := triage.Routes()
			i := slices.Index(routes, truth.Queue.Route)
			return fmt.Sprintf(`{"route_category":%q}`, routes[(i+1)%len(routes)])
		}
		return fmt.Sprintf(`{"category":%q,"priority":"Low","urgency_days":7,"department":"Management","recommendation":"no"}`,
			map[triage.Category]triage.Category{triage.Bug: triage.Question, triage.Question: triage.FeatureRequest, triage.FeatureRequest: triage.Bug}[truth.Desk.Category])
	})
	if d := cmp.Diff(wrong, right); d != "" {
		t.Errorf("metrics of wrong (-) and right (+) answers:\n%s", d)
	}
}

func TestTheStandardLibrarysLogOfConnectionsIsOurs(t *testing.T) {
	t.Parallel()
	r := start(t)
	if h := r.srv.HTTPServer(nil); h.ReadHeaderTimeout == 0 || h.ReadTimeout == 0 || h.WriteTimeout == 0 || h.IdleTimeout == 0 || h.MaxHeaderBytes == 0 || h.Handler != http.Handler(r.srv) {
		t.Errorf("a limit is missing: %+v", h)
	}
}

// TestEachMetricSaysOnceWhatItIs holds every family to a line of help, one type, and the endings that Prometheus asks for.
func TestEachMetricSaysOnceWhatItIs(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.reset("/reset", `{"seed":1}`)
	r.ok("POST", "/step", `{"action":{"route_category":"billing"}}`)
	r.ws("/ws").ask(`{"type":"bogus"}`)
	families := r.families()
	for name, f := range families {
		if f.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		if counter := f.GetType() == dto.MetricType_COUNTER; counter != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
	}
	for _, name := range []string{"triage_refusals_total", "go_goroutines", "go_memstats_heap_inuse_bytes", "triage_http_request_seconds"} {
		if families[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	page := r.do("GET", "/metrics", "").Body
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "# ") && strings.Count(page, line) != 1 {
			t.Errorf("%q is there %d times", line, strings.Count(page, line))
		}
	}
}
