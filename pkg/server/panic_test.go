package server_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// TestAPanicEndsOneSessionAndNoOther has an environment with a mistake in it.
func TestAPanicEndsOneSessionAndNoOther(t *testing.T) {
	t.Parallel()
	r := start(t, func(d *server.Deps, _ *server.Options) {
		d.NewEnv = func(task triage.Task, _ triage.Split) (triage.Env, error) {
			if task.Difficulty == triage.Medium {
				panic("no such task")
			}
			return &scripted{step: func(a triage.Action) (triage.StepResult, error) {
				if a.Queue.Route == triage.Spam {
					panic("a mistake")
				}
				return triage.StepResult{Observation: ticketOf("stepped")}, nil
			}}, nil
		}
	})
	healthy := r.ws("/ws")
	healthy.ask(`{"type":"reset"}`)
	const step = `{"type":"step","data":{"route_category":"spam"}}`
	for _, path := range []string{"/ws", "/mcp"} {
		ws := r.ws(path)
		if path == "/mcp" {
			id := r.reset("/reset", `{}`)
			ws.tell(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_triage","session_id":"` + id + `","arguments":{"route_category":"spam"}}}`)
		} else {
			ws.ask(`{"type":"reset"}`)
			ws.tell(step)
		}
		same(t, path, closing{1011, "the server made a mistake; its log has the reason"}, ws.end())
	}
	ws := r.ws("/ws")
	ws.tell(`{"type":"reset","data":{"difficulty":"medium"}}`)
	same(t, "a reset", 1011, ws.end().Code)
	r.reset("/reset", `{}`)
	a := r.do("POST", "/step", `{"action":{"route_category":"spam"}}`)
	same(t, "over HTTP", []any{500, detail("the server made a mistake; its log has the reason")}, []any{a.Status, plain(t, a.Body)})
	r.ok("POST", "/step", `{"action":{}}`) // the connection and the episode go on
	if got := healthy.ask(`{"type":"step","data":{}}`); !strings.Contains(got, "stepped") {
		t.Errorf("the healthy session: %s", got)
	}
	if log := r.log.String(); strings.Count(log, "a mistake") != 3 {
		t.Errorf("the log does not tell three mistakes:\n%s", log)
	}
	soon(t, "sessions", func() bool { return r.sessions() == 1 })
}
