package triage_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestJSONHasOneFormWhoeverWroteIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"spaces and order", ` { "b" : [ 1 , 2 ] , "a" : { } } `, `{"a":{},"b":[1,2]}`},
		{"escapes of ASCII only", `{"t":"\u00e4\ud83d\ude00\/"}`, `{"t":"ä😀/"}`},
		{"the same, plain", `{"t":"ä😀/"}`, `{"t":"ä😀/"}`},
		{"escaped names", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"of two members with one name the last", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"numbers", `[1.0,1e0,-0,0.50,1e-7,100000000000000000001,1e400]`, `[1,1,0,0.5,1e-07,100000000000000000001,1e400]`},
		{"words", `[null,true,false]`, `[null,true,false]`},
		{"a lone surrogate", `"\ud800"`, "\"\ufffd\""},
		{"bytes that are no text", "\"\xff\"", "\"\ufffd\""},
		{"no JSON", `{"a":`, `"{\"a\":"`},
		{"neither JSON nor text", "\xff\xfe", "\"\ufffd\ufffd\""},
		{"nothing", ``, `""`},
		{"as deep as it is sorted", strings.Repeat("[", 32) + `{"b":1,"a": 2}` + strings.Repeat("]", 32), strings.Repeat("[", 32) + `{"b":1,"a":2}` + strings.Repeat("]", 32)},
	} {
		if diff := cmp.Diff(c.want, string(triage.AppendCanonical(nil, []byte(c.in)))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	deep := strings.Repeat(`{"b":0,"a":`, 9000) + "1" + strings.Repeat("}", 9000)
	if got := triage.AppendCanonical([]byte("x"), []byte(deep)); len(got) != len(deep)+1 {
		t.Errorf("%d bytes of %d", len(got), len(deep))
	}
}

func TestARawActionThatWasWrittenStaysAsItIsWhenWrittenAgain(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "\xff", "no JSON", `"text"`, `{ "a": 1 }`, `"` + strings.Repeat("[", 2000) + `"`} {
		write := func(data []byte) []byte {
			out, err := triage.Action{Raw: data}.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		once := write([]byte(raw))
		if again := write(once); !bytes.Equal(once, again) {
			t.Errorf("%.60q was written as %.60q, then as %.60q", raw, once, again)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":[1.0,"\u00e4"],"a":{"c":null}}`, `"x`, "[[[", ` 1e5 `, "\"\xff\"", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once := triage.AppendCanonical(nil, data)
		if !json.Valid(once) {
			t.Fatalf("%q is no JSON", once)
		}
		if again := triage.AppendCanonical(nil, once); !bytes.Equal(once, again) {
			t.Errorf("%q, again %q", once, again)
		}
		if !json.Valid(data) {
			return
		}
		var v any
		if json.Unmarshal(data, &v) != nil {
			return // a number beyond all floats
		}
		written, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var w any
		if err := json.Unmarshal(once, &w); err != nil || cmp.Diff(v, w) != "" {
			t.Errorf("%q means something else than %q (%s): %v", once, data, written, err)
		}
	})
}
