package server

import (
	"net/http"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
)

// health is GET /health: the server answers, whatever its environments do. One that drains wants no new clients.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if s.draining() {
		writeJSON(w, http.StatusServiceUnavailable, []byte(`{"status":"draining"}`))
		return
	}
	if l := s.deps.Ledger; l != nil && l.Broken() {
		writeJSON(w, http.StatusServiceUnavailable, []byte(`{"status":"unhealthy"}`))
		return
	}
	writeJSON(w, http.StatusOK, []byte(`{"status":"healthy"}`))
}

const description = "Support tickets to triage, made from a seed and graded by a written handbook: a queue of tickets with route, urgency, " +
	"difficulty and priority, or one ticket with category, priority, days, department and recommendation."

// metadata is GET /metadata. The handbook is what a reader of the environment needs, so it is the readme.
func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	type info struct {
		Name             string  `json:"name"`
		Description      string  `json:"description"`
		ReadmeContent    string  `json:"readme_content"`
		Version          string  `json:"version"`
		Author           *string `json:"author"`
		DocumentationURL *string `json:"documentation_url"`
	}
	writeJSON(w, http.StatusOK, openenv.Plain(info{Name: openenv.EnvName, Description: description, ReadmeContent: s.deps.Handbook, Version: s.options.Version}))
}

// schema is GET /schema.
func (s *Server) schema(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, openenv.Schemas(trackOf(r)))
}

// openapi is GET /openapi.json.
func (s *Server) openapi(w http.ResponseWriter, r *http.Request) {
	prefix := strings.TrimSuffix(strings.TrimSuffix(r.URL.Path, "openapi.json"), "/")
	writeJSON(w, http.StatusOK, openenv.Spec(openenv.SpecOptions{Track: trackOf(r), Production: s.options.Mode == Production, Prefix: prefix,
		Sealed: s.options.Sealed, Tokens: len(s.tokens) > 0, NoWeb: s.deps.Page == nil, Version: s.options.Version}))
}

// docs is GET /docs and /redoc: a page that reads the OpenAPI document.
func (s *Server) docs(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", openenv.DocsPolicy())
	_, _ = w.Write(openenv.DocsHTML()) // the client may be gone
}
