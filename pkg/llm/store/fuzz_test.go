package store

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func seeds(f *testing.F, prefix string) {
	f.Helper()
	for _, body := range []string{"", answerTo(1), "a\xff", "\u2028<&>\x00"} {
		k, err := newKept(numbered(1), []byte(body), nil)
		if err != nil {
			f.Fatal(err)
		}
		line, err := encode(k)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte(prefix), line[len("{"):]...))
		f.Add(line)
		f.Add(line[:len(line)/2])
	}
	for _, s := range []string{"", "null", "[]", "{}", `{"schema":"triage.cassette/1","settings":[{"a":"b"},null],"learned":{"e":{"drop":["seed"]}}}`,
		`{"schema":"triage.cassette/1","scope":"s"}`, `{"Schema":"triage.cache/1"}`, `{"schema":"triage.cassette/2"}`} {
		f.Add([]byte(s))
	}
}

// What is read can be trusted: the key is that of its parts, the body that of its hash, and written again it is the same.
func FuzzEntry(f *testing.F) {
	seeds(f, `{"schema":"triage.cache/1",`)
	f.Fuzz(func(t *testing.T, data []byte) {
		e, body, err := decodeEntry(data)
		if err != nil {
			return
		}
		checkKept(t, &e, body)
		again, err := encode(entry{Schema: entrySchema, kept: e})
		if err != nil {
			t.Fatal(err)
		}
		same, sameBody, err := decodeEntry(again)
		if err != nil || same != e || !bytes.Equal(body, sameBody) {
			t.Errorf("%s is read again as %+v, %v", again, same, err)
		}
	})
}

func checkKept(t *testing.T, e *kept, body []byte) {
	t.Helper()
	if e.Key != e.key() || len(body) != e.BodyBytes || sum(body) != e.BodySHA256 {
		t.Errorf("%+v is taken with %q", e, body)
	}
}

func FuzzCassetteLine(f *testing.F) {
	seeds(f, `{`)
	f.Fuzz(func(t *testing.T, data []byte) {
		h, k, err := decodeLine(data)
		if err != nil {
			return
		}
		if (h == nil) == (k == nil) {
			t.Fatalf("head %v and answer %v", h, k)
		}
		var v any = h
		if k != nil {
			body, err := k.body()
			if err != nil {
				t.Fatal(err)
			}
			checkKept(t, k, body)
			v = k
		}
		line, err := encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("%q is not one line", line)
		}
		h2, k2, err := decodeLine(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff([]any{h, k}, []any{h2, k2}, cmp.AllowUnexported(kept{}), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// FuzzAnswer: whatever is kept comes back, from both kinds of store, and to its own call only.
func FuzzAnswer(f *testing.F) {
	f.Add("http://h/v1", []byte("{}"), "s", []byte("body"))
	f.Add("", []byte{}, "", []byte{0xff})
	f.Fuzz(func(t *testing.T, url string, request []byte, scope string, body []byte) {
		k := wire.Key{URL: url, Request: request, Scope: scope}
		e, err := newKept(k, body, nil)
		if err != nil {
			return
		}
		line, err := encode(e)
		if err != nil {
			t.Fatal(err)
		}
		_, read, err := decodeLine(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.body()
		if err != nil || !bytes.Equal(got, body) || *read != e {
			t.Errorf("%q comes back as %q, %v", body, got, err)
		}
		other := identify(wire.Key{URL: url, Request: append(bytes.Clone(request), 'x'), Scope: scope}, nil)
		if other.Key == e.Key {
			t.Error("two requests have one key")
		}
	})
}
