package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is what action.yml holds, as far as a runner needs it.
type action struct {
	Inputs map[string]struct {
		Description string `yaml:"description"`
		Required    bool   `yaml:"required"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string       `yaml:"using"`
		Steps []actionStep `yaml:"steps"`
	} `yaml:"runs"`
}

type actionStep struct {
	ID               string            `yaml:"id"`
	If               string            `yaml:"if"`
	Uses             string            `yaml:"uses"`
	Shell            string            `yaml:"shell"`
	WorkingDirectory string            `yaml:"working-directory"`
	Env              map[string]string `yaml:"env"`
	Run              string            `yaml:"run"`
}

func readAction(t *testing.T) *action {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

var (
	expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)
	condition  = regexp.MustCompile(`^(\S+) (==|!=) '([^']*)'$`)
)

// evaluate replaces the expressions of a text, of the few kinds that action.yml uses: names, and names || others or 'texts'.
func evaluate(t *testing.T, text string, values map[string]string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(all string) string {
		for _, term := range strings.Split(expression.FindStringSubmatch(all)[1], " || ") {
			if quoted := strings.Trim(term, "'"); quoted != term {
				return quoted
			}
			if !regexp.MustCompile(`^(inputs|steps|github)\.[\w.-]+$`).MatchString(term) {
				t.Fatalf("this test's runner does not know the expression %q", term)
			}
			if v := values[term]; v != "" {
				return v
			}
		}
		return ""
	})
}

// played is what the action did.
type played struct {
	code     int
	outputs  map[string]string
	log      string // stdout and stderr of all steps
	summary  string
	commands []string // the workflow commands that the runner obeys
}

// play runs the action's steps as a runner does: each through bash -e -o pipefail with its own environment and files, until one
// fails. dir is the workspace.
func (a *action) play(t *testing.T, dir string, with map[string]string) played {
	t.Helper()
	temp := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"github.action_path": root}
	for name, in := range a.Inputs {
		v, given := with[name]
		if in.Required && !given {
			t.Fatalf("input %s is required", name)
		}
		if !given {
			v = in.Default
		}
		values["inputs."+name] = v
	}
	for name := range with {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("the action has no input %s", name)
		}
	}
	p := played{outputs: map[string]string{}}
	for i, s := range a.Runs.Steps {
		if c := condition.FindStringSubmatch(s.If); c != nil {
			if (values[c[1]] == c[3]) != (c[2] == "==") {
				continue
			}
		} else if s.If != "" {
			t.Fatalf("this test's runner does not know the condition %q", s.If)
		}
		file := func(name string) string { return filepath.Join(temp, fmt.Sprintf("%s-%d", name, i)) }
		script := "#!/usr/bin/env bash\n" + s.Run
		if err := errors.Join(os.WriteFile(file("script"), []byte(script), 0o600), os.WriteFile(file("output"), nil, 0o600), os.WriteFile(file("summary"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", file("script"))
		cmd.Dir = filepath.Join(dir, evaluate(t, s.WorkingDirectory, values))
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+file("output"), "GITHUB_STEP_SUMMARY="+file("summary"))
		for k, v := range s.Env {
			cmd.Env = append(cmd.Env, k+"="+evaluate(t, v, values))
		}
		var log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &log, &log
		err := cmd.Run()
		p.log += log.String()
		p.commands = append(p.commands, obeyed(log.String())...)
		p.summary += readText(t, file("summary"))
		for _, line := range strings.Split(strings.TrimSuffix(readText(t, file("output")), "\n"), "\n") {
			if name, value, ok := strings.Cut(line, "="); ok {
				values["steps."+s.ID+".outputs."+name] = value
			}
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			p.code = exit.ExitCode()
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for name, o := range a.Outputs {
		p.outputs[name] = evaluate(t, o.Value, values)
	}
	return p
}

// obeyed lists the workflow commands of a log that a runner obeys: both forms, the old one anywhere in a line, but for what stands
// between ::stop-commands::TOKEN and ::TOKEN::.
func obeyed(log string) []string {
	var out []string
	stopped := ""
	for _, line := range strings.Split(log, "\n") {
		line = strings.TrimSpace(line)
		token, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stopped != "":
			if line == "::"+stopped+"::" {
				stopped = ""
			}
		case stops:
			stopped = token
		case strings.HasPrefix(line, "::") || strings.Contains(line, "##["):
			out = append(out, line)
		}
	}
	return out
}
