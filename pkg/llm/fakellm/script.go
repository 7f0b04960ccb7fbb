package fakellm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Script says how a server answers. It is made by [ParseScript] and not changed after.
type Script struct {
	behaviour
	key         string
	models      []string
	byModel     map[string]*behaviour
	seed        int64
	maxInFlight int
	faults      []*fault
}

// behaviour is what can be another for each model.
type behaviour struct {
	answers      []string // in turn; nil: the right ones
	fallback     string
	hasFallback  bool
	noise        []rate
	values       map[string][]string // JSON values that a field can have
	forms        []weight
	usage        string
	bom          bool
	varyInFlight bool
	repeat       bool // chance is drawn anew each time that a request comes
	fingerprint  string
	latency      span
	quirks       []string
	quirkHas     map[string]bool
}

// rate is how often a field is answered wrongly, 0 to 1.
type rate struct {
	field string
	share float64
}

// weight is how often a form is chosen; the sum of all is 1.
type weight struct {
	form  string
	share float64
}

// span is a duration between two.
type span struct{ low, high time.Duration }

// Problem is one mistake in a script.
type Problem struct {
	File    string
	Line    int // from 1; 0: of the whole file
	Message string
}

// String gives "file:line: message".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Problems are all mistakes of a script, in the order of their lines.
type Problems []Problem

// Error gives a line a problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// ParseScript reads a script in YAML; name is what messages call it. An empty script gives right answers in plain JSON. The
// error is [Problems].
func ParseScript(text []byte, name string) (*Script, error) {
	r := &reader{file: name}
	s := &Script{behaviour: standard()}
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	err := dec.Decode(&doc)
	var more yaml.Node
	switch {
	case err != nil && strings.TrimSpace(withoutComments(text)) != "":
		r.yaml(err)
	case err == nil && dec.Decode(&more) == nil:
		r.fail(&more, "a second document begins here: a script is one document")
	case err == nil && len(doc.Content) == 1 && doc.Content[0].Tag != "!!null":
		r.script(doc.Content[0], s)
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return s, nil
}

func standard() behaviour {
	return behaviour{forms: []weight{{"exact", 1}}, usage: "right", fingerprint: "fp_fake"}
}

// withoutComments drops the lines that are comments only.
func withoutComments(text []byte) string {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// reader reads nodes and collects what is wrong with them.
type reader struct {
	file     string
	problems Problems
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{File: r.file, Line: n.Line, Message: fmt.Sprintf(format, args...)})
}

// yaml takes the line out of the decoder's message: "yaml: line 7: …".
func (r *reader) yaml(err error) {
	p := Problem{File: r.file, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	var te *yaml.TypeError
	if errors.As(err, &te) && len(te.Errors) > 0 {
		p.Message = te.Errors[0]
	}
	if n, rest, ok := strings.Cut(strings.TrimPrefix(p.Message, "line "), ": "); ok && strings.HasPrefix(p.Message, "line ") {
		if _, err := fmt.Sscanf(n, "%d", &p.Line); err == nil {
			p.Message = rest
		}
	}
	r.problems = append(r.problems, p)
}

// key is a key of a mapping and how its value is read.
type key struct {
	name string
	read func(n *yaml.Node)
}

// object reads a mapping of known keys, each once.
func (r *reader) object(n *yaml.Node, what string, keys []key) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is a mapping of keys to values, not %s", what, kindOf(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		var found *key
		for j := range keys {
			if keys[j].name == name.Value {
				found = &keys[j]
			}
		}
		switch {
		case found == nil:
			all := make([]string, len(keys))
			for j := range keys {
				all[j] = keys[j].name
			}
			r.fail(name, "unknown key %q of %s: the keys are %s", name.Value, what, strings.Join(all, ", "))
		case seen[name.Value]:
			r.fail(name, "key %q of %s is there twice", name.Value, what)
		default:
			found.read(deref(n.Content[i+1]))
		}
		seen[name.Value] = true
	}
}

// pairs calls f with the keys and values of a mapping.
func (r *reader) pairs(n *yaml.Node, what string, f func(name string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s is a mapping, not %s", what, kindOf(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i]; seen[name.Value] {
			r.fail(name, "%q of %s is there twice", name.Value, what)
		} else {
			seen[name.Value] = true
			f(name.Value, deref(n.Content[i+1]))
		}
	}
}

func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}
