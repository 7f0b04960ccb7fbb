package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

func TestAModelThatCannotBeCalledStopsTheRunAndIsNamed(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "models: [fake]\n", "desk-easy")
	out, errs := r.play(t, ExitUnavailable, r.args("run", "--model", "llamacpp:fake", "--model", "llamacpp:gone", "--tasks", "desk-easy", "--episodes", "3", "--workers", "1", "--out", r.file(t, "run", ""))...)
	if !strings.Contains(errs, "calling gone at http://host/v1: model, status 404") || !strings.Contains(out, "Stopped: 3 of 6 episodes were finished.\nThey are kept in DIR/run; go on with the same command and --resume.") {
		t.Errorf("it says %s and prints %s", errs, out)
	}
	if strings.Contains(out, "llamacpp:gone │") {
		t.Errorf("a row of what was not played is printed: %s", out)
	}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"one of two has no key":   {[]string{"--model", "llamacpp:a", "--model", "openai:gpt-5", "--cache", "off"}, `model "openai:gpt-5": no key`},
		"one of two has no price": {[]string{"--model", "llamacpp:a", "--cache", "off", "--max-cost", "1"}, "model llamacpp:a: no known price, so no cost limit can be kept"},
		"the same twice":          {[]string{"--model", "llamacpp:a", "--model", "llamacpp:a", "--cache", "off"}, "--model llamacpp:a is given twice"},
		"llm twice":               {[]string{"--agent", "llm", "--model", "llamacpp:a", "--cache", "off"}, "--model llamacpp:a is given twice"},
		"no cache folder":         {[]string{"--model", "llamacpp:a"}, "there is no folder for the cache (none here): give --cache-dir DIR, or --cache off"},
		"the cache is a file":     {[]string{"--model", "llamacpp:a", "--cache-dir", r.file(t, "file", "x")}, filepath.Join(r.dir, "file")},
		"no cassette":             {[]string{"--model", "llamacpp:a", "--replay", filepath.Join(r.dir, "none")}, "open cassette " + filepath.Join(r.dir, "none")},
		"an empty cassette":       {[]string{"--model", "llamacpp:a", "--replay", filepath.Dir(r.dir)}, "there is no cassette"},
		"a broken cassette":       {[]string{"--model", "llamacpp:a", "--cache", "off", "--record", filepath.Dir(r.file(t, "cassette.jsonl", "{"))}, "cassette.jsonl:1"},
		"no prices":               {[]string{"--model", "llamacpp:a", "--cache", "off", "--prices", filepath.Join(r.dir, "none")}, "read prices"},
		"broken prices":           {[]string{"--model", "llamacpp:a", "--cache", "off", "--prices", r.file(t, "p.yaml", strings.ReplaceAll(fakePrices, "1.5", "cheap"))}, "p.yaml: line 6: price \"cheap\" is not allowed"},
		"no learned file":         {[]string{"--model", "llamacpp:a", "--cache", "off", "--learned", filepath.Join(r.dir, "none")}, "read " + filepath.Join(r.dir, "none")},
		"no certificate":          {[]string{"--model", "llamacpp:a", "--cache", "off", "--ca-cert", filepath.Join(r.dir, "none")}, "read " + filepath.Join(r.dir, "none")},
		"a header of nothing":     {[]string{"--model", "llamacpp:a", "--cache", "off", "--header", "X: ${NONE}"}, "header X: the variable NONE is not set"},
	} {
		a := newTestApp()
		if code := a.run(t.Context(), append([]string{"run", "--agent", "llm"}, tt.args...)...); code != ExitUsage || !strings.Contains(a.errs.String(), tt.want) || a.out.Len() > 0 {
			t.Errorf("%s: it exits with %d, prints %q and says %q, want %q", name, code, a.out.String(), a.errs.String(), tt.want)
		}
	}
}

func TestAWrongKeyIsOneCallAndNoMore(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "key: right\n", "desk-easy")
	out, errs := r.play(t, ExitUnavailable, r.args("run", "--tasks", "desk-easy", "--concurrency", "16", "--perturb", "typos", "--out", r.file(t, "run", ""))...)
	if !strings.Contains(errs, "status 401") || !strings.Contains(errs, "triage: what to do: ") || strings.Contains(out, "1.000") || strings.Contains(out, "yes") {
		t.Errorf("it says %s and prints %s", errs, out)
	}
	calls := readFile(t, r.dir, "run", "calls.jsonl")
	if n := r.server.Calls(); n > 2 || strings.Count(calls, `"status":401`) > n {
		t.Errorf("%d calls: %s", n, calls)
	}
}

func TestARunCostsNoMoreThanItMayAlsoWhereItGoesOn(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	args := func(most string, more ...string) []string {
		return r.args("run", append([]string{"--tasks", "desk-easy", "--episodes", "5", "--workers", "1", "--max-output-tokens", "50", "--max-cost", most, "--prices", r.file(t, "prices.yaml", fakePrices),
			"--no-meta", "--out", r.file(t, "run", "")}, more...)...)
	}
	out, errs := r.play(t, ExitUnavailable, args("0.015")...)
	first := r.server.Calls()
	if !strings.Contains(errs, "calling fake at http://host/v1: cost: the call may cost up to 0.0") || !strings.Contains(errs, "of 0.015000 are spent") ||
		!strings.Contains(errs, "triage: what to do: allow more with --max-cost") || first < 1 || first > 4 {
		t.Fatalf("%d calls; it says %s", first, errs)
	}
	if !strings.Contains(out, "of 5 episodes were finished.") {
		t.Errorf("it prints %s", out)
	}
	if _, errs := r.play(t, ExitUnavailable, args("0.015", "--resume")...); r.server.Calls() != first || !strings.Contains(errs, "of 0.015000 are spent") || strings.Contains(errs, " 0.000000 of") {
		t.Errorf("resumed, there were %d calls after %d; it says %s", r.server.Calls(), first, errs)
	}
	r.play(t, ExitOK, args("1", "--resume")...)
	if f := readResults(t, r.dir, "run", "results-llamacpp_fake.json"); f.Tasks["desk-easy"].N != 5 || *f.Tasks["desk-easy"].Model.CostNano > 30_000_000 || r.server.Calls() != 5 {
		t.Errorf("%d calls, results %+v", r.server.Calls(), f.Tasks)
	}
	for most, want := range map[string]string{"-1": "--max-cost -1 is not allowed", "NaN": "--max-cost NaN is not allowed", "1e-12": "--max-cost 1e-12 is not allowed; allowed is 0, or 0.000000001 to 1000000000 dollars",
		"1e12": "--max-cost 1e+12 is not allowed"} {
		if _, errs := r.play(t, ExitUsage, args(most)...); !strings.Contains(errs, want) {
			t.Errorf("--max-cost %s: it says %s", most, errs)
		}
	}
}

func TestTrialsWithErrorsAreCountedUnderBothRules(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "faults:\n  - {calls: [2, 7..8], reply: 400}\nform: {exact: 1}\nvary: repeat\nnoise: {category: 0.4}\nseed: 5\n", "desk-easy")
	out, errs := r.play(t, ExitEpisodes, r.args("run", "--tasks", "desk-easy", "--episodes", "4", "--workers", "1", "--trials", "3", "--out", r.file(t, "run", ""))...)
	if !strings.Contains(errs, "3 episodes failed through no fault of the agent; allowed are 0 (--max-errors)") || r.server.Calls() != 12 {
		t.Errorf("%d calls; it says %s", r.server.Calls(), errs)
	}
	for _, want := range []string{"n=9 of 12: 3 episodes broke", "│ llamacpp:fake │ desk-easy │       4 │      3 │      3 │ as failed ", "│ llamacpp:fake │ desk-easy │       4 │      3 │      3 │ not at all ",
		"Broke: llamacpp:fake/desk-easy/43: act: ask the model: calling fake at http://host/v1: refused, status 400"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	f := readResults(t, r.dir, "run", "results-llamacpp_fake.json")
	if k := f.Tasks["desk-easy"]; k.N != 9 || k.Errors != 3 || k.Reliability == nil || k.Reliability.Trials != 3 || k.Reliability.Errors != 3 || f.Meta.Calls["desk-easy"].Failed != 3 {
		t.Errorf("results %+v, meta %+v", k, f.Meta)
	}
	// more than are named
	broken := newModelRig(t, "faults:\n  - {after: 0, reply: 400}\n")
	out, _ = broken.play(t, ExitEpisodes, broken.args("run", "--tasks", "desk-easy", "--episodes", "5", "--max-consecutive-errors", "9")...)
	if !strings.Contains(out, "… and 2 more; --out DIR would have kept them all.") || strings.Contains(out, "1.000") {
		t.Errorf("it prints %s", out)
	}
	broken.play(t, ExitOK, broken.args("run", "--tasks", "desk-easy", "--episodes", "5", "--max-consecutive-errors", "9", "--max-errors", "5")...)
}

func TestAReplyThatCannotBeKeptIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	cache := filepath.Join(r.dir, "cache")
	r.replied = func(s fakellm.Seen) {
		if s.Call == 1 { // the cache is opened by now
			if err := errors.Join(os.RemoveAll(cache), os.WriteFile(cache, nil, 0o600)); err != nil {
				t.Error(err)
			}
		}
	}
	_, errs := r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "5", "--workers", "1", "--cache-dir", cache)...)
	if want := "triage: warning: a reply could not be kept, so that it may have to be paid for again: "; strings.Count(errs, want) != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("it says %q", errs)
	}
}

func TestNoMoreRequestsAreInFlightThanMayBe(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "latency: 3ms\n", "queue-easy")
	r.play(t, ExitOK, r.args("run", "--model", "llamacpp:a", "--model", "llamacpp:b", "--tasks", "queue-easy", "--episodes", "5", "--workers", "16", "--concurrency", "3")...)
	if n := r.server.MostInFlight(); n > 3 || n < 2 || r.server.Calls() != 80 {
		t.Errorf("%d of %d requests were in flight at once", n, r.server.Calls())
	}
}
