package fakellm

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzScan holds our reading of JSON against the library's.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":{"b":[1,"x\"y"]},"a":2}`, `[1, 2 ,"]"]`, `"é\n\u00e9\ud83d\ude00"`, ` { } `, `{"a":-1.5e3,"b":tru}`, "\"a\tb\"", `{"a" :null , "b": [ ] }`,
		`{"a":1,}`, `[1,]`, `1 2`, `"\x"`, `"\u12"`, `"12345678\\"`, `"1234567é"`, `{"messages":[{"role":"user","content":null}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		good := json.Valid(data)
		if valid(data) != good && bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) < deepestValue {
			t.Fatalf("valid(%q) is %t", data, !good)
		}
		_, _ = readAsk("/v1/chat/completions", data) // it must not panic
		if !good {
			return
		}
		var s string
		if json.Unmarshal(data, &s) == nil && data[0] == '"' && data[len(data)-1] == '"' && utf8.Valid(data) {
			if got := unquote(data); got != s {
				t.Errorf("unquote(%q) = %q, want %q", data, got, s)
			}
			var back string
			if err := json.Unmarshal([]byte(quoted(s)), &back); err != nil || back != s {
				t.Errorf("quoted(%q) = %s: %v", s, quoted(s), err)
			}
		}
		members, err := membersOf(data)
		var object map[string]json.RawMessage
		if (json.Unmarshal(data, &object) == nil && object != nil) != (err == nil) {
			t.Fatalf("membersOf(%q): %v", data, err)
		}
		for _, m := range members {
			if !json.Valid(m.value) {
				t.Errorf("member %q of %q has the value %q", m.name, data, m.value)
			}
		}
		var list []json.RawMessage
		if data[0] == '[' && json.Unmarshal(data, &list) == nil && len(list) != len(elementsOf(data)) {
			t.Errorf("elementsOf(%q) has %d elements, want %d", data, len(elementsOf(data)), len(list))
		}
		for _, change := range []func(string) string{pythonDict, upperCase, yamlLines} {
			change(string(data))
		}
	})
}
