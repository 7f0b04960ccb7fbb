package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/compare"
	"github.com/triagebench/triage/pkg/triage"
)

// parse runs a command on arguments, as the root does.
func parse(t *testing.T, cmd *cobra.Command, args string) error {
	t.Helper()
	root := &cobra.Command{Use: "triage", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cmd)
	root.SetArgs(joinLists(root, append([]string{cmd.Name()}, strings.Fields(args)...)))
	return root.ExecuteContext(t.Context())
}

// ignored leaves out what no flag sets.
var ignored = cmp.Options{cmp.AllowUnexported(costOptions{}), cmpopts.EquateEmpty(),
	cmp.AllowUnexported(playOptions{}, againstOptions{}, gating{}, sources{}, modelOptions{}, mergeOptions{}, bankOptions{}, generateOptions{}, showOptions{}, statsOptions{}),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".app" || p.Last().String() == ".given" }, cmp.Ignore())}

// parsesTo parses and compares the options, or looks for want in the error.
func parsesTo[T any](t *testing.T, args string, cmd *cobra.Command, got **T, want *T, wantErr string) {
	t.Helper()
	err := parse(t, cmd, args)
	switch {
	case wantErr != "":
		if err == nil || !strings.Contains(err.Error(), wantErr) || *got != nil {
			t.Errorf("%q gives %v, want %s", args, err, wantErr)
		}
	case err != nil:
		t.Errorf("%q: %v", args, err)
	default:
		if d := cmp.Diff(want, *got, ignored); d != "" {
			t.Errorf("%q (-want +got):\n%s", args, d)
		}
	}
}

func defaultModelOptions() modelOptions {
	return modelOptions{Temperature: "0", SeedRequest: -1, Format: "auto", Timeout: 2 * time.Minute, MaxWait: 2 * time.Minute, Budget: 5 * time.Minute,
		Concurrency: 4, MaxConsecutive: 10, Reask: 1, Cache: "on"}
}

func TestRunFlags(t *testing.T) {
	t.Parallel()
	def := func(change func(*playOptions)) *playOptions {
		o := &playOptions{Agents: []string{"heuristic"}, Seed: 42, Split: "test", Format: "table", Progress: "auto", Trials: 1, model: defaultModelOptions()}
		change(o)
		return o
	}
	for _, c := range []struct {
		args string
		want *playOptions
		err  string
	}{
		{args: "", want: def(func(*playOptions) {})},
		{args: "--agent a --agent b,c", want: def(func(o *playOptions) { o.Agents = []string{"a", "b", "c"} })},
		{args: "--tasks queue-easy desk-hard --track queue desk --difficulties easy,hard medium", want: def(func(o *playOptions) {
			o.Tasks, o.Tracks, o.Difficulties = []string{"queue-easy", "desk-hard"}, []string{"queue", "desk"}, []string{"easy", "hard", "medium"}
		})},
		{args: "--tasks queue-easy --episodes 3 --tasks queue-easy,queue-hard --limit 2", want: def(func(o *playOptions) {
			o.Tasks, o.Episodes, o.Limit = []string{"queue-easy", "queue-hard"}, 3, 2
		})},
		{args: "--seed 0 --split train --workers 4 --secret-file s --bank b --out d --resume --no-meta --no-floor --max-errors 2 --format csv --progress json --shard 1/2 --check",
			want: def(func(o *playOptions) {
				o.Seed, o.Split, o.Workers, o.SecretFile, o.Bank, o.Out, o.Resume = 0, "train", 4, "s", "b", "d", true
				o.NoMeta, o.NoFloor, o.MaxErrors, o.Format, o.Progress, o.Shard, o.Check = true, true, 2, "csv", "json", "1/2", true
			})},
		{args: "--only queue-hard:1:2 --only desk-easy:3,desk-easy:4", want: def(func(o *playOptions) { o.Only = []string{"queue-hard:1:2", "desk-easy:3", "desk-easy:4"} })},
		{args: "--tickets f --map a=b --labels-file l --train t --strict --limit 3", want: def(func(o *playOptions) {
			o.Tickets, o.Map, o.LabelsFile, o.Train, o.Strict, o.Limit = "f", "a=b", "l", "t", true, 3
		})},
		{args: "--agent llm,heuristic --agent exec:a,b --agent http://x/y,z --model m --model n:o", want: def(func(o *playOptions) {
			o.Agents, o.model.Models = []string{"llm", "heuristic", "exec:a,b", "http://x/y,z"}, []string{"m", "n:o"}
		})},
		{args: "--trials 5 --perturb typos upper,injection --temperature none --seed-request 7 --max-cost 1.5 --timeout 30s --concurrency 64 --reask 0 --extra-body {\"top_k\":1}",
			want: def(func(o *playOptions) {
				o.Trials, o.Perturb, o.model.Temperature, o.model.SeedRequest, o.model.MaxCost = 5, []string{"typos", "upper", "injection"}, "none", 7, 1.5
				o.model.Timeout, o.model.Concurrency, o.model.Reask, o.model.ExtraBody = 30*time.Second, 64, 0, `{"top_k":1}`
				o.model.extra = map[string]json.RawMessage{"top_k": json.RawMessage("1")}
			})},
		{args: "--trials 0", err: "--trials 0 is not allowed; allowed is 1 to 1000"},
		{args: "--perturb shout", err: `"shout" is not one of typos`},
		{args: "--temperature warm", err: "--temperature warm is not allowed; allowed is a number from 0 to 2, or none"},
		{args: "--temperature 2.5", err: "--temperature 2.5 is not allowed"},
		{args: "--extra-body [1]", err: "--extra-body is not a JSON object"},
		{args: "--extra-body {\"stream\":true}", err: `--extra-body has "stream", which this program sets itself`},
		{args: "--concurrency 0", err: "--concurrency 0 is not allowed; allowed is 1 to 4096"},
		{args: "--max-cost -1", err: "--max-cost -1 is not allowed"},
		{args: "--timeout 0s", err: "--timeout 0s is not allowed"},
		{args: "--cache maybe", err: `"maybe" is not one of on, off, read, refresh`},
		{args: "--record a --replay b", err: "--record and --replay do not go together"},
		{args: "--tickets f --episodes 3", err: "--episodes does not go with --tickets"},
		{args: "--tickets f --secret-file s", err: "--secret-file does not go with --tickets"},
		{args: "--tickets f --check", err: "imported tickets have no target"},
		{args: "--strict", err: "--strict goes with --tickets FILE"},
		{args: "--only queue-hard:1 --strict", err: "--strict goes with --tickets FILE"},
		{args: "--only queue-hard:1 --limit 2", err: "--limit does not go with --only"},
		{args: "--limit 0", err: "--limit 0 is not allowed"},
		{args: "--episodes -1", err: "--episodes -1 is not allowed"},
		{args: "--workers -2", err: "--workers -2 is not allowed"},
		{args: "--max-errors -1", err: "--max-errors -1 is not allowed"},
		{args: "--resume", err: "--resume needs the run's folder"},
		{args: "--output x", err: "unknown flag: --output"},
		{args: "x", err: `unexpected argument "x"`},
	} {
		var got *playOptions
		parsesTo(t, c.args, newRunCmd(newTestApp().App, func(_ context.Context, o *playOptions) error { got = o; return nil }), &got, c.want, c.err)
	}
}

func TestBaselineFlags(t *testing.T) {
	t.Parallel()
	against := againstOptions{gating: gating{Inconclusive: "fail"}}
	for _, c := range []struct {
		args string
		want *playOptions
		err  string
	}{
		{args: "", want: &playOptions{Agents: []string{"heuristic"}, Seed: 42, Split: "test", Format: "table", Progress: "auto", Output: "baseline_results.json", Trials: 1, model: defaultModelOptions(), against: against}},
		{args: "--against heuristic --gate errors==0 --gate identical --inconclusive warn --as-sample --allow bank", want: &playOptions{Agents: []string{"heuristic"}, Seed: 42, Split: "test", Format: "table", Progress: "auto",
			Output: "baseline_results.json", Trials: 1, model: defaultModelOptions(), against: againstOptions{Against: "heuristic", Allow: []string{"bank"}, gating: gating{Gates: []string{"errors==0", "identical"},
				Inconclusive: "warn", AsSample: true, gates: []compare.Gate{{Metric: "errors", Op: "=="}, {Metric: "identical"}}}}}},
		{args: "--gate errors==0", err: "--gate goes with --against"},
		{args: "--against heuristic --gate errors=0", err: "did you mean ==?"},
		{args: "--difficulties easy medium hard --seed 42 --agent keyword --check --output o.json", want: &playOptions{Agents: []string{"keyword"}, Seed: 42,
			Difficulties: []string{"easy", "medium", "hard"}, Split: "test", Format: "table", Progress: "auto", Output: "o.json", Check: true, Trials: 1, model: defaultModelOptions(), against: against}},
		{args: "--limit 3", err: "unknown flag: --limit"},
		{args: "--episodes 0", err: "--episodes 0 is not allowed; allowed is 1 and more"},
	} {
		var got *playOptions
		parsesTo(t, c.args, newBaselineCmd(newTestApp().App, func(_ context.Context, o *playOptions) error { got = o; return nil }), &got, c.want, c.err)
	}
}

func TestMergeFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want *mergeOptions
		err  string
	}{
		{args: "a b --out c", want: &mergeOptions{Folders: []string{"a", "b"}, Out: "c", Format: "table"}},
		{args: "a --out c --no-floor --bank b --secret-file s --format json", want: &mergeOptions{Folders: []string{"a"}, Out: "c", NoFloor: true, Bank: "b", SecretFile: "s", Format: "json"}},
		{args: "--out c", err: "takes the run folders of all shards"},
		{args: "a", err: "--out DIR is missing"},
	} {
		var got *mergeOptions
		parsesTo(t, c.args, newMergeCmd(newTestApp().App, func(_ context.Context, o *mergeOptions) error { got = o; return nil }), &got, c.want, c.err)
	}
}

func TestTicketsFlags(t *testing.T) {
	t.Parallel()
	bank := bankOptions{Split: "test"}
	var made *generateOptions
	generate := func() *cobra.Command {
		made = nil
		return newTicketsGenerateCmd(newTestApp().App, func(_ context.Context, o *generateOptions) error { made = o; return nil })
	}
	parsesTo(t, "", generate(), &made, &generateOptions{bankOptions: bank, Task: "queue-easy", Seed: 42, N: 10, Format: "table"}, "")
	parsesTo(t, "--task desk-hard --seed 1 -n 5 --labels --format chat --split train --bank b --secret-file s", generate(), &made,
		&generateOptions{bankOptions: bankOptions{Split: "train", Bank: "b", SecretFile: "s"}, Task: "desk-hard", Seed: 1, N: 5, Labels: true, Format: "chat"}, "")
	parsesTo(t, "--number 0", generate(), &made, nil, "-n 0 is not allowed")
	parsesTo(t, "--task queue-easy -n 9 --seed 9223372036854775807", generate(), &made, nil, "allowed is 0 to 9223372036854775806")
	parsesTo(t, "--task queue-easy -n 8 --seed 9223372036854775807", generate(), &made,
		&generateOptions{bankOptions: bank, Task: "queue-easy", Seed: triage.MaxSeed, N: 8, Format: "table"}, "")

	var shown *showOptions
	show := func() *cobra.Command {
		shown = nil
		return newTicketsShowCmd(newTestApp().App, func(_ context.Context, o *showOptions) error { shown = o; return nil })
	}
	parsesTo(t, "queue-hard 7 11 --format json", show(), &shown, &showOptions{bankOptions: bank, Task: "queue-hard", Seed: 7, Position: 11, JSON: true}, "")
	parsesTo(t, "desk-hard 7", show(), &shown, &showOptions{bankOptions: bank, Task: "desk-hard", Seed: 7}, "")
	parsesTo(t, "queue-hard 7 12", show(), &shown, nil, "from 0 to 11")
	parsesTo(t, "queue-hard", show(), &shown, nil, "takes TASK SEED [POSITION]")

	var measured *statsOptions
	stats := func() *cobra.Command {
		measured = nil
		return newTicketsStatsCmd(newTestApp().App, func(_ context.Context, o *statsOptions) error { measured = o; return nil })
	}
	parsesTo(t, "", stats(), &measured, &statsOptions{bankOptions: bank, Tasks: taskNames(), N: 10000, Format: "table", Progress: "auto"}, "")
	parsesTo(t, "--tasks desk-easy desk-hard -n 50 --check --progress off", stats(), &measured,
		&statsOptions{bankOptions: bank, Tasks: []string{"desk-easy", "desk-hard"}, N: 50, Check: true, Format: "table", Progress: "off"}, "")
	parsesTo(t, "-n 9", stats(), &measured, nil, "-n 9 is not allowed")
}

func TestListsOfWordsAreJoined(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"run":                              "run",
		"run --tasks queue-easy desk-hard": "run --tasks=queue-easy,desk-hard",
		"run --tasks queue-easy,desk-hard": "run --tasks=queue-easy,desk-hard",
		"run --tasks queue-easy,queue-hard desk-hard":    "run --tasks=queue-easy,queue-hard,desk-hard",
		"run --tasks queue-easy queue-hard,desk-hard":    "run --tasks=queue-easy,queue-hard,desk-hard",
		"run --tasks=queue-easy desk-hard":               "run --tasks=queue-easy,desk-hard",
		"run --tasks= queue-easy":                        "run --tasks=,queue-easy",
		"run --tasks queue-easy --seed 3":                "run --tasks=queue-easy --seed 3",
		"run --tasks queue-easy other":                   "run --tasks=queue-easy other",
		"run --tasks nosuch desk-hard":                   "run --tasks=nosuch,desk-hard",
		"run --track queue --tasks queue-easy desk-easy": "run --track=queue --tasks=queue-easy,desk-easy",
		"run --tasks":                                     "run --tasks",
		"run -- --tasks queue-easy desk-hard":             "run -- --tasks queue-easy desk-hard",
		"run --agent a b":                                 "run --agent a b",
		"tickets stats --tasks queue-easy queue-hard -n9": "tickets stats --tasks=queue-easy,queue-hard -n9",
		"nosuch --tasks queue-easy desk-hard":             "nosuch --tasks queue-easy desk-hard",
		"--config c.yaml run --difficulties easy hard":    "--config c.yaml run --difficulties=easy,hard",
		"baseline --difficulties easy medium hard -h":     "baseline --difficulties=easy,medium,hard -h",
	} {
		if got := strings.Join(joinLists(newRoot(newTestApp().App), strings.Fields(in)), " "); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{Code: ExitTerminated})
	plain, stop := context.WithCancel(t.Context())
	stop()
	coded := func(c triage.Code) error { return fmt.Errorf("doing: %w", &triage.Error{Code: c, Message: "m"}) }
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"well", t.Context(), nil, ExitOK},
		{"a check", t.Context(), coded(triage.CodeCheck), ExitCheck},
		{"usage", t.Context(), coded(triage.CodeUsage), ExitUsage},
		{"files", t.Context(), coded(triage.CodeFiles), ExitUsage},
		{"anything", t.Context(), errors.New("x"), ExitUsage},
		{"episodes", t.Context(), fmt.Errorf("run: %w", episodesError{2, 1}), ExitEpisodes},
		{"an endpoint", t.Context(), coded(triage.CodeUnavailable), ExitUnavailable},
		{"SIGINT", t.Context(), errors.Join(Interrupted{Code: ExitInterrupted}, errors.New("x")), ExitInterrupted},
		{"SIGTERM", t.Context(), Interrupted{Code: ExitTerminated}, ExitTerminated},
		{"a context that SIGTERM ended", interrupted, fmt.Errorf("act: %w", context.Canceled), ExitTerminated},
		{"a context that ended", plain, context.Canceled, ExitInterrupted},
		{"a message that is printed already", t.Context(), silent{coded(triage.CodeCheck)}, ExitCheck},
	} {
		if got := exitCode(c.ctx, c.err); got != c.want {
			t.Errorf("%s exits with %d, want %d", c.name, got, c.want)
		}
	}
	var b strings.Builder
	complain(&b, nil)
	complain(&b, silent{errors.New("x")})
	if b.Len() > 0 {
		t.Errorf("it complains %q", b.String())
	}
	complain(&b, episodesError{3, 1})
	if want := "triage: 3 episodes failed through no fault of the agent; allowed are 1 (--max-errors)\n"; b.String() != want {
		t.Errorf("it complains %q, want %q", b.String(), want)
	}
}

func TestListAndChoiceValues(t *testing.T) {
	t.Parallel()
	var values []string
	l := &list{values: &values, allowed: []string{"a", "b", "c"}}
	for _, text := range []string{"", " ", ",", "a,d"} {
		if err := l.Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if err := errors.Join(l.Set(" b , a"), l.Set("b,c")); err != nil || !slices.Equal(values, []string{"a", "b", "c"}) && !slices.Equal(values, []string{"b", "a", "c"}) {
		t.Errorf("values %v: %v", values, err)
	}
	if l.String() != strings.Join(values, ",") || l.Type() != "list" || (&list{}).String() != "" || (&choice{}).String() != "" {
		t.Errorf("it renders as %s", l)
	}
	v := "x"
	c := &choice{value: &v, allowed: []string{"x", "y"}}
	if err := c.Set("z"); err == nil || v != "x" {
		t.Errorf("z is taken: %s", v)
	}
	if err := c.Set("y"); err != nil || c.String() != "y" || c.Type() != "choice" {
		t.Errorf("choice %s: %v", c, err)
	}
}
