package server

import (
	"context"
	"log"
	"net"
	"net/http"
	"time"
)

// The limits of a connection. They do not bound sockets, whose life is that of their sessions.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 60 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// HTTPServer gives a server with the limits that keep slow and greedy clients away.
func (s *Server) HTTPServer(errors *log.Logger) *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: errors, BaseContext: func(net.Listener) context.Context { return context.Background() }}
}
