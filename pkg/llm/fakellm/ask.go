package fakellm

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Message is one message of a request: its role and its text. Parts of text are joined by line breaks.
type Message struct{ Role, Text string }

// Ask is what a request asks for.
type Ask struct {
	// Path is the request's path, such as /v1/chat/completions.
	Path  string
	Model string
	// Messages are in their order.
	Messages []Message
	// Format is how the form of the answer is asked for: empty, text, json_object, json_schema or tools.
	Format string
	// Schema is the JSON Schema of the answer, from response_format or the first tool; nil where there is none.
	Schema json.RawMessage
	// Tool is the name of the first tool, or empty.
	Tool string
	// Seed and Temperature are nil where the request has none.
	Seed        *int64
	Temperature *float64
	// MaxTokens is the most tokens that the answer may have; 0: no limit.
	MaxTokens int
	// Stop lists texts that end the answer.
	Stop []string
	// Body is the request's body as it came.
	Body []byte

	members  []member
	messages []byte // as they stand in the body
	raw      []rawMessage
}

// Answerer gives the right answer to what is asked, as the JSON text of an object, and false where it does not know it. It
// must be safe for several goroutines.
type Answerer func(ask Ask) (string, bool)

// Fields lists the properties of the asked schema, in their order; nil where there is no schema.
func (a *Ask) Fields() []string {
	members, err := membersOf(get(a.Schema, "properties"))
	if err != nil {
		return nil
	}
	out := make([]string, len(members))
	for i, m := range members {
		out[i] = m.name
	}
	return out
}

// readAsk reads a request's body; what it gives refers to it. Unknown members are let pass: servers do so.
func readAsk(path string, body []byte) (*Ask, error) {
	if !valid(body) {
		return nil, fmt.Errorf("we could not parse the JSON body of your request (%d bytes)", len(body))
	}
	members, err := membersOf(body)
	if err != nil {
		return nil, err
	}
	if name, twice := repeated(members); twice {
		return nil, fmt.Errorf("duplicate member %q in the body of your request", name)
	}
	a := &Ask{Path: path, Body: body, members: members, Model: unquote(find(members, "model")), messages: find(members, "messages")}
	if a.Model == "" {
		a.Model = deployment(path)
	}
	list := elementsOf(a.messages)
	if len(list) == 0 {
		return nil, fmt.Errorf("[] is too short - 'messages'")
	}
	a.raw = make([]rawMessage, len(list))
	for i, raw := range list {
		if a.raw[i], err = readMessage(raw); err != nil {
			return nil, fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	a.readNumbers()
	a.readFormat()
	return a, nil
}

// deployment is the model that a path of Azure's names, or empty.
func deployment(path string) string {
	_, rest, ok := strings.Cut(path, "/deployments/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// rawMessage is a message whose content is still as it came.
type rawMessage struct {
	role    string
	content []byte
}

func readMessage(raw []byte) (rawMessage, error) {
	members, err := membersOf(raw)
	if err != nil {
		return rawMessage{}, err
	}
	m := rawMessage{role: unquote(find(members, "role")), content: find(members, "content")}
	switch m.role {
	case "system", "developer", "user", "assistant", "tool":
		return m, nil
	}
	return m, fmt.Errorf("invalid role %q: supported values are system, assistant, user, tool and developer", m.role)
}

// readTexts fills in [Ask.Messages], which costs more than the rest of the request.
func (a *Ask) readTexts() {
	if a.Messages != nil {
		return
	}
	a.Messages = make([]Message, len(a.raw))
	for i, m := range a.raw {
		text := unquote(m.content)
		if parts := elementsOf(m.content); parts != nil {
			texts := make([]string, len(parts))
			for j, p := range parts {
				texts[j] = unquote(get(p, "text"))
			}
			text = strings.Join(texts, "\n")
		}
		a.Messages[i] = Message{Role: m.role, Text: text}
	}
}

func (a *Ask) readNumbers() {
	if v, err := strconv.ParseInt(string(find(a.members, "seed")), 10, 64); err == nil {
		a.Seed = &v
	}
	if v, err := strconv.ParseFloat(string(find(a.members, "temperature")), 64); err == nil {
		a.Temperature = &v
	}
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if v, err := strconv.Atoi(string(find(a.members, name))); err == nil && v > 0 {
			a.MaxTokens = v
			break
		}
	}
	stop := find(a.members, "stop")
	if s := unquote(stop); s != "" {
		a.Stop = []string{s}
	}
	for _, e := range elementsOf(stop) {
		if s := unquote(e); s != "" {
			a.Stop = append(a.Stop, s)
		}
	}
}

func (a *Ask) readFormat() {
	if format := find(a.members, "response_format"); format != nil {
		a.Format = unquote(get(format, "type"))
		a.Schema = get(format, "json_schema", "schema")
	}
	tools := elementsOf(find(a.members, "tools"))
	if len(tools) == 0 || string(find(a.members, "tool_choice")) == `"none"` {
		return
	}
	a.Format = formatTools
	a.Tool = unquote(get(tools[0], "function", "name"))
	a.Schema = get(tools[0], "function", "parameters")
}

// The formats that an answer can be asked for in.
const (
	formatSchema = "json_schema"
	formatObject = "json_object"
	formatTools  = "tools"
)
