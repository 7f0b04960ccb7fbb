package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scale is the closed list of values that a label column may hold.
type Scale struct {
	// Ordered says that Values ascend in seriousness, so that a neighbour is a near miss.
	Ordered bool
	Values  []string
}

// MaxValues is the most values of a label column, MaxValueLen the longest in bytes: what goes beyond is text, not a label.
const (
	MaxValues   = 1000
	MaxValueLen = 200
)

// known are the ordered scales that help desks use, ascending in seriousness, written as fold gives them.
var known = [][]string{
	{"low", "medium", "high", "critical"},
	{"low", "normal", "high", "urgent"},
	{"low", "medium", "high", "urgent"},
	{"low", "normal", "high", "critical"},
	{"low", "moderate", "high", "critical"},
	{"lowest", "low", "medium", "high", "highest"},
	{"verylow", "low", "medium", "high", "veryhigh"},
	{"easy", "medium", "hard"},
	{"trivial", "minor", "major", "critical", "blocker"},
	{"minor", "moderate", "major", "critical"},
	{"p5", "p4", "p3", "p2", "p1", "p0"},
	{"sev5", "sev4", "sev3", "sev2", "sev1", "sev0"},
	{"5-planning", "4-low", "3-moderate", "2-high", "1-critical"},
	{"4-low", "3-medium", "2-high", "1-critical"},
	{"3-low", "2-medium", "1-high"},
	{"cosmetic", "degraded", "blocked", "dataatrisk"},
	{"niedrig", "mittel", "hoch", "kritisch"},
	{"niedrig", "normal", "hoch", "kritisch"},
	{"niedrig", "mittel", "hoch", "dringend"},
	{"niedrig", "normal", "hoch", "dringend"},
	{"gering", "mittel", "hoch", "kritisch"},
	{"basse", "moyenne", "haute", "critique"},
	{"faible", "moyenne", "elevee", "critique"},
	{"basse", "normale", "haute", "urgente"},
	{"baja", "media", "alta", "critica"},
	{"baja", "media", "alta", "urgente"},
	{"baja", "normal", "alta", "urgente"},
	{"baixa", "media", "alta", "critica"},
	{"baixa", "media", "alta", "urgente"},
	{"bassa", "media", "alta", "critica"},
	{"bassa", "media", "alta", "urgente"},
	{"laag", "middel", "hoog", "kritiek"},
	{"laag", "normaal", "hoog", "urgent"},
}

// fold is how names and values are compared where case, spaces and underscores do not count.
func fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' {
			return -1
		}
		return r
	}, s))
}

// Arrange puts the values of a column in the order of the first known scale that holds them all, each once; else it sorts
// them and the column is nominal.
func Arrange(values []string) (sorted []string, ordered bool) {
	sorted = slices.Clone(values)
	slices.Sort(sorted)
	for _, scale := range known {
		if level, ok := levels(scale, sorted); ok {
			slices.SortStableFunc(sorted, func(a, b string) int { return level[a] - level[b] })
			return sorted, true
		}
	}
	return sorted, false
}

func levels(scale, values []string) (map[string]int, bool) {
	level := make(map[string]int, len(values))
	used := make(map[int]bool, len(values))
	for _, v := range values {
		i := slices.Index(scale, Unaccented(fold(v)))
		if i < 0 || used[i] {
			return nil, false
		}
		level[v], used[i] = i, true
	}
	return level, len(values) > 0
}

// maxScales is the largest labels file, in bytes.
const maxScales = 1 << 20

// ReadScales reads a labels file in YAML or JSON: for each label column the list of its values, {route: [billing,
// technical]}, or {urgency: {ordered: true, values: [low, high]}} where they ascend in seriousness. Values are taken as
// they are written, so that no, 1.0 and null are texts. name is what errors call the file.
func ReadScales(r io.Reader, name string) (map[string]Scale, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxScales+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxScales {
		return nil, usage(name, "the labels file is larger than %d KiB", maxScales>>10)
	}
	root, err := parseNodes(data)
	if errors.Is(err, io.EOF) {
		return nil, usage(name, "the labels file is empty: want {column: [value, value]}")
	}
	if err != nil {
		return nil, usage(name, "%v", err)
	}
	p := scaleParser{name: name, scales: map[string]Scale{}}
	if err := p.file(root); err != nil {
		return nil, err
	}
	return p.scales, nil
}

// parseNodes gives the nodes of a YAML or JSON document. JSON is read by its own rules: its tabs and some of its escapes
// are not YAML.
func parseNodes(data []byte) (*yaml.Node, error) {
	if json.Valid(data) {
		p := jsonNodes{dec: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
		p.dec.UseNumber()
		return p.next()
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, errors.New("the labels file has more than one document: want one")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return doc.Content[0], nil
}

// jsonNodes reads JSON into the nodes of YAML.
type jsonNodes struct {
	dec  *json.Decoder
	data []byte
	at   int64 // up to where lines are counted
	line int
}

// next gives the next value.
func (p *jsonNodes) next() (*yaml.Node, error) {
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	end := p.dec.InputOffset()
	p.line += bytes.Count(p.data[p.at:end], []byte("\n"))
	p.at = end
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: p.line}
	switch v := token.(type) {
	case string:
		n.Tag, n.Value = "!!str", v
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case json.Delim:
		n.Kind = yaml.SequenceNode
		if v == '{' {
			n.Kind = yaml.MappingNode
		}
		for p.dec.More() {
			item, err := p.next()
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		if _, err := p.dec.Token(); err != nil { // the bracket that closes
			return nil, err
		}
	default: // a number, or nil for null
		n.Value = fmt.Sprint(v)
		if v == nil {
			n.Value = "null"
		}
	}
	return n, nil
}

// scaleParser reads the nodes of a labels file.
type scaleParser struct {
	name   string
	scales map[string]Scale
}

func (p *scaleParser) fail(n *yaml.Node, format string, args ...any) error {
	return usage(p.name, "line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

func (p *scaleParser) file(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return p.fail(n, "want label columns with their values, {column: [value, value]}")
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		column, err := p.text(key, "a column's name")
		if err != nil {
			return err
		}
		if err := CheckLabelName(column); err != nil {
			return p.fail(key, "%v", err)
		}
		if _, ok := p.scales[column]; ok {
			return p.fail(key, "column %q is there twice", column)
		}
		if p.scales[column], err = p.scale(column, value); err != nil {
			return err
		}
	}
	return nil
}

func (p *scaleParser) scale(column string, n *yaml.Node) (Scale, error) {
	var s Scale
	if n.Kind == yaml.SequenceNode {
		values, err := p.values(column, n)
		s.Values = values
		return s, err
	}
	if n.Kind != yaml.MappingNode {
		return s, p.fail(n, "column %q: want a list of values, or {ordered: true, values: [value, value]}", column)
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if seen[key.Value] {
			return s, p.fail(key, "column %q: key %q is there twice", column, key.Value)
		}
		seen[key.Value] = true
		var err error
		switch key.Value {
		case "ordered":
			if value.Tag != "!!bool" || value.Decode(&s.Ordered) != nil {
				err = p.fail(value, "column %q: ordered is %q: want true or false", column, shorten(value.Value))
			}
		case "values":
			s.Values, err = p.values(column, value)
		default:
			err = p.fail(key, "column %q: unknown key %q: the keys are ordered and values", column, shorten(key.Value))
		}
		if err != nil {
			return s, err
		}
	}
	if !seen["values"] {
		return s, p.fail(n, "column %q has no values: want values: [value, value]", column)
	}
	return s, nil
}

func (p *scaleParser) values(column string, n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.fail(n, "column %q: want a list of values", column)
	}
	if k := len(n.Content); k < 2 || k > MaxValues {
		return nil, p.fail(n, "column %q has %d values: want 2 to %d", column, k, MaxValues)
	}
	values := make([]string, 0, len(n.Content))
	seen := make(map[string]bool, len(n.Content))
	for _, item := range n.Content {
		v, err := p.text(item, fmt.Sprintf("a value of column %q", column))
		if err != nil {
			return nil, err
		}
		if seen[v] {
			return nil, p.fail(item, "column %q: value %q is there twice", column, shorten(v))
		}
		seen[v] = true
		values = append(values, v)
	}
	return values, nil
}

func (p *scaleParser) text(n *yaml.Node, what string) (string, error) {
	v := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || v == "" || len(v) > MaxValueLen {
		return "", p.fail(n, "%s has to be a text of 1 to %d bytes", what, MaxValueLen)
	}
	return v, nil
}
