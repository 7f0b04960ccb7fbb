package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/testkit"
)

func TestADryRunSaysWhatWouldBeCalledAndCallsNothing(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	args := func(more ...string) []string {
		return r.args("run", append([]string{"--dry-run", "--tasks", "queue-easy", "desk-easy", "--episodes", "3", "--out", r.file(t, "run", ""), "--prices", r.file(t, "prices.yaml", fakePrices)}, more...)...)
	}
	for name, more := range map[string][]string{
		"dryrun.txt":      {"--agent", "heuristic", "--agent", "exec:python my_agent.py", "--model", "llamacpp:fake", "--model", "llamacpp:other", "--perturb", "typos"},
		"dryrun-few.txt":  {"--few-shot", "1", "--no-handbook", "--max-output-tokens", "500", "--trials", "2", "--shard", "1/2"},
		"dryrun-only.txt": {"--agent", "http://127.0.0.1:1/act"},
	} {
		a := newTestApp()
		a.Environ = func() []string { return nil }
		list := args(more...)
		if name == "dryrun-only.txt" {
			list = r.args("run", append([]string{"--dry-run", "--trials", "2", "--only", "queue-hard:7:3", "--only", "queue-hard:9", "--only", "desk-hard:1"}, more...)...)
		}
		out, errs := r.playIn(t, a, ExitOK, list...)
		table, prompt, _ := strings.Cut(out, "The prompt of llamacpp:fake for the first ticket of ")
		testkit.Golden(t, filepath.Join("testdata", name), table)
		if !strings.Contains(prompt, "--- system:\n") || !strings.Contains(prompt, "--- user:\n") || errs != "" {
			t.Errorf("%s: it says %q and prints the prompt %s", name, errs, prompt)
		}
		if few := strings.Contains(prompt, "--- assistant:\n{"); few != (name == "dryrun-few.txt") {
			t.Errorf("%s: solved tickets: %v", name, few)
		}
	}
	if r.server.Calls() != 0 || isThere(newTestApp().App, r.file(t, "run", "")) {
		t.Error("something was called or written")
	}
	// for machines
	out, _ := r.play(t, ExitOK, args("--format", "json")...)
	var got struct {
		DryRun bool `json:"dry_run"`
		Calls  []struct {
			Agent, Model, Address, Task string
			Calls                       int
			TokensIn                    int     `json:"tokens_in"`
			TokensOut                   int     `json:"tokens_out"`
			Cost                        *string `json:"cost_usd"`
		}
		Prompt string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if !got.DryRun || len(got.Calls) != 3 || got.Calls[2].Agent != "all models" || got.Calls[2].Calls != 27 || got.Calls[0].TokensIn == 0 || got.Calls[0].TokensOut != 24*assumedAnswer || got.Calls[0].Cost == nil ||
		got.Calls[0].Address != "http://host/v1" || !strings.Contains(got.Prompt, "--- user:") {
		t.Errorf("it prints %+v", got.Calls)
	}
}

func TestADryRunIsOfWhatIsPlayed(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	a := newTestApp()
	if out, _ := r.playIn(t, a, ExitOK, "run", "--agent", "heuristic", "--dry-run"); !strings.Contains(out, "Nothing would be called: the agents are all part of this program.") {
		t.Errorf("it prints %s", out)
	}
	out, _ := r.play(t, ExitOK, r.args("run", "--dry-run", "--tickets", r.file(t, "t.csv", "body,queue\nthe printer is on fire,ops\nhello,sales\nbye,ops\n"))...)
	if !strings.Contains(out, "│ tickets │     3 │") || !strings.Contains(out, "the printer is on fire") || !strings.Contains(out, "–") {
		t.Errorf("it prints %s", out)
	}
	// neither a key nor what stands in headers is needed, by whatever name
	out, _ = r.play(t, ExitOK, "run", "--agent", "llm", "--model", "openai:gpt-4.1-mini", "--api-key-env", "MY_TOKEN", "--header", "X-Team: ${TEAM}", "--tasks", "desk-easy", "--episodes", "1", "--dry-run")
	if !strings.Contains(out, "https://api.openai.com/v1") || strings.Contains(out, notNeeded) {
		t.Errorf("it prints %s", out)
	}
	if _, errs := r.play(t, ExitUsage, r.args("run", "--dry-run", "--tasks", "desk-easy", "--seed", "9223372036854775807", "--episodes", "2")...); !strings.Contains(errs, "seeds") {
		t.Errorf("it says %s", errs)
	}
	broken := newTestApp()
	broken.Out = failing{}
	if _, errs := r.playIn(t, broken, ExitUsage, r.args("run", "--dry-run", "--tasks", "desk-easy")...); !strings.Contains(errs, "print dry run: it is broken") {
		t.Errorf("it says %s", errs)
	}
}

func TestDollarsHaveTheDigitsThatTellSomething(t *testing.T) {
	t.Parallel()
	got := map[int64]string{}
	want := map[int64]string{0: "0", 1: "0.000000001", 12_345: "0.000012", 99_999: "0.000100", 999_999: "0.00100", 1_000_000: "0.0010", 75_940_500: "0.0759", 1_000_000_000: "1.0000", 1_999_999_999: "2.0000",
		12_345_678_901_234: "12345.6789"}
	for nano := range want {
		got[nano] = dollars(nano)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("dollars (-want +got):\n%s", d)
	}
}
