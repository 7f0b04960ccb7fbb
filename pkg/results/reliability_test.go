package results_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// queueTrial makes an episode of one seed from a letter a ticket: R is right, w and v are two wrong answers, x a refused one.
// An exclamation mark breaks it there.
func queueTrial(seed int64, number int, tickets string) *triage.Episode {
	ep := &triage.Episode{Key: triage.Key{Agent: "llm", Task: "queue-easy", Seed: seed, Trial: number}, Ended: triage.EndedComplete}
	score := 0.0
	for _, c := range tickets {
		s := triage.Step{Score: &triage.Score{}, Action: triage.Action{Track: triage.Queue, Queue: triage.QueueAction{Route: triage.Billing, Priority: triage.IntOf(7)}}}
		switch c {
		case '!':
			ep.Ended, ep.Error = triage.EndedError, "act: status 503"
			return ep
		case 'R':
			s.Score.Total, s.Action.Queue.Route = 1, triage.Technical
		case 'v':
			s.Action.Queue.Priority = triage.IntOf(8)
		case 'x':
			s.Action.Queue.Route, s.Error = "nonsense", "invalid action"
		}
		score += s.Score.Total / float64(len(tickets))
		ep.Steps = append(ep.Steps, s)
	}
	ep.Score = &score
	return ep
}

func figuresOf(t *testing.T, task string, episodes ...*triage.Episode) results.TaskReliability {
	t.Helper()
	var r results.Reliability
	for _, ep := range episodes {
		r.Add(ep)
	}
	f, ok := r.Of("llm", task)
	if !ok {
		t.Fatal("no figures of " + task)
	}
	return f
}

// short renders pass figures as their means, with NaN where there is none.
func short(list []results.PassFigure) []float64 {
	var out []float64
	for _, f := range list {
		out = append(out, f.Mean)
	}
	return out
}

// lesson B26: both rules for failed trials, side by side.
func TestAnErrorFailsUnderOneRuleAndIsLeftOutUnderTheOther(t *testing.T) {
	t.Parallel()
	// four trials of one ticket: three right, one broken
	f := figuresOf(t, "queue-easy", queueTrial(1, 0, "R"), queueTrial(1, 1, "R"), queueTrial(1, 2, "!"), queueTrial(1, 3, "R"))
	type flat struct {
		Tickets, Trials, Errors                      int
		Hat, At, HatWithout, AtWithout, Spread, Mean []float64
	}
	nan := math.NaN()
	want := flat{1, 4, 1, []float64{.75, .5, .25, 0}, []float64{.75, 1, 1, 1}, []float64{1, 1, 1, nan}, []float64{1, 1, 1, nan}, []float64{nan, nan}, nil}
	got := flat{f.Tickets, f.Trials, f.Errors, short(f.ErrorsFail.Hat), short(f.ErrorsFail.At), short(f.ErrorsExcluded.Hat), short(f.ErrorsExcluded.At),
		[]float64{f.Lowest, f.Highest}, f.Means}
	if d := cmp.Diff(want, got, approx); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
	last := f.ErrorsExcluded.Hat[3]
	if d := cmp.Diff(results.PassFigure{K: 4, Estimate: stats.Estimate{Mean: nan}, Reason: "no ticket has 4 graded trials"}, last, approx); d != "" {
		t.Errorf("pass^4 (-want +got):\n%s", d)
	}
}

// lesson B27
func TestReliabilityIsOverTicketsInAnyOrderOfEpisodes(t *testing.T) {
	t.Parallel()
	list := []*triage.Episode{
		queueTrial(1, 0, "RRw"), queueTrial(1, 1, "Rvw"), queueTrial(1, 2, "RRw"),
		queueTrial(2, 0, "wx!"), queueTrial(2, 1, "wwR"), queueTrial(2, 2, "!"),
		queueTrial(3, 0, "!"), queueTrial(3, 1, "!"), queueTrial(3, 2, "R!"),
	}
	want := figuresOf(t, "queue-easy", list...)
	// tickets (graded, right, errors): 1: 3/3/0 3/2/0 3/0/0; 2: 2/0/1 2/0/1 1/1/2; 3: 1/1/2 0/0/3 0/0/3
	if want.Tickets != 9 || want.Trials != 3 || want.Errors != 0+1+1+2+2+3+3 {
		t.Errorf("%d tickets, %d trials, %d errors", want.Tickets, want.Trials, want.Errors)
	}
	if d := cmp.Diff([]float64{(1 + 2./3 + 1./3 + 1./3) / 9, (1 + 1./3) / 9, 1. / 9}, short(want.ErrorsFail.Hat), approx); d != "" {
		t.Errorf("pass^k, errors fail (-want +got):\n%s", d)
	}
	// what every ticket either reaches or not is a proportion, with Wilson's interval; everything else a mean with Student's
	if d := cmp.Diff([]stats.Estimate{stats.Mean([]float64{0, 0, 0, 0, 0, 1. / 3, 1. / 3, 2. / 3, 1}, 0, 1), stats.Share(1, 9)},
		[]stats.Estimate{want.ErrorsFail.Hat[0].Estimate, want.ErrorsFail.Hat[2].Estimate}, approx); d != "" {
		t.Errorf("intervals (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]float64{(1 + 2./3 + 1./3 + 1./3) / 9, (1 + 1 + 2./3 + 2./3) / 9, 4. / 9}, short(want.ErrorsFail.At), approx); d != "" {
		t.Errorf("pass@k, errors fail (-want +got):\n%s", d)
	}
	// left out: of the 9 tickets 7 have one graded trial, 5 have two, 3 have three
	if d := cmp.Diff([]float64{(1 + 2./3 + 1 + 1) / 7, (1 + 1./3) / 5, 1. / 3}, short(want.ErrorsExcluded.Hat), approx); d != "" {
		t.Errorf("pass^k, errors left out (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"3 values: the interval is rough", "6 of 9 tickets have fewer graded trials than 3 and are left out"}, want.ErrorsExcluded.Hat[2].Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	// compared: the three of seed 1 and the first two of seed 2; R against v, and the refused (empty) answer against w, differ
	if d := cmp.Diff(stats.Share(2, 5), want.FlipRate, approx); d != "" {
		t.Errorf("flip rate (-want +got):\n%s", d)
	}
	// only seed 1 was scored by every trial
	if d := cmp.Diff([]float64{2. / 3, 1. / 3, 2. / 3}, want.Means, cmpopts.EquateApprox(0, 1e-6)); d != "" || want.Episodes != 1 || want.Lowest != want.Means[1] || want.Highest != want.Means[0] {
		t.Errorf("means of %d episodes, %v to %v (-want +got):\n%s", want.Episodes, want.Lowest, want.Highest, d)
	}
	draws := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		draws.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		got, err := json.Marshal(figuresOf(t, "queue-easy", append(list, list[0])...)) // one of them twice
		if err != nil {
			t.Fatal(err)
		}
		first, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(first), string(got)); d != "" {
			t.Fatalf("another order gives other figures (-want +got):\n%s", d)
		}
	}
}

// deskTrial makes an episode of several submissions.
func deskTrial(seed int64, number int, score float64, steps ...triage.DeskAction) *triage.Episode {
	ep := &triage.Episode{Key: triage.Key{Agent: "llm", Task: "desk-hard", Seed: seed, Trial: number}, Score: &score, Ended: triage.EndedComplete}
	for _, a := range steps {
		ep.Steps = append(ep.Steps, triage.Step{Action: triage.Action{Track: triage.Desk, Desk: a}})
	}
	return ep
}

func TestADeskEpisodeIsATicketThatSucceedsAtItsTarget(t *testing.T) {
	t.Parallel()
	bug := func(text string) triage.DeskAction {
		return triage.DeskAction{Category: triage.Bug, Priority: triage.PriorityHigh, Recommendation: text}
	}
	f := figuresOf(t, "desk-hard",
		// at the target 0.60 it is a success, under it not; free text is not compared, and submissions add up
		deskTrial(1, 0, 0.6, bug("Look at the logs.")), deskTrial(1, 1, 0.599999, triage.DeskAction{Category: triage.Bug}, triage.DeskAction{Priority: triage.PriorityHigh, Recommendation: "Read the logs."}),
		// a later submission replaces an earlier one
		deskTrial(2, 0, 1, bug("")), deskTrial(2, 1, 1, bug(""), triage.DeskAction{Priority: triage.PriorityLow}),
		deskTrial(3, 0, 1, bug("")), &triage.Episode{Key: triage.Key{Agent: "llm", Task: "desk-hard", Seed: 3, Trial: 1}, Ended: triage.EndedError,
			Steps: []triage.Step{{Action: triage.Action{Track: triage.Desk, Desk: bug("")}}}})
	if f.Tickets != 3 || f.Trials != 2 || f.Errors != 1 {
		t.Errorf("%d tickets, %d trials, %d errors", f.Tickets, f.Trials, f.Errors)
	}
	if d := cmp.Diff([]float64{(0.5 + 1 + 0.5) / 3, 1. / 3}, short(f.ErrorsFail.Hat), approx); d != "" {
		t.Errorf("pass^k (-want +got):\n%s", d)
	}
	if d := cmp.Diff(stats.Share(1, 2), f.FlipRate, approx); d != "" {
		t.Errorf("flip rate (-want +got):\n%s", d)
	}
	if f.Episodes != 2 || f.Lowest != (0.599999+1)/2 || f.Highest != 0.8 {
		t.Errorf("%d episodes with means %v to %v", f.Episodes, f.Lowest, f.Highest)
	}
}

func TestTheTicketsOfABrokenEpisodeAreCountedFromWhatIsKnown(t *testing.T) {
	t.Parallel()
	alone := queueTrial(9, 0, "!")
	alone.Key.Position = triage.IntOf(3)
	again := queueTrial(9, 1, "!")
	again.Key.Position = triage.IntOf(3)
	for _, tt := range []struct {
		name            string
		episodes        []*triage.Episode
		tickets, errors int
	}{
		{"a trial that did not break tells", []*triage.Episode{queueTrial(1, 0, "RRR"), queueTrial(1, 1, "R!")}, 3, 2},
		{"other episodes tell", []*triage.Episode{queueTrial(1, 0, "RR"), queueTrial(1, 1, "RR"), queueTrial(2, 0, "R!"), queueTrial(2, 1, "!")}, 4, 3},
		{"the task tells", []*triage.Episode{queueTrial(1, 0, "!"), queueTrial(1, 1, "RR!")}, 8, 14},
		{"one ticket was played alone", []*triage.Episode{alone, again}, 1, 2},
	} {
		f := figuresOf(t, "queue-easy", tt.episodes...)
		if f.Tickets != tt.tickets || f.Errors != tt.errors || f.Trials != 2 {
			t.Errorf("%s: %d tickets, %d errors, %d trials; want %d, %d, 2", tt.name, f.Tickets, f.Errors, f.Trials, tt.tickets, tt.errors)
		}
	}
}

func TestWhatWasPlayedOnceHasNoReliability(t *testing.T) {
	t.Parallel()
	var r results.Reliability
	if _, ok := r.Of("llm", "queue-easy"); ok {
		t.Error("there are figures of nothing")
	}
	r.Add(queueTrial(1, 0, "R"))
	r.Add(queueTrial(2, 0, "R"))
	for _, name := range []string{"llm", "other"} {
		if _, ok := r.Of(name, "queue-easy"); ok {
			t.Errorf("there are figures of %s", name)
		}
	}
}

func TestAnswersFromALogAreThoseThatWereWritten(t *testing.T) {
	t.Parallel()
	list := []*triage.Episode{queueTrial(1, 0, "RwvxR"), queueTrial(1, 1, "RwwwR"), queueTrial(1, 2, "Rv!")}
	list[1].Steps[4].Action = triage.Action{Raw: json.RawMessage(`"no object"`)}
	var r results.Reliability
	var log bytes.Buffer
	for i, ep := range list {
		log.WriteString(line(ep))
		if i == 0 {
			r.Add(ep) // as it was played; the others as they were written
		}
	}
	n := 0
	if err := results.ReadLog(&log, "log", func(_ int, ep *results.Logged) error {
		if n++; n > 1 {
			r.Add(ep.Episode())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, _ := r.Of("llm", "queue-easy")
	if d := cmp.Diff(figuresOf(t, "queue-easy", list...), got, approx); d != "" {
		t.Errorf("figures (-as played +from the log):\n%s", d)
	}
	if d := cmp.Diff(stats.Share(4, 5), got.FlipRate, approx); d != "" {
		t.Errorf("flip rate (-want +got):\n%s", d)
	}
}

func TestImportedTicketsSucceedWhenEveryLabelIsRight(t *testing.T) {
	t.Parallel()
	labelled := func(number int, total float64, label string) *triage.Episode {
		return &triage.Episode{Key: triage.Key{Agent: "llm", Task: "tickets", Seed: 4, Trial: number}, Ended: triage.EndedComplete, Score: &total,
			Steps: []triage.Step{{Action: triage.Action{Track: triage.Dataset, Labels: map[string]string{"queue": label, "type": "x"}}, Score: &triage.Score{Total: total}}}}
	}
	f := figuresOf(t, "tickets", labelled(0, 1, "a"), labelled(1, 0.5, "b"))
	if d := cmp.Diff([]float64{0.5, 0}, short(f.ErrorsFail.Hat), approx); d != "" || f.FlipRate.Mean != 1 {
		t.Errorf("flip rate %v, pass^k (-want +got):\n%s", f.FlipRate.Mean, d)
	}
}

func TestTicketsThatWereNotGradedAreNoFailures(t *testing.T) {
	t.Parallel()
	sealed := func(number int) *triage.Episode {
		ep := queueTrial(1, number, "Rw")
		for i := range ep.Steps {
			ep.Steps[i].Score = nil
		}
		return ep
	}
	f := figuresOf(t, "queue-easy", sealed(0), sealed(1))
	want := results.PassFigure{K: 2, Estimate: stats.Estimate{Mean: math.NaN()}, Reason: "no trial was graded"}
	if d := cmp.Diff(want, f.ErrorsFail.Hat[1], approx); d != "" || f.Errors != 0 || f.FlipRate.N != 2 || f.Episodes != 1 {
		t.Errorf("%d errors, %d compared, %d episodes; pass^2 (-want +got):\n%s", f.Errors, f.FlipRate.N, f.Episodes, d)
	}
}

// lesson B34: the file says what each interval is over.
func TestReliabilityInAResultsFile(t *testing.T) {
	t.Parallel()
	f := figuresOf(t, "queue-easy", queueTrial(1, 0, "RRwRRRRR"), queueTrial(1, 1, "RvwRRRRR"), queueTrial(2, 0, "RRRR!"), queueTrial(2, 1, "!"))
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "means and intervals are over tickets") {
		t.Error("it does not say what the intervals are over")
	}
	testkit.Golden(t, filepath.Join("testdata", "reliability.json"), b.Bytes())
}
