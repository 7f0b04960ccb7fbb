package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"github.com/triagebench/triage/pkg/results"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestNewReportCmdReadsItsFlags(t *testing.T) {
	t.Parallel()
	whole := func(change func(*reportOptions)) *reportOptions {
		o := &reportOptions{Runs: []string{"a"}, Format: "table", MaxPairs: 1}
		change(o)
		return o
	}
	for args, want := range map[string]*reportOptions{
		"a":                           whole(func(*reportOptions) {}),
		"a b -":                       whole(func(o *reportOptions) { o.Runs = []string{"a", "b", "-"} }),
		"a --format csv --bom":        whole(func(o *reportOptions) { o.Format, o.BOM = "csv", true }),
		"a --agent x --agent exec:y,": whole(func(o *reportOptions) { o.Agents = []string{"x", "exec:y,"} }),
		"a --tasks queue-easy desk-hard --difficulties easy --track=queue": whole(func(o *reportOptions) {
			o.Tasks, o.Difficulties, o.Tracks = []string{"queue-easy", "desk-hard"}, []string{"easy"}, []string{"queue"}
		}),
		"a --format junit --fail-below 0.5 --output x/j.xml": whole(func(o *reportOptions) { o.Format, o.FailBelow, o.Output = "junit", 0.5, "x/j.xml" }),
		"a --format chat --replies":                          whole(func(o *reportOptions) { o.Format, o.Replies = "chat", true }),
		"a --format chat --pairs --min-gap 0.25 --max-pairs 0": whole(func(o *reportOptions) {
			o.Format, o.Pairs, o.MinGap, o.MaxPairs = "chat", true, 0.25, 0
		}),
	} {
		var got *reportOptions
		root := newRoot(newTestApp().App)
		cmd := newReportCmd(newTestApp().App, func(_ context.Context, o *reportOptions) error {
			got = o
			return nil
		})
		for _, c := range root.Commands() {
			if c.Name() == "report" {
				root.RemoveCommand(c)
			}
		}
		root.AddCommand(cmd)
		root.SetArgs(joinLists(root, append([]string{"report"}, strings.Fields(args)...)))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(reportOptions{}, "app"), cmp.AllowUnexported(reportOptions{}, costOptions{})); d != "" {
			t.Errorf("%s (-want +got): %s", args, d)
		}
	}
}

func TestReportRefusesWhatMeansNothing(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "desk-easy", "--episodes", "2")
	file := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run, scores := filepath.Join(dir, "run"), filepath.Join(dir, "run", "results-constant.json")
	for args, want := range map[string]string{
		"":                                                      "report: takes run folders, results files, or -",
		run + " --format xml":                                   `"xml" is not one of table, markdown, json, csv, jsonl, junit, html, github, chat, inspect`,
		run + " --bom":                                          "--bom goes with --format csv, not table",
		run + " --format csv --fail-below 1":                    "--fail-below goes with --format junit, not csv",
		run + " --format junit --fail-below 0":                  `--fail-below "0" is not allowed; allowed is a number above 0 and up to 1`,
		run + " --format junit --fail-below NaN":                `--fail-below "NaN" is not allowed`,
		run + " --format chat --min-gap 0.1":                    "--min-gap goes with --pairs",
		run + " --format chat --pairs --min-gap 1.5":            `--min-gap "1.5" is not allowed`,
		run + " --format chat --pairs --max-pairs -1":           "--max-pairs -1 is not allowed; allowed is 0 and more",
		run + " --format chat --pairs --replies":                "it does not go with --replies",
		run + " " + run:                                         "is given twice",
		run + " --agent nobody":                                 "--agent nobody is in none of " + run + ": their agents are constant",
		run + " --agent constant --agent constnat":              "--agent constnat is in none of " + run + ": their agents are constant; did you mean constant?",
		run + " --format csv --tasks desk-hard":                 "is left by --tasks desk-hard",
		run + " --format inspect":                               "there would be 2 logs, one for each run, agent and task: give a folder (--output DIR), or choose with --agent and --tasks",
		run + " --output -x":                                    "--output -x looks like a flag",
		run + " --output " + filepath.Join(run, "run.json"):     "is a file of a run: give another name",
		run + " --output " + scores:                             "is a file of a run: give another name",
		run + " --output " + run:                                "is a folder, not a file",
		run + " --output /dev/null/x":                           "/dev/null",
		scores + " --format csv":                                "is a results file, which has no single tickets: --format csv needs the run folder (triage run --out DIR); for results files there are table, markdown, json and github",
		scores + " --format html":                               "which has no single tickets",
		filepath.Join(run, "episodes.jsonl") + " --format html": "--format html needs run folders",
		scores + " --output " + scores:                          "is a file of a run",
		scores + " --tasks desk-hard":                           "is left by --tasks desk-hard: its agents are constant",
		"nosuch":                                                "nosuch is no file, no run folder and none of the stored results, which are constant, ",
		"heuristc":                                              "; did you mean heuristic?",
		dir:                                                     "is no run folder but a folder of runs: name one of " + run,
		run + " --tasks hard":                                   `"hard" is not one of queue-easy, queue-medium, queue-hard, desk-easy, desk-medium, desk-hard; did you mean queue-hard,desk-hard?`,
		run + " --tasks queue-hrad":                             "did you mean queue-hard?",
		run + " --format makrdown":                              "did you mean markdown?",
		t.TempDir():                                             "is no run folder: it has no run.json",
		"-":                                                     "standard input is empty: it is neither an episodes.jsonl nor a results file",
		file("empty", ""):                                       "is empty",
		file("other", "hello"):                                  "not a results file",
		file("odd", `{"key": {}}`):                              "odd:1: not an episode",
		file("bad.jsonl", `{"key":{"agent":"a"}}`+"\n") + " --format csv": "bad.jsonl:1: not an episode",
	} {
		app := newTestApp()
		if code := app.run(t.Context(), append([]string{"report"}, strings.Fields(args)...)...); code != ExitUsage || !strings.Contains(app.errs.String(), want) || app.out.Len() > 0 {
			t.Errorf("report %s: exit code %d, it says %q and prints %d bytes; wanted %q", args, code, app.errs.String(), app.out.Len(), want)
		}
	}
}

// playedRun plays a run into the folder "run" of a new one. What it printed stands in the file "printed" beside it.
func playedRun(t testing.TB, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	app := newTestApp()
	if code := app.run(t.Context(), append([]string{"run", "--no-meta", "--out", filepath.Join(dir, "run")}, args...)...); code != ExitOK {
		t.Fatalf("run %s exits with %d: %s", strings.Join(args, " "), code, app.errs.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "printed"), app.out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withoutPlaces leaves out the lines that tell where a run is and how long it took.
func withoutPlaces(text string) string {
	var out []string
	for _, l := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(l, "Run: ") && !strings.HasPrefix(l, "Wall time: ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "")
}

func TestReportPrintsWhatRunPrinted(t *testing.T) {
	t.Parallel()
	tickets := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(tickets, []byte("id,body,category,priority\n1,one,Bug,Low\n2,two,Bug,High\n3,three,Spam,Low\n4,four\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]string{
		"both tracks":      "--agent heuristic --agent keyword --episodes 2",
		"one agent":        "--agent constant --tasks queue-easy --episodes 2",
		"trials":           "--agent random --tasks queue-easy desk-hard --episodes 3 --trials 3",
		"perturbed":        "--agent heuristic --tasks queue-easy --episodes 3 --perturb typos field-order",
		"a shard":          "--agent random --tasks queue-easy --episodes 7 --shard 2/3 --no-floor",
		"single tickets":   "--agent random --only queue-hard:42:3 --only desk-easy:7",
		"imported":         "--tickets " + tickets + " --agent constant --agent random",
		"imported, trials": "--tickets " + tickets + " --agent random --trials 2",
		"train":            "--agent constant --split train --seed 7 --tasks desk-medium --episodes 3",
	} {
		dir := playedRun(t, strings.Fields(args)...)
		got := newTestApp().mustRun(t, "report", filepath.Join(dir, "run"))
		if d := cmp.Diff(withoutPlaces(readFile(t, dir, "printed")), got); d != "" {
			t.Errorf("%s (-run +report): %s", name, d)
		}
	}
}

func TestReportPrintsWhatARunOfAModelPrinted(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "form: {exact: 2, fenced: 1, truncated: 1}\nquirks: [refuse_temperature]\nfaults:\n  - {calls: 6, reply: 400}\n", "desk-hard", "queue-easy")
	run := r.file(t, "run", "")
	printed, _ := r.play(t, ExitOK, r.args("run", "--agent", "heuristic", "--tasks", "queue-easy", "desk-hard", "--episodes", "3", "--workers", "1", "--no-meta", "--max-errors", "9", "--out", run)...)
	got, _ := r.play(t, ExitOK, "report", run)
	if d := cmp.Diff(withoutPlaces(printed), got); d != "" || !strings.Contains(got, "broke through no fault") || !strings.Contains(got, "Calls, tokens, cost") {
		t.Errorf("(-run +report): %s\n%s", d, got)
	}
	rows, err := csv.NewReader(strings.NewReader(newTestApp().mustRun(t, "report", run, "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != 1+27+27 { // one episode broke at its fourth ticket, and has a row for each of its eight
		t.Errorf("%d rows: %v", len(rows), err)
	}
	// the mean over rows is the table's figure, whatever broke
	sums, n := map[string]float64{}, map[string]float64{}
	at := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[at("score")], 64)
		if err != nil {
			t.Fatal(err)
		}
		key := row[at("agent")] + " " + row[at("task")]
		sums[key], n[key] = sums[key]+v, n[key]+1
	}
	names, err := filepath.Glob(filepath.Join(run, "results-*.json"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%v: %v", names, err)
	}
	for _, name := range names {
		f, err := results.ReadResults(strings.NewReader(readFile(t, name)), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Tasks {
			key := f.Agent + " " + s.Task.Name
			if mean := sums[key] / n[key]; math.Abs(mean-s.WithErrors.Mean) > 1e-5 {
				t.Errorf("%s: the rows' mean is %v, the table's %v", key, mean, s.WithErrors.Mean)
			}
		}
	}
}

func TestReportsOfSeveralRunsStandInOneTable(t *testing.T) {
	t.Parallel()
	one, two := playedRun(t, "--agent", "constant", "--tasks", "queue-easy", "--episodes", "2"), playedRun(t, "--agent", "keyword", "--agent", "random", "--tasks", "queue-easy", "--episodes", "3")
	a, b := filepath.Join(one, "run"), filepath.Join(two, "run")
	var got struct {
		Queue []struct {
			Run, Agent string
			N          int
		}
		Runs map[string]struct{ Complete bool }
	}
	if err := json.Unmarshal([]byte(newTestApp().mustRun(t, "report", a, b, "--format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	type row = struct {
		Run, Agent string
		N          int
	}
	if d := cmp.Diff([]row{{a, "constant", 2}, {b, "keyword", 3}, {b, "random", 3}}, got.Queue); d != "" || !got.Runs[a].Complete {
		t.Errorf("%s\n%v", d, got)
	}
	if text := newTestApp().mustRun(t, "report", a, filepath.Join(b, "results-random.json")); !strings.Contains(text, "Queue: several runs") || !strings.Contains(text, a+": Overall score: queue ") {
		t.Error(text)
	}
}

func TestReportOfAResultsFileIsThatOfItsRun(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "heuristic", "--tasks", "queue-easy", "desk-hard", "--episodes", "3")
	file := filepath.Join(dir, "run", "results-heuristic.json")
	got := newTestApp().mustRun(t, "report", file)
	if d := cmp.Diff(withoutPlaces(readFile(t, dir, "printed")), got); d != "" {
		t.Errorf("(-run +report): %s", d)
	}
	if text := newTestApp().mustRun(t, "report", file, "--format", "github"); !strings.HasPrefix(text, "## triage\n") || strings.Contains(text, "worst tickets") {
		t.Errorf("github: %s", text)
	}
	app := newTestApp()
	app.In = strings.NewReader(readFile(t, file))
	if d := cmp.Diff(got, app.mustRun(t, "report", "-")); d != "" {
		t.Errorf("standard input (-file +stdin): %s", d)
	}
	if stored := newTestApp().mustRun(t, "report", "baselines/scores/keyword.json", "--track", "queue"); !strings.Contains(stored, "Queue track, agent keyword") || strings.Contains(stored, "Desk track") {
		t.Errorf("the stored results: %s", stored)
	}
}

func TestARunThatGoesOnIsReportedAsFarAsItIs(t *testing.T) {
	t.Parallel()
	dir := playedRun(t, "--agent", "random", "--tasks", "queue-easy", "desk-hard", "--episodes", "4")
	run := filepath.Join(dir, "run")
	lines := strings.SplitAfter(readFile(t, run, "journal.jsonl"), "\n")
	// Episodes stand in any order, one twice, and the last line is being written.
	journal := lines[5] + lines[0] + lines[1] + lines[0] + lines[2][:100]
	if err := errors.Join(os.WriteFile(filepath.Join(run, "journal.jsonl"), []byte(journal), 0o644), os.Remove(filepath.Join(run, "episodes.jsonl")),
		os.Remove(filepath.Join(run, "results-random.json"))); err != nil {
		t.Fatal(err)
	}
	for _, format := range reportFormats() {
		app := newTestApp()
		args := []string{"report", run, "--format", format}
		if format == formatInspect {
			args = append(args, "--output", filepath.Join(dir, "logs"))
		}
		if app.mustRun(t, args...); !strings.Contains(app.errs.String(), "is not complete") {
			t.Errorf("%s does not say that the run is not complete: %s", format, app.errs.String())
		}
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(newTestApp().mustRun(t, "report", run, "--format", "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got["complete"] != false || got["episodes"] != 3.0 || got["planned"] != 8.0 {
		t.Errorf("it says %v of %v episodes, complete %v", got["episodes"], got["planned"], got["complete"])
	}
	if err := os.WriteFile(filepath.Join(run, "journal.jsonl"), []byte(lines[0][:50]), 0o644); err != nil {
		t.Fatal(err)
	}
	app := newTestApp()
	if code := app.run(t.Context(), "report", run); code != ExitUsage || !strings.Contains(app.errs.String(), "no episode is finished yet: there is nothing to report") {
		t.Errorf("of nothing: exit code %d: %s", code, app.errs.String())
	}
}
