package audit

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// at changes answers at a path, or at one that ends with it.
func at(path string, change func(*spoiler, *spoilt)) func(*spoiler, *http.Request, *spoilt) {
	return func(s *spoiler, r *http.Request, a *spoilt) {
		if strings.HasSuffix(r.URL.Path, path) {
			change(s, a)
		}
	}
}

// serverFault is a fault of a server with the check that must find it, and no other.
type serverFault struct {
	name, check string
	kind        kind
	spoil       *spoiler
}

// TestWhatIsBrokenOnAServerFailsItsCheckAlone breaks one thing of a server at a time.
func TestWhatIsBrokenOnAServerFailsItsCheckAlone(t *testing.T) {
	t.Parallel()
	for _, f := range append(append(append(leakingAnswers(), leakingFrames()...), openSessions()...), unsealed()...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := f.spoil
			if s == nil {
				s = &spoiler{}
			}
			s.t, s.upstream = t, serve(t, f.kind)
			x := met(t, serverDeps(t, s.serve(), f.kind.tokens...), few(t, "queue-easy"))
			x.prefixes = []string{"/queue"}
			checks, err := x.look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{"server/" + f.check}, failing(checks)); d != "" {
				t.Errorf("failing checks (-want +got):\n%s", d)
			}
			for _, c := range checks {
				if !c.Passed && c.Skipped == "" {
					t.Logf("%s: %s", c.ID, c.Seen)
				}
			}
		})
	}
}

func leakingAnswers() []serverFault {
	in := func(name, check, path string, change func(*spoiler, *spoilt)) serverFault {
		return serverFault{name: name, check: check, spoil: &spoiler{answer: at(path, change)}}
	}
	return []serverFault{
		in("the schema tells the label", "endpoints/static", "/schema", func(s *spoiler, a *spoilt) {
			a.replace(`"queue"`, `"`+s.label()+`"`)
			a.replace(`{"action"`, `{"x":"`+s.label()+`","action"`)
		}),
		in("a listing tells the label", "endpoints/static", "/triage/tasks", func(s *spoiler, a *spoilt) { a.replace(`"env_name"`, `"`+s.label()+`":1,"env_name"`) }),
		in("labels can be asked for", "endpoints/static", "/labels", func(_ *spoiler, a *spoilt) { a.status = 200 }),
		{name: "a documented route tells the label", check: "endpoints/static", spoil: &spoiler{answer: func(s *spoiler, r *http.Request, a *spoilt) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/openapi.json"):
				a.replace(`"paths":{`, `"paths":{"/hint":{"get":{}},`)
			case strings.HasSuffix(r.URL.Path, "/hint"):
				a.status, a.body = 200, []byte(s.label())
			}
		}}},
		in("an error tells the label", "endpoints/errors", "/step", func(s *spoiler, a *spoilt) {
			if a.status == 422 {
				a.replace(`"msg":"`, `"msg":"`+s.label()+" ")
			}
		}),
		in("an unknown path tells the label", "endpoints/errors", "/no/such/path", func(s *spoiler, a *spoilt) { a.body = []byte(s.label()) }),
		in("a header has the label", "endpoints/headers", "/state", func(s *spoiler, a *spoilt) { a.header.Set("X-Hint", s.label()) }),
		in("a header changes with the ticket", "endpoints/headers", "/schema", func(s *spoiler, a *spoilt) { a.header.Set("X-Hint", fmt.Sprint(s.next())) }),
		in("a reset has the truth", "endpoints/observations", "/reset", func(_ *spoiler, a *spoilt) { a.replace(`"task":`, `"truth":{"route_category":"spam"},"task":`) }),
		in("a state has facts", "endpoints/observations", "/state", func(_ *spoiler, a *spoilt) { a.replace(`"step_count"`, `"facts":{"severity":"blocked"},"step_count"`) }),
		in("metadata have the label", "endpoints/observations", "/web/reset", func(_ *spoiler, a *spoilt) { a.replace(`"metadata":{`, `"metadata":{"route":"spam",`) }),
		in("scores before the end", "endpoints/observations", "/reset", func(_ *spoiler, a *spoilt) { a.replace(`"metadata":{`, `"metadata":{"score":0.5,`) }),
		in("the message tells the label", "endpoints/observations", "/reset", func(s *spoiler, a *spoilt) { a.replace(`Triage this ticket.`, "Triage this "+s.label()+" ticket.") }),
		in("a metric has the label", "endpoints/metrics", "/metrics", func(_ *spoiler, a *spoilt) { a.body = append(a.body, "triage_answers_total{route=\"billing\"} 3\n"...) }),
		in("a metric is called after the label", "endpoints/metrics", "/metrics", func(_ *spoiler, a *spoilt) { a.body = append(a.body, "triage_billing_total 3\n"...) }),
		in("a metric names the scenario", "endpoints/metrics", "/metrics", func(_ *spoiler, a *spoilt) {
			a.body = append(a.body, "triage_answers_total{about=\"charged-after-cancellation\"} 3\n"...)
		}),
		in("the review tells of open tickets", "endpoints/review", "/web/review", func(_ *spoiler, a *spoilt) {
			a.replace(`"graded":[`, `"graded":[{"ticket_id":"TKT-1"},`)
			a.replace(`},]`, `}]`)
		}),
		in("ids tell the label", "endpoints/ids", "/reset", func(s *spoiler, a *spoilt) { a.replace("TKT-", "TKT-"+s.label()) }),
		in("an episode is called after the label", "endpoints/ids", "/state", func(s *spoiler, a *spoilt) { a.replace(`"episode_id":"`, `"episode_id":"`+s.label()+"-") }),
		{name: "a listing of tools tells the label", check: "endpoints/tools", spoil: &spoiler{answer: at("/mcp", func(s *spoiler, a *spoilt) { a.replace("Shows what", "Shows the "+s.label()+" ticket") })}},
		{name: "a tool tells the label", check: "endpoints/tools", spoil: &spoiler{answer: at("/mcp", func(_ *spoiler, a *spoilt) { a.replace(`"is_error":false`, `"is_error":false,"label":"spam"`) })}},
		{name: "a tool's text tells the label", check: "endpoints/tools", spoil: &spoiler{answer: at("/mcp", func(_ *spoiler, a *spoilt) { a.replace(`"text":"{`, `"text":"spam {`) })}},
		{name: "a tool's document tells the label", check: "endpoints/tools", spoil: &spoiler{answer: at("/mcp", func(_ *spoiler, a *spoilt) {
			a.replace(`"total_tickets"`, `"route":1,"total_tickets"`)
			a.replace(`\"total_tickets\"`, `\"route\":1,\"total_tickets\"`)
		})}},
	}
}

func leakingFrames() []serverFault {
	frames := func(name, check, where, old, now string) serverFault {
		return serverFault{name: name, check: check, spoil: &spoiler{frame: swap(where, old, now)}}
	}
	return []serverFault{
		frames("frames have reasons", "endpoints/sockets", `"type":"observation"`, `"last_result":`, `"why":"spam is right","last_result":`),
		frames("frames have a label", "endpoints/sockets", `"type":"observation"`, `"subject":`, `"route_category":"spam","subject":`),
		frames("states of sockets have facts", "endpoints/sockets", `"type":"state"`, `"step_count"`, `"fact":1,"step_count"`),
		frames("tools on a socket tell the label", "endpoints/tools", `"type":"mcp"`, `"meta":null,"structuredContent"`, `"meta":"spam","metadata":1,"structuredContent"`),
		{name: "errors of sockets tell the label", check: "endpoints/errors", spoil: &spoiler{frame: func(s *spoiler, _ string, data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(`"code":"VALIDATION`), []byte(`"hint":"`+s.label()+`","code":"VALIDATION`))
		}}},
		{name: "the message of a frame tells the label", check: "endpoints/sockets", spoil: &spoiler{frame: func(s *spoiler, _ string, data []byte) []byte {
			if !bytes.Contains(data, []byte(`"type":"observation"`)) {
				return data
			}
			return bytes.ReplaceAll(data, []byte(`Triage this`), []byte(s.label()))
		}}},
	}
}

func openSessions() []serverFault {
	as := func(token, path string) func(*spoiler, *http.Request, []byte) []byte {
		return func(_ *spoiler, r *http.Request, body []byte) []byte {
			given := r.Header.Get("Authorization")
			if token != "" && strings.HasSuffix(given, token) || token == "" && given == "" && strings.HasSuffix(r.URL.Path, path) {
				r.Header.Set("Authorization", "Bearer "+twoTokens[0])
			}
			return body
		}
	}
	seen := map[string]bool{}
	return []serverFault{
		{name: "two sockets on a session", check: "sessions/attach", spoil: &spoiler{dial: func(s *spoiler, r *http.Request) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			id := r.URL.Query().Get("session_id")
			if seen[id] {
				return r.URL.Path
			}
			seen[id] = strings.Count(id, "-") == 4 && !strings.HasPrefix(id, "00112233")
			return r.URL.RequestURI()
		}}},
		{name: "unknown sessions are the latest", check: "sessions/unknown", spoil: &spoiler{ask: func(_ *spoiler, r *http.Request, body []byte) []byte {
			if strings.HasPrefix(r.Header.Get(sessionHeader), "0011") {
				r.Header.Del(sessionHeader)
			}
			return body
		}}},
		{name: "unknown cookies are the latest", check: "sessions/unknown", spoil: &spoiler{ask: func(_ *spoiler, r *http.Request, body []byte) []byte {
			if strings.Contains(r.Header.Get("Cookie"), "0011") {
				r.Header.Del("Cookie")
			}
			return body
		}}},
		{name: "a shared id is guessed", check: "sessions/shared-id", spoil: &spoiler{ask: func(_ *spoiler, r *http.Request, body []byte) []byte {
			if strings.HasSuffix(r.URL.Path, "/step") && bytes.Contains(body, []byte("audit-shared")) {
				return []byte(`{"action":{}}`)
			}
			return body
		}}},
		{name: "sessions are of both tracks", check: "sessions/track", spoil: &spoiler{ask: func(_ *spoiler, r *http.Request, body []byte) []byte {
			if strings.HasPrefix(r.URL.Path, "/desk/") {
				r.URL.Path = strings.Replace(r.URL.Path, "/desk/", "/queue/", 1)
			}
			return body
		}}},
		{name: "sessions share their steps", check: "sessions/apart", spoil: &spoiler{frame: func(s *spoiler, _ string, data []byte) []byte {
			if !bytes.Contains(data, []byte(`"type":"state"`)) {
				return data
			}
			return bytes.Replace(data, []byte(`"step_count":2`), fmt.Appendf(nil, `"step_count":%d`, 2+s.next()), 1)
		}}},
		{name: "sessions share their tickets", check: "sessions/apart", spoil: &spoiler{frame: func(s *spoiler, _ string, data []byte) []byte {
			if !bytes.HasPrefix(data, []byte(`{"type":"observation"`)) || !bytes.Contains(data, []byte(`"position":1,`)) {
				return data
			}
			return bytes.Replace(data, []byte(`"subject":"`), fmt.Appendf(nil, `"subject":"%d`, s.next()), 1)
		}}},
		{name: "states need no token", check: "tokens/needed", kind: tokened, spoil: &spoiler{ask: as("", "/state")}},
		{name: "sockets need no token", check: "tokens/needed", kind: tokened, spoil: &spoiler{ask: as("", "/queue/ws")}},
		{name: "sockets of tools need no token", check: "tokens/needed", kind: tokened, spoil: &spoiler{ask: func(s *spoiler, r *http.Request, body []byte) []byte {
			if r.Header.Get("Upgrade") == "" {
				return body
			}
			return as("", "/mcp")(s, r, body)
		}}},
		{name: "tokens are all the same", check: "sessions/other-token", kind: tokened, spoil: &spoiler{ask: as("two", "")}},
	}
}

// repeating plays few seeds only.
func repeating(e triage.Env) triage.Env { return &broken{Env: e, seeds: 9} }

func unsealed() []serverFault {
	with := func(f serverFault) serverFault {
		f.kind = sealed
		return f
	}
	unset := func(option string) func(*spoiler, string, []byte) []byte {
		return func(_ *spoiler, _ string, data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(`"`+option+`":`), []byte(`"ignored":`))
		}
	}
	earned := func(s *spoiler, _ string, data []byte) []byte {
		var score float64
		if i := bytes.Index(data, []byte(`"score":`)); i >= 0 {
			if _, err := fmt.Sscanf(string(data[i:]), `"score":%g`, &score); err == nil {
				s.mu.Lock()
				s.count += int(1e6 * score)
				s.mu.Unlock()
			}
		}
		return data
	}
	return []serverFault{
		with(serverFault{name: "a seed is taken", check: "sealed/options", spoil: &spoiler{sent: unset("seed")}}),
		with(serverFault{name: "fewer tickets are taken", check: "sealed/options", spoil: &spoiler{sent: unset("tickets")}}),
		with(serverFault{name: "rewards are chosen", check: "sealed/options", spoil: &spoiler{sent: unset("rewards")}}),
		with(serverFault{name: "an index is taken", check: "sealed/options", spoil: &spoiler{ask: func(_ *spoiler, _ *http.Request, body []byte) []byte {
			return bytes.ReplaceAll(body, []byte(`"index":0`), []byte(`"ignored":0`))
		}}}),
		with(serverFault{name: "steps pay", check: "sealed/rewards", spoil: &spoiler{frame: swap(`"reward":0,"done":false`, `"reward":0,"done":false`, `"reward":0.1,"done":false`)}}),
		with(serverFault{name: "stats are told", check: "sealed/stats", spoil: &spoiler{frame: swap(`"type":"observation"`, `"stats":null`, `"stats":{"processed":1}`)}}),
		with(serverFault{name: "seeds are told", check: "sealed/gradings", spoil: &spoiler{answer: at("/state", func(_ *spoiler, a *spoilt) { a.replace(`"step_count"`, `"seed":5,"step_count"`) })}}),
		with(serverFault{name: "the end tells the reward", check: "sealed/final", spoil: &spoiler{frame: swap(`"score":`, `"score":`, `"reward":0.25,"score":`)}}),
		with(serverFault{name: "gradings can be reviewed", check: "sealed/review", spoil: &spoiler{answer: at("/web/review", func(_ *spoiler, a *spoilt) {
			if a.status == 404 {
				a.status = 200
			}
		})}}),
		with(serverFault{name: "an episode that was left goes on", check: "sealed/left-open", spoil: &spoiler{answer: func(_ *spoiler, r *http.Request, a *spoilt) {
			if strings.Contains(r.URL.RawQuery, "audit-left-open") {
				a.status = 200
			}
		}}}),
		with(serverFault{name: "metrics count what is earned", check: "sealed/metrics", spoil: &spoiler{frame: earned, answer: at("/metrics", func(s *spoiler, a *spoilt) {
			s.mu.Lock()
			defer s.mu.Unlock()
			a.body = fmt.Appendf(a.body, "triage_points_total %d\n", s.count)
		})}}),
		{name: "tickets come again", check: "sealed/once", kind: kind{secret: true, sealed: true, tokens: twoTokens, change: repeating}},
		{name: "anyone may come", check: "sealed/tokens", kind: kind{secret: true, sealed: true}},
	}
}
