package scenario

import (
	"fmt"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Problem is a mistake in a file of the bank.
type Problem struct {
	File    string
	Line    int // 1-based; 0 if it concerns the whole file
	Message string
}

// String renders the problem as file:line: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Problems are all mistakes that were found; as an error they are printed a line each.
type Problems []Problem

// Error joins the problems, a line each.
func (p Problems) Error() string {
	out := make([]string, len(p))
	for i, x := range p {
		out[i] = x.String()
	}
	return strings.Join(out, "\n")
}

func (p Problems) sort() {
	sort.SliceStable(p, func(i, j int) bool {
		if p[i].File != p[j].File {
			return p[i].File < p[j].File
		}
		return p[i].Line < p[j].Line
	})
}

// locator finds the lines of places in a YAML file.
type locator struct {
	file string
	root yaml.Node
}

// line gives the line of the key or item under the given keys and indexes, or of the deepest one on the way that exists.
func (l *locator) line(place ...any) int {
	n := &l.root
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	line := n.Line
	for _, p := range place {
		next, at := child(n, p)
		if next == nil {
			break
		}
		n, line = next, at
	}
	return line
}

// node gives the node under the given keys and indexes, or nil.
func (l *locator) node(place ...any) *yaml.Node {
	n := &l.root
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, p := range place {
		if n, _ = child(n, p); n == nil {
			return nil
		}
	}
	return n
}

// child gives the value under a key or index, and the line where the key or item begins.
func child(n *yaml.Node, p any) (*yaml.Node, int) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch p := p.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return nil, 0
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == p {
				return n.Content[i+1], n.Content[i].Line
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && p < len(n.Content) {
			return n.Content[p], n.Content[p].Line
		}
	}
	return nil, 0
}

func (l *locator) problem(message string, place ...any) Problem {
	return Problem{File: l.file, Line: l.line(place...), Message: message}
}
