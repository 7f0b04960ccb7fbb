package report_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// githubMovedTicket is a ticket that moved from one score to another.
func githubMovedTicket(seed int64, base, fresh float64, text string) compare.Moved {
	part := func(v float64) []triage.Part {
		return []triage.Part{{Name: "route", Value: v, Weight: 1, Why: triage.Why{Code: triage.WhyWrong, Got: text, Want: "billing"}}}
	}
	return compare.Moved{Task: "queue-hard", Place: compare.Place{Seed: seed, Position: -1}, Index: 2, ID: "TKT-1", Subject: text,
		Base: compare.MovedSide{Score: base, Answer: `{"route":"billing"}`, Parts: part(base)},
		New:  compare.MovedSide{Score: fresh, Answer: `{"route":"` + text + `"}`, Parts: part(fresh), Error: text}}
}

// githubCompared has moved tickets and a verdict of each kind.
func githubCompared(moved ...compare.Moved) report.Compared {
	task, _ := triage.TaskByName("queue-hard")
	estimate := stats.Estimate{N: 120, Mean: -0.08, CI95: &stats.Interval{Low: -0.11, High: -0.05}}
	d := compare.Difference{Metric: "score", Base: 0.7, New: 0.62, Delta: estimate, P: 0.001, Holm: 0.002, Paired: true}
	c := &compare.Comparison{Base: &compare.Side{Name: "heuristic", Agent: "heuristic", From: "baselines/scores/heuristic"},
		New:     &compare.Side{Name: "exec:@all | `x`", Agent: "exec:@all | `x`", From: "results/new"},
		Tasks:   []compare.TaskComparison{{Task: task, Units: "tickets", Pairs: 120, Score: d, Moved: moved, MovedInAll: len(moved) + 3, Deltas: []float64{-1, 0, 1}}},
		Overall: d, Noted: []compare.Mismatch{{Key: "settings.a|b", Base: "<b>", New: "`c`"}}, Warnings: []string{"a doubt | <b>"}}
	gate := compare.Gate{Metric: "score", Change: compare.Drop, Op: "<=", Number: 0.02}
	verdict := func(o compare.Outcome, why string, warnings ...string) compare.Verdict {
		return compare.Verdict{Gate: gate, Scope: "overall", Outcome: o, Value: 0.08, Interval: &stats.Interval{Low: 0.05, High: 0.11}, Margin: 0.02, N: 120, Units: "tickets",
			P: math.NaN(), Smallest: 0.06, Why: why, Warnings: warnings}
	}
	return report.Compared{Comparison: c, Verdicts: []compare.Verdict{verdict(compare.Pass, "it holds"), verdict(compare.Inconclusive, "cannot tell: 100 %", "rough"),
		verdict(compare.Regression, "the drop is 0.08\nand more, ::error::x")}}
}

func strangersMoved() []compare.Moved {
	var out []compare.Moved
	for i, name := range sortedNames(githubTexts) {
		out = append(out, githubMovedTicket(int64(i), 0.5, float64(i)/20, githubTexts[name]))
	}
	return append(out, githubMovedTicket(99, 1, math.NaN(), "it broke"))
}

func TestASummaryOfAComparisonIsItsGolden(t *testing.T) {
	t.Parallel()
	githubGolden(t, "github-comparison.md", func(w io.Writer) error {
		return report.GitHubComparison(w, []report.Compared{githubCompared(strangersMoved()...)}, report.GitHubOptions{More: "results/new"})
	})
}

func TestNoTextOfAComparisonIsMoreThanTextInASummary(t *testing.T) {
	t.Parallel()
	for name, text := range githubTexts {
		x := githubCompared(githubMovedTicket(1, 1, 0, text), githubMovedTicket(2, 0, 1, text))
		x.New.Name, x.New.From, x.Warnings, x.Verdicts[0].Why, x.Verdicts[1].Warnings = text, text, []string{text}, text, []string{text}
		var b bytes.Buffer
		if err := report.GitHubComparison(&b, []report.Compared{x, x}, report.GitHubOptions{More: text}); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { looksSafe(t, b.String()) })
	}
}

func TestTheFirstLineOfASummarySaysTheWorstVerdict(t *testing.T) {
	t.Parallel()
	x := githubCompared()
	for _, c := range []struct {
		verdicts []compare.Verdict
		want     string
	}{
		{nil, "## triage: compared, without a gate"},
		{x.Verdicts[:1], "## ✅ triage: pass"},
		{x.Verdicts[:2], "## ⚠️ triage: inconclusive"},
		{x.Verdicts, "## ❌ triage: regression"},
	} {
		var b bytes.Buffer
		if err := report.GitHubComparison(&b, []report.Compared{{Comparison: x.Comparison, Verdicts: c.verdicts}}, report.GitHubOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(b.String(), "\n"); got != c.want {
			t.Errorf("got %q, not %q", got, c.want)
		}
	}
}

func TestRegressionsAndWorseTicketsComeFirstInASummary(t *testing.T) {
	t.Parallel()
	x := githubCompared(githubMovedTicket(1, 0, 1, "better by 1"), githubMovedTicket(2, 0.5, 0.4, "worse by a little"), githubMovedTicket(3, 1, 0, "worse by 1"),
		githubMovedTicket(4, 0.2, 0.4, "better by a little"), githubMovedTicket(5, 0.9, math.NaN(), "broke"))
	var b bytes.Buffer
	if err := report.GitHubComparison(&b, []report.Compared{x}, report.GitHubOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "…3 more that moved in <code>results/new</code>") { // where the new run is
		t.Errorf("it does not say where the rest is:\n%s", b.String())
	}
	last := 0
	for _, text := range []string{"regression |", "inconclusive |", "pass |", "got worse", "worse by 1", "broke", "worse by a little", "got better", "better by 1", "better by a little", "…3 more"} {
		i := strings.Index(b.String()[last:], text)
		if i < 0 {
			t.Fatalf("%q does not follow in\n%s", text, b.String())
		}
		last += i
	}
}

// lesson C47, as above.
func TestASummaryOf20000MovedTicketsIsUnder900KiB(t *testing.T) {
	t.Parallel()
	var moved []compare.Moved
	for i := range int64(20_000) {
		moved = append(moved, githubMovedTicket(i, 1, float64(i%90)/100, strings.Repeat("|<&", 100)))
	}
	x := githubCompared(moved...)
	var b bytes.Buffer
	if err := report.GitHubComparison(&b, []report.Compared{x}, report.GitHubOptions{More: "report.html"}); err != nil {
		t.Fatal(err)
	}
	if b.Len() > report.GitHubLimit || b.Len() < 880<<10 {
		t.Errorf("it has %d bytes", b.Len())
	}
	if want := fmt.Sprintf("…%d more that moved in <code>report.html</code>", 20_003-strings.Count(b.String(), "→ 0.")); !strings.Contains(b.String(), want) {
		t.Errorf("it does not say %q", want)
	}
	looksSafe(t, b.String())
}

func TestAComparisonAnnotatesRegressionsAsErrorsAndDoubtsAsWarnings(t *testing.T) {
	t.Parallel()
	x := githubCompared()
	x.New.Name = "new"
	want := "::error title=triage%3A regression%3A score drop <= 0.02 on overall::heuristic → new: the drop is 0.08%0Aand more, ::error::x\n" +
		"::warning title=triage%3A inconclusive%3A score drop <= 0.02 on overall::heuristic → new: cannot tell: 100 %25\n" +
		"::warning title=triage%3A score drop <= 0.02 on overall::heuristic → new: rough\n" +
		"::warning title=triage%3A heuristic → new::a doubt | <b>\n"
	if d := cmp.Diff(want, annotations(t, report.ComparisonAnnotations([]report.Compared{x})...)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	x.Verdicts, x.Warnings = x.Verdicts[:1], nil
	if got := annotations(t, report.ComparisonAnnotations([]report.Compared{x})...); !strings.HasPrefix(got, "::notice title=triage%3A heuristic → new::1 gate passed. New is lower") {
		t.Errorf("got %q", got)
	}
}

func TestEpisodesOfResultsFilesAreLinesInASummary(t *testing.T) {
	t.Parallel()
	m := githubMovedTicket(7, 1, 0, "")
	m.Base, m.New, m.Index = compare.MovedSide{Score: 1}, compare.MovedSide{Score: 0}, -1
	x := githubCompared(m)
	x.Tasks[0].Units = "episodes"
	var b bytes.Buffer
	if err := report.GitHubComparison(&b, []report.Compared{x}, report.GitHubOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "\n### Episodes that got worse\n\n<p><b>1.000 → 0.000</b> <code>queue-hard&#58;7</code></p>\n\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is not in\n%s", want, b.String())
	}
}
