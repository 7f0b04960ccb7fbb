package compare_test

import (
	"math"
	"testing"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// FuzzFolder reads strangers' logs: whatever stands in them gives sides that compare with themselves without a difference, or an
// error with a code, and never a figure beyond its range.
func FuzzFolder(f *testing.F) {
	broke := queueOf("a", 43, 1)
	broke.broke = "gone"
	alone := queueOf("a", 43, 1)
	alone.position = 5
	desk := played{agent: "a", task: "desk-hard", seed: 1, position: -1, trial: 2, tickets: []ticketPlayed{{score: 0, text: "t"}, {score: 0.5, text: "t", scenario: "s"}}}
	row := played{agent: "a", task: "tickets", seed: 0, position: -1, tickets: []ticketPlayed{{score: 0.5, text: "t"}}}
	good := queueOf("a", 42, 1, 0.5).line(f)
	for _, text := range []string{"", good, good + broke.line(f) + alone.line(f) + desk.line(f) + row.line(f), good + `{"key":{"agent":"a","task":"queue-easy","seed":42},`,
		"\x00\xff\n" + good, `{"key":{"agent":"a","task":"queue-easy","seed":9223372036854775807,"position":1073741824},"steps":[{"observation":null,"action":null,"score":{"total":1,"parts":[]}}],"score":1,"ended":"complete"}` + "\n",
		`{"key":{"agent":"a","task":"<script>","seed":0},"steps":[{"observation":[],"action":"x","score":null}],"score":0,"ended":"truncated"}` + "\n"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, journal bool) {
		file := results.EpisodesFile
		if journal {
			file = results.JournalFile
		}
		folder := writeRun(t, runSettings("a"), file, text)
		sides, err := compare.FromFolder("r", folder, compare.Options{})
		if err != nil {
			if triage.CodeOf(err) == "" {
				t.Fatalf("%v has no code", err)
			}
			return
		}
		c, err := compare.Compare(sides[0], sides[0], compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range c.Tasks {
			if !task.SameBytes || task.Score.Delta.Mean != 0 || !(task.Score.Base >= 0 && task.Score.Base <= 1+1e-9) || task.Pairs < 1 || task.MovedInAll != 0 {
				t.Fatalf("%+v", task)
			}
			for _, d := range task.Others {
				if math.IsNaN(d.Delta.Mean) || d.Delta.Mean != 0 {
					t.Fatalf("%+v", d)
				}
			}
		}
	})
}
