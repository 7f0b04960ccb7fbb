package validate

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// actor gives the actions that episodes send.
type actor struct {
	given []json.RawMessage
	// schema, where no actions are given, is what they are made from; lean says that only required fields are filled in.
	schema map[string]any
	lean   bool
}

// action gives the action of a step, from 0.
func (a *actor) action(step int) json.RawMessage {
	if len(a.given) > 0 {
		return a.given[step%len(a.given)]
	}
	m := maker{root: a.schema, turn: step, lean: a.lean}
	data, err := json.Marshal(m.make(a.schema, 0))
	if err != nil {
		return json.RawMessage("{}")
	}
	return data
}

// maker makes a value that a JSON Schema allows, as far as common schemas go: those that the reference writes. Values differ
// from turn to turn.
type maker struct {
	root any
	turn int
	lean bool
}

// deepest is how deep a value may be nested.
const deepest = 12

// make makes a value of a schema.
func (m *maker) make(schema any, depth int) any {
	s, ok := m.resolve(schema)
	if !ok || depth > deepest {
		return map[string]any{}
	}
	if v, ok := s["const"]; ok {
		return v
	}
	for _, key := range []string{"enum", "examples"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return list[m.turn%len(list)]
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return m.make(m.choose(list), depth+1)
		}
	}
	if list, ok := s["allOf"].([]any); ok && len(list) > 0 {
		return m.make(m.joined(s, list), depth+1)
	}
	switch m.kind(s) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "string":
		return m.text(s)
	case "integer", "number":
		return m.number(s)
	case "boolean":
		return m.turn%2 == 0
	case "null":
		return nil
	}
	return "text"
}

// resolve follows references inside the schema.
func (m *maker) resolve(schema any) (map[string]any, bool) {
	for range deepest {
		s, ok := schema.(map[string]any)
		if !ok {
			return nil, false
		}
		ref, ok := s["$ref"].(string)
		if !ok {
			return s, true
		}
		if schema, ok = pointed(m.root, ref); !ok {
			return nil, false
		}
	}
	return nil, false
}

// choose takes an alternative that is not null, in turn.
func (m *maker) choose(list []any) any {
	var rest []any
	for _, alternative := range list {
		if s, ok := m.resolve(alternative); ok && s["type"] != "null" {
			rest = append(rest, alternative)
		}
	}
	if len(rest) == 0 {
		return list[0]
	}
	return rest[m.turn%len(rest)]
}

// joined puts the members of allOf into one schema.
func (m *maker) joined(s map[string]any, list []any) map[string]any {
	out := map[string]any{}
	properties, required := map[string]any{}, []any{}
	for _, part := range append([]any{without(s, "allOf")}, list...) {
		p, ok := m.resolve(part)
		if !ok {
			continue
		}
		for key, v := range p {
			out[key] = v
		}
		if more, ok := p["properties"].(map[string]any); ok {
			for key, v := range more {
				properties[key] = v
			}
		}
		if more, ok := p["required"].([]any); ok {
			required = append(required, more...)
		}
	}
	if len(properties) > 0 {
		out["properties"], out["required"] = properties, required
	}
	return out
}

func without(s map[string]any, key string) map[string]any {
	out := make(map[string]any, len(s))
	for k, v := range s {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// kind is the type of a schema: the one it names, or the one its keywords belong to.
func (m *maker) kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
		return "null"
	}
	for _, k := range [][2]string{{"properties", "object"}, {"items", "array"}, {"minLength", "string"}, {"pattern", "string"}, {"minimum", "number"}} {
		if _, ok := s[k[0]]; ok {
			return k[1]
		}
	}
	return ""
}

func (m *maker) object(s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required := map[string]bool{}
	if list, ok := s["required"].([]any); ok {
		for _, name := range list {
			if text, ok := name.(string); ok {
				required[text] = true
			}
		}
	}
	for name, schema := range properties {
		// Every action may have free metadata: they ask for nothing.
		if required[name] || !m.lean && name != "metadata" {
			out[name] = m.make(schema, depth+1)
		}
	}
	for name := range required {
		if _, ok := out[name]; !ok {
			out[name] = "text"
		}
	}
	return out
}

func (m *maker) array(s map[string]any, depth int) []any {
	out := []any{}
	if list, ok := s["prefixItems"].([]any); ok {
		for _, schema := range list {
			out = append(out, m.make(schema, depth+1))
		}
	}
	least, _ := bound(s, "minItems")
	for len(out) < int(min(least, 100)) {
		out = append(out, m.make(s["items"], depth+1))
	}
	return out
}

// formats are texts of the formats that schemas name.
var formats = map[string]string{"date": "2026-01-02", "date-time": "2026-01-02T03:04:05Z", "time": "03:04:05Z", "email": "a@example.org", "uri": "https://example.org/",
	"uuid": "123e4567-e89b-42d3-a456-426614174000", "hostname": "example.org", "ipv4": "127.0.0.1"}

func (m *maker) text(s map[string]any) string {
	if format, ok := s["format"].(string); ok && formats[format] != "" {
		return formats[format]
	}
	out := "text " + strconv.Itoa(m.turn+1)
	if pattern, ok := s["pattern"].(string); ok {
		if re, err := regexp.Compile(pattern); err == nil {
			for _, guess := range []string{out, "text", "a", "A", "1", "01", "a1", "A1", "a-1", "1.0", "2026-01-02", "", "abc", "ABC", "123", "#0", "0x0"} {
				if re.MatchString(guess) {
					out = guess
					break
				}
			}
		}
	}
	if least, ok := bound(s, "minLength"); ok && len(out) < int(min(least, 1e6)) {
		out += strings.Repeat("x", int(min(least, 1e6))-len(out))
	}
	if most, ok := bound(s, "maxLength"); ok && len(out) > int(most) {
		out = out[:max(0, int(most))]
	}
	return out
}

// number gives numbers of the allowed range in turn.
func (m *maker) number(s map[string]any) any {
	low, haveLow := bound(s, "minimum")
	high, haveHigh := bound(s, "maximum")
	step := 1.0
	if v, ok := bound(s, "multipleOf"); ok && v > 0 {
		step = v
	}
	if v, ok := bound(s, "exclusiveMinimum"); ok {
		low, haveLow = v+step, true
	}
	if v, ok := bound(s, "exclusiveMaximum"); ok {
		high, haveHigh = v-step, true
	}
	if !haveLow {
		low = 0
		if haveHigh {
			low = min(0, high)
		}
	}
	whole := m.kind(s) == "integer"
	if !whole && haveLow && haveHigh && high-low < step {
		return (low + high) / 2
	}
	v := math.Ceil(low/step) * step
	if n := math.Floor((high-v)/step) + 1; !haveHigh || n > 1 {
		if !haveHigh {
			n = 10
		}
		v += float64(m.turn%int(min(n, 1e6))) * step
	}
	if whole {
		return int64(v)
	}
	return v
}

// bound reads a number of a schema.
func bound(s map[string]any, key string) (float64, bool) {
	n, ok := s[key].(json.Number)
	if !ok {
		return 0, false
	}
	v, err := n.Float64()
	return v, err == nil
}
