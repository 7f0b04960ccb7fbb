package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// sampleRepo is a repository of a user: an agent, tickets, a base and a workflow that uses the action.
var sampleRepo = filepath.Join("testdata", "sample-repo")

// withOfSample is what the workflow of the sample repository gives to the action.
func withOfSample(t *testing.T) map[string]string {
	t.Helper()
	var w workflow
	if err := yaml.Unmarshal([]byte(readText(t, filepath.Join(sampleRepo, ".github", "workflows", "triage.yml"))), &w); err != nil {
		t.Fatal(err)
	}
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if strings.HasPrefix(s.Uses, "triagebench/triage@") {
				s.With["binary"] = "triage" // this program, in place of one that is built for each row
				return s.With
			}
		}
	}
	t.Fatal("the workflow does not use the action")
	return nil
}

// TestTheSampleRepositoryIsGatedByItsWorkflow plays the workflow of a user's repository on what a change may do to its agent.
func TestTheSampleRepositoryIsGatedByItsWorkflow(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "sh", "grep"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s", name)
		}
	}
	a := readAction(t)
	for name, c := range map[string]struct {
		file     string
		old, new string // what the change does to the file
		code     int
		verdict  string
		summary  []string
	}{
		"nothing changed":                        {"README.md", "# A", "# The", 0, "pass", []string{"✅", "score drop"}},
		"the same in other words":                {"agent/rules.txt", "invoice|refund|", "refund|invoice|", 0, "pass", []string{"✅"}},
		"a rule was lost":                        {"agent/rules.txt", ":Billing", ":Feedback", 1, "regression", []string{"❌", "score drop"}},
		"a change that 81 tickets do not settle": {"agent/rules.txt", "opinion|compliment|", "compliment|", 0, "inconclusive", []string{"⚠️", "score drop"}},
		"an answer that is no team":              {"agent/agent.sh", `{"route":`, `{"team":`, 1, "regression", []string{"❌"}},
		"the agent does not start":               {"agent/agent.sh", "#!/bin/sh\n", "#!/bin/sh\nexit 1\n", 4, "error", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(sampleRepo)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, filepath.FromSlash(c.file))
			text := readText(t, file)
			if !strings.Contains(text, c.old) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, c.old, c.new)), 0o600); err != nil {
				t.Fatal(err)
			}
			p := a.play(t, dir, withOfSample(t))
			if p.code != c.code || p.outputs["verdict"] != c.verdict {
				t.Errorf("exit code %d, verdict %q:\n%s", p.code, p.outputs["verdict"], p.log)
			}
			for _, want := range c.summary {
				if !strings.Contains(p.summary, want) {
					t.Errorf("the summary does not have %q:\n%s", want, p.summary)
				}
			}
			if c.summary == nil {
				return
			}
			if html := readText(t, filepath.Join(dir, "triage.html")); !strings.Contains(html, "<html") {
				t.Errorf("the page is %.100q", html)
			}
		})
	}
}

// TestTheBaseOfTheSampleRepositoryIsWrittenAgainByItsCommands: the same bytes, so that a diff shows what a change did.
func TestTheBaseOfTheSampleRepositoryIsWrittenAgainByItsCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(sampleRepo)); err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(readText(t, filepath.Join(sampleRepo, "README.md")), "```sh")
	_, script, _ = strings.Cut(script, "\n")
	script, _, _ = strings.Cut(script, "```")
	shell(t, dir, 0, script)
	for _, name := range []string{"episodes.jsonl", "results-exec_sh_agent_agent.sh.json"} {
		name = filepath.Join("ci", "base", name)
		if readText(t, filepath.Join(dir, name)) != readText(t, filepath.Join(sampleRepo, name)) {
			t.Errorf("%s comes out otherwise than it is committed: write the base again as its README.md says", name)
		}
	}
}
