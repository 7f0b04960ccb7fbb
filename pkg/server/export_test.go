package server

import (
	"github.com/triagebench/triage/pkg/triage"
)

// Wire answers frames and calls as the sockets of one session do, without the sockets.
type Wire struct {
	socket *socket
}

// NewWire opens a session of a server.
func NewWire(s *Server, track triage.Track) *Wire {
	k := &socket{server: s}
	k.session = &session{player: s.newPlayer(track, "")}
	return &Wire{k}
}

// Frame answers a frame of /ws.
func (w *Wire) Frame(frame []byte) ([]byte, bool) { return answerFrame(w.socket, frame, nil) }

// Call answers a frame of /mcp.
func (w *Wire) Call(frame []byte) ([]byte, bool) { return answerCall(w.socket, frame, nil) }

// Post answers a call as POST /mcp does.
func (w *Wire) Post(data []byte) ([]byte, bool) {
	return w.socket.server.rpc(nil, data, rpcContext{track: w.socket.session.track})
}
