package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report"
	"github.com/triagebench/triage/pkg/testkit"
)

var nan = math.NaN()

// whole is a report with everything that a report can have.
func whole() *report.Report {
	return &report.Report{
		Tables: []report.Table{
			{Name: "queue", Title: "Queue track, agent a*b", Columns: []report.Column{{Title: "Agent", Key: "agent", Text: true}, {Title: "n", Key: "n"},
				{Title: "Score [95 %]", Key: "score", Places: 3}, {Title: "Efficiency", Key: "efficiency", Places: 2}, {Title: "Pass", Key: "pass", Text: true}},
				Rows: [][]report.Cell{
					{"heuristic", 10, report.Interval{Value: 0.6123456789, Low: 0.58, High: 0.6449}, 0.775, true},
					{"llm|<b>`x`", 1, report.Interval{Value: 0.5, Low: nan, High: nan}, -0.0001, false},
					{"=1+1", 0, report.Interval{Value: nan, Low: nan, High: nan}, nan, nil},
					{"two\nlines, \"quoted\" \x1b[31m", int64(7), 0.25, math.Inf(1), nil},
					{"", 0, nil, nil, nil},
				},
				Notes: []string{"heuristic: 3 answers were refused.", "a|b <c>"}},
			{Name: "empty", Columns: []report.Column{{Title: "Difficulty", Key: "difficulty", Text: true}, {Title: "Überlänge", Key: "n"}}},
			{Name: "plain", Title: "Plain", Columns: []report.Column{{Title: "What", Key: "what", Text: true}, {Title: "Count", Key: "count"}},
				Rows: [][]report.Cell{{"日本", 1}, {"-dash", 1000}}},
		},
		Lines:  []string{"Overall score: queue 0.612", "Run: results/<agent>"},
		Values: map[string]report.Cell{"run": "results/<agent>", "overall": map[string]any{"queue": 0.6}, "floor": nan, "score": report.Interval{Value: 1, Low: 0, High: 1}, "n": 3},
	}
}

func TestRowsForMachinesAreInNoTableForPeople(t *testing.T) {
	t.Parallel()
	r := &report.Report{Tables: []report.Table{{Name: "t", Columns: []report.Column{{Title: "What", Key: "what", Text: true}, {Title: "Value", Key: "value"}},
		Rows: [][]report.Cell{{"shown", 1}}, More: [][]report.Cell{{"hidden", report.Interval{Value: 2, Low: 1, High: 3}}}}}}
	for name, format := range report.Formats() {
		var b bytes.Buffer
		if err := format(&b, r); err != nil {
			t.Fatal(err)
		}
		machines := name == "csv" || name == "json"
		if got := b.String(); !strings.Contains(got, "shown") || strings.Contains(got, "hidden") != machines {
			t.Errorf("%s: %s", name, got)
		}
		if want := "t,hidden,2,1,3"; name == "csv" && !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q: %s", name, want, b.String())
		}
	}
}

func TestEachFormatIsItsGolden(t *testing.T) {
	t.Parallel()
	for name, format := range report.Formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := format(&b, whole()); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, filepath.Join("testdata", "whole."+name), b.String())
			bad := []string{"NaN", "Inf"}
			if name == "table" || name == "markdown" { // for people
				bad = append(bad, "\x1b", "-0.00")
			}
			for _, bad := range bad {
				if strings.Contains(b.String(), bad) {
					t.Errorf("the report holds %q:\n%s", bad, b.String())
				}
			}
			var again bytes.Buffer
			if err := format(&again, whole()); err != nil || again.String() != b.String() {
				t.Errorf("a second time it is another one, error %v", err)
			}
		})
	}
}

func TestFormatNames(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{"table", "csv", "json", "markdown"}, report.FormatNames()); d != "" {
		t.Errorf("formats (-want +got):\n%s", d)
	}
}

// big is a report longer than the buffers of the formats.
func big() *report.Report {
	r := whole()
	for i := range 300 {
		r.Tables[2].Rows = append(r.Tables[2].Rows, []report.Cell{fmt.Sprintf("row %d", i), i})
	}
	return r
}

func TestAWriterThatFailsAnywhereIsAnError(t *testing.T) {
	t.Parallel()
	for name, format := range report.Formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, r := range map[string]*report.Report{"whole": whole(), "big": big()} {
				var b bytes.Buffer
				if err := format(&b, r); err != nil {
					t.Fatal(err)
				}
				step := 1 + b.Len()/60
				if kind == "big" {
					step = 1 + b.Len()/15
				}
				for size := 0; size < b.Len(); size += step {
					if err := format(&testkit.Full{Room: size}, r); !errors.Is(err, testkit.ErrFull) {
						t.Errorf("%s: a writer that fails after %d of %d bytes gives the error %v", kind, size, b.Len(), err)
					}
				}
				if err := format(&testkit.Full{Room: b.Len()}, r); err != nil {
					t.Errorf("%s: a writer that takes all gives the error %v", kind, err)
				}
			}
		})
	}
}

// stubborn fails at one write only: a format must not forget an error because later writes go well.
type stubborn struct{ at, n int }

func (s *stubborn) Write(p []byte) (int, error) {
	s.n++
	if s.n == s.at {
		return 0, testkit.ErrFull
	}
	return len(p), nil
}

func TestAWriteThatFailsOnceIsAnError(t *testing.T) {
	t.Parallel()
	for name, format := range report.Formats() {
		count := &stubborn{}
		if err := format(count, big()); err != nil {
			t.Fatal(err)
		}
		for at := 1; at <= count.n; at += 1 + count.n/40 {
			if err := format(&stubborn{at: at}, big()); !errors.Is(err, testkit.ErrFull) {
				t.Errorf("%s: a failure of write %d of %d gives the error %v", name, at, count.n, err)
			}
		}
	}
}

// lesson B23
func TestJSONHoldsNumbersAndNull(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, whole()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	row := func(agent string, n, score, efficiency, pass, interval any) any {
		return map[string]any{"agent": agent, "n": n, "score": score, "score_ci95": interval, "efficiency": efficiency, "pass": pass}
	}
	want := map[string]any{
		"queue": []any{row("heuristic", 10., 0.612346, 0.775, true, []any{0.58, 0.6449}), row("llm|<b>`x`", 1., 0.5, -0.0001, false, nil),
			row("=1+1", 0., nil, nil, nil, nil), row("two\nlines, \"quoted\" \x1b[31m", 7., 0.25, nil, nil, nil), row("", 0., nil, nil, nil, nil)},
		"empty": []any{}, "plain": []any{map[string]any{"what": "日本", "count": 1.}, map[string]any{"what": "-dash", "count": 1000.}},
		"run": "results/<agent>", "overall": map[string]any{"queue": 0.6}, "floor": nil, "score": 1., "score_ci95": []any{0., 1.}, "n": 3.,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if err := report.JSON(io.Discard, &report.Report{Values: map[string]report.Cell{"x": func() {}}}); err == nil {
		t.Error("a value that is no JSON was written")
	}
}

func TestCSVHasAsManyFieldsInEachRowAsInItsHeader(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.CSV(&b, whole()); err != nil {
		t.Fatal(err)
	}
	in := csv.NewReader(&b)
	in.FieldsPerRecord = -1
	got, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"table", "agent", "n", "score", "score_low", "score_high", "efficiency", "pass"},
		{"queue", "heuristic", "10", "0.612346", "0.58", "0.6449", "0.775", "true"},
		{"queue", "llm|<b>`x`", "1", "0.5", "", "", "-0.0001", "false"},
		{"queue", "'=1+1", "0", "", "", "", "", ""},
		{"queue", "two\nlines, \"quoted\"  [31m", "7", "0.25", "", "", "", ""},
		{"queue", "", "0", "", "", "", "", ""},
		{"table", "difficulty", "n"},
		{"table", "what", "count"}, {"plain", "日本", "1"}, {"plain", "'-dash", "1000"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
}

func TestCSVTextsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx", "1=1": "1=1", " =1": " =1", "": "",
		"'=1": "'=1", "ü": "ü"} {
		var b bytes.Buffer
		r := &report.Report{Tables: []report.Table{{Name: "t", Columns: []report.Column{{Key: "k"}}, Rows: [][]report.Cell{{text}}}}}
		if err := report.CSV(&b, r); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want = strings.ReplaceAll(want, "\r\n", "\n") // as the reader does
		if rows[1][1] != want {
			t.Errorf("%q is written as %q, want %q", text, rows[1][1], want)
		}
	}
}

func TestMarkdownCellsStayCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a|b": `a\|b`, `a\|b`: `a\\\|b`, "a\nb": "a b", "a\r\nb": "a  b", "<script>": `\<script>`, "**x**": `\*\*x\*\*`, "`x`": "\\`x\\`",
		"route_accuracy": "route_accuracy", "[0.1, 0.2]": "[0.1, 0.2]", "\x1b[31m": " [31m"} {
		var b bytes.Buffer
		r := &report.Report{Tables: []report.Table{{Columns: []report.Column{{Title: text, Text: true}, {Title: "n"}}, Rows: [][]report.Cell{{text, 1}}}}}
		if err := report.Markdown(&b, r); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if got := lines[2]; got != "| "+want+" | 1 |" {
			t.Errorf("%q is printed as %s, want | %s | 1 |", text, got, want)
		}
		if lines[1] != "|---|--:|" {
			t.Errorf("alignment %s", lines[1])
		}
	}
}

func TestPeopleSeeRoundedNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cell   report.Cell
		places int
		want   string
	}{
		{0.5, 3, "0.500"}, {0.9996, 3, "1.000"}, {-0.0004, 3, "0.000"}, {-0.0006, 3, "-0.001"}, {math.Copysign(0, -1), 2, "0.00"}, {1234.5, 0, "1235"}, {-1234.5, 0, "-1235"}, {0.6725, 3, "0.673"}, {-0.6725, 3, "-0.673"}, {0.67249999999999, 3, "0.673"}, {0.1105, 3, "0.111"}, {-0.1105, 3, "-0.111"}, {1.0005, 3, "1.001"}, {nan, 2, "–"},
		{math.Inf(-1), 2, "–"}, {7, 3, "7"}, {nil, 2, "–"}, {true, 0, "yes"}, {false, 0, "no"}, {"x", 2, "x"}, {uint8(4), 2, "4"},
		{report.Interval{Value: 0.5, Low: 0.25, High: 0.75}, 2, "0.50 [0.25, 0.75]"}, {report.Interval{Value: 0.5, Low: nan, High: 0.75}, 2, "0.50"},
		{report.Interval{Value: 0.5, Low: 0.25, High: nan}, 2, "0.50"}, {report.Interval{Value: nan, Low: nan, High: nan}, 2, "–"},
	} {
		for name, format := range map[string]report.Format{"markdown": report.Markdown, "table": report.Text} {
			var b bytes.Buffer
			r := &report.Report{Tables: []report.Table{{Columns: []report.Column{{Title: "x", Places: tt.places}}, Rows: [][]report.Cell{{tt.cell}}}}}
			if err := format(&b, r); err != nil {
				t.Fatal(err)
			}
			want := "| " + tt.want + " |"
			if name == "table" {
				want = " " + tt.want + " │"
			}
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %v with %d places is not printed as %q:\n%s", name, tt.cell, tt.places, tt.want, b.String())
			}
		}
	}
}

func TestAnEmptyReportPrintsNothing(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"table": "", "json": "{}\n", "csv": "", "markdown": ""} {
		var b bytes.Buffer
		if err := report.Formats()[name](&b, &report.Report{}); err != nil || b.String() != want {
			t.Errorf("%s: %q, error %v", name, b.String(), err)
		}
	}
}
