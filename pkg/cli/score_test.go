package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScoreGradesARunAgainToTheSameBytes(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "form: {exact: 2, fenced: 1, truncated: 1}\nquirks: [refuse_temperature]\nfaults:\n  - {calls: 6, reply: 400}\n", "desk-hard", "queue-easy")
	for name, more := range map[string][]string{
		"model":     {"--agent", "heuristic", "--tasks", "queue-easy", "desk-hard", "--workers", "1"},
		"trials":    {"--tasks", "desk-hard", "--trials", "2", "--workers", "1"},
		"perturbed": {"--tasks", "desk-hard", "--perturb", "typos", "field-order", "--workers", "1"},
		"shard":     {"--tasks", "queue-easy", "--shard", "2/3"},
		"only":      {"--only", "queue-easy:42:1", "--only", "desk-hard:43"},
	} {
		args := r.args("run", append(more, "--no-meta", "--max-errors", "9", "--out", r.file(t, name, ""))...)
		if name != "only" {
			args = append(args, "--episodes", "3")
		}
		r.play(t, ExitOK, args...)
		calls := r.server.Calls()
		out, errs := r.play(t, ExitOK, "score", r.file(t, name, ""), "--max-errors", "9", "--no-floor", "--no-meta", "--out", r.file(t, "again-"+name, ""))
		if !strings.Contains(out, "; 0 decisions are graded otherwise than in the run.") || r.server.Calls() != calls || errs != "" {
			t.Errorf("%s: it prints %s and says %s", name, out, errs)
		}
		files, err := os.ReadDir(filepath.Join(r.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name() == "calls.jsonl" || f.Name() == "journal.jsonl" {
				continue
			}
			if d := cmp.Diff(readFile(t, r.dir, name, f.Name()), readFile(t, r.dir, "again-"+name, f.Name())); d != "" {
				t.Errorf("%s: %s (-run +again):\n%s", name, f.Name(), d)
			}
		}
	}
}

func TestScoreListsWhatIsGradedOtherwise(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--seed", "40", "--episodes", "20", "--workers", "1", "--no-meta", "--out", r.file(t, "run", ""))...)
	log := r.file(t, "run/episodes.jsonl", "")
	lines := strings.SplitAfter(readFile(t, log), "\n")
	changed := 0
	for i, line := range lines { // some replies are others now
		begin, end, ok := strings.Cut(line, `"text":"{\"category\":\"`)
		right, end, _ := strings.Cut(end, `\"`)
		if !ok || !strings.Contains(line, `"score":1,`) || changed == 11 {
			continue
		}
		wrong := "Bug"
		if right == wrong {
			wrong = "Question"
		}
		lines[i] = begin + `"text":"{\"category\":\"` + wrong + `\"` + end
		changed++
	}
	r.file(t, "run/episodes.jsonl", strings.Join(lines, ""))
	out, _ := r.play(t, ExitOK, "score", r.file(t, "run", ""), "--no-floor")
	if changed != 11 || strings.Count(out, "Graded otherwise: llamacpp:fake/desk-easy/") != shownChanges || !strings.Contains(out, " step 0: 0, was 1\n… and 1 more.\nGraded again: 20 episodes; 11 decisions") {
		t.Errorf("%d are changed; it prints %s", changed, out)
	}
	var got struct{ Changed []string }
	out, _ = r.play(t, ExitOK, "score", r.file(t, "run", ""), "--format", "json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Changed) != changed {
		t.Errorf("%v: %v", err, got)
	}
	if !strings.Contains(out, `"floor": 0`) && !strings.Contains(out, `"floor": 1`) {
		t.Errorf("no floors: %s", out)
	}
	if !strings.Contains(out, `"made": null`) {
		t.Errorf("calls of another process are counted: %s", out)
	}
}

func TestScoreListsStepsThatThereAreNoMore(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, `answers: {fixed: '{"category":"Bug"}'}`)
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-medium", "--episodes", "1", "--reask", "0", "--no-meta", "--out", r.file(t, "run", ""))...)
	log := readFile(t, r.dir, "run", "episodes.jsonl")
	if n := strings.Count(log, `"text":"{\"category\":\"Bug\"}"`); n != 3 {
		t.Fatalf("%d steps: %s", n, log)
	}
	r.file(t, "run/episodes.jsonl", strings.Replace(log, `"text":"{\"category\":\"Bug\"}"`, `"text":"{\"category\":\"Bug\",\"priority\":\"Low\",\"urgency_days\":7}"`, 1))
	out, _ := r.play(t, ExitOK, "score", r.file(t, "run", ""), "--no-floor")
	if !strings.Contains(out, "step 0: ") || !strings.Contains(out, "was not graded") || !strings.Contains(out, "step 2: not there, was ") {
		t.Errorf("it prints %s", out)
	}
	// and says where there are too few
	r.play(t, ExitOK, r.args("run", "--agent", "heuristic", "--tasks", "desk-easy", "--episodes", "1", "--reask", "0", "--no-meta", "--out", r.file(t, "short", ""))...)
	log = readFile(t, r.dir, "short", "episodes.jsonl")
	r.file(t, "short/episodes.jsonl", strings.Replace(log, `"text":"{\"category\":\"Bug\"}"`, `"text":"it is a bug"`, 1))
	out, _ = r.play(t, ExitOK, "score", r.file(t, "short", ""), "--no-floor")
	if !strings.Contains(out, "In 1 of them more would be asked for now than the run has answers; what is missing counts as no answer.") {
		t.Errorf("it prints %s", out)
	}
}

func TestScoreRefusesWhatItCannotGrade(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "", "desk-easy")
	r.play(t, ExitOK, r.args("run", "--tasks", "desk-easy", "--episodes", "1", "--no-meta", "--out", r.file(t, "run", ""))...)
	settings, log := readFile(t, r.dir, "run", "run.json"), readFile(t, r.dir, "run", "episodes.jsonl")
	copyOf := func(name, settings, log string) string {
		if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if settings != "" {
			r.file(t, name+"/run.json", settings)
		}
		if log != "" {
			r.file(t, name+"/episodes.jsonl", log)
		}
		return filepath.Join(r.dir, name)
	}
	change := func(was, is string) string {
		if !strings.Contains(settings, was) {
			t.Fatalf("no %s in %s", was, settings)
		}
		return strings.Replace(settings, was, is, 1)
	}
	whole := r.file(t, "run", "")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no folder":         {nil, "score: takes one run folder; see `triage score --help`"},
		"two folders":       {[]string{whole, whole}, "score: takes one run folder"},
		"not there":         {[]string{filepath.Join(r.dir, "none")}, "open run DIR/none"},
		"no run":            {[]string{copyOf("empty", "", "")}, "DIR/empty is no run folder: it has no run.json"},
		"no episodes":       {[]string{copyOf("bare", settings, "")}, "open DIR/bare/episodes.jsonl"},
		"a broken line":     {[]string{copyOf("torn", settings, log+"{\n")}, "DIR/torn/episodes.jsonl:2"},
		"a broken step":     {[]string{copyOf("step", settings, strings.Replace(log, `"observation":{`, `"observation":7,"x":{`, 1))}, "DIR/step/episodes.jsonl:1"},
		"an unknown task":   {[]string{copyOf("task", settings, strings.ReplaceAll(log, "desk-easy", "desk-odd"))}, "DIR/task/episodes.jsonl:1"},
		"twice the same":    {[]string{copyOf("twice", settings, log+log)}, "is asked for twice"},
		"another generator": {[]string{copyOf("generator", change(`"generator": "2-`, `"generator": "1-`), log)}, "DIR/generator was played with generator 1-"},
		"another secret":    {[]string{copyOf("secret", change(`"secret": ""`, `"secret": "12345678"`), log)}, "DIR/secret was played with another secret: its tickets need their --secret-file"},
		"a secret too many": {[]string{whole, "--secret-file", r.file(t, "secret.txt", strings.Repeat("s3cr3t", 10))}, "DIR/run was played with another secret"},
		"a short secret":    {[]string{whole, "--secret-file", r.file(t, "short.txt", "s")}, "read secret"},
		"no seed":           {[]string{copyOf("seed", change(`"seed": "42"`, `"seed": "x"`), log)}, `DIR/seed/run.json: seed "x" is not a number`},
		"a bad shard":       {[]string{copyOf("shard", change(`"shard": "1/1"`, `"shard": "x"`), log)}, `DIR/shard/run.json: --shard "x" is not i/n`},
		"a run is there":    {[]string{whole, "--out", whole}, "DIR/run holds a run already"},
		"out is a file":     {[]string{whole, "--out", r.file(t, "file", "x")}, "DIR/file"},
		"learned":           {[]string{copyOf("learned", settings, log)}, "DIR/learned/learned.json: not a file"},
	} {
		if name == "learned" {
			r.file(t, "learned/learned.json", "[")
		}
		_, errs := r.play(t, ExitUsage, append([]string{"score", "--no-floor"}, tt.args...)...)
		if !strings.Contains(errs, tt.want) {
			t.Errorf("%s: it says %s, want %s", name, errs, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{Code: ExitInterrupted})
	if code := newTestApp().run(ctx, "score", whole); code != ExitInterrupted {
		t.Errorf("interrupted, it exits with %d", code)
	}
}
