package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report/export"
	"github.com/triagebench/triage/pkg/triage"
)

// table reads CSV into rows by the header's names.
func table(t testing.TB, text string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		out = append(out, row)
	}
	return out
}

func TestNoCellOfATicketIsAFormula(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", " =1": " '=1", "\"=1": "\"'=1", "'=1": "''=1",
		"\t=1": " '=1", "\r=1": "\n'=1", "\r\n=1": "\n'=1", "a;=1": "a;'=1", "a\n@x": "a\n'@x", "＝1": "'＝1", "\ufeff=1": "\ufeff'=1",
		"-5": "-5", "12": "12", "-0.5": "-0.5", "00123": "00123", "5-": "5-", "1.2.3": "1.2.3", "-": "'-", ".5": ".5", "-1e5": "'-1e5", "": "", "a=b": "a=b",
		"a\x00b": "a\ufffdb", "\x1b[31m": "\ufffd[31m", "\xffx": "\ufffdx", "a\u202eb": "a\ufffdb", "ü": "ü", "two\nlines": "two\nlines", "cell, \"quoted\"": "cell, \"quoted\"",
	} {
		run := importedRun()
		run[0].Steps[0].Observation.Dataset.Subject = text
		row := table(t, written(t, run, func(w io.Writer) export.Writer { return export.NewCSV(w, []string{"score", "tea\"m"}) }))[0]
		if row["subject"] != want {
			t.Errorf("%q becomes %q, not %q", text, row["subject"], want)
		}
	}
}

func TestACellHoldsNoMoreThanASpreadsheetTakes(t *testing.T) {
	t.Parallel()
	run := importedRun()
	run[0].Steps[0].Observation.Dataset.Body = strings.Repeat("ü", 1<<20)
	row := table(t, written(t, run, func(w io.Writer) export.Writer { return export.NewCSV(w, []string{"score", "tea\"m"}) }))[0]
	if n := utf8.RuneCountInString(row["text"]); n > 32_767 || !strings.HasSuffix(row["text"], "… (2033152 more bytes)") {
		t.Errorf("the cell has %d characters and ends in %q", n, row["text"][len(row["text"])-40:])
	}
	line := written(t, run, func(w io.Writer) export.Writer { return export.NewJSONL(w, []string{"score", "tea\"m"}) })
	if len(line) < 2<<20 {
		t.Errorf("JSON lines are cut too: %d bytes", len(line))
	}
}

func TestLinesHaveTheSameKeysAndTheTextsAsTheyWere(t *testing.T) {
	t.Parallel()
	for run, f := range fixtures() {
		var keys []string
		for i, line := range strings.Split(strings.TrimSuffix(written(t, f.episodes, writers(f.parts)["jsonl"]), "\n"), "\n") {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			var own []string
			for k, v := range row {
				own = append(own, k)
				if _, nested := v.(map[string]any); nested {
					t.Errorf("%s: line %d: %s is an object", run, i, k)
				}
			}
			slices.Sort(own)
			if keys == nil {
				keys = own
			}
			if d := cmp.Diff(keys, own); d != "" {
				t.Errorf("%s: line %d has other keys: %s", run, i, d)
			}
			if run == "queue" && i == 1 && row["subject"] != strings.ToValidUTF8(strings.ReplaceAll(hostile, "\xff\xfe", "\ufffd\ufffd"), "") {
				t.Errorf("the subject is %q", row["subject"])
			}
		}
	}
}

// TestWhatBrokeIsInEveryFormatThatCounts is lesson B20: nothing vanishes from a denominator.
func TestWhatBrokeIsInEveryFormatThatCounts(t *testing.T) {
	t.Parallel()
	f := fixtures()["queue"]
	rows := table(t, written(t, f.episodes, writers(f.parts)["csv"]))
	var broken []string
	for _, r := range rows {
		if r["ended"] == "error" {
			broken = append(broken, fmt.Sprintf("%s/%s score %s right %s broken %s error %v answer %v route %q", r["seed"], r["position"], r["score"], r["right"], r["broken"], r["error"] != "", r["answer"] != "", r["route_value"]))
		}
	}
	want := []string{`43/0 score 0 right false broken true error true answer true route "1"`} // it keeps what it was worth by itself
	for position := 1; position < 12; position++ {                                            // a row for each ticket that was never shown: means over rows are those of tables
		want = append(want, fmt.Sprintf(`43/%d score 0 right false broken true error true answer false route ""`, position))
	}
	if d := cmp.Diff(want, broken); d != "" {
		t.Error(d)
	}
	var x *export.Inspect
	var head struct {
		Status  string
		Results struct {
			Total     int `json:"total_samples"`
			Completed int `json:"completed_samples"`
			Scores    []struct {
				Name    string
				Metrics map[string]struct{ Value float64 }
			}
		}
	}
	x = export.NewInspect(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if strings.Contains(name, "heuristic") {
			if err := write(&b); err != nil {
				return err
			}
			return json.Unmarshal(b.Bytes(), &head)
		}
		return nil
	})
	if err := write(x, source(), logged(t, f.episodes)); err != nil {
		t.Fatal(err)
	}
	// Two tickets of seed 42 with 1 and 0.4, twelve of the broken episode with 0.
	if got := head.Results.Scores[0].Metrics["mean"].Value; head.Status != "error" || head.Results.Total != 14 || head.Results.Completed != 2 || math.Abs(got-0.1) > 1e-6 {
		t.Errorf("the log says %+v", head)
	}
}

type suites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name  string `xml:"name,attr"`
		Tests int    `xml:"tests,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnitIsReadBackWithItsCounts(t *testing.T) {
	t.Parallel()
	for run, f := range fixtures() {
		var got suites
		text := written(t, f.episodes, writers(f.parts)["junit.xml"])
		if err := xml.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v", run, err)
		}
		for _, r := range text { // the characters of XML 1.0
			if r != '\t' && r != '\n' && r != '\r' && (r < ' ' || r > 0xd7ff && r < 0xe000 || r == 0xfffe || r == 0xffff) {
				t.Fatalf("%s: it holds %U", run, r)
			}
		}
		count := suites{Suites: got.Suites}
		for _, s := range got.Suites {
			names := map[string]bool{}
			if len(s.Cases) != s.Tests {
				t.Errorf("%s: %s has %d cases of %d", run, s.Name, len(s.Cases), s.Tests)
			}
			for _, c := range s.Cases {
				count.Tests++
				if names[c.Name] {
					t.Errorf("%s: two cases are called %s", run, c.Name)
				}
				names[c.Name] = true
				switch {
				case c.Failure != nil:
					count.Failures++
				case c.Error != nil:
					count.Errors++
				case c.Skipped != nil:
					count.Skipped++
				}
			}
		}
		if d := cmp.Diff(got, count); d != "" {
			t.Errorf("%s (-said +counted): %s", run, d)
		}
	}
}

func TestATicketFailsUnderTheScoreThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for below, want := range map[float64]int{0: 5, 1: 5, 0.6: 4, 0.2: 2, 0.000001: 2} {
		var got suites
		if err := xml.Unmarshal([]byte(written(t, queueRun(), func(w io.Writer) export.Writer { return export.NewJUnit(w, below) })), &got); err != nil || got.Failures != want {
			t.Errorf("under %v: %d failures, not %d (%v)", below, got.Failures, want, err)
		}
	}
	// The desk's target is 0.7, which 0.75 reaches.
	for below, want := range map[float64]int{0: 0, 0.75: 0, 0.76: 1} {
		var got suites
		if err := xml.Unmarshal([]byte(written(t, deskRun(), func(w io.Writer) export.Writer { return export.NewJUnit(w, below) })), &got); err != nil || got.Failures != want || got.Errors != 1 || got.Skipped != 1 {
			t.Errorf("under %v: %+v, not %d (%v)", below, got, want, err)
		}
	}
}

func TestAPartWithoutAColumnIsRefused(t *testing.T) {
	t.Parallel()
	for _, make := range []func(io.Writer, []string) export.Writer{export.NewCSV, export.NewJSONL} {
		err := make(io.Discard, []string{"route"}).Episode(source(), logged(t, queueRun())[0])
		if triage.CodeOf(err) != triage.CodeFiles || !strings.Contains(err.Error(), `heuristic/queue-hard/42: its part "urgency" has no column`) {
			t.Errorf("it gives %v", err)
		}
	}
}

func TestAnObservationThatCannotBeReadNamesItsEpisode(t *testing.T) {
	t.Parallel()
	ep := logged(t, queueRun())[0]
	ep.Steps[1].Observation = json.RawMessage(`{"ticket": 7}`)
	for format, make := range writers([]string{"route", "urgency"}) {
		if format == "chat.jsonl" { // it passes observations on
			continue
		}
		if err := make(io.Discard).Episode(source(), ep); err == nil || !strings.Contains(err.Error(), "heuristic/queue-hard/42, step 1: decode observation") {
			t.Errorf("%s gives %v", format, err)
		}
	}
}

func TestPartsStandOnceInTheOrderOfTables(t *testing.T) {
	t.Parallel()
	want := []string{"route", "urgency", "difficulty", "priority", "category", "urgency_days", "department", "recommendation", "team"}
	if d := cmp.Diff(want, export.PartsOf(triage.Tasks(), []string{"team", "route"})); d != "" {
		t.Error(d)
	}
}

func TestStandardErrorsCountScenariosNotTickets(t *testing.T) {
	t.Parallel()
	var run []*triage.Episode
	for i, v := range []float64{1, 1, 0, 0, 1} {
		ep := queueRun()[0]
		ep.Key.Seed, ep.Score, ep.Steps = int64(i), value(v), ep.Steps[:1]
		ep.Steps[0].Score.Total = v
		ep.Steps[0].About = &triage.About{Scenario: []string{"a", "a", "b", "b", "c"}[i]}
		run = append(run, ep)
	}
	var log struct {
		Results struct {
			Scores []struct {
				Metrics map[string]struct{ Value float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, run, writers(nil)["inspect.json"])), &log); err != nil {
		t.Fatal(err)
	}
	// off the mean 0.6: a 0.8, b −1.2, c 0.4; √((0.64 + 1.44 + 0.16)·3/2)/5
	want := map[string]float64{"mean": 0.6, "stderr": math.Sqrt(2.24*1.5) / 5}
	for name, v := range want {
		if got := log.Results.Scores[0].Metrics[name].Value; math.Abs(got-v) > 1e-6 {
			t.Errorf("%s is %v, not %v", name, got, v)
		}
	}
}
