package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// route is one line of the table of routes.
type route struct {
	method  string
	path    string // {env} stands for the name of an environment
	handler http.HandlerFunc
}

// table lists all routes. Each stands at the root and under /queue and /desk.
func (s *Server) table() []route {
	list := []route{
		{"GET", "/health", s.health},
		{"GET", "/metadata", s.metadata},
		{"GET", "/schema", s.schema},
		{"GET", "/openapi.json", s.openapi},
		{"GET", "/docs", s.docs},
		{"GET", "/redoc", s.docs},
		{"GET", "/metrics", s.counts.serve},
		{"GET", "/ws", s.serveWS},
		{"POST", "/mcp", s.postMCP},
		{"GET", "/mcp", s.getMCP},
		{"GET", "/list_environments", s.listEnvironments},
		{"GET", "/{env}/splits", s.splits},
		{"POST", "/{env}/tasks", s.tasks},
		{"POST", "/{env}/num_tasks", s.numTasks},
		{"POST", "/{env}/task", s.oneTask},
		{"POST", "/{env}/task_range", s.taskRange},
	}
	if s.options.Mode == Simulation {
		list = append(list, route{"POST", "/reset", s.httpReset}, route{"POST", "/step", s.httpStep}, route{"GET", "/state", s.httpState})
	}
	if s.deps.Page != nil {
		list = append(list, route{"GET", "/", s.deps.Page.ServeHTTP}, route{"GET", "/web", s.deps.Page.ServeHTTP},
			route{"POST", "/web/reset", s.httpReset}, route{"POST", pageStep, s.httpStep}, route{"GET", "/web/state", s.httpState},
			route{"GET", "/web/review", s.review}, route{"GET", "/web/metadata", s.metadata})
	}
	return list
}

// trackAndPath takes the track off the front of a path.
func (s *Server) trackAndPath(path string) (triage.Track, string) {
	for _, t := range triage.Tracks() {
		prefix := "/" + string(t)
		if path == prefix {
			return t, "/"
		}
		if rest, ok := strings.CutPrefix(path, prefix+"/"); ok {
			return t, "/" + rest
		}
	}
	return s.options.Track, path
}

// route finds who answers a request.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	track, path := s.trackAndPath(r.URL.Path)
	c.track = track
	// The escaped path: in a redirect, "/\\host" would lead elsewhere.
	if escaped, ok := strings.CutSuffix(r.URL.EscapedPath(), "/"); ok && path != "/" && s.known(strings.TrimSuffix(path, "/")) {
		c.route = "slash"
		http.Redirect(w, r, escaped+query(r), http.StatusTemporaryRedirect)
		return
	}
	var allowed []string
	socket := false
	for _, x := range s.routes {
		if !x.matches(path) {
			continue
		}
		if x.isSocket() && !isUpgrade(r) {
			socket = true
			continue
		}
		if x.method == r.Method || r.Method == http.MethodHead && s.deps.Page != nil && (path == "/" || path == "/web") {
			c.route = x.path
			x.handler(w, r)
			return
		}
		allowed = append(allowed, x.method)
	}
	c.route = "none"
	if len(allowed) == 0 && socket {
		w.Header().Set("Upgrade", "websocket")
		writeDetail(w, http.StatusUpgradeRequired, "this is the address of a WebSocket")
		return
	}
	if len(allowed) == 0 {
		writeDetail(w, http.StatusNotFound, "Not Found")
		return
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(slices.Compact(allowed), ", "))
	writeDetail(w, http.StatusMethodNotAllowed, "Method Not Allowed")
}

// known tells whether a path is that of a route: nothing else is worth a redirect.
func (s *Server) known(path string) bool {
	return slices.ContainsFunc(s.routes, func(x route) bool { return x.matches(path) })
}

// isSocket tells whether the route is that of a WebSocket.
func (x *route) isSocket() bool {
	return x.method == http.MethodGet && (x.path == "/ws" || x.path == "/mcp")
}

// matches tells whether a path is the route's.
func (x *route) matches(path string) bool {
	tail, ok := strings.CutPrefix(x.path, "/{env}")
	if !ok {
		return path == x.path
	}
	name, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return ok && name != "" && "/"+rest == tail
}

// query is the query of a request with its question mark.
func query(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + r.URL.RawQuery
}
