package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm/fakellm"
	"github.com/triagebench/triage/pkg/testkit"
)

// fakePrices price the model fake, and no other.
const fakePrices = `as_of: 2026-11-29
providers:
  any:
    source: https://example.com/prices
    models:
      fake: {in: 1.5, cached_in: 0.15, out: 6}
`

// mixed is a model that is read at several stages, refuses a setting and is wrong now and then.
const mixed = "form: {exact: 3, fenced: 1, prose: 1, truncated: 1, upper_case: 1}\nnoise: {category: 0.3}\nquirks: [refuse_temperature]\nseed: 4\n"

// runFile is what tests read of a results file.
type runFile struct {
	Agent struct {
		Name     string
		Settings map[string]string
	}
	Meta *struct {
		Workers    int
		Calls      map[string]callsOfTask
		CallsInAll *callsOfTask `json:"calls_in_all"`
	}
	Tasks map[string]struct {
		N, Errors, Refused int
		Score              struct{ Mean *float64 }
		Model              *struct {
			Decisions, Calls, Reasked int
			Stages, Causes            map[string]int
			CostNano                  *int64                  `json:"cost_nano_usd"`
			TokensIn                  *int64                  `json:"tokens_in"`
			Strict                    struct{ Mean *float64 } `json:"strict_score"`
		}
		Reliability *struct {
			Trials, Errors int
		}
	}
}

type callsOfTask struct {
	Made, Kept, Failed, Retries int
	SpentNano                   *int64 `json:"spent_nano_usd"`
	P50                         *int   `json:"latency_ms_p50"`
	P95                         *int   `json:"latency_ms_p95"`
}

func readResults(t *testing.T, parts ...string) runFile {
	t.Helper()
	var f runFile
	if err := json.Unmarshal([]byte(readFile(t, parts...)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRepliesAndCostsOfModelsArePrintedAndKept(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, mixed, "desk-easy", "queue-easy")
	args := func(more ...string) []string {
		return r.args("run", append([]string{"--model", "llamacpp:fake", "--model", "llamacpp:other", "--tasks", "desk-easy", "queue-easy", "--episodes", "3", "--workers", "1",
			"--prices", r.file(t, "prices.yaml", fakePrices)}, more...)...)
	}
	out, errs := r.play(t, ExitOK, args("--out", r.file(t, "run", ""))...)
	testkit.Golden(t, filepath.Join("testdata", "models.txt"), after(t, out, "Replies: how they were read"))
	if errs != "" {
		t.Errorf("it says %q", errs)
	}
	// the same for machines
	out, _ = r.play(t, ExitOK, args("--format", "json")...)
	var printed struct {
		Costs   []map[string]any
		Replies []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatal(err)
	}
	if row := printed.Costs[5]; row["agent"] != "llamacpp:other" || row["task"] != "all" || row["cost_usd"] != nil || row["made"].(float64) < 27 {
		t.Errorf("the last row of costs is %v", row)
	}
	// lessons B20 and E94: what is unknown is null, what is known are integers
	priced, other := readResults(t, r.dir, "run", "results-llamacpp_fake.json"), readResults(t, r.dir, "run", "results-llamacpp_other.json")
	for task, decisions := range map[string]int{"desk-easy": 3, "queue-easy": 24} {
		m, c := priced.Tasks[task].Model, priced.Meta.Calls[task]
		if m.Decisions != decisions || m.CostNano == nil || *m.CostNano == 0 || *m.TokensIn == 0 || m.Calls != c.Made || c.SpentNano == nil || *c.SpentNano != *m.CostNano || c.P50 == nil || c.P95 == nil {
			t.Errorf("%s: model %+v, calls %+v", task, m, c)
		}
		if m := other.Tasks[task].Model; m.CostNano != nil || other.Meta.Calls[task].SpentNano != nil || m.TokensIn == nil {
			t.Errorf("%s: without a price: %+v, calls %+v", task, m, other.Meta.Calls[task])
		}
	}
	if c := priced.Meta.CallsInAll; c.Made != priced.Meta.Calls["desk-easy"].Made+priced.Meta.Calls["queue-easy"].Made || c.Retries != 1 || priced.Meta.Workers != 1 {
		t.Errorf("meta %+v", priced.Meta)
	}
	want := map[string]string{"base_url": r.base, "few_shot": "0", "handbook": "true", "learned": "temperature was not applied: the endpoint refuses it", "model": "fake", "prompt": "default",
		"prompt_hash": priced.Agent.Settings["prompt_hash"], "provider": "llamacpp", "reask": "1", "response_format": "auto", "temperature": "0"}
	if d := cmp.Diff(want, priced.Agent.Settings); d != "" || len(want["prompt_hash"]) != 16 {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	if n := strings.Count(readFile(t, r.dir, "run", "calls.jsonl"), "\n"); n != priced.Meta.CallsInAll.Made+other.Meta.CallsInAll.Made {
		t.Errorf("%d calls are noted", n)
	}
}

func TestEverySettingOfARequestStandsInTheResults(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	a := newTestApp()
	a.env["TEAM"], a.env["MY_KEY"] = "sk-team-0123456789", "sk-mine-0123456789"
	r.playIn(t, a, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "1", "--seed-request", "7", "--max-output-tokens", "300", "--reasoning-effort", "low", "--extra-body", `{"top_k":1, "min_p":0.1}`,
		"--header", "X-Team: ${TEAM}", "--api-key-env", "MY_KEY", "--temperature", "0.70", "--response-format", "json_object", "--no-handbook", "--reask", "0", "--no-meta", "--out", r.file(t, "run", ""))...)
	f := readResults(t, r.dir, "run", "results-llamacpp_fake.json")
	want := map[string]string{"base_url": r.base, "extra_body": `{"min_p":0.1,"top_k":1}`, "few_shot": "0", "handbook": "false", "headers": "X-Team", "headers_digest": "8b2e665655d094cf", "max_output_tokens": "300", "model": "fake",
		"prompt": "default", "prompt_hash": f.Agent.Settings["prompt_hash"], "provider": "llamacpp", "reask": "0", "reasoning_effort": "low", "response_format": "json_object", "seed_request": "7", "temperature": "0.7"}
	if d := cmp.Diff(want, f.Agent.Settings); d != "" || f.Meta != nil {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	// lesson D68: no secret is in any file
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(readFile(t, path), "0123456789") {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil || strings.Contains(a.out.String()+a.errs.String(), "0123456789") {
		t.Errorf("%v; it prints %s", err, a.out.String())
	}
	// resumed with another number for the same temperature it is the same run; with another temperature it is not (lessons D59, D60)
	again := func(temperature string) []string {
		return r.args("run", "--tasks", "desk-easy", "--episodes", "1", "--temperature", temperature, "--out", r.file(t, "two", ""), "--resume")
	}
	r.play(t, ExitOK, again("0")...)
	r.play(t, ExitOK, again("0.0")...)
	if _, errs := r.play(t, ExitUsage, again("0.5")...); !strings.Contains(errs, `agent llamacpp:fake: temperature was "0", is "0.5"`) {
		t.Errorf("it says %s", errs)
	}
}

func TestEachPromptIsARowOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	short := r.file(t, "short.tmpl", `{{define "user"}}Sort this ticket: {{.Ticket}} {{.Schema}}{{end}}`)
	args := func(prompts ...string) []string {
		list := []string{"--tasks", "desk-easy", "--episodes", "2"}
		for _, p := range prompts {
			list = append(list, "--prompt", p)
		}
		return r.args("run", list...)
	}
	out, _ := r.play(t, ExitOK, append(args(short, "default"), "--out", r.file(t, "run", ""))...)
	for _, want := range []string{"│ llamacpp:fake@short   │ desk-easy │", "│ llamacpp:fake@default │ desk-easy │"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	one, two := readResults(t, r.dir, "run", "results-llamacpp_fake_short.json"), readResults(t, r.dir, "run", "results-llamacpp_fake_default.json")
	if one.Agent.Settings["prompt"] != "short" || one.Agent.Settings["prompt_hash"] == two.Agent.Settings["prompt_hash"] {
		t.Errorf("settings %v and %v", one.Agent.Settings, two.Agent.Settings)
	}
	sub := filepath.Join(r.dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	twin := filepath.Join(sub, "short.txt")
	if err := os.WriteFile(twin, []byte(readFile(t, short)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		prompts []string
		want    string
	}{
		"two files of one name": {[]string{short, twin}, "--prompt DIR/short.tmpl and --prompt DIR/sub/short.txt would both make the row NAME@short: give the files other names"},
		"the same twice":        {[]string{"default", "default"}, "would both make the row NAME@default"},
		"a name like that of a perturbation": {[]string{r.file(t, "p+typos.tmpl", readFile(t, short))},
			"agent llamacpp:fake@p+typos: names that end in +typos are those of perturbed agents"},
		"no template": {[]string{r.file(t, "bad.tmpl", `{{define "user"}}no ticket{{end}}`)}, "bad.tmpl"},
		"no file":     {[]string{filepath.Join(r.dir, "none.tmpl")}, "read prompt DIR/none.tmpl"},
	} {
		if _, errs := r.play(t, ExitUsage, args(tt.prompts...)...); !strings.Contains(errs, tt.want) {
			t.Errorf("%s: it says %s", name, errs)
		}
	}
}

func TestSolvedTicketsOfTrainStandInThePromptAndItsHash(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	hash := func(out string, more ...string) string {
		r.play(t, ExitOK, r.args("run", append([]string{"--tasks", "desk-easy", "--episodes", "1", "--out", r.file(t, out, "")}, more...)...)...)
		return readResults(t, r.dir, out, "results-llamacpp_fake.json").Agent.Settings["prompt_hash"]
	}
	zero, two, again, secret := hash("zero"), hash("two", "--few-shot", "2"), hash("again", "--few-shot", "2"), hash("three", "--few-shot", "3")
	if zero == two || two != again || two == secret {
		t.Errorf("hashes %s, %s, %s, %s", zero, two, again, secret)
	}
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(r.server.Seen()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	roles := ""
	for _, m := range body.Messages {
		roles += m.Role + " "
	}
	if roles != "system user assistant user assistant user " || !strings.HasPrefix(body.Messages[2].Content, `{"category":`) {
		t.Errorf("messages %s: %v", roles, body.Messages[2])
	}
	if _, errs := r.play(t, ExitUsage, r.args("run", "--few-shot", "2", "--tickets", r.file(t, "t.csv", "body,queue\nhello,a\n"))...); !strings.Contains(errs, "--few-shot does not go with --tickets") {
		t.Errorf("it says %s", errs)
	}
	if _, errs := r.play(t, ExitUsage, r.args("run", "--few-shot", "51")...); !strings.Contains(errs, "--few-shot 51 is not allowed; allowed is 0 to 50") {
		t.Errorf("it says %s", errs)
	}
}

// TestARunOfAModelGoesOnInTheMiddleOfAQueue interrupts runs after each of their calls (lessons D58, D62, D64).
func TestARunOfAModelGoesOnInTheMiddleOfAQueue(t *testing.T) {
	t.Parallel()
	for _, cache := range []bool{false, true} {
		for _, cut := range []int64{1, 3, 8, 11} {
			r := newModelRig(t, "form: {exact: 1, fenced: 1}\nquirks: [refuse_seed]\n", "queue-easy")
			whole := newModelRig(t, "form: {exact: 1, fenced: 1}\nquirks: [refuse_seed]\n", "queue-easy")
			args := func(rig *modelRig, more ...string) []string {
				list := []string{"--tasks", "queue-easy", "--episodes", "2", "--workers", "1", "--seed-request", "3", "--no-meta", "--out", rig.file(t, "run", "")}
				if cache {
					list = append(list, "--cache-dir", rig.file(t, "cache", ""))
				}
				return rig.args("run", append(list, more...)...)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			r.replied = func(s fakellm.Seen) {
				if s.Call == cut {
					cancel(Interrupted{Code: ExitInterrupted})
				}
			}
			a := newTestApp()
			if code := a.run(ctx, args(r)...); code != ExitInterrupted || !strings.Contains(a.out.String(), "go on with the same command and --resume.") {
				t.Fatalf("cut after %d: it exits with %d: %s%s", cut, code, a.out.String(), a.errs.String())
			}
			r.play(t, ExitOK, args(r, "--resume")...)
			whole.play(t, ExitOK, args(whole)...)
			for _, name := range []string{"episodes.jsonl", "results-llamacpp_fake.json", "learned.json"} {
				if d := cmp.Diff(whole.portless(readFile(t, whole.dir, "run", name)), r.portless(readFile(t, r.dir, "run", name))); d != "" {
					t.Errorf("cut after %d: %s (-whole +resumed):\n%s", cut, name, d)
				}
			}
			if most := whole.server.Calls() + 2; r.server.Calls() > most { // what was in flight, and what was found out with it
				t.Errorf("cut after %d: %d calls, the whole run took %d", cut, r.server.Calls(), whole.server.Calls())
			}
		}
	}
}
