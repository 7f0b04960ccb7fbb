package fakellm

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Forms lists the forms that an answer can take, sorted.
func Forms() []string { return slices.Sorted(maps.Keys(forms())) }

// enforced are the forms that a server that enforces the format of answers leaves as they are: what it cannot see.
var enforced = []string{"exact", "tool_call", "tool_object", "content_parts", "thinking_parts", "content_object", "reasoning", "reasoning_content", "reasoning_only",
	"refusal", "empty", "null", "truncated", "budget", "content_filter"}

const thoughts = "The customer describes what happened. First I look at what it is about, then at how soon it matters. My first idea was "

// shape puts the answer into a form. The limits of the request hold: a text that is too long is cut off.
func (c *call) shape(text string) shape {
	name := c.form()
	if !c.kit.quirkHas["ignore_stop"] {
		text = stopped(text, c.ask.Stop)
	}
	sh := forms()[name](c, text)
	sh.form = name
	if sh.finish == "" {
		sh.finish = "stop"
		if sh.tool != "" {
			sh.finish = "tool_calls"
		}
	}
	if most := c.ask.MaxTokens; most > 0 && !c.kit.quirkHas["ignore_max_tokens"] && sh.tokens() > most {
		sh.limit(most)
	}
	return sh
}

// limit cuts a reply to so many tokens: thoughts first, then text.
func (s *shape) limit(most int) {
	s.finish = "length"
	s.thought = min(s.thought, most)
	room := 4 * (most - s.thought)
	s.text, s.content = prefix(s.text, room), ""
	if s.tool != "" {
		s.arguments = quoted(prefix(unquote([]byte(s.arguments)), room))
	}
}

// prefix gives the first bytes of a text, whole characters only.
func prefix(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// form chooses the form by the script's weights.
func (c *call) form() string {
	name := c.kit.forms[len(c.kit.forms)-1].form
	if len(c.kit.forms) > 1 {
		draw := c.chance("form")
		for _, w := range c.kit.forms {
			if draw -= w.share; draw < 0 {
				name = w.form
				break
			}
		}
	}
	if c.kit.quirkHas["enforce_response_format"] && (c.ask.Format == formatSchema || c.ask.Format == formatObject) && !slices.Contains(enforced, name) {
		return "exact"
	}
	return name
}

// forms are the ways in which models were seen to answer.
func forms() map[string]func(c *call, text string) shape {
	out := map[string]func(*call, string) shape{}
	maps.Copy(out, textForms())
	maps.Copy(out, messageForms())
	return out
}

// inText makes a form of a change of the text.
func inText(change func(text string) string) func(*call, string) shape {
	return func(_ *call, text string) shape { return shape{text: change(text)} }
}

// textForms change the text alone.
func textForms() map[string]func(*call, string) shape {
	return map[string]func(*call, string) shape{
		"fenced": inText(func(t string) string { return "```json\n" + t + "\n```" }),
		"prose": inText(func(t string) string {
			return "Here is my decision:\n\n" + t + "\n\nTell me if you need anything else {such as the reasons}."
		}),
		"fenced_prose": inText(func(t string) string {
			return "Here is my decision:\n\n```\nas the handbook says\n```\n\n```json\n" + t + "\n```\n\nTell me if you need anything else."
		}),
		"empty_fence": inText(func(string) string { return "```json\n```" }),
		"think": func(c *call, t string) shape {
			return shape{text: "<think>" + thoughts + c.another(t) + "</think>\n" + t}
		},
		"unclosed_think": inText(func(t string) string { return "<think>" + thoughts + t + ", but wait" }),
		"python_dict":    inText(pythonDict),
		"trailing_comma": inText(func(t string) string {
			if i := strings.LastIndexByte(t, '}'); i > 0 {
				return strings.TrimRight(t[:i], " \n") + "," + t[i:]
			}
			return t
		}),
		"comments": inText(func(t string) string { return strings.Replace(t, "{", "{ // my decision\n", 1) }),
		"smart_quotes": inText(func(t string) string {
			open := true
			return strings.Map(func(r rune) rune {
				if r != '"' {
					return r
				}
				open = !open
				return [2]rune{'“', '”'}[map[bool]int{false: 0, true: 1}[open]]
			}, t)
		}),
		"yaml":           inText(yamlLines),
		"two_objects":    func(c *call, t string) shape { return shape{text: t + "\n\nor perhaps\n\n" + c.another(t)} },
		"array":          inText(func(t string) string { return "[" + t + "]" }),
		"double_encoded": inText(quoted),
		"text_numbers":   inText(func(t string) string { return numbersAs(t, quoted) }),
		"float_numbers":  inText(func(t string) string { return numbersAs(t, func(n string) string { return n + ".0" }) }),
		"upper_case":     inText(upperCase),
		"cut_text":       inText(func(t string) string { return prefix(t, len(t)*2/3) }),
		"truncated":      func(_ *call, t string) shape { return shape{text: prefix(t, len(t)*2/3), finish: "length"} },
		"refusal_text":   inText(func(string) string { return "I'm sorry, but I can't help with that." }),
		"text_bom":       inText(func(t string) string { return "\uFEFF" + t }),
		"empty":          inText(func(string) string { return "" }),
	}
}

// messageForms change what the message is made of.
func messageForms() map[string]func(*call, string) shape {
	return map[string]func(*call, string) shape{
		"exact": func(c *call, t string) shape {
			if c.ask.Format == formatTools && !c.kit.quirkHas["tools_in_text"] {
				return shape{tool: c.toolName(), arguments: quoted(t)}
			}
			return shape{text: t}
		},
		"tool_call":      func(c *call, t string) shape { return shape{tool: c.toolName(), arguments: quoted(t)} },
		"tool_object":    func(c *call, t string) shape { return shape{tool: c.toolName(), arguments: objectOr(t)} },
		"content_object": func(_ *call, t string) shape { return shape{text: t, content: objectOr(t)} },
		"content_parts": func(_ *call, t string) shape {
			half := len(prefix(t, len(t)/2))
			return shape{text: t, content: `[{"type":"text","text":` + quoted(t[:half]) + `},{"type":"text","text":` + quoted(t[half:]) + `}]`}
		},
		"thinking_parts": func(c *call, t string) shape {
			idea := thoughts + c.another(t)
			return shape{text: t, content: `[{"type":"thinking","thinking":[{"type":"text","text":` + quoted(idea) + `}]},{"type":"text","text":` + quoted(t) + `}]`, thought: tokens(len(idea))}
		},
		"reasoning":         func(c *call, t string) shape { return c.beside("reasoning", t) },
		"reasoning_content": func(c *call, t string) shape { return c.beside("reasoning_content", t) },
		"reasoning_only": func(_ *call, t string) shape {
			return shape{none: true, extra: `,"reasoning":` + quoted(thoughts+t), thought: tokens(len(thoughts) + len(t))}
		},
		"refusal": func(*call, string) shape {
			return shape{none: true, extra: `,"refusal":"I'm sorry, I cannot assist with that request."`}
		},
		"null":           func(*call, string) shape { return shape{none: true} },
		"budget":         func(*call, string) shape { return shape{finish: "length", thought: 50} },
		"content_filter": func(*call, string) shape { return shape{none: true, finish: "content_filter"} },
	}
}

// beside puts thoughts, with a draft that is another answer, into a field of the message.
func (c *call) beside(field, text string) shape {
	idea := thoughts + c.another(text)
	return shape{text: text, extra: `,"` + field + `":` + quoted(idea), thought: tokens(len(idea))}
}

func (c *call) toolName() string {
	if c.ask.Tool == "" {
		return "answer"
	}
	return c.ask.Tool
}
