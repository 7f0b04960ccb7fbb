package validate

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// block is a mapping of a manifest whose fields are taken out one after another, with the types and the leniency of the
// reference's models. What is left at the end is unknown.
type block struct {
	path     string
	fields   map[string]any
	problems *[]string
}

// newBlock takes a value for a mapping.
func newBlock(path string, v any, problems *[]string) (*block, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		*problems = append(*problems, path+": it must be a mapping")
		return nil, false
	}
	copied := make(map[string]any, len(m))
	for k, x := range m {
		copied[k] = x
	}
	return &block{path, copied, problems}, true
}

func (b *block) wrong(field, format string, args ...any) {
	place := b.path
	if field != "" {
		place += "." + field
	}
	*b.problems = append(*b.problems, place+": "+fmt.Sprintf(format, args...))
}

// take removes a field. A null is a value like others.
func (b *block) take(field string) (any, bool) {
	v, ok := b.fields[field]
	delete(b.fields, field)
	return v, ok
}

// finish finds fault with fields that nobody took.
func (b *block) finish() {
	rest := make([]string, 0, len(b.fields))
	for k := range b.fields {
		if k == badKey {
			k = "a key that is no text"
		}
		rest = append(rest, k)
	}
	sort.Strings(rest)
	for _, k := range rest {
		b.wrong("", "%s is unknown", k)
	}
}

// text takes a text. Only texts are texts: a number has to be quoted.
func (b *block) text(field string, required bool) (string, bool) {
	v, ok := b.take(field)
	if !ok {
		if required {
			b.wrong(field, "it is missing")
		}
		return "", false
	}
	s, ok := v.(string)
	if !ok {
		b.wrong(field, "%v is no text: quote it", v)
	}
	return s, ok
}

// optionalText takes a text or null, and tells whether there is a text.
func (b *block) optionalText(field string) bool {
	if v, ok := b.fields[field]; ok && v == nil {
		delete(b.fields, field)
		return false
	}
	_, ok := b.text(field, false)
	return ok
}

// word takes one of a list of words.
func (b *block) word(field string, required bool, allowed ...string) string {
	v, ok := b.take(field)
	if !ok {
		if required {
			b.wrong(field, "it is missing")
		}
		return ""
	}
	s, _ := v.(string)
	if !slices.Contains(allowed, s) {
		b.wrong(field, "%v is not allowed; allowed is %s", v, strings.Join(allowed, ", "))
		return ""
	}
	return s
}

// number takes a number that is not negative, or positive.
func (b *block) number(field string, required, positive bool) (float64, bool) {
	v, ok := b.take(field)
	if !ok {
		if required {
			b.wrong(field, "it is missing")
		}
		return 0, false
	}
	n, ok := asFloat(v)
	switch {
	case !ok:
		b.wrong(field, "%v is no number", v)
	case positive && !(n > 0):
		b.wrong(field, "%v must be greater than 0", v)
	case !positive && !(n >= 0):
		b.wrong(field, "%v must be at least 0", v)
	default:
		return n, true
	}
	return n, false
}

// whole takes an integer of at least low.
func (b *block) whole(field string, required bool, low int64) int64 {
	v, ok := b.take(field)
	if !ok {
		if required {
			b.wrong(field, "it is missing")
		}
		return 0
	}
	n, ok := asInt(v)
	switch {
	case !ok:
		b.wrong(field, "%v is no integer", v)
	case n < low:
		b.wrong(field, "%v must be at least %d", v, low)
	}
	return n
}

// truth takes a boolean.
func (b *block) truth(field string) bool {
	v, ok := b.take(field)
	if !ok {
		return false
	}
	t, ok := asBool(v)
	if !ok {
		b.wrong(field, "%v is neither true nor false", v)
	}
	return t
}

// texts takes a list of texts.
func (b *block) texts(field string) ([]string, bool) {
	v, ok := b.take(field)
	if !ok {
		return nil, false
	}
	list, ok := v.([]any)
	if !ok {
		b.wrong(field, "it must be a list")
		return nil, true
	}
	var out []string
	for i, x := range list {
		s, ok := x.(string)
		if !ok {
			b.wrong(field+"."+strconv.Itoa(i), "%v is no text", x)
			continue
		}
		out = append(out, s)
	}
	return out, true
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case string:
		n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(v), "_", ""), 64)
		return n, err == nil
	}
	return 0, false
}

func asInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool, float64:
		n, _ := asFloat(v)
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<63
	case string:
		s, tail, dotted := strings.Cut(strings.TrimSpace(v), ".")
		n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		return n, err == nil && (!dotted || strings.Trim(tail, "0") == "" && tail != "")
	}
	return 0, false
}

func asBool(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case int64, float64:
		n, _ := asFloat(v)
		return n == 1, n == 0 || n == 1
	case string:
		switch strings.ToLower(v) {
		case "1", "on", "t", "true", "y", "yes":
			return true, true
		case "0", "off", "f", "false", "n", "no":
			return false, true
		}
	}
	return false, false
}
