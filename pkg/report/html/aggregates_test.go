package html

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/stats"
	"github.com/triagebench/triage/pkg/triage"
)

func TestBoundsBelongToTheBinAboveThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value float64
		want  int
	}{{-1, 0}, {3.9, 0}, {4, 1}, {11.99, 1}, {12, 2}, {48, 3}, {1e9, 3}} {
		if got := binOf(&c.value, 4, 12, 48); got != c.want {
			t.Errorf("%v is in bin %d, want %d", c.value, got, c.want)
		}
	}
	if got := binOf(nil, 4); got != -1 {
		t.Errorf("what is not known is in bin %d, want -1", got)
	}
	if diff := cmp.Diff([]string{"below 4", "4 to 12", "12 and above"}, binNames([]float64{4, 12}, "%g", "")); diff != "" {
		t.Error(diff)
	}
}

func TestEverySliceKnowsItsBins(t *testing.T) {
	t.Parallel()
	if n := len(sliceList()); n != len(fact{}.bins) {
		t.Fatalf("%d slices, and room for %d", n, len(fact{}.bins))
	}
	full := look(triage.Queue, json.RawMessage(`{"ticket":{"ticket_id":"T","subject":"äb","description":"c","metadata":{"customer_tier":"business","wait_time_hours":12.5,
		"is_escalated":true,"previous_contacts":7,"selected_category":"spam"}}}`))
	desk := look(triage.Desk, json.RawMessage(`{"ticket_id":"D","issue_text":"Subject\n\nBody","sentiment_score":-0.5,"wait_time_hours":0.1,"is_escalated":false}`))
	about := &triage.About{Scenario: "technical/x"}
	for _, c := range []struct {
		name  string
		seen  seen
		about *triage.About
		want  []int // route, wait, tier, sentiment, length, escalated, contacts, form
	}{
		{"a queue ticket", full, about, []int{1, 2, 2, -1, 0, 1, 3, 1}},
		{"a desk ticket", desk, about, []int{1, 0, -1, 1, 0, 0, -1, -1}},
		{"a queue ticket of which nothing is told", full, nil, []int{-1, 2, 2, -1, 0, 1, 3, -1}},
		{"an observation that is none", look(triage.Queue, json.RawMessage(`[]`)), nil, []int{-1, -1, -1, -1, -1, -1, -1, -1}},
		{"the end of a queue", look(triage.Queue, json.RawMessage(`{"ticket":null}`)), nil, []int{-1, -1, -1, -1, -1, -1, -1, -1}},
	} {
		var got []int
		for _, x := range sliceList() {
			bin := x.of(&c.seen, c.about)
			if bin >= len(x.bins) {
				t.Errorf("%s: %s has no bin %d", c.name, x.key, bin)
			}
			got = append(got, bin)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if full.Length != 3 || desk.Subject != "Subject" || desk.Length != 13 {
		t.Errorf("lengths %d and %d, subject %q", full.Length, desk.Length, desk.Subject)
	}
}

func TestMisjudgedCountsMissedAndOverCalled(t *testing.T) {
	t.Parallel()
	levels := []string{"low", "medium", "high", "critical"}
	m := &matrix{part: "urgency", order: levels, counts: stats.NewConfusion(levels)}
	for _, x := range [][2]string{{"critical", "low"}, {"critical", "high"}, {"high", "high"}, {"low", "low"}, {"low", "medium"}, {"medium", "critical"}, {"low", "critical"}, {"high", none}} {
		m.counts.Add(x[0], x[1])
	}
	want := misjudged{none: 1, below2: 1, below1: 1, right: 2, above1: 1, above2: 2}
	if got := misjudge(m, false); got != want || got.n() != 8 {
		t.Errorf("%+v, want %+v", got, want)
	}
	reversed := misjudged{none: 1, below2: 2, below1: 1, right: 2, above1: 1, above2: 1}
	if got := misjudge(m, true); got != reversed {
		t.Errorf("where low levels are urgent: %+v, want %+v", got, reversed)
	}
}

func TestMeansCountTrialsOnceAndAllowForScenarios(t *testing.T) {
	t.Parallel()
	facts := []fact{{score: 1, unit: 0, scenario: 0}, {score: 0, unit: 0, scenario: 0}, {score: 1, unit: 1, scenario: 1}, {score: 0.25, unit: 2, scenario: 1}}
	all := func(*fact) bool { return true }
	got := meanOf(facts, all)
	want := stats.MeanNested([]float64{1, 0, 1, 0.25}, []int{0, 0, 1, 2}, []int{0, 0, 1, 1}, 0, 1)
	if diff := cmp.Diff(want, got); diff != "" || math.Abs(got.Mean-1.75/3) > 1e-12 || got.N != 3 {
		t.Errorf("mean %v of %d, want 0.5833 of 3 tickets\n%s", got.Mean, got.N, diff)
	}
	facts[0].scenario, facts[1].scenario = -1, -1
	if got, want := meanOf(facts, all), stats.MeanNested([]float64{1, 0, 1, 0.25}, []int{0, 0, 1, 2}, nil, 0, 1); !cmp.Equal(want, got) {
		t.Errorf("where a scenario is not known the interval is %v, want that over tickets %v", got.CI95, want.CI95)
	}
	if none := meanOf(facts, func(*fact) bool { return false }); none.N != 0 || !math.IsNaN(none.Mean) {
		t.Errorf("the mean of nothing is %v", none)
	}
}

func TestAMatrixShowsCountsAndSharesOfItsRows(t *testing.T) {
	t.Parallel()
	m := &matrix{part: "route", order: []string{"a", "b"}, counts: stats.NewConfusion([]string{"a", "b"})}
	for range 3 {
		m.counts.Add("a", "a")
	}
	m.counts.Add("a", none)
	m.counts.Add("b", "odd <label>")
	got := m.table()
	var lines []string
	for _, row := range append([][]cell{got.Head}, got.Rows...) {
		var texts []string
		for _, c := range row {
			texts = append(texts, c.Text)
		}
		lines = append(lines, strings.Join(texts, " | "))
	}
	want := []string{"right \\ given | a | b | (none) | odd <label> | n", "a | 3 (75 %) | · | 1 (25 %) | · | 4", "b | · | · | · | 1 (100 %) | 1"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	if got.Rows[0][1].Class != "h4 right" || got.Rows[0][3].Class != "w2" || got.Rows[1][2].Class != "h0 right" {
		t.Errorf("classes %q, %q, %q", got.Rows[0][1].Class, got.Rows[0][3].Class, got.Rows[1][2].Class)
	}
}

func TestAMatrixOfManyLabelsListsItsLargestConfusions(t *testing.T) {
	t.Parallel()
	m := &matrix{part: "label", counts: stats.NewConfusion(nil)}
	for i := range 20 {
		m.order = append(m.order, fmt.Sprint("label-", i))
		for range i {
			m.counts.Add(m.order[i], "label-0")
		}
		for j := range 3 {
			m.counts.Add(m.order[i], fmt.Sprint("label-", j+10))
		}
	}
	got := m.table()
	if len(got.Rows) != mostConfusions || got.Rows[0][0].Text != "label-19" || got.Rows[0][2].Text != "19" || got.Rows[0][3].Text != "86 %" {
		t.Errorf("%d rows, the first is %+v", len(got.Rows), got.Rows[0])
	}
	if diff := cmp.Diff([]string{"46 more pairs are not shown."}, got.Notes); diff != "" {
		t.Error(diff)
	}
}

// lesson B24: what there is not is a dash, never NaN.
func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	signed := dots{signed: true}
	for _, c := range []struct{ got, want string }{
		{decimal(0.12345, 3), "0.123"}, {decimal(-0.5, 2), "−0.50"}, {decimal(-0.0001, 2), "0.00"}, {decimal(math.NaN(), 3), "–"}, {decimal(math.Inf(1), 3), "–"},
		{signed.number(0.1, 2), "+0.10"}, {signed.number(0.001, 2), "0.00"}, {signed.number(-0.1, 2), "−0.10"}, {middle("abcdefghij", 5), "ab…ij"}, {middle("abc", 5), "abc"},
		{short("äöü", 2), "äö…"}, {clean("a\x00b\x1b\u0085c\xff\n"), "a\uFFFDb\uFFFD\uFFFDc\uFFFD\n"}, {across(0), "2.00%"}, {across(2), "98.00%"}, {across(-1), "2.00%"},
		{partName("urgency_days"), "Urgency days"}, {sentence("so."), "so."}, {sentence("so"), "so."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestChartsSayEverythingInWordsToo(t *testing.T) {
	t.Parallel()
	e := stats.Estimate{N: 4, Mean: 0.5, CI95: &stats.Interval{Low: 0.25, High: 0.75}}
	c := dots{title: `A "chart" <of>`, words: "Rows & marks.", low: 0, high: 1, series: 2, groups: []dotGroup{{label: "hard", dots: []dot{
		{series: 0, label: "one", estimate: e, floor: 0.3, target: 0.6}, {series: 9, label: "two", estimate: stats.Estimate{Mean: math.NaN()}, floor: math.NaN(), target: math.NaN()}}}}}
	got := string(c.draw())
	for _, want := range []string{`role="img"`, `aria-label="A &#34;chart&#34; &lt;of&gt;. Rows &amp; marks."`, "<title>A &#34;chart&#34; &lt;of&gt;</title>", "<desc>Rows &amp; marks.</desc>",
		">hard, n 0 to 4<", ">0.500 [0.250, 0.750]<", `class="floor" x1="30.80%"`, `class="target" x1="59.60%"`, `class="range s0" x1="26.00%" x2="74.00%"`, ">–<"} {
		if !strings.Contains(got, want) {
			t.Errorf("the drawing lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "NaN") || strings.Contains(got, "style") {
		t.Errorf("the drawing holds what it should not:\n%s", got)
	}
	for name, c := range map[string]struct {
		groups []dotGroup
		want   string
	}{
		"a long label has a line to itself":        {[]dotGroup{{label: "Recommendation accuracy", dots: []dot{{estimate: e}}}}, ">Recommendation accuracy, n 4<"},
		"n is that of the tables":                  {[]dotGroup{{label: "hard", dots: []dot{{estimate: e, n: 12}}}}, ">hard, n 12<"},
		"a narrow interval shows its ends":         {[]dotGroup{{label: "hard", dots: []dot{{estimate: stats.Estimate{N: 4, Mean: 0.5, CI95: &stats.Interval{Low: 0.5, High: 0.5}}}}}}, `y1="20" y2="34"`},
		"no line of the axis runs through a label": {[]dotGroup{{label: "hard", dots: []dot{{estimate: e}}}}, `<rect class="ground" x="0" y="0" width="100%" height="18"/><text`},
	} {
		if got := string((&dots{title: "t", low: 0, high: 1, series: 1, groups: c.groups}).draw()); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is missing in %s", name, c.want, got)
		}
	}
	b := bars{title: "t", words: "w", classes: []string{"g0", "g1"}, rows: []bar{{label: "r", shares: []float64{0.25, 0}, value: "v"}}}
	if got := string(b.draw()); strings.Count(got, "<rect") != 3 || !strings.Contains(got, `width="25.000%"`) || !strings.Contains(got, ">25 %<") {
		t.Errorf("the bars are %s", got)
	}
}

func TestTheMarksOfAnAxisAreWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, most := range []float64{0, 0.05, 0.1, 0.101, 0.25, 0.55, 0.81, 1, 3} {
		end := axisEnd(most)
		for i := range 5 {
			v := -end + float64(2*end*float64(i)/4)
			if math.Abs(v-math.Round(v*100)/100) > 1e-9 {
				t.Errorf("of an axis for %v a mark is %v", most, v)
			}
		}
		if end < min(most, 1) {
			t.Errorf("an axis for %v ends at %v", most, end)
		}
	}
}
