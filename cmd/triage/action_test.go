package main_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sample makes the workspace of a repository: a base that heuristic played, and runs to judge.
func sample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	triage := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "triage", append(args, "--progress", "off")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("triage %v: %v\n%s", args, err, out)
		}
	}
	triage("run", "--agent", "heuristic", "--tasks", "desk-easy", "--episodes", "60", "--no-floor", "--out", "runs/heuristic")
	triage("run", "--agent", "keyword", "--tasks", "desk-easy", "--episodes", "60", "--no-floor", "--out", "runs/keyword")
	triage("run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", "60", "--no-floor", "--out", "runs/constant")
	tickets := "subject,body,route\n"
	for i := range 20 {
		tickets += fmt.Sprintf("\"::add-mask::%d\n##[error]a\n::stop-commands::b\n::error::c\",\"##[add-mask]d\n::warning::%d\",%s\n", i, i, []string{"billing", "technical"}[i%2])
	}
	if err := os.WriteFile(filepath.Join(dir, "tickets.csv"), []byte(tickets), 0o600); err != nil {
		t.Fatal(err)
	}
	triage("run", "--agent", "keyword", "--tickets", "tickets.csv", "--out", "runs/hostile")
	triage("run", "--agent", "oracle", "--tickets", "tickets.csv", "--out", "runs/hostile-base")
	stored, err := os.ReadFile(filepath.Join("..", "..", "baselines", "scores", "heuristic.json"))
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(stored), `"name": "heuristic"`, `"name": "x\n::error title=x::forged\r::error::\u001b[31m"`, 1)
	for name, text := range map[string]string{"no.json": "{]", "forged.json": forged, "print.yaml": "print-config: true\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheActionJudgesRunsAsARunnerWouldPlayIt(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	dir := sample(t)
	with := func(pairs ...string) map[string]string {
		out := map[string]string{"binary": "triage", "base": "runs/heuristic"}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = pairs[i+1]
		}
		return out
	}
	const hostile = "score drop <= 0.05$(touch hacked)`touch hacked`\"'; touch hacked #\n::error::x"
	for name, c := range map[string]struct {
		with     map[string]string
		code     int
		verdict  string
		exit     string
		commands []string // each must begin one that is obeyed; nothing else may be
		log      string   // something that is in the log
		summary  string
	}{
		"pass":      {with("new", "runs/heuristic", "gates", "identical\n\n  # a remark\n score drop <= 0.05\r\n"), 0, "pass", "0", []string{"::notice title=triage"}, "pass", "✅"},
		"played":    {with("run", "--agent heuristic\n--tasks   desk-easy\n--episodes 60\n--no-floor", "gates", "identical"), 0, "pass", "0", []string{"::notice title=triage"}, "", "✅"},
		"no gate":   {with("new", "runs/keyword"), 0, "none", "0", []string{"::notice title=triage"}, "", "without a gate"},
		"by a name": {with("base", "constant", "new", "constant", "gates", "identical"), 0, "pass", "0", []string{"::notice title=triage"}, "", "✅"},
		"regression": {with("new", "runs/constant", "gates", "score drop <= 0.02"), 1, "regression", "1",
			[]string{"::error title=triage%3A regression"}, "", "❌"},
		"a regression beside what is inconclusive": {with("new", "runs/constant", "gates", "score drop <= 0.02\nscore drop <= 0.2"), 1, "regression", "1",
			[]string{"::error title=triage%3A regression", "::warning title=triage"}, "", "❌"},
		"inconclusive":         {with("new", "runs/keyword", "gates", inconclusiveGate), 0, "inconclusive", "5", []string{"::warning title=triage%3A inconclusive"}, "", "⚠️"},
		"inconclusive, strict": {with("new", "runs/keyword", "gates", inconclusiveGate, "strict", "true"), 5, "inconclusive", "5", []string{"::warning title=triage%3A inconclusive", "::error title=triage::inconclusive"}, "", "⚠️"},
		"inconclusive, with a flag that hides it": {with("new", "runs/keyword", "gates", inconclusiveGate, "compare", "--inconclusive warn\n--format json\n--output x"), 0, "inconclusive", "5",
			[]string{"::warning title=triage%3A inconclusive"}, "", "⚠️"},
		"no summary": {with("new", "runs/heuristic", "gates", "identical", "summary", "false"), 0, "pass", "0", []string{"::notice title=triage"}, "", ""},
		"reports": {with("new", "runs/constant", "gates", "score drop <= 0.02", "json", "out.json", "junit", "out.xml", "html", "out.html"), 1, "regression", "1",
			[]string{"::error title=triage%3A regression"}, "", "❌"},
		"hostile tickets": {with("base", "runs/hostile-base", "new", "runs/hostile", "gates", "score drop <= 0.02"), 1, "regression", "1",
			[]string{"::error title=triage%3A regression"}, "add-mask", "add-mask"},
		"hostile tickets, played":  {with("base", "runs/hostile-base", "run", "--agent oracle\n--tickets tickets.csv", "gates", "identical"), 0, "pass", "0", []string{"::notice title=triage"}, "", "✅"},
		"broken input":             {with("new", "no.json", "gates", "identical"), 2, "error", "2", []string{"::error title=triage::triage compare ended with exit code 2"}, "no.json", ""},
		"missing base":             {with("base", "nothing.json", "new", "runs/heuristic"), 2, "error", "2", []string{"::error title=triage::triage compare ended with exit code 2"}, "nothing.json", ""},
		"hostile gate":             {with("new", "runs/heuristic", "gates", hostile), 2, "error", "2", []string{"::error title=triage::triage compare ended with exit code 2"}, "touch hacked", ""},
		"hostile names":            {with("base", "$(touch hacked)", "new", "--help; touch hacked"), 2, "error", "2", []string{"::error title=triage::triage compare ended with exit code 2"}, "touch hacked", ""},
		"hostile paths":            {with("new", "runs/heuristic", "json", "a\nverdict=pass"), 2, "error", "2", []string{"::error title=triage::input json has a line break"}, "", ""},
		"hostile run":              {with("run", "--agent $(touch hacked)\n`touch hacked`; touch hacked"), 2, "error", "2", []string{"::error title=triage::input run: the line"}, "touch hacked", ""},
		"a run that breaks":        {with("run", "--agent $(touch hacked)"), 2, "error", "2", []string{"::error title=triage::triage run ended with exit code 2"}, "touch hacked", ""},
		"another base":             {with("new", "runs/heuristic", "gates", "identical", "compare", "runs/heuristic"), 2, "error", "2", []string{"::error title=triage::input compare: the line"}, "", ""},
		"help for a comparison":    {with("new", "runs/constant", "gates", "identical", "compare", "--help"), 2, "error", "2", []string{"::error title=triage::input compare: --help"}, "", ""},
		"help with a value":        {with("new", "runs/constant", "gates", "identical", "compare", "--help=true"), 2, "error", "2", []string{"::error title=triage::input compare: --help"}, "", ""},
		"settings in its place":    {with("new", "runs/constant", "gates", "identical", "compare", "--print-config"), 2, "error", "2", []string{"::error title=triage::input compare: --print-config"}, "", ""},
		"settings for a run":       {with("run", "--agent heuristic\n--print-config"), 2, "error", "2", []string{"::error title=triage::input run: --print-config"}, "", ""},
		"a file's settings":        {with("new", "runs/constant", "gates", "identical", "compare", "--config print.yaml"), 2, "error", "2", []string{"::error title=triage::"}, "", ""},
		"a hostile name of agents": {with("base", "heuristic", "new", "forged.json", "gates", "errors == 1"), 1, "regression", "1", []string{"::error title=triage%3A regression"}, "forged", "forged"},
		"an option as a gate":      {with("new", "runs/heuristic", "gates", "--help"), 2, "error", "2", []string{"::error title=triage::triage compare ended with exit code 2"}, "", ""},
		"both new and run":         {with("new", "runs/heuristic", "run", "--agent heuristic"), 2, "error", "2", []string{"::error title=triage::inputs new and run"}, "", ""},
		"neither new nor run":      {with(), 2, "error", "2", []string{"::error title=triage::inputs new and run are both empty"}, "", ""},
		"strict is a word":         {with("new", "runs/heuristic", "strict", "yes"), 2, "error", "2", []string{"::error title=triage::input strict is yes: allowed are true and false"}, "", ""},
		"no program":               {with("binary", "./none", "new", "runs/heuristic"), 2, "error", "2", []string{"::error title=triage::input binary: there is no file ./none"}, "", ""},
		"a report with no room":    {with("new", "runs/heuristic", "json", "no.json/x.json"), 2, "error", "2", []string{"::notice title=triage", "::error title=triage::writing no.json/x.json as json"}, "", "without"},
		"cases without a gate":     {with("new", "runs/heuristic", "junit", "x.xml"), 2, "error", "2", []string{"::error title=triage::input junit"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := a.play(t, dir, c.with)
			if p.code != c.code || p.outputs["verdict"] != c.verdict || p.outputs["exit-code"] != c.exit {
				t.Errorf("exit code %d, outputs %v, not %d, %s and %s:\n%s", p.code, p.outputs, c.code, c.verdict, c.exit, p.log)
			}
			if !beginEach(p.commands, c.commands) {
				t.Errorf("the runner obeys %q, not %q", p.commands, c.commands)
			}
			if !strings.Contains(p.log, c.log) || !strings.Contains(p.summary, c.summary) || (c.summary == "") != (p.summary == "") {
				t.Errorf("the log is\n%s\nand the summary\n%s", p.log, p.summary)
			}
			if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
				t.Error("a command of an input was run")
			}
			for _, format := range []string{"html", "json", "junit"} {
				if path := c.with[format]; path != "" && c.code < 2 && (p.outputs[format] != path || readText(t, filepath.Join(dir, path)) == "") {
					t.Errorf("output %s is %q", format, p.outputs[format])
				}
			}
			if c.code < 2 && readText(t, p.outputs["summary"]) == "" {
				t.Error("there is no summary file")
			}
			if strings.Contains(p.summary, os.TempDir()) || strings.Contains(p.summary, "triage-run.") {
				t.Errorf("the summary has names of this machine:\n%s", p.summary)
			}
		})
	}
}

// inconclusiveGate is one that 60 tickets of desk-easy cannot decide for keyword against heuristic; a test that it is.
const inconclusiveGate = "score drop <= 0.1"

// beginEach tells whether every command begins with one of the list, and every one of the list begins a command.
func beginEach(commands, list []string) bool {
	for _, c := range commands {
		if !slices.ContainsFunc(list, func(l string) bool { return strings.HasPrefix(c, l) }) {
			return false
		}
	}
	for _, l := range list {
		if !slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, l) }) {
			return false
		}
	}
	return true
}

func TestTheActionBuildsItsOwnVersion(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	p := readAction(t).play(t, t.TempDir(), map[string]string{"base": "constant", "new": "constant", "gates": "identical"})
	if p.code != 0 || p.outputs["verdict"] != "pass" {
		t.Errorf("exit code %d, outputs %v:\n%s", p.code, p.outputs, p.log)
	}
}

func TestTheActionPutsNoExpressionIntoAScriptAndUsesNoOtherAction(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	if a.Runs.Using != "composite" {
		t.Errorf("it runs using %s", a.Runs.Using)
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") || s.Uses != "" || s.Shell != "bash" || s.ID == "" {
			t.Errorf("step %+v", s)
		}
		for _, v := range s.Env {
			if expression.FindString(v) != v {
				t.Errorf("step %s: %q is more than an expression", s.ID, v)
			}
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || strings.Contains(in.Description, "${{") {
			t.Errorf("input %s has the description %q", name, in.Description)
		}
	}
}

func TestDocsNameEveryInputAndOutputOfTheAction(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	doc := readText(t, filepath.Join("..", "..", "docs", "ci.md"))
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(a.Inputs)), slices.Sorted(maps.Keys(a.Outputs))) {
		if !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("docs/ci.md does not name %s", name)
		}
	}
}
