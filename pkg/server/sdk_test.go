package server_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// headers adds to every request of a client.
type headers struct {
	next http.RoundTripper
	add  []string
}

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for i := 0; i+1 < len(h.add); i += 2 {
		r.Header.Set(h.add[i], h.add[i+1])
	}
	return h.next.RoundTrip(r)
}

// TestTheOfficialSDKPlaysAnEpisode connects with the client of the Model Context Protocol and plays inside an episode of HTTP that is
// named by a header, by the query, or not at all.
func TestTheOfficialSDKPlaysAnEpisode(t *testing.T) {
	t.Parallel()
	for _, mode := range server.Modes() {
		r := start(t, func(_ *server.Deps, o *server.Options) { o.Mode = mode })
		for name, naming := range map[string]func(session string) (query string, add []string){
			"header":  func(s string) (string, []string) { return "", []string{"X-Triage-Session", s} },
			"query":   func(s string) (string, []string) { return "?session_id=" + s, nil },
			"nothing": func(string) (string, []string) { return "", nil },
		} {
			session := r.reset("/web/reset", `{"seed":1,"tickets":2,"episode_id":"ep"}`)
			query, add := naming(session)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.web.URL + "/mcp" + query,
				HTTPClient: &http.Client{Transport: headers{r.web.Client().Transport, add}}, MaxRetries: -1}, nil)
			if err != nil {
				t.Fatalf("%s: connect: %v", name, err)
			}
			if got := s.InitializeResult(); got.ServerInfo.Name != "triage" || got.ServerInfo.Version != "1.2.3" || got.Capabilities.Tools == nil {
				t.Errorf("%s: the server is %+v", name, got)
			}
			if err := s.Ping(t.Context(), nil); err != nil {
				t.Errorf("%s: ping: %v", name, err)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatalf("%s: list: %v", name, err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if d := cmp.Diff(openenv.Tools(), names); d != "" {
				t.Errorf("%s: tools (-want +got):\n%s", name, d)
			}
			call := func(tool string, arguments any) *mcp.CallToolResult {
				t.Helper()
				got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
				if err != nil {
					t.Fatalf("%s: %s: %v", name, tool, err)
				}
				return got
			}
			if got := call("submit_triage", map[string]any{"route_category": "nowhere"}); !got.IsError || len(got.Content) != 1 {
				t.Errorf("%s: a wrong value gives %+v", name, got)
			}
			for i, want := range []bool{false, true} {
				if got := call("read_ticket", nil).StructuredContent.(map[string]any)["done"]; got != false {
					t.Errorf("%s: before step %d done is %v", name, i+1, got)
				}
				got := call("submit_triage", map[string]any{"route_category": "technical", "priority_score": 50})
				if done := got.StructuredContent.(map[string]any)["done"]; got.IsError || done != want {
					t.Errorf("%s: step %d: done is %v, error %v", name, i+1, done, got.IsError)
				}
			}
			if got := call("queue_status", nil).StructuredContent.(map[string]any); got["episode_id"] != "ep" || got["step_count"] != 2.0 {
				t.Errorf("%s: status is %v", name, got)
			}
			if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "reset"}); err == nil {
				t.Errorf("%s: reset is a tool", name)
			}
			if err := s.Close(); err != nil {
				t.Errorf("%s: close: %v", name, err)
			}
		}
	}
}

// TestTheOfficialSDKNeedsTheToken has one that does not bear it.
func TestTheOfficialSDKNeedsTheToken(t *testing.T) {
	t.Parallel()
	r := start(t, withTokens("a-token-for-this-test"), func(_ *server.Deps, o *server.Options) { o.Track = triage.Desk })
	connect := func(add ...string) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: r.web.URL + "/mcp",
			HTTPClient: &http.Client{Transport: headers{r.web.Client().Transport, add}}, MaxRetries: -1}, nil)
	}
	if s, err := connect(); err == nil {
		t.Errorf("connected without a token: %v", s.Close())
	}
	s, err := connect("Authorization", "Bearer a-token-for-this-test")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
