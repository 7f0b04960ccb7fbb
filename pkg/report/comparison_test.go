package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// hostileText is what a stranger may have written: it steers terminals, is markup, a formula and a table, turns the writing around, and is no
// UTF-8.
const hostileText = "=cmd()|'|<script>alert(1)</script>\x1b[31m\x00\u202Eevil\u2028\xff`*_"

func difference(metric string, base, fresh, low, high, p float64, n int) compare.Difference {
	return compare.Difference{Metric: metric, Base: base, New: fresh, P: p, Holm: p, Paired: true,
		Delta: stats.Estimate{N: n, Mean: fresh - base, CI95: &stats.Interval{Low: low, High: high}}}
}

// twoTasks is a comparison with everything that a comparison can have.
func twoTasks(t *testing.T) report.Compared {
	t.Helper()
	hard, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	easy, err := triage.TaskByName("desk-easy")
	if err != nil {
		t.Fatal(err)
	}
	route := func(value float64, got string) []triage.Part {
		return []triage.Part{{Name: "route", Value: value, Weight: 0.4, Why: triage.Why{Code: triage.WhyWrong, Got: got, Want: "billing"}},
			{Name: "urgency", Value: 1, Weight: 0.25, Why: triage.Why{Code: triage.WhyExact, Got: "low", Want: "low"}}}
	}
	gate := func(text string) compare.Gate {
		g, err := compare.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	c := &compare.Comparison{
		Base: &compare.Side{Name: "heuristic (a)", Agent: "heuristic", From: "a"}, New: &compare.Side{Name: "heuristic (b)", Agent: "heuristic", From: "b" + hostileText},
		Tasks: []compare.TaskComparison{
			{Task: hard, Units: "tickets", Pairs: 40, Clusters: 20, BaseOnly: 1, NewOnly: 2, OtherTickets: 3, Broke: 4, Differ: 6,
				Score:  difference("score", 0.7, 0.6, -0.15, -0.05, 0.0004, 40),
				Others: []compare.Difference{difference("route", 0.8, 0.7, -0.2, 0, 0.05, 40), difference(hostileText, 0.5, nan, nan, nan, nan, 0)},
				Flips:  compare.Flips{Fixed: 1, Broken: 5, Test: stats.McNemar(1, 5), P: 0.21875, By: compare.ByMcNemar}, MovedInAll: 6,
				Moved: []compare.Moved{{Task: "queue-hard", Place: compare.Place{Seed: 42, Position: -1}, Index: 3, ID: "TKT-1", Subject: hostileText + strings.Repeat("x", 1<<20),
					Traps: []string{"mention", "thread"}, Base: compare.MovedSide{Score: 1, Answer: `{"route_category":"billing","note":"a,\nb"}`, Parts: route(1, "billing")},
					New: compare.MovedSide{Score: 0.3, Answer: hostileText, Parts: route(0, "sales"), Error: "refused: " + hostileText}},
					{Task: "queue-hard", Place: compare.Place{Seed: 43, Position: 2}, Trial: 1, New: compare.MovedSide{Score: nan}}},
				Deltas: []float64{-0.7, 0}, Warnings: []string{"the two tests disagree"}},
			{Task: easy, Units: "episodes", SameBytes: true, Pairs: 10, Score: difference("score", 0.8, 0.8, 0, 0, 1, 10)},
		},
		Overall: difference("score", 0.75, 0.7, -0.08, -0.02, 0.001, 50),
		Allowed: []compare.Mismatch{{Key: "generator", Base: "2-a", New: "2-b"}}, Noted: []compare.Mismatch{{Key: "seed", Base: "", New: hostileText}},
		BaseOnly: []string{"desk-hard"}, NewOnly: []string{"desk-medium"}, Warnings: []string{"only 3 of 4 seeds are shared."},
	}
	return report.Compared{Comparison: c, Verdicts: []compare.Verdict{
		{Gate: gate("score drop <= 0.02"), Scope: "overall", Outcome: compare.Regression, Value: 0.05, Interval: &stats.Interval{Low: 0.02, High: 0.08}, Margin: 0.02, N: 50, Units: "tickets", Why: "the drop is 0.05"},
		{Gate: gate("desk-easy.score >= 0.8"), Scope: "desk-easy", Outcome: compare.Inconclusive, Value: 0.8, N: 10, Units: "episodes", Why: "0.8 is on the margin", Warnings: []string{"an episode broke"}},
		{Gate: gate("errors == 0"), Scope: "overall", Outcome: compare.Pass, Value: nan, Why: "no episode broke"},
	}}
}

func comparisonReports(t *testing.T) map[string]*report.Report {
	t.Helper()
	one, other := twoTasks(t), twoTasks(t)
	other.New.Name, other.Verdicts = "keyword", nil
	ranked := report.FromComparisons([]report.Compared{one, other})
	standings := []compare.Standing{{Side: one.Base, Rank: 1, Score: stats.Estimate{N: 40, Mean: 0.7}},
		{Side: one.New, Rank: 2, Score: stats.Estimate{N: 40, Mean: 0.6, CI95: &stats.Interval{Low: 0.5, High: 0.7}}, Below: difference("score", 0.7, 0.6, -0.2, 0, 0.05, 40), Tied: true}}
	ranked.AddRanking(&compare.Ranking{Standings: standings, Warnings: []string{"b is not complete"},
		Tasks: []compare.TaskRanking{{Task: one.Tasks[0].Task, Standings: standings}, {Task: one.Tasks[1].Task, Standings: standings[:1]}}})
	repeats := &compare.Repeats{Sides: []string{"a" + hostileText, "b"}, Pairs: 2, Gates: []compare.RepeatedGate{{Gate: one.Verdicts[0].Gate, Passes: 1, Regressions: 1, Disjoint: 1, Alarms: 1, Chance: 0.05, Worst: &one.Verdicts[0], Base: "a", New: "b"},
		{Gate: one.Verdicts[2].Gate, Skipped: "it is about new's own figure"}, {Gate: one.Verdicts[1].Gate, Self: 1}}}
	return map[string]*report.Report{"repeats": report.FromRepeats(repeats), "one": report.FromComparisons([]report.Compared{one}), "several": ranked, "short": report.InShort([]report.Compared{one, other}, "out/\x1b.csv")}
}

func TestEachFormatOfAComparisonIsItsGolden(t *testing.T) {
	t.Parallel()
	for what, r := range comparisonReports(t) {
		for name, format := range report.Formats() {
			var b bytes.Buffer
			if err := format(&b, r); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "compare_"+what+"."+name)
			testkit.Golden(t, golden, b.String())
			if !utf8.Valid(b.Bytes()) || strings.ContainsAny(b.String(), "\x1b\x00\u202E\u2028") || strings.Contains(b.String(), "NaN") || b.Len() > 30_000 {
				t.Errorf("%s lets a stranger's text through, or is long: %d bytes", golden, b.Len())
			}
			if people := name == "table" || name == "markdown"; people && (what == "one" || what == "several") && !strings.Contains(b.String(), "it does not tell the two apart") {
				t.Errorf("%s does not say what its intervals cover", golden) // lesson B34
			}
			if name == "markdown" && strings.Contains(strings.ReplaceAll(b.String(), `\<`, ""), "<script") {
				t.Errorf("%s holds markup", golden)
			}
			for left := 0; left < b.Len(); left += 97 {
				if err := format(&testkit.Full{Room: left}, r); !errors.Is(err, testkit.ErrFull) {
					t.Fatalf("%s: a disk that is full after %d of %d bytes gives %v", golden, left, b.Len(), err)
				}
			}
		}
	}
}

func TestTheFormatsOfAComparisonReadBack(t *testing.T) {
	t.Parallel()
	for what, r := range comparisonReports(t) {
		var b bytes.Buffer
		if err := report.JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(b.Bytes(), &object); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		b.Reset()
		if err := report.CSV(&b, r); err != nil {
			t.Fatal(err)
		}
		in := csv.NewReader(&b)
		in.FieldsPerRecord = -1
		records, err := in.ReadAll()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, record := range records {
			for _, cell := range record {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("%s: %q is a formula", what, cell)
				}
			}
		}
	}
}

func TestAnInconclusiveGateFailsInJUnitUnlessItIsLenient(t *testing.T) {
	t.Parallel()
	list := []report.Compared{twoTasks(t)}
	list[0].Verdicts[0].Why = hostileText
	for _, lenient := range []bool{false, true} {
		var b bytes.Buffer
		if err := report.JUnit(&b, "triage compare", report.VerdictChecks(list, lenient)); err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
		}
		if err := xml.NewDecoder(bytes.NewReader(b.Bytes())).Decode(&suite); err != nil {
			t.Fatal(err)
		}
		want := "{3 2 0}"
		if lenient {
			want = "{3 1 1}"
		}
		if got := fmt.Sprint(suite); got != want {
			t.Errorf("lenient %v: tests, failures and skipped are %s, not %s:\n%s", lenient, got, want, b.String())
		}
		for left := 0; left < b.Len(); left += 31 {
			if err := report.JUnit(&testkit.Full{Room: left}, "triage compare", report.VerdictChecks(list, lenient)); !errors.Is(err, testkit.ErrFull) {
				t.Fatalf("a disk that is full after %d bytes gives %v", left, err)
			}
		}
	}
	if got := report.VerdictChecks([]report.Compared{list[0], list[0]}, false); len(got) != 6 || !strings.HasPrefix(got[0].ID, "heuristic (a) → heuristic (b): ") {
		t.Errorf("two comparisons give %v", got)
	}
}

func TestJUnitAndTheShortTextHaveEveryWarning(t *testing.T) {
	t.Parallel()
	list := []report.Compared{twoTasks(t)}
	list[0].Verdicts[2].Warnings = []string{"not judged, as new does not have them: desk-hard"}
	var b bytes.Buffer
	if err := report.JUnit(&b, "triage compare", report.VerdictChecks(list, false), report.VerdictNotes(list)...); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Out   string `xml:"system-out"`
		Cases []struct {
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	}
	if err := xml.NewDecoder(bytes.NewReader(b.Bytes())).Decode(&suite); err != nil {
		t.Fatal(err)
	}
	want := "New is lower overall, by 0.050 [0.020, 0.080].\nWarning: only 3 of 4 seeds are shared.\nWarning: only base has desk-hard.\nWarning: only new has desk-medium.\nWarning: queue-hard: the two tests disagree."
	if suite.Out != want {
		t.Errorf("the suite says\n%s", suite.Out)
	}
	if got := suite.Cases[2].Out; !strings.Contains(got, "\nWarning: not judged, as new does not have them: desk-hard.") {
		t.Errorf("the case says %q", got)
	}
	short := strings.Join(report.InShort(list, "x").Lines, "\n")
	for _, line := range append(strings.Split(want, "\n"), "Warning: errors == 0 on overall: not judged, as new does not have them: desk-hard.") {
		if !strings.Contains(short, line) {
			t.Errorf("the short text lacks %q:\n%s", line, short)
		}
	}
}

func TestANameOfATaskIsOneLineInEveryFormat(t *testing.T) {
	t.Parallel()
	one := twoTasks(t)
	forged := "desk\n::error title=x::forged\r\x1b[31m\x00"
	one.Tasks[0].Task.Name, one.Verdicts[0].Scope = forged, forged
	one.Tasks[0].Flips = compare.Flips{}
	list := []report.Compared{one}
	r := report.FromComparisons(list)
	r.AddRanking(&compare.Ranking{Standings: []compare.Standing{{Side: one.Base}}, Tasks: []compare.TaskRanking{{Task: one.Tasks[0].Task, Standings: []compare.Standing{{Side: one.Base}}}, {Task: one.Tasks[1].Task}}})
	var b bytes.Buffer
	for _, name := range report.FormatNames() {
		if err := report.Formats()[name](&b, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(report.JUnit(&b, "x", report.VerdictChecks(list, false), report.VerdictNotes(list)...), report.GitHubComparison(&b, list, report.GitHubOptions{}),
		report.WriteAnnotations(&b, report.ComparisonAnnotations(list)), report.Text(&b, report.InShort(list, "f"))); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "\n::error title=x") || strings.ContainsAny(text, "\r\x1b\x00") || !strings.Contains(text, "forged") {
		t.Errorf("a line of it is a command:\n%s", text)
	}
}

func TestTheHeadlineSaysWhatIsKnownAndNoMore(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(c *compare.Comparison)
		want   string
	}{
		"the same bytes":                   {func(c *compare.Comparison) { c.Tasks, c.BaseOnly, c.NewOnly = c.Tasks[1:], nil, nil }, "No difference: the same bytes on every task."},
		"the same bytes of what is shared": {func(c *compare.Comparison) { c.Tasks = c.Tasks[1:] }, "No difference: every pair has the same score."},
		"equal pairs":                      {func(c *compare.Comparison) { c.Tasks[0].Deltas, c.Tasks[0].Broke = []float64{0, 0}, 0 }, "No difference: every pair has the same score."},
		"one pair":                         {func(c *compare.Comparison) { c.Overall.Delta.CI95 = nil }, "What differs overall cannot be told from chance: there are too few tickets for an interval."},
		"lower":                            {func(*compare.Comparison) {}, "New is lower overall, by 0.050 [0.020, 0.080]."},
		"one task":                         {func(c *compare.Comparison) { c.Tasks = c.Tasks[:1] }, "New is lower on queue-hard, by 0.100 [0.050, 0.150]."},
		"higher":                           {func(c *compare.Comparison) { c.Overall = difference("score", 0.6, 0.7, 0.05, 0.15, 0.001, 50) }, "New is higher overall, by 0.100 [0.050, 0.150]."},
		"either": {func(c *compare.Comparison) { c.Overall = difference("score", 0.6, 0.7, -0.05, 0.25, 0.2, 50) },
			"These tickets cannot tell the two apart overall: the difference is 0.100 [-0.050, 0.250]."},
	} {
		c := twoTasks(t).Comparison
		row.change(c)
		if got := report.Headline(c); got != row.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestPeopleNeedNotSeeWhatIsTheSameOrEmpty(t *testing.T) {
	t.Parallel()
	whole := &report.Report{Tables: []report.Table{
		{Name: "parts", Columns: []report.Column{{Key: "metric", Text: true}, {Key: "note", Text: true}, {Key: "difference"}},
			Rows: [][]report.Cell{{"route", "", report.Interval{}}, {"urgency", "", report.Interval{Low: -1, High: 1}}}, Notes: []string{"a note"}},
		{Name: "tasks", Columns: []report.Column{{Key: "task", Text: true}, {Key: "n"}}, Rows: [][]report.Cell{{"", 1}, {"x", 2}}},
	}, Lines: []string{"l"}}
	want := &report.Report{Tables: []report.Table{
		{Name: "parts", Columns: []report.Column{{Key: "metric", Text: true}, {Key: "difference"}}, Rows: [][]report.Cell{{"urgency", report.Interval{Low: -1, High: 1}}},
			Notes: []string{"Left out: 1 figure that all pairs have the same.", "a note"}},
		whole.Tables[1],
	}, Lines: []string{"l"}}
	if d := cmp.Diff(want, whole.ForPeople()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	whole.Tables[0].Rows = whole.Tables[0].Rows[:1]
	if got := whole.ForPeople(); len(got.Tables) != 1 || got.Tables[0].Name != "tasks" {
		t.Errorf("the tables are %v", got.Tables)
	}
}

func TestOneReportGoesBelowAnother(t *testing.T) {
	t.Parallel()
	r := &report.Report{}
	r.Append(&report.Report{Tables: []report.Table{{Name: "a"}}, Lines: []string{"l"}, Values: map[string]report.Cell{"k": 1}})
	if d := cmp.Diff(&report.Report{Tables: []report.Table{{Name: "a"}}, Lines: []string{"l"}, Values: map[string]report.Cell{"k": 1}}, r); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
