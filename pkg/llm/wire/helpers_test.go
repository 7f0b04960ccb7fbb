package wire_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// answerFunc is a server of one function, without a network.
type answerFunc func(*http.Request) (*http.Response, error)

func (f answerFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// says gives a base that answers every request alike.
func says(status int, contentType, body string, headers ...string) answerFunc {
	return func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return nil, err
			}
		}
		h := http.Header{"Content-Type": {contentType}}
		for i := 0; i+1 < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r}, nil
	}
}

// client gives the real client library over a transport.
func client(t *wire.Transport) *openai.Client {
	config := openai.DefaultConfig("test-key-000001")
	config.BaseURL = "http://model.test/v1"
	config.HTTPClient = &http.Client{Transport: t}
	return openai.NewClientWithConfig(config)
}

// ask makes one chat completion.
func ask(t *testing.T, tr *wire.Transport, c *wire.Call) (openai.ChatCompletionResponse, error) {
	t.Helper()
	ctx := context.Background()
	if c != nil {
		ctx = wire.With(ctx, c)
	}
	return client(tr).CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:    "m",
		Messages: []openai.ChatCompletionMessage{{Role: "system", Content: ""}, {Role: "user", Content: "hello"}},
	})
}

// clock moves by a second each time it is read.
func clock() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}
