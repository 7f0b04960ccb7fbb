package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// A folder and the results file of its run say the same, whatever the order in which episodes ended.
func TestAFolderAndItsResultsFileHaveTheSameBytes(t *testing.T) {
	t.Parallel()
	broke := queueOf("a", 44, 1)
	broke.broke = "gone"
	list := []played{queueOf("a", 42, 1, 1.0/3), queueOf("a", 43, 2.0/3, 0), broke, queueOf("a", 45, 1, 0.1)}
	s := sideOf(t, runSettings("a"), "folder", list...)
	slices.Reverse(list)
	turned := sideOf(t, runSettings("a"), "folder", list...)
	if diff := cmp.Diff(s, turned, cmpopts.IgnoreUnexported(compare.Side{}, triage.Why{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("the order of lines matters: %s", diff)
	}
	file := resultsOf(t, s)
	fromFile := compare.FromResults("file", file, compare.Options{})
	if s.Tasks[0].Digest != fromFile.Tasks[0].Digest || s.Tasks[0].Digest == "" {
		t.Errorf("the digests %s and %s differ", s.Tasks[0].Digest, fromFile.Tasks[0].Digest)
	}
	if diff := cmp.Diff(s.Tasks[0].Counts, fromFile.Tasks[0].Counts); diff != "" {
		t.Error(diff)
	}
	c := compared(t, s, fromFile)
	if task := c.Tasks[0]; task.Units != "episodes" || task.Pairs != 4 || task.Broke != 1 || task.Score.P != 1 || !task.SameBytes || task.Score.Delta.Mean != 0 {
		t.Errorf("%+v", task)
	}
}

// resultsOf is the results file of a folder's side, written and read.
func resultsOf(t *testing.T, s *compare.Side) *results.Results {
	t.Helper()
	r := &results.Results{Generator: s.Identity["generator"], Grader: s.Identity["grader"], Split: triage.Split(s.Identity["split"]), Bank: s.Identity["bank"],
		Secret: s.Identity["secret"], Seed: 42, Agent: s.Agent, Settings: s.Settings}
	for _, task := range s.Tasks {
		var records []results.Record
		for _, e := range task.Episodes {
			rec := results.Record{Seed: e.Seed, Position: e.Position, Trial: e.Trial, Scored: e.Scored, Score: e.Score, Efficiency: e.Efficiency, Reward: e.Reward}
			for _, x := range e.Tickets {
				rec.Graded++
				for i, p := range x.Parts {
					rec.Sum[i] += p.Value
					if p.Value == 1 {
						rec.Exact[i]++
					}
				}
			}
			if !e.Scored { // the run knows what was graded before it broke; so does its log, in which it is one ticket with 1
				rec.Graded, rec.Sum[0], rec.Exact[0] = 1, 1, 1
			}
			records = append(records, rec)
		}
		sum := results.Summarize(task.Task, records)
		sum.Answers = task.Answers // records are made of the sides here, which have no actions
		sum.Floor = &results.Floor{Agent: "constant", Score: 0.25}
		r.Tasks = append(r.Tasks, sum)
	}
	var out strings.Builder
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	back, err := results.ReadResults(strings.NewReader(out.String()), "file")
	if err != nil {
		t.Fatal(err)
	}
	return back
}
