package results_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
)

// lesson B38: two files say the same of a task where, and only where, these bytes are the same.
func TestCanonicalBytesOutliveWritingAndReading(t *testing.T) {
	t.Parallel()
	canonical := func(r *results.Results) map[string]string {
		out := map[string]string{}
		for i := range r.Tasks {
			data, err := r.Tasks[i].Canonical()
			if err != nil {
				t.Fatal(err)
			}
			out[r.Tasks[i].Task.Name] = string(data)
		}
		return out
	}
	for name, data := range committed(t) {
		r, err := results.ReadResults(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := r.Write(&again); err != nil {
			t.Fatal(err)
		}
		back, err := results.ReadResults(&again, name)
		if err != nil {
			t.Fatal(err)
		}
		want := canonical(r)
		if diff := cmp.Diff(want, canonical(back)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for i := range back.Tasks {
			back.Tasks[i].Floor = &results.Floor{Reason: "not played"}
		}
		if diff := cmp.Diff(want, canonical(back)); diff != "" {
			t.Errorf("%s: the floor is no part: %s", name, diff)
		}
		back.Tasks[0].Seeds[0].Score += 1e-6
		if cmp.Equal(want, canonical(back)) {
			t.Errorf("%s: another score has the same bytes", name)
		}
	}
}
