package tmpl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
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
	for _, f := range e.path {
		if err == nil {
			v, err = r.field(e, v, f)
		}
	}
	if err == nil && v.IsValid() && v.Type() == reflect.TypeFor[any]() {
		v = v.Elem()
	}
	return r.model(v), err
}

// field gives a field of a struct, or what a map holds under a text; under one that it does not hold, nothing.
func (r *run) field(e *expr, v reflect.Value, f string) (reflect.Value, error) {
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
			return v, fmt.Errorf("%s: there is no field .%.100s; %s", e, f, fieldsOf(v.Type()))
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
	var out []string
	for _, s := range reflect.VisibleFields(t) {
		if s.IsExported() && !s.Anonymous {
			out = append(out, "."+s.Name)
		}
	}
	if out == nil {
		return "there are none"
	}
	slices.Sort(out)
	return "there are " + strings.Join(out, ", ")
}
