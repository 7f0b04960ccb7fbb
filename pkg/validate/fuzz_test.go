package validate_test

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/validate"
)

// Whatever a package holds, it is checked without a panic, and a plan that is accepted is JSON.
func FuzzPackage(f *testing.F) {
	for _, s := range []string{goodManifest + execution, goodPlan, goodEntry, "&x {a: [*x]}", "{<<: {a: 1}}", "name: !!binary aGk=", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := &fstest.MapFile{Data: data}
		if _, err := validate.Dir(t.Context(), fstest.MapFS{"openenv.yaml": file, "validation/runtime.json": file, "task.md": file,
			"envs/a/openenv.yaml": file, "envs/a/discovery.json": file, "envs/a/README.md": file}); err != nil {
			t.Fatal(err)
		}
		if n, problems := validate.ReadPlan(data); len(problems) == 0 && (n < 1 || n > 100 || !json.Valid(data)) {
			t.Errorf("accepted with %d actions", n)
		}
	})
}

// What Go reads is read as Go reads it, and nothing panics.
func FuzzPythonJSON(f *testing.F) {
	for _, s := range []string{`{"a":NaN,"b":"NaN \" Infinity"}`, `-Infinity`, `[1e999]`, `"\\"`, `{"a":"\u00`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := validate.DecodePython(data)
		if json.Valid(data) && err != nil && !validate.BeyondComputing(err) {
			t.Errorf("%q gives %v", data, err)
		}
	})
}

// A schema of a stranger's gives actions that are JSON, and values are held against it without a panic.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{fakeAction, fakeObservation, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"type":"integer","multipleOf":0.5,"exclusiveMinimum":1e308}`,
		`{"minItems":99999999,"type":"array"}`, `{"pattern":"(?=x)","type":"string"}`, `{"type":"string","maxLength":-1}`, `true`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		for _, lean := range []bool{false, true} {
			made, err := validate.Sample(schema, 1, lean)
			if err != nil {
				continue
			}
			if !json.Valid([]byte(made)) {
				t.Errorf("the action %q is no JSON", made)
			}
			_, _ = validate.Problems(schema, made)
		}
	})
}
