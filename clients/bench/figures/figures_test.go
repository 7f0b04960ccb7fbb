package figures_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/clients/bench/figures"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		want   figures.Spread
	}{
		{nil, figures.Spread{}},
		{[]float64{5}, figures.Spread{Median: 5, Min: 5, Max: 5, N: 1}},
		{[]float64{9, 1, 4}, figures.Spread{Median: 4, Min: 1, Max: 9, N: 3}},
		{[]float64{9, 1, 4, 5}, figures.Spread{Median: 4.5, Min: 1, Max: 9, N: 4}},
	} {
		before := append([]float64(nil), tt.values...)
		if diff := cmp.Diff(tt.want, figures.SpreadOf(tt.values)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.values, diff)
		}
		if diff := cmp.Diff(before, tt.values); diff != "" {
			t.Errorf("the values were changed (-before +after):\n%s", diff)
		}
	}
}

func TestRatiosPairRounds(t *testing.T) {
	t.Parallel()
	got := figures.Ratios([]float64{10, 30, 8, 7}, []float64{5, 10, 0})
	if diff := cmp.Diff([]float64{2, 3}, got); diff != "" {
		t.Errorf("ratios (-want +got):\n%s", diff)
	}
}

// servers are a reference, an echo and ours, of which every bar is passed.
func servers() (reference, echo, ours *figures.Server) {
	reference = &figures.Server{Name: "reference", Loads: map[int]*figures.Load{
		16: {Rate: []float64{1000}, CPU: []float64{600}}, 256: {Rate: []float64{1000}, CPU: []float64{600}}}}
	echo = &figures.Server{Name: figures.Echo, Loads: map[int]*figures.Load{16: {Rate: []float64{20_000}}}}
	ours = &figures.Server{Name: figures.Ours, Memory: 39, MemorySessions: 2000, Start: []float64{30, 99, 250}, Frame: 1432.5,
		Loads: map[int]*figures.Load{16: {Rate: []float64{12_000}, CPU: []float64{60}}, 256: {Rate: []float64{15_000}, CPU: []float64{50}}}}
	return reference, echo, ours
}

func verdicts(bars []figures.Bar) []string {
	var out []string
	for i := range bars {
		out = append(out, bars[i].Verdict())
	}
	return out
}

func TestBarsPassAtTheirLimits(t *testing.T) {
	t.Parallel()
	bars := figures.Bars(servers())
	if diff := cmp.Diff([]string{"pass", "pass", "pass", "pass", "pass", "pass"}, verdicts(bars)); diff != "" || !figures.AllPassed(bars) {
		t.Errorf("verdicts (-want +got), all passed %v:\n%s", figures.AllPassed(bars), diff)
	}
}

func TestBarsMissJustBeyondTheirLimits(t *testing.T) {
	t.Parallel()
	for i, spoil := range []func(reference, echo, ours *figures.Server){
		func(r, _, _ *figures.Server) { r.Loads[16].Rate = []float64{1334} },
		func(_, _, o *figures.Server) { o.Loads[16].CPU = []float64{60.1} },
		func(_, e, _ *figures.Server) { e.Loads[16].Rate = []float64{20_001} },
		func(_, _, o *figures.Server) { o.Loads[256].Rate = []float64{14_999} },
		func(_, _, o *figures.Server) { o.Memory = 40 },
		func(_, _, o *figures.Server) { o.Start = []float64{30, 100, 250} },
	} {
		reference, echo, ours := servers()
		spoil(reference, echo, ours)
		want := []string{"pass", "pass", "pass", "pass", "pass", "pass"}
		want[i] = "miss"
		bars := figures.Bars(reference, echo, ours)
		if diff := cmp.Diff(want, verdicts(bars)); diff != "" || figures.AllPassed(bars) {
			t.Errorf("bar %d: verdicts (-want +got), all passed %v:\n%s", i, figures.AllPassed(bars), diff)
		}
	}
}

func TestWhatWasNotMeasuredIsNotPassed(t *testing.T) {
	t.Parallel()
	_, _, ours := servers()
	bars := figures.Bars(nil, nil, ours)
	want := []string{"not measured", "not measured", "not measured", "not measured", "pass", "pass"}
	if diff := cmp.Diff(want, verdicts(bars)); diff != "" || figures.AllPassed(bars) {
		t.Errorf("verdicts (-want +got), all passed %v:\n%s", figures.AllPassed(bars), diff)
	}
	want = []string{"not measured", "not measured", "not measured", "not measured", "not measured", "not measured"}
	if diff := cmp.Diff(want, verdicts(figures.Bars(nil, nil, nil))); diff != "" {
		t.Errorf("of nothing (-want +got):\n%s", diff)
	}
}

func report() *figures.Report {
	reference, echo, ours := servers()
	r := &figures.Report{Machine: "2 x chip", Rounds: 1, Seconds: 2, Sessions: []int{16, 256},
		Servers: []*figures.Server{reference, echo, ours}, Against: "reference"}
	r.Judge()
	return r
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report().WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 x chip; 1 rounds of 2.00 s, no seed twice, median (min..max)",
		"steps/s, 16 sessions                   1,000      20,000  12,000",
		"server CPU µs a step, 16 sessions      600        -       60.0",
		"memory KiB a session                   -          -       39.0 (at 2000)",
		"start to /health, ms                   -          -       99.0 (30.0..250)",
		"bytes of a step's answer               0          0       1,432",
		"ours / reference, 256 sessions  steps/s 15.0x   CPU a step 0.0833x",
		"ours / echo, 256 sessions       steps/s -       CPU a step -",
		"steps/s against the echo, 16 sessions (aim 0.75)       ≥ 0.600x    0.600x              pass",
		"start to the first /health                             < 100 ms    99.0 ms (30.0..250)  pass",
	} {
		if !strings.Contains(squeeze(out.String()), squeeze(want)) {
			t.Errorf("the table lacks %q:\n%s", want, &out)
		}
	}
}

// squeeze makes runs of spaces one.
func squeeze(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

func TestJSONHoldsEveryFigure(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report().WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got figures.Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report(), &got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}
