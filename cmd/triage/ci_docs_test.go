package main_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/stats"
)

// passes is how likely the gate passes n pairs between which nothing has changed, of which a share flips each way by chance: exact up to
// [stats.MostGateFlips], for normal differences beyond.
func passes(n int, flip, margin float64) float64 {
	chance, ok := stats.PassOfGateFlipsAt(n, flip, flip, margin, 0.05)
	if !ok {
		chance, _ = stats.ChanceOfPass(n, math.Sqrt(2*flip), 0, margin)
	}
	return chance
}

// settled is the margin, in whole thousandths, that n pairs settle: where nothing has changed, the gate passes with 80 %.
func settled(t *testing.T, n int, flip float64) float64 {
	t.Helper()
	for m := 1; m < 1000; m++ {
		if margin := float64(m) / 1000; passes(n, flip, margin) >= 0.8 {
			return margin
		}
	}
	t.Fatalf("n=%d, %v flip: no margin is settled", n, flip)
	return 0
}

// found is the smallest drop, in whole thousandths, that the gate finds with 80 %; beyond [stats.MostGateFlips] pairs that of normal
// differences, more of which vary the larger the drop is.
func found(t *testing.T, n int, flip, margin float64) float64 {
	t.Helper()
	if drop, ok := stats.DetectableGateFlips(n, flip, margin, 0.8, 0.05); ok {
		return drop
	}
	for d := 1; d < 1000; d++ {
		drop := float64(d) / 1000
		power, ok := stats.PowerOfGate(n, math.Sqrt(float64(2*flip)+drop-float64(drop*drop)), drop, margin)
		if ok && power >= 0.8 {
			return drop
		}
	}
	t.Fatalf("n=%d, %v flip: no drop is found", n, flip)
	return 0
}

// flips are the shares of tickets that flip by chance each way in the table of docs/ci.md.
var flips = []float64{0.02, 0.05, 0.10}

func TestTheMarginsInTheDocsAreThoseOfTheStatistics(t *testing.T) {
	t.Parallel()
	doc := readText(t, filepath.Join("..", "..", "docs", "ci.md"))
	for _, n := range []int{30, 60, 100, 200, 400, 1000, 2000, 4000} {
		row := fmt.Sprintf("| %d |", n)
		for _, q := range flips {
			margin := settled(t, n, q)
			drop := found(t, n, q, margin)
			row += fmt.Sprintf(" %.3f | %.3f |", margin, drop)
		}
		if !strings.Contains(doc, row+"\n") {
			t.Errorf("docs/ci.md does not have the row\n%s", row)
		}
	}
	for _, e := range ciExamples {
		if !strings.Contains(doc, e.row(t)+"\n") {
			t.Errorf("docs/ci.md does not have the row\n%s", e.row(t))
		}
	}
}

// ciExamples are the gates of the examples with the tickets that they run on, and what share of these flips each way.
var ciExamples = []ciExample{{"score drop <= 0.05", 400, 0.05}}

type ciExample struct {
	gate    string
	tickets int
	flips   float64
}

func (e ciExample) row(t *testing.T) string {
	t.Helper()
	g, err := compare.ParseGate(e.gate)
	if err != nil {
		t.Fatal(err)
	}
	pass, drop := passes(e.tickets, e.flips, g.Number), found(t, e.tickets, e.flips, g.Number)
	return fmt.Sprintf("| `%s` | %d | %.0f %% | %.0f %% | %.3f |", e.gate, e.tickets, 100*e.flips, 100*pass, drop)
}

func TestTheExamplesUseAMarginThatTheirTicketsSettle(t *testing.T) {
	t.Parallel()
	for _, e := range ciExamples {
		g, err := compare.ParseGate(e.gate)
		if err != nil {
			t.Fatal(err)
		}
		if m := settled(t, e.tickets, e.flips); m > g.Number {
			t.Errorf("%s: %d tickets settle a margin of %v", e.gate, e.tickets, m)
		}
	}
	known := map[string]int{}
	for _, e := range ciExamples {
		known[e.gate] = e.tickets
	}
	doc := readText(t, filepath.Join("..", "..", "docs", "ci.md"))
	for _, name := range []string{"github.yml", "gitlab-ci.yml", "triage.mk"} {
		doc += readText(t, filepath.Join("..", "..", "examples", "ci", name))
	}
	for _, gate := range regexp.MustCompile(`score drop <= [0-9.]*[0-9]`).FindAllString(doc, -1) {
		if known[gate] == 0 {
			t.Errorf("the gate %s is in no row of ciExamples: say what settles it", gate)
		}
	}
}

// workflow is what examples/ci/github.yml holds.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Steps []struct {
			Uses string            `yaml:"uses"`
			With map[string]string `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

func TestTheWorkflowOfTheExamplesUsesWhatTheActionHas(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	var w workflow
	if err := yaml.Unmarshal([]byte(readText(t, filepath.Join("..", "..", "examples", "ci", "github.yml"))), &w); err != nil {
		t.Fatal(err)
	}
	if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
		t.Errorf("it asks for the permissions %v", w.Permissions)
	}
	used := 0
	for job, j := range w.Jobs {
		for _, s := range j.Steps {
			name, ref, _ := strings.Cut(s.Uses, "@")
			if name != "triagebench/triage" {
				if s.Uses != "" && !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(ref) {
					t.Errorf("%s: %s is not pinned to a commit", job, s.Uses)
				}
				continue
			}
			used++
			for _, in := range slices.Sorted(maps.Keys(s.With)) {
				if _, ok := a.Inputs[in]; !ok {
					t.Errorf("%s: the action has no input %s", job, in)
				}
			}
			for _, line := range strings.Split(strings.TrimSpace(s.With["gates"]), "\n") {
				if _, err := compare.ParseGate(line); err != nil {
					t.Errorf("%s: %v", job, err)
				}
			}
			args := []string{"run"}
			for _, line := range strings.Split(strings.TrimSpace(s.With["run"]), "\n") {
				args = append(args, strings.SplitN(line, " ", 2)...)
			}
			if out, err := exec.CommandContext(t.Context(), "triage", append(args, "--help")...).CombinedOutput(); err != nil {
				t.Errorf("%s: triage %v: %v\n%s", job, args, err, out)
			}
		}
	}
	if used != 2 {
		t.Errorf("the action is used %d times", used)
	}
}

// recipe makes a workspace in which the recipes of examples/ci run: ci/gate.sh, a base, and an agent that is a program.
func recipe(t *testing.T, base string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "ci"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ci/gate.sh": readText(t, filepath.Join(root, "examples", "ci", "gate.sh")),
		"triage.mk":  readText(t, filepath.Join(root, "examples", "ci", "triage.mk")),
		"agent": `#!/usr/bin/env bash
while read -r line; do echo '{"category":"Bug","priority":"Medium","urgency_days":3,"department":"Engineering","recommendation":"Look at it."}'; done
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, dir, 0, "triage run "+base+" --tasks desk-hard --episodes 100 --no-floor --progress off --no-meta --out base && cp base/results-*.json ci/base-rules.json")
	return dir
}

// shell runs a script as GitLab does, and gives what it prints.
func shell(t *testing.T, dir string, code int, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", script)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // the code says how it went
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s: exit code %d, not %d:\n%s", script, got, code, out)
	}
	return string(out)
}

func TestTheJobsForGitLabRunAndExitAsTheirGatesSay(t *testing.T) {
	t.Parallel()
	var jobs map[string]struct {
		Script       []string `yaml:"script"`
		AllowFailure struct {
			ExitCodes []int `yaml:"exit_codes"`
		} `yaml:"allow_failure"`
		Artifacts struct {
			Paths   []string          `yaml:"paths"`
			Reports map[string]string `yaml:"reports"`
		} `yaml:"artifacts"`
	}
	if err := yaml.Unmarshal([]byte(readText(t, filepath.Join("..", "..", "examples", "ci", "gitlab-ci.yml"))), &jobs); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(jobs[".triage"].AllowFailure.ExitCodes, []int{5}) {
		t.Errorf("failures are allowed with %v", jobs[".triage"].AllowFailure.ExitCodes)
	}
	whole := readText(t, filepath.Join("..", "..", "examples", "ci", "gitlab-ci.yml"))
	_, shown, _ := strings.Cut(whole, "\n")
	shown, _, _ = strings.Cut(shown, "\ntriage-nightly:")
	if !strings.Contains(readText(t, filepath.Join("..", "..", "docs", "ci.md")), strings.TrimSpace(shown)+"\n```\n") {
		t.Error("docs/ci.md does not show the job as it is")
	}
	script := strings.Join(jobs["triage-exact"].Script, "\n")
	for name, c := range map[string]struct {
		base, gate string
		code       int
	}{
		"the same":     {"--agent exec:./agent", "identical", 0},
		"another":      {"--agent heuristic", "identical", 1},
		"inconclusive": {"--agent constant", "score drop <= 0.1", 5},
		"no gate":      {"--agent constant", "scor drop", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := recipe(t, c.base)
			for _, old := range []string{"triage.xml", "triage.html"} {
				if err := os.WriteFile(filepath.Join(dir, old), []byte("the green report of yesterday"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out := shell(t, dir, c.code, strings.Replace(script, "identical", "'"+c.gate+"'", 1))
			if n := strings.Count(out, "triage: "); c.code > 0 && n > 3 { // a gate that is misspelt is shown on lines of its own
				t.Errorf("the verdict is said %d times:\n%s", n, out)
			}
			if c.code == 2 {
				if _, err := os.Stat(filepath.Join(dir, "triage.xml")); err == nil {
					t.Error("an earlier report is still there")
				}
				return
			}
			for _, file := range append(jobs[".triage"].Artifacts.Paths, jobs[".triage"].Artifacts.Reports["junit"]) {
				if readText(t, filepath.Join(dir, file)) == "" {
					t.Errorf("%s is empty", file)
				}
			}
		})
	}
}

func TestTheBaseIsWrittenAgainByTheSameCommands(t *testing.T) {
	t.Parallel()
	doc := readText(t, filepath.Join("..", "..", "docs", "ci.md"))
	_, after, _ := strings.Cut(doc, "## The base\n")
	_, after, _ = strings.Cut(after, "```sh\n")
	script, _, ok := strings.Cut(after, "```")
	if !ok || !strings.Contains(script, "triage run") {
		t.Fatalf("the page has no commands for a base: %q", script)
	}
	dir := recipe(t, "--agent heuristic")
	for range 2 {
		shell(t, dir, 0, script)
	}
	shell(t, dir, 0, "triage run --agent exec:./agent --tasks desk-hard --episodes 100 --out new && bash ci/gate.sh ci/base-rules.json new identical")
}

func TestTheTargetsForMakeGateAndTakeANewBase(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	dir := recipe(t, "--agent heuristic")
	if out := shell(t, dir, 2, "make -f triage.mk triage-gate"); !strings.Contains(out, "Error 1") {
		t.Errorf("the exit code of the gate is not named:\n%s", out)
	}
	shell(t, dir, 0, "make -f triage.mk triage-base && make -f triage.mk triage-gate")
}
