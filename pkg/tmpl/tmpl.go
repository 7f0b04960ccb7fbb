// Package tmpl fills in the templates of the program, its pages and its prompts: a small part of the language of Go's
// text/template, with the same output, and a mode for HTML.
//
// It is no replacement for text/template. It calls no methods of values, which it would have to look up by name: a program that
// does that must keep every exported method of every type, megabytes of them. It also has no pipelines with |, no assignment,
// printf, block, break or continue; docs/prompts.md lists what there is. A template that goes beyond it is refused.
//
// Start with [Parse].
package tmpl

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/near"
)

// HTML is text that is printed as it is between the tags of a page. Who makes one has escaped it.
type HTML string

// Code is text that is printed as it is within a script or style element; nothing else may be. It must not hold the end of such
// an element, nor a comment's beginning.
type Code string

// Func is a function that a template can call, with one argument. What it gives is printed like any value.
type Func func(v any) (any, error)

// Options are the ways to read a template.
type Options struct {
	// HTML escapes every printed value for its place. A value may stand between tags and in quoted attributes that are no script or
	// style; in an attribute that holds an address, one with a scheme other than http, https and mailto becomes #unsafe.
	HTML bool
	// Example is a value of the type that will be printed, or nil: where a template has a word that is none, its error names the field
	// that may be meant.
	Example any
	// Funcs are the functions beside those of the language, by name.
	Funcs map[string]Func
}

// Template is a file with its parts, ready to print. It does not change and is safe for several goroutines.
type Template struct {
	parts   map[string]*part // the file's own text under the empty name
	options Options
}

// part is what a {{define}} holds, or a file.
type part struct {
	nodes []*node
	where place
}

// place is where something stands.
type place struct {
	file string
	line int
}

func (p place) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.file, p.line, fmt.Errorf(format, args...))
}

// Parse reads a template; name, which errors show, is its file's. An error names file and line, what stands there and what may.
func Parse(name, text string, o Options) (*Template, error) {
	t := &Template{parts: map[string]*part{}, options: o}
	if err := t.add(name, text, true); err != nil {
		return nil, err
	}
	return t, t.complete()
}

// ParseFS reads the template of the first file; of the others only what they define counts.
func ParseFS(files fs.FS, o Options, names ...string) (*Template, error) {
	t := &Template{parts: map[string]*part{}, options: o}
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := t.add(name, string(text), i == 0); err != nil {
			return nil, err
		}
	}
	return t, t.complete()
}

// Must gives t, and panics with err if there is one: for templates that are part of the program.
func Must(t *Template, err error) *Template {
	if err != nil {
		panic("template " + err.Error())
	}
	return t
}

// Defines tells whether the template has a part of the name.
func (t *Template) Defines(name string) bool { return name != "" && t.parts[name] != nil }

// Parts names the parts that the template defines, sorted.
func (t *Template) Parts() []string {
	out := slices.Sorted(maps.Keys(t.parts))
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

// Calls tells whether any {{template}} names a part.
func (t *Template) Calls(name string) bool {
	for _, p := range t.parts {
		if called(p.nodes, name) {
			return true
		}
	}
	return false
}

func called(nodes []*node, name string) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool {
		return n.kind == callNode && n.text == name || called(n.body, name) || called(n.other, name)
	})
}

// Execute prints a part, or with an empty name the file itself. An error is that of w as it is, or names file and line.
func (t *Template) Execute(w io.Writer, part string, data any) error {
	return t.run(&run{w: w}, part, reflect.ValueOf(data))
}

// Check finds what [Template.Execute] would stumble over in data of the type of this one: fields that do not exist, lists that are
// none, comparisons of unlike values, in every branch and whatever the values are.
func (t *Template) Check(part string, data any) error {
	return t.run(&run{w: io.Discard, dry: true, seen: map[visit]bool{}}, part, reflect.ValueOf(data))
}

func (t *Template) run(r *run, part string, data reflect.Value) error {
	p := t.parts[part]
	if p == nil {
		return fmt.Errorf("the template does not define %q; it defines %s%s", part, t.names(), near.Hint(part, t.Parts()))
	}
	r.t = t
	r.vars = []variable{{"$", data}}
	return r.list(p.nodes, data)
}

// names lists the parts for people.
func (t *Template) names() string {
	var out []string
	for _, name := range t.Parts() {
		out = append(out, fmt.Sprintf("%q", name))
	}
	if out == nil {
		return "nothing"
	}
	return cut(strings.Join(out, ", "))
}

// complete looks at the whole once all files are read: calls of parts, and in HTML the places of values.
func (t *Template) complete() error {
	for _, name := range slices.Sorted(maps.Keys(t.parts)) {
		p := t.parts[name]
		if err := t.calls(p.nodes); err != nil {
			return err
		}
		if !t.options.HTML {
			continue
		}
		end, err := markup(p.nodes, spot{})
		if err == nil && end != (spot{}) {
			err = p.where.errorf("a part must end between tags; this one ends %s", end)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Template) calls(nodes []*node) error {
	for _, n := range nodes {
		if n.kind == callNode && !t.Defines(n.text) {
			return n.where.errorf("{{template %.100q}}: no such part; the template defines %s%s", n.text, t.names(), near.Hint(n.text, t.Parts()))
		}
		if err := t.calls(n.body); err != nil {
			return err
		}
		if err := t.calls(n.other); err != nil {
			return err
		}
	}
	return nil
}
