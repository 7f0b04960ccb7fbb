package triage

import (
	"encoding/json"
	"testing"
)

func TestPlainJSONKnowsFramesAtAGlance(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"type":"step","data":{"route_category":"billing","priority_score":12}}`, ` {} `, `{"a":null, "b" : true,"c":[]}`, `{"a":"\n"}`, `01`} {
		want := text[0] != '0' && text != `{"a":null, "b" : true,"c":[]}` && text != `{"a":"\n"}`
		if got := plainJSON([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, text := range []string{`{"type":"step","data":{"a":"b","c":12}}`, ` { } `, `{"a":{"b":{"c":{"d":{}}}}}`, `{"a":-1}`, `{"a":1.5}`, `{"a":00}`, `"x" y`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if plainJSON(data) && !json.Valid(data) {
			t.Fatalf("%q is taken for JSON", data)
		}
	})
}
