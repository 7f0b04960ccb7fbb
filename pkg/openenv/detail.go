package openenv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

// Detail is what is wrong with one value, in the form that the reference server's validation library gives it and that
// clients read.
type Detail struct {
	Type  string          `json:"type"` // such as missing, extra_forbidden, literal_error
	Loc   []any           `json:"loc"`  // keys and indexes
	Msg   string          `json:"msg"`
	Input json.RawMessage `json:"input"` // the value as it was sent, shortened if it is long
	Ctx   map[string]any  `json:"ctx,omitempty"`
}

// Loc makes a location; that of the whole is an empty list.
func Loc(keys ...any) []any {
	if keys == nil {
		return []any{}
	}
	return keys
}

// longestInput is how much of a refused value is sent back.
const longestInput = 512

// input shortens a value for a Detail; what is no JSON becomes a string.
func input(raw []byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) > longestInput || !json.Valid(raw) {
		text, err := json.Marshal(strings.ToValidUTF8(string(raw[:min(len(raw), longestInput)]), "\ufffd"))
		if err != nil {
			return json.RawMessage("null")
		}
		return text
	}
	return slices.Clone(raw)
}

// Missing says that a field is not there; in is the object that should hold it.
func Missing(loc []any, in []byte) Detail {
	if in == nil {
		in = []byte("null")
	}
	return Detail{Type: "missing", Loc: loc, Msg: "Field required", Input: input(in)}
}

// Extra says that a field is unknown.
func Extra(loc []any, value []byte) Detail {
	return Detail{Type: "extra_forbidden", Loc: loc, Msg: "Extra inputs are not permitted", Input: input(value)}
}

// NotDict says that a value is not an object.
func NotDict(loc []any, value []byte) Detail {
	return Detail{Type: "dict_type", Loc: loc, Msg: "Input should be a valid dictionary", Input: input(value)}
}

// NotObject says that a body is not an object.
func NotObject(loc []any, value []byte) Detail {
	return Detail{Type: "model_attributes_type", Loc: loc, Msg: "Input should be a valid dictionary or object to extract fields from", Input: input(value)}
}

// BadJSON says where a body stops being JSON.
func BadJSON(loc []any, err *json.SyntaxError) Detail {
	at := max(err.Offset-1, 0) // the byte that is wrong
	return Detail{Type: "json_invalid", Loc: append(slices.Clone(loc), at), Msg: "JSON decode error", Input: json.RawMessage("{}"),
		Ctx: map[string]any{"error": plainSyntax(err)}}
}

// plainSyntax says what is wrong with a text that is no JSON, without the decoder's own prefix.
func plainSyntax(err *json.SyntaxError) string {
	return fmt.Sprintf("%s at byte %d", err.Error(), max(err.Offset-1, 0))
}

// NotText says that a value is not a string.
func NotText(loc []any, value []byte) Detail {
	return Detail{Type: "string_type", Loc: loc, Msg: "Input should be a valid string", Input: input(value)}
}

// NotBool says that a value is neither true nor false.
func NotBool(loc []any, value []byte) Detail {
	return Detail{Type: "bool_type", Loc: loc, Msg: "Input should be a valid boolean", Input: input(value)}
}

// TooLong says that a string is longer than limit characters.
func TooLong(loc []any, value []byte, limit int) Detail {
	return Detail{Type: "string_too_long", Loc: loc, Msg: fmt.Sprintf("String should have at most %d characters", limit), Input: input(value),
		Ctx: map[string]any{"max_length": limit}}
}

// NotInt says that a value is no integer: the kind of mistake is told by the value.
func NotInt(loc []any, value []byte) Detail {
	d := Detail{Type: "int_type", Loc: loc, Msg: "Input should be a valid integer", Input: input(value)}
	switch c := value[0]; {
	case c == '"':
		d.Type, d.Msg = "int_parsing", d.Msg+", unable to parse string as an integer"
	case c == '-' || c >= '0' && c <= '9':
		d.Type, d.Msg = "int_from_float", d.Msg+", got a number with a fractional part"
	}
	return d
}

// NotNumber says that a value is no number.
func NotNumber(loc []any, value []byte) Detail {
	return Detail{Type: "float_type", Loc: loc, Msg: "Input should be a valid number", Input: input(value)}
}

// Beyond says that a number breaks a limit: ge, le or gt.
func Beyond(loc []any, value []byte, kind string, limit int64) Detail {
	d := Detail{Loc: loc, Input: input(value), Ctx: map[string]any{kind: limit}}
	switch kind {
	case "ge":
		d.Type, d.Msg = "greater_than_equal", "Input should be greater than or equal to "
	case "le":
		d.Type, d.Msg = "less_than_equal", "Input should be less than or equal to "
	default:
		d.Type, d.Msg = "greater_than", "Input should be greater than "
	}
	d.Msg += strconv.FormatInt(limit, 10)
	return d
}

// NotOneOf says that a value is not one of a list of words.
func NotOneOf(loc []any, value []byte, allowed []string) Detail {
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = "'" + a + "'"
	}
	list := quoted[0]
	if n := len(quoted); n > 1 {
		list = strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
	return Detail{Type: "literal_error", Loc: loc, Msg: "Input should be " + list, Input: input(value), Ctx: map[string]any{"expected": list}}
}

// The most members that an object of a long text may have: an error for each of a million would be large, and slow.
const (
	mostMembers = 1000
	longText    = 64 << 10 // bytes; shorter texts cannot do much
)

// Crowded tells whether an object has more members than any that means well. It need not be valid JSON.
func Crowded(data []byte) bool {
	if len(data) <= longText {
		return false
	}
	depth, members := 0, 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth != 1 {
				continue
			}
			if members++; members > mostMembers {
				return true
			}
		}
	}
	return false
}

// TooMany says that an object is [Crowded].
func TooMany(loc []any, value []byte) Detail {
	return Detail{Type: "too_long", Loc: loc, Msg: fmt.Sprintf("Dictionary should have at most %d items after validation", mostMembers), Input: input(value),
		Ctx: map[string]any{"field_type": "Dictionary", "max_length": mostMembers}}
}

// ActionDetails renders what is wrong with an action; loc is relative to the action. Where it is no object at all, that is the
// one detail.
func ActionDetails(err *triage.FieldErrors, action []byte) []Detail {
	members, split := triage.AppendMembers(nil, action)
	if split != nil {
		return []Detail{NotDict(Loc(), action)}
	}
	value := map[string]json.RawMessage{}
	for _, m := range members {
		value[string(m.Key)] = m.Value
	}
	out := make([]Detail, 0, len(err.Fields))
	for _, f := range err.Fields {
		raw, ok := value[f.Field]
		if !ok {
			raw = json.RawMessage(strconv.Quote(f.Value)) // the name of the field was shortened
		}
		out = append(out, fieldDetail(f, raw))
	}
	return out
}

// bounds are the ranges of the integers of actions.
var bounds = map[string][2]int64{triage.FieldPriorityScore: {0, 100}, triage.FieldUrgencyDays: {1, 7}}

// fieldDetail renders what is wrong with one field of an action.
func fieldDetail(f triage.FieldError, raw json.RawMessage) Detail {
	loc := Loc(f.Field)
	words := strings.Split(strings.TrimPrefix(f.Allowed, "one of "), ", ")
	limits, integer := bounds[f.Field]
	switch f.Problem {
	case "unknown_field":
		return Extra(loc, raw)
	case "too_long":
		return TooLong(loc, raw, triage.MaxRecommendation)
	case "not_one_of":
		return NotOneOf(loc, raw, words)
	case "out_of_range":
		if v, ok := triage.WholeNumber(raw); ok && v < limits[0] {
			return Beyond(loc, raw, "ge", limits[0])
		}
		return Beyond(loc, raw, "le", limits[1])
	}
	if integer {
		return NotInt(loc, raw)
	}
	switch f.Field {
	case triage.FieldRecommendation:
		return NotText(loc, raw)
	case triage.FieldMetadata:
		return NotDict(loc, raw)
	}
	return NotOneOf(loc, raw, words)
}
