package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestARequestIsChangedAsTheCallSaysAndNotElse(t *testing.T) {
	t.Parallel()
	set := func(pairs ...string) []wire.Field {
		var out []wire.Field
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, wire.Field{Name: pairs[i], Value: json.RawMessage(pairs[i+1])})
		}
		return out
	}
	rows := []struct {
		name, body string
		call       wire.Call
		want, err  string
	}{
		{"nothing to do", `{ "b" : 1.0 , "a":"\u00e9" }`, wire.Call{}, `{ "b" : 1.0 , "a":"\u00e9" }`, ""},
		{"an explicit 0", `{"model":"m"}`, wire.Call{Set: set("temperature", "0")}, `{"model":"m","temperature":0}`, ""}, // lesson E72
		{"replaced in its place", `{"a":1,"b":{"x":[1,"]"]},"c":3}`, wire.Call{Set: set("b", "2")}, `{"a":1,"b":2,"c":3}`, ""},
		{"set twice", `{}`, wire.Call{Set: set("a", "1", "b", "2", "a", "3")}, `{"a":3,"b":2}`, ""},
		{"left out", `{"a":1,"seed":2,"b":3}`, wire.Call{Drop: []string{"seed", "none"}}, `{"a":1,"b":3}`, ""}, // lesson E84
		{"left out although set", `{"a":1}`, wire.Call{Set: set("seed", "7"), Drop: []string{"seed"}}, `{"a":1}`, ""},
		{"all left out", `{"a":1}`, wire.Call{Drop: []string{"a"}}, `{}`, ""},
		{"renamed", `{"max_tokens":5,"a":1}`, wire.Call{Rename: map[string]string{"max_tokens": "max_completion_tokens"}}, `{"max_completion_tokens":5,"a":1}`, ""}, // lesson E74
		{"renamed to one that is there", `{"max_tokens":5,"max_completion_tokens":6}`, wire.Call{Rename: map[string]string{"max_tokens": "max_completion_tokens"}}, `{"max_completion_tokens":6}`, ""},
		{"renamed to one that is left out", `{"a":5,"b":6}`, wire.Call{Drop: []string{"b"}, Rename: map[string]string{"a": "b"}}, `{"b":5}`, ""},
		{"two renamed to one", `{"a":5,"b":6}`, wire.Call{Rename: map[string]string{"a": "c", "b": "c"}}, `{"c":5}`, ""},
		{"names exchanged", `{"a":5,"b":6}`, wire.Call{Rename: map[string]string{"a": "b", "b": "a"}}, `{"b":5,"a":6}`, ""},
		{"a name twice", `{"a":1,"b":2,"\u0061":3}`, wire.Call{}, `{"a":3,"b":2}`, ""},
		{"a name with signs", `{"a\"}":1}`, wire.Call{Set: set(`<">`, `"x"`)}, `{"a\"}":1,"<\">":"x"}`, ""},
		{"content is always there", `{"messages":[{"role":"system"},{"role":"user","content":"x"},{},{ },{"role":"assistant","content":null}],"n":1}`, wire.Call{},
			`{"messages":[{"role":"system","content":""},{"role":"user","content":"x"},{"content":""},{ "content":""},{"role":"assistant","content":null}],"n":1}`, ""},
		{"messages of another make", `{"messages":["x",1,{"content":[]}]}`, wire.Call{}, `{"messages":["x",1,{"content":[]}]}`, ""},
		{"a prompt full of brackets", `{"messages":[{"role":"user","content":"{[\\\"}]\\"}],"a":1}`, wire.Call{Drop: []string{"a"}}, `{"messages":[{"role":"user","content":"{[\\\"}]\\"}]}`, ""},
		{"no object, nothing asked", `[1]`, wire.Call{}, `[1]`, ""},
		{"no object", `[1]`, wire.Call{Drop: []string{"a"}}, "", `request body must be a JSON object to be changed: it begins with "[1]"`},
		{"cut short", `{"a":1,`, wire.Call{Drop: []string{"a"}}, "", `request body must be a JSON object to be changed: it begins with "{\"a\":1,"`},
		{"no JSON to set", `{}`, wire.Call{Set: set("a", "")}, "", `request field a: "" is not JSON`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Rewrite([]byte(r.body), &r.call)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff([]string{r.want, r.err}, []string{string(got), text}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzRewrite(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"messages":[{"role":"user"},{}]}`, `{"a":{"b":"\\\""},"a":[1,{}]}`, ` { "x" : null } `, `{"messages":[{"content":1},{"\u0063ontent":2}]}`, `[`} {
		f.Add([]byte(s), "a", `"v"`, "x", "b", "c")
	}
	f.Fuzz(func(t *testing.T, body []byte, name, value, drop, from, to string) {
		call := &wire.Call{Set: []wire.Field{{Name: name, Value: json.RawMessage(value)}}, Drop: []string{drop}, Rename: map[string]string{from: to}}
		got, err := wire.Rewrite(body, call)
		var before map[string]json.RawMessage
		if json.Unmarshal(body, &before) != nil || before == nil || !json.Valid([]byte(value)) {
			return
		}
		for _, s := range []string{name, drop, from, to, string(body)} {
			if strings.ToValidUTF8(s, "") != s {
				return // such names do not survive the encoding
			}
		}
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		want := map[string]json.RawMessage{}
		before[name] = json.RawMessage(value)
		delete(before, drop)
		for k, v := range before {
			if k != from {
				want[k] = v
			}
		}
		if v, ok := before[from]; ok {
			if _, taken := want[to]; !taken {
				want[to] = v
			}
		}
		var after map[string]json.RawMessage
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", body, got, err)
		}
		if len(want) != len(after) {
			t.Fatalf("%q became %q: %d members, want %d", body, got, len(after), len(want))
		}
		for k, v := range want {
			if k != "messages" && string(after[k]) != strings.TrimSpace(string(v)) {
				t.Fatalf("%q became %q: member %q is %s, want %s", body, got, k, after[k], v)
			}
		}
		again, err := wire.Rewrite(got, &wire.Call{})
		if err != nil || string(again) != string(got) {
			t.Fatalf("%q changes once more to %q, %v", got, again, err)
		}
	})
}
