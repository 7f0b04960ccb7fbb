package results_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
)

func costOf(v int64) *int64 { return &v }

func callOf(ms int64, retries int, err string) *results.Call {
	c := &results.Call{Agent: "m", Task: "queue-easy", Scope: "queue-easy/1", Error: err, CostNano: costOf(7)}
	for range retries {
		c.Attempts = append(c.Attempts, results.Attempt{Status: 503, LatencyMS: 9999})
	}
	c.Attempts = append(c.Attempts, results.Attempt{Status: 200, LatencyMS: ms})
	return c
}

func TestCallsAreCountedWithTheLatencyOfTheAttemptThatAnswered(t *testing.T) {
	t.Parallel()
	c := results.NewCalls()
	for i := range 20 {
		c.Add(callOf(int64(20-i), i%2, ""))
	}
	c.Add(callOf(5000, 3, "status 503"))
	c.Add(&results.Call{Agent: "m", Task: "queue-easy", Kept: true})
	f := c.Of("m", "queue-easy")
	p50, _ := f.Percentile(0.5)
	p95, _ := f.Percentile(0.95)
	if f.Made != 21 || f.Kept != 1 || f.Failed != 1 || f.Retries != 13 || f.Spent.Sum != 140 || p50 != 10 || p95 != 19 {
		t.Errorf("figures %+v, p50 %d, p95 %d", f, p50, p95)
	}
	if f := c.Of("m", "desk-easy"); f != nil {
		t.Errorf("figures of a task that was not played: %+v", f)
	}
}

func TestCallsOfAnInterruptedRunCountAgain(t *testing.T) {
	t.Parallel()
	root := folder(t)
	first := results.NewCalls()
	if err := first.Open(root); err != nil {
		t.Fatal(err)
	}
	first.Add(callOf(10, 0, ""))
	first.Add(callOf(20, 1, ""))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	whole := read(t, root, results.CallsFile)
	write(t, root, results.CallsFile, whole+`{"agent":"m","ta`)
	second := results.NewCalls()
	if err := second.Open(root); err != nil {
		t.Fatal(err)
	}
	second.Add(callOf(30, 0, ""))
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if f := second.Of("m", "queue-easy"); f.Made != 3 || f.Retries != 1 {
		t.Errorf("figures %+v", f)
	}
	got := read(t, root, results.CallsFile)
	if d := cmp.Diff(3, strings.Count(got, "\n")); d != "" || !strings.HasPrefix(got, whole) {
		t.Errorf("lines (-want +got):\n%s\n%s", d, got)
	}
}

func TestALineThatIsNoCallIsNamed(t *testing.T) {
	t.Parallel()
	root := folder(t)
	write(t, root, results.CallsFile, "{}\nnonsense\n{}\n")
	err := results.NewCalls().Open(root)
	if want := root.Name() + "/calls.jsonl:2: not a call: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
}
