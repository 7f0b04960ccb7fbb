package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/agent"
	"github.com/triagebench/triage/pkg/cli"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/runner"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// examples is where the examples lie, seen from here.
var examples = filepath.Join("..", "..", "examples")

// python gives the name of Python, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: the examples in Python are not tested")
	}
	return name
}

// play plays seeds 1 to n of a task of split test and gives the mean score. No action may be refused.
func play(t *testing.T, a triage.Agent, name string, n int) float64 {
	t.Helper()
	task, err := triage.TaskByName(name)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	e, err := env.New(task, triage.Test, func(s triage.Split) (env.Source, error) { return synth.New(bank, task, s, nil) })
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for seed := range n {
		ep, err := runner.Play(t.Context(), e, a, triage.Key{Agent: "example", Task: name, Seed: int64(seed) + 1}, triage.ResetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if ep.Score == nil {
			t.Fatal(ep.Error)
		}
		sum += *ep.Score
		for _, s := range ep.Steps {
			if s.Error != "" {
				t.Errorf("%s: %s", ep.Key, s.Error)
			}
		}
	}
	return sum / float64(n)
}

// decent holds an agent against the best that an agent reaches which does not read (docs/benchmark.md, floors), and sees that it
// answers all tasks.
func decent(t *testing.T, a triage.Agent) {
	t.Helper()
	for _, tt := range []struct {
		task  string
		n     int
		floor float64
	}{{"queue-easy", 25, 0.763}, {"desk-easy", 100, 0.370}, {"queue-hard", 1, 0}, {"desk-hard", 5, 0}} {
		got := play(t, a, tt.task, tt.n)
		t.Logf("%s: %.3f", tt.task, got)
		if got <= tt.floor {
			t.Errorf("%s: the score is %.3f, and %.3f can be had without reading", tt.task, got, tt.floor)
		}
	}
}

// byExec plays a command.
func byExec(t *testing.T, command string) {
	t.Helper()
	e, err := agent.NewExec(agent.ExecOptions{Command: command, Start: cli.System().Start})
	if err != nil {
		t.Fatal(err)
	}
	decent(t, e)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheExampleInPythonPlaysBothTracks(t *testing.T) {
	t.Parallel()
	byExec(t, python(t)+" -B '"+filepath.Join(examples, "python", "my_agent.py")+"'")
}

func TestTheExampleInGoPlaysBothTracks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a program; what that does is tested beside it")
	}
	binary := filepath.Join(t.TempDir(), "my_agent.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "./"+filepath.Join(examples, "go")).CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	byExec(t, "'"+binary+"'")
}

func TestTheExampleBehindAnAddressPlaysBothTracks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, python(t), "-B", filepath.Join(examples, "python", "http_agent.py"), "0")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = server.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if !ok {
		t.Fatalf("its first line is %q, error %v", line, err)
	}
	h, err := agent.NewHTTP(agent.HTTPOptions{URL: address + "/act"})
	if err != nil {
		t.Fatal(err)
	}
	decent(t, h)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestTheObservationsInTheDocumentationHaveTheFieldsOfRealOnes holds docs/agents.md against what a program gets.
func TestTheObservationsInTheDocumentationHaveTheFieldsOfRealOnes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "agents.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "```json\n")[1:]
	tracks := []triage.Track{triage.Queue, triage.Desk, triage.Dataset}
	if len(blocks) != len(tracks) {
		t.Fatalf("%d observations, want %d", len(blocks), len(tracks))
	}
	for i, track := range tracks {
		block, _, _ := strings.Cut(blocks[i], "```")
		o, err := triage.DecodeObservation(track, []byte(block))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var shown, written any
		if err := errors.Join(json.Unmarshal([]byte(block), &shown), json.Unmarshal(whole, &written)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(written, shown); d != "" {
			t.Errorf("%s (-a real one +documentation):\n%s", track, d)
		}
	}
}
