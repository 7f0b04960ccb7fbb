package html_test

import (
	"math"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

// comparison is one that was made by hand.
func comparison() *compare.Comparison {
	hard, _ := triage.TaskByName("queue-hard")
	score := compare.Difference{Metric: "score", Base: 0.8, New: 0.7, Delta: stats.Estimate{N: 40, Mean: -0.1, CI95: &stats.Interval{Low: -0.19, High: -0.01}}, P: 0.03, Holm: 0.06, Paired: true}
	route := compare.Difference{Metric: "route_accuracy", Base: 0.9, New: 0.95, Delta: stats.Estimate{N: 40, Mean: 0.05, CI95: &stats.Interval{Low: -0.02, High: 0.12}}, P: 0.2, Holm: math.NaN()}
	unknown := compare.Difference{Metric: "reward", Base: math.NaN(), New: math.NaN(), Delta: stats.Estimate{Mean: math.NaN()}, P: math.NaN(), Holm: math.NaN(), Reason: "no rewards"}
	moved := compare.Moved{Task: "queue-hard", Place: compare.Place{Seed: 42, Position: -1}, Index: 2, ID: "T-9", Subject: "RE: <b>thread</b>", Text: "<script>the text of the ticket",
		Base: compare.MovedSide{Score: 1, Answer: `{"route_category":"technical"}`, Parts: []triage.Part{part("route", "technical", "technical", 1, 1)}},
		New:  compare.MovedSide{Score: 0, Answer: `{"route_category":"billing"}`, Parts: []triage.Part{part("route", "billing", "technical", 0, 1)}, Error: "refused"}}
	return &compare.Comparison{Base: &compare.Side{Name: "heuristic", From: "base.json"}, New: &compare.Side{Name: "other", From: "new/"},
		Tasks: []compare.TaskComparison{{Task: hard, Units: "tickets", Pairs: 40, BaseOnly: 3, Score: score, Others: []compare.Difference{route, unknown},
			Flips: compare.Flips{Fixed: 2, Broken: 6, BothRight: 20, BothWrong: 12}, Moved: []compare.Moved{moved}, MovedInAll: 9, Deltas: []float64{-0.1}, Warnings: []string{"few clusters"}}},
		Overall: score, Noted: []compare.Mismatch{{Key: "settings.temperature", Base: "0", New: "1"}}, Warnings: []string{"seeds differ"}}
}

// verdicts are what two gates say of it.
func verdicts(t *testing.T) []compare.Verdict {
	t.Helper()
	gate := func(text string) compare.Gate {
		g, err := compare.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	return []compare.Verdict{
		{Gate: gate("score drop <= 0.05"), Scope: "queue-hard", Outcome: compare.Regression, Value: -0.1, Interval: &stats.Interval{Low: -0.19, High: -0.01}, N: 40, Units: "tickets",
			Why: "the drop is -0.1 (-0.19 to -0.01), above 0.05", Warnings: []string{"few clusters"}},
		{Gate: gate("errors == 0"), Scope: "overall", Outcome: compare.Inconclusive, Value: math.NaN(), Why: "nobody knows", Warnings: []string{"few clusters"}},
	}
}

func TestAComparisonShowsDifferencesFlipsAndBothAnswers(t *testing.T) {
	t.Parallel()
	p := html.FromComparison(comparison(), html.Options{Title: "Comparison"})
	p.AddVerdicts([]report.Compared{{Comparison: comparison(), Verdicts: verdicts(t)}, {Comparison: comparison()}})
	page := structure(written(t, p))
	for _, want := range []string{"<h1>Comparison</h1>", `<h2 id="h-comparison-1">other against heuristic</h2>`, `<a href="#comparison-1">Comparison</a>`, "New is lower on queue-hard, by 0.100 [0.010, 0.190].", "−0.100 [−0.190, −0.010]", "&#43;0.050 [−0.020, &#43;0.120]", "0.060",
		"T-9 RE: &lt;b&gt;thread&lt;/b&gt; (seed 42, ticket 3)", `<span class="delta loss">−1.000</span>`, "{&#34;route_category&#34;:&#34;billing&#34;}",
		"billing is wrong; right is technical", `<p class="error">refused</p>`, "tickets that moved most, 1 of 9", "queue-hard: 3 tickets that only base has.", "queue-hard: few clusters.", "seeds differ.",
		"settings.temperature", "differs, and may", `<span class="outcome regression"><span aria-hidden="true">✗</span> regression</span> is the outcome of 2 verdicts: regression 1, inconclusive 1.`,
		`<p class="outcome inconclusive"><span aria-hidden="true">?</span> inconclusive</p>`, "<code>score drop &lt;= 0.05</code> on queue-hard", `<p class="figures-of">−0.100 [−0.190, −0.010], n 40 tickets</p>`,
		"the drop is −0.1 (−0.19 to −0.01), above 0.05.", "Warning: all gates: few clusters.", `<p class="mail">&lt;script&gt;the text of the ticket`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"NaN", "every ticket", `id="list"`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if strings.Index(page, `class="verdicts"`) > strings.LastIndex(page, ">other against heuristic") {
		t.Error("the verdicts stand below the comparison")
	}
}

func TestARankingSaysWhoCannotBeToldApart(t *testing.T) {
	t.Parallel()
	side := func(name string) *compare.Side { return &compare.Side{Name: name} }
	p := html.New(html.Options{})
	hard, _ := triage.TaskByName("queue-hard")
	easy, _ := triage.TaskByName("queue-easy")
	standings := []compare.Standing{{Side: side("first"), Rank: 1, Score: stats.Estimate{N: 9, Mean: 0.9}},
		{Side: side("second"), Rank: 2, Score: stats.Estimate{N: 9, Mean: 0.89}, Below: compare.Difference{Delta: stats.Estimate{Mean: -0.01}, Holm: 0.00001}, Tied: true}}
	p.AddRanking(&compare.Ranking{Standings: standings, Tasks: []compare.TaskRanking{{Task: hard, Standings: standings}, {Task: easy, Standings: standings[:1]}}, Warnings: []string{"a is not complete"}})
	page := structure(written(t, p))
	for _, want := range []string{"Told from the one above", "<td>no</td>", "−0.010", "&lt; 0.001", "2. second, n 9", "<caption>queue-hard</caption>", "<caption>queue-easy</caption>", "Warning: a is not complete."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
