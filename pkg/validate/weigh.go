package validate

import (
	"errors"
	"strings"
)

// heaviest is how many values a schema may have when all its references are followed: a small schema can be made to stand for
// more than anybody can check.
const heaviest = 2e6

var errHeavy = errors.New("it has more parts than can be checked, when its references are followed")

// scales weigh a schema.
type scales struct {
	root    any
	anchors map[string]any
	known   map[string]float64 // by reference; 0 while it is being weighed
}

// weigh gives the number of values of a schema when its references are followed. Where it refers to itself, it is cut.
func weigh(doc any) float64 {
	s := scales{root: doc, anchors: map[string]any{}, known: map[string]float64{}}
	s.index(doc)
	return s.weight(doc)
}

func (s *scales) index(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[key].(string); ok {
				s.anchors["#"+name] = v
			}
		}
		for _, child := range v {
			s.index(child)
		}
	case []any:
		for _, child := range v {
			s.index(child)
		}
	}
}

func (s *scales) weight(v any) float64 {
	sum := 1.0
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			sum += s.weight(child)
			if ref, ok := child.(string); ok && (key == "$ref" || key == "$dynamicRef") {
				sum += s.referred(ref)
			}
		}
	case []any:
		for _, child := range v {
			sum += s.weight(child)
		}
	}
	return sum
}

// referred weighs what a reference stands for.
func (s *scales) referred(ref string) float64 {
	if w, ok := s.known[ref]; ok {
		return w
	}
	s.known[ref] = 0
	target, ok := s.anchors[ref]
	if !ok {
		target, _ = pointed(s.root, ref)
	}
	w := s.weight(target)
	s.known[ref] = w
	return w
}

// pointed follows a reference inside a document: # and a JSON pointer.
func pointed(root any, ref string) (any, bool) {
	at := root
	for _, part := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if part == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}
