package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/triagebench/triage/pkg/triage"
)

// criteria are the six checks of the OpenEnv package's own validator, with its ids and its verdicts.
func (s *server) criteria(ctx context.Context, openapi answer) []triage.Check {
	version := newClaim("openapi_version_available", "GET /openapi.json tells its version", "status 200, info.version a text")
	info, _ := openapi.object()["info"].(map[string]any)
	v, ok := info["version"].(string)
	ok = ok && openapi.status == http.StatusOK && openapi.err == nil
	version.unless(ok, "%s", openapi.said())
	var paths any
	if ok {
		paths = openapi.object()["paths"]
	}
	health := s.get(ctx, "/health")
	metadata := s.get(ctx, "/metadata")
	schema := s.get(ctx, "/schema")
	mcp := s.request(ctx, http.MethodPost, "/mcp", []byte("{}"), nil)
	return []triage.Check{
		version.done("version %s", v),
		judge("health_endpoint", "GET /health says healthy", `status 200, status "healthy"`, &health, func(m map[string]any) bool { return m["status"] == "healthy" }),
		judge("metadata_endpoint", "GET /metadata gives name and description", "status 200, both texts", &metadata, func(m map[string]any) bool { return isText(m["name"]) && isText(m["description"]) }),
		judge("schema_endpoint", "GET /schema gives the schemas of action, observation and state", "status 200, three objects", &schema,
			func(m map[string]any) bool {
				return isObject(m["action"]) && isObject(m["observation"]) && isObject(m["state"])
			}),
		judge("mcp_endpoint", "POST /mcp answers in JSON-RPC", `status 200, jsonrpc "2.0"`, &mcp, func(m map[string]any) bool { return m["jsonrpc"] == "2.0" }),
		mode(paths),
	}
}

// judge expects status 200 and an object that is right.
func judge(id, what, expected string, a *answer, right func(map[string]any) bool) triage.Check {
	c := newClaim(id, what, expected)
	m := a.object()
	c.unless(a.err == nil && a.status == http.StatusOK && m != nil && right(m), "%s", a.said())
	return c.done("status %d, %s", a.status, cut(string(a.body), 60))
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// mode expects that the published paths are those of one of the two modes.
func mode(paths any) triage.Check {
	c := newClaim("mode_endpoint_consistency", "the published paths are those of a mode", "simulation has /reset, /step and /state, production none of them")
	m, ok := paths.(map[string]any)
	if !ok || len(m) == 0 {
		c.against("no paths are published")
		return c.done("")
	}
	_, reset := m["/reset"]
	_, step := m["/step"]
	_, state := m["/state"]
	c.unless(reset && step && state || !reset && !step && !state, "/reset %v, /step %v, /state %v", reset, step, state)
	name := "production"
	if reset {
		name = "simulation"
	}
	return c.done("%s", name)
}

// published gives a schema that the server publishes, or why it cannot be used.
func (s *server) published(names ...string) (*schema, error) {
	for _, name := range names {
		if v, ok := s.schema[name]; ok {
			raw, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			out, err := compileSchema(raw)
			if err != nil {
				return nil, fmt.Errorf("schema of %s: %w", name, err)
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("no schema of %s is published", names[0])
}
