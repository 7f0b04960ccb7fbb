package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestWhatComesFromTheCacheIsRecordedToo(t *testing.T) {
	t.Parallel()
	root, dir := folder(t), t.TempDir()
	before := cache(t, root, On)
	put(t, before, numbered(1), "1")
	mustLearn(t, before, "e", someLearned())
	c := cache(t, root, On)
	record(t, dir, CassetteOptions{}, func(r *Recorder) {
		both := Chain(r, c)
		if l, ok := both.Learned("e"); !ok || !cmp.Equal(l, someLearned()) {
			t.Errorf("%v %v", l, ok)
		}
		if _, ok := both.Learned("f"); ok {
			t.Error("something is known of an endpoint that was never called")
		}
		got := []string{get(both, numbered(1)), get(both, numbered(2))}
		put(t, both, numbered(2), "2")
		mustLearn(t, both, "f", wire.Learned{Format: "text"})
		got = append(got, get(both, numbered(2)))
		if diff := cmp.Diff([]string{"hit: 1", "miss", "hit: 2"}, got); diff != "" {
			t.Error(diff)
		}
	})
	if diff := cmp.Diff(Counts{Hits: 2, Misses: 1, Puts: 1}, c.Counts()); diff != "" {
		t.Error(diff)
	}
	p := replay(t, dir)
	for name, m := range map[string]Memory{"cassette": p, "cache": cache(t, root, Read)} {
		if diff := cmp.Diff([]string{"hit: 1", "hit: 2"}, []string{get(m, numbered(1)), get(m, numbered(2))}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		e, _ := m.Learned("e")
		f, _ := m.Learned("f")
		if diff := cmp.Diff([]wire.Learned{someLearned(), {Format: "text"}}, []wire.Learned{e, f}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTheOuterMemoryIsAskedFirst(t *testing.T) {
	t.Parallel()
	outer, inner := cache(t, folder(t), On), cache(t, folder(t), On)
	put(t, outer, numbered(1), "outer")
	put(t, inner, numbered(1), "inner")
	mustLearn(t, outer, "e", wire.Learned{Format: "outer"})
	mustLearn(t, inner, "e", wire.Learned{Format: "inner"})
	both := Chain(outer, inner)
	if got := get(both, numbered(1)); got != "hit: outer" {
		t.Error(got)
	}
	if l, _ := both.Learned("e"); l.Format != "outer" {
		t.Error(l)
	}
	if got := inner.Counts(); got.Hits != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAChainFailsWhereOneMemoryDoesAndKeepsWhatItCan(t *testing.T) {
	t.Parallel()
	inner := cache(t, folder(t), On)
	outer := cache(t, folder(t), On)
	got := []string{
		get(Chain(broken{}, inner), numbered(1)),
		get(Chain(outer, broken{}), numbered(1)),
		errorText(Chain(broken{}, inner).Put(numbered(1), []byte("1"))),
		errorText(Chain(outer, broken{}).Put(numbered(1), []byte("1"))),
		errorText(Chain(broken{}, broken{}).Put(numbered(1), nil)),
		errorText(Chain(broken{}, inner).SetLearned("e", wire.Learned{})),
		get(inner, numbered(1)), get(outer, numbered(1)),
	}
	want := []string{"error: get broke", "error: get broke", "put broke", "put broke", "put broke\nput broke", "set broke", "hit: 1", "hit: 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// An answer that cannot be recorded is no answer: the recording was asked for.
	r, err := Record(folder(t), CassetteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := get(Chain(r, inner), numbered(1)), "error: write "+place(r.root, RecordingFile)+": the recording is closed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
