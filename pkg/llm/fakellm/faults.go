package fakellm

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// answer is what goes out: a whole HTTP answer.
type answer struct {
	status  int
	headers [][2]string
	body    string
	how     delivery
}

// delivery is what happens to an answer on its way.
type delivery int

const (
	whole delivery = iota
	cut            // the body ends before its length
	hang           // nothing ever comes
	reset          // the connection is reset
	slow           // the body comes in pieces
)

const (
	jsonType = "application/json"
	htmlType = "text/html"
	textType = "text/plain; charset=utf-8"
)

// oops gives an error in the form of OpenAI. Code and param are JSON.
func oops(status int, message, kind, param, code string) answer {
	return answer{status: status, body: fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":%s,"code":%s}}`, quoted(message), quoted(kind), param, code)}
}

func header(a answer, name, value string) answer {
	a.headers = append(a.headers, [2]string{name, value})
	return a
}

func page(status int, title, server string) answer {
	return header(answer{status: status, body: "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title +
		"</h1></center>\r\n<hr><center>" + server + "</center>\r\n</body>\r\n</html>\r\n"}, "Content-Type", htmlType)
}

// scene is what the replies of faults are made from.
type scene struct {
	model, path string
	code        int    // inner code of errors in a 200, or 0
	right       string // body of the answer that would have been given
}

func (s scene) innerCode(otherwise int) int {
	if s.code != 0 {
		return s.code
	}
	return otherwise
}

// Faults lists the named replies of fault rules, sorted.
func Faults() []string { return slices.Sorted(maps.Keys(faults())) }

// faults are the named replies.
func faults() map[string]func(scene) answer {
	out := map[string]func(scene) answer{}
	maps.Copy(out, finalFaults())
	maps.Copy(out, passingFaults())
	maps.Copy(out, oddFaults())
	maps.Copy(out, brokenFaults())
	return out
}

// finalFaults are refusals that a second try does not change.
func finalFaults() map[string]func(scene) answer {
	return map[string]func(scene) answer{
		"400": func(scene) answer {
			return oops(400, "Invalid 'messages': the request could not be processed.", invalid, `"messages"`, "null")
		},
		"400_context": func(scene) answer {
			return oops(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9173 tokens. Please reduce the length of the messages.",
				invalid, `"messages"`, `"context_length_exceeded"`)
		},
		"400_context_llamacpp": func(scene) answer {
			return answer{status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9173,"n_ctx":4096}}`}
		},
		"401": func(scene) answer { return wrongKey() },
		"402": func(scene) answer {
			return answer{status: 402, body: `{"error":{"code":402,"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits"}}`}
		},
		"403": func(s scene) answer {
			return oops(403, "Project `proj_fake` does not have access to model `"+s.model+"`", invalid, "null", `"model_not_found"`)
		},
		"404_model": func(s scene) answer { return noModel(s.model) },
		"404_string": func(s scene) answer {
			return answer{status: 404, body: `{"error":` + quoted("model '"+s.model+"' not found") + `}`}
		},
		"404_path": func(scene) answer {
			return header(answer{status: 404, body: "404 page not found\n"}, "Content-Type", textType)
		},
		"413_html":  func(scene) answer { return page(413, "413 Request Entity Too Large", "nginx/1.27.0") },
		"422":       func(scene) answer { return extraInput("foo", "1") },
		"429_quota": func(scene) answer { return oops(429, quotaText, "insufficient_quota", "null", `"insufficient_quota"`) },
		"429_quota_day": func(scene) answer {
			return answer{status: 429, body: `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 50","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"50"}]}]}}]`}
		},
		"azure_filter": func(scene) answer {
			return answer{status: 400, body: `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"detected":true,"filtered":true},"violence":{"filtered":false,"severity":"safe"}}}}}`}
		},
		"flat_error": func(scene) answer {
			return answer{status: 400, body: `{"object":"error","message":"the request cannot be served as it is","type":"BadRequestError","param":null,"code":400}`}
		},
		"groq_failed_generation": func(scene) answer {
			return answer{status: 400, body: `{"error":{"message":"Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"I think that this is"}}`}
		},
	}
}

// passingFaults are those that a later try may not meet.
func passingFaults() map[string]func(scene) answer {
	limited := oops(429, "Rate limit reached for requests: Limit 3 / min, Used 3, Requested 1. Please try again later.", "requests", "null", `"rate_limit_exceeded"`)
	return map[string]func(scene) answer{
		"408": func(scene) answer { return oops(408, "Request timed out.", "timeout", "null", "null") },
		"409": func(scene) answer {
			return oops(409, "The resource is locked by another request.", "conflict", "null", "null")
		},
		"429":             func(scene) answer { return limited },
		"429_retry_after": func(scene) answer { return header(limited, "Retry-After", "2") },
		"429_retry_after_ms": func(scene) answer {
			return header(header(limited, "Retry-After", "1"), "Retry-After-Ms", "250")
		},
		"429_html": func(scene) answer { return page(429, "429 Too Many Requests", "nginx") },
		"500": func(scene) answer {
			return oops(500, "The server had an error while processing your request. Sorry about that!", "server_error", "null", "null")
		},
		"502_html": func(scene) answer { return page(502, "502 Bad Gateway", "nginx/1.27.0") },
		"503_loading": func(scene) answer {
			return answer{status: 503, body: `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`}
		},
		"504_html": func(scene) answer { return page(504, "504 Gateway Time-out", "nginx/1.27.0") },
		"529_overloaded": func(scene) answer {
			return answer{status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}
		},
		"array_error": func(scene) answer {
			return answer{status: 503, body: `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`}
		},
		"detail": func(scene) answer { return answer{status: 500, body: `{"detail":"the worker is gone"}`} },
	}
}

// oddFaults say that all is well, and it is not.
func oddFaults() map[string]func(scene) answer {
	completion := func(s scene, choices string) answer {
		return answer{status: 200, body: `{"id":"chatcmpl-fake","object":"chat.completion","created":1735689600,"model":` + quoted(s.model) + `,"choices":` + choices + `}`}
	}
	return map[string]func(scene) answer{
		"200_error": func(s scene) answer {
			return answer{status: 200, body: fmt.Sprintf(`{"id":"gen-fake","error":{"code":%d,"message":"Provider returned error","metadata":{"provider_name":"Fake","raw":"upstream"}},"user_id":"user_fake"}`, s.innerCode(502))}
		},
		"200_error_string": func(scene) answer { return answer{status: 200, body: `{"error":"the model has crashed"}`} },
		"choices_null":     func(s scene) answer { return completion(s, "null") },
		"choices_empty":    func(s scene) answer { return completion(s, "[]") },
		"choice_error": func(s scene) answer {
			return completion(s, fmt.Sprintf(`[{"index":0,"error":{"code":%d,"message":"Upstream error from Fake"},"finish_reason":"error","native_finish_reason":"error","message":{"role":"assistant","content":""}}]`, s.innerCode(502)))
		},
		"html": func(scene) answer {
			return header(answer{status: 200, body: "<!doctype html>\n<html><head><title>Sign in</title></head><body><form action=\"/login\"></form></body></html>\n"}, "Content-Type", htmlType)
		},
		"not_json": func(scene) answer {
			return header(answer{status: 200, body: "upstream connect error or disconnect/reset before headers"}, "Content-Type", textType)
		},
		"empty_body": func(scene) answer { return answer{status: 200} },
	}
}

// brokenFaults break what carries the answer.
func brokenFaults() map[string]func(scene) answer {
	return map[string]func(scene) answer{
		"cut_body":  func(s scene) answer { return answer{status: 200, body: s.right, how: cut} },
		"slow_body": func(s scene) answer { return answer{status: 200, body: s.right, how: slow} },
		"hang":      func(scene) answer { return answer{how: hang} },
		"reset":     func(scene) answer { return answer{how: reset} },
		"redirect": func(s scene) answer {
			return header(answer{status: 301}, "Location", strings.TrimSuffix(s.path, "/")+"/")
		},
	}
}

// play makes the reply of a fault.
func (f *fault) play(s scene, nowPlus func() string) answer {
	a := answer{status: f.status}
	if f.reply != "" {
		a = faults()[f.reply](s)
		if f.status != 0 {
			a.status = f.status
		}
	}
	if f.body != nil {
		a.body = *f.body
	}
	if f.location != "" {
		a.set("Location", f.location)
	}
	if f.retry != "" {
		a.set("Retry-After", f.retry)
	}
	if f.retryDate > 0 {
		a.set("Retry-After", nowPlus())
	}
	for _, name := range slices.Sorted(maps.Keys(f.headers)) {
		a.set(http.CanonicalHeaderKey(name), f.headers.Get(name))
	}
	return a
}

func (a *answer) set(name, value string) {
	a.headers = slices.DeleteFunc(slices.Clone(a.headers), func(h [2]string) bool { return h[0] == name })
	a.headers = append(a.headers, [2]string{name, value})
}
