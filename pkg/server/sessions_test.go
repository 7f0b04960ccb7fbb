package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/server"
)

// call sends a JSON-RPC call over HTTP and gives the answer.
func (r *rig) call(path, method, params string, headers ...string) string {
	r.t.Helper()
	a := r.do("POST", path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), headers...)
	if a.Status != 200 {
		r.t.Fatalf("POST %s %s %s: status %d, %s", path, method, params, a.Status, a.Body)
	}
	return a.Body
}

// open makes a session with JSON-RPC.
func (r *rig) open(path string, headers ...string) string {
	r.t.Helper()
	id, _ := object(r.t, r.call(path, "openenv/session/create", `{}`, headers...))["result"].(map[string]any)["session_id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		r.t.Fatalf("session id %q is no UUID of version 4", id)
	}
	return id
}

func param(id string) string { return fmt.Sprintf(`{"session_id":%q}`, id) }

// rpcResult and rpcError are the answers to a call with id 1.
func rpcResult(v any) map[string]any { return map[string]any{"jsonrpc": "2.0", "id": 1, "result": v} }

func rpcError(code int, message string) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": code, "message": message, "data": nil}}
}

// TestASessionOfJSONRPCOutlivesItsSockets attaches, detaches and closes.
func TestASessionOfJSONRPCOutlivesItsSockets(t *testing.T) {
	t.Parallel()
	r := start(t)
	id := r.open("/mcp")
	ws := r.ws("/ws?session_id=" + id)
	ws.ask(`{"type":"reset","data":{"seed":1}}`)
	state := ws.ask(`{"type":"state"}`)

	second := r.ws("/ws?session_id=" + id)
	same(t, "a second socket", refusal("SESSION_ERROR", "Session already attached: "+id), second.hear())
	same(t, "a second socket", closing{1000, ""}, second.end())

	ws.tell(`{"type":"close"}`)
	same(t, "detach", closing{1000, ""}, ws.end())
	ws = r.ws("/ws?session_id=" + id)
	same(t, "the state after another socket came", state, ws.ask(`{"type":"state"}`))
	same(t, "tools of an attached session", true, strings.Contains(r.call("/mcp", "tools/call", `{"name":"read_ticket","session_id":"`+id+`"}`), "TKT-"))
	same(t, "sessions", 1, r.sessions())

	same(t, "close while attached", rpcResult(map[string]any{"session_id": id, "closed": false, "closing": true}), r.call("/mcp", "openenv/session/close", param(id)))
	same(t, "close again", rpcResult(map[string]any{"session_id": id, "closed": false, "closing": true}), r.call("/mcp", "openenv/session/close", param(id)))
	same(t, "the socket goes on", state, ws.ask(`{"type":"state"}`))
	ws.tell(`{"type":"close"}`)
	ws.end()
	same(t, "closed when it was detached", rpcError(-32602, "Unknown session_id: "+id), r.call("/mcp", "openenv/session/close", param(id)))
	same(t, "sessions", 0, r.sessions())

	id = r.open("/mcp")
	same(t, "close", rpcResult(map[string]any{"session_id": id, "closed": true}), r.call("/mcp", "openenv/session/close", param(id)))
	same(t, "close twice", rpcError(-32602, "Unknown session_id: "+id), r.call("/mcp", "openenv/session/close", param(id)))
	gone := r.ws("/ws?session_id=" + id)
	same(t, "attach to what is closed", refusal("SESSION_ERROR", "Unknown session_id: "+id), gone.hear())
	same(t, "attach to what is closed", closing{1000, ""}, gone.end())
}

func TestASessionIDThatNobodyHasIsUnknown(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.reset("/reset", `{"seed":1}`) // what a call without an id would be about
	for name, params := range map[string]string{"another": `{"session_id":"x"}`, "empty": `{"session_id":""}`, "number": `{"session_id":5}`,
		"list": `{"session_id":["x"]}`, "truth": `{"session_id":true}`} {
		for _, method := range []string{"tools/list", "tools/call", "initialize", "ping"} {
			p := strings.Replace(params, `{`, `{"name":"read_ticket",`, 1)
			if got := r.call("/mcp", method, p); !strings.Contains(got, `"code":-32602,"message":"Unknown session_id: `) {
				t.Errorf("%s with an id that is %s: %s", method, name, got)
			}
		}
	}
	same(t, "close without an id", rpcError(-32602, "Missing 'session_id' in params"), r.call("/mcp", "openenv/session/close", `{}`))
	same(t, "close with null", rpcError(-32602, "Missing 'session_id' in params"), r.call("/mcp", "openenv/session/close", `{"session_id":null}`))
	long := strings.Repeat("é", 5000)
	if got := r.call("/mcp", "openenv/session/close", param(long)); len(got) > 400 {
		t.Errorf("an id of %d bytes is said back in %d", len(long), len(got))
	}
	ws := r.ws("/ws?session_id=" + unknownID)
	same(t, "attach", refusal("SESSION_ERROR", "Unknown session_id: "+unknownID), ws.hear())
	same(t, "attach", closing{1000, ""}, ws.end())
	object(t, r.ws("/ws?session_id=").ask(`{"type":"reset"}`)) // an empty id is none
}

// TestASocketHasASessionThatCallsCanName is what the reference does: an agent plays by HTTP in the episode of a trainer's socket.
func TestASocketHasASessionThatCallsCanName(t *testing.T) {
	t.Parallel()
	r := start(t)
	const create = `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`
	sessionOf := func(text string) string {
		id, _ := object(t, text)["result"].(map[string]any)["session_id"].(string)
		return id
	}
	inFrame := func(ws *sock, call string) string {
		text := ws.ask(`{"type":"mcp","data":` + call + `}`)
		return strings.TrimSuffix(strings.TrimPrefix(text, `{"type":"mcp","data":`), "}")
	}
	ws, mcp := r.ws("/ws"), r.ws("/mcp")
	ws.ask(`{"type":"reset","data":{"seed":1}}`)
	for name, ask := range map[string]func(string) string{"/ws": func(c string) string { return inFrame(ws, c) }, "/mcp": mcp.ask} {
		id := sessionOf(ask(create))
		if id == "" || sessionOf(ask(create)) != id {
			t.Errorf("%s: the socket's session is %q, and another one the second time", name, id)
		}
		same(t, name+": its own is not closed", -32600.0, object(t, ask(`{"jsonrpc":"2.0","id":1,"method":"openenv/session/close","params":`+param(id)+`}`))["error"].(map[string]any)["code"])
		same(t, name+": its own may be named", rpcResult(map[string]any{}), ask(`{"jsonrpc":"2.0","id":1,"method":"ping","params":`+param(id)+`}`))
	}
	same(t, "sessions", 2, r.sessions())
	id := sessionOf(inFrame(ws, create))
	if got := r.call("/mcp", "tools/call", `{"name":"submit_triage","arguments":{},"session_id":"`+id+`"}`); !strings.Contains(got, `"position":1`) {
		t.Errorf("a call over HTTP that names the session of a socket: %s", got)
	}
	same(t, "steps of the socket", 1, object(t, ws.ask(`{"type":"state"}`))["data"].(map[string]any)["step_count"])
	other := r.ws("/ws?session_id=" + id)
	same(t, "another socket", refusal("SESSION_ERROR", "Session already attached: "+id), other.hear())
	ws.tell(`{"type":"close"}`)
	ws.end()
	same(t, "when the socket is gone", rpcError(-32602, "Unknown session_id: "+id), r.call("/mcp", "tools/list", param(id)))

	made := r.open("/mcp")
	attached := r.ws("/ws?session_id=" + made)
	same(t, "the session of an attached socket", made, sessionOf(inFrame(attached, create)))
}

// TestASessionTooManyIsRefusedAtOnce fills a server of two places in each way.
func TestASessionTooManyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *server.Deps, o *server.Options) { o.MaxSessions = 2 })
	first := r.ws("/ws")
	first.ask(`{"type":"state"}`) // the handshake is answered before the session has its place
	id := r.open("/mcp")
	const message = "Server at capacity: 2/2 sessions active. Cannot accept new connections."
	for range 3 {
		ws := r.ws("/desk/ws")
		same(t, "WS /ws", refusal("CAPACITY_REACHED", message, "active_sessions", 2, "max_sessions", 2), ws.hear())
		same(t, "WS /ws", closing{1000, ""}, ws.end())
		mcp := r.ws("/mcp")
		numbers := map[string]any{"active_sessions": 2, "max_sessions": 2}
		same(t, "WS /mcp", map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32000, "message": message, "data": numbers}}, mcp.hear())
		same(t, "WS /mcp", closing{1000, ""}, mcp.end())
		same(t, "create", map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": -32000, "message": message, "data": numbers}},
			r.call("/mcp", "openenv/session/create", `{}`))
	}
	object(t, first.ask(`{"type":"reset"}`))
	r.ws("/ws?session_id=" + id).ask(`{"type":"state"}`) // attaching takes no place
	r.reset("/reset", `{}`)                              // and episodes of HTTP have their own number
	same(t, "refusals", 6, r.metric(`triage_refusals_total{code="CAPACITY_REACHED"}`))
}

// TestAPlaceIsFreeBeforeTheSocketHasClosed comes back to a server of one place while the closing handshake of the socket before is not
// done: the old client does not answer the close.
func TestAPlaceIsFreeBeforeTheSocketHasClosed(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *server.Deps, o *server.Options) { o.MaxSessions = 1 })
	for range 50 {
		w := r.raw("/ws")
		w.send(frame(fin|textKind, `{"type":"state"}`))
		w.want(textKind)
		w.send(frame(fin|textKind, `{"type":"close"}`))
		w.want(endKind) // and no answer to it
		next := r.ws("/ws")
		object(t, next.ask(`{"type":"reset"}`))
		next.tell(`{"type":"close"}`)
		next.end()
		_ = w.conn.Close()
	}
}

// TestAnotherTokensSessionIsUnknown names it in every way.
func TestAnotherTokensSessionIsUnknown(t *testing.T) {
	t.Parallel()
	const mine, yours = "token-of-the-first-one", "token-of-the-second-one"
	r := start(t, withTokens(mine, yours))
	me, you := []string{"Authorization", "Bearer " + mine}, []string{"Authorization", "Bearer " + yours}
	id := r.open("/mcp", me...)
	ws := r.ws("/ws?session_id="+id, you...)
	same(t, "attach", refusal("SESSION_ERROR", "Unknown session_id: "+id), ws.hear())
	same(t, "attach", closing{1000, ""}, ws.end())
	for _, method := range []string{"openenv/session/close", "tools/list", "tools/call"} {
		same(t, method, rpcError(-32602, "Unknown session_id: "+id), r.call("/mcp", method, param(id), you...))
	}
	inside := r.ws("/mcp", you...)
	same(t, "WS /mcp", rpcError(-32602, "Unknown session_id: "+id), inside.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_ticket","session_id":"`+id+`"}}`))
	object(t, r.ws("/ws?session_id="+id, me...).ask(`{"type":"state"}`))
}
