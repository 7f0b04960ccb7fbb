package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/llm"
)

const secretKey = "sk-test-0123456789abcdefSECRET"

// answer is what the fake endpoint answers.
type answer struct {
	status int
	body   string
	header http.Header
	err    error
	after  time.Duration
	hang   bool // never, until the request's context ends
}

// endpoint is a fake network: it keeps the bodies of all requests and answers by a function of number (from 1) and body.
type endpoint struct {
	mu     sync.Mutex
	bodies []string
	urls   []string
	header []http.Header
	times  []time.Time
	now    int
	most   int
	reply  func(n int, body map[string]any) answer
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	b, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.bodies = append(e.bodies, string(b))
	e.urls = append(e.urls, r.URL.String())
	e.header = append(e.header, r.Header.Clone())
	e.times = append(e.times, time.Now())
	e.now++
	e.most = max(e.most, e.now)
	n := len(e.bodies)
	e.mu.Unlock()
	defer func() { e.mu.Lock(); e.now--; e.mu.Unlock() }()
	var body map[string]any
	_ = json.Unmarshal(b, &body)
	a := e.reply(n, body)
	if a.hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if a.after > 0 {
		select {
		case <-time.After(a.after):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	return &http.Response{
		StatusCode: a.status, Status: strconv.Itoa(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

func (e *endpoint) calls() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies)
}

// field gives a member of the body of request i, compacted, or "absent".
func (e *endpoint) field(i int, name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(e.bodies[i]), &m) != nil {
		return "not JSON"
	}
	v, ok := m[name]
	if !ok {
		return "absent"
	}
	var b bytes.Buffer
	_ = json.Compact(&b, v)
	return b.String()
}

const usualUsage = `"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}`

func well() answer { return says(`{\"category\":\"billing\"}`) }

func says(text string) answer {
	return answer{status: 200, body: `{"id":"x","object":"chat.completion","created":1,"model":"m-1","system_fingerprint":"fp","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		text + `"},"finish_reason":"stop"}],` + usualUsage + `}`}
}

func fails(status int, body string) answer { return answer{status: status, body: body} }

// options are the usual ones: a key, temperature 0, a limit of the reply, seed and schema.
func options(t *testing.T, e *endpoint) llm.Options {
	t.Helper()
	base, err := url.Parse("https://llm.example.test/v1")
	if err != nil {
		t.Fatal(err)
	}
	zero, seed := 0.0, int64(7)
	return llm.Options{
		Endpoint:    llm.Endpoint{BaseURL: base, Model: "gpt-test", Provider: "openai", Key: secretKey, KeyVariable: "OPENAI_API_KEY"},
		Temperature: &zero, Seed: &seed, MaxOutputTokens: 256,
		Transport: e, Now: time.Now, Rand: rand.New(rand.NewPCG(1, 2)),
	}
}

func request() llm.Request {
	return llm.Request{
		Messages:   []llm.Message{{Role: llm.System, Content: "You sort tickets."}, {Role: llm.User, Content: "a ticket"}},
		Schema:     json.RawMessage(`{"type":"object","properties":{"category":{"type":"string"}},"required":["category"],"additionalProperties":false}`),
		SchemaName: "triage", Scope: "task/1",
	}
}

func client(t *testing.T, o llm.Options) *llm.Client {
	t.Helper()
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func limiter(t *testing.T, n int) *llm.Limiter {
	t.Helper()
	l, err := llm.NewLimiter(n)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// together calls n times at once and gives the errors.
func together(c *llm.Client, n int) []error {
	out := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { _, out[i] = c.Complete(context.Background(), request()) })
	}
	wg.Wait()
	return out
}
