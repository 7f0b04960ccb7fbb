// Package web has the page for people: one response that holds the markup, style and script of a small help desk, in
// which a person plays the served environments. The page asks its own server only. Start at [Handler].
package web

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// Config tells the page what kind of server it stands on.
type Config struct {
	// Sealed says that the server picks the seeds and tells no gradings before the end.
	Sealed bool
	// Tokens says that the server wants a bearer token; the page then has a field for it.
	Tokens bool
	// DefaultTrack is the track that is chosen first. Empty means queue.
	DefaultTrack triage.Track
	// Mode is the server's mode, "simulation" or "production". In simulation the page names the routes without /web too.
	Mode string
	// BasePath is where the server's routes begin as the browser sees them, such as "/benchmarks/triage". Empty means: what
	// stands before "/web", or before the last "/", in the page's own address.
	BasePath string
}

// Handler serves the page, whatever the path: mount it at "/" and at "/web", also those of a track. The page holds no
// secret, so that it needs no token; what it asks the server for does. It answers GET and HEAD, with an ETag, and 405
// otherwise. It is put together at the first request.
func Handler(cfg Config) http.Handler {
	made := sync.OnceValues(func() (page, error) { return assemble(cfg) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			h.Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusMethodNotAllowed)
			_, _ = w.Write([]byte(`{"detail":"Method Not Allowed"}`)) // who asked may be gone
			return
		}
		p, err := made()
		if err != nil {
			http.Error(w, "Internal Server Error", http.StatusInternalServerError)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", p.policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-cache") // ask each time; the ETag makes that cheap
		h.Set("ETag", p.etag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(p.html))
	})
}
