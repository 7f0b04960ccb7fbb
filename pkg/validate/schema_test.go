package validate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/validate"
)

func TestValuesAreHeldAgainstSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, value, says, refused string }{
		{`{"type":"integer","maximum":9223372036854775807}`, `9223372036854775808`, "maximum", ""},
		{`{"type":"integer"}`, `1.0`, "", ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{"const":1}]}`, `[2]`, "at '/0'", ""},
		{`{"pattern":"(?=x)y"}`, `"z"`, "", ""},
		{`{"pattern":"^T"}`, `"z"`, "pattern", ""},
		{`{"$defs":{"a":{"$anchor":"x","type":"string"}},"$ref":"#x"}`, `1`, "want string", ""},
		{`{"type":"strin"}`, `1`, "", "no schema of draft 2020-12"},
		{`{"properties":{"$ref":{"type":"string"}}}`, `{}`, "", "another document"}, // the reference takes it for a reference too
		{`{"$ref":"#/$defs/none"}`, `1`, "", "no schema of draft 2020-12"},
		{`{"$id":"https://example.org/a","$ref":"b"}`, `1`, "", "another document"},
		{`[]`, `1`, "", "no schema of draft 2020-12"},
		{`{"const":1e999999999}`, `1`, "", "beyond what can be computed"},
		{doubling(30), `1`, "", "more parts than can be checked"},
		{strings.ReplaceAll(doubling(30), "#/$defs/", "#"), `1`, "", "more parts than can be checked"},
		{doubling(8), `1`, "", ""},
	} {
		begun := time.Now()
		got, err := validate.Problems(tt.schema, tt.value)
		if (err != nil) != (tt.refused != "") || err != nil && !strings.Contains(err.Error(), tt.refused) || (got != "") != (tt.says != "") || !strings.Contains(got, tt.says) {
			t.Errorf("%.80s: %q, error %v; want %q, %q", tt.schema, got, err, tt.says, tt.refused)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%.80s takes %s", tt.schema, took)
		}
	}
}

// doubling is a schema that stands for 2^n others.
func doubling(n int) string {
	defs := []string{fmt.Sprintf(`"a%d":{"$anchor":"a%d"}`, n, n)}
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"a%d":{"$anchor":"a%d","allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i, i+1, i+1))
	}
	return `{"$defs":{` + strings.Join(defs, ",") + `},"$ref":"#/$defs/a0"}`
}

func TestActionsAreMadeFromSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		schema string
		lean   bool
		want   []string // in turn
	}{
		{fakeAction, false, []string{`{"kind":"route","level":1}`, `{"kind":"close","level":2}`, `{"kind":"route","level":3}`}},
		{fakeAction, true, []string{`{"kind":"route"}`}},
		{`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, true, []string{`{"message":"text 1"}`, `{"message":"text 2"}`}},
		{`{"$defs":{"K":{"enum":["a"]}},"properties":{"k":{"$ref":"#/$defs/K"},"n":{"anyOf":[{"type":"null"},{"type":"integer","exclusiveMinimum":4,"exclusiveMaximum":7}]}}}`, false,
			[]string{`{"k":"a","n":5}`, `{"k":"a","n":6}`, `{"k":"a","n":5}`}},
		{`{"allOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"type":"boolean"}},"required":["b","c"]}]}`, true, []string{`{"a":1,"b":true,"c":"text"}`}},
		{`{"properties":{"a":{"type":"array","items":{"type":"number","minimum":0.25,"maximum":0.5},"minItems":2},"s":{"type":"string","pattern":"^[A-Z]$"},"d":{"type":"string","format":"date"},
			"l":{"type":"string","minLength":9,"maxLength":9},"t":{"type":["null","integer"],"multipleOf":5,"minimum":7},"u":{}}}`, false,
			[]string{`{"a":[0.375,0.375],"d":"2026-01-02","l":"text 1xxx","s":"A","t":10,"u":"text"}`}},
		{`{"properties":{"a":{"$ref":"#"}}}`, true, []string{`{}`}},
	} {
		for turn, want := range tt.want {
			got, err := validate.Sample(tt.schema, turn, tt.lean)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%s, turn %d: error %v (-want +got):\n%s", tt.schema, turn, err, d)
			}
			if why, err := validate.Problems(tt.schema, got); why != "" || err != nil {
				t.Errorf("%s: %s is refused: %s, error %v", tt.schema, got, why, err)
			}
		}
	}
	deep, err := validate.Sample(`{"properties":{"a":{"$ref":"#"}}}`, 0, false)
	if err != nil || !json.Valid([]byte(deep)) {
		t.Errorf("a schema without an end gives %q, error %v", deep, err)
	}
}

// What is made from our own schemas is taken by our own environments.
func TestActionsOfOurSchemasAreOurs(t *testing.T) {
	t.Parallel()
	for _, track := range triage.Tracks() {
		for turn := range 20 {
			made, err := validate.Sample(string(openenv.ActionSchema(track)), turn, false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := triage.ParseAction(track, []byte(made), nil); err != nil {
				t.Errorf("%s: %s: %v", track, made, err)
			}
		}
	}
}
