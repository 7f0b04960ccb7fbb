package server

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
)

// logged writes a line a request and counts it. The line has no query, header or body: they may hold what is not to be read.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.deps.Now()
		c := &caller{track: s.options.Track, route: "refused"}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			if p := recover(); p != nil {
				s.recovered(rec, p)
			}
			took := s.deps.Now().Sub(start)
			s.counts.request(c.route, rec.status, took)
			s.deps.Log.Debug("request", "method", r.Method, "route", c.route, "track", c.track, "status", rec.status, "seconds", took.Seconds(), "caller", c.owner)
		}()
		next.ServeHTTP(rec, withCaller(r, c))
	})
}

// recovered answers a request whose handler panicked.
func (s *Server) recovered(w *recorder, p any) {
	s.deps.Log.Error("handler panicked", slog.Any("panic", p))
	if !w.wrote {
		writeDetail(w, http.StatusInternalServerError, "the server made a mistake; its log has the reason")
	}
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	wrote  bool
	line   net.Conn // once it was handed over
}

// WriteHeader passes the status on.
func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write passes the bytes on.
func (r *recorder) Write(b []byte) (int, error) {
	r.wrote = true
	return r.ResponseWriter.Write(b)
}

// Unwrap lets the standard library find what else the writer can do.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Hijack hands the connection over, to become a WebSocket.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.status, r.wrote = http.StatusSwitchingProtocols, true
	line, buffer, err := http.NewResponseController(r.ResponseWriter).Hijack()
	r.line = line
	return line, buffer, err
}
