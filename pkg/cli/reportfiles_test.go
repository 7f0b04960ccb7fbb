package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// TestAReportThatCannotBeWrittenIsAnError is lesson C46: an asked-for report that is not there is never green.
func TestAReportThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2")
	run := filepath.Join(dir, "run")
	for _, format := range reportFormats() {
		whole := len(newTestApp().mustRun(t, "report", run, "--format", format))
		for _, left := range []int{0, 1, whole / 2, whole - 1} {
			app := newTestApp()
			app.Out = &testkit.Full{Room: left}
			if code := app.run(t.Context(), "report", run, "--format", format); code != ExitUsage || !strings.Contains(app.errs.String(), "disk full") {
				t.Errorf("%s, full after %d of %d: exit code %d: %s", format, left, whole, code, app.errs.String())
			}
		}
		app := newTestApp()
		if code := app.run(t.Context(), "report", run, "--format", format, "--output", filepath.Join(run, "run.json", "x.json")); code != ExitUsage || app.errs.Len() == 0 {
			t.Errorf("%s: a path that cannot be written: exit code %d: %s", format, code, app.errs.String())
		}
		file := filepath.Join(dir, "report.json")
		out := newTestApp().mustRun(t, "report", run, "--format", format, "--output", file)
		if text := readFile(t, file); len(text) != whole || out != "" {
			t.Errorf("%s: the file has %d bytes of %d, and %q is printed", format, len(text), whole, out)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 3 {
		t.Errorf("%v: what is left behind: %v", err, list)
	}
}

func TestEveryFormatOfARunIsOfItsForm(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "heuristic", "--agent", "random", "--tasks", "queue-easy", "desk-hard", "--episodes", "2", "--split", "train")
	run := filepath.Join(dir, "run")
	get := func(args ...string) string {
		return newTestApp().mustRun(t, append([]string{"report", run}, args...)...)
	}
	const tickets = 2 * (2*8 + 2)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(get("--format", "csv", "--bom"), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 1+tickets || rows[0][0] != "run" {
		t.Errorf("csv: %d rows: %v", len(rows), err)
	}
	if lines := strings.Count(get("--format", "jsonl"), "\n"); lines != tickets {
		t.Errorf("jsonl: %d lines", lines)
	}
	var suites struct {
		Tests int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal([]byte(get("--format", "junit")), &suites); err != nil || suites.Tests != tickets {
		t.Errorf("junit: %v: %v", suites, err)
	}
	if lines := strings.Count(get("--format", "chat"), "\n"); lines != 8 {
		t.Errorf("chat: %d lines", lines)
	}
	if text := get("--format", "chat", "--pairs"); !strings.HasPrefix(text, `{"prompt":[{"role":"system"`) {
		t.Errorf("pairs: %s", text)
	}
	if text := get("--format", "github"); !strings.HasPrefix(text, "## triage\n") || !strings.Contains(text, "### The worst tickets") {
		t.Errorf("github: %.200s", text)
	}
	if text, whole := get("--format", "html", "--agent", "random"), get("--format", "html"); !strings.Contains(text, "<html") || len(text) >= len(whole) {
		t.Errorf("html: %d bytes of one agent, %d of both: %.200s", len(text), len(whole), text)
	}
	if text := get("--format", "markdown"); !strings.Contains(text, "| Agent | Difficulty |") {
		t.Errorf("markdown: %.200s", text)
	}
	get("--format", "inspect", "--output", filepath.Join(dir, "logs"))
	logs, err := filepath.Glob(filepath.Join(dir, "logs", "1970-01-01T00-00-00_*.json"))
	if err != nil || len(logs) != 4 {
		t.Errorf("inspect: %v: %v", err, logs)
	}
	var log struct{ Samples []any }
	if err := json.Unmarshal([]byte(get("--format", "inspect", "--agent", "random", "--tasks", "queue-easy")), &log); err != nil || len(log.Samples) != 16 {
		t.Errorf("one log: %d samples: %v", len(log.Samples), err)
	}
	// The same from standard input, but for the run's name and what only run.json tells.
	for _, format := range []string{"csv", "junit", "table", "json", "github"} {
		app := newTestApp()
		app.In = strings.NewReader(readFile(t, run, "episodes.jsonl"))
		if text := app.mustRun(t, "report", "-", "--format", format); len(text) < 500 {
			t.Errorf("%s of standard input: %s", format, text)
		}
	}
}

func TestTrainingOnTheTestSplitIsWarnedOf(t *testing.T) {
	t.Parallel()
	said := func(args ...string) string {
		app := newTestApp()
		app.mustRun(t, append([]string{"report", "--format", "chat"}, args...)...)
		return app.errs.String()
	}
	a := filepath.Join(playedRun(t, "--agent", "constant", "--tasks", "desk-easy", "--episodes", "2"), "run")
	b := filepath.Join(playedRun(t, "--agent", "constant", "--tasks", "desk-easy", "--episodes", "2", "--split", "train"), "run")
	if got := said(a); !strings.Contains(got, a+" is of the test split: what is trained on it is no longer tested by it") {
		t.Error(got)
	}
	if got := said(b); got != "" {
		t.Error(got)
	}
	if got := said(b, a); !strings.Contains(got, "is of the test split") || !strings.Contains(got, "the runs are of several splits") {
		t.Error(got)
	}
	if got := said(b, "--pairs"); !strings.Contains(got, "there are no pairs") {
		t.Error(got)
	}
}

// BenchmarkReport reports a run of 20,400 tickets.
func BenchmarkReport(b *testing.B) {
	run := filepath.Join(playedRun(b, "--agent", "heuristic", "--tasks", "queue-hard", "--episodes", "1700", "--no-floor"), "run")
	for _, format := range reportFormats() {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				app := newTestApp()
				app.Out = io.Discard
				if code := app.run(b.Context(), "report", run, "--format", format); code != ExitOK {
					b.Fatal(app.errs.String())
				}
			}
		})
	}
}

func TestAnInterruptionEndsAReport(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{ExitInterrupted})
	for _, format := range reportFormats() {
		app := newTestApp()
		if code := app.run(ctx, "report", filepath.Join(dir, "run"), "--format", format); code != ExitInterrupted {
			t.Errorf("%s: exit code %d: %s", format, code, app.errs.String())
		}
	}
}

func TestALogWhoseFirstLineIsLongIsReadWhole(t *testing.T) {
	t.Parallel()
	var e triage.Encoder
	score := 1.0
	for i := range 3 {
		ep := &triage.Episode{Key: triage.Key{Agent: "a", Task: "tickets", Seed: int64(i)}, Ended: triage.EndedComplete, Score: &score, Efficiency: &score, Reward: &score,
			Steps: []triage.Step{{Observation: triage.Observation{Dataset: &triage.DatasetObservation{Body: strings.Repeat("x", 1<<20), Labels: map[string][]string{"team": {"a", "b"}}}},
				Action: triage.Action{Track: triage.Dataset, Labels: map[string]string{"team": "a"}},
				Score:  &triage.Score{Total: 1, Parts: []triage.Part{{Name: "team", Value: 1, Weight: 1, Why: triage.Why{Code: triage.WhyExact, Got: "a", Want: "a"}}}}}}}
		e.Episode(ep)
		e.Buf = append(e.Buf, '\n')
	}
	app := newTestApp()
	app.In = bytes.NewReader(e.Buf)
	rows, err := csv.NewReader(strings.NewReader(app.mustRun(t, "report", "-", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][13] != "team_value" {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}
