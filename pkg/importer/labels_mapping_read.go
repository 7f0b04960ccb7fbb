package importer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/dataset"
)

// maxMapping is the largest mapping file, in bytes.
const maxMapping = 4 << 20

// ReadMapping reads a mapping file. name is what errors call it; what is wrong in the file gives the line.
func ReadMapping(r io.Reader, name string) (*Mapping, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMapping+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxMapping {
		return nil, labelError("%s: the mapping file is larger than %d MiB", name, maxMapping>>20)
	}
	var doc yaml.Node
	err = yaml.Unmarshal(data, &doc)
	p := mappingParser{name: name}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, labelError("%s: %v; a mapping is YAML, %s", name, strings.TrimPrefix(err.Error(), "yaml: "), example(""))
	case len(doc.Content) == 0:
		return nil, labelError("%s: the mapping file is empty: want labels, %s", name, example(""))
	}
	return p.file(doc.Content[0])
}

// mappingParser reads the nodes of a mapping file.
type mappingParser struct{ name string }

func (p *mappingParser) fail(n *yaml.Node, format string, args ...any) error {
	return labelError("%s: line %d: %s", p.name, n.Line, fmt.Sprintf(format, args...))
}

// each goes over the keys of a mapping node.
func (p *mappingParser) each(n *yaml.Node, what string, visit func(key string, at, value *yaml.Node) error) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil // a draft whose entries are all comments
	}
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "%s: want keys with values, %s", what, example(what))
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		if at.Kind != yaml.ScalarNode || len(at.Value) > maxTheirs {
			return p.fail(at, "%s: a key has to be a text of at most %d bytes", what, maxTheirs)
		}
		if seen[at.Value] {
			return p.fail(at, "%s: %q is there twice", what, shorten(at.Value))
		}
		seen[at.Value] = true
		if err := visit(at.Value, at, value); err != nil {
			return err
		}
	}
	return nil
}

// example gives the right form of a part of a mapping file, for messages.
func example(what string) string {
	switch {
	case strings.HasSuffix(what, ": values"):
		return "as in values: {Billing EMEA: billing, Unsorted: null}"
	case strings.HasPrefix(what, "label "):
		return "as in " + strings.TrimPrefix(what, "label ") + ": {column: Group, values: {Billing EMEA: billing}}"
	}
	return "as in labels: {route: {column: Group, values: {Billing EMEA: billing}}}"
}

// maxTheirs is the longest value of the file that a mapping names, in bytes.
const maxTheirs = 4096

func (p *mappingParser) file(n *yaml.Node) (*Mapping, error) {
	m := &Mapping{Labels: map[string]MappedLabel{}}
	err := p.each(n, "the mapping file", func(key string, at, value *yaml.Node) (err error) {
		switch key {
		case "labels":
			return p.each(value, "labels", func(name string, at, value *yaml.Node) error {
				if err := dataset.CheckLabelName(name); err != nil {
					return p.fail(at, "%v", err)
				}
				entry, err := p.label(name, value)
				m.Labels[name] = entry
				return err
			})
		case "hold":
			m.Hold, err = p.texts(value, "hold")
		case "show":
			m.Show, err = p.texts(value, "show")
		default:
			err = p.fail(at, "unknown key %q: the keys are labels, hold and show, %s", shorten(key), example(""))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (p *mappingParser) label(name string, n *yaml.Node) (MappedLabel, error) {
	m := MappedLabel{Column: name}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return m, nil
	}
	what := "label " + name
	err := p.each(n, what, func(key string, at, value *yaml.Node) (err error) {
		switch key {
		case "column":
			m.Column, err = p.text(value, what+": column")
		case "ordered":
			var ordered bool
			if value.Tag != "!!bool" || value.Decode(&ordered) != nil {
				return p.fail(value, "%s: ordered is %q: want true or false", what, shorten(value.Value))
			}
			m.Ordered = &ordered
		case "scale":
			m.Scale, err = p.texts(value, what+": scale")
			if err == nil && (len(m.Scale) < 2 || len(m.Scale) > dataset.MaxValues) {
				err = p.fail(value, "%s: scale has %d values: want 2 to %d", what, len(m.Scale), dataset.MaxValues)
			}
		case "values":
			if value.Tag == "!!null" {
				return nil
			}
			return p.each(value, what+": values", func(theirs string, _, to *yaml.Node) error {
				t, err := p.target(to, what, theirs)
				m.Values = append(m.Values, MappedValue{strings.TrimSpace(theirs), t})
				return err
			})
		case "other":
			m.Other, err = p.other(value, what)
		default:
			err = p.fail(at, "%s: unknown key %q: the keys are column, ordered, scale, values and other, %s", what, shorten(key), example(what))
		}
		return err
	})
	if err == nil {
		err = p.fits(n, name, &m)
	}
	return m, err
}

// fits checks that values lead to the scale.
func (p *mappingParser) fits(n *yaml.Node, name string, m *MappedLabel) error {
	if len(m.Scale) == 0 {
		return nil
	}
	for _, v := range m.Values {
		if v.To.Value != "" && !slices.Contains(m.Scale, v.To.Value) {
			return p.fail(n, "label %s: %q becomes %q, which is not on its scale: %s", name, shorten(v.Theirs), shorten(v.To.Value),
				strings.Join(m.Scale, ", "))
		}
	}
	if m.Other.Do == OtherValue && !slices.Contains(m.Scale, m.Other.Value) {
		return p.fail(n, "label %s: other becomes %q, which is not on its scale: %s", name, shorten(m.Other.Value), strings.Join(m.Scale, ", "))
	}
	return nil
}

// target reads what a value becomes.
func (p *mappingParser) target(n *yaml.Node, what, theirs string) (Target, error) {
	if n.Kind == yaml.MappingNode {
		var t Target
		err := p.each(n, fmt.Sprintf("%s: value %q", what, shorten(theirs)), func(key string, at, value *yaml.Node) error {
			if key != "drop" || value.Tag != "!!bool" || value.Decode(&t.Drop) != nil || !t.Drop {
				return p.fail(at, "%s: value %q becomes a text, null or {drop: true}", what, shorten(theirs))
			}
			return nil
		})
		return t, err
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return Target{}, nil
	}
	v, err := p.value(n, fmt.Sprintf("%s: what value %q becomes", what, shorten(theirs)))
	return Target{Value: v}, err
}

func (p *mappingParser) other(n *yaml.Node, what string) (Other, error) {
	o := Other{Do: OtherValue}
	if n.Kind == yaml.MappingNode {
		err := p.each(n, what+": other", func(key string, at, value *yaml.Node) (err error) {
			if key != "value" {
				return p.fail(at, "%s: other: unknown key %q: the key is value", what, shorten(key))
			}
			o.Value, err = p.value(value, what+": other")
			return err
		})
		if err == nil && o.Value == "" {
			err = p.fail(n, "%s: other has no value: want {value: NAME}", what)
		}
		return o, err
	}
	switch n.Value {
	case "keep":
		return Other{}, nil
	case "none":
		return Other{Do: OtherNone}, nil
	case "drop":
		return Other{Do: OtherDrop}, nil
	}
	return o, p.fail(n, "%s: other is %q: want keep, none, drop or {value: NAME}", what, shorten(n.Value))
}

func (p *mappingParser) texts(n *yaml.Node, what string) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.fail(n, "%s: want a list, %s", what, listExample(what))
	}
	out := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		v, err := p.text(item, "an entry of "+what)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, p.fail(item, "%s: %q is there twice", what, shorten(v))
		}
		out = append(out, v)
	}
	return out, nil
}

// value reads a label's value.
func (p *mappingParser) value(n *yaml.Node, what string) (string, error) {
	v, err := p.text(n, what)
	if err == nil && len(v) > dataset.MaxValueLen {
		err = p.fail(n, "%s is longer than %d bytes", what, dataset.MaxValueLen)
	}
	return v, err
}

func (p *mappingParser) text(n *yaml.Node, what string) (string, error) {
	v := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || v == "" || len(v) > maxTheirs {
		return "", p.fail(n, "%s has to be a text of 1 to %d bytes", what, maxTheirs)
	}
	return v, nil
}

// listExample gives the right form of a list of a mapping file.
func listExample(what string) string {
	if strings.HasSuffix(what, "scale") {
		return "as in scale: [low, medium, high]"
	}
	return "as in " + what + ": [Plan, Region]"
}
