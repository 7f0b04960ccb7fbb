package results_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// sureTicket is an imported ticket with one label, right or not, and how sure the agent was; below 0 it did not say.
func sureTicket(seed int64, sure float64, right bool) *triage.Episode {
	p := triage.Part{Name: "team", Weight: 1, Why: triage.Why{Want: "a", Got: "b"}}
	if right {
		p.Value, p.Why.Got = 1, "a"
	}
	s := triage.Step{Score: &triage.Score{Total: p.Value, Parts: []triage.Part{p}}, Action: triage.Action{Track: triage.Dataset, Labels: map[string]string{"team": p.Why.Got}}}
	if sure >= 0 {
		s.Action.Confidence = triage.SureOfFields(map[string]float64{"team": sure})
	}
	total := p.Value
	return &triage.Episode{Key: triage.Key{Agent: "x", Task: "tickets", Seed: seed}, Score: &total, Ended: triage.EndedComplete, Steps: []triage.Step{s}}
}

// hundred tickets: the surer, the more often right; five do not say.
func hundred() []*triage.Episode {
	var out []*triage.Episode
	for i := range int64(100) {
		sure := float64(i) / 99
		if i%20 == 7 {
			sure = -1
		}
		out = append(out, sureTicket(i, sure, i >= 50 || i%10 == 0))
	}
	return out
}

func TestCoverageIsTheLargestShareOfTicketsAtAnError(t *testing.T) {
	t.Parallel()
	var forth, back results.Confidences
	list := hundred()
	for _, ep := range list {
		forth.Add(ep)
	}
	for _, ep := range slices.Backward(list) {
		back.Add(ep)
	}
	got := forth.Of("x", "tickets")
	if d := cmp.Diff(got, back.Of("x", "tickets")); d != "" {
		t.Errorf("another order of the same episodes gives (-want +got):\n%s", d)
	}
	if len(got.List()) != 1 || got.List()[0].Name != "team" || got.Answer.N != 95 || got.Answer.Without != 5 {
		t.Errorf("n %d, without %d, %d rows", got.Answer.N, got.Answer.Without, len(got.List()))
	}
	// Counted by hand: 48 say how sure they are from 50 up, all right; 49, 48 and so on are wrong, but for each tenth. That none of 48 is
	// wrong leaves up to 7.4 %, which is too much for 1 % and 2 %; 4 of 52 leave up to 18.5 %, 5 of 53 more than 20 %.
	var taken []int
	for _, l := range got.Answer.Levels {
		taken = append(taken, l.Taken)
		if l.Taken > 0 && (l.Error.Mean > l.MaxError || math.Abs(l.Coverage.Mean-float64(l.Taken)/100) > 1e-12) {
			t.Errorf("%+v", l)
		}
	}
	if d := cmp.Diff([]int{0, 0, 48, 52}, taken); d != "" {
		t.Errorf("taken (-want +got):\n%s", d)
	}
	if other := forth.Of("y", "tickets"); other != nil {
		t.Errorf("an agent that did not play has %+v", other)
	}
}

func TestFewAnswersSettleNoCoverage(t *testing.T) {
	t.Parallel()
	level := func(taken int, most float64) results.CoverageLevel {
		return results.CoverageLevel{MaxError: most, Taken: taken, Error: stats.ExactShare(0, taken)}
	}
	for name, tt := range map[string]struct {
		level results.CoverageLevel
		want  bool
	}{
		"one right answer":              {level(1, 0.1), false},
		"29 right answers":              {level(29, 0.1), false},
		"30 right answers for 10 %":     {level(30, 0.1), true},
		"30 right answers for 5 %":      {level(30, 0.05), false},
		"182 right answers for 1 %":     {level(182, 0.01), false},
		"183 right answers for 1 %":     {level(183, 0.01), true},
		"none":                          {results.CoverageLevel{MaxError: 0.1}, false},
		"a file that lacks an interval": {results.CoverageLevel{MaxError: 0.1, Taken: 100}, false},
	} {
		if got := tt.level.Settled(); got != tt.want {
			t.Errorf("%s: settled is %t", name, got)
		}
	}
	var c results.Confidences
	for i := range int64(84) {
		c.Add(sureTicket(i, 0.5+float64(i)/200, i == 83)) // the surest alone is right
	}
	for _, l := range c.Of("x", "tickets").Answer.Levels {
		if l.Taken != 0 || l.Settled() {
			t.Errorf("%+v", l)
		}
	}
}

func TestAnAgentThatNeverSaysHowSureItIsHasNoFigures(t *testing.T) {
	t.Parallel()
	var c results.Confidences
	c.Add(sureTicket(1, -1, true))
	broken := sureTicket(2, 0.5, true)
	broken.Score, broken.Ended = nil, triage.EndedError
	c.Add(broken)
	refused := sureTicket(3, 0.5, false)
	refused.Steps[0].Error = "invalid action"
	c.Add(refused)
	if got := c.Of("x", "tickets"); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestConfidencesAreTheSameFromMemoryAndFromALog(t *testing.T) {
	t.Parallel()
	var memory, logged results.Confidences
	for i := range int64(50) {
		ep := sureTicket(i, math.Sqrt(float64(i)/50), i%3 > 0)
		memory.Add(ep)
		e := triage.Encoder{Round: true}
		e.Episode(ep)
		if err := results.ReadLog(bytes.NewReader(e.Buf), "log", func(_ int, l *results.Logged) error {
			logged.Add(l.Episode())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(memory.Of("x", "tickets"), logged.Of("x", "tickets")); d != "" {
		t.Errorf("(-memory +log):\n%s", d)
	}
}

func TestOnTheDeskLaterConfidencesReplaceEarlierOnes(t *testing.T) {
	t.Parallel()
	step := func(c *triage.Confidence) triage.Step { return triage.Step{Action: triage.Action{Confidence: c}} }
	fields := func(a, b float64) *triage.Confidence {
		return triage.SureOfFields(map[string]float64{"category": a, "priority": b})
	}
	refused := step(triage.SureOf(0.1))
	refused.Error = "invalid action"
	for name, c := range map[string]struct {
		steps []triage.Step
		want  *triage.Confidence
	}{
		"none":                  {[]triage.Step{step(nil), step(nil)}, nil},
		"the first stays":       {[]triage.Step{step(triage.SureOf(0.5)), step(nil)}, triage.SureOf(0.5)},
		"the last whole counts": {[]triage.Step{step(fields(0.1, 0.2)), step(triage.SureOf(0.5))}, triage.SureOf(0.5)},
		"fields are joined":     {[]triage.Step{step(fields(0.1, 0.2)), step(triage.SureOfFields(map[string]float64{"category": 0.9}))}, fields(0.9, 0.2)},
		"a refused one is none": {[]triage.Step{step(triage.SureOf(0.5)), refused}, triage.SureOf(0.5)},
	} {
		if d := cmp.Diff(c.want, results.Sure(c.steps)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestResultsFilesKeepConfidencesAndCosts(t *testing.T) {
	t.Parallel()
	var c results.Confidences
	for _, ep := range hundred() {
		c.Add(ep)
	}
	figures := c.Of("x", "tickets")
	write := func(s results.TaskSummary) string {
		var b bytes.Buffer
		s.Task = triage.Task{Name: "tickets", Track: triage.Dataset}
		if err := (&results.Results{Agent: "x", Source: &results.SourceFile{}, Tasks: []results.TaskSummary{s}}).Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if text := write(results.TaskSummary{}); strings.Contains(text, "confidence") || strings.Contains(text, "cost") {
		t.Errorf("without any there is a member: %s", text)
	}
	text := write(results.TaskSummary{N: 100, Confidence: figures, Cost: &results.CostFigures{Matrix: "m.yaml", Labels: []string{"team"}, Tickets: 100}})
	back, err := results.ReadResults(strings.NewReader(text), "file")
	if err != nil {
		t.Fatal(err)
	}
	if again := write(back.Tasks[0]); again != text {
		t.Errorf("written again it differs:\n%s", cmp.Diff(text, again))
	}
	for name, change := range map[string]func(f map[string]any){
		"n is 0":         func(f map[string]any) { f["n"] = 0 },
		"ece":            func(f map[string]any) { f["ece"] = 2 },
		"taken":          func(f map[string]any) { f["levels"].([]any)[0].(map[string]any)["taken"] = 96 },
		"bins.n":         func(f map[string]any) { f["bins"].([]any)[0].(map[string]any)["n"] = -1 },
		"curve.coverage": func(f map[string]any) { f["curve"].([]any)[0].(map[string]any)["coverage"] = -1 },
	} {
		var doc map[string]any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		change(doc["tasks"].(map[string]any)["tickets"].(map[string]any)["confidence"].(map[string]any)["answer"].(map[string]any))
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := results.ReadResults(bytes.NewReader(data), "file"); err == nil || !strings.Contains(err.Error(), "confidence.answer") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
