package compare_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

func TestARunAgainstItselfHasNoDifference(t *testing.T) {
	t.Parallel()
	s := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 0.5, 0), queueOf("a", 43, 1, 1, 0.25))
	c := compared(t, s, s)
	task := c.Tasks[0]
	for _, d := range append(task.Others, task.Score, c.Overall) {
		if d.Delta.Mean != 0 || d.P != 1 || d.Reason != "no pair differs" || *d.Delta.CI95 != (stats.Interval{}) || d.SE != 0 {
			t.Errorf("%s differs: %+v", d.Metric, d)
		}
	}
	want := compare.Flips{BothRight: 3, BothWrong: 3, Test: stats.McNemar(0, 0), P: 1, By: compare.ByMcNemar}
	if diff := cmp.Diff(want, task.Flips); diff != "" {
		t.Error(diff)
	}
	if !task.SameBytes || task.Differ != 0 || task.MovedInAll != 0 || len(task.Moved) != 0 || task.Pairs != 6 || task.Clusters != 6 || len(c.Warnings)+len(c.Noted)+len(task.Warnings) > 0 {
		t.Errorf("%+v, %q, %v", task, c.Warnings, c.Noted)
	}
}

// lesson B33. Four tickets, of which one falls from 1 to 0.5: the mean difference is −0.125, s is 0.25, the standard error 0.125
// and t −1 with 3 degrees of freedom.
func TestOneChangedTicketIsFoundAsInTheHandComputedExample(t *testing.T) {
	t.Parallel()
	base := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 0.5), queueOf("a", 43, 1, 1))
	changed := queueOf("a", 43, 1, 0.5)
	changed.tickets[1].got, changed.tickets[1].why, changed.tickets[1].traps = "sales", "sales is wrong; right is billing", []string{"thread"}
	new := sideOf(t, runSettings("a"), "y", queueOf("a", 42, 1, 0.5), changed)
	c := compared(t, base, new)
	task := c.Tasks[0]
	half := 0.125 * stats.StudentT975(3)
	want := compare.Difference{Metric: "score", Base: 0.875, New: 0.75, P: 0.391002219, Holm: 0.391002219, SE: 0.125, DF: 3, Paired: true,
		Strata: []stats.Stratum{{Weight: 1, Values: []float64{0, 0, 0, -0.5}, Clusters: []int{0, 1, 2, 3}}},
		Delta:  stats.Estimate{N: 4, Mean: -0.125, CI95: &stats.Interval{Low: -0.125 - half, High: -0.125 + half}, Warnings: []string{"4 clusters: the interval is rough"}}}
	if diff := cmp.Diff(want, task.Score, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0, 0, 0, -0.5}, task.Deltas); diff != "" {
		t.Error(diff)
	}
	part := func(got, why string, value float64) []triage.Part {
		var s triage.Score
		if err := s.UnmarshalJSON([]byte(`{"total":0,"parts":[{"name":"route","value":` + map[float64]string{1: "1", 0.5: "0.5"}[value] + `,"weight":1,"got":"` + got + `","want":"billing","why":"` + why + `"}]}`)); err != nil {
			t.Fatal(err)
		}
		return s.Parts
	}
	moved := []compare.Moved{{Task: "queue-easy", Place: compare.Place{Seed: 43, Position: 1}, Trials: 1, Index: 1, ID: "TKT-43-1", Subject: "text 43/1", Text: "text 43/1", Scenario: "scenario/43-1",
		Traps: []string{"thread"}, Base: compare.MovedSide{Score: 1, Answer: `{"route_category":""}`, Parts: part("", "because", 1)},
		New: compare.MovedSide{Score: 0.5, Answer: `{"route_category":"sales"}`, Parts: part("sales", "sales is wrong; right is billing", 0.5)}}}
	if diff := cmp.Diff(moved, task.Moved); diff != "" {
		t.Error(diff)
	}
	if task.Flips.Broken != 1 || task.Flips.BothRight != 2 || task.Flips.BothWrong != 1 || task.SameBytes || task.Differ != 1 || task.MovedInAll != 1 {
		t.Errorf("%+v", task)
	}
	var metrics []string
	for _, d := range task.Others {
		metrics = append(metrics, d.Metric)
		if !math.IsNaN(d.Holm) {
			t.Errorf("%s has a Holm of %v", d.Metric, d.Holm)
		}
	}
	if diff := cmp.Diff([]string{"route", "route_accuracy", "efficiency", "reward", "success_rate"}, metrics); diff != "" {
		t.Error(diff)
	}
	if success := task.Others[4]; success.Base != 0.5 || success.New != 0 || success.Delta.N != 2 { // means of 0.75 and 1, then twice 0.75; the target is 0.85
		t.Errorf("success: %+v", success)
	}
}

func TestAnAnswerThatChangesWithoutItsScoreIsNotTheSameBytes(t *testing.T) {
	t.Parallel()
	other := queueOf("a", 42, 1, 0.5)
	other.tickets[1].got = "sales"
	c := compared(t, sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 0.5)), sideOf(t, runSettings("a"), "y", other))
	if task := c.Tasks[0]; task.SameBytes || task.Differ != 1 || task.MovedInAll != 0 || task.Score.P != 1 {
		t.Errorf("%+v", task)
	}
}

// lesson B27, B34: trials say how an agent varies on a ticket; a ticket counts once however often it was played.
func TestTrialsOfATicketCountAsOne(t *testing.T) {
	t.Parallel()
	trial := func(n int, score float64) played {
		p := queueOf("a", 42, score, 1)
		p.trial = n
		return p
	}
	base := sideOf(t, runSettings("a"), "x", trial(0, 1))
	new := sideOf(t, runSettings("a"), "y", trial(0, 1), trial(1, 0), trial(2, 0), trial(3, 0))
	c := compared(t, base, new)
	task := c.Tasks[0]
	if diff := cmp.Diff([]float64{-0.75, 0}, task.Deltas); diff != "" || task.Pairs != 2 || task.Score.New != 0.625 || task.Flips.Broken != 1 {
		t.Errorf("%s %+v", diff, task)
	}
	if m := task.Moved[0]; m.Trial != 0 || m.Base.Score != 1 || m.New.Score != 1 { // the only trial that both have
		t.Errorf("%+v", m)
	}
	both := compared(t, new, sideOf(t, runSettings("a"), "z", trial(0, 1), trial(1, 0), trial(2, 1), trial(3, 1)))
	if task := both.Tasks[0]; task.Flips.Fixed != 1 || task.Moved[0].Trial != 2 || task.Moved[0].New.Score != 1 || task.Moved[0].Base.Score != 0 {
		t.Errorf("%+v", task.Moved)
	}
	if diff := cmp.Diff([]compare.Mismatch{{Key: "trials", Base: "1", New: "4"}}, c.Noted); diff != "" {
		t.Error(diff)
	}
	even := compared(t, base, sideOf(t, runSettings("a"), "z", trial(0, 1), trial(1, 0)))
	if f := even.Tasks[0].Flips; f.Undecided != 1 || f.Broken != 0 || f.BothRight != 1 {
		t.Errorf("half of the trials right: %+v", f)
	}
}

// lessons B20, B35 and B36: what broke counts as 0 and is counted.
func TestBrokenEpisodesCountAsZeroWithAllTheirTickets(t *testing.T) {
	t.Parallel()
	half := queueOf("a", 43, 1) // it broke after the first of three tickets
	half.broke = "connection refused"
	base := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1, 1), queueOf("a", 43, 1, 1, 1))
	new := sideOf(t, runSettings("a"), "y", queueOf("a", 42, 1, 1, 1), half)
	c := compared(t, base, new)
	task := c.Tasks[0]
	if diff := cmp.Diff([]float64{0, 0, 0, -1, -1, -1}, task.Deltas); diff != "" {
		t.Error(diff)
	}
	if task.Broke != 3 || task.Pairs != 6 || task.Clusters != 6 || task.Score.New != 0.5 || task.BaseOnly+task.NewOnly != 0 || new.Tasks[0].Counts["errors"] != 1 {
		t.Errorf("%+v", task)
	}
	if m := task.Moved[0]; m.New.Error != "the episode broke: connection refused" || m.New.Parts != nil || m.New.Score != 0 || m.New.Answer == "" || m.Base.Answer == "" {
		t.Errorf("%+v", m)
	}
	if m := task.Moved[2]; m.New.Answer != "" || m.ID != "TKT-43-2" || m.New.Error == "" { // it was never asked
		t.Errorf("%+v", m)
	}
	for _, d := range task.Others {
		if d.Metric == "success_rate" && (d.Base != 1 || d.New != 0.5) || d.Metric == "efficiency" && (d.Base != 0.5 || d.New != 0.25) || d.Metric == "route" && d.New != 0.5 {
			t.Errorf("%+v", d)
		}
	}
	all := half
	all.seed = 42
	none := compared(t, sideOf(t, runSettings("a"), "x", all, half), sideOf(t, runSettings("a"), "y", all, half))
	if task := none.Tasks[0]; task.Pairs != 2*task.Task.Tickets || task.Broke != task.Pairs || task.Clusters != 0 {
		t.Errorf("where all broke the task says how many tickets there are: %+v", task)
	}
}

func TestRunsAtNeighbouringSeedsShareTheirCommonEpisodesOnce(t *testing.T) {
	t.Parallel()
	var base, new []played
	for i := range int64(4) {
		base = append(base, queueOf("a", 42+i, 1, 0.5))
		new = append(new, queueOf("a", 43+i, 1, 0.5))
	}
	c := compared(t, sideOf(t, runSettings("a"), "x", base...), sideOf(t, runSettings("a"), "y", new...))
	if task := c.Tasks[0]; task.Pairs != 6 || task.BaseOnly != 2 || task.NewOnly != 2 || task.Score.Delta.Mean != 0 || task.SameBytes {
		t.Errorf("%+v", task)
	}
	if diff := cmp.Diff([]compare.Mismatch{{Key: "seeds", Base: "42 to 45", New: "43 to 46"}}, c.Noted); diff != "" {
		t.Error(diff)
	}
}

func TestATicketThatWasPlayedAloneIsThatOfItsEpisode(t *testing.T) {
	t.Parallel()
	alone := queueOf("a", 42, 0, 0, 0.5)
	alone.position, alone.tickets = 2, alone.tickets[2:]
	alone.tickets[0].text = "text 42/2"
	c := compared(t, sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1, 1)), sideOf(t, runSettings("a"), "y", alone))
	if task := c.Tasks[0]; task.Pairs != 1 || task.BaseOnly != 2 || task.Deltas[0] != -0.5 || task.Moved[0].Position != 2 || task.Moved[0].New.Answer == "" || task.Moved[0].Base.Answer == "" {
		t.Errorf("%+v", task)
	}
	if d := c.Tasks[0].Score; !math.IsNaN(d.P) || d.Delta.CI95 != nil || d.Reason == "" || d.DF != 0 {
		t.Errorf("one pair has a test: %+v", d)
	}
}

func TestScoresThatAllFallByTheSameAreTestedBySignFlips(t *testing.T) {
	t.Parallel()
	base := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1, 1, 1, 1, 1))
	new := sideOf(t, runSettings("a"), "y", queueOf("a", 42, 0, 0, 0, 0, 0, 0))
	c := compared(t, base, new)
	for _, d := range []compare.Difference{c.Tasks[0].Score, c.Overall} {
		if d.P != 1.0/32 || d.Reason != "" || d.Delta.Mean != -1 || !slices.Contains(d.Delta.Warnings, "p is that of the sign flips, as the differences do not vary") {
			t.Errorf("%+v", d)
		}
	}
}

func TestTestsThatDisagreeAreDoubted(t *testing.T) {
	t.Parallel()
	base := sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1, 1))
	new := sideOf(t, runSettings("a"), "y", queueOf("a", 42, 0.5, 0.55, 0.6)) // t finds it at once; 3 pairs cannot have a sign-flip p under 0.25
	c := compared(t, base, new)
	if w := c.Tasks[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "the sign flips 0.25: they disagree about 5 %") {
		t.Errorf("%q", w)
	}
}

func TestTheWholeIsTheMeanOverTracksAndTheirTasks(t *testing.T) {
	t.Parallel()
	desk := func(task string, seed int64, score float64) played {
		return played{agent: "a", task: task, seed: seed, position: -1, tickets: []ticketPlayed{{score: score, text: "t", scenario: "s/" + task}}}
	}
	side := func(from string, q, e, h float64) *compare.Side {
		return sideOf(t, runSettings("a"), from, queueOf("a", 42, q, q), desk("desk-easy", 42, e), desk("desk-easy", 43, 1), desk("desk-hard", 42, h), desk("desk-hard", 43, 0))
	}
	c := compared(t, side("x", 1, 1, 1), side("y", 0.5, 0, 0.5))
	// queue −0.5; desk-easy −0.5 and desk-hard −0.25 make −0.375 for the desk.
	if want := (-0.5 - 0.375) / 2; math.Abs(c.Overall.Delta.Mean-want) > 1e-12 || math.Abs(c.Overall.New-c.Overall.Base-want) > 1e-12 || c.Overall.Base != (1+(1+0.5)/2)/2 {
		t.Errorf("%+v", c.Overall)
	}
	var names []string
	for _, task := range c.Tasks {
		names = append(names, task.Task.Name)
	}
	if diff := cmp.Diff([]string{"queue-easy", "desk-easy", "desk-hard"}, names); diff != "" {
		t.Error(diff)
	}
	if w := c.Tasks[1].Warnings; len(w) != 1 || w[0] != "all tickets come from one scenario: the interval takes them for independent" {
		t.Errorf("%q", w)
	}
	if ps := c.Tasks; !(ps[1].Score.Holm >= ps[1].Score.P) {
		t.Errorf("Holm is below p: %+v", ps[1].Score)
	}
}

func TestTasksOfOneSideOnlyAreNamed(t *testing.T) {
	t.Parallel()
	hard := queueOf("a", 42, 1)
	hard.task = "queue-hard"
	medium := queueOf("a", 7, 1)
	medium.task = "queue-medium"
	c := compared(t, sideOf(t, runSettings("a"), "x", queueOf("a", 42, 1, 1), hard, medium), sideOf(t, runSettings("a"), "y", queueOf("a", 42, 1, 1),
		played{agent: "a", task: "desk-easy", seed: 1, position: -1, tickets: []ticketPlayed{{score: 1}}}, func() played { m := medium; m.seed = 8; return m }()))
	if diff := cmp.Diff([][]string{{"queue-hard"}, {"desk-easy"}, {"queue-medium: no episode is in both: base has seeds 7, new 8"}}, [][]string{c.BaseOnly, c.NewOnly, c.Warnings}); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyTheTicketsThatMovedMostAreNamed(t *testing.T) {
	t.Parallel()
	one, other := make([]float64, 30), make([]float64, 30)
	for i := range one {
		one[i], other[i] = 1, 1-float64(i/2)/20 // two of each
	}
	base, new := sideOf(t, runSettings("a"), "x", queueOf("a", 42, one...)), sideOf(t, runSettings("a"), "y", queueOf("a", 42, other...))
	for _, c := range []struct{ asked, want int }{{0, 10}, {3, 3}, {100, 28}, {-1, 0}} {
		got, err := compare.Compare(base, new, compare.Options{Moved: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		moved := got.Tasks[0].Moved
		if len(moved) != c.want || got.Tasks[0].MovedInAll != 28 {
			t.Errorf("%d are asked for: %d of %d, want %d", c.asked, len(moved), got.Tasks[0].MovedInAll, c.want)
		}
		for i := range moved {
			if want := int32(28 - i + 2*(i%2)); i < 28 && moved[i].Position != want && c.want > i {
				t.Errorf("place %d has ticket %d, want %d", i, moved[i].Position, want)
			}
		}
	}
}
