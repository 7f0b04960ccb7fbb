package fakellm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/testkit"
)

const right = `{"category":"Bug","priority":"High","urgency_days":2}`

const schema = `{"type":"object","properties":{"category":{"type":"string","enum":["Bug","FeatureRequest","Question"]},"urgency_days":{"type":"integer","minimum":1,"maximum":7}},` +
	`"required":["category","urgency_days"],"additionalProperties":false}`

// server makes a server of a script whose right answer is always the same.

func server(t testing.TB, script string, o fakellm.Options) *fakellm.Server {
	t.Helper()
	s, err := fakellm.ParseScript([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return fakellm.New(s, func(fakellm.Ask) (string, bool) { return right, true }, o)
}

// reply is an answer, read to its end.

type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

// post sends a chat request.

func post(ctx context.Context, s *fakellm.Server, body string, headers ...string) reply {
	return send(ctx, s.Transport(), http.MethodPost, "http://fake/v1/chat/completions", body, headers...)
}

func send(ctx context.Context, t http.RoundTripper, method, url, body string, headers ...string) reply {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(data), err}
}

// chat is a request with a text and further members, such as `"seed":1`.

func chat(text string, members ...string) string {
	data, _ := json.Marshal(text) // a text can always be encoded
	return `{"model":"m","messages":[{"role":"user","content":` + string(data) + `}]` + strings.Join(append([]string{""}, members...), ",") + `}`
}

// completion is the part of an answer that tests look at.

type completion struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Choices []struct {
		Message      json.RawMessage `json:"message"`
		FinishReason string          `json:"finish_reason"`
	} `json:"choices"`
	Usage             json.RawMessage `json:"usage"`
	SystemFingerprint *string         `json:"system_fingerprint"`
}

func (r reply) completion(t testing.TB) completion {
	t.Helper()
	var c completion
	if err := json.Unmarshal([]byte(r.body), &c); err != nil || r.err != nil || r.status != http.StatusOK || len(c.Choices) != 1 {
		t.Fatalf("status %d, %v, %v: %s", r.status, r.err, err, r.body)
	}
	return c
}

func (r reply) content(t testing.TB) string {
	t.Helper()
	var m struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(r.completion(t).Choices[0].Message, &m); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return m.Content
}

func TestEachFormGoesOutAsItIsWrittenDown(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, form := range fakellm.Forms() {
		s := server(t, "form: "+form, fakellm.Options{Values: map[string][]string{"category": {`"Bug"`, `"Question"`}}})
		c := post(t.Context(), s, chat("a ticket")).completion(t)
		fmt.Fprintf(&out, "%s (%s)\n  %s\n  %s\n", form, c.Choices[0].FinishReason, c.Choices[0].Message, c.Usage)
		if seen := s.Seen(); seen[0].Form != form || !seen[0].Known {
			t.Errorf("%s: seen %+v", form, seen[0])
		}
	}
	testkit.Golden(t, filepath.Join("testdata", "forms.golden"), out.String())
}

func TestEachFaultGoesOutAsItIsWrittenDown(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, fault := range fakellm.Faults() {
		if fault == "hang" || fault == "slow_body" {
			continue // they take time; tests of their own
		}
		s := server(t, "faults: [{reply: "+fault+"}]", fakellm.Options{})
		r := post(t.Context(), s, chat("a ticket"))
		fmt.Fprintf(&out, "%s: %d", fault, r.status)
		for _, name := range []string{"Content-Type", "Content-Length", "Retry-After", "Retry-After-Ms", "Location"} {
			if v := r.header.Get(name); v != "" {
				fmt.Fprintf(&out, ", %s: %s", name, v)
			}
		}
		if r.err != nil {
			out.WriteString(", and it breaks") // how, depends on the system
		}
		fmt.Fprintf(&out, "\n  %s\n", strings.ReplaceAll(strings.TrimSpace(r.body), "\n", "\n  "))
		if seen := s.Seen(); seen[0].Fault != fault || seen[0].Status != r.status {
			t.Errorf("%s: seen %+v", fault, seen[0])
		}
	}
	testkit.Golden(t, filepath.Join("testdata", "faults.golden"), out.String())
}

func TestRequestsThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	s := server(t, "models: [m]", fakellm.Options{})
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"no json":        {"POST", "/v1/chat/completions", `{"model":`, 400, "could not parse the JSON body"},
		"no object":      {"POST", "/v1/chat/completions", `[]`, 400, "it is not a JSON object"},
		"twice":          {"POST", "/v1/chat/completions", `{"model":"m","model":"m","messages":[]}`, 400, `duplicate member \"model\"`},
		"no messages":    {"POST", "/v1/chat/completions", `{"model":"m"}`, 400, "messages"},
		"role":           {"POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"boss","content":""}]}`, 400, `messages.0: invalid role \"boss\"`},
		"message":        {"POST", "/v1/chat/completions", `{"model":"m","messages":["x"]}`, 400, "messages.0: it is not a JSON object"},
		"stream":         {"POST", "/v1/chat/completions", chat("a", `"stream":true`), 400, "does not stream"},
		"model":          {"POST", "/v1/chat/completions", strings.Replace(chat("a"), `"m"`, `"n"`, 1), 404, "The model `n` does not exist"},
		"get":            {"GET", "/v1/chat/completions", "", 405, "Not allowed to GET"},
		"path":           {"POST", "/v1/completions", "{}", 404, "Invalid URL (POST /v1/completions)"},
		"post to models": {"POST", "/v1/models", "{}", 405, "Not allowed to POST"},
		"no such model":  {"GET", "/v1/models/x", "", 404, "does not exist"},
		"models":         {"GET", "/openai/v1/models", "", 200, `{"object":"list","data":[{"id":"m","object":"model"`},
		"one model":      {"GET", "/v1/models/m", "", 200, `{"id":"m"`},
		"health":         {"GET", "/v1/health", "", 200, `{"status":"healthy"}`},
	} {
		r := send(t.Context(), s.Transport(), tt.method, "http://fake"+tt.path, tt.body)
		if r.status != tt.status || !strings.Contains(r.body, tt.want) || !json.Valid([]byte(r.body)) {
			t.Errorf("%s: status %d, %s; want %d, %s", name, r.status, r.body, tt.status, tt.want)
		}
	}
}

func TestAKeyIsTakenInBothHeaders(t *testing.T) {
	t.Parallel()
	s := server(t, "key: test-key", fakellm.Options{})
	azure := "http://fake/openai/deployments/gpt-x/chat/completions?api-version=1"
	for _, tt := range []struct {
		headers []string
		want    int
	}{
		{nil, 401}, {[]string{"Authorization", "Bearer other"}, 401}, {[]string{"Authorization", "test-key"}, 401},
		{[]string{"Authorization", "Bearer test-key"}, 200}, {[]string{"Api-Key", "test-key"}, 200},
	} {
		r := send(t.Context(), s.Transport(), "POST", azure, `{"messages":[{"role":"user","content":"a"}]}`, tt.headers...)
		if r.status != tt.want || strings.Contains(r.body, "test-key") {
			t.Errorf("%v: status %d, %s", tt.headers, r.status, r.body)
		}
		if m := send(t.Context(), s.Transport(), "GET", "http://fake/v1/models", "", tt.headers...); m.status != tt.want {
			t.Errorf("models with %v: status %d", tt.headers, m.status)
		}
	}
	seen := s.Seen()
	if last := seen[len(seen)-2]; last.Model != "gpt-x" || last.Header.Get("Api-Key") != "***" || last.Path != "/openai/deployments/gpt-x/chat/completions?api-version=1" {
		t.Errorf("seen %+v", last)
	}
	if text := fmt.Sprintf("%+v", seen); strings.Contains(text, "test-key") {
		t.Error("what was seen holds the key")
	}
}

func TestWhatIsSeenIsBoundedAndInOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	logged := 0
	s := server(t, "", fakellm.Options{Keep: 10, Log: func(fakellm.Seen) { mu.Lock(); logged++; mu.Unlock() }})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if r := post(t.Context(), s, chat(strconv.Itoa(i))); r.status != http.StatusOK {
				t.Errorf("status %d, %v", r.status, r.err)
			}
		})
	}
	wg.Wait()
	seen := s.Seen()
	numbers := make([]int64, len(seen))
	for i, e := range seen {
		numbers[i] = e.Number
		if e.Status != 200 || !json.Valid(e.Reply) || !json.Valid(e.Body) || e.Model != "m" || e.Call == 0 {
			t.Errorf("seen %+v", e)
		}
	}
	if d := cmp.Diff([]int64{55, 56, 57, 58, 59, 60, 61, 62, 63, 64}, numbers); d != "" {
		t.Error(d)
	}
	if s.Calls() != 64 || logged != 64 || s.MostInFlight() < 1 || s.MostInFlight() > 64 {
		t.Errorf("%d calls, %d logged, %d in flight", s.Calls(), logged, s.MostInFlight())
	}
	none := server(t, "", fakellm.Options{Keep: -1})
	post(t.Context(), none, chat("a"))
	if len(none.Seen()) != 0 || none.Calls() != 1 {
		t.Errorf("with Keep -1: %d seen, %d calls", len(none.Seen()), none.Calls())
	}
}

func TestALongRequestIsRefused(t *testing.T) {
	t.Parallel()
	r := post(t.Context(), server(t, "", fakellm.Options{}), strings.Repeat(" ", fakellm.MaxBody+1))
	if r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", r.status)
	}
}

func TestARequestOfAnEndedContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := server(t, "faults: [{reply: hang}]", fakellm.Options{})
	if r := post(ctx, s, chat("a")); !errors.Is(r.err, context.Canceled) {
		t.Errorf("got %+v", r)
	}
	if !slices.Contains(fakellm.Faults(), "hang") {
		t.Error("there is no hang")
	}
}
