package tmpl

import (
	"reflect"
	"strconv"
	"strings"
)

// kinds of nodes
const (
	textNode  = 't'
	printNode = 'p'
	ifNode    = 'i'
	withNode  = 'w'
	rangeNode = 'r'
	callNode  = 'c'
)

// node is a text or an action with what is inside of it.
type node struct {
	kind        byte
	where       place
	text        string   // of a text; of a call, the part's name
	vars        []string // that the action declares
	expr        *expr
	body, other []*node
	escape      escape // of printed values
}

// The bounds of a template: how far actions and parentheses may stand in one another, how many variables there may be at one place,
// how many fields one may take of another, and how many bytes a file may have.
const (
	deepest       = 100
	mostVariables = 100
	mostFields    = 100
	mostBytes     = 1 << 20
)

// parser reads the actions of one file.
type parser struct {
	lexer
	t      *Template
	vars   []string
	tokens []token // what is left of the action
	action place   // of the action
	count  int     // of its tokens
	depth  int
}

// add reads a file; its own text counts if it is the main one.
func (t *Template) add(file, text string, main bool) error {
	if len(text) > mostBytes {
		return place{file, 1}.errorf("the file has %d bytes, and may have %d", len(text), mostBytes)
	}
	p := &parser{t: t, lexer: lexer{src: text, at: place{file, 1}, fields: fieldNames(reflect.TypeOf(t.options.Example), true), known: t.functions()}, vars: []string{"$"}}
	nodes, _, err := p.list("")
	if err == nil && main {
		t.parts[""] = &part{nodes, place{file, 1}}
	}
	return err
}

func (p *parser) errorf(format string, args ...any) error { return p.action.errorf(format, args...) }

// list reads up to the {{end}} or {{else}} of what is open, or with nothing open to the end of the file.
func (p *parser) list(open string) (nodes []*node, ended string, err error) {
	begun, vars := p.action.line, len(p.vars)
	defer func() { p.vars = p.vars[:vars] }()
	if p.depth++; p.depth > deepest {
		return nil, "", p.errorf("more than %d actions or parentheses stand in one another", deepest)
	}
	defer func() { p.depth-- }()
	var merged strings.Builder
	for {
		n := &node{kind: textNode, where: p.at}
		text, action, at, more, err := p.next()
		if err != nil {
			return nil, "", err
		}
		if n.text = text; text != "" && len(nodes) > 0 && nodes[len(nodes)-1].kind == textNode { // a comment was between them
			merged.WriteString(text)
			nodes[len(nodes)-1].text = merged.String()
		} else if text != "" {
			merged.Reset()
			merged.WriteString(text)
			nodes = append(nodes, n)
		}
		if !more && open != "" {
			return nil, "", at.errorf("the file ends inside of the {{%s}} of line %d: write {{end}}", open, begun)
		}
		if !more {
			return nodes, "", nil
		}
		if len(action) == 0 { // a comment
			continue
		}
		p.tokens, p.count, p.action = action, len(action), at
		if w := action[0].text; w == "end" || w == "else" {
			if open == "" {
				return nil, "", p.errorf("unexpected {{%s}}: nothing is open; {{if}}, {{with}}, {{range}} and {{define}} open something", w)
			}
			p.tokens = action[1:]
			return nodes, w, nil
		}
		if n, err = p.node(open); err != nil {
			return nil, "", err
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
}

// node reads an action that is no end; a definition gives none.
func (p *parser) node(open string) (*node, error) {
	if p.tokens[0].kind == tWord {
		switch w := p.tokens[0].text; w {
		case "if", "with", "range":
			p.tokens = p.tokens[1:]
			return p.control(w)
		case "define":
			return nil, p.define(open)
		case "template":
			return p.call()
		}
	}
	n := &node{kind: printNode, where: p.action}
	return n, p.pipe(n, "the action")
}

// control reads an {{if}}, {{with}} or {{range}} up to its end.
func (p *parser) control(w string) (*node, error) {
	vars := len(p.vars)
	defer func() { p.vars = p.vars[:vars] }()
	n := &node{kind: w[0], where: p.action}
	err := p.pipe(n, "{{"+w+"}}")
	if err != nil {
		return nil, err
	}
	var ended string
	if n.body, ended, err = p.list(w); err != nil {
		return nil, err
	}
	if ended == "else" && w == "if" && len(p.tokens) > 0 && p.tokens[0].text == "if" {
		p.tokens = p.tokens[1:]
		p.depth++ // each {{else if}} stands in the one before
		defer func() { p.depth-- }()
		next, err := p.control(w)
		n.other = []*node{next}
		return n, err
	}
	if err := p.over("{{" + ended + "}}"); err != nil || ended == "end" {
		return n, err
	}
	p.action.line = n.where.line
	if n.other, ended, err = p.list(w); err != nil {
		return nil, err
	}
	if ended == "else" {
		return nil, p.errorf("a second {{else}} for the {{%s}} of line %d: write {{end}}", w, n.where.line)
	}
	return n, p.over("{{end}}")
}

// over tells whether the action ends here.
func (p *parser) over(after string) error {
	if len(p.tokens) == 0 {
		return nil
	}
	return p.errorf("unexpected %.100q after %s", p.tokens[0].text, after)
}

// named reads the name that {{define}} and {{template}} have.
func (p *parser) named() (string, error) {
	w := p.tokens[0].text
	if len(p.tokens) < 2 || p.tokens[1].kind != tText {
		return "", p.errorf(`a name in quotes must follow: {{%s "name"}}`, w)
	}
	s, err := strconv.Unquote(p.tokens[1].text)
	if err != nil {
		return "", p.errorf("%.100q is no name", p.tokens[1].text)
	}
	if s == "" {
		return "", p.errorf("a part must have a name")
	}
	p.tokens = p.tokens[2:]
	return s, nil
}

func (p *parser) define(open string) error {
	at := p.action
	name, err := p.named()
	switch {
	case err != nil:
		return err
	case open != "":
		return p.errorf("{{define %.100q}} must not stand inside of {{%s}}: an {{end}} is missing before it", name, open)
	case p.t.parts[name] != nil:
		first := p.t.parts[name].where
		return p.errorf("%.100q is defined already, on line %d of %s", name, first.line, first.file)
	}
	if err := p.over("the name"); err != nil {
		return err
	}
	vars := p.vars
	p.vars = []string{"$"}
	nodes, ended, err := p.list("define")
	p.vars = vars
	if err != nil {
		return err
	}
	if ended == "else" {
		return p.errorf("unexpected {{else}} in the {{define %.100q}} of line %d: write {{end}}", name, at.line)
	}
	p.t.parts[name] = &part{nodes, at}
	return p.over("{{end}}")
}

func (p *parser) call() (*node, error) {
	n := &node{kind: callNode, where: p.action}
	var err error
	if n.text, err = p.named(); err != nil || len(p.tokens) == 0 {
		return n, err
	}
	return n, p.pipe(n, "{{template}}")
}

// pipe reads the value of an action, and the variables that it declares.
func (p *parser) pipe(n *node, of string) error {
	for i := 0; i+1 < len(p.tokens) && p.tokens[i].kind == tVariable; i += 2 {
		if p.tokens[i+1].kind == ',' && i == 0 && n.kind == rangeNode {
			continue
		}
		if p.tokens[i+1].kind != tDeclare {
			break
		}
		for j := 0; j <= i; j += 2 {
			v := p.tokens[j].text
			if v == "$" || strings.Contains(v, ".") {
				return p.errorf("%.100s is no name for a variable of one's own, such as $x", v)
			}
			n.vars = append(n.vars, v)
		}
		p.tokens = p.tokens[i+2:]
		break
	}
	if len(p.tokens) == 0 {
		return p.errorf("%s has no value: write one, such as .Name or (eq .Name \"x\")", of)
	}
	var err error
	if n.expr, err = p.expr(); err != nil {
		return err
	}
	if p.vars = append(p.vars, n.vars...); len(p.vars) > mostVariables {
		return p.errorf("more than %d variables at one place", mostVariables)
	}
	return p.over("the value")
}
