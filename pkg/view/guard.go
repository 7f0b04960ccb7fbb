package view

import (
	"net/http"
	"net/url"
)

// policy is the Content-Security-Policy of the pages that are made here: their style and script are files of this server, and
// nothing else is asked for.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// reportPolicy stands beside the policy that a report has in its markup, which lets nothing in but its own style and script.
const reportPolicy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; connect-src 'self'"

// guarded lets through what a person on this machine asks for. A page elsewhere that points a name of its own at this server is
// turned away by that name; one that loads something from here, by what its browser says of the request.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache") // ask each time; the ETag makes that cheap
		h.Set("Content-Security-Policy", policy)
		host := url.URL{Host: r.Host}
		switch {
		case !s.deps.Local(host.Hostname()):
			http.Error(w, "this host is not this machine, and nobody else may look", http.StatusForbidden)
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Dest") != "document":
			http.Error(w, "a page of another site may link here and load nothing", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD are answered: nothing can be changed here", http.StatusMethodNotAllowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
