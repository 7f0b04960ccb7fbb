package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/triagebench/triage/pkg/openenv"
)

// session is a player with its place among the limited number of sessions: that of a socket, or one that JSON-RPC made.
type session struct {
	*player
	id      string       // of one that JSON-RPC made; empty for a socket's own
	used    atomic.Int64 // when it was last used, in nanoseconds of Unix time
	socket  *socket      // that it belongs or is attached to; nil where there is none
	own     string       // what calls may call a socket's own session, once JSON-RPC on it has asked
	fresh   bool         // made by JSON-RPC and not used yet
	closing bool         // to be closed when the socket detaches
}

// touch notes that the session is used.
func (x *session) touch(now time.Time) { x.used.Store(now.UnixNano()) }

// sessions are all sessions of a server.
type sessions struct {
	mu     sync.Mutex
	max    int
	now    func() time.Time
	byID   map[string]*session
	all    map[*session]struct{}
	closed bool         // no new ones
	size   atomic.Int32 // how many there are
}

func newSessions(limit int, now func() time.Time) *sessions {
	return &sessions{max: limit, now: now, byID: map[string]*session{}, all: map[*session]struct{}{}}
}

// capacity says why there is no room.
func (s *sessions) capacity() *openenv.Refusal {
	n := len(s.all)
	return &openenv.Refusal{Code: openenv.CodeCapacity, Message: "Server at capacity: " + ratio(n, s.max) +
		" sessions active. Cannot accept new connections.", Active: n, Max: s.max, End: true}
}

// open adds a session for a player. It has a socket, or an id by which sockets can attach to it.
func (s *sessions) open(p *player, id string, k *socket) (*session, *openenv.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &openenv.Refusal{Code: openenv.CodeSession, Message: "the server is going down", End: true}
	}
	if len(s.all) >= s.max {
		return nil, s.capacity()
	}
	x := &session{player: p, id: id, socket: k, fresh: k == nil}
	if k != nil {
		k.session = x // before others can find it
	}
	x.touch(s.now())
	s.all[x] = struct{}{}
	s.size.Add(1)
	if id != "" {
		s.byID[id] = x
	}
	return x, nil
}

// find gives the session with an id to its owner.
func (s *sessions) find(id, owner string) (*session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.byID[id]
	if !ok || x.owner != owner {
		return nil, false
	}
	x.fresh = false
	x.touch(s.now())
	return x, true
}

// attach binds a socket to a session that JSON-RPC made.
func (s *sessions) attach(id, owner string, k *socket) *openenv.Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.byID[id]
	switch {
	case !ok || x.owner != owner:
		return &openenv.Refusal{Code: openenv.CodeSession, Message: "Unknown session_id: " + id, End: true}
	case x.socket != nil || x.closing:
		return &openenv.Refusal{Code: openenv.CodeSession, Message: "Session already attached: " + id, End: true}
	case s.closed:
		return &openenv.Refusal{Code: openenv.CodeSession, Message: "the server is going down", End: true}
	}
	x.socket, k.session, x.fresh = k, x, false
	x.touch(s.now())
	return nil
}

// leave is called when a session's socket has ended: its own session ends too, one that it was attached to goes on, unless it
// was to be closed. A second call does nothing, also where another socket is attached by then.
func (s *sessions) leave(x *session, k *socket) {
	s.mu.Lock()
	if _, ok := s.all[x]; !ok || x.socket != k {
		s.mu.Unlock()
		return
	}
	x.socket = nil
	x.touch(s.now())
	gone := x.id == "" || x.closing
	if gone {
		s.drop(x)
	}
	s.mu.Unlock()
	if gone {
		x.close()
	}
}

// drop frees the place of a session. The caller holds the lock.
func (s *sessions) drop(x *session) {
	if _, ok := s.all[x]; ok {
		delete(s.all, x)
		s.size.Add(-1)
	}
	delete(s.byID, x.id)
	delete(s.byID, x.own)
}

// name gives the id by which calls can name a session; a socket's own gets the new one when it is first asked for.
func (s *sessions) name(x *session, id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.id != "" {
		return x.id
	}
	if _, ok := s.all[x]; ok && x.own == "" {
		x.own, s.byID[id] = id, x
	}
	return x.own
}

// close closes a session that JSON-RPC made, or notes that it is to be closed when its socket detaches; known tells whether
// there is one.
func (s *sessions) close(id, owner string) (closed, known bool) {
	s.mu.Lock()
	x, ok := s.byID[id]
	if !ok || x.owner != owner {
		s.mu.Unlock()
		return false, false
	}
	if x.socket != nil {
		x.closing = true
		s.mu.Unlock()
		return false, true
	}
	s.drop(x)
	s.mu.Unlock()
	x.close()
	return true, true
}

// count is how many sessions there are.
func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// sockets lists the sockets of all sessions.
func (s *sessions) sockets() []*socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*socket
	for x := range s.all {
		if x.socket != nil {
			out = append(out, x.socket)
		}
	}
	return out
}

// freshTime is how long a session that JSON-RPC made may stay unused: who only makes sessions does not hold all places.
const freshTime = time.Minute

// endIdle ends sessions that were not used for so long, with their sockets.
func (s *sessions) endIdle(timeout time.Duration) {
	s.mu.Lock()
	oldest := s.now().Add(-timeout).UnixNano()
	unused := s.now().Add(-min(timeout, freshTime)).UnixNano()
	var sockets []*socket
	var alone []*session
	for x := range s.all {
		switch {
		case x.used.Load() > oldest && (!x.fresh || x.used.Load() > unused):
		case x.socket != nil:
			x.closing = true
			sockets = append(sockets, x.socket)
		default:
			s.drop(x)
			alone = append(alone, x)
		}
	}
	s.mu.Unlock()
	for _, k := range sockets {
		k.end("idle for " + timeout.String())
	}
	for _, x := range alone {
		x.close()
	}
}

// endAll lets no session begin and closes all sockets.
func (s *sessions) endAll(reason string) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, k := range s.sockets() {
		k.end(reason)
	}
}

// closeAll closes the sessions that have no socket.
func (s *sessions) closeAll() {
	s.mu.Lock()
	list := make([]*session, 0, len(s.all))
	for x := range s.all {
		s.drop(x)
		list = append(list, x)
	}
	s.mu.Unlock()
	for _, x := range list {
		x.close()
	}
}
