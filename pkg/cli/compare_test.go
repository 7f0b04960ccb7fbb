package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFlagsOfCompareBecomeOptions(t *testing.T) {
	t.Parallel()
	whole := compareOptions{Inputs: []string{"a", "b"}, Moved: 5, Show: "all", Format: "table", gating: gating{Inconclusive: "fail"}}
	for name, row := range map[string]struct {
		args  []string
		want  func(o *compareOptions)
		wrong string // or what the message holds
	}{
		"nothing asked for": {args: []string{"a", "b"}},
		"everything": {args: []string{"a", "b", "c", "--agent", "x", "--agent", "exec:y, z", "--gate", "score drop <= 0.05", "--gate", "errors == 0", "--allow", "generator", "--allow", "settings.temperature",
			"--inconclusive", "warn", "--aa", "--as-sample", "--moved", "0", "--show", "worse", "--tasks", "queue-hard", "desk-hard", "--difficulties", "hard", "--track", "queue", "--format", "csv", "--output", "x.csv"},
			want: func(o *compareOptions) {
				*o = compareOptions{Inputs: []string{"a", "b", "c"}, Agents: []string{"x", "exec:y, z"}, Allow: []string{"generator", "settings.temperature"}, AA: true, Show: "worse", Tasks: []string{"queue-hard", "desk-hard"},
					Difficulties: []string{"hard"}, Tracks: []string{"queue"}, Format: "csv", Output: "x.csv", gating: gating{Gates: []string{"score drop <= 0.05", "errors == 0"}, Inconclusive: "warn", AsSample: true}}
			}},
		"no input":                     {args: []string{}, wrong: "compare: names nothing to compare: it takes results files, run folders and names of stored results; see `triage compare --help`"},
		"an empty input":               {args: []string{"a", ""}, wrong: "an argument is empty"},
		"standard input twice":         {args: []string{"-", "-"}, wrong: "- stands for standard input, which can be read once"},
		"too many moved":               {args: []string{"a", "b", "--moved", "10001"}, wrong: "--moved 10001 is not allowed; allowed is 0 to 10000"},
		"moved below 0":                {args: []string{"a", "b", "--moved", "-1"}, wrong: "--moved -1 is not allowed"},
		"--inconclusive without gates": {args: []string{"a", "b", "--inconclusive", "warn"}, wrong: "--inconclusive goes with --gate EXPRESSION"},
		"--aa without gates":           {args: []string{"a", "b", "--aa"}, wrong: "--aa goes with --gate EXPRESSION"},
		"--as-sample without gates":    {args: []string{"a", "b", "--as-sample"}, wrong: "--as-sample goes with --gate EXPRESSION"},
		"JUnit without gates":          {args: []string{"a", "b", "--format", "junit"}, wrong: "--format junit has a case a gate: it goes with --gate EXPRESSION"},
		"--aa as JUnit":                {args: []string{"a", "b", "--aa", "--gate", "score drop <= 0.05", "--format", "junit"}, wrong: "--aa does not go with --format junit; it goes with table, csv, json, markdown"},
		"an unknown format":            {args: []string{"a", "b", "--format", "pdf"}, wrong: `"pdf" is not one of table, csv, json, markdown`},
		"an unknown task":              {args: []string{"a", "b", "--tasks", "queue-odd"}, wrong: `"queue-odd" is not one of`},
		"a gate that is none":          {args: []string{"a", "b", "--gate", "score dorp <= 0.05"}, wrong: "did you mean drop?"},
		"a gate shows its place":       {args: []string{"a", "b", "--gate", "score drop <= x"}, wrong: "\n  score drop <= x\n                ^"},
		"an empty gate":                {args: []string{"a", "b", "--gate", ""}, wrong: "--gate is given without a value"},
		"the output is an input":       {args: []string{"a", "./b", "--output", "b"}, wrong: "--output b is what is compared: name another file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newTestApp()
			var got *compareOptions
			root := newRoot(app.App)
			for _, c := range root.Commands() {
				if c.Name() == "compare" {
					root.RemoveCommand(c)
				}
			}
			root.AddCommand(newCompareCmd(app.App, func(_ context.Context, o *compareOptions) error {
				got = o
				return nil
			}))
			root.SetArgs(joinLists(root, append([]string{"compare"}, row.args...)))
			err := root.Execute()
			if row.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), row.wrong) || exitCode(t.Context(), err) != ExitUsage {
					t.Errorf("error %v, want one that says %q", err, row.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := whole
			if row.want != nil {
				row.want(&want)
			}
			if d := cmp.Diff(&want, got, cmp.AllowUnexported(compareOptions{}, gating{}), cmpopts.IgnoreFields(compareOptions{}, "app", "given"), cmpopts.IgnoreFields(gating{}, "gates")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestAVariableForOtherCommandsDoesNotStopACompareWithoutGates(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	app.env["TRIAGE_INCONCLUSIVE"] = "warn"
	app.mustRun(t, "compare", "heuristic", "keyword")
}

// runs plays runs into a temporary folder: a folder of each name, with the arguments that follow it.
func runs(t *testing.T, list map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, args := range list {
		newTestApp().mustRun(t, slices.Concat([]string{"run", "--no-floor", "--no-meta", "--out", filepath.Join(dir, name)}, strings.Fields(args))...)
	}
	return dir
}

func TestARunHeldAgainstItselfShowsNoDifference(t *testing.T) { // lesson B33
	t.Parallel()
	dir := runs(t, map[string]string{"run": "--agent heuristic --agent random --episodes 3"})
	for name, args := range map[string][]string{
		"a name":          {"heuristic", "heuristic"},
		"a folder":        {dir + "/run", dir + "/run"},
		"one agent of it": {dir + "/run", dir + "/run", "--agent", "random"},
		"a results file":  {dir + "/run/results-random.json", dir + "/run", "--agent", "random"},
	} {
		app := newTestApp()
		out := app.mustRun(t, append([]string{"compare", "--gate", "score drop <= 0", "--gate", "identical", "--gate", "errors == 0"}, args...)...)
		if !strings.Contains(out, "No difference: the same bytes on every task.") || strings.Contains(out, "What moved") || app.errs.Len() > 0 {
			t.Errorf("%s: it prints\n%s and says %s", name, out, app.errs.String())
		}
	}
}

func TestWithoutAGateTheExitCodeIs0WhateverTheDifference(t *testing.T) { // lesson C44
	t.Parallel()
	out := newTestApp().mustRun(t, "compare", "oracle", "constant")
	if !strings.Contains(out, "New is lower overall, by 0.") {
		t.Errorf("it prints\n%s", out)
	}
}

func TestGatesDecideTheExitCode(t *testing.T) {
	t.Parallel()
	dir := runs(t, map[string]string{"b": "--agent heuristic --tasks queue-hard --episodes 4 --perturb typos"})
	for name, row := range map[string]struct {
		args []string
		code int
		errs string
	}{
		"a regression":               {[]string{"oracle", "constant", "--gate", "score drop <= 0.05"}, ExitCheck, "triage: regression: score drop <= 0.05 on overall\n"},
		"a pass":                     {[]string{"constant", "oracle", "--gate", "score drop <= 0.05"}, ExitOK, ""},
		"a count":                    {[]string{"constant", "oracle", "--gate", "errors > 0"}, ExitCheck, "triage: regression: errors > 0 on overall\n"},
		"inconclusive":               {[]string{dir + "/b", "--gate", "score drop <= 0.001"}, ExitInconclusive, "triage: inconclusive: score drop <= 0.001 on overall (--inconclusive warn lets it pass)\n"},
		"inconclusive, a warning":    {[]string{dir + "/b", "--gate", "score drop <= 0.001", "--inconclusive", "warn"}, ExitOK, "triage: warning: inconclusive: score drop <= 0.001 on overall\n"},
		"the worst wins":             {[]string{dir + "/b", "--gate", "score drop <= 0.001", "--gate", "score >= 0.99"}, ExitCheck, "triage: regression: score >= 0.99 on overall\n"},
		"a metric that there is not": {[]string{"constant", "oracle", "--gate", "scor drop <= 0.05"}, ExitUsage, "triage: gate: what was compared has no \"scor\""},
		"a scope that there is not":  {[]string{"constant", "oracle", "--gate", "queue-odd.score drop <= 0.05"}, ExitUsage, "queue-odd"},
	} {
		app := newTestApp()
		if code := app.run(t.Context(), append([]string{"compare"}, row.args...)...); code != row.code || !strings.Contains(app.errs.String(), row.errs) {
			t.Errorf("%s: exit code %d, not %d; it says %s%s", name, code, row.code, app.errs.String(), app.out.String())
		}
	}
}

func TestWhatCannotBeComparedIsRefused(t *testing.T) { // lesson B28
	t.Parallel()
	dir := runs(t, map[string]string{"test": "--agent heuristic --agent keyword --tasks queue-easy --episodes 2", "train": "--agent heuristic --tasks queue-easy --episodes 2 --split train",
		"other": "--agent constant --agent random --tasks queue-easy --episodes 2", "desk": "--agent heuristic --tasks desk-easy --episodes 2"})
	if err := os.WriteFile(filepath.Join(dir, "no.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		args []string
		errs []string
	}{
		"an unknown name":   {[]string{"heuristic", "nobody"}, []string{"nobody is no file, no run folder and none of the stored results, which are constant, heuristic, keyword, "}},
		"a path in a name":  {[]string{"heuristic", "../scores/keyword"}, []string{"../scores/keyword is no file"}},
		"one agent alone":   {[]string{"heuristic"}, []string{"heuristic has one agent, heuristic: name a second run to hold it against"}},
		"another split":     {[]string{dir + "/test", dir + "/train"}, []string{"split", "test", "train", "--allow split"}},
		"no common agent":   {[]string{dir + "/test", dir + "/other"}, []string{"no agent is in both: ", "/test has heuristic, keyword, ", "/other has constant, random; --agent picks one of each"}},
		"an unknown agent":  {[]string{dir + "/test", dir + "/other", "--agent", "nobody"}, []string{"--agent nobody is in none of ", "their agents are heuristic, keyword, constant, random"}},
		"an input without":  {[]string{dir + "/test", dir + "/other", "--agent", "random"}, []string{"/test has none of --agent random"}},
		"no shared task":    {[]string{dir + "/desk", dir + "/train", "--allow", "split"}, []string{"task"}},
		"no task is left":   {[]string{dir + "/desk", dir + "/desk", "--track", "queue"}, []string{"desk has no task that --track queue leaves: it has desk-easy"}},
		"an unknown key":    {[]string{dir + "/test", dir + "/train", "--allow", "nothing"}, []string{"nothing", "generator, grader, split"}},
		"no results":        {[]string{"heuristic", dir + "/no.json"}, []string{"no.json"}},
		"no run folder":     {[]string{"heuristic", dir + "/empty"}, []string{"empty is no run folder: it has no run.json"}},
		"below a file":      {[]string{"heuristic", dir + "/no.json/x"}, []string{"no.json/x is no file"}},
		"an output folder":  {[]string{"heuristic", "keyword", "--output", dir}, []string{"is a folder, not a file"}},
		"an output nowhere": {[]string{"heuristic", "keyword", "--output", dir + "/no.json/x.md"}, []string{"not a directory"}}, // lesson C46
	} {
		app := newTestApp()
		if code := app.run(t.Context(), append([]string{"compare"}, row.args...)...); code != ExitUsage || app.out.Len() > 0 {
			t.Errorf("%s: exit code %d: %s", name, code, app.out.String())
		}
		for _, want := range row.errs {
			if !strings.Contains(app.errs.String(), want) {
				t.Errorf("%s: it says %s, without %q", name, app.errs.String(), want)
			}
		}
	}
}

func TestAComparisonThatCannotBePrintedIsAnError(t *testing.T) { // lesson C46
	t.Parallel()
	for _, format := range compareFormats() {
		app := newTestApp()
		app.Out = failing{}
		if code := app.run(t.Context(), "compare", "heuristic", "keyword", "--gate", "score drop <= 1", "--format", format); code != ExitUsage {
			t.Errorf("%s: exit code %d: %s", format, code, app.errs.String())
		}
		app = newTestApp()
		if _, err := os.Stat("/dev/full"); err == nil {
			if code := app.run(t.Context(), "compare", "heuristic", "keyword", "--gate", "score drop <= 1", "--format", format, "--output", "/dev/full"); code != ExitUsage {
				t.Errorf("%s to a full device: exit code %d: %s", format, code, app.errs.String())
			}
		}
	}
}

func TestTheReportGoesToItsFileAndTheVerdictsArePrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, format := range compareFormats() {
		app := newTestApp()
		file := filepath.Join(dir, "report."+format)
		args := []string{"compare", "oracle", "keyword", "--gate", "score drop <= 0.05", "--format", format}
		if code := app.run(t.Context(), append(args, "--output", file)...); code != ExitCheck {
			t.Fatalf("%s: exit code %d: %s", format, code, app.errs.String())
		}
		out := app.out.String()
		if !strings.HasPrefix(out, "New is lower overall, by ") || !strings.Contains(out, "\nregression: score drop <= 0.05 on overall: ") || !strings.HasSuffix(out, "\nReport: "+file+"\n") {
			t.Errorf("%s: it prints %s", format, out)
		}
		direct := newTestApp()
		if code := direct.run(t.Context(), args...); code != ExitCheck || direct.out.String() != readFile(t, file) {
			t.Errorf("%s: what is printed is not what is in the file", format)
		}
	}
}

func TestAnInterruptedComparisonSaysSo(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	stop(Interrupted{ExitInterrupted})
	app := newTestApp()
	if code := app.run(ctx, "compare", "heuristic", "keyword"); code != ExitInterrupted || app.out.Len() > 0 {
		t.Errorf("exit code %d: %s%s", code, app.errs.String(), app.out.String())
	}
}

func TestStandardInputIsAResultsFile(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	app.In = strings.NewReader(readFile(t, "..", "..", "baselines", "scores", "keyword.json"))
	if out := app.mustRun(t, "compare", "keyword", "-"); !strings.Contains(out, "No difference: the same bytes on every task.") || !strings.Contains(out, "standard input") {
		t.Errorf("it prints %s", out)
	}
	app = newTestApp()
	app.In = failing{}
	if code := app.run(t.Context(), "compare", "keyword", "-"); code != ExitUsage || !strings.Contains(app.errs.String(), "standard input") {
		t.Errorf("exit code %d: %s", code, app.errs.String())
	}
}

func TestStoredResultsAreFoundByEveryWayToNameThem(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"heuristic", "heuristic.json", "baselines/scores/heuristic", "./baselines/scores/heuristic.json"} {
		if out := newTestApp().mustRun(t, "compare", "heuristic", name); !strings.Contains(out, "the same bytes on every task") {
			t.Errorf("%s: it prints %s", name, out)
		}
	}
	if names := storedNames(); !slices.Contains(names, "oracle") || !slices.IsSorted(names) {
		t.Errorf("the names are %v", names)
	}
}
