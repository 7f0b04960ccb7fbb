package audit

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// showing are paths whose answers show an episode or change with what was asked of the server, below a prefix.
var showing = map[string]bool{"/reset": true, "/step": true, "/state": true, "/web/reset": true, "/web/step": true, "/web/state": true,
	"/web/review": true, "/metrics": true}

// listings are what a server of ours answers whatever is played on it.
func listings() []request {
	const env = "/" + openenv.EnvName
	out := []request{{path: env + "/tasks", body: `{"split":"test"}`}, {path: env + "/num_tasks", body: `{"split":"test"}`},
		{path: env + "/task", body: `{"split":"test","index":17}`}, {path: env + "/task_range", body: `{"split":"train","start":3,"stop":9}`}}
	for _, path := range []string{"/health", "/metadata", "/schema", "/openapi.json", "/docs", "/redoc", "/list_environments", env + "/splits",
		"/", "/web", "/web/metadata"} {
		out = append(out, request{path: path})
	}
	return out
}

// toolListings are what a server says of its tools and by them, whatever is played on it.
func toolListings() []request {
	var out []request
	for _, call := range toolCalls() {
		out = append(out, request{path: "/mcp", body: string(encoded(call))})
	}
	return out
}

func toolCalls() []map[string]any {
	return []map[string]any{rpc("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "audit", "version": "1"}}),
		rpc("ping", map[string]any{}), rpc("tools/list", map[string]any{}), rpc("tools/call", map[string]any{"name": openenv.ToolReadHandbook, "arguments": map[string]any{}})}
}

// insides are paths where programs keep what clients must not read. None may answer.
var insides = []string{"/debug/pprof/", "/debug/vars", "/admin", "/config", "/env", "/.env", "/.git/config", "/ledger", "/ledger.jsonl", "/logs",
	"/log", "/episodes", "/episodes.jsonl", "/results", "/truth", "/labels", "/answers", "/solution", "/oracle", "/grade", "/review", "/secret",
	"/tokens", "/bank", "/scenarios", "/tickets", "/sessions", "/web/truth", "/web/labels", "/web/episodes", "/static/", "/data"}

// documented are the further routes that the OpenAPI document under a prefix names.
func (s *server) documented(ctx context.Context, prefix string) ([]request, error) {
	r, err := s.ask(ctx, request{path: prefix + "/openapi.json", token: s.token()})
	if err != nil || r.status != http.StatusOK {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if json.Unmarshal(r.body, &doc) != nil {
		return nil, nil // the listing itself is looked at
	}
	known := map[string]bool{"/mcp": true}
	for _, x := range listings() {
		known[x.path] = true
	}
	var out []request
	for _, path := range sortedKeys(doc.Paths) {
		at := strings.TrimPrefix(path, prefix)
		at = strings.NewReplacer("{env_name}", openenv.EnvName, "{env}", openenv.EnvName).Replace(at)
		if known[at] || showing[at] {
			continue
		}
		for _, method := range sortedKeys(doc.Paths[path]) {
			x := request{method: strings.ToUpper(method), path: at}
			if x.method != http.MethodGet {
				x.body = "{}"
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// mistakes are requests that are answered with an error whatever is played.
func (v *visit) mistakes() []request {
	c := v.control
	out := []request{{path: "/no/such/path"}, {method: http.MethodDelete, path: "/health"}, {path: c + "/step", body: `{"action":`},
		{path: c + "/step", body: "[]"}, {path: c + "/step", body: "{}"}, {path: c + "/step", body: `{"action":7}`},
		{path: c + "/reset", body: `{"difficulty":"harder"}`}, {path: c + "/reset", body: `{"split":"validation","on_invalid":1}`},
		{path: "/" + openenv.EnvName + "/task", body: `{"split":"test","index":1000000}`}, {path: "/" + openenv.EnvName + "/tasks", body: `{"split":"all"}`},
		{path: "/nothing/splits"}}
	for _, a := range wrongActions(triage.Action{Track: v.track}) {
		out = append(out, request{path: c + "/step", body: string(encoded(map[string]any{"action": actionJSON(a)}))})
	}
	for _, call := range []map[string]any{rpc("no/such/method", nil), rpc("tools/call", map[string]any{}), rpc("tools/call", map[string]any{"name": "read_truth"}),
		rpc("tools/call", map[string]any{"name": openenv.ToolSubmit, "arguments": map[string]any{"route": "x", "category": "y"}}),
		rpc("tools/call", map[string]any{"name": openenv.ToolReadTicket, "arguments": map[string]any{"truth": true}})} {
		out = append(out, request{path: "/mcp", body: string(encoded(call))})
	}
	return out
}

// send asks in the visit's episode and looks at the headers.
func (v *visit) send(ctx context.Context, r request) (reply, error) {
	r.path, r.token = v.prefix+r.path, v.token()
	if v.session != "" {
		r = r.with(sessionHeader, v.session)
	}
	out, err := v.ask(ctx, r)
	if err == nil {
		v.header(r.name(), out.header)
	}
	return out, err
}

// sessionHeader and sessionCookie name the session of an HTTP episode.
const sessionHeader, sessionCookie = "X-Triage-Session", "triage_session"

// still asks for all that must not depend on the ticket.
func (v *visit) still(ctx context.Context, further []request) error {
	for _, list := range []struct {
		of       *finding
		requests []request
	}{{v.static, listings()}, {v.static, further}, {v.errors, v.mistakes()}, {v.tools, toolListings()}} {
		for _, x := range list.requests {
			r, err := v.send(ctx, x)
			if err != nil {
				return err
			}
			v.same(list.of, v.prefix+x.path+" "+x.method+x.body, strconv.Itoa(r.status)+" "+string(r.body))
			if list.of == v.errors {
				v.watch.grading("the error of "+x.name(), r.body)
			}
		}
	}
	return nil
}

// hidden looks whether paths of a program's insides answer.
func (v *visit) hidden(ctx context.Context) error {
	for _, path := range insides {
		r, err := v.send(ctx, request{path: path})
		if err != nil {
			return err
		}
		v.static.unless(r.status != http.StatusOK, "GET %s%s answers: %s", v.prefix, path, short(r.body))
	}
	return nil
}

// meter looks at the metrics. Comments of the format say what is counted and are no values.
func (v *visit) meter(ctx context.Context) error {
	r, err := v.send(ctx, request{path: "/metrics"})
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return nil
	}
	v.metrics.saw()
	for _, line := range strings.Split(string(r.body), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if word := v.needle(strings.ReplaceAll(line, "_", " ")); word != "" {
			v.metrics.fault("the metric %s holds %s", short(line), word)
		}
	}
	return nil
}
