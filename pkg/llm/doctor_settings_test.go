package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestTheSettingsOfARunAreWhatIsAsked(t *testing.T) {
	t.Parallel()
	hot, tooHot, seed := 0.7, 1.5, int64(3)
	for name, c := range map[string]struct {
		script string
		change func(*llm.Options)
		want   []string
	}{
		"no temperature": {"", func(o *llm.Options) { o.Temperature = nil }, []string{"temperature: ok: none is sent"}},
		"another temperature": {"answers: ['OTTER: one', 'OTTER: two']", func(o *llm.Options) { o.Temperature = &hot }, []string{"temperature: ok: 0.7 is accepted",
			"determinism: warn: two replies to the same question, as is to be expected at this temperature"}},
		"a temperature that is too high": {"faults: [{calls: 2, status: 400, body: '{\"error\":{\"message\":\"temperature must be between 0 and 1\",\"param\":\"temperature\"}}'}]",
			func(o *llm.Options) { o.Temperature = &tooHot }, []string{"temperature: fail: 1.5 is refused: status 400: temperature must be between 0 and 1 -> give another --temperature", "determinism: unknown: the call failed"}},
		"a seed":         {"", func(o *llm.Options) { o.Seed = &seed }, []string{"seed: ok"}},
		"a format":       {"", func(o *llm.Options) { o.Format = llm.FormatTools }, []string{"response_format: ok: tools, by --response-format"}},
		"a bad format":   {"quirks: [refuse_json_object]", func(o *llm.Options) { o.Format = llm.FormatJSONObject }, []string{"response_format: fail: json_object, by --response-format, which is refused -> give --response-format json_schema, which is obeyed"}},
		"text by choice": {"", func(o *llm.Options) { o.Format = llm.FormatText }, []string{"response_format: warn: text, by --response-format: the schema stands in the prompt -> give --response-format json_schema"}},
		"by hand": {"", func(o *llm.Options) {
			o.ExtraBody = map[string]json.RawMessage{"temperature": []byte("1"), "seed": []byte("1"), "stop": []byte(`["x"]`), "max_tokens": []byte("50"), "response_format": []byte(`{"type":"text"}`)}
		}, []string{"temperature: ok: --extra-body gives temperature", "seed: ok: --extra-body", "stop: ok: --extra-body", "max_output_tokens: ok: --extra-body gives max_tokens", "response_format: ok: --extra-body", "json_schema: unknown: not asked, since --extra-body"}},
		"a small limit": {"form: reasoning_content", func(o *llm.Options) { o.MaxOutputTokens = 100 }, []string{"reasoning: warn: thoughts come beside the text and counted in the usage, inside the 100 of --max-output-tokens"}},
		"unencrypted": {"", func(o *llm.Options) {
			o.Endpoint.BaseURL = &url.URL{Scheme: "http", Host: "llm.example.test", Path: "/v1"}
		}, []string{"address: warn: http://llm.example.test/v1 answers; the key goes there unencrypted -> give an address that begins with https://"}},
		"on this machine": {"", func(o *llm.Options) {
			o.Endpoint.BaseURL = &url.URL{Scheme: "http", Host: "127.0.0.1:8080", Path: "/v1"}
			o.Endpoint.Key = ""
		}, []string{"address: ok", "key: ok: none is set (OPENAI_API_KEY) and none is needed"}},
		"Azure":            {"models: [fake-model]", func(o *llm.Options) { o.Endpoint.APIVersion = "2024-10-21" }, []string{"model: ok: fake-model answers; the endpoint lists no models"}},
		"any name will do": {"models: [fake-model]\nby_model: {}", nil, []string{"model: ok: fake-model answers, and is listed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, err := fakellm.ParseScript([]byte("latency: 1ms\n"+c.script+"\n"), "script.yaml")
				if err != nil {
					t.Fatal(err)
				}
				server := fakellm.New(s, good, fakellm.Options{})
				o := options(t, nil)
				o.Transport, o.Seed, o.Endpoint.Model = server.Transport(), nil, "fake-model"
				if c.change != nil {
					c.change(&o)
				}
				d, err := llm.Diagnose(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				for _, w := range c.want {
					if !strings.Contains(lines(d), w) {
						t.Errorf("no %q in\n%s", w, lines(d))
					}
				}
				if d.Calls > llm.MostDoctorCalls {
					t.Errorf("%d calls", d.Calls)
				}
			})
		})
	}
}

func TestOnlyWhatARunAsksForIsLearned(t *testing.T) {
	t.Parallel()
	const script = "quirks: [refuse_temperature, refuse_seed, refuse_max_tokens, refuse_system, refuse_json_schema, refuse_tool_choice_object]\n"
	temperature := "temperature was not applied: the endpoint refuses it"
	system := "the system message was put in front of the first user message: the endpoint refuses the system role"
	for name, c := range map[string]struct {
		change func(*llm.Options)
		want   llm.Learned
	}{
		"little": {func(o *llm.Options) { o.Seed, o.MaxOutputTokens, o.Format = nil, 0, llm.FormatText },
			llm.Learned{Drop: []string{"temperature"}, MergeSystem: true, Notes: []string{temperature, system}}},
		"all": {func(*llm.Options) {},
			llm.Learned{Drop: []string{"seed", "temperature"}, MergeSystem: true, Rename: map[string]string{"max_tokens": "max_completion_tokens"}, Format: "json_object", Notes: []string{
				"max_tokens was sent as max_completion_tokens: the endpoint refuses max_tokens", temperature, "seed was not applied: the endpoint refuses it", system,
				"response format json_object was asked for: the endpoint refuses json_schema"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, server := examined(t, script, good, c.change)
				if diff := cmp.Diff(c.want, d.Learned); diff != "" {
					t.Error(diff)
				}
				// A client that begins with it needs no other call.
				o := options(t, nil)
				c.change(&o)
				o.Transport, o.Endpoint.Model, o.Learned = server.Transport(), "fake-model", d.Learned
				if r, err := client(t, o).Complete(context.Background(), request()); err != nil || len(r.Attempts) != 1 {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}

func TestADiagnosisEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, o := fake(t, "faults: [{calls: '3..', reply: hang}]\n")
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, cause)
		defer cancel()
		if d, err := llm.Diagnose(ctx, o); !errors.Is(err, cause) {
			t.Errorf("%+v, %v", d, err)
		}
	})
	if _, err := llm.Diagnose(context.Background(), llm.Options{}); err == nil {
		t.Error("no endpoint, and no error")
	}
}

func TestEveryQuirkAndFaultLeavesADiagnosis(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{"all that is learned": "quirks: [refuse_temperature, refuse_seed_gemini_array, refuse_max_tokens, refuse_max_completion_tokens, refuse_reasoning_effort, refuse_system, refuse_response_format, refuse_tool_choice_object, refuse_stop]"}
	for _, q := range fakellm.Quirks() {
		scripts["quirk "+q] = "quirks: [" + q + "]"
	}
	for _, f := range fakellm.Faults() {
		scripts["fault "+f] = "faults: [{after: 0, reply: '" + f + "'}]"
		scripts["later fault "+f] = "faults: [{calls: '4..', reply: '" + f + "'}]"
	}
	for _, f := range fakellm.Forms() {
		scripts["form "+f] = "form: " + f
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, err := fakellm.ParseScript([]byte(script+"\n"), "script.yaml")
				if err != nil {
					t.Fatal(err)
				}
				server := fakellm.New(s, good, fakellm.Options{})
				o := options(t, nil)
				o.Transport, o.Endpoint.Model, o.ReasoningEffort, o.Timeout = server.Transport(), "fake-model", "low", 10*time.Second
				d, err := llm.Diagnose(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range d.Findings {
					if f.Found == "" || f.Verdict == llm.VerdictFail && f.Advice == "" {
						t.Errorf("%+v", f)
					}
				}
				if d.Calls > llm.MostDoctorCalls || server.Calls() > llm.MostDoctorCalls {
					t.Errorf("%d calls", d.Calls)
				}
			})
		})
	}
}
