package llm_test

import (
	"encoding/json"
)

func openAIError(message, param, code string) string {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": param, "code": code}})
	return string(b)
}

// refusal is a refusal as an endpoint words it, and what must be asked for next.
type refusal struct {
	body  string
	field string            // a member of the request: it is refused as long as it is there
	value string            // and has this value, if not empty
	want  map[string]string // members of the last request
	note  string
}

var refusals = map[string]refusal{
	"OpenAI temperature, lesson E75": {
		body:  openAIError("Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value"),
		field: "temperature", want: map[string]string{"temperature": "absent", "seed": "7"}, note: "temperature was not applied: the endpoint refuses it",
	},
	"kimi temperature, lesson E75": {
		body:  `{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}`,
		field: "temperature", want: map[string]string{"temperature": "absent"}, note: "temperature was not applied: the endpoint refuses it",
	},
	"Anthropic temperature": {
		body:  "{\"error\":{\"message\":\"`temperature` may only be set to 1 when thinking is enabled\",\"type\":\"invalid_request_error\"}}",
		field: "temperature", want: map[string]string{"temperature": "absent"}, note: "temperature was not applied: the endpoint refuses it",
	},
	"Anthropic temperature deprecated": {
		body:  "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"temperature: `temperature` is deprecated for this model.\"}}",
		field: "temperature", want: map[string]string{"temperature": "absent"}, note: "temperature was not applied: the endpoint refuses it",
	},
	"OpenAI max_tokens, lesson E74": {
		body:  openAIError("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter"),
		field: "max_tokens", want: map[string]string{"max_tokens": "absent", "max_completion_tokens": "256"}, note: "max_tokens was sent as max_completion_tokens: the endpoint refuses max_tokens",
	},
	"Gemini array, lesson E84": {
		body:  "[{\"error\":{\"code\":400,\"message\":\"Invalid JSON payload received. Unknown name \\\"seed\\\": Cannot find field.\",\"status\":\"INVALID_ARGUMENT\"}}]",
		field: "seed", want: map[string]string{"seed": "absent", "temperature": "0"}, note: "seed was not applied: the endpoint refuses it",
	},
	"FastAPI detail list": {
		body:  `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":7}]}`,
		field: "seed", want: map[string]string{"seed": "absent"}, note: "seed was not applied: the endpoint refuses it",
	},
	"vLLM flat error": {
		body:  `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'Extra inputs are not permitted', 'input': 'low'}]","type":"BadRequestError","param":null,"code":400}`,
		field: "reasoning_effort", want: map[string]string{"reasoning_effort": "absent"}, note: "reasoning_effort was not applied: the endpoint refuses it",
	},
	"OpenAI unrecognized argument": {
		body:  openAIError("Unrecognized request argument supplied: reasoning_effort", "", ""),
		field: "reasoning_effort", want: map[string]string{"reasoning_effort": "absent"}, note: "reasoning_effort was not applied: the endpoint refuses it",
	},
	"Ollama thinking": {
		body:  `{"error":{"message":"\"qwen2.5:0.5b\" does not support thinking","type":"invalid_request_error","param":null,"code":null}}`,
		field: "reasoning_effort", want: map[string]string{"reasoning_effort": "absent"}, note: "reasoning_effort was not applied: the endpoint refuses it",
	},
	"Groq json_schema, lesson E90": {
		body:  "{\"error\":{\"message\":\"This model does not support response format `json_schema`. See supported models at https://example.test\",\"type\":\"invalid_request_error\",\"param\":\"response_format\"}}",
		field: "response_format", value: "json_schema", want: map[string]string{"response_format": `{"type":"json_object"}`},
		note: "response format json_object was asked for: the endpoint refuses json_schema",
	},
	"LM Studio refuses every format, lesson E91": {
		body:  `{"error":"'response_format.type' must be 'text'"}`,
		field: "response_format", want: map[string]string{"response_format": "absent"},
		note: "response format json_object was asked for: the endpoint refuses json_schema\nresponse format text was asked for: the endpoint refuses json_object",
	},
	"Gemma system role": {
		body:  `[{"error":{"code":400,"message":"Developer instruction is not enabled for models/gemma-3-4b-it","status":"INVALID_ARGUMENT"}}]`,
		field: "messages", value: `"system"`,
		want: map[string]string{"messages": `[{"role":"user","content":"You sort tickets.\n\na ticket"}]`},
		note: "the system message was put in front of the first user message: the endpoint refuses the system role",
	},
	"OpenAI o1 system role": {
		body:  openAIError("Unsupported value: 'messages[0].role' does not support 'system' with this model.", "messages[0].role", "unsupported_value"),
		field: "messages", value: `"system"`,
		want: map[string]string{"messages": `[{"role":"user","content":"You sort tickets.\n\na ticket"}]`},
		note: "the system message was put in front of the first user message: the endpoint refuses the system role",
	},
	"chat template wants turns": {
		body:  `{"object":"error","message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError","param":null,"code":400}`,
		field: "messages", value: `"system"`,
		want: map[string]string{"messages": `[{"role":"user","content":"You sort tickets.\n\na ticket"}]`},
		note: "the system message was put in front of the first user message: the endpoint refuses the system role",
	},
}
