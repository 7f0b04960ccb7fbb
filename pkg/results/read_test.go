package results_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

var overall = regexp.MustCompile(`(?s)"overall": \{.*?\}`)

// committed gives the scores that are committed, by the files' names.
func committed(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "baselines", "scores", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestACommittedFileIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	for name, data := range committed(t) {
		r, err := results.ReadResults(bytes.NewReader(data), name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		// What is overall is reckoned from what the file has, which is rounded.
		if d := cmp.Diff(overall.ReplaceAllString(string(data), ""), overall.ReplaceAllString(b.String(), "")); d != "" {
			t.Errorf("%s (-file +written):\n%s", name, d)
		}
	}
}

func TestWhatIsNoResultsFileIsRefusedWithItsName(t *testing.T) {
	t.Parallel()
	task := func(text string) string {
		return `{"schema": "triage.results/1", "agent": {"name": "a"}, "tasks": {"queue-easy": ` + text + `}}`
	}
	for text, want := range map[string]string{
		"":                               "unexpected end",
		"{":                              "unexpected end",
		"[]":                             "cannot unmarshal array",
		"{}":                             `schema "" is not triage.results/1`,
		`{"schema": "triage.results/9"}`: `schema "triage.results/9" is not`,
		`{"schema": "triage.results/1"}`: "agent.name is missing",
		`{"schema": "triage.results/1", "agent": {"name": "a"}}`: "it has no tasks",
		task("null"): "task queue-easy: it is null",
	} {
		_, err := results.ReadResults(strings.NewReader(text), "some.json")
		if err == nil || triage.CodeOf(err) != triage.CodeFiles || !strings.Contains(err.Error(), "some.json") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := results.ReadResults(goneReader{}, "some.json"); err == nil || !strings.Contains(err.Error(), "read some.json: disk gone") {
		t.Error(err)
	}
}

// A file whose figures contradict each other is refused with the task, the value and what is allowed, not reckoned with.
func TestAFileThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a negative count", `{"n": -1}`, "n is -1, and must be 0 or more"},
		{"a word for a count", `{"n": "many"}`, "n is a string, which is not an integer up to 9223372036854775807"},
		{"more seeds than n", `{"n": 1, "seeds": [{"score": 1, "seed": 1}, {"score": 1, "seed": 2}]}`, "n is 1, and the seeds are 2 episodes: they must be as many"},
		{"no seeds", `{"n": 3}`, "n is 3, and the seeds are 0 episodes: they must be as many"},
		{"an episode that occurs twice", `{"n": 2, "seeds": [{"score": 1, "seed": 1}, {"score": 0, "seed": 1}]}`, "seed 1 occurs twice: an episode must occur once"},
		{"an episode that broke and has a score", `{"n": 1, "errors": 1, "seeds": [{"score": 1, "seed": 1, "position": 2, "trial": 1}], "broken": [{"seed": 1, "position": 2, "trial": 1}]}`,
			"seed 1, position 2, trial 1 occurs twice"},
		{"other errors than broken ones", `{"errors": 2, "broken": [{"seed": 1}]}`, "errors are 2, and the broken are 1 episodes: they must be as many"},
		{"a billion errors", `{"errors": 1000000000}`, "a run has at most 50000000 episodes"},
		{"a trial before the first", `{"n": 1, "seeds": [{"score": 1, "trial": -1}]}`, "seed 0, position -1, trial -1: none may be negative"},
		{"a position before the first", `{"n": 1, "seeds": [{"score": 1, "position": -2}]}`, "position -2, trial 0: none may be negative"},
		{"a seed before the first", `{"n": 1, "seeds": [{"score": 1, "seed": -3}]}`, "seed -3, position -1, trial 0: none may be negative"},
		{"a trial beyond all", `{"n": 1, "seeds": [{"score": 1, "trial": 40000}]}`, "seeds.trial is a number 40000, which is not an integer up to 32767"},
		{"a score above 1", `{"n": 1, "seeds": [{"score": 1.5}]}`, `seed 0: "score" is 1.5, and must be from 0 to 1`},
		{"no score", `{"n": 1, "seeds": [{"seed": 7}]}`, "seed 7 has no score: it must be from 0 to 1"},
		{"efficiency below 0", `{"n": 1, "seeds": [{"score": 1, "efficiency": -1}]}`, `seed 0: "efficiency" is -1, and must be from 0 to 1`},
		{"a mean above 1", `{"score": {"mean": 2}}`, `"score.mean" is 2, and must be from 0 to 1`},
		{"reward above 1", `{"reward": 7}`, `"reward" is 7, and must be from 0 to 1`},
		{"a part above 1", `{"parts": {"route": 1.1}}`, `"parts.route" is 1.1, and must be from 0 to 1`},
		{"tokens below 0", `{"model": {"tokens_in": -5}}`, `"model.tokens_in" is -5, and must be 0 or more`},
		{"tokens beyond all", `{"model": {"tokens_in": 1e30}}`, "model.tokens_in is a number 1e30, which is not an integer up to 9223372036854775807"},
		{"a stage below 0", `{"model": {"stages": {"exact": -1}}}`, `"model.stages.exact" is -1, and must be 0 or more`},
		{"answers that are no digest", `{"answers": "the same"}`, `answers are "the same", and must be 16 hex digits`},
		{"seeds that are no list", `{"seeds": 7}`, "seeds is a number, which is not a list"},
	} {
		text := `{"schema": "triage.results/1", "agent": {"name": "a"}, "tasks": {"queue-easy": ` + c.text + `}}`
		_, err := results.ReadResults(strings.NewReader(text), "some.json")
		if err == nil || triage.CodeOf(err) != triage.CodeFiles || !strings.Contains(err.Error(), "task queue-easy: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	forged := `{"schema": "triage.results/1", "agent": {"name": "a"}, "tasks": {"x\n::error title=y": {}}}`
	if _, err := results.ReadResults(strings.NewReader(forged), "some.json"); err == nil || !strings.Contains(err.Error(), "the name of a task has no control characters") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a task's name of two lines: %v", err)
	}
}

type goneReader struct{}

func (goneReader) Read([]byte) (int, error) { return 0, errors.New("disk gone") }
