package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

const hello = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`

// memory is a store in memory.
type memory struct {
	mu       sync.Mutex
	keys     []wire.Key
	kept     map[string][]byte
	get, put error
}

func (m *memory) Get(k wire.Key) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keys = append(m.keys, k)
	b, ok := m.kept[k.URL+"\n"+k.Scope+"\n"+string(k.Request)]
	return b, ok, m.get
}

func (m *memory) Put(k wire.Key, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string][]byte{}
	}
	m.kept[k.URL+"\n"+k.Scope+"\n"+string(k.Request)] = body
	return m.put
}

func TestWhatIsSetIsOnTheWire(t *testing.T) { // lessons E72, E73, E76
	t.Parallel()
	var sent []byte
	var length int64
	var header http.Header
	var at string
	base := answerFunc(func(r *http.Request) (*http.Response, error) {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if copied, err := io.ReadAll(again); err != nil || !bytes.Equal(copied, sent) {
			t.Errorf("GetBody gives %q, %v", copied, err)
		}
		length, header, at = r.ContentLength, r.Header, r.URL.String()
		return says(200, "application/json", hello)(r)
	})
	tr := &wire.Transport{Base: base, Now: clock(), Headers: http.Header{"x-title": {"t"}, "Authorization": {"Basic abc"}}, Query: "api-version=7&key=s3"}
	call := &wire.Call{
		Set:    []wire.Field{{Name: "temperature", Value: []byte("0")}, {Name: "max_tokens", Value: []byte("9")}, {Name: "top_k", Value: []byte("1")}},
		Rename: map[string]string{"max_tokens": "max_completion_tokens"},
		Drop:   []string{"stream"},
		Scope:  "trial 1",
	}
	ctx := wire.With(context.Background(), call)
	_, err := client(tr).CreateChatCompletion(ctx, openai.ChatCompletionRequest{Model: "gpt-5-chat-latest", Messages: []openai.ChatCompletionMessage{{Role: "system"}, {Role: "user", Content: "<hi>"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gpt-5-chat-latest","messages":[{"role":"system","content":""},{"role":"user","content":"\u003chi\u003e"}],"temperature":0,"max_completion_tokens":9,"top_k":1}`
	if diff := cmp.Diff(want, string(sent)); diff != "" {
		t.Error(diff)
	}
	if length != int64(len(want)) || at != "http://model.test/v1/chat/completions?api-version=7&key=s3" || header.Get("X-Title") != "t" || header.Get("Authorization") != "Basic abc" {
		t.Errorf("sent length %d to %s with %v", length, at, header)
	}
	wantEx := wire.Exchange{
		URL: "http://model.test/v1/chat/completions?api-version=7&key=[redacted]", Request: []byte(want), Status: 200,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(hello), Normal: []byte(hello), Latency: time.Second,
	}
	if diff := cmp.Diff(wantEx, call.Exchange); diff != "" {
		t.Error(diff)
	}
}

func TestAKeptAnswerIsNotCalledFor(t *testing.T) { // lessons D51, D53, D55
	t.Parallel()
	calls := 0
	base := answerFunc(func(r *http.Request) (*http.Response, error) {
		calls++
		return says(200, "application/json", hello)(r)
	})
	store := &memory{}
	tr := &wire.Transport{Base: base, Store: store}
	zero, one := []wire.Field{{Name: "temperature", Value: []byte("0")}}, []wire.Field{{Name: "temperature", Value: []byte("1")}}
	for _, c := range []*wire.Call{{Set: zero, Scope: "a"}, {Set: zero, Scope: "a"}, {Set: zero, Scope: "b"}, {Set: one, Scope: "a"}} {
		if res, err := ask(t, tr, c); err != nil || res.Choices[0].Message.Content != "hi" {
			t.Fatal(err)
		}
	}
	if calls != 3 {
		t.Errorf("%d calls, want 3: one for each scope and temperature", calls)
	}
	want := wire.Key{URL: "http://model.test/v1/chat/completions", Scope: "b", Request: []byte(`{"model":"m","messages":[{"role":"system","content":""},{"role":"user","content":"hello"}],"stream":false,"temperature":0}`)}
	if diff := cmp.Diff(want, store.keys[2]); diff != "" {
		t.Error(diff)
	}
}

func TestAStoreThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	cause := errors.New("no answer was recorded")
	_, err := ask(t, &wire.Transport{Base: says(200, "", hello), Store: &memory{get: cause}}, nil)
	var e *wire.StoreError
	if !errors.As(err, &e) || !errors.Is(err, cause) {
		t.Errorf("get: error %v, want a *StoreError with its cause", err)
	}
	call := &wire.Call{}
	if _, err := ask(t, &wire.Transport{Base: says(200, "", hello), Store: &memory{put: cause}}, call); err != nil {
		t.Errorf("put: an answer that was paid for is lost: %v", err)
	}
	if !errors.Is(call.Exchange.StoreErr, cause) {
		t.Errorf("put: the exchange says %v", call.Exchange.StoreErr)
	}
	odd := &memory{}
	if _, err := ask(t, &wire.Transport{Base: says(200, "", hello), Store: odd}, nil); err != nil {
		t.Fatal(err)
	}
	for k := range odd.kept {
		odd.kept[k] = []byte(`{"choices":[]}`)
	}
	if _, err := ask(t, &wire.Transport{Base: says(200, "", hello), Store: odd}, nil); !errors.As(err, &e) {
		t.Errorf("an entry that is no answer gives %v", err)
	}
}

func TestABodyCutShortIsAnErrorAndNoAnswer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func(c net.Conn) { _ = c.Close() }(conn)
		_, _ = rw.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + hello)
		_ = rw.Flush()
	}))
	defer s.Close()
	call, store := &wire.Call{}, &memory{}
	config := openai.DefaultConfig("")
	config.BaseURL = s.URL
	config.HTTPClient = &http.Client{Transport: &wire.Transport{Base: s.Client().Transport, Store: store}}
	_, err := openai.NewClientWithConfig(config).CreateChatCompletion(wire.With(context.Background(), call), openai.ChatCompletionRequest{Model: "m"})
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(store.kept) > 0 || string(call.Exchange.Body) != hello {
		t.Errorf("error %v, kept %d, body %q", err, len(store.kept), call.Exchange.Body)
	}
	short := answerFunc(func(r *http.Request) (*http.Response, error) {
		res, err := says(200, "application/json", hello)(r)
		res.ContentLength++
		return res, err
	})
	if _, err := ask(t, &wire.Transport{Base: short}, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without an error of the reader: %v", err)
	}
}

func TestABodyThatIsTooLongIsAnError(t *testing.T) {
	t.Parallel()
	call := &wire.Call{}
	_, err := ask(t, &wire.Transport{Base: says(200, "application/json", strings.Repeat(" ", wire.MaxBody+1))}, call)
	if err == nil || !errors.Is(err, wire.ErrTooLong) || len(call.Exchange.Body) != wire.MaxBody {
		t.Errorf("error %v, body of %d bytes", err, len(call.Exchange.Body))
	}
}

func TestARedirectIsNotFollowedAndSaysWhereTo(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		status    int
		to, wants string
	}{
		"another host":  {301, "https://other.test/api/v1/chat/completions?key=abc", "http://model.test/v1/chat/completions answers with the redirect 301 to https://other.test/api/v1/chat/completions?key=[redacted]: give https://other.test/api/v1?key=[redacted] as the base URL (redirects are not followed, so that no key goes to another address)"},
		"the same host": {307, "/v2/chat/completions/", "http://model.test/v1/chat/completions answers with the redirect 307 to http://model.test/v2/chat/completions/: give http://model.test/v2 as the base URL (redirects are not followed, so that no key goes to another address)"},
		"nowhere":       {302, "", "http://model.test/v1/chat/completions answers with the redirect 302 that does not say where to: check the base URL"},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			base := answerFunc(func(req *http.Request) (*http.Response, error) {
				calls++
				return says(r.status, "text/html", "<p>moved", "Location", r.to)(req)
			})
			_, err := ask(t, &wire.Transport{Base: base}, nil)
			var e *openai.APIError
			if !errors.As(err, &e) || e.HTTPStatusCode != 404 || e.Code != "redirect" || calls != 1 {
				t.Fatalf("%d calls, error %v", calls, err)
			}
			if diff := cmp.Diff(r.wants, e.Message); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeadersOfAFailureReachTheCaller(t *testing.T) { // lesson E79
	t.Parallel()
	call := &wire.Call{}
	res, err := ask(t, &wire.Transport{Base: says(429, "text/html", "<p>slow", "Retry-After", "7")}, call)
	if err == nil || res.Header().Get("Retry-After") != "7" || call.Exchange.Header.Get("Retry-After") != "7" {
		t.Errorf("error %v, headers %v and %v", err, res.Header(), call.Exchange.Header)
	}
}

func TestOtherPathsKeepTheirAnswers(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		status int
		body   string
		want   int
		says   string
	}{
		"models":       {200, "\ufeff" + `{"object":"list","data":[]}`, 200, `{"object":"list","data":[]}`},
		"a list":       {200, `["a"]`, 200, `["a"]`},
		"unauthorized": {401, `{"error":"bad key"}`, 401, `{"error":{"code":"","message":"bad key","param":null,"type":""}}`},
		"a page":       {200, "<p>hi", 502, `{"error":{"code":"","message":"status 200 OK: a page of HTML instead of an answer: hi","param":null,"type":"html"}}`},
	}
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &memory{}
			tr := &wire.Transport{Base: says(r.status, "", r.body), Store: store}
			req := httptest.NewRequest(http.MethodGet, "http://model.test/v1/models", nil)
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != r.want || string(body) != r.says || len(store.keys) > 0 {
				t.Errorf("status %d, body %s, error %v, %d keys", res.StatusCode, body, err, len(store.keys))
			}
		})
	}
}

func TestARequestThatCannotBeMadeIsAnError(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	call := &wire.Call{}
	_, err := ask(t, &wire.Transport{Base: answerFunc(func(*http.Request) (*http.Response, error) { return nil, refused }), Now: clock()}, call)
	if !errors.Is(err, refused) || call.Exchange.Status != 0 || call.Exchange.Latency != time.Second {
		t.Errorf("error %v, exchange %+v", err, call.Exchange)
	}
	if _, err := ask(t, &wire.Transport{}, nil); err == nil || !strings.Contains(err.Error(), "Base must be set") {
		t.Errorf("without a base: %v", err)
	}
	bad := &wire.Call{Set: []wire.Field{{Name: "x", Value: []byte("{")}}}
	if _, err := ask(t, &wire.Transport{Base: says(200, "", hello)}, bad); err == nil || !strings.Contains(err.Error(), `request field x: "{" is not JSON`) {
		t.Errorf("with a field that is no JSON: %v", err)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	prompt := strings.Repeat(`A ticket says \"hello\" and\n goes on. `, 330)
	request := []byte(`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"` + prompt + `"}],"stream":false}`)
	answer := strings.Replace(hello, `"hi"`, `"`+strings.Repeat("x", 880)+`"`, 1)
	call := &wire.Call{Set: []wire.Field{{Name: "temperature", Value: []byte("0")}, {Name: "max_tokens", Value: []byte("500")}}}
	ctx := wire.With(context.Background(), call)
	tr := &wire.Transport{Base: says(200, "application/json", answer), Now: time.Now}
	b.ReportAllocs()
	b.SetBytes(int64(len(request) + len(answer)))
	for b.Loop() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test/v1/chat/completions", bytes.NewReader(request))
		if err != nil {
			b.Fatal(err)
		}
		res, err := tr.RoundTrip(req)
		if err != nil || res.StatusCode != 200 {
			b.Fatal(err)
		}
		_ = res.Body.Close()
	}
}
