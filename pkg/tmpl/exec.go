package tmpl

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// The bounds of what a template may do: parts that call one another so deep, and so many steps in all. An action, a text or a value
// is one, and so is each stepBytes of it that is written.
const (
	deepestCall = 100
	mostSteps   = 5_000_000
	stepBytes   = 16
)

var errSteps = fmt.Errorf("the template does more than %d steps, or writes more than %d MB", mostSteps, mostSteps*stepBytes/1_000_000)

// run is one printing of a template.
type run struct {
	t           *Template
	w           io.Writer
	vars        []variable
	printed     *expr          // the whole value of the action, where that is printed
	depth, done int            // of calls, and of steps
	dry         bool           // only look for faults: every branch, with values of the right type
	seen        map[visit]bool // of a dry run, the parts that it has been in
}

type variable struct {
	name  string
	value reflect.Value
}

// visit is a part with the type of its dot.
type visit struct {
	part string
	dot  reflect.Type
}

// unknown is a value in a dry run that has no type before the real one.
type unknown struct{}

var unknownValue = reflect.ValueOf(unknown{})

func isUnknown(v reflect.Value) bool { return v.IsValid() && v.Type() == unknownValue.Type() }

func (r *run) list(nodes []*node, dot reflect.Value) error {
	for _, n := range nodes {
		if err := r.node(n, dot); err != nil {
			return err
		}
	}
	return nil
}

// node prints one node. Variables of an action live as long as what is inside of it, those of a value as long as the list.
func (r *run) node(n *node, dot reflect.Value) error {
	if n.kind == textNode {
		return r.write(n, n.text)
	}
	if err := r.step(n, 1); err != nil {
		return err
	}
	var v reflect.Value
	if r.printed = nil; n.kind == printNode && len(n.vars) == 0 {
		r.printed = n.expr
	}
	if n.expr != nil {
		var err error
		if v, err = r.eval(n.expr, dot); err != nil {
			return n.where.errorf("%w", err)
		}
	}
	mark := len(r.vars)
	for _, name := range n.vars {
		r.vars = append(r.vars, variable{name, v})
	}
	switch n.kind {
	case printNode:
		if len(n.vars) > 0 {
			return nil
		}
		return r.print(n, v)
	case callNode:
		return r.call(n, v)
	}
	defer func() { r.vars = r.vars[:mark] }()
	if n.kind == rangeNode {
		return r.loop(n, v, dot)
	}
	return r.branch(n, v, dot)
}

// step counts what is done.
func (r *run) step(n *node, steps int) error {
	if r.done += steps; r.done > mostSteps {
		return n.where.errorf("%w", errSteps)
	}
	return nil
}

func (r *run) write(n *node, s string) error {
	if err := r.step(n, 1+len(s)/stepBytes); err != nil {
		return err
	}
	_, err := io.WriteString(r.w, s)
	return err
}

// inside prints a list whose variables end with it.
func (r *run) inside(nodes []*node, dot reflect.Value) error {
	mark := len(r.vars)
	err := r.list(nodes, dot)
	r.vars = r.vars[:mark]
	return err
}

func (r *run) branch(n *node, v, dot reflect.Value) error {
	inner := dot
	if n.kind == withNode {
		inner = v
	}
	if r.dry || truth(v) {
		if err := r.inside(n.body, inner); err != nil || !r.dry {
			return err
		}
	}
	return r.inside(n.other, dot)
}

func (r *run) call(n *node, dot reflect.Value) error {
	if r.dry {
		at := visit{part: n.text}
		if dot.IsValid() {
			at.dot = dot.Type()
		}
		if r.seen[at] {
			return nil
		}
		r.seen[at] = true
	}
	if r.depth++; r.depth > deepestCall {
		return n.where.errorf("{{template %q}}: parts call one another more than %d deep", n.text, deepestCall)
	}
	vars := r.vars
	r.vars = []variable{{"$", dot}}
	err := r.list(r.t.parts[n.text].nodes, dot)
	r.vars = vars
	r.depth--
	return err
}

// loop prints the body for each element. Maps go by their keys, in order.
func (r *run) loop(n *node, v, dot reflect.Value) error {
	v, _ = indirect(v)
	each := func(key, elem reflect.Value) error {
		top := r.vars[len(r.vars)-len(n.vars):]
		if len(n.vars) == 2 {
			top[0].value = key
		}
		if len(n.vars) > 0 {
			top[len(top)-1].value = elem
		}
		return r.inside(n.body, elem)
	}
	if r.dry && v.IsValid() {
		key, elem := unknownValue, unknownValue
		if listed(v) {
			key, elem = reflect.ValueOf(0), r.model(reflect.Zero(v.Type().Elem()))
		}
		if v.Kind() == reflect.Map {
			key = reflect.Zero(v.Type().Key())
		}
		if listed(v) || isUnknown(v) {
			if err := each(key, elem); err != nil {
				return err
			}
			return r.inside(n.other, dot)
		}
	}
	switch {
	case !v.IsValid():
	case !listed(v):
		return n.where.errorf("{{range}} needs a list or a map with texts as keys, and %s is %s", n.expr, sort(v))
	case v.Len() == 0:
	case v.Kind() == reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := each(k, v.MapIndex(k)); err != nil {
				return err
			}
		}
		return nil
	default:
		for i := range v.Len() {
			if err := each(reflect.ValueOf(i), v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return r.inside(n.other, dot)
}

// listed tells whether a value is a list, or a map that this package goes through.
func listed(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		return true
	case reflect.Map:
		return v.Type().Key().Kind() == reflect.String
	}
	return false
}

// model is what a dry run takes for a value: instead of nothing, something of the type that it would have.
func (r *run) model(v reflect.Value) reflect.Value {
	for r.dry && v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		switch {
		case !v.IsNil():
			v = v.Elem()
		case v.Kind() == reflect.Interface:
			return unknownValue
		default:
			v = reflect.Zero(v.Type().Elem())
		}
	}
	return v
}

// print writes a value as fmt does, escaped for its place.
func (r *run) print(n *node, v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v, _ = indirect(v)
	}
	if v.Kind() == reflect.Chan || v.Kind() == reflect.Func {
		return n.where.errorf("%s is %s, which cannot be printed", n.expr, sort(v))
	}
	var x any = "<no value>"
	if v.IsValid() {
		x = v.Interface()
		if v.CanAddr() && !told(x) && told(v.Addr().Interface()) {
			x = v.Addr().Interface()
		}
	} else if n.escape != plain {
		x = ""
	}
	if n.escape == plain || r.dry {
		return r.write(n, fmt.Sprint(x))
	}
	s, err := n.escape.apply(x)
	if err != nil {
		return n.where.errorf("%s: %w", n.expr, err)
	}
	return r.write(n, s)
}

// told tells whether a value says itself how it is printed.
func told(x any) bool {
	switch x.(type) {
	case fmt.Stringer, error:
		return true
	}
	return false
}
