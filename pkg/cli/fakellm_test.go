package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestFakeLLMReadsItsFlags(t *testing.T) {
	t.Parallel()
	var got *fakeLLMOptions
	cmd := newFakeLLMCmd(System(), func(_ context.Context, o *fakeLLMOptions) error {
		got = o
		return nil
	})
	cmd.SetArgs([]string{"--script", "s.yaml", "--listen", "[::1]:80", "--tasks", "desk-easy,queue-hard", "--seed", "7", "--episodes", "3", "--split", "train", "--log", "l.jsonl",
		"--secret-file", "s", "--bank", "b"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	got.app = nil
	want := &fakeLLMOptions{bankOptions: bankOptions{Split: "train", SecretFile: "s", Bank: "b"}, Script: "s.yaml", Listen: "[::1]:80",
		Tasks: []string{"desk-easy", "queue-hard"}, Seed: 7, Episodes: 3, Log: "l.jsonl"}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(fakeLLMOptions{}, bankOptions{})); d != "" {
		t.Error(d)
	}
}

func TestFakeLLMRefusesSettingsThatMeanNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(script, []byte("key: a\nansers: right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"script":     {[]string{"--script", script}, script + `:2: unknown key "ansers" of a script`},
		"no script":  {[]string{"--script", filepath.Join(dir, "none.yaml")}, "read script " + filepath.Join(dir, "none.yaml")},
		"listen":     {[]string{"--listen", "here"}, `--listen "here" is not an address with a port`},
		"no address": {[]string{"--listen", "192.0.2.1:0", "--tasks", "desk-easy", "--episodes", "1"}, "listen on 192.0.2.1:0"},
		"episodes":   {[]string{"--episodes", "0"}, "--episodes 0 is not allowed"},
		"too many":   {[]string{"--episodes", "999999999"}, "at most 1000000 tickets can be known"},
		"seed":       {[]string{"--seed", "-1"}, "--seed -1 is not allowed"},
		"last seed":  {[]string{"--seed", "9223372036854775807"}, "--seed 9223372036854775807 is not allowed"},
		"log":        {[]string{"--log", dir, "--tasks", "desk-easy", "--episodes", "1"}, dir},
		"argument":   {[]string{"now"}, `unexpected argument "now"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runCLI(t, append([]string{"fake-llm"}, tt.args...)...)
			if code != ExitUsage || !strings.Contains(errs, tt.want) || out != "" {
				t.Errorf("code %d, stdout %q, stderr %q, want %q", code, out, errs, tt.want)
			}
		})
	}
}

// lines is a writer that hands over its first line.

type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.text.Write(p)
	if line, _, ok := strings.Cut(l.text.String(), "\n"); ok {
		select {
		case l.first <- line:
		default:
		}
	}
	return n, err
}

// fakeLLM runs the command until stop is called.

func fakeLLM(t *testing.T, args ...string) (base string, stop func() (code int, errs string)) {
	t.Helper()
	out, errs := &lines{first: make(chan string, 1)}, &bytes.Buffer{}
	app := System()
	app.Out, app.Err, app.ErrTerminal = out, errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ended := make(chan int, 1)
	go func() { ended <- Main(ctx, app, append([]string{"fake-llm"}, args...)) }()
	select {
	case line := <-out.first:
		base, ok := strings.CutPrefix(line, "listening on ")
		if !ok {
			t.Fatalf("the first line is %q", line)
		}
		return base, func() (int, string) {
			cancel()
			return <-ended, errs.String()
		}
	case code := <-ended:
		t.Fatalf("exit code %d: %s", code, errs)
	case <-time.After(30 * time.Second):
		t.Fatal("no address")
	}
	return "", nil
}

// ask sends a prompt and gives the content of the answer.

func ask(t *testing.T, base, prompt string, members ...string) string {
	t.Helper()
	text, err := json.Marshal(prompt)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","messages":[{"role":"system","content":"Triage."},{"role":"user","content":` + string(text) + `}]` + strings.Join(append([]string{""}, members...), ",") + `}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-very-secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(data, &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v: %s", err, data)
	}
	return c.Choices[0].Message.Content
}

func TestFakeLLMAnswersRightUntilItIsToldToStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen.jsonl")
	base, stop := fakeLLM(t, "--tasks", "desk-hard", "--episodes", "3", "--log", seen)
	s, err := openSession(System(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName("desk-hard")
	if err != nil {
		t.Fatal(err)
	}
	src, err := s.source(task, triage.Test)
	if err != nil {
		t.Fatal(err)
	}
	c := src.Ticket(44, 0)
	action, err := triage.ParseAction(triage.Desk, []byte(ask(t, base, "Ticket:\n\n"+c.Ticket.IssueText())), nil)
	if err != nil || action.Desk.Category != c.Truth.Desk.Category || action.Desk.Department != c.Truth.Desk.Department || action.Desk.Recommendation == "" {
		t.Errorf("the answer is %+v, %v; right is %+v", action, err, c.Truth.Desk)
	}
	schema := `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"priority":{"type":"string"}}}}}`
	if got := ask(t, base, c.Ticket.IssueText(), schema); got != fmt.Sprintf(`{"priority":%q}`, c.Truth.Desk.Priority) {
		t.Errorf("with a schema of one field the answer is %s", got)
	}
	if got := ask(t, base, "What is the capital of France?"); got != "I do not know this one." {
		t.Errorf("the answer to another question is %s", got)
	}
	code, errs := stop()
	if code != ExitOK || !strings.Contains(errs, "1 of 3 calls were about tickets that it does not know") {
		t.Errorf("code %d, %s", code, errs)
	}
	log := readFile(t, seen)
	var line seenLine
	if err := json.Unmarshal([]byte(strings.SplitN(log, "\n", 2)[0]), &line); err != nil || strings.Count(log, "\n") != 3 || strings.Contains(log, "sk-very-secret") ||
		line.Status != 200 || !line.Known || line.Path != "/v1/chat/completions" || line.Model != "m" || line.Header.Get("Authorization") != "***" {
		t.Errorf("%v: the log is %s", err, log)
	}
}

// TestEveryKnownTicketIsFoundInAPrompt looks for tickets as they stand, and with slips, in capital letters and among other text.

// throughFake asks a fake model over its transport, as a client does.

// Complete sends the messages and gives the answer's text.

// TestTheFakeModelKnowsTheTicketsOfThePrompts plays each task through the prompts of the llm agent: a model that is right scores as the

// oracle does, and one with noise scores less.
