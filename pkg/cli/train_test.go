package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/agent"
)

func TestTrainFlagsBecomeOptions(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	var got *trainOptions
	cmd := newTrainCmd(app.App, func(_ context.Context, o *trainOptions) error { got = o; return nil })
	cmd.SetArgs(strings.Fields("t.csv -o m.bin --map body=text --labels-file l.yaml --strict --eval --folds 3 --limit 9 --seed 7 --balanced --workers 2 --format csv --progress off"))
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := &trainOptions{File: "t.csv", Output: "m.bin", Map: "body=text", LabelsFile: "l.yaml", Strict: true, Eval: true, Folds: 3, Limit: 9,
		Number: 4000, Seed: 7, Balanced: true, Workers: 2, Format: "csv", Progress: "off"}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(trainOptions{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestExplainArgumentsBecomeOptions(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	var got *explainOptions
	cmd := newExplainCmd(app.App, func(_ context.Context, o *explainOptions) error { got = o; return nil })
	cmd.SetArgs(strings.Fields("queue-hard 42 3 --split train --top 2 --format json"))
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := &explainOptions{bankOptions: bankOptions{Split: "train"}, Agent: "linear", Task: "queue-hard", Seed: 42, Position: 3, Top: 2, Format: "json"}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(explainOptions{}), cmpopts.IgnoreFields(bankOptions{}, "app")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestExplainSaysWhereAnAnswerIsNotTheLikeliest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		e    agent.Explanation
		bank bool
		want string
	}{
		"the likeliest":    {agent.Explanation{Answer: "low", Confidence: 0.6, Second: "high", SecondConfidence: 0.3}, false, "the words below"},
		"equal ones":       {agent.Explanation{Answer: "low", Confidence: 0.4, Second: "high", SecondConfidence: 0.4}, false, "the words below"},
		"on an own scale":  {agent.Explanation{Answer: "medium", Confidence: 0.3, Second: "low", SecondConfidence: 0.4}, false, "the least expected distance; low alone is likelier"},
		"on the bank's":    {agent.Explanation{Answer: "medium", Confidence: 0.3, Second: "low", SecondConfidence: 0.4}, true, "the highest expected credit; low alone is likelier"},
		"a rule says more": {agent.Explanation{Answer: "low", Rule: "spam has no other", SecondConfidence: 0.4}, true, "spam has no other"},
	} {
		if got := because(&tt.e, tt.bank); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// strangers are tickets as strangers write them, with the labels a and b.
func strangers(t *testing.T) (file, model string) {
	t.Helper()
	dir := t.TempDir()
	file, model = filepath.Join(dir, "t.csv"), filepath.Join(dir, "m.bin")
	lines := "id,text,team,kind\n"
	for i, text := range []string{"red \x1b[31m apple", "<script>green</script>", "=cmd() red", "| green |", "red\u202e", "green `x`", strings.Repeat("red ", 1<<18), "green\r\r"} {
		lines += string(rune('0'+i)) + `,"` + text + `",` + []string{"<b>a</b>", "=b()|\x1b[2J"}[i%2] + ",mail\n"
	}
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, model
}

func TestHostileTextsAndLabelsSteerNoTerminalAndBreakNoTable(t *testing.T) {
	t.Parallel()
	file, model := strangers(t)
	app := newTestApp()
	app.mustRun(t, "train", file, "--map", "body=text,route=team", "-o", model)
	for _, format := range []string{"table", "json", "csv", "markdown"} {
		for _, args := range [][]string{{"train", file, "--eval", "--folds", "2"}, {"explain", "--agent", "linear:" + model, "--tickets", file, "--id", "0"},
			{"explain", "--agent", "linear:" + model, "--tickets", file, "--id", "6", "--top", "1000"}} {
			out := app.mustRun(t, append(args, "--map", "body=text,route=team", "--format", format)...)
			if strings.ContainsAny(out, "\x1b\r\x00") || format == "csv" && strings.Contains(out, ",=b()") {
				t.Errorf("%s as %s prints %q", args[0], format, out)
			}
		}
	}
}

func TestTrainAndExplainThatCannotPrintOrWriteAreErrors(t *testing.T) {
	t.Parallel()
	file, model := strangers(t)
	newTestApp().mustRun(t, "train", file, "--map", "body=text,route=team", "-o", model)
	for _, args := range [][]string{{"train", file, "--map", "body=text,route=team", "--eval", "--folds", "2"}, {"explain", "queue-easy", "1"},
		{"explain", "--agent", "linear:" + model, "--tickets", file, "--map", "body=text,route=team", "--id", "0"}} {
		app := newTestApp()
		app.Out = failing{}
		if code := app.run(t.Context(), args...); code != ExitUsage || !strings.Contains(app.errs.String(), errBroken.Error()) {
			t.Errorf("triage %s exits with %d and says %q", strings.Join(args, " "), code, app.errs.String())
		}
	}
	app := newTestApp()
	if code := app.run(t.Context(), "train", file, "--map", "body=text,route=team", "-o", filepath.Dir(model)); code != ExitUsage || !strings.Contains(app.errs.String(), "is a folder") {
		t.Errorf("a folder as output exits with %d: %s", code, app.errs.String())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{ExitInterrupted})
	if code := newTestApp().run(ctx, "train", file, "--map", "body=text,route=team", "-o", model); code != ExitInterrupted {
		t.Errorf("interrupted it exits with %d", code)
	}
}
