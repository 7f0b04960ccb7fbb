package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// keyFinder looks for keys of a file that its type does not know. It puts the nearest known key in the place of a mistyped one, so
// that the rest of the file is checked as it was meant, and takes the others out.
type keyFinder struct {
	file     string
	top      reflect.Type
	seen     map[*yaml.Node]bool // an anchor may stand in itself
	problems Problems
}

// mend gives the problems of a file's keys.
func (f *keyFinder) mend(root *yaml.Node, t reflect.Type) Problems {
	f.top, f.seen = t, map[*yaml.Node]bool{}
	f.walk(root, t)
	return f.problems
}

func (f *keyFinder) walk(n *yaml.Node, t reflect.Type) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || f.seen[n] {
		return
	}
	f.seen[n] = true
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n.Kind == yaml.DocumentNode:
		for _, c := range n.Content {
			f.walk(c, t)
		}
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			f.walk(c, t.Elem())
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.String && len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode && n.Content[1].Kind == yaml.ScalarNode:
		f.unquoted(n)
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		f.values(n, t.Key())
		for i := 1; i < len(n.Content); i += 2 {
			f.walk(n.Content[i], t.Elem())
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		f.mapping(n, fieldsOf(t))
	}
}

// unquoted makes a text of what YAML took for a key with its value, because the text holds ": " and no quotes around it.
func (f *keyFinder) unquoted(n *yaml.Node) {
	f.problems = append(f.problems, Problem{File: f.file, Line: n.Line, Message: wrongKindOf(kinds["str"], "map")})
	key, value := n.Content[0], n.Content[1]
	*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: key.Value + ": " + value.Value, Line: n.Line, Column: n.Column}
}

// values mends keys that are values of a fact. One that is like none is left to the check, which names what is allowed.
func (f *keyFinder) values(n *yaml.Node, key reflect.Type) {
	var known []string
	switch key {
	case reflect.TypeFor[triage.Deadline]():
		known = []string{string(triage.Days), string(triage.Hours)}
	case reflect.TypeFor[triage.Effort]():
		for _, e := range triage.Efforts() {
			known = append(known, string(e))
		}
	}
	there := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		there[n.Content[i].Value] = true
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if nearest := near.Word(k.Value, known); nearest != "" && k.Kind == yaml.ScalarNode && !slices.Contains(known, k.Value) && !there[nearest] {
			f.unknown(k, nearest, known)
			k.Value, there[nearest] = nearest, true
		}
	}
}

// mapping looks at the keys of one mapping.
func (f *keyFinder) mapping(n *yaml.Node, fields map[string]reflect.Type) {
	known := make([]string, 0, len(fields))
	for k := range fields {
		known = append(known, k)
	}
	sort.Strings(known)
	there := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		there[n.Content[i].Value] = true
	}
	kept := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			f.seen[key] = true
			f.mergeInto(value, fields)
			kept = append(kept, key, value)
			continue
		}
		if _, ok := fields[key.Value]; !ok {
			nearest := near.Word(key.Value, known)
			f.unknown(key, nearest, known)
			if nearest == "" || there[nearest] || key.Kind != yaml.ScalarNode {
				continue
			}
			key.Value, there[nearest] = nearest, true
		}
		f.walk(value, fields[key.Value])
		kept = append(kept, key, value)
	}
	n.Content = kept
}

// mergeInto looks at what "<<" merges: a mapping, an alias of one, or a list of them.
func (f *keyFinder) mergeInto(n *yaml.Node, fields map[string]reflect.Type) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || f.seen[n] {
		return
	}
	f.seen[n] = true
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			f.mergeInto(c, fields)
		}
	case yaml.MappingNode:
		f.mapping(n, fields)
	default: // the decoder refuses it
	}
}

// unknown says that a key is not known, and what may have been meant.
func (f *keyFinder) unknown(key *yaml.Node, nearest string, known []string) {
	p := Problem{File: f.file, Line: key.Line}
	name := key.Value
	if key.Kind != yaml.ScalarNode {
		name = "a list or mapping"
	}
	p.Message = fmt.Sprintf("there is no key %q here: look at its spelling and its indent", name)
	switch homes := homesOf(f.top, name); {
	case nearest != "":
		p.Message = fmt.Sprintf("there is no key %q here; did you mean %s?", name, nearest)
	case slices.Contains(homes, "the top of the file"):
		p.Message = fmt.Sprintf("there is no key %q here: it stands at the top of the file, so take away the blanks before it", name)
	case len(homes) > 0:
		p.Message = fmt.Sprintf("there is no key %q here: it stands under %s, indented by two blanks more", name, strings.Join(homes, ", "))
	case len(known) > 0:
		p.Message += "; known here are " + strings.Join(known, ", ")
	}
	f.problems = append(f.problems, p)
}

// fieldsOf gives the keys that a struct has in YAML, with the types of their values.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		x := t.Field(i)
		name, options, _ := strings.Cut(x.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			for k, v := range fieldsOf(x.Type) {
				out[k] = v
			}
		case name != "-" && name != "":
			out[name] = x.Type
		}
	}
	return out
}

// homesOf gives where a key of a file's type belongs, by the keys above it.
func homesOf(t reflect.Type, key string) []string {
	var out []string
	top := fieldsOf(t)
	if _, ok := top[key]; ok {
		return []string{"the top of the file"}
	}
	for name, x := range top {
		for x.Kind() == reflect.Slice || x.Kind() == reflect.Map {
			x = x.Elem()
		}
		if x.Kind() == reflect.Struct {
			if _, ok := fieldsOf(x)[key]; ok {
				out = append(out, name)
			}
		}
	}
	sort.Strings(out)
	return out
}
