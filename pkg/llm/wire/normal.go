package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// answer is an answer in the form that the client library reads.
type answer struct {
	status   int
	body     []byte
	complete bool // a success with a choice and a reason why it ended
}

// Normalise brings the answer to a chat completion into the form that go-openai reads, whatever an endpoint makes of it.
//
// A success has status 200 and at least one choice. Its body is the same bytes where they will do; else it has what the
// library knows, with the types that it wants: content parts joined to text, thinking parts and `reasoning` in
// reasoning_content, arguments as strings, whole numbers as such, no usage member that the endpoint did not tell.
//
// All else is a failure: `{"error":{"message","type","code","param"}}` (code a string, param null where unknown) with a
// status from 400 to 599. The status of the server stays where it is one of these. A 200 that holds an error gets the
// error's own code, or 502; so do choices that are missing or end in an error. A redirect gives 404. Types of our own, where
// the endpoint gives none: html, text, empty, not_json, no_choices, stream, redirect, choice_error. What stands beside the
// message and is needed to judge it is added to it: failed_generation (Groq), the provider's own text (OpenRouter), the
// quota that is used up (Gemini).
func Normalise(status int, contentType string, body []byte) (int, []byte) {
	a := normalise(status, contentType, body, true)
	return a.status, a.body
}

// normalise is Normalise; where chat is false, a success need have no choices and keeps its bytes.
func normalise(status int, contentType string, body []byte, chat bool) answer {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if status/100 != 2 {
		return failed(status, contentType, body)
	}
	valid := json.Valid(body)
	if chat && valid {
		if finish, ok := plain(body); ok {
			return answer{status: http.StatusOK, body: body, complete: ended(finish)}
		}
	}
	var top map[string]json.RawMessage
	if valid {
		top = members(body)
	}
	if top == nil || filled(top["error"]) {
		if !chat && top == nil && valid {
			return answer{status: http.StatusOK, body: body}
		}
		return failed(status, contentType, body)
	}
	if !chat {
		return answer{status: http.StatusOK, body: body}
	}
	reply, ok := readReply(top)
	if !ok {
		return failed(status, contentType, body)
	}
	for i := range reply.Choices {
		if c := &reply.Choices[i]; filled(c.failure) || c.FinishReason == "error" {
			return choiceFailed(c.failure)
		}
	}
	return answer{status: http.StatusOK, body: encode(reply), complete: ended(reply.Choices[0].FinishReason)}
}

// ended tells whether a finish_reason says that the answer is all there is.
func ended(finish string) bool { return finish != "" && finish != "error" && finish != "null" }

// kind is what a member must be so that the client library reads it as it stands.
type kind uint8

const (
	free   kind = iota // the library does not know it: it may be anything
	word               // a string or null
	count              // a whole number
	null               // null only
	nested             // an object or array that is looked at by itself
	odd                // the library reads it in a way of its own: not plain
)

// The members that the client library knows. It does not tell upper from lower case, so only names in lower case are plain.
func topKind(name []byte) kind {
	switch string(name) {
	case "id", "object", "model", "system_fingerprint", "service_tier":
		return word
	case "created":
		return count
	case "choices", "usage":
		return nested
	case "prompt_filter_results":
		return null
	case "error", "detail":
		return null
	}
	return free
}

func choiceKind(name []byte) kind {
	switch string(name) {
	case "index":
		return count
	case "finish_reason":
		return word
	case "message":
		return nested
	case "logprobs", "content_filter_results", "error":
		return null
	}
	return free
}

func messageKind(name []byte) kind {
	switch string(name) {
	case "role", "content", "refusal", "reasoning_content":
		return word
	case "reasoning", "reasoning_details", "thinking", "tool_calls", "function_call", "name", "tool_call_id":
		return null
	case "multicontent":
		return odd
	}
	return free
}

func usageKind(name []byte) kind {
	switch string(name) {
	case "prompt_tokens", "completion_tokens", "total_tokens":
		return count
	case "prompt_tokens_details", "completion_tokens_details":
		return nested
	}
	return free
}

func detailsKind(name []byte) kind {
	switch string(name) {
	case "cached_tokens", "audio_tokens", "reasoning_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens":
		return count
	}
	return free
}

// plain tells whether the client library reads a success as it stands, and gives the finish_reason of the first choice. The
// body is valid JSON.
func plain(body []byte) (finish string, ok bool) {
	choices := 0
	ok = fits(body, topKind, func(name, value []byte) bool {
		switch {
		case string(name) == "usage":
			return string(value) == "null" || fits(value, usageKind, func(_, v []byte) bool {
				return string(v) == "null" || fits(v, detailsKind, nil)
			})
		case value[0] != '[':
			return false
		}
		c, _ := array(value)
		for {
			v, more := c.element()
			if !more {
				return choices > 0
			}
			f, good := plainChoice(v)
			if !good {
				return false
			}
			if choices == 0 {
				finish = f
			}
			choices++
		}
	})
	return finish, ok && choices > 0
}

func plainChoice(choice []byte) (finish string, ok bool) {
	spoke := false
	ok = fits(choice, choiceKind, func(_, message []byte) bool {
		spoke = true
		return fits(message, messageKind, nil)
	})
	if !ok || !spoke {
		return "", false
	}
	c, _ := object(choice)
	for {
		name, value, more := c.member()
		if !more {
			return finish, finish != "error"
		}
		if string(name) == `"finish_reason"` && value[0] == '"' {
			finish = nameOf(value)
		}
	}
}

// fits tells whether b is an object of which every member is of its kind, with no known member twice. Nested ones are
// handed to inner.
func fits(b []byte, kindOf func([]byte) kind, inner func(name, value []byte) bool) bool {
	c, ok := object(b)
	if !ok {
		return false
	}
	var known [12][]byte
	n := 0
	for {
		quoted, value, more := c.member()
		if !more {
			return c.whole()
		}
		name := quoted[1 : len(quoted)-1]
		if !lower(name) {
			return false
		}
		k := kindOf(name)
		if k == free {
			continue
		}
		for _, seen := range known[:n] {
			if bytes.Equal(seen, name) {
				return false
			}
		}
		if n == len(known) {
			return false
		}
		known[n] = name
		n++
		if !is(value, k) && (k != nested || inner == nil || !inner(name, value)) {
			return false
		}
	}
}

func is(value []byte, k kind) bool {
	switch k {
	case word:
		return value[0] == '"' || value[0] == 'n'
	case count:
		return value[0] == 'n' || isWhole(value)
	case null:
		return value[0] == 'n'
	}
	return false
}

func isWhole(v []byte) bool {
	if len(v) > 15 {
		return false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func lower(name []byte) bool {
	for _, c := range name {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
