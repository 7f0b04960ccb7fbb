package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// good is a model that does as it is told.
func good(a fakellm.Ask) (string, bool) {
	last := a.Messages[len(a.Messages)-1].Text
	switch {
	case strings.Contains(last, "story"):
		return strings.Repeat("1 2 3 4 5 6 7 8 9 10 ", 10), true
	case strings.Contains(last, "weather"):
		return "The sea is calm.", true
	case a.Schema != nil:
		return `{"colour":"blue","sure":true}`, true
	case a.Format == "json_object":
		return `{"answer":"blue"}`, true
	case strings.Contains(last, "colour"):
		return "A clear sky at noon is blue.", true
	case strings.Contains(a.Messages[0].Text, "OTTER"):
		return "OTTER: The lighthouse shines.", true
	}
	return "", false
}

// examined gives the diagnosis of a scripted server, and the server.
func examined(t *testing.T, script string, answer fakellm.Answerer, change func(*llm.Options)) (*llm.Diagnosis, *fakellm.Server) {
	t.Helper()
	s, err := fakellm.ParseScript([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := fakellm.New(s, answer, fakellm.Options{Now: time.Now})
	o := options(t, nil)
	o.Transport, o.Endpoint.Model, o.MaxOutputTokens = server.Transport(), "fake-model", 5000
	if change != nil {
		change(&o)
	}
	d, err := llm.Diagnose(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkDiagnosis(t, d, server)
	return d, server
}

// checkDiagnosis checks what holds of every diagnosis.
func checkDiagnosis(t *testing.T, d *llm.Diagnosis, server *fakellm.Server) {
	t.Helper()
	var names []string
	for _, f := range d.Findings {
		names = append(names, f.Check)
		if f.Found == "" || strings.Contains(f.Found+f.Advice, "\n") || (f.Verdict == llm.VerdictFail) && f.Advice == "" {
			t.Errorf("%+v says too little, or too much", f)
		}
	}
	if diff := cmp.Diff(llm.Checks(), names); diff != "" {
		t.Error(diff)
	}
	if d.Calls > llm.MostDoctorCalls || !d.Usable() && d.Calls > 2 && !strings.Contains(lines(d), "fail: later on") {
		t.Errorf("%d calls: %s", d.Calls, lines(d))
	}
	text, err := json.Marshal(d)
	if err != nil || strings.Contains(string(text)+fmt.Sprintf("%+v", d), secretKey) {
		t.Errorf("%v, or the key is in it: %s", err, text)
	}
	if server == nil {
		return
	}
	// lesson E100: no other model is called
	for _, s := range server.Seen() {
		if s.Call > 0 && s.Model != d.Endpoint.Model {
			t.Errorf("%s was called", s.Model)
		}
	}
}

// lines writes a diagnosis, a line a check.
func lines(d *llm.Diagnosis) string {
	var b strings.Builder
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "%s: %s: %s", f.Check, f.Verdict, f.Found)
		if f.Advice != "" {
			fmt.Fprintf(&b, " -> %s", f.Advice)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestAGoodEndpointIsFoundToBeOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, server := examined(t, "latency: 20ms\n", good, nil)
		want := `address: ok: https://llm.example.test/v1 answers
key: ok: the key of OPENAI_API_KEY is accepted, or not looked at
model: ok: fake-model answers, and is listed
json_schema: ok: accepted and obeyed
json_object: ok: accepted and obeyed
tools: ok: accepted and obeyed
response_format: ok: json_schema, by auto
temperature: ok: 0 is accepted
seed: ok: it is accepted; whether it is used cannot be seen
usage: ok: tokens in and out are told; cached ones told, reasoning told
max_output_tokens: ok: max_tokens is accepted and obeyed
system_role: ok: it is accepted and obeyed
stop: ok: accepted and obeyed
determinism: ok: the same reply twice; the same system_fingerprint
concurrency: ok: two calls at once give the same reply
reasoning: ok: none seen
retry_after: unknown: no 429 was seen
latency: ok: median 20ms of 9 replies, from 20ms to 20ms
`
		if diff := cmp.Diff(want, lines(d)); diff != "" {
			t.Error(diff)
		}
		if d.Calls != 10 || server.Calls() != 9 || server.MostInFlight() != 2 || !d.Usable() {
			t.Errorf("%d calls, %d chats, %d at once", d.Calls, server.Calls(), server.MostInFlight())
		}
		if diff := cmp.Diff(llm.Learned{}, d.Learned); diff != "" {
			t.Error(diff)
		}
	})
}

// Each row: a script, and the findings that differ from those of a good endpoint, as "check: verdict: part of the words".
func TestWhatIsWrongWithAnEndpointIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   []string
		notes  int
	}{
		"temperature refused": {"quirks: [refuse_temperature]", []string{"temperature: warn: 0 is refused and left out", "-> results note it; --temperature none"}, 1},
		"seed refused":        {"quirks: [refuse_seed_gemini_array]", []string{"seed: warn: it is refused and left out -> give no --seed-request"}, 1},
		"another limit":       {"quirks: [refuse_max_tokens]", []string{"max_output_tokens: ok: max_completion_tokens is accepted and obeyed"}, 1},
		"no limit":            {"quirks: [refuse_max_tokens, refuse_max_completion_tokens]", []string{"max_output_tokens: warn: refused as max_tokens and as"}, 2},
		"limit ignored":       {"quirks: [ignore_max_tokens]", []string{"max_output_tokens: warn: max_tokens is accepted and ignored: 16 tokens were allowed, 53 tokens came"}, 0},
		"system refused":      {"quirks: [refuse_system]", []string{"system_role: warn: it is refused: what it says is put in front"}, 1},
		"schema refused": {"quirks: [refuse_json_schema_llamacpp]", []string{"json_schema: warn: refused -> do not give --response-format json_schema; auto",
			"json_object: ok", "response_format: ok: json_object, by auto"}, 1},
		"object refused":   {"quirks: [refuse_json_object_lmstudio]", []string{"json_object: warn: refused: status 400: 'response_format.type' must be", "response_format: ok: json_schema"}, 0},
		"no format at all": {"quirks: [refuse_response_format]", []string{"json_schema: warn", "json_object: warn", "response_format: warn: text, by auto: the schema stands in the prompt -> give --response-format tools"}, 2},
		"nothing but text": {"quirks: [refuse_response_format, refuse_tools]", []string{"json", "tools: warn: refused: status 400: registry.ollama.ai", "response_format: ok: text, by auto: the schema"}, 2},
		"formats ignored": {"answers: {fixed: A clear sky at noon is blue.}\nform: prose\nquirks: [ignore_response_format, tools_in_text]", []string{"json_schema: warn: accepted and ignored: the reply is",
			"tools: warn: accepted and ignored: no tool is called", "response_format: warn: json_schema, by auto, which is ignored -> --response-format text", "stop: warn",
			"system_role: warn: it is accepted and not obeyed", "max_output_tokens"}, 0},
		"stop refused":       {"quirks: [refuse_stop]", []string{"stop: warn: refused: status 400", "leave stop out of --extra-body"}, 0},
		"stop ignored":       {"quirks: [ignore_stop]", []string{"stop: warn: accepted and ignored"}, 0},
		"usage null":         {"usage: 'null'", []string{"usage: warn: null -> tokens and costs of a run will be unknown"}, 0},
		"usage zeros":        {"usage: zeros", []string{`usage: warn: zeros, or no counts: {"prompt_tokens":0`}, 0},
		"usage missing":      {"usage: missing", []string{"usage: warn: missing"}, 0},
		"usage after a mark": {"usage: 'null'\nbom: true", []string{"usage: warn: null"}, 0},
		"no fingerprint":     {"fingerprint: ''", []string{"determinism: ok: the same reply twice; no system_fingerprint"}, 0},
		// lesson E97: at temperature 0, and with others in flight, replies may differ
		"not the same twice": {"answers: ['OTTER: one', 'OTTER: two']", []string{"determinism: warn: two replies to the same question, at temperature 0",
			"concurrency: unknown: not asked, since replies are not the same", "json", "tools", "response_format", "stop", "max_output_tokens"}, 0},
		"not the same at once": {"answers: ['{\"category\":\"billing\"}']\nvary_by_in_flight: true", []string{"determinism: ok: the same reply twice",
			"concurrency: warn: two calls at once give other replies than one call alone -> for runs that repeat give --concurrency 1", "system_role: warn", "json_schema: warn", "tools: warn", "response_format", "stop", "max_output_tokens"}, 0},
		"one at a time":      {"max_in_flight: 1", []string{"concurrency: warn: a call of two at once was refused with 429 -> give --concurrency 1", "retry_after: warn"}, 0},
		"thoughts beside":    {"form: reasoning_content", []string{"reasoning: ok: thoughts come beside the text and counted in the usage", "json_schema", "tools"}, 0},
		"thoughts inside":    {"form: think", []string{"reasoning: ok: thoughts come in <think> inside the text", "json_schema: ok", "tools: warn"}, 0},
		"nothing but budget": {"form: budget", []string{"reasoning: warn: thoughts come counted in the usage; 1024 tokens were used up", "--max-output-tokens 4096", "json", "tools", "response_format", "stop", "system_role: unknown: the reply is empty", "determinism: unknown: both replies are empty"}, 0},
		"Retry-After":        {"faults: [{calls: 2, reply: 429_retry_after, retry_after: 2}]", []string{"retry_after: ok: 1 429 came and said how long to wait, 2s at last"}, 0},
		"429 of few words":   {"faults: [{calls: 2, reply: '429'}]", []string{"retry_after: warn: 1 429 came, without a word about the wait"}, 0},
		"a passing trouble":  {"faults: [{calls: 3, reply: '500'}]", nil, 0},
		"a lasting trouble":  {"faults: [{calls: 3..4, reply: '500'}]", []string{"json_schema: unknown: the call failed: status 500", "response_format: unknown"}, 0},
		"a long wait":        {"faults: [{calls: 5, reply: 429_retry_after, retry_after: 1000}]", []string{"retry_after: fail: later on: status 429", "--max-wait", "tools", "response_format", "stop", "determinism", "concurrency"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, _ := examined(t, "latency: 20ms\n"+c.script+"\n", good, nil)
				got := lines(d)
				for _, w := range c.want {
					if !strings.Contains(got, w) {
						t.Errorf("no %q in\n%s", w, got)
					}
				}
				if len(d.Learned.Notes) != c.notes {
					t.Errorf("notes %q", d.Learned.Notes)
				}
				for _, f := range d.Findings {
					if f.Verdict == llm.VerdictOK || f.Check == "retry_after" && f.Verdict == llm.VerdictUnknown {
						continue
					}
					wanted := strings.Join(c.want, "\n")
					anyJSON := strings.HasPrefix(f.Check, "json") && strings.Contains(wanted, "json")
					if !anyJSON && !strings.Contains(wanted, f.Check) {
						t.Errorf("%+v was not expected", f)
					}
				}
			})
		})
	}
}

func TestAWrongAddressKeyOrModelIsNamedAfterTwoCallsAtMost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		change func(*llm.Options)
		want   string
	}{
		"wrong key":           {"key: another", nil, "key: fail: refused: status 401: Incorrect API key provided: it is not the key of the script. -> see whether the key in OPENAI_API_KEY is one of"},
		"no key":              {"key: another", func(o *llm.Options) { o.Endpoint.Key = "" }, "key: fail: refused: status 401: Incorrect API key provided: it is not the key of the script. -> no key was sent: set OPENAI_API_KEY"},
		"no quota":            {"faults: [{after: 0, reply: 429_quota}]", nil, "key: fail: without quota: status 429"},
		"no credit":           {"faults: [{after: 0, reply: '402'}]", nil, "key: fail: without quota: status 402"},
		"a model with a slip": {"models: [fake-models, other]", nil, "model: fail: there is no fake-model: status 404: The model `fake-model` does not exist or you do not have access to it. -> did you mean fake-models? Give it with --model"},
		"another model":       {"models: [c, b, a, f, e, d, g, h]", nil, "-> give one that it lists with --model: a, b, c, d, e, f and 2 more"},
		"no model":            {"models: []", nil, "-> it lists no model: load one there"},
		"listed and refused":  {"faults: [{after: 0, reply: 404_model}]", nil, "model: fail: it is listed, but not answered by: status 404"},
		"no path":             {"faults: [{after: 0, on: all, reply: 404_path}]", func(o *llm.Options) { o.Endpoint.BaseURL = o.Endpoint.BaseURL.JoinPath("..", "api") }, "address: fail: there are no chat completions: status 404: "},
		"no path, no /v1":     {"faults: [{after: 0, on: all, reply: 404_path}]", func(o *llm.Options) { o.Endpoint.BaseURL = o.Endpoint.BaseURL.JoinPath("..", "api") }, "-> try --base-url https://llm.example.test/api/v1"},
		"no path, beyond /v1": {"faults: [{after: 0, on: all, reply: 404_path}]", func(o *llm.Options) { o.Endpoint.BaseURL = o.Endpoint.BaseURL.JoinPath("completions") }, "-> try --base-url https://llm.example.test/v1: a base URL"},
		"model, no list":      {"faults: [{after: 0, on: chat, reply: 404_model}, {after: 0, on: models, status: 405}]", nil, "model: fail: status 404: The model"},
		"a web page":          {"faults: [{after: 0, reply: html}]", nil, "address: fail: what answers is no endpoint of chat completions (status 200"},
		"no JSON":             {"faults: [{after: 0, reply: not_json}]", nil, "address: fail: what answers is no endpoint of chat completions (status 200"},
		"redirect":            {"faults: [{after: 0, reply: redirect, location: 'https://other.example.test/v1/chat/completions'}]", nil, "address: fail: https://llm.example.test/v1/chat/completions answers with the redirect 301"},
		"hang":                {"faults: [{after: 0, reply: hang}]", nil, "address: fail: https://llm.example.test/v1 takes the call and does not answer: no complete answer within 2m0s -> give the endpoint more time with --timeout"},
		"reset":               {"faults: [{after: 0, reply: reset}]", nil, "address: fail: no answer"},
		"loading":             {"faults: [{after: 0, reply: 503_loading}]", nil, "model: fail: the call failed: status 503: Loading model -> see the server's own log"},
		"a refused request":   {"quirks: [refuse_unknown]", func(o *llm.Options) { o.ExtraBody = map[string]json.RawMessage{"top_k": []byte("1")} }, "-> leave top_k out of --extra-body"},
		"a long wait":         {"faults: [{after: 0, reply: 429_retry_after, retry_after: 999}]", nil, "retry_after: warn: a 429 asks to wait 16m39s -> allow longer waits with --max-wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, server := examined(t, c.script+"\n", good, c.change)
				if got := lines(d); !strings.Contains(got, c.want) || d.Usable() || server.Calls() > 2 {
					t.Errorf("no %q after %d calls in\n%s", c.want, server.Calls(), got)
				}
				if last := d.Findings[len(d.Findings)-1]; last.Verdict != llm.VerdictUnknown || !strings.HasPrefix(last.Found, "not asked, since the check of ") {
					t.Errorf("%+v", last)
				}
			})
		})
	}
}

// netError is a failure of the network.
type netError string

func (e netError) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New(string(e)) }

// lesson E99: what is said of a proxy, a certificate, and the wrong scheme.
func TestTroubleOnTheWayIsSaidWithWhatToDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tls: failed to verify certificate: x509: certificate signed by unknown authority": "give the certificate of its authority with --ca-cert FILE (or --insecure for a test); calls go through the proxy http://proxy.test:3128",
		"proxyconnect tcp: dial tcp: lookup proxy.test: no such host":                      "see HTTPS_PROXY, HTTP_PROXY and NO_PROXY",
		"net/http: TLS handshake timeout":                                                  "the server may speak http: give a base URL that begins with http://",
		"http: server gave HTTP response to HTTPS client":                                  "give a base URL that begins with http://",
		"dial tcp: lookup llm.example.test: no such host":                                  "see whether the host in the base URL is spelled right",
		"dial tcp 192.0.2.1:443: connect: connection refused":                              "see whether a server runs at https://llm.example.test/v1",
	} {
		o := options(t, nil)
		o.Transport, o.Proxy = netError(text), "http://proxy.test:3128"
		d, err := llm.Diagnose(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		checkDiagnosis(t, d, nil)
		if f := d.Findings[0]; f.Verdict != llm.VerdictFail || !strings.Contains(f.Found, text) || !strings.Contains(f.Advice, want) || d.Calls != 1 {
			t.Errorf("%+v after %d calls", f, d.Calls)
		}
	}
}
