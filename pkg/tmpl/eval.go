package tmpl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/near"
)

func (r *run) eval(e *expr, dot reflect.Value) (reflect.Value, error) {
	if r.done++; r.done > mostSteps {
		return dot, errSteps
	}
	v := dot
	var err error
	switch e.kind {
	case tText, tConstant:
		return e.value, nil
	case tVariable:
		i := len(r.vars) - 1
		for i > 0 && r.vars[i].name != e.text {
			i--
		}
		v = r.vars[i].value
	case '(':
		v, err = r.eval(e.args[0], dot)
	case tWord:
		v, err = r.apply(e, dot)
	}
	for i, f := range e.path {
		if err == nil {
			v, err = r.field(e, v, i, f)
		}
	}
	if err == nil && v.IsValid() && v.Type() == reflect.TypeFor[any]() {
		v = v.Elem()
	}
	return r.model(v), err
}

// field gives a field of a struct, or what a map holds under a text; under one that it does not hold, nothing.
func (r *run) field(e *expr, v reflect.Value, at int, f string) (reflect.Value, error) {
	v = r.model(v)
	if !v.IsValid() || isUnknown(v) {
		return v, nil
	}
	v, none := indirect(v)
	if none {
		return v, fmt.Errorf("%s: there is nothing to take .%s of", e, f)
	}
	switch {
	case v.Kind() == reflect.Struct:
		s, ok := v.Type().FieldByName(f)
		if !ok || !s.IsExported() {
			return v, fmt.Errorf("%s: there is no field .%.100s; %s%s", e, f, fieldsOf(v.Type()), r.meant(e, at, v.Type()))
		}
		got, err := v.FieldByIndexErr(s.Index)
		if err != nil {
			err = fmt.Errorf("%s: there is nothing to take .%s of", e, f)
		}
		return got, err
	case v.Kind() == reflect.Map && v.Type().Key() == reflect.TypeFor[string]():
		got := v.MapIndex(reflect.ValueOf(f))
		if r.dry && !got.IsValid() {
			got = reflect.Zero(v.Type().Elem())
		}
		return got, nil
	}
	return v, fmt.Errorf("%s: %s has no fields, so not .%s", e, sort(v), f)
}

func fieldsOf(t reflect.Type) string {
	out := ownFields(t)
	if out == nil {
		return "there are none"
	}
	return "there are ." + strings.Join(out, ", .")
}

// ownFields are the names of a struct's fields, sorted.
func ownFields(t reflect.Type) []string {
	var out []string
	for _, s := range reflect.VisibleFields(t) {
		if s.IsExported() && !s.Anonymous {
			out = append(out, s.Name)
		}
	}
	slices.Sort(out)
	return out
}

// meant is a hint for a field of an expression that its type does not have, or empty where none is near.
func (r *run) meant(e *expr, at int, t reflect.Type) string {
	name := near.Word(e.path[at], ownFields(t))
	if name == "" {
		return ""
	}
	right := *e
	right.path = slices.Clone(e.path)
	right.path[at] = name
	if e == r.printed {
		return "; write {{" + right.String() + "}}"
	}
	return near.Meant(right.String())
}
