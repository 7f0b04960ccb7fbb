package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// compared is what JSON says of a comparison.
type compared struct {
	Comparisons []struct {
		Base, New    string
		Verdict      *string
		NoDifference bool `json:"no_difference"`
	}
	Tasks []struct {
		Compared, Task, Units string
		N                     *int
		Difference            *float64
	}
	Moved   []struct{ Ticket, Traps, Side string }
	Ranking []struct {
		Task      string
		Rank      int
		Agent     string
		ToldApart *bool `json:"told_apart"`
	}
	Verdicts []struct{ Compared, Gate, Scope, Verdict string }
}

func comparedBy(t *testing.T, args ...string) compared {
	t.Helper()
	var out compared
	app := newTestApp()
	if code := app.run(t.Context(), append([]string{"compare", "--format", "json"}, args...)...); code != ExitOK && code != ExitCheck && code != ExitInconclusive {
		t.Fatalf("triage compare %s exits with %d: %s", strings.Join(args, " "), code, app.errs.String())
	}
	if err := json.Unmarshal(app.out.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhichSidesAreHeldAgainstWhich(t *testing.T) {
	t.Parallel()
	dir := runs(t, map[string]string{"two": "--agent heuristic --agent keyword --tasks queue-easy --episodes 2", "more": "--agent heuristic --agent constant --agent keyword --tasks queue-easy --episodes 2",
		"one": "--agent heuristic --tasks queue-easy --episodes 2", "random": "--agent random --tasks queue-easy --episodes 2"})
	two, more, one, random := dir+"/two", dir+"/more", dir+"/one", dir+"/random"
	for name, row := range map[string]struct {
		args   []string
		pairs  string
		ranked int
	}{
		"one run, its first agent is base":     {[]string{two}, "heuristic>keyword", 0},
		"one run of three agents":              {[]string{more}, "heuristic>constant heuristic>keyword", 3},
		"--agent chooses and orders":           {[]string{more, "--agent", "keyword", "--agent", "constant"}, "keyword>constant", 0},
		"two of one agent, whatever its name":  {[]string{one, random}, "heuristic>random", 0},
		"agents of two runs by name":           {[]string{two, more}, "heuristic>heuristic keyword>keyword", 0},
		"one agent finds its like":             {[]string{one, more}, "heuristic>heuristic", 0},
		"one agent against several others":     {[]string{random, two}, "random>heuristic random>keyword", 3},
		"three inputs, the first is base":      {[]string{random, one, "keyword", "--tasks", "queue-easy"}, "random>heuristic random>keyword", 3},
		"three runs of one agent":              {[]string{one, two, more, "--agent", "heuristic"}, "heuristic>heuristic heuristic>heuristic", 3},
		"a run against itself by several ways": {[]string{two, two}, "heuristic>heuristic keyword>keyword", 0},
	} {
		got := comparedBy(t, row.args...)
		var pairs []string
		for _, c := range got.Comparisons {
			base, _, _ := strings.Cut(c.Base, " ")
			fresh, _, _ := strings.Cut(c.New, " ")
			pairs = append(pairs, base+">"+fresh)
		}
		if strings.Join(pairs, " ") != row.pairs || len(got.Ranking) != row.ranked {
			t.Errorf("%s: pairs %v, %d ranked", name, pairs, len(got.Ranking))
		}
	}
	app := newTestApp()
	app.mustRun(t, "compare", two, more)
	if !strings.Contains(app.errs.String(), "triage: warning: constant is only in "+newTestApp().shownPath(more)+": left out\n") {
		t.Errorf("it says %s", app.errs.String())
	}
}

func TestGatesAreCheckedOnRepeats(t *testing.T) { // lesson B30
	t.Parallel()
	dir := runs(t, map[string]string{"trials": "--agent random --tasks queue-easy --episodes 10 --trials 3", "once": "--agent random --tasks queue-easy --episodes 10", "other": "--agent keyword --tasks queue-easy --episodes 10"})
	for name, row := range map[string]struct {
		args []string
		code int
		want string
	}{
		"trials of a run":        {[]string{dir + "/trials", "--gate", "score drop <= 0.2", "--gate", "errors == 0"}, ExitOK, "The gates hold: none calls a repeat a regression."},
		"a gate on bytes":        {[]string{dir + "/trials", "--gate", "identical"}, ExitCheck, "triage: gates that call a repeat a regression: identical"},
		"runs that are the same": {[]string{dir + "/once", dir + "/once", "--gate", "score drop <= 0"}, ExitOK, "The gates hold"},
		"two agents":             {[]string{dir + "/once", dir + "/other", "--gate", "score drop <= 0"}, ExitUsage, "repeats are runs of one"},
		"no gate that can say":   {[]string{dir + "/trials", "--gate", "score >= 0.1"}, ExitUsage, "no gate limits a drop"},
		"into a file":            {[]string{dir + "/trials", "--gate", "score drop <= 0.2", "--output", dir + "/aa.txt"}, ExitOK, "The gates hold: none calls a repeat a regression.\nReport: " + dir + "/aa.txt"},
	} {
		app := newTestApp()
		if code := app.run(t.Context(), append([]string{"compare", "--aa"}, row.args...)...); code != row.code || !strings.Contains(app.out.String()+app.errs.String(), row.want) {
			t.Errorf("%s: exit code %d, not %d: %s%s", name, code, row.code, app.errs.String(), app.out.String())
		}
	}
}

func TestARankingPutsTheBestFirst(t *testing.T) {
	t.Parallel()
	got := comparedBy(t, "constant", "oracle", "keyword", "heuristic")
	var agents []string
	for _, r := range got.Ranking {
		if r.Task == "overall" {
			agents = append(agents, r.Agent)
		}
	}
	if strings.Join(agents, " ") != "oracle heuristic keyword constant" || len(got.Comparisons) != 3 {
		t.Errorf("the ranking is %v, of %d comparisons", agents, len(got.Comparisons))
	}
}

func TestFiltersLeaveOutTasks(t *testing.T) {
	t.Parallel()
	got := comparedBy(t, "heuristic", "keyword", "--difficulties", "hard", "--track", "desk")
	if len(got.Tasks) != 1 || got.Tasks[0].Task != "desk-hard" || *got.Tasks[0].N != 100 || got.Tasks[0].Units != "episodes" {
		t.Errorf("the tasks are %v", got.Tasks)
	}
}

func TestAgentsOfTheProgramAreDeterministicAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"heuristic": true, "random": true, "constant": true, "oracle": true, "keyword+typos": true, "heuristic+typos+upper": true, "field:numbers": true,
		"llm": false, "ollama:qwen3:8b": false, "exec:heuristic": false, "http://x": false, "": false} {
		if got := deterministic(name, nil); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
