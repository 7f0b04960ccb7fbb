package validate

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/lazyregexp"
)

// The reference validator reads YAML 1.1: yes and off are booleans, 010 is eight, and an unquoted date is no text. The types
// decide what it accepts, so they are told here by its rules.

// foreign is a value of a type that no manifest has a place for, such as a date.
type foreign struct{}

// badKey stands for the keys of a mapping that are no texts.
const badKey = "\x00"

var (
	yamlBool  = lazyregexp.New(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	yamlFloat = lazyregexp.New(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	yamlInt   = lazyregexp.New(`^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	yamlNull  = lazyregexp.New(`^(?:~|null|Null|NULL|)$`)
	yamlDate  = lazyregexp.New(`^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?)$`)
)

// maxNodes is how many values a document may have, aliases counted as often as they are used.
const maxNodes = 100_000

// yamlReader makes values of a document.
type yamlReader struct {
	left int
	// unique refuses keys that stand twice or are no texts, and merge keys, as the catalog does.
	unique bool
}

// readYAML reads a document: maps, lists, texts, booleans, nil, int64 and float64.
func readYAML(data []byte, unique bool) (any, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 {
		return nil, nil // an empty document
	}
	r := yamlReader{left: maxNodes, unique: unique}
	return r.value(doc.Content[0])
}

var errYAMLSize = errors.New("the document has too many values")

func (r *yamlReader) value(n *yaml.Node) (any, error) {
	if r.left--; r.left < 0 {
		return nil, errYAMLSize
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, child := range n.Content {
			v, err := r.value(child)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case yaml.MappingNode:
		return r.mapping(n)
	}
	return scalar(n)
}

func (r *yamlReader) mapping(n *yaml.Node) (any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			if r.unique {
				return nil, fmt.Errorf("line %d: merge keys are not allowed", key.Line)
			}
			if err := r.merge(out, child); err != nil {
				return nil, err
			}
			continue
		}
		k, err := r.value(key)
		if err != nil {
			return nil, err
		}
		name, ok := k.(string)
		if _, twice := out[name]; r.unique && (!ok || twice) {
			return nil, fmt.Errorf("line %d: keys must be texts that stand once", key.Line)
		}
		if !ok {
			name = badKey
		}
		if out[name], err = r.value(child); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merge puts the mappings behind a merge key into a mapping; keys of its own come first.
func (r *yamlReader) merge(into map[string]any, n *yaml.Node) error {
	v, err := r.value(n)
	if err != nil {
		return err
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		m, ok := one.(map[string]any)
		if !ok {
			return fmt.Errorf("line %d: a merge key needs mappings", n.Line)
		}
		for key, value := range m {
			if _, there := into[key]; !there {
				into[key] = value
			}
		}
	}
	return nil
}

// scalar reads a text, number, boolean or null.
func scalar(n *yaml.Node) (any, error) {
	if n.Style&yaml.TaggedStyle != 0 {
		return tagged(n)
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value, nil
	}
	switch s := n.Value; {
	case yamlBool.MatchString(s):
		return strings.ContainsAny(strings.ToLower(s[:1]), "yt") || strings.EqualFold(s, "on"), nil
	case yamlNull.MatchString(s):
		return nil, nil
	case yamlInt.MatchString(s):
		return yamlNumber(s, true), nil
	case yamlFloat.MatchString(s):
		return yamlNumber(s, false), nil
	case yamlDate.MatchString(s) || s == "=":
		return foreign{}, nil
	}
	return n.Value, nil
}

// tagged reads a scalar whose type the document names.
func tagged(n *yaml.Node) (any, error) {
	plain := *n
	plain.Style &^= yaml.TaggedStyle
	switch n.Tag {
	case "!!str", "!":
		return n.Value, nil
	case "!!int", "!!float", "!!bool", "!!null":
		return scalar(&plain)
	case "!!timestamp", "!!binary":
		return foreign{}, nil
	}
	return nil, fmt.Errorf("line %d: the tag %s is unknown", n.Line, n.Tag)
}

// yamlNumber reads a number of YAML 1.1, also one of base 60.
func yamlNumber(s string, whole bool) any {
	s = strings.ReplaceAll(s, "_", "")
	sign := 1.0
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		s, sign = rest, -1
	}
	s = strings.TrimPrefix(s, "+")
	switch lower := strings.ToLower(s); {
	case lower == ".inf":
		return sign * math.Inf(1)
	case lower == ".nan":
		return math.NaN()
	case strings.Contains(s, ":"):
		v := 0.0
		for _, part := range strings.Split(s, ":") {
			digit, _ := strconv.ParseFloat(part, 64) // of digits, by its pattern
			v = v*60 + digit
		}
		if whole {
			return int64(sign * v)
		}
		return sign * v
	case !whole:
		v, _ := strconv.ParseFloat(s, 64) // by its pattern; what overflows is infinite
		return sign * v
	}
	digits, base := s, 10
	switch {
	case strings.HasPrefix(s, "0b"):
		digits, base = s[2:], 2
	case strings.HasPrefix(s, "0x"):
		digits, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		digits, base = s[1:], 8
	}
	v, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return sign * math.MaxInt64
	}
	return int64(sign) * v
}
