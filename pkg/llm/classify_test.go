package llm_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triagebench/triage/pkg/llm"
)

func TestFailuresAreClassified(t *testing.T) {
	t.Parallel()
	const filter = `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`
	const daily = `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}]`
	const minute = `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"4s"}]}}]`
	for name, c := range map[string]struct {
		a      answer
		kind   llm.Kind
		fatal  bool
		retry  bool
		status int
	}{
		"401":                             {fails(401, `{"error":{"message":"bad key"}}`), llm.KindKey, true, false, 401},
		"403":                             {fails(403, `{"error":{"message":"Country not supported"}}`), llm.KindKey, true, false, 403},
		"403 of moderation":               {fails(403, `{"error":{"message":"Your chosen model requires moderation and your input was flagged","code":403}}`), llm.KindContentFilter, false, false, 403},
		"403 without access to the model": {fails(403, openAIError("Project does not have access to model gpt-test", "", "model_not_found")), llm.KindModel, true, false, 403},
		"400 of a bad Gemini key":         {fails(400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`), llm.KindKey, true, false, 400},
		"400 of an empty account":         {fails(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`), llm.KindQuota, true, false, 400},
		"404 of a page":                   {answer{status: 404, header: http.Header{"Content-Type": {"text/html"}}, body: "<html><title>404 Not Found</title></html>"}, llm.KindModel, true, false, 404},
		"400 of a model that is gone":     {fails(400, openAIError("The model `x` has been decommissioned", "", "model_decommissioned")), llm.KindModel, true, false, 400},
		"400 context length":              {fails(400, openAIError("This model's maximum context length is 8192 tokens.", "messages", "context_length_exceeded")), llm.KindContextLength, false, false, 400},
		"400 of Azure's filter":           {fails(400, filter), llm.KindContentFilter, false, false, 400},
		"400":                             {fails(400, `{"error":{"message":"bad request"}}`), llm.KindRefused, false, false, 400},
		"413 of a proxy":                  {answer{status: 413, header: http.Header{"Content-Type": {"text/html"}}, body: "<html>413 Request Entity Too Large</html>"}, llm.KindRefused, false, false, 413},
		"422":                             {fails(422, `{"detail":"unprocessable"}`), llm.KindRefused, false, false, 422},
		"408":                             {fails(408, `{"error":"request timeout"}`), llm.KindTimeout, false, true, 408},
		"409":                             {fails(409, `{"error":"conflict"}`), llm.KindServer, false, true, 409},
		"429 of a minute that names money, lesson E80": {fails(429, openAIError("Rate limit reached for gpt-test on tokens per min (TPM): Limit 30000. You can increase your rate limit by adding a payment method at https://example.test/billing.", "", "rate_limit_exceeded")), llm.KindLimited, false, true, 429},
		"429 of a day":                    {fails(429, openAIError("Rate limit reached on tokens per day (TPD): Limit 100000.", "", "rate_limit_exceeded")), llm.KindQuota, true, false, 429},
		"429 of Gemini's day":             {fails(429, daily), llm.KindQuota, true, false, 429},
		"429 of Gemini's minute":          {fails(429, minute), llm.KindLimited, false, true, 429},
		"429 as a page, lesson E80":       {answer{status: 429, header: http.Header{"Content-Type": {"text/html"}}, body: "<html>Too Many Requests</html>"}, llm.KindLimited, false, true, 429},
		"500":                             {fails(500, `{"error":{"message":"oops"}}`), llm.KindServer, false, true, 500},
		"529":                             {fails(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindServer, false, true, 529},
		"200 with an error, lesson E82":   {fails(200, `{"error":{"message":"upstream","code":502}}`), llm.KindServer, false, true, 502},
		"200 with a 429 inside":           {fails(200, `{"error":{"message":"Rate limited","code":429}}`), llm.KindLimited, false, true, 429},
		"200 without choices, lesson E82": {fails(200, `{"id":"x","choices":null}`), llm.KindServer, false, true, 502},
		"200 empty":                       {fails(200, ``), llm.KindServer, false, true, 502},
		"redirect":                        {answer{status: 301, header: http.Header{"Location": {"https://other.example.test/v1/chat/completions"}}}, llm.KindModel, true, false, 0},
		"reset":                           {answer{err: &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}}, llm.KindNetwork, false, true, 0},
		"refused":                         {answer{err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}, llm.KindNetwork, false, true, 0},
		"no such host":                    {answer{err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "llm.example.test", IsNotFound: true}}}, llm.KindNetwork, true, false, 0},
		"names do not work now":           {answer{err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "llm.example.test", IsTemporary: true}}}, llm.KindNetwork, false, true, 0},
		"certificate, lesson E99":         {answer{err: x509.UnknownAuthorityError{}}, llm.KindNetwork, true, false, 0},
		"http for https":                  {answer{err: errors.New("http: server gave HTTP response to HTTPS client")}, llm.KindNetwork, true, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return c.a }}
				o := options(t, e)
				o.Budget = 10 * time.Second
				began := time.Now()
				_, err := client(t, o).Complete(context.Background(), request())
				f := failure(t, err)
				got := fmt.Sprint(f.Kind, f.Fatal(), e.calls() > 1)
				if want := fmt.Sprint(c.kind, c.fatal, c.retry); got != want {
					t.Errorf("is %s, want %s: %v", got, want, err)
				}
				if c.status != 0 && f.Status != c.status {
					t.Errorf("status is %d, want %d", f.Status, c.status)
				}
				if len(f.Attempts) != e.calls() || time.Since(began) > o.Budget {
					t.Errorf("%d attempts recorded of %d, in %v", len(f.Attempts), e.calls(), time.Since(began))
				}
				if f.Fatal() && f.Hint == "" || f.URL != "https://llm.example.test/v1" || f.Model != "gpt-test" {
					t.Errorf("hint %q, URL %q, model %q", f.Hint, f.URL, f.Model)
				}
			})
		})
	}
}
