package costs

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/triage"
)

// maxFile is the largest cost matrix that is read, in bytes: 1 MiB.
const maxFile = 1 << 20

// maxCost is the highest cost of one answer: sums of them stay exact enough.
const maxCost = 1e12

// Draft is a cost matrix as it was read, before its names and values are held against the fields that are played.
type Draft struct {
	name, unit string
	labels     []draftLabel
	refused    *float64
}

// draftLabel is an entry of labels.
type draftLabel struct {
	name                        string
	line                        int
	pairs                       []draftPair
	wrong, under, over, missing *float64
	ordered                     bool
	orderedLine                 int
}

type draftPair struct {
	truth, answer         string
	truthLine, answerLine int
	cost                  float64
}

// Read reads a cost matrix in YAML (or JSON). name is what messages call the file. An error has [triage.CodeUsage], or CodeFiles where the
// file cannot be read; it names the line, the value and what is allowed.
func Read(r io.Reader, name string) (*Draft, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, &triage.Error{Code: triage.CodeFiles, Message: "read " + name, Err: err}
	}
	p := reader{Draft{name: name}}
	if len(data) > maxFile {
		return nil, p.refuse(0, "it is longer than %d MiB", maxFile>>20)
	}
	dec := yaml.NewDecoder(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, p.refuse(0, "it is empty; %s", wantFile)
	} else if err != nil {
		return nil, p.refuse(0, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, p.refuse(0, "it has more than one document; allowed is one")
	}
	if err := p.file(doc.Content[0]); err != nil {
		return nil, err
	}
	return &p.Draft, nil
}

const (
	wantFile  = "allowed are labels, refused and unit, and labels must be there"
	wantLabel = "allowed are costs, ordered, wrong and missing"
)

type reader struct{ Draft }

// refuse is the error of a place in the file; line 0 is the file as a whole.
func (d *Draft) refuse(line int, format string, args ...any) error {
	place := d.name
	if line > 0 {
		place += ":" + strconv.Itoa(line)
	}
	return &triage.Error{Code: triage.CodeUsage, Message: "cost matrix " + place + ": " + fmt.Sprintf(format, args...)}
}

// each calls f for each entry of a mapping, whose keys may occur once.
func (p *reader) each(n *yaml.Node, what, allowed string, f func(key *yaml.Node, value *yaml.Node) error) error {
	if n.Kind == yaml.AliasNode {
		return p.refuse(n.Line, "%s is an alias (*%s): write it out", what, n.Value)
	}
	if n.Kind != yaml.MappingNode {
		return p.refuse(n.Line, "%s is %s; allowed is a mapping: %s", what, shown(n), allowed)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return p.refuse(key.Line, "a key of %s is %s; %s", what, shown(key), allowed)
		}
		if seen[key.Value] {
			return p.refuse(key.Line, "%s has %q twice", what, cut(key.Value))
		}
		seen[key.Value] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// number reads a cost.
func (p *reader) number(n *yaml.Node, what string) (*float64, error) {
	const allowed = "allowed is a number from 0 to 1000000000000"
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" {
		return nil, p.refuse(n.Line, "%s is %s; %s", what, shown(n), allowed)
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
	if err != nil || !(v >= 0 && v <= maxCost) {
		return nil, p.refuse(n.Line, "%s is %s; %s", what, cut(n.Value), allowed)
	}
	v = math.Abs(v) // −0 is 0
	return &v, nil
}

func (p *reader) file(n *yaml.Node) error {
	err := p.each(n, "the file", wantFile, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "unit":
			if value.Kind != yaml.ScalarNode || value.Tag == "!!null" || len(value.Value) > maxUnit {
				return p.refuse(value.Line, "unit is %s; allowed is a short text such as EUR", shown(value))
			}
			p.unit = value.Value
		case "refused":
			p.refused, err = p.number(value, "refused")
		case "labels":
			err = p.each(value, "labels", wantLabel+", by label", p.label)
		default:
			err = p.refuse(key.Line, "unknown key %q; %s", cut(key.Value), wantFile)
		}
		return err
	})
	if err == nil && len(p.labels) == 0 {
		err = p.refuse(n.Line, "there are no labels; %s", wantFile)
	}
	return err
}

const maxUnit = 20

func (p *reader) label(name, n *yaml.Node) error {
	l := draftLabel{name: name.Value, line: name.Line}
	err := p.each(n, name.Value, wantLabel, func(key, value *yaml.Node) (err error) {
		what := cut(name.Value) + ": " + cut(key.Value)
		switch key.Value {
		case "wrong":
			l.wrong, err = p.number(value, what)
		case "missing":
			l.missing, err = p.number(value, what)
		case "ordered":
			l.ordered, l.orderedLine = true, key.Line
			err = p.steps(&l, value, what)
		case "costs":
			err = p.each(value, what, "the right value, with what each answer costs", func(truth, answers *yaml.Node) error {
				return p.each(answers, what+": "+cut(truth.Value), "each answer with its cost", func(answer, cost *yaml.Node) error {
					v, err := p.number(cost, what+": "+cut(truth.Value)+": "+cut(answer.Value))
					if err == nil {
						l.pairs = append(l.pairs, draftPair{truth.Value, answer.Value, truth.Line, answer.Line, *v})
					}
					return err
				})
			})
		default:
			err = p.refuse(key.Line, "%s: unknown key %q; %s", cut(name.Value), cut(key.Value), wantLabel)
		}
		return err
	})
	if err == nil && !l.ordered && l.wrong == nil && len(l.pairs) == 0 {
		err = p.refuse(name.Line, "%s has no cost of a wrong answer: give costs, ordered or wrong", cut(name.Value))
	}
	p.labels = append(p.labels, l)
	return err
}

func (p *reader) steps(l *draftLabel, n *yaml.Node, what string) error {
	const allowed = "under and over, each with the cost of a step"
	err := p.each(n, what, allowed, func(key, value *yaml.Node) (err error) {
		switch key.Value {
		case "under":
			l.under, err = p.number(value, what+": under")
		case "over":
			l.over, err = p.number(value, what+": over")
		default:
			err = p.refuse(key.Line, "%s: unknown key %q; allowed are %s", what, cut(key.Value), allowed)
		}
		return err
	})
	if err == nil && (l.under == nil || l.over == nil) {
		err = p.refuse(l.orderedLine, "%s needs %s", what, allowed)
	}
	return err
}

// shown says what a node is, for a message.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "empty"
		}
		return strconv.Quote(cut(n.Value))
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	}
	return "an alias"
}

// cut shortens a text of the file for a message, and leaves out control characters.
func cut(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
