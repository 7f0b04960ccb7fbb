package fakellm

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// disturb flips the fields of a right answer that the script's noise hits.
func (c *call) disturb(text string) string {
	varied := c.kit.varyInFlight && c.inFlight > 1
	if len(c.kit.noise) == 0 && !varied || !json.Valid([]byte(text)) {
		return text
	}
	members, err := membersOf([]byte(text))
	if err != nil {
		return text
	}
	for i := range members {
		for _, n := range c.kit.noise {
			if n.field == members[i].name && c.chance("noise "+n.field) < n.share {
				members[i].value = c.other(members[i], "value "+n.field)
			}
		}
	}
	if varied && len(members) > 0 {
		purpose := "in flight " + strconv.FormatInt(c.inFlight, 10)
		i := int(c.chance(purpose) * float64(len(members)))
		members[i].value = c.other(members[i], purpose+" value")
	}
	return joined(members)
}

// another gives an answer that differs in its first field; what is no object stays as it is.
func (c *call) another(text string) string {
	if !json.Valid([]byte(text)) {
		return text
	}
	members, err := membersOf([]byte(text))
	if err != nil || len(members) == 0 {
		return text
	}
	members[0].value = c.other(members[0], "another")
	return joined(members)
}

func joined(members []member) string {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, m.name), ':'), m.value...)
	}
	return string(append(out, '}'))
}

// other gives another value of a field: one of the values that the script, the options or the schema name; else a number is
// counted up, a truth turned round, and a text is marked as wrong.
func (c *call) other(m member, purpose string) []byte {
	values := c.kit.values[m.name]
	if values == nil {
		values = c.s.o.Values[m.name]
	}
	if values == nil {
		values = c.schemaValues(get(c.ask.Schema, "properties", m.name))
	}
	rest := make([]string, 0, len(values))
	for _, v := range values {
		if v != string(m.value) {
			rest = append(rest, v)
		}
	}
	if len(rest) > 0 {
		return []byte(rest[int(c.chance(purpose)*float64(len(rest)))])
	}
	if n, err := strconv.Atoi(string(m.value)); err == nil {
		return strconv.AppendInt(nil, int64(n)+1, 10)
	}
	switch string(m.value) {
	case "true":
		return []byte("false")
	case "false":
		return []byte("true")
	}
	return []byte(quoted("not " + unquote(m.value)))
}

// schemaValues lists the values that a schema allows: those of an enum, or the integers of a range of at most 1,000.
func (c *call) schemaValues(schema []byte) []string {
	var out []string
	for _, e := range elementsOf(get(schema, "enum")) {
		out = append(out, string(e))
	}
	low, err := strconv.Atoi(string(get(schema, "minimum")))
	high, err2 := strconv.Atoi(string(get(schema, "maximum")))
	if out != nil || err != nil || err2 != nil || high-low > 1000 {
		return out
	}
	for v := low; v <= high; v++ {
		out = append(out, strconv.Itoa(v))
	}
	return out
}

// deepest is how deep schemas are followed.
const deepest = 8

// fromSchema makes a value that the schema allows, by chance. It knows enum, const, type, properties, items, minimum and maximum.
func (c *call) fromSchema(schema []byte, where string, depth int) []byte {
	if v := get(schema, "const"); v != nil {
		return v
	}
	if values := c.schemaValues(schema); len(values) > 0 {
		return []byte(values[int(c.chance("guess"+where)*float64(len(values)))])
	}
	kind := unquote(get(schema, "type"))
	if kind == "" {
		for _, e := range elementsOf(get(schema, "type")) {
			kind = unquote(e)
			break
		}
	}
	switch {
	case kind == "object" && depth < deepest:
		members, err := membersOf(get(schema, "properties"))
		if err != nil {
			return []byte("{}")
		}
		for i := range members {
			members[i].value = c.fromSchema(members[i].value, where+"/"+members[i].name, depth+1)
		}
		return []byte(joined(members))
	case kind == "array":
		return []byte("[]")
	case kind == "integer" || kind == "number":
		if low := get(schema, "minimum"); low != nil {
			return low
		}
		return []byte("1")
	case kind == "boolean":
		return fmt.Appendf(nil, "%t", c.chance("guess"+where) < 0.5)
	case kind == "null" || kind == "object":
		return []byte("null")
	}
	return []byte(`"unknown"`)
}
