// Package schemas_test holds the JSON Schemas of this folder against what the program writes. README.md says which schema is of which file.
package schemas_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// base begins the $id of every schema.
const base = "https://github.com/triagebench/triage/blob/main/docs/schemas/"

// ending ends the name of every schema's file.
const ending = ".schema.json"

// kinds are the schemas of this folder by name, but for that of scenarios, which pkg/scenario tests.
func kinds(t testing.TB) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "*"+ending)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if name := strings.TrimSuffix(f, ending); name != "scenario" {
			out = append(out, name)
		}
	}
	return out
}

// read gives a schema as JSON.
func read(t testing.TB, kind string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(kind + ending)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return out
}

// compiled are the schemas of this folder.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	files, err := fs.Glob(os.DirFS("."), "*"+ending)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(base+f, doc); err != nil {
			return nil, err
		}
	}
	out := map[string]*jsonschema.Schema{}
	for _, f := range files {
		if out[strings.TrimSuffix(f, ending)], err = c.Compile(base + f); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// refused holds a document against its schema; nil says that it is taken.
func refused(t testing.TB, kind string, data []byte) error {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v: %.200s", kind, err, data)
	}
	return all[kind].Validate(doc)
}

// refusals says where a document is not as its schema has it: the place of each value that is refused, with the reason. It is empty where
// the document is taken.
func refusals(t testing.TB, kind string, data []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := refused(t, kind, data)
	var list *jsonschema.ValidationError
	switch {
	case err == nil:
	case errors.As(err, &list):
		leaves(list, out)
	default:
		t.Fatal(err)
	}
	return out
}

// leaves collects the innermost reasons by place.
func leaves(e *jsonschema.ValidationError, into map[string]string) {
	if len(e.Causes) == 0 {
		place := "/" + strings.Join(e.InstanceLocation, "/")
		_, reason, _ := strings.Cut(e.Error(), "at '")
		into[place] = strings.TrimSpace(into[place] + " " + reason)
	}
	for _, c := range e.Causes {
		leaves(c, into)
	}
}

// takes demands that a schema takes a document.
func takes(t testing.TB, kind, name string, data []byte) {
	t.Helper()
	list := refusals(t, kind, data)
	for _, place := range slices.Sorted(maps.Keys(list)) {
		t.Errorf("%s is not as %s%s has it: %s: %s", name, kind, ending, place, list[place])
	}
}

func TestEverySchemaNamesItsDraftAndItsPlace(t *testing.T) {
	t.Parallel()
	if len(kinds(t)) < 8 {
		t.Errorf("there are %d schemas", len(kinds(t)))
	}
	for _, kind := range append(kinds(t), "scenario") {
		s := read(t, kind)
		if s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["$id"] != base+kind+ending || s["title"] == nil || s["description"] == nil {
			t.Errorf("%s: draft %v, id %v, title %v", kind, s["$schema"], s["$id"], s["title"])
		}
	}
}

// walkObjects calls f with every part of a schema that is an object, with its place.
func walkObjects(place string, v any, f func(place string, o map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(place, v)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walkObjects(place+"/"+k, v[k], f)
		}
	case []any:
		for i, x := range v {
			walkObjects(fmt.Sprintf("%s/%d", place, i), x, f)
		}
	}
}

// TestObjectsOfTheSchemasTakeNoOtherFields: a field that is written and not in the schema is refused, so that the schemas cannot fall behind.
func TestObjectsOfTheSchemasTakeNoOtherFields(t *testing.T) {
	t.Parallel()
	open := map[string]string{ // what others close
		"results/$defs/task": "queue, desk_… and imported close it", "results/$defs/generated": "queue and desk_… close it",
		"journal/$defs/step/properties/step": "allOf refers to a step", "episode/properties/steps/items": "allOf refers to a step",
	}
	for _, kind := range kinds(t) {
		walkObjects(kind, read(t, kind), func(place string, o map[string]any) {
			properties, has := o["properties"].(map[string]any)
			object := o["type"] == "object" || has && !strings.Contains(place, "/if") && !strings.Contains(place, "/then") && !strings.Contains(place, "/else") &&
				!strings.Contains(place, "allOf") && !strings.HasSuffix(place, "properties") && o["$ref"] == nil
			closed := o["additionalProperties"] != nil || o["unevaluatedProperties"] == false
			if reason, ok := open[place]; object && !closed && !ok {
				t.Errorf("%s takes any field", place)
			} else if ok && closed {
				t.Errorf("%s is closed, and listed as open: %s", place, reason)
			}
			if conditional := strings.Contains(place, "/if") || strings.Contains(place, "/then") || strings.Contains(place, "/else") || strings.Contains(place, "allOf"); conditional {
				return
			}
			for name, p := range properties {
				if p, ok := p.(map[string]any); ok && p["description"] == nil && p["$ref"] == nil {
					t.Errorf("%s: %s has no description", place, name)
				}
			}
		})
	}
}
