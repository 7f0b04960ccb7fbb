package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// TestEveryRouteAnswersInBothModesAndUnderEveryPrefix goes through the table of routes.
func TestEveryRouteAnswersInBothModesAndUnderEveryPrefix(t *testing.T) {
	t.Parallel()
	const play, page = "simulation", "page"
	routes := []struct {
		method, path, body string
		status             int
		kind               string
		when               string // only in simulation, or only with a page
	}{
		{"GET", "/health", "", 200, "application/json", ""},
		{"GET", "/metadata", "", 200, "application/json", ""},
		{"GET", "/schema", "", 200, "application/json", ""},
		{"GET", "/openapi.json", "", 200, "application/json", ""},
		{"GET", "/docs", "", 200, "text/html; charset=utf-8", ""},
		{"GET", "/redoc", "", 200, "text/html; charset=utf-8", ""},
		{"GET", "/metrics", "", 200, "text/plain; version=0.0.4; charset=utf-8", ""},
		{"POST", "/mcp", `{}`, 200, "application/json", ""},
		{"GET", "/mcp", "", 405, "application/json", ""},
		{"GET", "/ws", "", 426, "application/json", ""},
		{"GET", "/list_environments", "", 200, "application/json", ""},
		{"GET", "/triage/splits", "", 200, "application/json", ""},
		{"POST", "/triage/tasks", `{"split":"train"}`, 200, "application/json", ""},
		{"POST", "/triage/num_tasks", `{"split":"train"}`, 200, "application/json", ""},
		{"POST", "/triage/task", `{"split":"train","index":0}`, 200, "application/json", ""},
		{"POST", "/triage/task_range", `{"split":"train"}`, 200, "application/json", ""},
		{"POST", "/reset", "", 200, "application/json", play},
		{"POST", "/step", `{"action":{}}`, 200, "application/json", play},
		{"GET", "/state", "", 200, "application/json", play},
		{"GET", "/", "", 200, "text/plain; charset=utf-8", page},
		{"GET", "/web", "", 200, "text/plain; charset=utf-8", page},
		{"POST", "/web/reset", "", 200, "application/json", page},
		{"POST", "/web/step", `{"action":{}}`, 200, "application/json", page},
		{"GET", "/web/state", "", 200, "application/json", page},
		{"GET", "/web/review", "", 200, "application/json", page},
		{"GET", "/web/metadata", "", 200, "application/json", page},
		{"GET", "/nowhere", "", 404, "application/json", ""},
		{"GET", "/", "", 404, "application/json", "no page"},
		{"GET", "/web", "", 404, "application/json", "no page"},
		{"POST", "/web/reset", "", 404, "application/json", "no page"},
		{"GET", "/web/review", "", 404, "application/json", "no page"},
		{"POST", "/reset", "", 404, "application/json", "production"},
		{"POST", "/step", `{"action":{}}`, 404, "application/json", "production"},
		{"GET", "/state", "", 404, "application/json", "production"},
	}
	for _, mode := range server.Modes() {
		for _, paged := range []bool{true, false} {
			r := start(t, func(d *server.Deps, o *server.Options) {
				if o.Mode = mode; !paged {
					d.Page = nil
				}
			})
			for _, prefix := range []string{"", "/queue", "/desk"} {
				for _, x := range routes {
					applies := map[string]bool{"": true, play: mode == server.Simulation, "production": mode == server.Production,
						page: paged, "no page": !paged}
					if !applies[x.when] {
						continue
					}
					a := r.do(x.method, prefix+x.path, x.body)
					got := []any{a.Status, a.Header.Get("Content-Type"), a.Header.Get("Content-Encoding")}
					if d := cmp.Diff([]any{x.status, x.kind, ""}, got); d != "" {
						t.Errorf("%s: %s %s%s (-want +got):\n%s%.200s", mode, x.method, prefix, x.path, d, a.Body)
					}
				}
			}
		}
	}
}

// TestARequestToNowhereSaysSo holds errors that every route shares.
func TestARequestToNowhereSaysSo(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, x := range []struct {
		name, method, path string
		status             int
		header, value      string
		body               string
	}{
		{"unknown path", "GET", "/nowhere", 404, "", "", `{"detail":"Not Found"}`},
		{"unknown path of a track", "GET", "/desk/nowhere", 404, "", "", `{"detail":"Not Found"}`},
		{"track of a track", "GET", "/desk/queue/health", 404, "", "", `{"detail":"Not Found"}`},
		{"what only begins like a track", "GET", "/desktop/health", 404, "", "", `{"detail":"Not Found"}`},
		{"wrong method", "GET", "/reset", 405, "Allow", "POST", `{"detail":"Method Not Allowed"}`},
		{"wrong method of a track", "PUT", "/queue/step", 405, "Allow", "POST", `{"detail":"Method Not Allowed"}`},
		{"no body is cheaper", "HEAD", "/health", 405, "Allow", "GET", ``},
		{"the page may be probed", "HEAD", "/web", 200, "", "", ``},
		{"options", "OPTIONS", "/health", 405, "Allow", "GET", `{"detail":"Method Not Allowed"}`},
		{"no session to end", "DELETE", "/mcp", 405, "Allow", "POST", `{"detail":"Method Not Allowed"}`},
		{"no stream of events", "GET", "/mcp", 405, "Allow", "POST", `{"detail":"Method Not Allowed"}`},
		{"slash at the end", "GET", "/health/", 307, "Location", "/health", ``},
		{"slash at the end of a post", "POST", "/desk/reset/", 307, "Location", "/desk/reset", ``},
		{"slash and query", "GET", "/state/?episode_id=a%26b", 307, "Location", "/state?episode_id=a%26b", ``},
		{"slash where there is nothing", "GET", "/nowhere/", 404, "", "", `{"detail":"Not Found"}`},
		{"no redirect to elsewhere", "GET", `/%5Cevil.example/splits/`, 307, "Location", "/%5Cevil.example/splits", ``},
		{"no redirect to elsewhere either", "GET", `//evil.example/splits/`, 404, "", "", `{"detail":"Not Found"}`},
		{"no query made of a path", "GET", `/a%3Fb/splits/`, 307, "Location", "/a%3Fb/splits", ``},
		{"an escaped slash is no end", "GET", "/health%2F", 404, "", "", `{"detail":"Not Found"}`},
		{"line breaks in the path", "GET", "/%0d%0aX-Evil:%20yes/splits/", 307, "Location", "/%0d%0aX-Evil:%20yes/splits", ``},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			a := r.do(x.method, x.path, "")
			if x.status == http.StatusTemporaryRedirect {
				a.Body = "" // the library's words
			}
			want := []string{http.StatusText(x.status), x.value, x.body}
			if d := cmp.Diff(want, []string{http.StatusText(a.Status), a.Header.Get(x.header), a.Body}); d != "" {
				t.Errorf("%s %s (-want +got):\n%s", x.method, x.path, d)
			}
		})
	}
}

func TestTheRootServesTheTrackThatWasAskedFor(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		r := start(t, func(_ *server.Deps, o *server.Options) { o.Track = track })
		for path, want := range map[string]triage.Track{"": track, "/queue": triage.Queue, "/desk": triage.Desk} {
			task := taskOf(t, want, triage.Easy)
			a := r.ok("POST", path+"/reset", `{"seed":3}`)
			if got := a["observation"].(map[string]any); (got["task"] == task.Name) != (want == triage.Queue) || (got["issue_text"] != nil) != (want == triage.Desk) {
				t.Errorf("root %s: POST %s/reset gives %v", track, path, got)
			}
			schema := r.do("GET", path+"/schema", "").Body
			if !strings.Contains(schema, map[triage.Track]string{triage.Queue: "QueueAction", triage.Desk: "DeskAction"}[want]) {
				t.Errorf("root %s: GET %s/schema is that of another track", track, path)
			}
			if got := r.ok("GET", path+"/openapi.json", ""); got["openapi"] == nil {
				t.Errorf("root %s: GET %s/openapi.json: %v", track, path, got)
			}
			ws := r.ws(path + "/ws")
			if got := object(t, ws.ask(`{"type":"state"}`))["data"].(map[string]any)["track"]; got != string(want) {
				t.Errorf("root %s: WS %s/ws plays %v", track, path, got)
			}
			tools := r.do("POST", path+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body
			if strings.Contains(tools, "route_category") != (want == triage.Queue) || strings.Contains(tools, "department") != (want == triage.Desk) {
				t.Errorf("root %s: POST %s/mcp lists the tools of another track: %s", track, path, tools)
			}
		}
	}
}

func TestTheServerSaysWhatItIs(t *testing.T) {
	t.Parallel()
	r := start(t, func(d *server.Deps, _ *server.Options) { d.Handbook = "# Rules" })
	want := map[string]any{"name": "triage", "readme_content": "# Rules", "version": "1.2.3", "author": nil, "documentation_url": nil,
		"description": "Support tickets to triage, made from a seed and graded by a written handbook: a queue of tickets with route, " +
			"urgency, difficulty and priority, or one ticket with category, priority, days, department and recommendation."}
	same(t, "GET /metadata", want, r.do("GET", "/metadata", "").Body)
	same(t, "GET /web/metadata", want, r.do("GET", "/web/metadata", "").Body)
	same(t, "GET /health", map[string]any{"status": "healthy"}, r.do("GET", "/health", "").Body)
	for _, path := range []string{"/health", "/metadata", "/state", "/nowhere"} {
		h := r.do("GET", path, "").Header
		if got := h.Get("Cache-Control") + " " + h.Get("X-Content-Type-Options"); got != "no-store nosniff" {
			t.Errorf("GET %s: Cache-Control and X-Content-Type-Options are %q", path, got)
		}
	}
}
