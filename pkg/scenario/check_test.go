package scenario_test

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// base reads a good scenario to spoil; its own sentences do not matter.
func base(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// change is an edit of a file: the first match of a regular expression, line by line, is replaced.
type change struct{ from, to string }

func spoil(t *testing.T, text string, changes ...change) string {
	t.Helper()
	for _, c := range changes {
		re := regexp.MustCompile("(?m)" + c.from)
		at := re.FindStringIndex(text)
		if at == nil {
			t.Fatalf("%q is not in the file", c.from)
		}
		text = text[:at[0]] + re.ReplaceAllString(text[at[0]:at[1]], c.to) + text[at[1]:]
	}
	return text
}

// TestMistakesOfAScenarioAreNamedWithTheirLine spoils good files as spoiledScenarios say.
func TestMistakesOfAScenarioAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()
	for _, c := range spoiledScenarios() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := spoil(t, base(t, c.file+".yaml"), c.changes...)
			name := routeOf(c.file) + "/a.yaml"
			_, err := scenario.ReadScenario(name, []byte(text))
			var problems scenario.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("the error is %v", err)
			}
			for _, p := range problems {
				if !strings.Contains(p.Message, c.want) {
					continue
				}
				lines := strings.Split(text, "\n")
				if c.at != "" && (p.Line < 1 || p.Line > len(lines) || !strings.Contains(lines[p.Line-1], c.at)) {
					t.Errorf("%s names line %d, want the one with %q", p, p.Line, c.at)
				}
				if !strings.HasPrefix(p.String(), name+":") {
					t.Errorf("%s does not begin with the file", p)
				}
				return
			}
			t.Errorf("no problem says %q; they are:\n%v", c.want, err)
		})
	}
}

// TestAMistypedKeyHidesNoOtherMistake: what stands under it is checked as if it had been typed well.
func TestAMistypedKeyHidesNoOtherMistake(t *testing.T) {
	t.Parallel()
	text := spoil(t, base(t, "bug.yaml"), change{`^details: .*`, `detailz: ["one {x}."]`}, change{`^split: test`, "split: tset"}, change{`^quoted:`, "colour: red\nquoted:"},
		change{`^settled: .*`, "settled:\n  - Thanks: it works.\n  - And {nobody}."})
	_, err := scenario.ReadScenario("technical/a.yaml", []byte(text))
	want := []string{
		`technical/a.yaml:2: split "tset" is not one of train, test; did you mean test?`,
		`technical/a.yaml:16: there is no key "detailz" here; did you mean details?`,
		`technical/a.yaml:16: details has 1 text, needs at least 5: add 4 more`,
		`technical/a.yaml:19: there is no key "colour" here: look at its spelling and its indent; known here are ask, deadline, desk, details, effort, entities, mentions, params, quoted, resolved, secondary, settled, situations, split, statement, subjects, tiers, title, tones`,
		`technical/a.yaml:22: expected is a text, here is a key with a value: a text that holds ": " stands in quotes`,
		`technical/a.yaml:23: placeholder {nobody} is neither in params nor one of {first}, {last}, {company}, {colleague}, {ref}, {plan}`,
	}
	if d := cmp.Diff(want, strings.Split(err.Error(), "\n")); d != "" {
		t.Error(d)
	}
}

func TestGoodScenariosHaveNoMistakes(t *testing.T) {
	t.Parallel()
	for file, name := range map[string]string{"bug": "technical/a.yaml", "wish": "feature/a.yaml", "question": "billing/a.yaml", "feedback": "feedback/a.yaml", "spam": "spam/a.yaml"} {
		s, err := scenario.ReadScenario(name, []byte(base(t, file+".yaml")))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if s.Slug != strings.TrimSuffix(name, ".yaml") || s.Split != triage.Test {
			t.Errorf("%s is read as %s in split %s", name, s.Slug, s.Split)
		}
	}
	if _, err := scenario.ReadScenario("sales/a.yaml", []byte(base(t, "bug.yaml"))); err == nil || !strings.Contains(err.Error(), `sales/a.yaml: folder "sales" is no route`) {
		t.Errorf("a scenario of no route gives %v", err)
	}
}

func TestLinesAreThoseOfBlocksToo(t *testing.T) {
	t.Parallel()
	text := spoil(t, base(t, "bug.yaml"), change{`^quoted: .*`, "quoted:\n\n  # a comment\n  - \"only one {x}.\"\nresolved_is_next: 1"})
	text = spoil(t, text, change{`resolved_is_next: 1\n`, ""}, change{`^settled: .*`, "settled:\n  - \"a {x}.\"\n  - \"\""})
	_, err := scenario.ReadScenario("technical/a.yaml", []byte(text))
	lines := strings.Split(text, "\n")
	for _, want := range []struct{ at, message string }{{"quoted:", "quoted has 1 text, needs at least 2"}, {`  - ""`, "settled has an empty text"}} {
		for i, l := range lines {
			if l == want.at && !strings.Contains(err.Error(), "technical/a.yaml:"+strconv.Itoa(i+1)+": "+want.message) {
				t.Errorf("no %q at line %d in:\n%v", want.message, i+1, err)
			}
		}
	}
}

func TestFramesAreCheckedToo(t *testing.T) {
	t.Parallel()
	voice := base(t, "voice.yaml")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"good", nil, ""},
		{"no noise", map[string]string{"voices/noise.yaml": "-"}, "voices/noise.yaml: it is missing"},
		{"no names", map[string]string{"voices/names.yaml": "-"}, "voices/names.yaml: it is missing"},
		{"no voice", map[string]string{"voices/one.yaml": "-"}, "voices: it has no voice: add one"},
		{"empty half of noise", map[string]string{"voices/noise.yaml": strings.Replace(base(t, "noise.yaml"), "furious: {train: [a]", "furious: {train: []", 1)},
			"voices/noise.yaml:1: furious.train has no text"},
		{"blank noise", map[string]string{"voices/noise.yaml": strings.Replace(base(t, "noise.yaml"), "annoyed: {train: [a]", `annoyed: {train: [a, ""]`, 1)},
			"voices/noise.yaml:2: annoyed.train has an empty text"},
		{"unknown noise", map[string]string{"voices/noise.yaml": base(t, "noise.yaml") + "angry: {train: [a], test: [b]}\n"}, `there is no key "angry" here`},
		{"placeholder in noise", map[string]string{"voices/noise.yaml": strings.Replace(base(t, "noise.yaml"), "furious: {train: [a]", `furious: {train: ["{firm}"]`, 1)},
			"voices/noise.yaml:1: placeholder {firm} is not one of {first}"},
		{"no first names", map[string]string{"voices/names.yaml": "first: {train: [A], test: []}\nlast: {train: [A], test: [B]}\ncompanies: {train: [A], test: [B]}\n"},
			"voices/names.yaml:1: first.test has no text"},
		{"nameless voice", map[string]string{"voices/one.yaml": strings.Replace(voice, "name: one", "name: ''", 1)}, "voices/one.yaml:1: name is missing"},
		{"chance over 1", map[string]string{"voices/one.yaml": strings.Replace(voice, "typos: 0.1", "typos: 2", 1)}, "voices/one.yaml:2: style.typos is 2: want a chance from 0 to 1"},
		{"wrong paragraphs", map[string]string{"voices/one.yaml": strings.Replace(voice, "paragraphs: one", "paragraphs: few", 1)}, `style.paragraphs "few" is not one of one, some, many`},
		{"stray brace", map[string]string{"voices/one.yaml": strings.Replace(voice, "Hello", `"Hello }"`, 1)}, "a brace that is no placeholder"},
		{"no signature", map[string]string{"voices/one.yaml": strings.Replace(voice, "signatures: [S]", "signatures: ['']", 1)}, "signatures has no text"},
		{"a scenario beside", map[string]string{"technical/a.yaml": "title: x\n"}, "technical/a.yaml:1: params has 0 rows"},
		{"a file ending in yml", map[string]string{"technical/b.yml": "title: x\n"}, "technical/b.yml: files of a bank end in .yaml: rename it"},
		{"a file at the top", map[string]string{"b.yaml": "title: x\n"}, `b.yaml: folder "." is no route`},
		{"a file that is no scenario", map[string]string{"technical/README.md": "x"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			files := map[string]string{"technical/a.yaml": base(t, "bug.yaml"), "voices/one.yaml": voice, "voices/noise.yaml": base(t, "noise.yaml"),
				"voices/names.yaml": "first: {train: [A], test: [B]}\nlast: {train: [A], test: [B]}\ncompanies: {train: [A], test: [B]}\n"}
			for name, text := range c.files {
				files[name] = text
			}
			for name, text := range files {
				if text != "-" {
					dir[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			b, err := scenario.LoadDir(dir)
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
				if len(b.Scenarios) != 1 || len(b.Voices) != 1 || len(b.Hash) != 12 {
					t.Errorf("the bank has %d scenarios, %d voices, hash %q", len(b.Scenarios), len(b.Voices), b.Hash)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestBankWithoutVoicesTakesThePublicOnes(t *testing.T) {
	t.Parallel()
	b, err := scenario.LoadDir(fstest.MapFS{"technical/a.yaml": {Data: []byte(base(t, "bug.yaml"))}})
	if err != nil {
		t.Fatal(err)
	}
	public, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Voices) != len(public.Voices) || b.Hash == public.Hash || len(b.Noise.Furious.Train) == 0 || len(b.Names.First.Test) == 0 {
		t.Errorf("it has %d voices and hash %s", len(b.Voices), b.Hash)
	}
	if _, err := scenario.LoadDir(fstest.MapFS{"voices/one.yaml": {Data: []byte(base(t, "voice.yaml"))}}); err == nil {
		t.Error("a bank without scenarios is taken")
	}
	if _, err := scenario.LoadDir(fstest.MapFS{"README.md": {}}); err == nil || !strings.Contains(err.Error(), "no scenario found") {
		t.Errorf("an empty bank gives %v", err)
	}
	if _, err := scenario.LoadDir(os.DirFS("testdata/nosuch")); err == nil {
		t.Error("a folder that does not exist is read")
	}
}

func TestHashTellsBanksApart(t *testing.T) {
	t.Parallel()
	hash := func(text string) string {
		b, err := scenario.LoadDir(fstest.MapFS{"technical/a.yaml": {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return b.Hash
	}
	text := base(t, "bug.yaml")
	if hash(text) != hash("# a comment\n"+text) {
		t.Error("a comment changes the hash")
	}
	if hash(text) == hash(spoil(t, text, change{`A detail of`, "The detail of"})) {
		t.Error("another sentence leaves the hash")
	}
}
