package server_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// converse plays a task over every endpoint and gives all that the server said.
func converse(t *testing.T, task triage.Task, twist, sealed bool, tell leak) []said {
	t.Helper()
	made := func(task triage.Task, split triage.Split) (triage.Env, error) {
		e, err := env.New(task, split, sourceOf(task, twist))
		if err != nil || tell == nil {
			return e, err
		}
		return tell(e), nil
	}
	log := &lines{}
	r := start(t, withTokens(token), func(d *server.Deps, o *server.Options) {
		d.NewEnv, d.NewAgent = made, nil
		d.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		d.Random = &counted{r: rand.NewChaCha8([32]byte{1})}
		clock := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		d.Now = func() time.Time { return clock }
		if o.Sealed = sealed; !sealed {
			return
		}
		l, err := server.OpenLedger(t.Context(), &memoryFile{}, &memoryFile{}, testOrigin, made)
		if err != nil {
			t.Fatal(err)
		}
		d.Ledger = l
	})
	c := &conversation{rig: r, task: task, path: "/" + string(task.Track), sealed: sealed}
	c.overHTTP("/reset", "/step", "/state")
	c.overHTTP("/web/reset", "/web/step", "/web/state")
	c.overMCP()
	c.overWebSocket()
	c.strangers()
	r.end() // the line of a request is written when it is answered, and the order of lines is nobody's promise
	for _, line := range slices.Sorted(strings.Lines(log.String())) {
		c.note("log", line)
	}
	return c.said
}

// conversation collects what a server says.
type conversation struct {
	*rig
	task   triage.Task
	path   string
	sealed bool
	said   []said
}

func (c *conversation) note(where, text string) { c.said = append(c.said, said{where, text}) }

// call sends a request and notes the answer with its headers.
func (c *conversation) request(method, path, body string, headers ...string) answer {
	c.t.Helper()
	a := c.do(method, path, body, append(headers, "Authorization", "Bearer "+token)...)
	h := a.Header.Clone()
	h.Del("Date")
	h.Del("Content-Length")
	for _, name := range slices.Sorted(maps.Keys(h)) {
		c.note(method+" "+path+": header", name+": "+strings.Join(h[name], ", "))
	}
	c.note(fmt.Sprintf("%s %s: %d", method, path, a.Status), a.Body)
	return a
}

// answers are the ones that are given: none of them is right, some are refused.
func (c *conversation) answers() (refused []string, taken string) {
	return []string{`{"route_category":"x","category":"x"}`, `{"priority_score":1000,"urgency_days":1000}`, `{"mood":{"a":[1]}}`, `{"recommendation":7,"urgency_assessment":7}`}, `{}`
}

func (c *conversation) options() string {
	if c.sealed {
		return fmt.Sprintf(`{"difficulty":%q,"handbook":true}`, c.task.Difficulty)
	}
	return fmt.Sprintf(`{"difficulty":%q,"handbook":true,"seed":3}`, c.task.Difficulty)
}

func (c *conversation) overHTTP(reset, step, state string) {
	session := c.request("POST", c.path+reset, c.options()).Header.Get("X-Triage-Session")
	refused, taken := c.answers()
	for range c.task.MaxSteps + 1 { // and one after the end
		c.request("GET", c.path+state, "", "X-Triage-Session", session)
		for _, action := range refused {
			c.request("POST", c.path+step, `{"action":`+action+`}`, "X-Triage-Session", session)
		}
		c.request("POST", c.path+step, `{"action":`+taken+`}`, "X-Triage-Session", session)
	}
	c.request("GET", c.path+state, "", "X-Triage-Session", session)
	c.request("POST", c.path+reset, `{"difficulty":"x"}`)
	c.request("POST", c.path+reset, `{"seed":-1}`)
	c.request("POST", c.path+reset, `{`)
	c.request("POST", c.path+step, `[]`, "X-Triage-Session", session)
}

func (c *conversation) overMCP() {
	session := c.request("POST", c.path+"/reset", c.options()).Header.Get("X-Triage-Session")
	refused, taken := c.answers()
	tool := func(name, arguments string, headers ...string) {
		c.request("POST", c.path+"/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"session_id":%q}}`, name, arguments, session), headers...)
	}
	for i := range c.task.MaxSteps + 1 {
		for _, name := range askingTools(i) {
			tool(name, `{}`)
			tool(name, `{"x":1}`, "Mcp-Protocol-Version", "2025-06-18")
		}
		for _, action := range refused {
			tool(openenv.ToolSubmit, action)
			tool(openenv.ToolSubmit, action, "Mcp-Protocol-Version", "2025-06-18")
		}
		tool(openenv.ToolSubmit, taken)
	}
}

// askingTools are those that only ask; the handbook once will do.
func askingTools(step int) []string {
	list := []string{openenv.ToolReadTicket, openenv.ToolQueueStatus}
	if step == 0 {
		list = append(list, openenv.ToolReadHandbook)
	}
	return list
}

func (c *conversation) overWebSocket() {
	refused, taken := c.answers()
	ws := c.ws(c.path+"/ws", "Authorization", "Bearer "+token)
	defer func() { _ = ws.conn.CloseNow() }() // the server's end waits for sockets that are open
	ask := func(frame string) { c.note("WS "+c.path+"/ws", ws.ask(frame)) }
	tool := func(name, arguments string) {
		ask(fmt.Sprintf(`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}}`, name, arguments))
	}
	ask(`{"type":"state"}`)
	ask(`{"type":"step","data":{}}`)
	ask(`{"type":"reset","data":` + c.options() + `}`)
	for i := range c.task.MaxSteps + 1 {
		ask(`{"type":"state"}`)
		for _, action := range refused {
			ask(`{"type":"step","data":` + action + `}`)
		}
		for _, name := range askingTools(i) {
			tool(name, `{}`)
		}
		if i%2 == 1 {
			tool(openenv.ToolSubmit, taken)
		} else {
			ask(`{"type":"step","data":` + taken + `}`)
		}
	}
	for _, frame := range []string{`{"type":"state"}`, `{bad`, `{"type":"bogus"}`, `{"type":"step","data":[]}`, `{"type":"reset","data":{"split":"x"}}`, `{"type":"mcp","data":{}}`, `[]`} {
		ask(frame)
	}
	mcp := c.ws(c.path+"/mcp", "Authorization", "Bearer "+token)
	defer func() { _ = mcp.conn.CloseNow() }() // the server's end waits for sockets that are open
	for _, call := range []string{`{}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_ticket"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`} {
		c.note("WS "+c.path+"/mcp", mcp.ask(call))
	}
}

// strangers asks for everything that is no episode.
func (c *conversation) strangers() {
	for _, path := range []string{"/health", "/metadata", "/schema", "/openapi.json", "/docs", "/redoc", "/metrics", "/list_environments", "/triage/splits", "/", "/web", "/web/metadata", "/nowhere"} {
		c.request("GET", c.path+path, "")
	}
	for _, path := range []string{"/triage/tasks", "/triage/num_tasks", "/triage/task", "/triage/task_range", "/mcp"} {
		c.request("POST", c.path+path, `{"split":"train","index":3}`)
	}
	c.request("GET", c.path+"/state?episode_id=x", "")
	c.request("GET", c.path+"/ws", "")
}
