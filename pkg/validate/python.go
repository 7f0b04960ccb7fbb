package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// The reference validator reads JSON as Python does: NaN and Infinity are numbers, and a byte order mark is skipped where
// nothing says how the text is encoded. Its verdicts depend on it, so ours are made of the same values.

// notFinite stands for NaN and the infinities: no place takes it for a number.
const notFinite = "NaN"

// decodePython reads JSON as Python's json does.
func decodePython(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(finite(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return floats(v), nil
}

// floats makes of numbers with an exponent or a point what a float of Python's holds: too large ones are infinite.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			v[key] = floats(child)
		}
	case []any:
		for i, child := range v {
			v[i] = floats(child)
		}
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return v
		}
		f, err := strconv.ParseFloat(string(v), 64)
		switch {
		case err != nil:
			return notFinite
		case f == 0 && len(v) > 3:
			return json.Number("0.0") // or so small that it is
		}
	}
	return v
}

// finite replaces the numbers that Go does not read by a text.
func finite(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	inside := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inside && c == '\\' && i+1 < len(data):
			out = append(out, c)
			i++
			c = data[i]
		case c == '"':
			inside = !inside
		case !inside:
			if n := wordAt(data[i:]); n > 0 {
				out = append(out, `"`+notFinite+`"`...)
				i += n - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// wordAt is the length of a number that is not finite, if one begins here.
func wordAt(data []byte) int {
	for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(w)) {
			return len(w)
		}
	}
	return 0
}

// text takes off the byte order mark of a body that does not say how it is encoded; elsewhere it is a mistake.
func text(body []byte, contentType string) []byte {
	kind := strings.ToLower(contentType)
	if strings.Contains(kind, "charset=") || strings.Contains(kind, "text") || strings.Contains(kind, "application/json") {
		return body
	}
	return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
}

// kindOf names the kind of a JSON value for people.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		if v == notFinite {
			return "not a finite number"
		}
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
