package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// fake gives a scripted server and options that call it in memory.
func fake(t *testing.T, script string) (*fakellm.Server, llm.Options) {
	t.Helper()
	s, err := fakellm.ParseScript([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := fakellm.New(s, nil, fakellm.Options{Now: time.Now})
	o := options(t, nil)
	o.Transport = server.Transport()
	return server, o
}

// What the client makes of each quirk by which the scripted server refuses something: the notes, after a call that went
// well; or the kind of the error.
func TestEveryRefusalOfTheScriptedServerIsLearnedOrSaid(t *testing.T) {
	t.Parallel()
	not := func(field string) string { return field + " was not applied: the endpoint refuses it" }
	object := "response format json_object was asked for: the endpoint refuses json_schema"
	plain := "response format text was asked for: the endpoint refuses json_object"
	system := "the system message was put in front of the first user message: the endpoint refuses the system role"
	long := "max_tokens was sent as max_completion_tokens: the endpoint refuses max_tokens"
	want := map[string]string{
		"refuse_temperature": not("temperature"), "refuse_temperature_kimi": not("temperature"), "refuse_temperature_parameter": not("temperature"),
		"refuse_max_tokens": long, "refuse_max_completion_tokens": "",
		"refuse_seed": not("seed"), "refuse_seed_gemini_array": not("seed"),
		"refuse_reasoning_effort": not("reasoning_effort"), "refuse_reasoning_effort_unrecognized": not("reasoning_effort"), "refuse_reasoning_effort_ollama": not("reasoning_effort"),
		"refuse_stop": "", "refuse_unknown": "", "refuse_system": system, "refuse_empty_content": "",
		"refuse_json_schema": object, "refuse_json_object": "", "refuse_json_schema_llamacpp": object, "refuse_json_object_lmstudio": "",
		"refuse_text_lmstudio": "", "refuse_response_format": object + "; " + plain, "refuse_json_schema_gemini": object,
		"refuse_tools": "", "refuse_tools_vllm": "", "refuse_tool_choice_object": "", "need_json_word": "", "strict_schema": "",
		"enforce_response_format": "", "ignore_max_tokens": "", "ignore_response_format": "", "ignore_stop": "", "odd_created": "", "tools_in_text": "",
		"refuse_tools with tools": "refused", "refuse_tools_vllm with tools": "refused", "refuse_tool_choice_object with tools": not("tool_choice"),
		"refuse_max_tokens, refuse_max_completion_tokens": long + "; " + not("max_tokens"),
		"refuse_json_schema, refuse_json_object":          object + "; " + plain,
		"refuse_json_schema, need_json_word":              object + "; " + plain,
		"refuse_temperature, refuse_seed_gemini_array, refuse_max_tokens, refuse_reasoning_effort, refuse_system, refuse_response_format": strings.Join([]string{
			not("temperature"), not("seed"), long, not("reasoning_effort"), system, object, plain}, "; "),
	}
	for _, quirk := range fakellm.Quirks() {
		if _, ok := want[quirk]; !ok {
			t.Errorf("quirk %s is not in the table", quirk)
		}
	}
	for quirks, notes := range want {
		t.Run(quirks, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				names, tools := strings.CutSuffix(quirks, " with tools")
				server, o := fake(t, "answers: ['{\"category\":\"billing\"}']\nquirks: ["+names+"]\n")
				o.ReasoningEffort = "low"
				if tools {
					o.Format = llm.FormatTools
				}
				c := client(t, o)
				_, err := c.Complete(context.Background(), request())
				var failed *llm.Error
				got := strings.Join(c.Learned().Notes, "; ")
				if errors.As(err, &failed) {
					got = string(failed.Kind)
					if failed.Hint == "" {
						t.Errorf("%v has no hint", err)
					}
				}
				if diff := cmp.Diff(notes, got); diff != "" {
					t.Error(diff, err)
				}
				before := server.Calls()
				if _, err := c.Complete(context.Background(), request()); err == nil && server.Calls() != before+1 {
					t.Errorf("the second call took %d requests", server.Calls()-before)
				}
			})
		})
	}
}

// Each fault strikes always, or the first three calls: what becomes of a call with a budget of a minute.
func TestEveryFaultOfTheScriptedServerIsTakenForWhatItIs(t *testing.T) {
	t.Parallel()
	again := "again"
	want := map[string]string{
		"400": "refused", "400_context": "context_length", "400_context_llamacpp": "context_length", "401": "key", "402": "quota", "403": "model",
		"404_model": "model", "404_string": "model", "404_path": "model", "413_html": "refused", "422": "refused", "429_quota": "quota", "429_quota_day": "quota",
		"azure_filter": "content_filter", "flat_error": "refused", "groq_failed_generation": "reply", "slow_body": "reply", "redirect": "model",
	}
	for _, name := range fakellm.Faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, o := fake(t, "answers: ['{\"category\":\"billing\"}']\nfaults:\n  - calls: 1..3\n    reply: "+name+"\n")
				o.Timeout = 10 * time.Second
				r, err := client(t, o).Complete(context.Background(), request())
				got := "reply"
				var failed *llm.Error
				switch {
				case errors.As(err, &failed):
					got = string(failed.Kind)
				case err == nil && server.Calls() == 4 && r.Text == `{"category":"billing"}`:
					got = again
				}
				expected, ok := want[name]
				if !ok {
					expected = again
				}
				if got != expected {
					t.Errorf("is %s after %d calls, want %s: %+v, %v", got, server.Calls(), expected, r, err)
				}
			})
		})
	}
}
