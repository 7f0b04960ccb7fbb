package fakellm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAScriptIsReadAsItStands(t *testing.T) {
	t.Parallel()
	s, err := ParseScript([]byte(`# all keys
key: test-key
models: [a, b]
seed: 7
max_in_flight: 4
latency: 100ms..300ms
answers:
  - '{"x":1}'
  - '{"x":2}'
fallback: "no"
noise: {x: 0.25}
values: {x: [1, 2, 3]}
form: {exact: 3, fenced: 1}
usage: floats
bom: true
vary: repeat
vary_by_in_flight: true
fingerprint: fp_1
quirks: [refuse_system]
by_model:
  b: {form: think, noise: {}}
faults:
  - {calls: [1..3, 7, 9..], every: 2, after: 1, share: 0.5, model: a, on: all, reply: 500, status: 502, code: 429, headers: {x-a: b}, body: "x",
     retry_after: 2, retry_after_date: 3s, wait: 1s, hang_for: 2s, location: /there}
`), "s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	base := behaviour{answers: []string{`{"x":1}`, `{"x":2}`}, fallback: "no", hasFallback: true, noise: []rate{{"x", 0.25}}, values: map[string][]string{"x": {"1", "2", "3"}},
		forms: []weight{{"exact", 0.75}, {"fenced", 0.25}}, usage: "floats", bom: true, repeat: true, varyInFlight: true, fingerprint: "fp_1",
		latency: span{100 * time.Millisecond, 300 * time.Millisecond}, quirks: []string{"refuse_system"}, quirkHas: map[string]bool{"refuse_system": true}}
	other := base
	other.forms, other.noise = []weight{{"think", 1}}, nil
	body := "x"
	want := &Script{behaviour: base, key: "test-key", models: []string{"a", "b"}, byModel: map[string]*behaviour{"b": &other}, seed: 7, maxInFlight: 4,
		faults: []*fault{{calls: [][2]int64{{1, 3}, {7, 7}, {9, 1<<63 - 1}}, every: 2, after: 1, share: 0.5, hasShare: true, model: "a", on: "all", reply: "500", status: 502,
			code: 429, headers: map[string][]string{"X-A": {"b"}}, body: &body, retry: "2", retryDate: 3 * time.Second, wait: time.Second, hangFor: 2 * time.Second, location: "/there"}}}
	if d := cmp.Diff(want, s, cmp.AllowUnexported(Script{}, behaviour{}, rate{}, weight{}, span{}, fault{})); d != "" {
		t.Error(d)
	}
}

func TestAnEmptyScriptIsTheStandard(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"nothing": "", "comments": "# nothing\n\n# more\n", "null": "~\n", "document mark": "---\n"} {
		s, err := ParseScript([]byte(text), "s.yaml")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(&Script{behaviour: standard()}, s, cmp.AllowUnexported(Script{}, behaviour{}, rate{}, weight{}, span{}, fault{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestMistakesInAScriptAreNamedWithTheirLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"unknown key":         {"key: a\nansers: right\n", `s.yaml:2: unknown key "ansers" of a script: the keys are key, models,`},
		"key twice":           {"key: a\nkey: b\n", `s.yaml:2: key "key" of a script is there twice`},
		"no mapping":          {"- a\n", "s.yaml:1: a script is a mapping of keys to values, not a list"},
		"no yaml":             {"key: [a\n", "s.yaml:"},
		"two documents":       {"key: a\n---\nkey: b\n", "s.yaml:2: a second document begins here"},
		"unknown form":        {"\nform: fance\n", `s.yaml:2: unknown form "fance": allowed are array, budget,`},
		"unknown form in mix": {"form:\n  exact: 1\n  fance: 1\n", `s.yaml:3: unknown form "fance"`},
		"weights of nothing":  {"form: {exact: 0}\n", "s.yaml:1: the weights of the forms are all 0"},
		"unknown quirk":       {"quirks:\n  - refuse_system\n  - refuse_all\n", `s.yaml:3: unknown quirk "refuse_all": allowed are enforce_response_format,`},
		"quirks no list":      {"quirks: refuse_system\n", `s.yaml:1: quirks is a list, not "refuse_system"`},
		"unknown reply":       {"faults:\n- reply: 418\n", `s.yaml:2: unknown reply "418": allowed are 200_error,`},
		"no reply":            {"faults:\n- calls: 1\n", "s.yaml:2: a fault needs a reply or a status"},
		"range backwards":     {"faults:\n- {calls: 3..1, reply: 500}\n", `s.yaml:2: calls are numbers from 1, or ranges of them, such as 3, 1..20 or 5.., not "3..1"`},
		"call nought":         {"faults:\n- {calls: 0, reply: 500}\n", "calls are numbers from 1"},
		"share":               {"faults:\n- {share: 2, reply: 500}\n", `s.yaml:2: share is a number from 0 to 1, not "2"`},
		"every":               {"faults:\n- {every: 0, reply: 500}\n", `s.yaml:2: every is an integer of 1 and more, not "0"`},
		"status":              {"faults:\n- {status: 700}\n", "s.yaml:2: status is from 200 to 599, not 700"},
		"retry after":         {"faults:\n- {reply: 429, retry_after: soon}\n", `s.yaml:2: retry_after is a number of seconds, not "soon"`},
		"noise":               {"noise: {x: much}\n", `s.yaml:1: noise of x is a number from 0 to 1, not "much"`},
		"noise not a number":  {"noise: {x: .nan}\n", "noise of x is a number from 0 to 1"},
		"latency":             {"latency: 3\n", `s.yaml:1: latency is a duration such as 200ms or 3s, not "3"`},
		"latency backwards":   {"latency: 3s..1s\n", "s.yaml:1: latency is a duration or two such as 100ms..300ms"},
		"usage":               {"usage: some\n", `s.yaml:1: unknown usage "some": allowed are right, null, zeros, missing, floats`},
		"answers":             {"answers: wrong\n", `s.yaml:1: unknown answers "wrong": allowed are right`},
		"no answers":          {"answers: []\n", "s.yaml:1: the list of answers is empty"},
		"answers key":         {"answers: {fix: a}\n", `s.yaml:1: unknown key "fix" of answers: the keys are fixed`},
		"values":              {"values: {x: [1]}\n", "s.yaml:1: values of x are a list of two and more"},
		"bom":                 {"bom: maybe\n", `s.yaml:1: bom is true or false, not "maybe"`},
		"model":               {"by_model:\n  a:\n    key: b\n", `s.yaml:3: unknown key "key" of by_model: a: the keys are answers,`},
		"key is null":         {"key:\n", "s.yaml:1: key is a text"},
		"in flight":           {"max_in_flight: 0\n", "s.yaml:1: max_in_flight is an integer of 1 and more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseScript([]byte(tt.text), "s.yaml")
			if err == nil || s != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestAllMistakesAreToldTogether(t *testing.T) {
	t.Parallel()
	_, err := ParseScript([]byte("a: 1\nusage: b\nbom: c\n"), "s.yaml")
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v", err)
	}
}

func FuzzParseScript(f *testing.F) {
	for _, s := range []string{"", "key: a", "faults: [{calls: 1..3, reply: 500}]", "form: {think: 1}", "a: &a [*a]", "answers: &a\n  fixed: *a", "values: {x: [1, {a: 2}]}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScript([]byte(text), "s.yaml")
		if (s == nil) == (err == nil) {
			t.Errorf("script %v, error %v", s, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "s.yaml:") {
			t.Errorf("error %q", err)
		}
	})
}
