package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// tokens are the hashes of those that requests may bear: they have one length, so that comparing them tells nothing.
type tokens [][sha256.Size]byte

func newTokens(list []string) tokens {
	out := make(tokens, len(list))
	for i, t := range list {
		out[i] = sha256.Sum256([]byte(t))
	}
	return out
}

// owner gives the name of the bearer of a token. Every token is compared, so that the time does not tell which one it is.
func (t tokens) owner(token string) (string, bool) {
	sum := sha256.Sum256([]byte(token))
	found := 0
	for i := range t {
		found |= subtle.ConstantTimeCompare(sum[:], t[i][:])
	}
	if found == 0 {
		return "", false
	}
	return TokenName(token), true
}

// TokenName is how logs and ledgers call the bearer of a token: 8 hex digits of a hash that does not give the token away, as
// long as that is not guessed.
func TokenName(token string) string {
	sum := sha256.Sum256([]byte("triage token name\x00" + token))
	return hex.EncodeToString(sum[:4])
}

// caller is what the guard found out about a request.
type caller struct {
	owner string // the name of its token, or empty
	track triage.Track
	route string // the pattern that the request matched, for logs and metrics
}

type callerKey struct{}

func callerOf(r *http.Request) *caller {
	if c, ok := r.Context().Value(callerKey{}).(*caller); ok {
		return c
	}
	return &caller{track: triage.Queue}
}

func ownerOf(r *http.Request) string { return callerOf(r).owner }

func trackOf(r *http.Request) triage.Track { return callerOf(r).track }

// withCaller gives a request its caller, to be filled in on the way in.
func withCaller(r *http.Request, c *caller) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
}

// guarded lets through what may call: pages of this server and of named origins, and who bears a token where there are some.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !s.calledByName(r) {
			writeDetail(w, http.StatusForbidden, "host "+shortText(r.Host)+" is not this machine, and nobody else may call this server; --cors-origin names other hosts")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			named := slices.Contains(s.options.Origins, origin)
			if named {
				s.allowOrigin(w, origin)
			}
			if named && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			if !named && !s.own(r, origin) && (r.Method != http.MethodGet || isUpgrade(r)) {
				writeDetail(w, http.StatusForbidden, "origin "+shortText(origin)+" may not call this server; --cors-origin names those that may")
				return
			}
		}
		c := callerOf(r)
		if len(s.tokens) > 0 && !isOpen(r.URL.Path) {
			scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
			if ok = ok && strings.EqualFold(scheme, "Bearer"); ok {
				c.owner, ok = s.tokens.owner(strings.TrimSpace(token))
			}
			if !ok {
				w.Header().Set("WWW-Authenticate", `Bearer realm="triage"`)
				problem := "this server needs a token: send the header Authorization: Bearer TOKEN"
				if strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(token) != "" {
					problem = "this token is not known"
				}
				writeDetail(w, http.StatusUnauthorized, problem)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isOpen tells whether a path needs no token: the health of the server, and pages that hold no data.
func isOpen(path string) bool {
	for _, t := range triage.Tracks() {
		path = strings.TrimPrefix(path, "/"+string(t))
	}
	return slices.Contains([]string{"/health", "", "/web", "/docs", "/redoc"}, strings.TrimSuffix(path, "/"))
}

func isUpgrade(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// own tells whether a page of this server calls. A server that only this machine can reach is called by names of this machine
// only: otherwise a page elsewhere could point a name of its own at it.
func (s *Server) own(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Host != r.Host && (s.options.Loopback || u.Host != r.Header.Get("X-Forwarded-Host")) {
		return false
	}
	return !s.options.Loopback || IsLoopback(u.Hostname())
}

// calledByName tells whether a server that only this machine can reach is called by a name of this machine, or by a host that was
// named. A page elsewhere that points a name of its own at it could read what needs no Origin, such as the state.
func (s *Server) calledByName(r *http.Request) bool {
	u := url.URL{Host: r.Host}
	return !s.options.Loopback || r.Host == "" || IsLoopback(u.Hostname()) || slices.ContainsFunc(s.options.Origins, func(origin string) bool {
		_, host, _ := strings.Cut(origin, "://")
		return host == r.Host
	})
}

// IsLoopback tells whether a host is this machine by name or address.
func IsLoopback(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// allowOrigin tells a browser that a page of a named origin may read the answer.
func (s *Server) allowOrigin(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Session-Id, "+sessionHeader)
	h.Set("Access-Control-Expose-Headers", sessionHeader)
	h.Set("Access-Control-Max-Age", "600")
}
