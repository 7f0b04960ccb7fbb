package triage_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/triage"
)

// The figures are those of the same shuffle written in Python, whose SplitMix64 gives the published first number of seed 0.
func TestPermutationsAreFixed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		order uint64
		n     int
		want  []int
	}{
		{0, 4, []int{0, 1, 2, 3}}, {7, 0, []int{}}, {7, 1, []int{0}}, {7, 2, []int{1, 0}},
		{1, 8, []int{2, 6, 5, 7, 4, 3, 0, 1}}, {2, 8, []int{2, 1, 7, 0, 3, 5, 4, 6}}, {1, 5, []int{1, 3, 4, 2, 0}},
	} {
		if d := cmp.Diff(tt.want, triage.Permutation(tt.order, tt.n)); d != "" {
			t.Errorf("order %d of %d (-want +got):\n%s", tt.order, tt.n, d)
		}
	}
}

func TestPermutationsHoldEveryPlaceOnceAndAreNeverTheUsualOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		got := triage.Permutation(rapid.Uint64Min(1).Draw(t, "order"), n)
		usual := slices.IsSorted(got)
		slices.Sort(got)
		for i, v := range got {
			if i != v {
				t.Fatalf("place %d is missing: %v", i, got)
			}
		}
		if usual && n > 1 || len(got) != n {
			t.Fatalf("%d places in the usual order", n)
		}
	})
}

func TestMembersAreShuffledAtEveryDepthAndListsAreNot(t *testing.T) {
	t.Parallel()
	const text = ` { "a" : 1 , "b\"{" : [ 3 , 2, {"x": "}", "y": [] } ], "c": {}, "d": null, "e": {"k": -1.5e3 , "l": true} } `
	for _, tt := range []struct {
		name, text string
		order      uint64
		want       string
	}{
		{"order 0 changes nothing", text, 0, text},
		{"objects", text, 1, `{"b\"{":[3,2,{"y":[],"x":"}"}],"d":null,"e":{"l":true,"k":-1.5e3},"c":{},"a":1}`},
		{"a list", ` [1, {"a":1,"b":2} ]`, 3, `[1,{"b":2,"a":1}]`},
		{"two members of one name stay two", `{"a":1,"a":2}`, 3, `{"a":2,"a":1}`},
		{"a word", ` null `, 3, `null`},
		{"a number", "12 ", 3, "12"},
		{"no JSON", `{"a":1,}`, 3, `{"a":1,}`},
		{"nothing", ``, 3, ``},
	} {
		given := []byte(tt.text)
		if d := cmp.Diff(tt.want, string(triage.ShuffleMembers(given, tt.order))); d != "" || string(given) != tt.text {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func FuzzShuffleMembers(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c\\\""}],"d":{"e":null}}`), uint64(1))
	f.Add([]byte(` [ ] `), uint64(2))
	f.Add([]byte(`{"a":1,"a":2`), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, order uint64) {
		got := triage.ShuffleMembers(bytes.Clone(data), order)
		if !json.Valid(data) {
			if !bytes.Equal(got, data) {
				t.Errorf("%q is no JSON and becomes %q", data, got)
			}
			return
		}
		var before, after bytes.Buffer
		if json.Compact(&before, data) != nil || json.Compact(&after, got) != nil {
			t.Fatalf("%q becomes %q, which is no JSON", data, got)
		}
		a, b := before.Bytes(), after.Bytes()
		slices.Sort(a)
		slices.Sort(b)
		if !bytes.Equal(a, b) {
			t.Errorf("%q becomes %q, which holds other bytes", data, got)
		}
	})
}

// An order is no part of an observation's JSON: records are the same with it and without.
func TestTheOrderIsNotWritten(t *testing.T) {
	t.Parallel()
	o := triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-1"}}
	want, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	o.Order = 9
	if got, err := json.Marshal(o); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s becomes %s, %v", want, got, err)
	}
}
