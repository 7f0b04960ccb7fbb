package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBaselineIsHeldAgainstStoredResultsInTheSameCommand(t *testing.T) {
	t.Parallel()
	dir := runs(t, map[string]string{"two": "--agent heuristic --agent keyword --tasks queue-easy --episodes 2", "others": "--agent constant --agent random --tasks queue-easy --episodes 2"})
	easy, ten := []string{"--tasks", "queue-easy", "--episodes", "2"}, []string{"--tasks", "queue-easy", "--episodes", "10"}
	for name, row := range map[string]struct {
		args []string
		code int
		out  []string
		errs string
	}{
		"the same bytes": {[]string{"--tasks", "queue-easy", "--against", "heuristic"}, ExitOK,
			[]string{"Queue track, agent heuristic", "Results: ", "No difference: the same bytes on every task.", "score drop <= 0 "}, ""},
		"a part of the episodes":   {append(easy, "--against", "heuristic"), ExitOK, []string{"gives the same on the 2 episodes that both", "8 episodes only in base"}, ""},
		"another agent":            {append(ten, "--agent", "constant", "--against", "keyword"), ExitCheck, []string{"score drop <= 0.05", "errors == 0"}, "triage: regression: score drop <= 0.05 on overall\n"},
		"a gate":                   {append(easy, "--against", "keyword", "--gate", "score >= 0.5"), ExitOK, []string{"score >= 0.5"}, ""},
		"inconclusive":             {append(easy, "--against", "keyword", "--gate", "score rise >= 0.15"), ExitInconclusive, nil, "triage: inconclusive: score rise >= 0.15 on overall"},
		"inconclusive, a warning":  {append(easy, "--against", "keyword", "--gate", "score rise >= 0.15", "--inconclusive", "warn"), ExitOK, nil, "triage: warning: inconclusive: score rise >= 0.15 on overall"},
		"a missed target as well":  {append(ten, "--agent", "constant", "--against", "keyword", "--check"), ExitCheck, nil, "triage: targets missed: constant on queue-easy\ntriage: regression: score drop <= 0.05 on overall\n"},
		"1 over 5":                 {append(easy, "--agent", "constant", "--against", "constant", "--as-sample", "--gate", "score <= 0.23", "--check"), ExitCheck, nil, "targets missed"},
		"a run folder, its agent":  {append(easy, "--against", dir+"/two"), ExitOK, []string{"the same bytes on every task"}, ""},
		"a folder and its tickets": {append(easy, "--against", dir+"/two", "--out", dir+"/again"), ExitOK, []string{"│ tickets │", "the same bytes on every task"}, ""},
		"a sample":                 {append(easy, "--against", "heuristic", "--as-sample"), ExitInconclusive, []string{"score drop <= 0.05", "errors == 0"}, "triage: inconclusive: score drop <= 0.05 on overall"},
		"no such agent":            {append(easy, "--against", dir+"/others"), ExitUsage, nil, "has no agent heuristic: its agents are constant, random"},
		"no such name":             {append(easy, "--against", "nobody"), ExitUsage, nil, "nobody is no file, no run folder and none of the stored results"},
		"another split":            {append(easy, "--against", "heuristic", "--split", "train"), ExitUsage, nil, "--allow split"},
		"another split, allowed":   {append(easy, "--against", "heuristic", "--split", "train", "--allow", "split"), ExitInconclusive, []string{"allowed to differ"}, "triage: inconclusive: score drop <= 0.05 on overall"},
		"no such metric":           {append(easy, "--against", "heuristic", "--gate", "rout >= 1"), ExitUsage, nil, `has no "rout"`},
		"no such gate":             {append(easy, "--against", "heuristic", "--gate", "score > "), ExitUsage, nil, "a number is missing after >"},
		"a task that base lacks":   {[]string{"--tasks", "desk-easy", "--against", dir + "/two"}, ExitUsage, nil, "has none of the tasks that are played: desk-easy"},
		"gates without a base":     {[]string{"--gate", "score >= 1"}, ExitUsage, nil, "--gate goes with --against"},
		"--allow without a base":   {[]string{"--allow", "split"}, ExitUsage, nil, "--allow goes with --against"},
		"nothing is played":        {append(easy, "--against", "heuristic", "--dry-run"), ExitUsage, nil, "--against does not go with --dry-run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "results.json")
			app := newTestApp()
			code := app.run(t.Context(), append([]string{"baseline", "--no-meta", "--no-floor", "--output", file}, row.args...)...)
			if code != row.code || !strings.Contains(app.errs.String(), row.errs) {
				t.Errorf("exit code %d, not %d: %s%s", code, row.code, app.errs.String(), app.out.String())
			}
			for _, want := range row.out {
				if !strings.Contains(app.out.String(), want) {
					t.Errorf("it prints %s without %q", app.out.String(), want)
				}
			}
			if _, err := os.Stat(file); (err == nil) != (code != ExitUsage) {
				t.Errorf("exit code %d, and the results file: %v", code, err)
			}
		})
	}
}

func TestBaselineAgainstStoredResultsIsOneDocumentInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "csv", "markdown"} {
		app := newTestApp()
		out := app.mustRun(t, "baseline", "--no-meta", "--tasks", "queue-easy", "--against", "heuristic", "--output", filepath.Join(t.TempDir(), "r.json"), "--format", format)
		if !strings.Contains(out, "score drop <= 0") && !strings.Contains(out, `score drop \<= 0`) {
			t.Errorf("%s: it prints %s", format, out)
		}
		var object struct {
			Queue, Tasks, Verdicts []any
			Comparisons            []struct{ Verdict string }
		}
		if format != "json" {
			continue
		}
		if err := json.Unmarshal([]byte(out), &object); err != nil || len(object.Queue) != 1 || len(object.Tasks) != 1 || len(object.Verdicts) != 1 || object.Comparisons[0].Verdict != "pass" {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func TestBrokenEpisodesComeBeforeWhatAGateSays(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "faults:\n  - {calls: 2, reply: 400}\n", "desk-hard")
	base := r.file(t, "base.json", "")
	r.play(t, ExitOK, "baseline", "--agent", "oracle", "--tasks", "desk-hard", "--episodes", "4", "--no-meta", "--output", base)
	args := r.args("baseline", "--tasks", "desk-hard", "--episodes", "4", "--no-meta", "--output", r.file(t, "new.json", ""), "--against", base)
	_, errs := r.play(t, ExitEpisodes, args...)
	if !strings.Contains(errs, "1 episode failed through no fault of the agent") || !strings.Contains(errs, "regression: errors == 0 on overall") {
		t.Errorf("it says %s", errs)
	}
}
