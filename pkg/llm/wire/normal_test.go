package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{
		hello, "\ufeff" + hello, `{"error":{"message":["a"],"code":1,"param":{},"innererror":1}}`, `[{"error":"x"}]`, `{"detail":[{"loc":[1],"msg":"m"}]}`, "<html>", "", `" "`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"},"b"],"tool_calls":[{"function":{"arguments":{}}}],"reasoning":"r"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1.0}}`,
		`{"choices":[{"message":{"content":"a","name":1,"MultiContent":[]},"logprobs":{"content":1}}],"created":1e3,"usage":[]}`,
		`{"choices":[{"error":{"code":"429"},"finish_reason":"error"}]}`, `{"object":"error","message":"m","code":404}`, `{"choices":[{"index":99999999999999999999,"text":"x"}]}`,
	} {
		f.Add(200, "application/json", []byte(s))
		f.Add(400, "text/html", []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		got, normal := wire.Normalise(status, contentType, body)
		if !json.Valid(normal) {
			t.Fatalf("%q became %q, which is not JSON", body, normal)
		}
		if got == 200 {
			var res openai.ChatCompletionResponse
			if err := json.Unmarshal(normal, &res); err != nil || len(res.Choices) == 0 {
				t.Fatalf("%q became %q: %v, %d choices", body, normal, err, len(res.Choices))
			}
			if (wire.ErrorInfo(normal) != wire.Failure{}) {
				t.Fatalf("%q: a success with an error", normal)
			}
			if again, twice := wire.Normalise(200, "application/json", normal); again != 200 || res.Choices[0].Message.Content != textIn(t, twice) {
				t.Fatalf("%q is not stable: %q", normal, twice)
			}
			u := wire.ParseUsage(normal)
			for _, c := range []wire.Count{u.In, u.Out, u.Cached, u.Reasoning} {
				if c.N < 0 || !c.Known && c.N != 0 {
					t.Fatalf("%q has usage %+v", normal, u)
				}
			}
			return
		}
		var e openai.ErrorResponse
		if got < 400 || got > 599 || json.Unmarshal(normal, &e) != nil || e.Error == nil || strings.TrimSpace(e.Error.Message) == "" {
			t.Fatalf("status %d, %q became %q with status %d", status, body, normal, got)
		}
	})
}

func textIn(t *testing.T, normal []byte) string {
	t.Helper()
	var res openai.ChatCompletionResponse
	if err := json.Unmarshal(normal, &res); err != nil {
		t.Fatal(err)
	}
	return res.Choices[0].Message.Content
}
