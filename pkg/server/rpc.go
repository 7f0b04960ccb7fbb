package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// rpcContext is where a JSON-RPC call came from.
type rpcContext struct {
	owner   string
	track   triage.Track
	session *session      // of the socket, or nil
	request *http.Request // of POST /mcp, or nil
}

// rpcMethod answers one method. A nil error means that result, JSON as it stands, is the answer.
type rpcMethod func(s *Server, params json.RawMessage, c *rpcContext) (json.RawMessage, *openenv.RPCError)

// rpcMethods are the methods of the Model Context Protocol and those that OpenEnv adds to it.
var rpcMethods = map[string]rpcMethod{
	"initialize": (*Server).initialize,
	"ping": func(*Server, json.RawMessage, *rpcContext) (json.RawMessage, *openenv.RPCError) {
		return []byte("{}"), nil
	},
	"tools/list":             (*Server).listTools,
	"tools/call":             (*Server).callTool,
	"openenv/session/create": (*Server).createSession,
	"openenv/session/close":  (*Server).closeSession,
}

// rpc answers a JSON-RPC call into buf. A notification has no answer: silent is true.
func (s *Server) rpc(buf, data []byte, c rpcContext) (out []byte, silent bool) {
	call, fault := openenv.ParseCall(data)
	var result json.RawMessage
	if fault == nil {
		if call.Notification() {
			return buf, true
		}
		method, ok := rpcMethods[call.Method]
		if !ok {
			fault = &openenv.RPCError{Code: openenv.RPCNoMethod, Message: "Method not found: " + shortName(call.Method)}
		} else if fault = s.knownSession(call.Method, call.Params, &c); fault == nil {
			result, fault = method(s, call.Params, &c)
		}
	}
	if fault != nil {
		s.counts.refusal("jsonrpc")
	}
	return openenv.AppendRPC(buf, call.ID, result, fault), false
}

// shortName cuts the name of a method that a client made up.
func shortName(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// sessionParam is the id of the session that a call names.
func sessionParam(params json.RawMessage) (id string, given bool) {
	var p struct {
		SessionID json.RawMessage `json:"session_id"`
	}
	if json.Unmarshal(params, &p) != nil || len(p.SessionID) == 0 || string(p.SessionID) == "null" {
		return "", false
	}
	if json.Unmarshal(p.SessionID, &id) != nil {
		return string(p.SessionID), true // no string: no session is called that
	}
	return id, true
}

// knownSession refuses a call that names a session which there is not. Sessions of plain HTTP may be named too, so that an agent can
// use tools inside an episode which another program began.
func (s *Server) knownSession(method string, params json.RawMessage, c *rpcContext) *openenv.RPCError {
	id, given := sessionParam(params)
	if !given {
		return nil
	}
	if x, ok := s.sessions.find(id, c.owner); ok {
		c.track = x.track
		return nil
	}
	if _, ok := s.episodes.bySession(id, c.owner); ok && method != "openenv/session/close" {
		return nil
	}
	return &openenv.RPCError{Code: openenv.RPCBadParams, Message: "Unknown session_id: " + shortName(id)}
}

// protocolVersions are those of the Model Context Protocol that this server speaks, newest first.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

const instructions = "Inside an episode, read_ticket shows what is to be triaged and submit_triage answers it; read_handbook has the rules by " +
	"which answers are graded. An episode is begun by a reset over WebSocket or HTTP, not by a tool."

func (s *Server) initialize(params json.RawMessage, _ *rpcContext) (json.RawMessage, *openenv.RPCError) {
	var asked struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(params, &asked) != nil || !slices.Contains(protocolVersions, asked.Version) {
		asked.Version = protocolVersions[0]
	}
	return openenv.Plain(map[string]any{
		"protocolVersion": asked.Version, "capabilities": map[string]any{"tools": map[string]any{}},
		"serverInfo": map[string]string{"name": openenv.EnvName, "version": s.options.Version}, "instructions": instructions,
	}), nil
}

// createSession makes a session that sockets can attach to. On a socket it gives that socket's own.
func (s *Server) createSession(_ json.RawMessage, c *rpcContext) (json.RawMessage, *openenv.RPCError) {
	id, err := s.uuid()
	if err != nil {
		return nil, &openenv.RPCError{Code: openenv.RPCInternal, Message: err.Error()}
	}
	if c.session != nil {
		return openenv.Plain(map[string]string{"session_id": s.sessions.name(c.session, id)}), nil
	}
	if _, refusal := s.sessions.open(s.newPlayer(c.track, c.owner), id, nil); refusal != nil {
		e := &openenv.RPCError{Code: openenv.RPCNoCapacity, Message: refusal.Message}
		if refusal.Code == openenv.CodeCapacity {
			e.Data = map[string]int{"active_sessions": refusal.Active, "max_sessions": refusal.Max}
		}
		return nil, e
	}
	return openenv.Plain(map[string]string{"session_id": id}), nil
}

// closeSession closes a session that createSession made, or lets it close when its socket detaches.
func (s *Server) closeSession(params json.RawMessage, c *rpcContext) (json.RawMessage, *openenv.RPCError) {
	id, given := sessionParam(params)
	if !given || id == "" {
		return nil, &openenv.RPCError{Code: openenv.RPCBadParams, Message: "Missing 'session_id' in params"}
	}
	if c.session != nil && (c.session.own == id || c.session.id == id) {
		return nil, &openenv.RPCError{Code: openenv.RPCInvalid, Message: "a socket's own session ends with the socket: close that"}
	}
	closed, known := s.sessions.close(id, c.owner)
	switch {
	case !known:
		return nil, &openenv.RPCError{Code: openenv.RPCBadParams, Message: "Unknown session_id: " + shortName(id)}
	case closed:
		return openenv.Plain(map[string]any{"session_id": id, "closed": true}), nil
	}
	return openenv.Plain(map[string]any{"session_id": id, "closed": false, "closing": true}), nil
}

// uuid makes a random UUID (version 4).
func (s *Server) uuid() (string, error) {
	id, err := s.randomID()
	if err != nil {
		return "", err
	}
	return id[:8] + "-" + id[8:12] + "-4" + id[13:16] + "-" + string("89ab"[id[16]&3]) + id[17:20] + "-" + id[20:], nil
}

// postMCP is POST /mcp. Its status is 200 whatever the answer says, and 202 for a notification.
func (s *Server) postMCP(w http.ResponseWriter, r *http.Request) {
	data, p := s.body(w, r)
	if p != nil && p.details == nil && p.status != http.StatusBadRequest {
		p.write(w)
		return
	}
	if p != nil {
		data = nil // no JSON by its content type, or no text
	}
	out, silent := s.rpc(nil, data, rpcContext{owner: ownerOf(r), track: trackOf(r), request: r})
	if silent {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

// getMCP is WS /mcp: a socket with a session of its own whose frames are JSON-RPC calls.
func (s *Server) getMCP(w http.ResponseWriter, r *http.Request) {
	track := trackOf(r)
	s.accept(w, r, func(k *socket) {
		k.answer = answerCall
		var refusal *openenv.Refusal
		if _, refusal = s.sessions.open(s.newPlayer(track, k.owner), "", k); refusal != nil {
			s.counts.refusal(refusal.Code)
			k.refuse(openenv.AppendRPC(nil, nil, nil, &openenv.RPCError{Code: openenv.RPCNoCapacity, Message: refusal.Message,
				Data: map[string]int{"active_sessions": refusal.Active, "max_sessions": refusal.Max}}))
			return
		}
		k.loop()
	})
}

// answerCall answers one frame of WS /mcp. JSON that is no object ends the socket.
func answerCall(k *socket, frame, buf []byte) ([]byte, bool) {
	if _, err := triage.AppendMembers(nil, frame); errors.Is(err, triage.ErrNotObject) {
		return openenv.AppendRPC(buf, nil, nil, &openenv.RPCError{Code: openenv.RPCNoCapacity, Message: "a frame is one JSON-RPC call: batches are not answered"}), true
	}
	out, _ := k.server.rpc(buf, frame, rpcContext{owner: k.owner, track: k.session.track, session: k.session})
	return out, false
}

// background is the context of calls that no request bounds.
func (c *rpcContext) context() context.Context {
	if c.request != nil {
		return c.request.Context()
	}
	return context.Background()
}
