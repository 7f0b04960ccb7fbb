package fakellm_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestEachQuirkRefusesWhatItIsNamedFor(t *testing.T) {
	t.Parallel()
	schemaOf := func(s string) string {
		return `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":` + s + `}}`
	}
	object, text := `"response_format":{"type":"json_object"}`, `"response_format":{"type":"text"}`
	tool := `"tools":[{"type":"function","function":{"name":"triage","parameters":` + schema + `}}]`
	plain := chat("json please", `"top_p":1`)
	system := `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"a"}]}`
	loose := strings.Replace(schema, `,"additionalProperties":false`, "", 1)
	optional := strings.Replace(schema, `"required":["category","urgency_days"]`, `"required":["category"]`, 1)
	for _, tt := range []struct{ quirk, refused, passes, want string }{
		{"refuse_temperature", chat("a", `"temperature":0`), chat("a", `"temperature":1`), `"param":"temperature","code":"unsupported_value"`},
		{"refuse_temperature_kimi", chat("a", `"temperature":0.2`), plain, "invalid temperature: only 1 is allowed"},
		{"refuse_temperature_parameter", chat("a", `"temperature":1`), plain, `"code":"unsupported_parameter"`},
		{"refuse_max_tokens", chat("a", `"max_tokens":9`), chat("a", `"max_completion_tokens":99`), "Use 'max_completion_tokens' instead."},
		{"refuse_max_completion_tokens", chat("a", `"max_completion_tokens":9`), chat("a", `"max_tokens":99`), `"loc":["body","max_completion_tokens"]`},
		{"refuse_seed", chat("a", `"seed":1`), plain, `"Extra inputs are not permitted","input":1`},
		{"refuse_seed_gemini_array", chat("a", `"seed":1`), plain, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"seed\"`},
		{"refuse_reasoning_effort", chat("a", `"reasoning_effort":"low"`), plain, `"param":"reasoning_effort"`},
		{"refuse_reasoning_effort_unrecognized", chat("a", `"reasoning_effort":"low"`), plain, "Unrecognized request argument supplied: reasoning_effort"},
		{"refuse_reasoning_effort_ollama", chat("a", `"reasoning_effort":"low"`), plain, "does not support thinking"},
		{"refuse_stop", chat("a", `"stop":["x"]`), plain, `"param":"stop"`},
		{"refuse_unknown", chat("a", `"top_k":1`), plain, "Unrecognized request argument supplied: top_k"},
		{"refuse_system", system, plain, "System role not supported"},
		{"refuse_empty_content", `{"model":"m","messages":[{"role":"user"}]}`, chat(""), "expected a string, got null"},
		{"refuse_json_schema", chat("a", schemaOf(schema)), chat("a", object), "'response_format' of type 'json_schema' is not supported"},
		{"refuse_json_object", chat("a", object), chat("a", schemaOf(schema)), "'response_format' of type 'json_object' is not supported"},
		{"refuse_json_schema_llamacpp", chat("a", schemaOf(schema)), chat("a", object), "but got: json_schema"},
		{"refuse_json_schema_gemini", chat("a", schemaOf(schema)), chat("a", object), `[{"error":`},
		{"refuse_json_object_lmstudio", chat("a", object), chat("a", schemaOf(schema)), `{"error":"'response_format.type' must be 'json_schema'"}`},
		{"refuse_text_lmstudio", chat("a", text), plain, `{"error":"'response_format.type' must be 'json_schema'"}`},
		{"refuse_response_format", chat("a", object), chat("a", tool), `"loc":["body","response_format"]`},
		{"refuse_tools", chat("a", tool), chat("a", object), "does not support tools"},
		{"refuse_tools_vllm", chat("a", tool), chat("a", object), `{"object":"error","message":"\"auto\" tool choice requires`},
		{"refuse_tool_choice_object", chat("a", tool, `"tool_choice":{"type":"function","function":{"name":"triage"}}`), chat("a", tool, `"tool_choice":"required"`), "Supported string values"},
		{"need_json_word", chat("a", object), chat("as JSON", object), "must contain the word 'json'"},
		{"strict_schema", chat("a", schemaOf(loose)), chat("a", schemaOf(schema)), "'additionalProperties' is required"},
		{"strict_schema", chat("a", schemaOf(optional)), plain, "Missing 'urgency_days'"},
		{"strict_schema", chat("a", schemaOf(`{"type":"object","additionalProperties":false}`)), plain, "'properties' is missing"},
	} {
		s := server(t, "quirks: ["+tt.quirk+"]", fakellm.Options{})
		if r := post(t.Context(), s, tt.refused); r.status < 400 || !strings.Contains(r.body, tt.want) || !json.Valid([]byte(r.body)) {
			t.Errorf("%s: status %d, %s, want %s", tt.quirk, r.status, r.body, tt.want)
		}
		if r := post(t.Context(), s, tt.passes); r.status != http.StatusOK {
			t.Errorf("%s refuses %s: %s", tt.quirk, tt.passes, r.body)
		}
		if r := post(t.Context(), server(t, "", fakellm.Options{}), tt.refused); r.status != http.StatusOK {
			t.Errorf("without %s the server refuses %s: %s", tt.quirk, tt.refused, r.body)
		}
	}
}

func TestEveryQuirkIsTested(t *testing.T) {
	t.Parallel()
	var source []byte
	for _, name := range []string{"quirks_test.go", "behave_test.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, data...)
	}
	for _, q := range fakellm.Quirks() {
		if !bytes.Contains(source, []byte(q)) {
			t.Errorf("no test names the quirk %s", q)
		}
	}
}
