package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// reply is a success as it is written for the client library.
type reply struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	Created           int64          `json:"created"`
	Model             string         `json:"model"`
	Choices           []choice       `json:"choices"`
	Usage             map[string]any `json:"usage"`
	SystemFingerprint string         `json:"system_fingerprint"`
	ServiceTier       string         `json:"service_tier,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
	failure      json.RawMessage
}

type message struct {
	Role             string    `json:"role"`
	Content          string    `json:"content"`
	Refusal          string    `json:"refusal,omitempty"`
	ReasoningContent string    `json:"reasoning_content,omitempty"`
	FunctionCall     *function `json:"function_call,omitempty"`
	ToolCalls        []tool    `json:"tool_calls,omitempty"`
}

type tool struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// readReply reads a success of any make; false where it has no choice with a message.
func readReply(top map[string]json.RawMessage) (*reply, bool) {
	r := &reply{
		ID: textOf(top["id"]), Object: textOf(top["object"]), Model: textOf(top["model"]),
		SystemFingerprint: textOf(top["system_fingerprint"]), ServiceTier: textOf(top["service_tier"]),
		Usage: writeUsage(members(top["usage"])),
	}
	r.Created, _ = whole(top["created"])
	for i, raw := range elements(top["choices"]) {
		c, ok := readChoice(raw, i)
		if !ok {
			return nil, false
		}
		r.Choices = append(r.Choices, c)
	}
	return r, len(r.Choices) > 0
}

func readChoice(raw json.RawMessage, i int) (choice, bool) {
	m := members(raw)
	if m == nil {
		return choice{}, false
	}
	c := choice{Index: i, failure: m["error"]}
	if n, ok := whole(m["index"]); ok && n >= 0 && n < 1<<31 {
		c.Index = int(n)
	}
	if s, ok := asString(m["finish_reason"]); ok {
		c.FinishReason = s
	}
	said := members(m["message"])
	switch {
	case said != nil:
		c.Message = readMessage(said)
	case filled(m["text"]):
		// As the older completions have it.
		c.Message = message{Role: "assistant", Content: textOf(m["text"])}
	default:
		return c, filled(c.failure) || c.FinishReason == "error"
	}
	return c, true
}

func readMessage(m map[string]json.RawMessage) message {
	out := message{Role: textOf(m["role"])}
	if out.Role == "" {
		out.Role = "assistant"
	}
	var thought, refused string
	out.Content, thought, refused = readContent(m["content"])
	if out.Refusal = textOf(m["refusal"]); out.Refusal == "" {
		out.Refusal = refused
	}
	for _, name := range []string{"reasoning_content", "reasoning", "thinking", "reasoning_details"} {
		if out.ReasoningContent = partsText(m[name]); out.ReasoningContent != "" {
			break
		}
	}
	out.ReasoningContent = joinLines(out.ReasoningContent, thought)
	if filled(m["function_call"]) {
		f := readFunction(m["function_call"])
		out.FunctionCall = &f
	}
	calls := elements(m["tool_calls"])
	if calls == nil && members(m["tool_calls"]) != nil {
		calls = []json.RawMessage{m["tool_calls"]}
	}
	for _, raw := range calls {
		if t, ok := readTool(raw); ok {
			out.ToolCalls = append(out.ToolCalls, t)
		}
	}
	return out
}

// readContent gives the text of a content, what was thought in it, and a refusal in it. What is no text and holds no part is
// the answer itself that was not put into a string: its text is its JSON.
func readContent(raw json.RawMessage) (text, thought, refused string) {
	list := elements(raw)
	if list == nil {
		list = []json.RawMessage{raw}
	} else if len(list) == 0 {
		return "", "", ""
	}
	var said, mind, no strings.Builder
	parts := 0
	for _, p := range list {
		if s, ok := asString(p); ok {
			said.WriteString(s)
			parts++
			continue
		}
		m := members(p)
		switch kind, typed := asString(m["type"]); {
		case kind == "thinking" || kind == "reasoning" || kind == "redacted_thinking":
			mind.WriteString(partText(m, 4))
		case kind == "refusal":
			no.WriteString(textOf(m["refusal"]))
		case kind == "text" || kind == "output_text" || len(m) == 1 && filled(m["text"]):
			said.WriteString(partText(m, 4))
		case typed:
			continue // a part that holds no text, such as an image
		default:
			return textOf(raw), "", ""
		}
		parts++
	}
	if parts == 0 {
		return textOf(raw), "", ""
	}
	return said.String(), mind.String(), no.String()
}

// partsText gives the text of a string, of a part, or of a list of such.
func partsText(raw json.RawMessage) string { return partsTextTo(raw, 4) }

func partsTextTo(raw json.RawMessage, depth int) string {
	if s, ok := asString(raw); ok {
		return s
	}
	if depth == 0 {
		return ""
	}
	if m := members(raw); m != nil {
		return partText(m, depth-1)
	}
	var out strings.Builder
	for _, e := range elements(raw) {
		out.WriteString(partsTextTo(e, depth-1))
	}
	return out.String()
}

// partText gives the text of a part.
func partText(m map[string]json.RawMessage, depth int) string {
	for _, name := range [...]string{"text", "thinking", "reasoning", "content", "summary"} {
		if s := partsTextTo(m[name], depth); s != "" {
			return s
		}
	}
	return ""
}

func readTool(raw json.RawMessage) (tool, bool) {
	m := members(raw)
	if m == nil {
		return tool{}, false
	}
	t := tool{ID: textOf(m["id"]), Type: textOf(m["type"]), Function: readFunction(m["function"])}
	if t.Type == "" {
		t.Type = "function"
	}
	if members(m["function"]) == nil {
		t.Function = readFunction(raw)
	}
	return t, true
}

func readFunction(raw json.RawMessage) function {
	m := members(raw)
	return function{Name: textOf(m["name"]), Arguments: textOf(m["arguments"])}
}

// writeUsage gives a usage with the members that the client library and [ParseUsage] read, and only those that are known.
func writeUsage(m map[string]json.RawMessage) map[string]any {
	if m == nil {
		return nil
	}
	c := readUsage(m)
	out := map[string]any{}
	put(out, "prompt_tokens", c.in)
	put(out, "completion_tokens", c.out)
	put(out, "total_tokens", c.total)
	if c.cached.Known {
		out["prompt_tokens_details"] = map[string]int64{"cached_tokens": c.cached.N}
	}
	if c.reasoning.Known {
		out["completion_tokens_details"] = map[string]int64{"reasoning_tokens": c.reasoning.N}
	}
	return out
}

func put(m map[string]any, name string, c Count) {
	if c.Known {
		m[name] = c.N
	}
}

// asString decodes a JSON string.
func asString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// textOf gives a string's text, nothing for null, and any other value as JSON without spaces.
func textOf(raw json.RawMessage) string {
	if s, ok := asString(raw); ok {
		return s
	}
	var out bytes.Buffer
	if len(raw) == 0 || string(raw) == "null" || json.Compact(&out, raw) != nil {
		return ""
	}
	return out.String()
}

// maxElements is how many elements of an array are looked at: no answer has more choices, parts or calls.
const maxElements = 10_000

// elements gives the elements of an array in valid JSON; nil where it is none, or holds more than maxElements.
func elements(raw json.RawMessage) []json.RawMessage {
	c, ok := array(raw)
	if !ok {
		return nil
	}
	list := []json.RawMessage{}
	for {
		v, ok := c.element()
		switch {
		case !ok:
			return list
		case len(list) == maxElements:
			return nil
		}
		list = append(list, v)
	}
}

// joinLines joins what is not empty with a line end.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
