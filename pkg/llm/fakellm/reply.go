package fakellm

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// complete makes the answer of the model.
func (c *call) complete() answer {
	text, known := c.text()
	sh := c.shape(text)
	c.record(func(e *Seen) { e.Known, e.Form = known, sh.form })
	buf := make([]byte, 0, 600+len(text)*2)
	if c.kit.bom {
		buf = append(buf, "\uFEFF"...)
	}
	buf = append(buf, `{"id":"chatcmpl-`...)
	buf = hex.AppendEncode(buf, c.key[:8])
	buf = append(buf, `","object":"chat.completion","created":`...)
	if c.kit.quirkHas["odd_created"] {
		buf = append(buf, `1735689600.5`...)
	} else {
		buf = append(buf, `1735689600`...)
	}
	buf = append(buf, `,"model":`...)
	buf = appendString(buf, c.ask.Model)
	buf = append(buf, `,"choices":[{"index":0,"message":{"role":"assistant",`...)
	buf = sh.message(buf, hex.EncodeToString(c.key[8:14]))
	buf = append(buf, `},"logprobs":null,"finish_reason":`...)
	buf = appendString(buf, sh.finish)
	buf = append(buf, `}]`...)
	buf = c.usage(buf, sh)
	if c.kit.fingerprint != "" {
		buf = append(buf, `,"system_fingerprint":`...)
		buf = appendString(buf, c.kit.fingerprint)
	}
	buf = append(buf, '}')
	return answer{status: http.StatusOK, body: string(buf)}
}

// text gives what the model has to say, before it takes a form.
func (c *call) text() (text string, known bool) {
	k := c.kit
	if k.answers != nil {
		text, known = k.answers[int(c.number-1)%len(k.answers)], true
	} else {
		c.ask.readTexts()
		if text, known = c.s.answer(*c.ask); !known {
			c.s.unknown.Add(1)
			return c.guess(), false
		}
	}
	return c.disturb(text), known
}

// guess is what is said where nothing is known: the script's fallback; without one an object of the schema, if the form of the
// answer is enforced.
func (c *call) guess() string {
	const noIdea = "I do not know this one."
	switch {
	case c.kit.hasFallback:
		return c.kit.fallback
	case c.kit.quirkHas["ignore_response_format"]:
		return noIdea
	case c.ask.Schema != nil:
		return string(c.fromSchema(c.ask.Schema, "", 0))
	case c.ask.Format == formatObject:
		return `{"answer":` + quoted(noIdea) + `}`
	}
	return noIdea
}

// tokens estimates how many tokens a text has: 4 bytes are one.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// usages lists how tokens can be told.
func usages() []string { return []string{"right", "null", "zeros", "missing", "floats"} }

// usage appends the tokens.
func (c *call) usage(buf []byte, sh shape) []byte {
	in := 0
	for i := range c.ask.raw {
		in += tokens(len(c.ask.raw[i].content)) + 4
	}
	out, reasoning, point := sh.tokens(), sh.thought, ""
	switch c.kit.usage {
	case "missing":
		return buf
	case "null":
		return append(buf, `,"usage":null`...)
	case "zeros":
		in, out, reasoning = 0, 0, 0
	case "floats":
		point = ".0"
	}
	number := func(name string, n int) {
		buf = append(append(buf, '"'), name...)
		buf = append(buf, '"', ':')
		buf = append(strconv.AppendInt(buf, int64(n), 10), point...)
	}
	buf = append(buf, `,"usage":{`...)
	number("prompt_tokens", in)
	buf = append(buf, ',')
	number("completion_tokens", out)
	buf = append(buf, ',')
	number("total_tokens", in+out)
	buf = append(buf, `,"prompt_tokens_details":{`...)
	number("cached_tokens", 0)
	buf = append(buf, `},"completion_tokens_details":{`...)
	number("reasoning_tokens", reasoning)
	return append(buf, `}}`...)
}

// shape is a reply as it goes out.
type shape struct {
	form string
	// text is the content as a text; content, where set, is it as other JSON; none: null.
	text    string
	content string
	none    bool
	// extra are further members of the message, as JSON with a comma in front.
	extra string
	// tool is the name of the function that is called, arguments the JSON that it is called with.
	tool, arguments string
	finish          string
	thought         int // reasoning tokens, part of those that come out
}

func (s *shape) tokens() int {
	return tokens(len(s.text)+len(s.arguments)) + s.thought
}

// message appends the members of the message.
func (s *shape) message(buf []byte, id string) []byte {
	buf = append(buf, `"content":`...)
	switch {
	case s.none || s.tool != "":
		buf = append(buf, "null"...)
	case s.content != "":
		buf = append(buf, s.content...)
	default:
		buf = appendString(buf, s.text)
	}
	if s.tool != "" {
		buf = append(buf, `,"tool_calls":[{"id":"call_`...)
		buf = append(buf, id...)
		buf = append(buf, `","type":"function","function":{"name":`...)
		buf = appendString(buf, s.tool)
		buf = append(buf, `,"arguments":`...)
		buf = append(buf, s.arguments...)
		buf = append(buf, `}}]`...)
	}
	if !strings.Contains(s.extra, `"refusal"`) {
		buf = append(buf, `,"refusal":null`...)
	}
	return append(buf, s.extra...)
}
