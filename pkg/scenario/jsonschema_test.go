package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenario.JSONSchema()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("scenario.json")
})

// bySchema holds a file against the schema; parsed says whether it is YAML at all, of one document and without keys that stand twice.
func bySchema(t *testing.T, text string) (parsed bool, err error) {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	dec := yaml.NewDecoder(strings.NewReader(text))
	if dec.Decode(&v) != nil || dec.Decode(new(any)) == nil {
		return false, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return true, s.Validate(doc)
}

func TestTheSchemaTakesEveryFileOfTheBank(t *testing.T) {
	t.Parallel()
	n := 0
	err := fs.WalkDir(os.DirFS("bank"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(name) == "voices" {
			return err
		}
		data, err := fs.ReadFile(os.DirFS("bank"), name)
		if err != nil {
			return err
		}
		n++
		if parsed, err := bySchema(t, string(data)); !parsed || err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil || n < 205 {
		t.Errorf("%d files, %v", n, err)
	}
	for _, file := range []string{"bug", "wish", "question", "feedback", "spam"} {
		if parsed, err := bySchema(t, base(t, file+".yaml")); !parsed || err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestTheSchemaRefusesWhatTheLoaderRefuses: each mistake of a file that a schema can express. The rest is listed with the reason, and
// taken by the schema, so that the list stays true.
func TestTheSchemaRefusesWhatTheLoaderRefuses(t *testing.T) {
	t.Parallel()
	const acrossTexts = "a schema does not compare texts with each other"
	beyond := map[string]string{
		"a row with another key": acrossTexts, "a row with more keys": acrossTexts, "a row that lacks a key": acrossTexts, "a first row with another key": acrossTexts,
		"an unused parameter":    acrossTexts,
		"an unknown placeholder": acrossTexts, "a placeholder with a slip": acrossTexts, "an entity that is not named": acrossTexts,
	}
	seen := map[string]bool{}
	for _, c := range spoiledScenarios() {
		parsed, err := bySchema(t, spoil(t, base(t, c.file+".yaml"), c.changes...))
		reason, ok := beyond[c.name]
		seen[c.name] = true
		switch {
		case !parsed:
		case ok && err != nil:
			t.Errorf("%s: the schema refuses what is listed as beyond it (%s): take it off the list", c.name, reason)
		case !ok && err == nil:
			t.Errorf("%s: the schema takes it", c.name)
		}
	}
	for name := range beyond {
		if !seen[name] {
			t.Errorf("there is no mistake %q", name)
		}
	}
}

// TestTheSchemaMarksEachPlaceOfASkeleton: an unfilled form is refused, a filled one taken.
func TestTheSchemaMarksEachPlaceOfASkeleton(t *testing.T) {
	t.Parallel()
	for _, r := range triage.Routes() {
		skeleton := scenario.Skeleton(r, "x")
		if parsed, err := bySchema(t, string(skeleton)); !parsed || err == nil {
			t.Errorf("%s: an unfilled skeleton is taken", r)
		}
		if parsed, err := bySchema(t, filledIn(skeleton)); !parsed || err != nil {
			t.Errorf("%s: %v", r, err)
		}
	}
}

// TestTheSchemaMissesWhatTheLoaderMisses takes each key and each item out of good files, one at a time: both refuse the rest, or both
// take it, but for what compares texts.
func TestTheSchemaMissesWhatTheLoaderMisses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, name string }{
		{"testdata/bug.yaml", "technical/a.yaml"}, {"testdata/wish.yaml", "feature/a.yaml"}, {"testdata/question.yaml", "billing/a.yaml"},
		{"testdata/feedback.yaml", "feedback/a.yaml"}, {"testdata/spam.yaml", "spam/a.yaml"},
		{"bank/billing/guests-billed-as-seats.yaml", "billing/a.yaml"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			refused, taken := 0, 0
			eachLess(t, string(data), func(less, without string) {
				_, fault := scenario.ReadScenario(c.name, []byte(less))
				_, err := bySchema(t, less)
				if (fault == nil) != (err == nil) && (fault == nil || !comparesTexts(fault)) {
					t.Errorf("without %s: the loader says %v, the schema says %v", without, fault, err)
				}
				if fault != nil {
					refused++
				} else {
					taken++
				}
			})
			if refused < 30 || strings.HasPrefix(c.file, "bank") && taken < 10 {
				t.Errorf("%d refused, %d taken: the file tests too little", refused, taken)
			}
		})
	}
}

// comparesTexts tells whether a file is refused only for how its texts agree with each other.
func comparesTexts(err error) bool {
	for _, line := range strings.Split(err.Error(), "\n") {
		if !strings.Contains(line, "is named in no statement or ask") && !strings.Contains(line, "is used in no text") {
			return false
		}
	}
	return true
}

// eachLess calls f with the file without each of its keys and items in turn. Rows of params stay whole: they are compared with
// each other.
func eachLess(t *testing.T, text string, f func(less, without string)) {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var walk func(n *yaml.Node, at string)
	less := func(n *yaml.Node, i, width int, at string) {
		all := n.Content
		n.Content = slices.Concat(all[:i], all[i+width:])
		data, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		n.Content = all
		f(string(data), at)
	}
	walk = func(n *yaml.Node, at string) {
		switch n.Kind {
		case yaml.DocumentNode:
			walk(n.Content[0], at)
		case yaml.SequenceNode:
			for i, c := range n.Content {
				less(n, i, 1, fmt.Sprintf("%s/%d", at, i))
				if !strings.HasPrefix(at, "/params") {
					walk(c, fmt.Sprintf("%s/%d", at, i))
				}
			}
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				less(n, i, 2, at+"/"+n.Content[i].Value)
				walk(n.Content[i+1], at+"/"+n.Content[i].Value)
			}
		}
	}
	walk(&root, "")
}

func TestThePublishedSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	want := scenario.JSONSchema()
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "schemas", scenario.SchemaFile))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/schemas/%s is not what `triage tickets schema` prints (%v): write it again", scenario.SchemaFile, err)
	}
	if i := slices.IndexFunc(want, func(b byte) bool { return b > 126 || b < 32 && b != '\n' }); i >= 0 {
		t.Errorf("byte %d is %q: only printable ASCII is wanted", i, want[i])
	}
}
