package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func someLearned() wire.Learned {
	return wire.Learned{Drop: []string{"seed", "temperature"}, Rename: map[string]string{"max_tokens": "max_completion_tokens"},
		Format: "json_object", Notes: []string{"temperature was not applied: \"<unsupported>\" \u2028"}}
}

func TestWhatWasLearnedIsKnownToTheNextRunForThatEndpointOnly(t *testing.T) {
	t.Parallel()
	root := folder(t)
	first := cache(t, root, On)
	if err := first.SetLearned(Endpoint("http://a/v1", "m"), wire.Learned{Format: "text"}); err != nil {
		t.Fatal(err)
	}
	if err := first.SetLearned(Endpoint("http://a/v1", "m"), someLearned()); err != nil {
		t.Fatal(err)
	}
	if err := first.SetLearned(Endpoint("http://a/v1", "nothing refused"), wire.Learned{}); err != nil {
		t.Fatal(err)
	}
	type known struct {
		Learned wire.Learned
		OK      bool
	}
	next := cache(t, root, On)
	got := map[string]known{}
	for _, e := range []string{Endpoint("http://a/v1", "m"), Endpoint("http://b/v1", "m"), Endpoint("http://a/v1", "n"), Endpoint("http://a/v1", "nothing refused")} {
		l, ok := next.Learned(e)
		got[e] = known{l, ok}
	}
	want := map[string]known{"http://a/v1 m": {someLearned(), true}, "http://b/v1 m": {}, "http://a/v1 n": {}, "http://a/v1 nothing refused": {OK: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Counts{}, next.Counts()); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedLearnedFilesAreNotUsed(t *testing.T) {
	t.Parallel()
	root := folder(t)
	c := cache(t, root, On)
	e := Endpoint("http://a/v1", "m")
	if err := c.SetLearned(e, someLearned()); err != nil {
		t.Fatal(err)
	}
	name := learnedName(e)
	data := read(t, root, name)
	if _, ok := c.Learned(e); !ok {
		t.Fatal("it is not there")
	}
	for i := range len(data) - 1 {
		for _, damaged := range []string{data[:i], data[:i] + string(data[i]^1) + data[i+1:]} {
			write(t, root, name, damaged)
			if l, ok := c.Learned(e); ok {
				t.Fatalf("byte %d: %s gives %+v", i, damaged, l)
			}
		}
	}
	if got, want := c.Counts().Damaged, int64(2*(len(data)-1)); got != want {
		t.Errorf("%d damaged, want %d", got, want)
	}
	write(t, root, learnedName("another"), data)
	if _, ok := c.Learned("another"); ok {
		t.Error("another endpoint's file is used")
	}
	if err := c.SetLearned(e, someLearned()); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.Learned(e); !ok || !cmp.Equal(got, someLearned()) {
		t.Errorf("after SetLearned: %v", got)
	}
}
