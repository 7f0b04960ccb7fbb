package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// asked is what one attempt asks for, after what was learned.
type asked struct {
	generation int
	learned    Learned
	format     Format   // in force; FormatText where none is asked for
	fields     []string // members that we set and that may be left out or renamed, as they are named on the wire
	system     bool     // a message has the system role
}

// ask builds one attempt: the call for the transport, which sets everything in the library's request, which is empty. The library would leave a temperature of 0 out, refuse settings by the model's name, and read the messages three times to
// write them once.
func (c *Client) ask(r Request) (asked, *wire.Call) {
	c.mu.Lock()
	a := asked{generation: c.generation, learned: cloneLearned(c.learned)}
	c.mu.Unlock()
	a.format = c.formatFor(r, a.learned)

	messages := r.Messages
	if a.learned.MergeSystem {
		messages = mergeSystem(messages)
	}
	a.system = slices.ContainsFunc(messages, func(m Message) bool { return m.Role == System })
	own := []wire.Field{text("model", c.o.Endpoint.Model), {Name: "messages", Value: c.encodeMessages(messages), Sound: true}}
	set := append(own, c.settings()...)
	set = append(set, formFields(a.format, r)...)
	var drop []string
	for _, name := range a.learned.Drop {
		if _, explicit := c.o.ExtraBody[name]; !explicit {
			drop = append(drop, name)
		}
	}
	for _, f := range set[len(own):] {
		if _, explicit := c.o.ExtraBody[f.Name]; !explicit && !slices.Contains(drop, f.Name) {
			a.fields = append(a.fields, renamed(f.Name, a.learned.Rename))
		}
	}
	rename := a.learned.Rename
	for _, name := range sortedKeys(c.o.ExtraBody) {
		set = append(set, wire.Field{Name: name, Value: c.o.ExtraBody[name]})
		if _, ok := rename[name]; ok { // what is given by hand goes out under the name that it was given
			rename = maps.Clone(rename)
			delete(rename, name)
		}
	}
	return a, &wire.Call{Set: set, Drop: drop, Rename: rename, Scope: r.Scope}
}

// encodeMessages writes messages as the library does.
func (c *Client) encodeMessages(messages []Message) []byte {
	size := 2
	for _, m := range messages {
		size += len(m.Content) + len(m.Content)/8 + 64
	}
	out := append(make([]byte, 0, size), '[')
	for i, m := range messages {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"role":`...)
		out = appendText(out, string(m.Role))
		out = append(out, `,"content":`...)
		if m.Role == System {
			out = append(out, c.written.of(m.Content)...)
		} else {
			out = appendText(out, m.Content)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// written keeps the texts of system messages as JSON: they are long, few, and the same in every call.
type written struct {
	mu    sync.Mutex
	texts map[string][]byte
}

// mostWritten is how many texts are kept; when there are more, all are forgotten.
const mostWritten = 64

func (w *written) of(text string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b, ok := w.texts[text]; ok {
		return b
	}
	if w.texts == nil || len(w.texts) >= mostWritten {
		w.texts = map[string][]byte{}
	}
	b := appendText(nil, text)
	w.texts[text] = b
	return b
}

func appendText(out []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // texts always are JSON
		return append(out, `""`...)
	}
	return append(out, b...)
}

// Body gives the body of a request as it would go out now, after what was learned: to show it, or to record what is asked
// for. It calls nothing and holds no secret, but for what the extra body or the messages hold.
func (c *Client) Body(r Request) ([]byte, error) {
	_, call := c.ask(r)
	b, err := json.Marshal(openai.ChatCompletionRequest{})
	if err != nil {
		return nil, fmt.Errorf("writing the request: %w", err)
	}
	return wire.Rewrite(b, call)
}

// settings are the members that the options ask for.
func (c *Client) settings() []wire.Field {
	var set []wire.Field
	if t := c.o.Temperature; t != nil {
		set = append(set, number("temperature", strconv.FormatFloat(*t, 'f', -1, 64)))
	}
	_, short := c.o.ExtraBody[maxTokens]
	_, long := c.o.ExtraBody[maxCompletionTokens]
	if n := c.o.MaxOutputTokens; n > 0 && !short && !long {
		set = append(set, number(maxTokens, strconv.Itoa(n)))
	}
	if s := c.o.Seed; s != nil {
		set = append(set, number("seed", strconv.FormatInt(*s, 10)))
	}
	if e := c.o.ReasoningEffort; e != "" {
		set = append(set, text("reasoning_effort", e))
	}
	return set
}

func renamed(name string, rename map[string]string) string {
	if to, ok := rename[name]; ok {
		return to
	}
	return name
}

// formatFor gives the response format in force for a request.
func (c *Client) formatFor(r Request, l Learned) Format {
	switch {
	case len(r.Schema) == 0:
		return FormatText
	case c.o.Format != FormatAuto:
		return c.o.Format
	case l.Format == string(FormatJSONObject) || l.Format == string(FormatText):
		return Format(l.Format)
	}
	return FormatJSONSchema
}

// formFields are the members that ask for the form of the answer. Plain text is asked for by none: some servers refuse
// the response format "text".
func formFields(f Format, r Request) []wire.Field {
	name := r.SchemaName
	if name == "" {
		name = "answer"
	}
	switch f {
	case FormatJSONSchema:
		return []wire.Field{object(responseFormat, map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": name, "schema": r.Schema, "strict": true},
		})}
	case FormatJSONObject:
		return []wire.Field{object(responseFormat, map[string]any{"type": "json_object"})}
	case FormatTools:
		return []wire.Field{
			object("tools", []any{map[string]any{"type": "function", "function": map[string]any{
				"name": name, "description": "gives the answer", "parameters": r.Schema, "strict": true,
			}}}),
			object("tool_choice", map[string]any{"type": "function", "function": map[string]any{"name": name}}),
		}
	}
	return nil
}

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	responseFormat      = "response_format"
)

func text(name, value string) wire.Field { return object(name, value) }
func number(name, value string) wire.Field {
	return wire.Field{Name: name, Value: json.RawMessage(value)}
}

// object encodes a value that can be encoded: members in the order of their names, and the schema's bytes compacted.
func object(name string, value any) wire.Field {
	b, err := json.Marshal(value)
	if err != nil { // only a schema that is no JSON: the endpoint says so
		b = []byte("null")
	}
	return wire.Field{Name: name, Value: b, Sound: true}
}

// mergeSystem puts what the system messages say in front of the first user message.
func mergeSystem(messages []Message) []Message {
	var system []string
	var out []Message
	for _, m := range messages {
		if m.Role == System {
			system = append(system, m.Content)
			continue
		}
		out = append(out, m)
	}
	if len(system) == 0 {
		return messages
	}
	head := strings.Join(system, "\n\n")
	i := slices.IndexFunc(out, func(m Message) bool { return m.Role == User })
	if i < 0 {
		return append([]Message{{Role: User, Content: head}}, out...)
	}
	out[i].Content = head + "\n\n" + out[i].Content
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func cloneLearned(l Learned) Learned {
	l.Drop, l.Notes, l.Rename = slices.Clone(l.Drop), slices.Clone(l.Notes), maps.Clone(l.Rename)
	return l
}
