package triage

import (
	"fmt"
	"strings"
)

// Track is one of the families of tasks.
type Track string

// The tracks. Dataset is the track of tickets read from a user's file; it has the one task "tickets".
const (
	Queue   Track = "queue"
	Desk    Track = "desk"
	Dataset Track = "tickets"
)

// Tracks lists the generated tracks in the order in which tables print them.
func Tracks() []Track { return []Track{Queue, Desk} }

// Difficulty says how hard a task's texts are to read.
type Difficulty string

// The difficulties, from the plainest texts to the hardest.
const (
	Easy   Difficulty = "easy"
	Medium Difficulty = "medium"
	Hard   Difficulty = "hard"
)

// Difficulties lists the difficulties, easiest first.
func Difficulties() []Difficulty { return []Difficulty{Easy, Medium, Hard} }

// Split names one half of the bank.
type Split string

// The two splits. A scenario lies wholly in one of them.
const (
	Train Split = "train"
	Test  Split = "test"
)

// Splits lists both splits.
func Splits() []Split { return []Split{Train, Test} }

// Task is one environment that can be played.
type Task struct {
	Name       string
	Track      Track
	Difficulty Difficulty
	// Tickets is the number of tickets in an episode; MaxSteps the number of steps after which it ends in any case.
	Tickets, MaxSteps int
	// Target is what an agent's mean score (desk: mean correctness) has to reach to pass. On the queue track it must be
	// exceeded, on the desk track reached.
	Target float64
	// Episodes is how many episodes `baseline` plays by default.
	Episodes int
	// Asked lists the desk fields that have to be answered; empty on the queue track.
	Asked []string
}

// Pass tells whether a mean score reaches the task's target.
func (t Task) Pass(score float64) bool {
	if t.Track == Desk {
		return score >= t.Target
	}
	return score > t.Target
}

var tasks = []Task{
	{Name: "queue-easy", Track: Queue, Difficulty: Easy, Tickets: 8, MaxSteps: 8, Target: 0.85, Episodes: 10},
	{Name: "queue-medium", Track: Queue, Difficulty: Medium, Tickets: 10, MaxSteps: 10, Target: 0.70, Episodes: 10},
	{Name: "queue-hard", Track: Queue, Difficulty: Hard, Tickets: 12, MaxSteps: 12, Target: 0.50, Episodes: 10},
	{Name: "desk-easy", Track: Desk, Difficulty: Easy, Tickets: 1, MaxSteps: 3, Target: 0.80, Episodes: 100,
		Asked: []string{FieldCategory}},
	{Name: "desk-medium", Track: Desk, Difficulty: Medium, Tickets: 1, MaxSteps: 3, Target: 0.70, Episodes: 100,
		Asked: []string{FieldCategory, FieldPriority, FieldUrgencyDays}},
	{Name: "desk-hard", Track: Desk, Difficulty: Hard, Tickets: 1, MaxSteps: 3, Target: 0.60, Episodes: 100,
		Asked: []string{FieldCategory, FieldPriority, FieldUrgencyDays, FieldDepartment, FieldRecommendation}},
}

// Tasks lists the six generated tasks in the order in which tables print them.
func Tasks() []Task { return append([]Task(nil), tasks...) }

// TaskByName finds a task; the error lists the names that exist.
func TaskByName(name string) (Task, error) {
	names := make([]string, 0, len(tasks))
	for _, t := range tasks {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Task{}, &Error{Code: CodeUsage, Message: fmt.Sprintf("unknown task %q: the tasks are %s", name, strings.Join(names, ", "))}
}

// TaskFor finds the task of a track and a difficulty.
func TaskFor(track Track, d Difficulty) (Task, error) {
	return TaskByName(string(track) + "-" + string(d))
}

// MaxSeed is the largest seed: seeds are 0 … 2^63−1.
const MaxSeed = int64(^uint64(0) >> 1)
