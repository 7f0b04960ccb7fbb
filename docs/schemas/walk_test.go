package schemas_test

import (
	"fmt"
	"regexp"
	"strings"
)

// walker goes through schemas along documents, and notes which properties occur.
type walker struct {
	roots map[string]any
	seen  map[string]bool
}

var reference = regexp.MustCompile(`^(?:(\w+)\.schema\.json)?(?:#(.*))?$`)

// resolve finds the part of a schema at a place.
func (w *walker) resolve(place string) any {
	steps := strings.Split(place, "/")
	v := w.roots[steps[0]]
	for _, s := range steps[1:] {
		switch x := v.(type) {
		case map[string]any:
			v = x[s]
		case []any:
			v = x[s[0]-'0']
		}
	}
	return v
}

func (w *walker) walk(kind, place string, v any) {
	s, ok := w.resolve(place).(map[string]any)
	if !ok {
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		m := reference.FindStringSubmatch(ref)
		to := kind
		if m[1] != "" {
			to = m[1]
		}
		w.walk(to, to+m[2], v)
	}
	for _, k := range []string{"then", "else"} {
		w.walk(kind, place+"/"+k, v)
	}
	for _, k := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := s[k].([]any)
		for i := range list {
			w.walk(kind, fmt.Sprintf("%s/%s/%d", place, k, i), v)
		}
	}
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			w.walk(kind, place+"/items", x)
		}
	case map[string]any:
		w.members(kind, place, s, v)
	}
}

func (w *walker) members(kind, place string, s, v map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for k, x := range v {
		if _, ok := properties[k]; ok {
			w.seen[place+"/properties/"+k] = true
			w.walk(kind, place+"/properties/"+k, x)
			continue
		}
		for p := range patterns {
			if regexp.MustCompile(p).MatchString(k) {
				w.walk(kind, place+"/patternProperties/"+p, x)
			}
		}
		w.walk(kind, place+"/additionalProperties", x)
	}
}
