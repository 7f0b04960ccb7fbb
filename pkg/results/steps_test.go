package results_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// stepOf makes a step of a model's agent: refused answers among them.
func stepOf(index int) triage.Step {
	s := triage.Step{Observation: triage.Observation{Queue: &triage.QueueObservation{Task: "queue-hard", Position: index, Message: "<&>\n"}},
		Action: triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Priority: triage.IntOf(7)}}, Score: partsOf(0.5),
		Usage: &triage.Usage{Calls: 1 + index, TokensIn: triage.IntOf(10)}, Reply: &triage.Reply{Stage: "fenced", Text: "```\n{}\n```", Finish: "stop"}}
	if index%2 == 1 {
		s.Action, s.Error = triage.Action{Track: triage.Queue, Raw: json.RawMessage(`{"route_category":"sales"}`)}, "invalid action"
	}
	return s
}

func stepLine(k triage.Key, index int) string {
	e := triage.Encoder{Round: true}
	s := stepOf(index)
	e.Step(k, index, &s)
	return string(e.Buf) + "\n"
}

func TestStepsOfAnEpisodeThatIsNotDoneAreGivenBackWhole(t *testing.T) {
	t.Parallel()
	three, two := keyAt(3), keyAt(2)
	for _, tt := range []struct {
		name    string
		journal string
		want    map[triage.Key]int // how many steps
	}{
		{"of one episode", stepLine(three, 0) + stepLine(three, 1), map[triage.Key]int{three: 2}},
		{"of several, mixed", stepLine(three, 0) + stepLine(two, 0) + stepLine(three, 1), map[triage.Key]int{three: 2, two: 1}},
		{"of an episode that was finished", stepLine(three, 0) + stepLine(two, 0) + line(episodeAt(3)), map[triage.Key]int{two: 1}},
		{"of an episode that broke", stepLine(three, 0) + line(brokenAt(3)), map[triage.Key]int{three: 1}},
		{"a torn last one", stepLine(three, 0) + stepLine(three, 1)[:40], map[triage.Key]int{three: 1}},
		{"played again", stepLine(three, 0) + stepLine(three, 1) + stepLine(three, 1), map[triage.Key]int{three: 2}},
		{"played again from the beginning", stepLine(three, 0) + stepLine(three, 1) + stepLine(three, 0), map[triage.Key]int{three: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t)
			finish(t, create(t, root, settings))
			write(t, root, results.JournalFile, tt.journal)
			j, _, _, err := resume(root)
			if err != nil {
				t.Fatal(err)
			}
			for place := range planned {
				k := keyAt(place)
				got := ""
				for i, s := range j.Before(k) {
					e := triage.Encoder{Round: true}
					e.Step(k, i, &s)
					got += string(e.Buf) + "\n"
				}
				want := ""
				for i := range tt.want[k] {
					want += stepLine(k, i)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("steps of %s (-want +got):\n%s", k, d)
				}
			}
			finish(t, j)
			if strings.Contains(read(t, root, results.EpisodesFile), `"index"`) {
				t.Error("a step stands among the episodes")
			}
		})
	}
}

func TestStepsThatCannotBeAreRefusedWithTheirLine(t *testing.T) {
	t.Parallel()
	stranger := triage.Key{Agent: "nobody", Task: "queue-hard", Seed: 42}
	for _, tt := range []struct{ name, journal, want string }{
		{"a step before which one is missing", stepLine(keyAt(3), 1) + line(episodeAt(2)), ":1: step 1 of heuristic/queue-hard/45: 0 steps stand before it"},
		{"a step of no episode of the plan", line(episodeAt(2)) + stepLine(stranger, 0) + line(episodeAt(1)), ":2: episode nobody/queue-hard/42 is not in the plan of this run"},
	} {
		root := folder(t)
		finish(t, create(t, root, settings))
		write(t, root, results.JournalFile, tt.journal)
		_, _, _, err := resume(root)
		wantError(t, err, root.Name()+"/"+results.JournalFile+tt.want)
	}
}

func TestAppendedStepsComeBackAfterAKill(t *testing.T) {
	t.Parallel()
	root := folder(t)
	j := create(t, root, settings)
	appendAll(t, j, 3)
	for i := range 3 {
		s := stepOf(i)
		if err := j.AppendStep(keyAt(2), i, &s); err != nil {
			t.Fatal(err)
		}
	}
	appendAll(t, j, 1)
	finish(t, j) // a kill leaves at least as much in the journal
	j, order, _, err := resume(root)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{3, 1}, order); d != "" || len(j.Before(keyAt(2))) != 3 {
		t.Errorf("%d steps; done (-want +got):\n%s", len(j.Before(keyAt(2))), d)
	}
	appendAll(t, j, 2)
	finish(t, j)
	if d := cmp.Diff(line(episodeAt(1))+line(episodeAt(2))+line(episodeAt(3)), read(t, root, results.EpisodesFile)); d != "" {
		t.Errorf("episodes (-want +got):\n%s", d)
	}
}
