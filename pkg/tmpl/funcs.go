package tmpl

import (
	"fmt"
	"math"
	"reflect"
)

// builtin is a function of the language: how many values it takes, and what it does. and and or are done by [run.apply].
type builtin struct {
	low, high int
	do        func(args []reflect.Value) (any, error)
}

const many = math.MaxInt

var builtins = map[string]builtin{
	"and": {1, many, nil}, "or": {1, many, nil},
	"not": {1, 1, func(a []reflect.Value) (any, error) { return !truth(a[0]), nil }},
	"len": {1, 1, length},
	"eq":  {2, many, func(a []reflect.Value) (any, error) { return equal(a[0], a[1:]...) }},
	"ne":  {2, 2, func(a []reflect.Value) (any, error) { same, err := equal(a[0], a[1]); return !same, err }},
	"lt":  {2, 2, func(a []reflect.Value) (any, error) { return less(a[0], a[1]) }},
	"ge":  {2, 2, func(a []reflect.Value) (any, error) { under, err := less(a[0], a[1]); return !under, err }},
	"le":  {2, 2, func(a []reflect.Value) (any, error) { return upTo(a[0], a[1]) }},
	"gt":  {2, 2, func(a []reflect.Value) (any, error) { within, err := upTo(a[0], a[1]); return !within, err }},
}

// arity is how many values a function takes; those that are passed in take one.
func arity(name string) (low, high int) {
	if b, ok := builtins[name]; ok {
		return b.low, b.high
	}
	return 1, 1
}

// apply calls a function. and and or look only at the values that they need, and give the one that decides.
func (r *run) apply(e *expr, dot reflect.Value) (reflect.Value, error) {
	args := make([]reflect.Value, len(e.args))
	open := false // whether a value has no type yet
	for i, a := range e.args {
		v, err := r.eval(a, dot)
		if err != nil {
			return v, err
		}
		if (e.text == "and" || e.text == "or") && !r.dry && (truth(v) == (e.text == "or") || i == len(args)-1) {
			return v, nil
		}
		args[i], open = v, open || isUnknown(v)
	}
	b, ok := builtins[e.text]
	switch {
	case r.dry && (open || !ok || b.do == nil):
		return unknownValue, nil
	case ok:
		v, err := b.do(args)
		return reflect.ValueOf(v), at(e, err)
	}
	var x any
	if args[0].IsValid() {
		x = args[0].Interface()
	}
	v, err := r.t.options.Funcs[e.text](x)
	return reflect.ValueOf(v), at(e, err)
}

func at(e *expr, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", e, err)
}

// indirect follows pointers and interfaces; none tells that one of them is nil.
func indirect(v reflect.Value) (to reflect.Value, isOther bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v, true
		}
		v = v.Elem()
	}
	return v, false
}

// held is what an interface holds.
func held(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

// truth tells whether a value counts as true: not false, 0, empty or nothing.
func truth(v reflect.Value) bool {
	v = held(v)
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Struct:
		return true
	case reflect.Array, reflect.Slice, reflect.Map, reflect.String:
		return v.Len() > 0
	case reflect.Float32, reflect.Float64:
		return v.Float() != 0
	}
	return !v.IsZero()
}

func length(a []reflect.Value) (any, error) {
	switch v, _ := indirect(a[0]); v.Kind() {
	case reflect.Array, reflect.Slice, reflect.Map, reflect.String:
		return v.Len(), nil
	default:
		return 0, fmt.Errorf("%s has no length", sort(v))
	}
}

// scalar is a value that can be compared.
type scalar struct {
	class class
	i     int64
	f     float64
	s     string
}

type class byte

const (
	other class = iota
	nothing
	truths
	integer
	fraction
	texts
)

func scalarOf(v reflect.Value) scalar {
	v = held(v)
	switch {
	case !v.IsValid():
		return scalar{class: nothing}
	case v.Kind() == reflect.Bool && v.Bool():
		return scalar{class: truths, i: 1}
	case v.Kind() == reflect.Bool:
		return scalar{class: truths}
	case v.CanInt():
		return scalar{class: integer, i: v.Int()}
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		return scalar{class: integer, i: int64(v.Uint())}
	case v.CanFloat():
		return scalar{class: fraction, f: v.Float()}
	case v.Kind() == reflect.String:
		return scalar{class: texts, s: v.String()}
	}
	return scalar{}
}

func unlike(a, b reflect.Value) error {
	return fmt.Errorf("texts can be compared with texts, and numbers with numbers of their kind; here are %s and %s", sort(a), sort(b))
}

// equal tells whether a is one of the others. Nothing is equal to nothing.
func equal(a reflect.Value, others ...reflect.Value) (bool, error) {
	x := scalarOf(a)
	for _, b := range others {
		y := scalarOf(b)
		if x.class == other || y.class == other || x.class != y.class && x.class != nothing && y.class != nothing {
			return false, unlike(a, b)
		}
		if x == y {
			return true, nil
		}
	}
	return false, nil
}

func less(a, b reflect.Value) (bool, error) {
	x, y := scalarOf(a), scalarOf(b)
	if x.class != y.class || x.class < integer {
		return false, unlike(a, b)
	}
	return x.i < y.i || x.f < y.f || x.s < y.s, nil
}

func upTo(a, b reflect.Value) (bool, error) {
	if under, err := less(a, b); under || err != nil {
		return under, err
	}
	return equal(a, b)
}

// sort names the sort of a value, for messages.
func sort(v reflect.Value) string {
	v, none := indirect(v)
	if none {
		return "nothing"
	}
	switch scalarOf(v).class {
	case nothing:
		return "nothing"
	case truths:
		return "true or false"
	case integer:
		return "a whole number"
	case fraction:
		return "a number with a fraction"
	case texts:
		return "a text"
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct:
		return "a group of fields"
	}
	return "a " + v.Kind().String()
}
