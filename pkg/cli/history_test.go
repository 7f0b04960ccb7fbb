package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/results"
)

func TestHistoryListsRuns(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	out := newTestApp().mustRun(t, "history", "--results", dir, "--format", "markdown")
	for _, text := range []string{"| keyword | keyword | queue-easy, desk-easy | 6 |", "| constant | constant |", "| oracle.json | oracle |", "1970-01-12 13:46", "complete"} {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in %s", text, out)
		}
	}
	if out := newTestApp().mustRun(t, "history", "--results", dir, "--agent", "oracle"); strings.Contains(out, "keyword") || !strings.Contains(out, "oracle") {
		t.Errorf("--agent oracle lists %s", out)
	}
	if out := newTestApp().mustRun(t, "history", "--results", t.TempDir()); !strings.Contains(out, "There are no runs in") {
		t.Errorf("an empty folder lists %s", out)
	}
}

func TestHistorySaysWhichAgentsThereAre(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	app := newTestApp()
	if code := app.run(t.Context(), "history", "--results", dir, "--agent", "nosuch"); code != ExitUsage || app.out.Len() > 0 ||
		!strings.Contains(app.errs.String(), "has the agent nosuch: there are constant, keyword, oracle") {
		t.Errorf("exit %d: %s%s", code, app.out.String(), app.errs.String())
	}
}

func TestHistoryTakesAFolderWithAFlagOrWithout(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	want := newTestApp().mustRun(t, "history", "--results", dir)
	if got := newTestApp().mustRun(t, "history", dir); got != want || !strings.Contains(got, "keyword") {
		t.Errorf("without the flag it lists %s\nwith it %s", got, want)
	}
	a := newTestApp()
	a.env["TRIAGE_RESULTS"] = filepath.Join(dir, "nosuch") // an argument counts more than a variable
	if got := a.mustRun(t, "history", dir); got != want {
		t.Errorf("beside a variable it lists %s", got)
	}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"both":             {[]string{dir, "--results", "other"}, "history: the folder " + dir + " and --results other are both given: give one"},
		"both, the same":   {[]string{dir, "--results", dir}, "are both given: give one"},
		"two":              {[]string{dir, "other"}, "history: one folder at most, there are 2"},
		"an empty one":     {[]string{""}, "history: the folder is empty: name one, or leave it out for results"},
		"one that is none": {[]string{filepath.Join(dir, "nosuch")}, "open the folder of runs " + filepath.Join(dir, "nosuch")},
		"a mistyped agent": {[]string{dir, "--agent", "keywrod"}, "there are constant, keyword, oracle; did you mean keyword?"},
	} {
		a := newTestApp()
		if code := a.run(t.Context(), append([]string{"history"}, tt.args...)...); code != ExitUsage || a.out.Len() > 0 || !strings.Contains(a.errs.String(), tt.want) {
			t.Errorf("%s: exit code %d: %s, want %s", name, code, a.errs.String(), tt.want)
		}
	}
}

func TestHistoryNeitherRanksNorRemovesADamagedRun(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	if err := os.Truncate(filepath.Join(dir, "keyword", results.EpisodesFile), 0); err != nil {
		t.Fatal(err)
	}
	out := newTestApp().mustRun(t, "history", "--results", dir, "--keep", "1", "--yes")
	for _, text := range []string{"Nothing is to be removed", "keyword", "it is damaged: the results of keyword tell of 3 episodes of"} {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in %s", text, out)
		}
	}
	if out := newTestApp().mustRun(t, "history", "--results", dir, "--format", "csv"); !strings.Contains(out, "damaged: the results of keyword tell of 3 episodes") {
		t.Errorf("it lists %s", out)
	}
}

func TestHistoryExportsARowForEachTask(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	file := filepath.Join(t.TempDir(), "all.csv")
	if out := newTestApp().mustRun(t, "history", "--results", dir, "--format", "csv", "--output", file); out != "" {
		t.Errorf("with --output it prints %s", out)
	}
	rows, err := csv.NewReader(strings.NewReader(readFile(t, file))).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, row := range rows[1:] {
		var f struct {
			Tasks map[string]struct {
				Score struct {
					Mean float64   `json:"mean"`
					CI   []float64 `json:"ci95"`
				} `json:"score"`
				Parts map[string]json.Number `json:"parts"`
			} `json:"tasks"`
		}
		name := filepath.Join(dir, at(row, "run"), "results-"+at(row, "agent")+".json")
		if strings.HasSuffix(at(row, "run"), ".json") {
			name = filepath.Join(dir, at(row, "run"))
		}
		if err := json.Unmarshal([]byte(readFile(t, name)), &f); err != nil {
			t.Fatal(err)
		}
		task := f.Tasks[at(row, "task")]
		low, score := json.Number(at(row, "score_low")), json.Number(at(row, "score"))
		if v, err := score.Float64(); err != nil || v != task.Score.Mean {
			t.Errorf("%s: score %s, %v", row, score, task.Score.Mean)
		}
		if v, err := low.Float64(); err != nil || v != task.Score.CI[0] {
			t.Errorf("%s: low %s", row, low)
		}
		for part, v := range task.Parts {
			if at(row, "part_"+part) != v.String() {
				t.Errorf("%s: %s is %s, want %s", at(row, "run"), part, at(row, "part_"+part), v)
			}
		}
		if len(at(row, "settings")) != 16 && at(row, "run") != "oracle.json" || at(row, "state") != "complete" || at(row, "n") != "3" {
			t.Errorf("row %q", row)
		}
	}
	var both struct{ Runs, History []map[string]any }
	if err := json.Unmarshal([]byte(newTestApp().mustRun(t, "history", "--results", dir, "--format", "json")), &both); err != nil || len(both.Runs) != 3 || len(both.History) != 6 {
		t.Errorf("%d and %d rows, %v", len(both.Runs), len(both.History), err)
	}
}

func TestHistoryRemovesOnlyWithYes(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	notes := filepath.Join(dir, "keyword", "notes.txt")
	out := newTestApp().mustRun(t, "history", "--results", dir, "--keep", "1")
	if !strings.Contains(out, "1 run would be removed: --yes does it.") || !strings.Contains(out, "would be removed") {
		t.Errorf("it says %s", out)
	}
	if err := os.WriteFile(notes, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out = newTestApp().mustRun(t, "history", "--results", dir, "--keep", "1", "--yes")
	if !strings.Contains(out, `it holds "notes.txt", which no run writes`) || !strings.Contains(out, "Nothing is to be removed") {
		t.Errorf("with a file of somebody it says %s", out)
	}
	if err := os.Remove(notes); err != nil {
		t.Fatal(err)
	}
	if out = newTestApp().mustRun(t, "history", "--results", dir, "--keep", "1", "--agent", "keyword", "--yes"); !strings.Contains(out, "Nothing is to be removed") {
		t.Errorf("of the runs of one agent it removes %s", out)
	}
	if out = newTestApp().mustRun(t, "history", "--results", dir, "--keep", "1", "--yes", "--format", "json"); !strings.Contains(out, `"removed": 1`) {
		t.Errorf("it says %s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "keyword")); !os.IsNotExist(err) {
		t.Errorf("the older run is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "constant", "run.json")); err != nil {
		t.Errorf("the newer run is gone: %v", err)
	}
}

func TestHistoryRefusesWhatDoesNotGoTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"--keep 0 is not allowed; allowed is 1 and more": {"--keep", "0"},
		"--keep -1 is not allowed":                       {"--keep", "-1"},
		"--yes goes with --keep N":                       {"--yes"},
		"no such file or directory":                      {"--results", filepath.Join(dir, "nothing")},
		`"xml" is not one of table, csv, json, markdown`: {"--format", "xml"},
		"names no file":                                  {"--output", dir + "/"},
		"is a folder":                                    {"--output", dir},
	} {
		app := newTestApp()
		all := append([]string{"history", "--results", dir}, args...)
		if code := app.run(t.Context(), all...); code != ExitUsage || app.out.Len() > 0 || !strings.Contains(app.errs.String(), want) {
			t.Errorf("triage %q exits with %d: %s%s", all, code, app.out.String(), app.errs.String())
		}
	}
	for _, args := range [][]string{{"history"}, {"history", "--format", "csv"}, {"history", "--format", "json"}, {"history", "--format", "markdown"}, {"history", "--keep", "3"}} {
		app := newTestApp()
		app.Out = failing{}
		if code := app.run(t.Context(), append(args, "--results", twoRuns(t))...); code != ExitUsage || !strings.Contains(app.errs.String(), errBroken.Error()) {
			t.Errorf("triage %q on a broken output exits with %d: %s", args, code, app.errs.String())
		}
	}
}

func TestHostileNamesStayInTheirCells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"=cmd()", "a|b", "two\nlines", "\x1b[31mred", "<script>", "+1,2\"3"}
	for _, name := range names {
		sub := filepath.Join(dir, name)
		root, err := makeRoot(sub)
		if err != nil {
			t.Fatal(err)
		}
		j, err := results.CreateRun(root, results.Settings{"agents": results.JoinAgents([]string{name, "x," + name}), "episodes": "2", "generator": name}, 2, newTestApp().Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.Finish(), root.Close()); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(newTestApp().mustRun(t, "history", "--results", dir, "--format", "csv"))).ReadAll()
	if err != nil || len(rows) != len(names)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
				t.Errorf("a spreadsheet takes %q for a formula", cell)
			}
		}
	}
	for _, format := range []string{"table", "markdown"} {
		out := newTestApp().mustRun(t, "history", "--results", dir, "--format", format)
		if strings.Contains(out, "\x1b") || strings.Count(out, "interrupted: 0 of 2") != 2*len(names) || strings.Contains(out, "| a|b |") {
			t.Errorf("%s: %q", format, out)
		}
	}
	var all struct{ Runs []struct{ Run string } }
	if err := json.Unmarshal([]byte(newTestApp().mustRun(t, "history", "--results", dir, "--format", "json")), &all); err != nil || len(all.Runs) != 2*len(names) {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, r := range all.Runs {
		if !slices.Contains(names, r.Run) {
			t.Errorf("JSON has the run %q", r.Run)
		}
	}
}
