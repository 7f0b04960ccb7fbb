package tmpl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// expr is a value: a literal, the dot, a variable, a call of a function or what stands in parentheses, and then fields of it.
type expr struct {
	kind  byte // a token's kind; '(' for parentheses
	text  string
	value reflect.Value // of a literal
	args  []*expr       // of a call, or the one in parentheses
	path  []string
}

// mostShown is how many bytes of a piece of the template a message shows.
const mostShown = 200

// String writes the expression as it stands in the template, for messages: texts quoted, and cut where it is long.
func (e *expr) String() string {
	var b strings.Builder
	e.show(&b)
	return cut(b.String())
}

// show writes the expression, but not much further than a message shows.
func (e *expr) show(b *strings.Builder) {
	switch {
	case e.kind == tText:
		b.WriteString(strconv.Quote(e.value.String()))
	case e.kind == tField && e.path == nil:
		b.WriteString(".")
	case e.kind != tField:
		b.WriteString(e.text)
	}
	for i, a := range e.args {
		if b.Len() > mostShown {
			return
		}
		if i > 0 || e.kind == tWord {
			b.WriteString(" ")
		}
		a.show(b)
	}
	if e.kind == '(' {
		b.WriteString(")")
	}
	for _, f := range e.path {
		if b.Len() > mostShown {
			return
		}
		b.WriteString("." + f)
	}
}

func cut(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return strings.ToValidUTF8(s[:mostShown], "") + "…"
}

// expr reads a call of a function, or a single operand.
func (p *parser) expr() (*expr, error) {
	e, err := p.operand()
	if err != nil || e.kind != tWord {
		return e, err
	}
	for len(p.tokens) > 0 && p.tokens[0].kind != ')' {
		if !p.tokens[0].space {
			return nil, p.errorf("unexpected %.100q: a space must stand before it", p.tokens[0].text)
		}
		arg, err := p.operand()
		if err != nil {
			return nil, err
		}
		if arg.kind == tWord {
			return nil, p.errorf("the call of %s must stand in parentheses: (%s …)", arg.text, arg.text)
		}
		e.args = append(e.args, arg)
	}
	low, high := arity(e.text)
	if n := len(e.args); n < low || n > high {
		return nil, p.errorf("%s takes %s; here are %d", e.text, counted(low, high), n)
	}
	return e, nil
}

func counted(low, high int) string {
	switch {
	case high == 1:
		return "one value"
	case low == high:
		return fmt.Sprintf("%d values", low)
	case low == 1:
		return "one value or more"
	}
	return fmt.Sprintf("%d values or more", low)
}

func (p *parser) operand() (*expr, error) {
	if len(p.tokens) == 0 {
		return nil, p.errorf("a value is missing")
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	e := &expr{kind: t.kind, text: t.text}
	var err error
	switch t.kind {
	case tText:
		var s string
		if s, err = strconv.Unquote(t.text); err != nil {
			return nil, p.errorf("%.100q is no text: what follows \\ must be one of a b f n r t v \\ \" x u U or three octal digits", t.text)
		}
		e.value = reflect.ValueOf(s)
	case tConstant:
		var i int
		digits := strings.TrimLeft(t.text, "+-")
		if i, err = strconv.Atoi(t.text); err != nil || len(digits) > 1 && digits[0] == '0' {
			return nil, p.errorf("%.100s is no whole number, or too large", t.text)
		}
		e.value = reflect.ValueOf(i)
	case tField, tVariable:
		base, rest, _ := strings.Cut(t.text, ".")
		if e.text = base; rest != "" {
			e.path = strings.Split(rest, ".")
		}
		if len(e.path) > mostFields {
			return nil, p.errorf("more than %d fields of one another: %.100s…", mostFields, t.text)
		}
		if e.kind == tVariable && !slices.Contains(p.vars, base) {
			return nil, p.errorf("there is no variable %.100s here; there are %s", base, cut(strings.Join(p.vars, ", ")))
		}
	case '(':
		return e, p.parenthesis(e)
	case tWord:
		if t.text == "true" || t.text == "false" {
			e.kind, e.value = tConstant, reflect.ValueOf(t.text == "true")
			break
		}
		if !slices.Contains(p.known, t.text) {
			return nil, p.unknown(t.text, p.count == 1)
		}
	default:
		return nil, p.errorf("unexpected %.100q where a value must stand", t.text)
	}
	return e, nil
}

// parenthesis reads what stands in parentheses, and the fields after them.
func (p *parser) parenthesis(e *expr) error {
	if p.depth++; p.depth > deepest {
		return p.errorf("more than %d actions or parentheses stand in one another", deepest)
	}
	defer func() { p.depth-- }()
	inner, err := p.expr()
	if err != nil {
		return err
	}
	if len(p.tokens) == 0 || p.tokens[0].kind != ')' {
		return p.errorf("a parenthesis is not closed: write )")
	}
	e.args = []*expr{inner}
	p.tokens = p.tokens[1:]
	if len(p.tokens) > 0 && p.tokens[0].kind == tField && !p.tokens[0].space && p.tokens[0].text != "." {
		e.path = strings.Split(p.tokens[0].text[1:], ".")
		if len(e.path) > mostFields {
			return p.errorf("more than %d fields of one another: %.100s…", mostFields, p.tokens[0].text)
		}
		p.tokens = p.tokens[1:]
	}
	return nil
}

// functions names all functions, sorted.
func (t *Template) functions() []string {
	known := slices.Sorted(maps.Keys(t.options.Funcs))
	for f := range builtins {
		known = append(known, f)
	}
	slices.Sort(known)
	return known
}

// unknown says what words there are, and which may have been meant. The rest of the action stands in p.tokens.
func (p *parser) unknown(w string, alone bool) error {
	list := strings.Join(keywords[:len(keywords)-1], ", ") + " and " + keywords[len(keywords)-1] + ", and the functions " + strings.Join(p.known, ", ")
	if text := p.refused(w); text != "" {
		return p.errorf("%s is not in the language: %s", w, text)
	}
	return p.errorf("unknown word %.100s; allowed are %s%s", w, list, p.instead(w, p.known, alone))
}
