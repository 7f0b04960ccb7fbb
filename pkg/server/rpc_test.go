package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// fault is an error answer with an id.
func fault(id any, code int, message string) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message, "data": nil}}
}

// TestEveryCallHasItsAnswer goes through the rows of the protocol, over HTTP and over a socket.
func TestEveryCallHasItsAnswer(t *testing.T) {
	t.Parallel()
	r := start(t)
	const begin = "invalid character 'b' looking for beginning of object key string at byte 1"
	info := func(version string) map[string]any {
		return map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{"protocolVersion": version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "triage", "version": "1.2.3"}, "instructions": "Inside an episode, read_ticket shows what is to be " +
				"triaged and submit_triage answers it; read_handbook has the rules by which answers are graded. An episode is begun by a reset over WebSocket or HTTP, not by a tool."}}
	}
	for _, x := range []struct {
		name, call string
		want       any
	}{
		{"no JSON", `{bad`, fault(nil, -32700, "Parse error: "+begin)},
		{"two values", `{} {}`, fault(nil, -32700, "Parse error: invalid character '{' after top-level value at byte 3")},
		{"empty object, as the validator sends it", `{}`, fault(nil, -32600, `Invalid request: jsonrpc must be "2.0"; method is missing`)},
		{"another version", `{"jsonrpc":"1.0","method":"ping","id":1}`, fault(1, -32600, `Invalid request: jsonrpc must be "2.0"`)},
		{"version as a number", `{"jsonrpc":2.0,"method":"ping","id":1}`, fault(1, -32600, `Invalid request: jsonrpc must be "2.0"`)},
		{"no method", `{"jsonrpc":"2.0","id":1}`, fault(1, -32600, "Invalid request: method is missing")},
		{"method is a number", `{"jsonrpc":"2.0","id":"x","method":1}`, fault("x", -32600, "Invalid request: method must be a string")},
		{"unknown key", `{"jsonrpc":"2.0","id":1,"method":"ping","meta":{}}`, fault(1, -32600, `Invalid request: unknown key "meta"`)},
		{"params is a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, fault(1, -32600, "Invalid request: params must be an object")},
		{"params is null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, fault(1, -32600, "Invalid request: params must be an object")},
		{"id is a float", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, fault(nil, -32600, "Invalid request: id must be a string, an integer or null")},
		{"id is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, fault(nil, -32600, "Invalid request: id must be a string, an integer or null")},
		{"id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, map[string]any{"jsonrpc": "2.0", "id": nil, "result": map[string]any{}}},
		{"no id", `{"jsonrpc":"2.0","method":"ping"}`, map[string]any{"jsonrpc": "2.0", "id": nil, "result": map[string]any{}}},
		{"id is a text", `{"jsonrpc":"2.0","id":"é\u0000\"","method":"ping"}`, map[string]any{"jsonrpc": "2.0", "id": "é\x00\"", "result": map[string]any{}}},
		{"id is large", `{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping"}`, map[string]any{"jsonrpc": "2.0", "id": -9007199254740991, "result": map[string]any{}}},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, fault(1, -32601, "Method not found: server/discover")},
		{"reset is no method", `{"jsonrpc":"2.0","id":1,"method":"reset"}`, fault(1, -32601, "Method not found: reset")},
		{"a notification with an id is a call", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, fault(1, -32601, "Method not found: notifications/initialized")},
		{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, info("2025-03-26")},
		{"initialize with another version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, info("2025-11-25")},
		{"initialize with no version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`, info("2025-11-25")},
		{"call without a name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, fault(1, -32602, "Missing 'name' in params")},
		{"call with a name that is none", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, fault(1, -32602, "Missing 'name' in params")},
		{"call of an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, fault(1, -32603, "Unknown tool: 'x'")},
		{"reset is no tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"reset"}}`, fault(1, -32603, "Unknown tool: 'reset'")},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			a := r.do("POST", "/mcp", x.call)
			same(t, "POST /mcp", []any{200, x.want}, []any{a.Status, plain(t, a.Body)})
			ws := r.ws("/mcp")
			same(t, "WS /mcp", x.want, ws.ask(x.call))
			same(t, "WS /mcp goes on", rpcResult(map[string]any{}), ws.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
			if strings.HasPrefix(x.call, `{"jsonrpc"`) {
				same(t, "in a frame", map[string]any{"type": "mcp", "data": x.want}, r.ws("/ws").ask(`{"type":"mcp","data":`+x.call+`}`))
			}
		})
	}
	for name, x := range map[string]struct {
		body    string
		headers []string
		want    answer
	}{
		"empty":             {"", nil, answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":null}}`}},
		"list":              {"[]", nil, answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":null}}`}},
		"no JSON by type":   {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Content-Type", "", "Content-Type", "text/plain"}, answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":null}}`}},
		"no UTF-8":          {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", nil, answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":null}}`}},
		"notification":      {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, answer{Status: 202}},
		"another one":       {`{"jsonrpc":"2.0","method":"notifications/nobody/knows","params":{"session_id":"x"}}`, nil, answer{Status: 202}},
		"bad notification":  {`{"jsonrpc":"2.0","method":"notifications/initialized","x":1}`, nil, answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: unknown key \"x\"","data":null}}`}},
		"gzip":              {"\x1f\x8b", []string{"Content-Encoding", "gzip"}, answer{Status: 415, Body: `{"detail":"Content-Encoding \"gzip\" is not understood: send the body as it is"}`}},
		"larger than 1 MiB": {`{"jsonrpc":"` + strings.Repeat("x", 1<<20) + `"}`, nil, answer{Status: 413, Body: `{"detail":"the body is larger than 1048576 bytes"}`}},
	} {
		a := r.do("POST", "/mcp", x.body, x.headers...)
		same(t, name, x.want, answer{Status: a.Status, Body: a.Body})
	}
	ws := r.ws("/mcp")
	ws.tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`) // has no answer
	same(t, "after a notification", rpcResult(map[string]any{}), ws.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	same(t, "a list", fault(nil, -32000, "a frame is one JSON-RPC call: batches are not answered"), ws.ask(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
	same(t, "a list", closing{1000, ""}, ws.end())
}

func TestToolsAreListedWithStrictSchemas(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, track := range triage.Tracks() {
		schemas := openenv.ToolSchemas(track)
		want := []any{}
		for _, x := range [][2]string{
			{"read_ticket", "Shows what is to be triaged now, as the observation has it."},
			{"submit_triage", "Answers the ticket that is shown. A field may be left out: that costs what it is worth. Gives the next observation."},
			{"read_handbook", "Gives the handbook, by which answers are graded, as Markdown."},
			{"queue_status", "Tells how far the episode is."},
		} {
			want = append(want, map[string]any{"name": x[0], "description": x[1], "inputSchema": schemas[x[0]]})
			if got := plain(t, schemas[x[0]]).(map[string]any)["additionalProperties"]; got != false {
				t.Errorf("%s %s: additionalProperties is %v", track, x[0], got)
			}
		}
		same(t, string(track), rpcResult(map[string]any{"tools": want}), r.call("/"+string(track)+"/mcp", "tools/list", `{}`))
		same(t, string(track)+" with a cursor", rpcResult(map[string]any{"tools": want}), r.call("/"+string(track)+"/mcp", "tools/list", `{"cursor":"x","_meta":{}}`))
	}
}

// toolAnswer is a tool's result in both spellings.
func toolAnswer(t testing.TB, structured any, text string) map[string]any {
	s := plain(t, structured)
	return rpcResult(map[string]any{"content": []any{map[string]any{"type": "text", "text": text, "annotations": nil, "meta": nil}},
		"isError": false, "is_error": false, "meta": nil, "structuredContent": s, "structured_content": s, "data": s})
}

// callTool gives the answer to a tool call inside an HTTP episode.
func (r *rig) callTool(path, session, name, arguments string, headers ...string) string {
	r.t.Helper()
	return r.call(path, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"session_id":%q}`, name, arguments, session), headers...)
}

// TestToolsSayWhatTheEpisodeSays holds each tool's answer against the state of the episode.
func TestToolsSayWhatTheEpisodeSays(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, track := range triage.Tracks() {
		path := "/" + string(track)
		session := r.reset(path+"/reset", `{"seed":3,"difficulty":"medium","episode_id":"ep"}`)
		book := handbook.Text()
		for i := range 3 {
			state := r.ok("GET", path+"/state", "", "X-Triage-Session", session)
			o := state["observation"].(map[string]any)
			o["metadata"] = meta{}
			got := r.callTool(path+"/mcp", session, "read_ticket", `{}`)
			data := toolData(t, got)
			same(t, "read_ticket", map[string]any{"observation": o, "done": state["done"]}, data)
			same(t, "read_ticket", toolAnswer(t, data, data), got)

			status := map[string]any{"episode_id": "ep", "task": state["task"], "step_count": i, "done": state["done"], "message": o["message"]}
			for _, name := range []string{"position", "total_tickets", "remaining", "stats"} {
				if track == triage.Queue {
					status[name] = o[name]
				}
			}
			got = r.callTool(path+"/mcp", session, "queue_status", `null`)
			same(t, "queue_status", toolAnswer(t, status, toolData(t, got)), got)
			same(t, "queue_status", status, toolData(t, got))
			same(t, "read_handbook", toolAnswer(t, map[string]any{"handbook": book}, book), r.callTool(path+"/mcp", session, "read_handbook", `{}`))
			r.callTool(path+"/mcp", session, "submit_triage", `{}`)
		}
	}
}

// TestAToolsErrorIsSaidInBothDialects asks as OpenEnv's client and as one of the Model Context Protocol.
func TestAToolsErrorIsSaidInBothDialects(t *testing.T) {
	t.Parallel()
	r := start(t, withTokens("a-token-for-this-test"))
	auth := []string{"Authorization", "Bearer a-token-for-this-test"}
	session := r.reset("/reset", `{"seed":1,"tickets":1}`, auth...)
	over := r.reset("/reset", `{"seed":1,"tickets":1}`, auth...)
	r.ok("POST", "/step", `{"action":{}}`, append(auth, "X-Triage-Session", over)...)
	unbegun := r.open("/mcp", auth...)
	const routes = "one of billing, technical, feature, feedback, spam"
	for _, x := range []struct{ name, session, tool, arguments, want string }{
		{"wrong value", session, "submit_triage", `{"route_category":"Spam"}`, `invalid action: route_category: "Spam" is not allowed; allowed is ` + routes},
		{"unknown field", session, "submit_triage", `{"mood":1}`, "invalid action: mood: there is no such field (its value is 1); the fields are route_category, urgency_assessment, resolution_difficulty, priority_score"},
		{"arguments are a list", session, "submit_triage", `[]`, "invalid action: action: [] is not allowed; allowed is a JSON object"},
		{"after the end", over, "submit_triage", `{}`, "step after the end of the episode: call reset to begin another"},
		{"before the beginning", unbegun, "submit_triage", `{}`, "step before reset: call reset first"},
		{"no ticket yet", unbegun, "read_ticket", `{}`, "no ticket: the episode has not begun; call reset first"},
		{"no status yet", unbegun, "queue_status", `{}`, "no status: the episode has not begun; call reset first"},
		{"an argument too many", session, "read_ticket", `{"id":1}`, `unknown argument "id": this tool takes none`},
		{"arguments that are none", session, "read_handbook", `"x"`, "arguments must be an object"},
		{"no session", "", "read_ticket", `{}`, which},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			params := fmt.Sprintf(`{"name":%q,"arguments":%s,"session_id":%q}`, x.tool, x.arguments, x.session)
			if x.session == "" {
				params = fmt.Sprintf(`{"name":%q}`, x.tool)
			}
			same(t, "OpenEnv", rpcError(-32603, x.want), r.call("/mcp", "tools/call", params, auth...))
			for _, headers := range [][]string{{"Accept", "application/json, text/event-stream"}, {"Mcp-Protocol-Version", "2025-06-18"}} {
				same(t, headers[0], rpcResult(map[string]any{"content": []any{map[string]any{"type": "text", "text": x.want, "annotations": nil, "meta": nil}},
					"isError": true, "is_error": true, "meta": nil}), r.call("/mcp", "tools/call", params, append(headers, auth...)...))
			}
		})
	}
}

// TestAToolFindsTheEpisodeOfAnHTTPRequest has all ways of naming it.
func TestAToolFindsTheEpisodeOfAnHTTPRequest(t *testing.T) {
	t.Parallel()
	r := start(t)
	var sessions []string
	for seed := range 3 {
		sessions = append(sessions, r.reset("/reset", fmt.Sprintf(`{"seed":%d,"episode_id":"ep-%d"}`, seed, seed)))
	}
	const status = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"queue_status"}}`
	for name, x := range map[string]struct {
		path, body string
		headers    []string
		want       string
	}{
		"parameter": {"/mcp", strings.Replace(status, `"}}`, `","session_id":"`+sessions[0]+`"}}`, 1), nil, "ep-0"},
		"query":     {"/mcp?session_id=" + sessions[0], status, nil, "ep-0"},
		"header":    {"/mcp", status, []string{"X-Triage-Session", sessions[1]}, "ep-1"},
		"cookie":    {"/mcp", status, []string{"Cookie", "triage_session=" + sessions[1]}, "ep-1"},
		"nothing":   {"/mcp", status, nil, "ep-2"},
	} {
		if got := r.do("POST", x.path, x.body, x.headers...).Body; !strings.Contains(got, `"episode_id":"`+x.want+`"`) {
			t.Errorf("%s: want %s, got %s", name, x.want, got)
		}
	}
	same(t, "another query", rpcError(-32603, "Unknown session_id: x"), r.do("POST", "/mcp?session_id=x", status).Body)
	same(t, "another header", rpcError(-32603, noSession("x", "queue")), r.do("POST", "/mcp", status, "X-Triage-Session", "x").Body)
	same(t, "another track", rpcError(-32603, "no episode: begin one with a reset over WebSocket or HTTP, then "+ways), r.do("POST", "/desk/mcp", status).Body)
	same(t, "the handbook needs no episode", true, strings.Contains(r.call("/desk/mcp", "tools/call", `{"name":"read_handbook"}`), `"isError":false`))
}
