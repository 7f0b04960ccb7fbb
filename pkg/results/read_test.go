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
		task("null"):                        "task queue-easy is null",
		task(`{"n": -1}`):                   "task queue-easy: n, errors and refused cannot be negative",
		task(`{"seeds": [{"score": 1.5}]}`): "seed 0: score 1.5 is not from 0 to 1",
		task(`{"seeds": [{"seed": 7}]}`):    "seed 7: score NaN is not from 0 to 1",
		task(`{"n": "many"}`):               "cannot unmarshal string",
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

type goneReader struct{}

func (goneReader) Read([]byte) (int, error) { return 0, errors.New("disk gone") }
