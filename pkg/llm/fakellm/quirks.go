package fakellm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	invalid   = "invalid_request_error"
	quotaText = "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)

func wrongKey() answer {
	return oops(401, "Incorrect API key provided: it is not the key of the script.", invalid, "null", `"invalid_api_key"`)
}

func noModel(model string) answer {
	return oops(404, "The model `"+model+"` does not exist or you do not have access to it.", invalid, "null", `"model_not_found"`)
}

// extraInput is how servers of pydantic refuse a field.
func extraInput(field, value string) answer {
	return answer{status: 422, body: fmt.Sprintf(`{"detail":[{"type":"extra_forbidden","loc":["body",%s],"msg":"Extra inputs are not permitted","input":%s}]}`, quoted(field), value)}
}

// noParameter is how OpenAI refuses a parameter for a model.
func noParameter(name, instead string) answer {
	text := "Unsupported parameter: '" + name + "' is not supported with this model."
	if instead != "" {
		text += " Use '" + instead + "' instead."
	}
	return oops(400, text, invalid, quoted(name), `"unsupported_parameter"`)
}

// unknownName is how Gemini refuses a field: the error is a list.
func unknownName(name string) answer {
	text := `Invalid JSON payload received. Unknown name \"` + name + `\": Cannot find field.`
	return answer{status: 400, body: `[{"error":{"code":400,"message":"` + text + `","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"description":"` + text + `"}]}]}}]`}
}

// refusal looks at a request and gives an answer of refusal, or false.
type refusal func(a *Ask) (answer, bool)

// behaviours are the quirks that change how a request is answered and refuse nothing.
func behaviours() []string {
	return []string{"enforce_response_format", "ignore_max_tokens", "ignore_response_format", "ignore_stop", "odd_created", "tools_in_text"}
}

// Quirks lists the quirks that a script can name, sorted.
func Quirks() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(refusals())), behaviours()...)))
}

// has makes a refusal of requests that have a member other than null.
func has(name string, reply func(value string) answer) refusal {
	return func(a *Ask) (answer, bool) {
		v := find(a.members, name)
		if v == nil || string(v) == "null" {
			return answer{}, false
		}
		return reply(string(v)), true
	}
}

// when makes a refusal of requests for which a condition holds.
func when(cond func(a *Ask) bool, reply func(a *Ask) answer) refusal {
	return func(a *Ask) (answer, bool) {
		if !cond(a) {
			return answer{}, false
		}
		return reply(a), true
	}
}

func plain(a answer) func(*Ask) answer { return func(*Ask) answer { return a } }

func format(names ...string) func(*Ask) bool {
	return func(a *Ask) bool { return a.Format != formatTools && slices.Contains(names, a.Format) }
}

func hotOrCold(a *Ask) bool { return a.Temperature != nil && *a.Temperature != 1 }

// refusals are the quirks that refuse.
func refusals() map[string]refusal {
	out := map[string]refusal{
		"refuse_temperature": when(hotOrCold, func(a *Ask) answer {
			return oops(400, fmt.Sprintf("Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *a.Temperature),
				invalid, `"temperature"`, `"unsupported_value"`)
		}),
		"refuse_temperature_kimi":      when(hotOrCold, plain(answer{status: 400, body: `{"error":{"message":"invalid temperature: only 1 is allowed for this model","type":"invalid_request_error"}}`})),
		"refuse_temperature_parameter": has("temperature", func(string) answer { return noParameter("temperature", "") }),
		"refuse_max_tokens":            has("max_tokens", func(string) answer { return noParameter("max_tokens", "max_completion_tokens") }),
		"refuse_max_completion_tokens": has("max_completion_tokens", func(v string) answer { return extraInput("max_completion_tokens", v) }),
		"refuse_seed":                  has("seed", func(v string) answer { return extraInput("seed", v) }),
		"refuse_seed_gemini_array":     has("seed", func(string) answer { return unknownName("seed") }),
		"refuse_reasoning_effort":      has("reasoning_effort", func(string) answer { return noParameter("reasoning_effort", "") }),
		"refuse_reasoning_effort_unrecognized": has("reasoning_effort", func(string) answer {
			return oops(400, "Unrecognized request argument supplied: reasoning_effort", invalid, "null", "null")
		}),
		"refuse_reasoning_effort_ollama": has("reasoning_effort", func(string) answer {
			return oops(400, `"fake-model" does not support thinking`, invalid, "null", "null")
		}),
		"refuse_stop": has("stop", func(string) answer { return noParameter("stop", "") }),
		"refuse_unknown": func(a *Ask) (answer, bool) {
			for _, m := range a.members {
				if !slices.Contains(knownMembers, m.name) {
					return oops(400, "Unrecognized request argument supplied: "+m.name, invalid, "null", "null"), true
				}
			}
			return answer{}, false
		},
		"refuse_system": when(func(a *Ask) bool {
			return slices.ContainsFunc(a.raw, func(m rawMessage) bool { return m.role == "system" || m.role == "developer" })
		}, plain(answer{status: 400, body: `{"error":{"message":"System role not supported","type":"BadRequestError","param":null,"code":400}}`})),
		"refuse_empty_content": func(a *Ask) (answer, bool) {
			for i, m := range a.raw {
				if m.content == nil || string(m.content) == "null" {
					return oops(400, "Invalid value for 'content': expected a string, got null.", invalid, fmt.Sprintf(`"messages.[%d].content"`, i), "null"), true
				}
			}
			return answer{}, false
		},
	}
	maps.Copy(out, formatRefusals())
	return out
}

// formatRefusals refuse how the form of the answer is asked for.
func formatRefusals() map[string]refusal {
	notWith := func(kind string) answer {
		return oops(400, "Invalid parameter: 'response_format' of type '"+kind+"' is not supported with this model. Learn more about supported models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs",
			invalid, "null", "null")
	}
	tools := func(a *Ask) bool { return a.Format == formatTools }
	return map[string]refusal{
		"refuse_json_schema": when(format(formatSchema), plain(notWith(formatSchema))),
		"refuse_json_object": when(format(formatObject), plain(notWith(formatObject))),
		"refuse_json_schema_llamacpp": when(format(formatSchema), plain(answer{status: 400,
			body: `{"error":{"code":400,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema","type":"invalid_request_error"}}`})),
		"refuse_json_object_lmstudio": when(format(formatObject), plain(answer{status: 400, body: `{"error":"'response_format.type' must be 'json_schema'"}`})),
		"refuse_text_lmstudio":        when(format("text"), plain(answer{status: 400, body: `{"error":"'response_format.type' must be 'json_schema'"}`})),
		"refuse_response_format":      has("response_format", func(v string) answer { return extraInput("response_format", v) }),
		"refuse_json_schema_gemini":   when(format(formatSchema), plain(unknownName("response_format.json_schema"))),
		"refuse_tools": when(tools, plain(answer{status: 400,
			body: `{"error":{"message":"registry.ollama.ai/library/fake-model:latest does not support tools","type":"api_error","param":null,"code":null}}`})),
		"refuse_tools_vllm": when(tools, plain(answer{status: 400,
			body: `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`})),
		"refuse_tool_choice_object": when(func(a *Ask) bool { return strings.HasPrefix(string(find(a.members, "tool_choice")), "{") },
			plain(answer{status: 400, body: `{"error":"Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}`})),
		"need_json_word": when(func(a *Ask) bool {
			a.readTexts()
			return a.Format == formatObject && !slices.ContainsFunc(a.Messages, func(m Message) bool { return strings.Contains(strings.ToLower(m.Text), "json") })
		}, plain(oops(400, "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", invalid, `"messages"`, "null"))),
		"strict_schema": func(a *Ask) (answer, bool) {
			problem := notStrict(a.Schema, "()")
			if a.Schema == nil || problem == "" {
				return answer{}, false
			}
			return oops(400, "Invalid schema for response_format: "+problem, invalid, `"response_format"`, "null"), true
		},
	}
}

// notStrict says why a schema is not one of strict mode: each object must refuse other properties and require its own.
func notStrict(schema []byte, where string) string {
	if unquote(get(schema, "type")) != "object" {
		return ""
	}
	if string(get(schema, "additionalProperties")) != "false" {
		return "In context=" + where + ", 'additionalProperties' is required to be supplied and to be false."
	}
	required := elementsOf(get(schema, "required"))
	properties, err := membersOf(get(schema, "properties"))
	if err != nil {
		return "In context=" + where + ", 'properties' is missing."
	}
	for _, p := range properties {
		if !slices.ContainsFunc(required, func(r []byte) bool { return unquote(r) == p.name }) {
			return "In context=" + where + ", 'required' is required to be supplied and to be an array including every key in properties. Missing '" + p.name + "'."
		}
		if problem := notStrict(p.value, "('properties', '"+p.name+"')"); problem != "" {
			return problem
		}
	}
	return ""
}

// knownMembers are those of a request that OpenAI's documentation names.
var knownMembers = strings.Fields(`model messages temperature top_p n stop seed max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias
	logprobs top_logprobs user response_format tools tool_choice parallel_tool_calls stream stream_options reasoning_effort metadata store service_tier modalities
	prediction audio verbosity web_search_options safety_identifier prompt_cache_key functions function_call`)
