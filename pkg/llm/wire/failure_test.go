package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// told is what the client library's error says.
type told struct {
	Status              int
	Text, Type, Code, P string
}

func TestEveryErrorShapeBecomesATypedErrorWithItsStatus(t *testing.T) {
	t.Parallel()
	const js, html = "application/json", "text/html"
	rows := []struct {
		name, kind string
		status     int
		body       string
		want       told
	}{
		{"as OpenAI has it", js, 400, `{"error":{"message":"no","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, // lesson E75
			told{400, "no", "invalid_request_error", "unsupported_value", "temperature"}},
		{"max_tokens refused", js, 400, `{"error":{"message":"Use max_completion_tokens","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, // lesson E74
			told{400, "Use max_completion_tokens", "invalid_request_error", "unsupported_parameter", "max_tokens"}},
		{"quota", js, 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, // lesson E78
			told{429, "You exceeded your current quota", "insufficient_quota", "insufficient_quota", ""}},
		{"with a BOM", js, 401, "\ufeff" + `{"error":{"message":"bad key","code":"invalid_api_key"}}`, told{401, "bad key", "", "invalid_api_key", ""}},
		{"a text", js, 404, `{"error":"model not found"}`, told{404, "model not found", "", "", ""}},                                                                                                                // lesson E85
		{"LM Studio refuses json_object", js, 400, `{"error":"'response_format.type' must be 'json_schema'"}`, told{400, "'response_format.type' must be 'json_schema'", "", "", ""}},                               // lesson E91
		{"response_format refused", js, 400, `{"error":{"code":400,"message":"json_schema unsupported","type":"invalid_request_error"}}`, told{400, "json_schema unsupported", "invalid_request_error", "400", ""}}, // lesson E90
		{"an array", js, 400, `[{"error":{"code":400,"message":"Unknown name \"seed\"","status":"INVALID_ARGUMENT"}}]`, // lesson E84
			told{400, `Unknown name "seed"`, "INVALID_ARGUMENT", "400", ""}},
		{"an array with the quota", js, 429, `[{"error":{"code":429,"message":"spent","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"RequestsPerDay-Free"}]}]}}]`,
			told{429, "spent\nquota: RequestsPerDay-Free", "RESOURCE_EXHAUSTED", "429", ""}},
		{"flat", js, 404, `{"object":"error","message":"no such model","type":"NotFoundError","param":null,"code":404}`, told{404, "no such model", "NotFoundError", "404", ""}},
		{"detail text", js, 405, `{"detail":"Method Not Allowed"}`, told{405, "Method Not Allowed", "", "", ""}},
		{"detail list", js, 422, `{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"},{"loc":["body","messages",0],"msg":"bad","type":"x"}]}`,
			told{422, "seed: Extra inputs are not permitted; messages.0: bad", "extra_forbidden", "extra_forbidden", "seed"}},
		{"detail object", js, 400, `{"detail":{"error":{"message":"inner","code":7}}}`, told{400, "inner", "", "7", ""}},
		{"detail of another make", js, 400, `{"detail":[1,2]}`, told{400, "[1,2]", "", "", ""}},
		{"errors", js, 403, `{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`, told{403, "Authentication error", "", "10000", ""}},
		{"Anthropic overloaded", js, 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, told{529, "Overloaded", "overloaded_error", "", ""}},
		{"error beside its type", js, 503, `{"error":"loading","error_type":"overloaded"}`, told{503, "loading", "overloaded", "", ""}},
		{"a list of messages", js, 400, `{"error":{"message":["a","b"],"type":null,"code":null}}`, told{400, "a, b", "", "", ""}},
		{"types that are no texts", js, 400, `{"error":{"message":{"a": 1},"type":5,"param":["x"],"code":{"k": 1},"innererror":"odd"}}`, told{400, `{"a":1}`, "5", `{"k":1}`, `["x"]`}},
		{"no message", js, 500, `{"error":{"code":"boom"}}`, told{500, `status 500 Internal Server Error: {"error":{"code":"boom"}}`, "", "boom", ""}},
		{"Groq's failed generation", js, 400, `{"error":{"message":"Failed to generate JSON","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{\"a\":"}}`,
			told{400, "Failed to generate JSON\nfailed_generation: {\"a\":", "invalid_request_error", "json_validate_failed", ""}},
		{"Azure's filter", js, 400, `{"error":{"message":"filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"}}}}}`,
			told{400, "filtered", "", "content_filter", "prompt"}},
		{"a page at 429", html, 429, `<html><head><title>Too many</title><style>b{}</style></head><body><script>x()</script><h1>Slow  down</h1></body></html>`, // lesson E80
			told{429, "status 429 Too Many Requests: a page of HTML instead of an answer: Too many Slow down", "html", "", ""}},
		{"a page at 200", html, 200, "<!-- c --><p>log in", told{502, "status 200 OK: a page of HTML instead of an answer: log in", "html", "", ""}},
		{"plain text", "text/plain", 500, "upstream gone\n", told{500, "status 500 Internal Server Error: upstream gone", "text", "", ""}},
		{"plain text at 200", "text/plain", 200, "ok", told{502, "status 200 OK: ok", "text", "", ""}},
		{"nothing", "", 503, "", told{503, "status 503 Service Unavailable: the answer is empty", "empty", "", ""}},
		{"nothing at 200", js, 200, " \n", told{502, "status 200 OK: the answer is empty", "empty", "", ""}},
		{"nothing at 204", js, 204, "", told{502, "status 204 No Content: the answer is empty", "empty", "", ""}},
		{"JSON cut short", js, 200, `{"choices":[{"mess`, told{502, `status 200 OK: the answer is not JSON, or ends in its middle: {"choices":[{"mess`, "not_json", "", ""}},
		{"a stream", "text/event-stream", 200, "data: {}\n\n", told{502, "status 200 OK: the endpoint streams its answer although it was not asked to: data: {}", "stream", "", ""}},
		{"a number", js, 200, "7", told{502, "status 200 OK: the answer is no JSON object: 7", "not_json", "", ""}},
		{"a status that is none", js, 999, "{}", told{502, "status 999: no choice with a message in the answer: {}", "no_choices", "", ""}},
		// lesson E82
		{"200 with an error", js, 200, `{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"busy","provider_name":"P"}}}`, told{429, "Provider returned error\nP: busy", "", "429", ""}},
		{"200 with a number in a text", js, 200, `{"error":{"code":"503","message":"m"}}`, told{503, "m", "", "503", ""}},
		{"200 with a word", js, 200, `{"error":{"code":"rate_limit_exceeded","message":"m"}}`, told{429, "m", "", "rate_limit_exceeded", ""}},
		{"200 with a type", js, 200, `{"error":{"type":"authentication_error","message":"m"}}`, told{401, "m", "authentication_error", "", ""}},
		{"200 with the text of a limit", js, 200, `{"error":"Rate limit reached"}`, told{429, "Rate limit reached", "", "", ""}},
		{"200 with a code of its own", js, 200, `{"error":{"code":20012,"message":"m"},"choices":[{"message":{"content":"x"}}]}`, told{502, "m", "", "20012", ""}},
		{"200 with an array", js, 200, `[{"error":{"code":500,"message":"m"}}]`, told{500, "m", "", "500", ""}},
		{"200 with a flat error", js, 200, `{"object":"error","message":"m","code":404}`, told{404, "m", "", "404", ""}},
		{"choices null", js, 200, `{"id":"a","choices":null}`, told{502, `status 200 OK: no choice with a message in the answer: {"id":"a","choices":null}`, "no_choices", "", ""}},
		{"choices empty", js, 200, `{"choices":[]}`, told{502, `status 200 OK: no choice with a message in the answer: {"choices":[]}`, "no_choices", "", ""}},
		{"choices missing", js, 200, `{}`, told{502, `status 200 OK: no choice with a message in the answer: {}`, "no_choices", "", ""}},
		{"a choice without a message", js, 200, `{"choices":[{"finish_reason":"stop"}]}`, told{502, `status 200 OK: no choice with a message in the answer: {"choices":[{"finish_reason":"stop"}]}`, "no_choices", "", ""}},
		{"an error in a choice", js, 200, `{"choices":[{"error":{"code":504,"message":"late"},"finish_reason":"error","message":{"content":"half"}}]}`, told{504, "late", "choice_error", "504", ""}},
		{"an error in a choice without a message", js, 200, `{"choices":[{"error":{"code":"server_error","message":"late"}}]}`, told{500, "late", "choice_error", "server_error", ""}},
		{"a choice that ends in an error", js, 200, `{"choices":[{"finish_reason":"error","message":{"content":"half"}}]}`, told{502, "the answer ended in an error that the endpoint does not name", "choice_error", "", ""}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			store := &memory{}
			call := &wire.Call{}
			_, err := ask(t, &wire.Transport{Base: says(r.status, r.kind, r.body), Store: store}, call)
			var e *openai.APIError
			if !errors.As(err, &e) {
				t.Fatalf("error is %T %v, want *APIError", err, err)
			}
			got := told{Status: e.HTTPStatusCode, Text: e.Message, Type: e.Type, Code: e.Code.(string)}
			if e.Param != nil {
				got.P = *e.Param
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Error(diff)
			}
			if call.Exchange.Status != r.status || string(call.Exchange.Body) != r.body {
				t.Errorf("exchange has status %d and body %q, want them as they came", call.Exchange.Status, call.Exchange.Body)
			}
			want := wire.Failure{Message: got.Text, Type: got.Type, Code: got.Code, Param: got.P}
			if diff := cmp.Diff(want, wire.ErrorInfo(call.Exchange.Normal)); diff != "" {
				t.Error(diff)
			}
			if len(store.kept) > 0 {
				t.Error("a failure was kept")
			}
		})
	}
}

func TestALongPageIsReadInLinearTimeAndCut(t *testing.T) {
	t.Parallel()
	for _, body := range []string{strings.Repeat("<script", 1<<18), strings.Repeat("{", 1<<20), strings.Repeat("[", 1<<20), strings.Repeat(`{"error":`, 1<<17), strings.Repeat("é ", 1<<19)} {
		status, normal := wire.Normalise(200, "", []byte(body))
		if status != 502 || len(normal) > 2000 {
			t.Errorf("%.10q…: status %d and %d bytes, want 502 and a short text", body, status, len(normal))
		}
	}
}
