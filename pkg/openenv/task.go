package openenv

import (
	"fmt"

	"github.com/triagebench/triage/pkg/triage"
)

// NumTasks is how many tasks the task API lists for a split: every difficulty with the seeds 0 … [TaskSeeds]−1.
const NumTasks = 3 * TaskSeeds

// TaskSeeds is how many seeds of each difficulty the task API lists. A reset may name any other seed as well.
const TaskSeeds = 1000

// EnvName is the name under which the task API lists the environment.
const EnvName = "triage"

// Task is an entry of the task API: reset(split, index) plays it, and so does a reset with its difficulty, seed and split.
type Task struct {
	ID         string            `json:"id"` // such as queue-easy:train:17
	Index      int64             `json:"index"`
	Split      triage.Split      `json:"split"`
	Task       string            `json:"task"`
	Difficulty triage.Difficulty `json:"difficulty"`
	Seed       int64             `json:"seed"`
}

// TaskAt gives the task at an index from 0 to NumTasks−1: the difficulties take turns, so that any range has all of them.
func TaskAt(track triage.Track, split triage.Split, index int64) Task {
	list := triage.Difficulties()
	n := int64(len(list))
	d, seed := list[index%n], index/n
	name := string(track) + "-" + string(d)
	return Task{ID: fmt.Sprintf("%s:%s:%d", name, split, seed), Index: index, Split: split, Task: name, Difficulty: d, Seed: seed}
}

// Range gives the indexes [from, to) of a slice start:stop of NumTasks entries by the rules of Python: negative numbers
// count from the end, and what lies outside is clamped. nil means the end.
func Range(start, stop *int64) (from, to int64) {
	at := func(v *int64, none int64) int64 {
		switch {
		case v == nil:
			return none
		case *v < -NumTasks:
			return 0
		case *v < 0:
			return *v + NumTasks
		}
		return min(*v, NumTasks)
	}
	from, to = at(start, 0), at(stop, NumTasks)
	return from, max(from, to)
}
