package wire

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Count is a number that the endpoint may not have told.
type Count struct {
	N     int64
	Known bool
}

// Usage are the tokens of one answer as the endpoint tells them. Cached are part of In, Reasoning of Out.
type Usage struct{ In, Out, Cached, Reasoning Count }

// ParseUsage reads the usage of an answer as [Normalise] gives it. What is missing, null or no count is not known. Zeros
// that cannot be are not known either: no prompt is empty, and an answer with a text has tokens; where both are such zeros
// the whole usage is taken for made up. Where the total says that reasoning stands beside the output (xAI, Gemini), it is
// added to it.
func ParseUsage(normal []byte) Usage {
	top := members(normal)
	usage := members(top["usage"])
	if usage == nil {
		return Usage{}
	}
	spoke := false
	for _, c := range elements(top["choices"]) {
		m := members(members(c)["message"])
		for _, name := range []string{"content", "refusal", "reasoning_content", "tool_calls", "function_call"} {
			spoke = spoke || filled(m[name])
		}
	}
	return believed(readUsage(usage), spoke)
}

// counts is a usage as it stands in the answer.
type counts struct{ in, out, total, cached, reasoning Count }

func readUsage(m map[string]json.RawMessage) counts {
	in, out := members(m["prompt_tokens_details"]), members(m["completion_tokens_details"])
	if in == nil {
		in = members(m["input_tokens_details"])
	}
	if out == nil {
		out = members(m["output_tokens_details"])
	}
	return counts{
		in:        first(m["prompt_tokens"], m["input_tokens"]),
		out:       first(m["completion_tokens"], m["output_tokens"]),
		total:     first(m["total_tokens"]),
		cached:    first(in["cached_tokens"], m["prompt_cache_hit_tokens"], m["cached_tokens"]),
		reasoning: first(out["reasoning_tokens"], m["reasoning_tokens"]),
	}
}

func believed(c counts, spoke bool) Usage {
	noIn := c.in.N == 0 && (spoke || c.out.N > 0)
	noOut := c.out.N == 0 && spoke
	if noIn && noOut {
		return Usage{}
	}
	if noIn {
		c.in, c.cached = Count{}, Count{}
	}
	if noOut {
		c.out, c.reasoning = Count{}, Count{}
	}
	if c.in.Known && c.out.Known && c.total.Known && c.total.N > c.in.N+c.out.N {
		beside := c.total.N - c.in.N - c.out.N
		if !c.reasoning.Known || c.reasoning.N == beside {
			c.out.N += beside
			c.reasoning = Count{N: beside, Known: true}
		}
	}
	if c.in.Known && c.cached.N > c.in.N {
		c.cached = Count{}
	}
	if c.out.Known && c.reasoning.N > c.out.N {
		c.reasoning = Count{}
	}
	return Usage{In: c.in, Out: c.out, Cached: c.cached, Reasoning: c.reasoning}
}

// mostTokens is the most that one answer is believed to have: what is above is no count, and would make sums overflow.
const mostTokens = 1_000_000_000

// first gives the first of the values that is a count.
func first(raws ...json.RawMessage) Count {
	for _, raw := range raws {
		if n, ok := whole(raw); ok && n >= 0 && n <= mostTokens {
			return Count{N: n, Known: true}
		}
	}
	return Count{}
}

// whole reads a number that stands for a whole one: 3, 3.0, 3e0, "3".
func whole(raw json.RawMessage) (int64, bool) {
	s := strings.Trim(strings.TrimSpace(string(raw)), `"`)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1e15 {
		return 0, false
	}
	return int64(math.Round(f)), true
}

// members gives the members of an object, the last one of each name; nil where raw is no object.
func members(raw json.RawMessage) map[string]json.RawMessage {
	c, ok := object(raw)
	if !ok {
		return nil
	}
	m := map[string]json.RawMessage{}
	for {
		quoted, value, ok := c.member()
		if !ok {
			break
		}
		m[nameOf(quoted)] = value
	}
	if !c.whole() {
		return nil
	}
	return m
}

// filled tells whether a value says anything: it is not null, false, "", {} or [].
func filled(raw json.RawMessage) bool {
	switch strings.TrimSpace(string(raw)) {
	case "", "null", "false", `""`, "{}", "[]":
		return false
	}
	return true
}
