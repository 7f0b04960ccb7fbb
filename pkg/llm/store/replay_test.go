package store

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestAMissSaysWhatIsThereAndWhatDiffers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := wire.Key{URL: "http://a/v1", Request: []byte(`{"n":1}`), Scope: "s/1"}
	other := map[string]string{"model": "n", "base_url": "http://b/v1", "prompt": "2-def", "seed": "1"}
	record(t, dir, CassetteOptions{Settings: other}, func(*Recorder) {})
	record(t, dir, CassetteOptions{Settings: settings()}, func(r *Recorder) {
		put(t, r, k, "1")
		put(t, r, wire.Key{URL: "http://a/v1", Request: []byte(`{"n":2}`), Scope: "s/2"}, "2")
		put(t, r, wire.Key{URL: "http://a/v1", Request: []byte(`{"n":3}`), Scope: "s/2"}, "3")
	})
	with := func(name, value string) map[string]string {
		s := settings()
		s[name] = value
		return s
	}
	tests := []struct {
		name string
		k    wire.Key
		now  map[string]string
		want MissError
		text string
	}{
		{"another prompt", wire.Key{URL: "http://a/v1", Request: []byte(`{"n":9}`), Scope: "s/2"}, with("prompt", "3-fff"),
			MissError{Scope: "s/2", InScope: 2, Differences: []Difference{{"prompt", "1-abc", "3-fff"}}},
			`2 answers are recorded for scope "s/2"; settings that differ: prompt was "1-abc", is "3-fff"`},
		{"a setting more", wire.Key{Request: []byte(`{"n":9}`), Scope: "s/9"}, with("seed", ""),
			MissError{Scope: "s/9", Differences: []Difference{{"seed", "", ""}}},
			`"s/9": that episode was not recorded, or all its calls failed; settings that differ: seed was "", is ""`},
		{"the nearest recording", wire.Key{Request: []byte(`{"n":9}`), Scope: "s/1"},
			map[string]string{"model": "o", "base_url": "http://b/v1", "prompt": "2-def", "seed": "2"},
			MissError{Scope: "s/1", InScope: 1, Differences: []Difference{{"model", "n", "o"}, {"seed", "1", "2"}}},
			`1 answer is recorded for scope "s/1"; settings that differ: model was "n", is "o", seed was "1", is "2"`},
		{"nothing that is known", wire.Key{Request: []byte(`{"n":9}`), Scope: "s/1"}, settings(),
			MissError{Scope: "s/1", InScope: 1},
			`1 answer is recorded for scope "s/1"; no setting differs: the call failed in the recording, or the request itself differs by tickets, prompt or the version of this program`},
		{"another address", wire.Key{URL: "http://c/v1", Request: k.Request, Scope: k.Scope}, with("base_url", "http://c"),
			MissError{Scope: "s/1", InScope: 1, Elsewhere: `the same request is recorded for the URL "http://a/v1", not "http://c/v1"`,
				Differences: []Difference{{"base_url", "http://127.0.0.1:8080/v1", "http://c"}}},
			`1 answer is recorded for scope "s/1"; the same request is recorded for the URL "http://a/v1", not "http://c/v1"; settings that differ: base_url was "http://127.0.0.1:8080/v1", is "http://c"`},
		{"another trial", wire.Key{URL: k.URL, Request: k.Request, Scope: "s/3"}, settings(),
			MissError{Scope: "s/3", Elsewhere: `the same request is recorded for scope "s/1"`},
			`"s/3": that episode was not recorded, or all its calls failed; the same request is recorded for scope "s/1"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := open(t, dir)
			p, err := Replay(root, CassetteOptions{Settings: tt.now})
			if err != nil {
				t.Fatal(err)
			}
			body, ok, err := p.Get(tt.k)
			var miss *MissError
			if body != nil || ok || !errors.As(err, &miss) {
				t.Fatalf("got %q, %v, %v", body, ok, err)
			}
			tt.want.Folder = root.Name()
			if diff := cmp.Diff(&tt.want, miss); diff != "" {
				t.Error(diff)
			}
			why := "no recorded answer fits this call: "
			if miss.InScope == 0 {
				why = "nothing is recorded for "
			}
			if diff := cmp.Diff("replay "+root.Name()+": "+why+tt.text, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAReplayCountsWhatNobodyAskedForAndKeepsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, CassetteOptions{}, func(r *Recorder) {
		for i := range 5 {
			put(t, r, numbered(i), answerTo(i))
		}
	})
	p := replay(t, dir)
	got := []int{p.Len(), p.Unused()}
	for _, i := range []int{1, 3, 1} {
		if got := get(p, numbered(i)); got != "hit: "+answerTo(i) {
			t.Error(got)
		}
		got = append(got, p.Unused())
	}
	_, _, err := p.Get(numbered(9))
	if got = append(got, p.Unused()); err == nil {
		t.Error("there is an answer to a call that was never made")
	}
	if diff := cmp.Diff([]int{5, 5, 4, 3, 3, 3}, got); diff != "" {
		t.Error(diff)
	}
	if err := p.Put(numbered(9), nil); errorText(err) != `keep an answer of scope "queue-easy/42/2/1": a replay keeps nothing` {
		t.Error(err)
	}
	if err := p.SetLearned("e", wire.Learned{}); errorText(err) != "keep what was learned of e: a replay keeps nothing" {
		t.Error(err)
	}
}

func TestACallerMayChangeTheBodyThatItGot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, CassetteOptions{}, func(r *Recorder) { put(t, r, numbered(1), "body") })
	p := replay(t, dir)
	body, _, err := p.Get(numbered(1))
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if got := get(p, numbered(1)); got != "hit: body" {
		t.Errorf("%q", got)
	}
}

func TestACassetteKeepsNoSecret(t *testing.T) { // lesson D68
	t.Parallel()
	dir := t.TempDir()
	root := open(t, dir)
	o := CassetteOptions{Settings: map[string]string{"base_url": "http://a/v1?key=" + secret}, Redact: hide}
	k := wire.Key{URL: o.Settings["base_url"], Request: []byte(`{}`), Scope: "s"}
	r, err := Record(root, o)
	if err != nil {
		t.Fatal(err)
	}
	put(t, r, k, `{"id":"`+secret+`"}`)
	mustLearn(t, r, Endpoint(k.URL, "m"), wire.Learned{Notes: []string{"refused " + secret}})
	search := func(when string) {
		for name, data := range files(t, root) {
			if strings.Contains(data, secret) {
				t.Errorf("%s, %s has the secret: %s", when, name, data)
			}
		}
	}
	search("while recording")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	search("at the end")
	p, err := Replay(root, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(p, k); got != `hit: {"id":"[redacted]"}` {
		t.Error(got)
	}
	if l, ok := p.Learned(Endpoint(k.URL, "m")); !ok || l.Notes[0] != "refused [redacted]" {
		t.Errorf("%v", l)
	}
	if _, _, err := p.Get(wire.Key{URL: "http://b/v1?key=" + secret, Request: []byte(`{}`), Scope: "s"}); strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "differ") {
		t.Error(err)
	}
	if o.Settings["base_url"] != "http://a/v1?key="+secret {
		t.Error("the caller's settings were changed")
	}
}

func TestARedactionThatBreaksTheAnswerIsAnError(t *testing.T) {
	t.Parallel()
	r, err := Record(folder(t), CassetteOptions{Redact: func(b []byte) []byte {
		return []byte(strings.ReplaceAll(string(b), `"`+secret+`"`, `[redacted]`))
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `keep an answer of scope "s": without its secrets it is no JSON`
	if err := r.Put(wire.Key{Scope: "s"}, []byte(`{"id":"`+secret+`"}`)); errorText(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	put(t, r, numbered(1), "1")
	if err := r.Close(); errorText(err) != want {
		t.Errorf("Close gives %v: a recording that lacks an answer looks whole", err) // lesson C46
	}
	p, err := Replay(r.root, CassetteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(p, numbered(1)); got != "hit: 1" {
		t.Error(got)
	}
}
