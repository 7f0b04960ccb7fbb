package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// lesson B31: one ticket, or a few, do not make a threshold hold or fail, however they fall.
func TestAThresholdIsHeldAgainstAnInterval(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		n, right int
		gate     string
		want     string
	}{
		"one ticket that is right": {1, 1, "score >= 0.5",
			"inconclusive overall: the score is 1 (95 %: 0.025 to 1), on either side of 0.5; 1 ticket is too few to show any score 80 % of the time; about 6 tickets would settle it if the score is what it is here"},
		"one ticket that is wrong": {1, 0, "score >= 0.5",
			"inconclusive overall: the score is 0 (95 %: 0 to 0.975), on either side of 0.5; 1 ticket is too few to show any score 80 % of the time; about 6 tickets would settle it if the score is what it is here"},
		"all of four": {4, 4, "score >= 0.6",
			"inconclusive overall: the score is 1 (95 %: 0.398 to 1), on either side of 0.6; 4 tickets are too few to show any score 80 % of the time; about 8 tickets would settle it if the score is what it is here | scenarios are not known: tickets are taken for independent"},
		"all of thirty": {30, 30, "score >= 0.8", "pass overall: the score is 1 (95 %: 0.884 to 1), above 0.8; where the score is 0.539 or less, 30 tickets show it 80 % of the time | scenarios are not known: tickets are taken for independent"},
		"too few right": {200, 130, "score >= 0.8", "regression overall: the score is 0.65 (95 %: 0.58 to 0.716), below 0.8 | scenarios are not known: tickets are taken for independent"},
		"near it":       {200, 170, "score >= 0.8", "inconclusive overall: the score is 0.85 (95 %: 0.793 to 0.896), on either side of 0.8; where the score is 0.715 or less, 200 tickets show it 80 % of the time; about 471 tickets would settle it if the score is what it is here | scenarios are not known: tickets are taken for independent"},
		"from above":    {200, 100, "score <= 0.6", "pass overall: the score is 0.5 (95 %: 0.429 to 0.571), below 0.6; where the score is 0.695 or more, 200 tickets show it 80 % of the time | scenarios are not known: tickets are taken for independent"},
	} {
		side := gated(t, "desk-easy", ones(tt.n, tt.right), nil)
		if diff := cmp.Diff([]string{tt.want}, saidAll(judged(t, side, side, tt.gate))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestScoresAllAlikeAreNoMoreThanTheirScenarios(t *testing.T) {
	t.Parallel()
	scenarios := make([]string, 60)
	for i := range scenarios {
		scenarios[i] = fmt.Sprint("s", i%4)
	}
	side := gated(t, "desk-easy", ones(60, 60), scenarios)
	got := judged(t, side, side, "score >= 0.8")[0]
	if got.Outcome != Inconclusive || got.Interval == nil || math.Abs(got.Interval.Low-0.3976) > 1e-4 || got.N != 60 {
		t.Errorf("%s %v", said(got), got.Interval)
	}
}

func TestADeterministicAgentIsJudgedByItsBytes(t *testing.T) {
	t.Parallel()
	base := func() *Side { return gated(t, "desk-easy", ones(100, 80), nil).deterministic() }
	worse := func() *Side { return gated(t, "desk-easy", ones(100, 78), nil).deterministic() }
	longer := gated(t, "desk-easy", ones(120, 80), nil).deterministic()
	other := func(change func(s *Side)) *Side {
		s := worse()
		change(s)
		return s
	}
	same := base()
	same.Tasks[0].Episodes[3].Tickets[0].Parts[0].Value = 0.5
	same.Tasks[0].Digest = "other"
	sample := "inconclusive overall: the drop of score is 0.02 (95 %: -0.019 to 0.058), on either side of 0.03; 100 tickets show a drop of 0.136 or more 80 % of the time; about 1,700 tickets would settle it if the drop is what it is here; if nothing has changed, about 226 tickets would | scenarios are not known: tickets are taken for independent"
	for name, tt := range map[string]struct {
		base, new *Side
		gate      string
		options   JudgeOptions
		want      string
	}{
		"the same": {base(), base(), "score drop <= 0.03", JudgeOptions{}, "pass overall: a deterministic agent, and the canonical bytes of both are the same"},
		"a change within the margin": {base(), worse(), "score drop <= 0.03", JudgeOptions{},
			"regression overall: a deterministic agent changed: desk-easy: 2 of 100 tickets have another score; the drop of score is 0.02; if that is wanted, store the new results as the base"},
		"a gain": {worse(), base(), "desk-easy.category drop <= 0.03", JudgeOptions{},
			"regression desk-easy: a deterministic agent changed, higher by 0.02: desk-easy: 2 of 100 tickets have another score; the drop of category is -0.02; if that is wanted, store the new results as the base | an unexplained gain of 0.02: make sure that the answers became better, as broken graders and leaked labels raise scores too"},
		"as a sample":       {base(), worse(), "score drop <= 0.03", JudgeOptions{AsSample: true}, sample},
		"another agent":     {base(), other(func(s *Side) { s.Agent = "other" }), "score drop <= 0.03", JudgeOptions{}, sample},
		"not deterministic": {base(), other(func(s *Side) { s.Deterministic = false }), "score drop <= 0.03", JudgeOptions{}, sample},
		"more of the same":  {base(), longer, "score drop <= 0.03", JudgeOptions{}, "pass overall: a deterministic agent that gives the same on the 100 tickets that both played"},
		"more and a change": {base(), other(func(s *Side) { s.Tasks[0].Episodes = s.Tasks[0].Episodes[:90] }), "score drop <= 0.03", JudgeOptions{},
			"regression overall: a deterministic agent changed: desk-easy: not the same tickets were played (10 only by base, 0 only by new, 0 other ones at the same place), and of the others 2 of 90 tickets have another score; the drop of score is 0.022; if that is wanted, store the new results as the base"},
		"other answers of the same score": {base(), same, "score drop <= 0.03", JudgeOptions{},
			"regression overall: a deterministic agent changed: desk-easy: no score differs, but 1 of 100 tickets do in parts or answers; the drop of score is 0; if that is wanted, store the new results as the base"},
		"identical":           {base(), worse(), "identical", JudgeOptions{}, "regression overall: the canonical bytes differ: desk-easy: 2 of 100 tickets have another score"},
		"identical with more": {base(), longer, "identical", JudgeOptions{}, "regression overall: the canonical bytes differ: desk-easy: not the same tickets were played (0 only by base, 20 only by new, 0 other ones at the same place)"},
		"its own figure":      {base(), worse(), "score >= 0.79", JudgeOptions{}, "regression overall: the score is 0.78, which is exact: a deterministic agent, which gives the same on the same tickets"},
		"its own that holds":  {base(), worse(), "score > 0.77", JudgeOptions{}, "pass overall: the score is 0.78, which is exact: a deterministic agent, which gives the same on the same tickets"},
		"a rise that is none": {base(), base(), "score rise > 0", JudgeOptions{}, "regression overall: the rise of score is 0, which is exact: the canonical bytes of both are the same"},
	} {
		got, err := Judge(compared(t, tt.base, tt.new), parsed(t, tt.gate), tt.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff([]string{tt.want}, saidAll(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDifferencesThatDoNotVaryAreExactUnlessTheyAreFew(t *testing.T) {
	t.Parallel()
	all := func(n int, v float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = v
		}
		return out
	}
	for name, tt := range map[string]struct {
		n         int
		base, new float64
		want      string
	}{
		"three that fall": {3, 1, 0, "inconclusive overall: the drop of score is 1: all 3 tickets differ by the same; so few (3 tickets) may do so by chance: at least 6 are needed | scenarios are not known: tickets are taken for independent"},
		"ten that fall":   {10, 1, 0, "regression overall: the drop of score is 1: all 10 tickets differ by the same | scenarios are not known: tickets are taken for independent"},
		"a little":        {400, 0.5, 0.49, "pass overall: the drop of score is 0.01: all 400 tickets differ by the same; what happens to up to 1 % of all may show in none of 400 tickets | scenarios are not known: tickets are taken for independent"},
	} {
		got := judged(t, gated(t, "desk-easy", all(tt.n, tt.base), nil), gated(t, "desk-easy", all(tt.n, tt.new), nil), "score drop <= 0.05")
		if diff := cmp.Diff([]string{tt.want}, saidAll(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Equal scores of other answers: the bytes differ, no score does.
	base, now := gated(t, "desk-easy", ones(12, 6), nil), gated(t, "desk-easy", ones(12, 6), nil)
	now.Tasks[0].Digest = "other"
	want := []string{"inconclusive overall: the drop of score is 0: none of 12 tickets has another score; what happens to up to 26.5 % of all may show in none of 12 tickets; about 72 tickets that are alike would settle it | scenarios are not known: tickets are taken for independent"}
	if diff := cmp.Diff(want, saidAll(judged(t, base, now, "score drop <= 0.05"))); diff != "" {
		t.Error(diff)
	}
}

func TestBrokenEpisodesCountAsNothingAndAreToldOf(t *testing.T) {
	t.Parallel()
	scores := ones(40, 40)
	scores[3], scores[7] = math.NaN(), math.NaN()
	side := gated(t, "desk-easy", ones(40, 40), nil)
	broke := gated(t, "desk-easy", scores, nil)
	got := judged(t, side, broke, "score >= 0.5", "category_accuracy drop <= 0.3")
	want := []string{
		"pass overall: the score is 0.95 (95 %: 0.831 to 0.994), above 0.5; where the score is 0.278 or less, 40 tickets show it 80 % of the time | scenarios are not known: tickets are taken for independent | 2 episodes of new broke and count as 0: a gate such as errors == 0 tells them from bad answers",
		"pass overall: the drop of category_accuracy is 0.05 (95 %: -0.048 to 0.143), below 0.3; 40 tickets show a drop of 0.583 or more 80 % of the time | scenarios are not known: tickets are taken for independent | 2 episodes of new broke and count as 0: a gate such as errors == 0 tells them from bad answers",
	}
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
	for _, v := range judged(t, side, broke, "score >= 0.5", "errors <= 1") {
		if strings.Contains(said(v), "broke") || v.Gate.Metric == "errors" && v.Outcome != Regression {
			t.Error(said(v))
		}
	}
	nothing := make([]float64, 40)
	for i := range nothing {
		nothing[i] = math.NaN()
	}
	got = judged(t, side, gated(t, "desk-easy", nothing, nil), "category drop <= 0.3", "category >= 0.5", "score drop <= 0.1", "errors == 0")
	want = []string{
		"regression overall: no answer of new was graded: every episode of it broke",
		"regression overall: the category is 0 (95 %: 0 to 0.088), below 0.5 | scenarios are not known: tickets are taken for independent",
		"regression overall: the drop of score is 1: all 40 tickets differ by the same | scenarios are not known: tickets are taken for independent",
		"regression overall: errors is 40, which does not hold",
	}
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
}

// A results file tells the mean of a part, and nothing of how it varies.
func TestAFigureWithoutTicketsIsInconclusiveUnlessItIsExact(t *testing.T) {
	t.Parallel()
	file := func(route float64) *Side {
		s := gated(t, "desk-easy", ones(50, 40), nil)
		s.Whole = false
		for i := range s.Tasks[0].Episodes {
			s.Tasks[0].Episodes[i].Tickets = nil
		}
		s.Tasks[0].Figures = map[string]float64{"category": route, "category_accuracy": route}
		s.Tasks[0].Digest = fmt.Sprint(route)
		return s
	}
	got := judged(t, file(0.8), file(0.7), "category_accuracy >= 0.6", "category drop <= 0.05", "score drop <= 0.05")
	want := []string{
		"inconclusive overall: the category_accuracy is 0.7, and nothing says how it varies: a results file does not tell how it varies: give run folders instead",
		"inconclusive overall: the drop of category is 0.1, and nothing says how it varies: a results file does not tell how it varies: give run folders instead",
		"inconclusive overall: the drop of score is 0: none of 50 episodes has another score; what happens to up to 7.2 % of all may show in none of 50 episodes; about 72 episodes that are alike would settle it | scenarios are not known: episodes are taken for independent",
	}
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
	got = judged(t, file(0.8).deterministic(), file(0.7).deterministic(), "category_accuracy >= 0.6", "category drop <= 0.05")
	want = []string{
		"pass overall: the category_accuracy is 0.7, which is exact: a deterministic agent, which gives the same on the same tickets",
		"regression overall: a deterministic agent changed: desk-easy: no score differs, but other figures do; the drop of category is 0.1; if that is wanted, store the new results as the base",
	}
	if diff := cmp.Diff(want, saidAll(got)); diff != "" {
		t.Error(diff)
	}
}

// What is judged over several tasks is the mean over tracks of the mean over tasks, as the comparison tells it.
func TestOverallIsThatOfTheComparison(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	var sides [2]*Side
	scenarios := make([]string, 90)
	for i := range scenarios {
		scenarios[i] = fmt.Sprint("s", r.IntN(30))
	}
	for _, task := range []string{"queue-hard", "desk-easy", "desk-hard"} {
		base, now := noisyPair(90, 0.05, 0.15, r)
		for i, scores := range [][]float64{base, now} {
			s := gated(t, task, scores, scenarios)
			s.Tasks[0].Task.Tickets = 1
			if sides[i] == nil {
				sides[i] = s
			} else {
				sides[i].and(s)
			}
		}
	}
	c := compared(t, sides[0], sides[1])
	got, err := Judge(c, parsed(t, "score drop <= 0.02", "category drop <= 0.02", "score >= 0.5", "category >= 0.5"), JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	guard := stats.Guard(c.Overall.Strata, -1, 1)
	want := stats.Interval{Low: -guard.CI95.High, High: -guard.CI95.Low}
	for _, v := range got[:2] {
		if diff := cmp.Diff(want, *v.Interval, cmpopts.EquateApprox(0, 1e-9)); diff != "" || math.Abs(v.Value+c.Overall.Delta.Mean) > 1e-9 {
			t.Errorf("%s %s", said(v), diff)
		}
	}
	if got[2].Value != got[3].Value || math.Abs(got[2].Value-c.Overall.New) > 1e-12 || cmp.Diff(got[2].Interval, got[3].Interval) != "" {
		t.Errorf("%s\n%s", said(got[2]), said(got[3]))
	}
}

func TestTextsOfStrangersDoNotReachTheTerminal(t *testing.T) {
	t.Parallel()
	evil := "a\x1b[31m\n|=cmd()<script>"
	side := gated(t, "desk-easy", ones(20, 10), nil)
	for i := range side.Tasks[0].Episodes {
		side.Tasks[0].Episodes[i].Tickets[0].Parts = append(side.Tasks[0].Episodes[i].Tickets[0].Parts, triage.Part{Name: evil, Value: 1})
	}
	g := Gate{Metric: evil, Quoted: true, Op: ">=", Number: 0.5}
	verdicts, err := Judge(compared(t, side, side), []Gate{g}, JudgeOptions{})
	if err != nil || len(verdicts) != 1 || strings.ContainsAny(verdicts[0].Why, "\x1b\n") {
		t.Errorf("%v %v", saidAll(verdicts), err)
	}
	_, err = Judge(compared(t, side, side), []Gate{{Metric: "none", Op: ">=", Number: 0.5}}, JudgeOptions{})
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%v", err)
	}
}
