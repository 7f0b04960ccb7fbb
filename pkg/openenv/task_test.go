package openenv_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

func TestTasksTakeTurnsInDifficulty(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		track triage.Track
		split triage.Split
		index int64
		want  openenv.Task
	}{
		{triage.Queue, triage.Train, 0, openenv.Task{"queue-easy:train:0", 0, triage.Train, "queue-easy", triage.Easy, 0}},
		{triage.Queue, triage.Test, 1, openenv.Task{"queue-medium:test:0", 1, triage.Test, "queue-medium", triage.Medium, 0}},
		{triage.Desk, triage.Train, 17, openenv.Task{"desk-hard:train:5", 17, triage.Train, "desk-hard", triage.Hard, 5}},
		{triage.Desk, triage.Test, 2999, openenv.Task{"desk-hard:test:999", 2999, triage.Test, "desk-hard", triage.Hard, 999}},
	} {
		if d := cmp.Diff(x.want, openenv.TaskAt(x.track, x.split, x.index)); d != "" {
			t.Errorf("task %d (-want +got):\n%s", x.index, d)
		}
	}
	seen := map[string]bool{}
	for i := range int64(openenv.NumTasks) {
		seen[openenv.TaskAt(triage.Queue, triage.Train, i).ID] = true
	}
	if len(seen) != openenv.NumTasks {
		t.Errorf("%d tasks have %d ids", openenv.NumTasks, len(seen))
	}
}

func TestARangeIsASliceOfPython(t *testing.T) {
	t.Parallel()
	type span [2]int64
	for _, x := range []struct {
		start, stop *int64
		want        span
	}{
		{nil, nil, span{0, 3000}}, {ptr(5), nil, span{5, 3000}}, {nil, ptr(5), span{0, 5}}, {ptr(-5), nil, span{2995, 3000}},
		{nil, ptr(-5), span{0, 2995}}, {ptr(5), ptr(5), span{5, 5}}, {ptr(7), ptr(5), span{7, 7}}, {ptr(3000), nil, span{3000, 3000}},
		{ptr(-3000), ptr(1), span{0, 1}}, {ptr(-3001), ptr(1), span{0, 1}}, {ptr(math.MinInt64), ptr(math.MaxInt64), span{0, 3000}},
		{ptr(math.MaxInt64), ptr(math.MinInt64), span{3000, 3000}},
	} {
		from, to := openenv.Range(x.start, x.stop)
		if d := cmp.Diff(x.want, span{from, to}); d != "" {
			t.Errorf("range (-want +got):\n%s", d)
		}
	}
}
