package scenario_test

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

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

// TestMistakesOfAScenarioAreNamedWithTheirLine spoils good files; want is the line by its text, and the message.
func TestMistakesOfAScenarioAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		changes    []change
		at, want   string // at is a text of the line that is named
	}{
		{"no title", "bug", []change{{`^title: .*\n`, ""}}, "split:", "title is missing"},
		{"no split", "bug", []change{{`^split: .*\n`, ""}}, "title:", `split "" is not one of train, test`},
		{"wrong split", "bug", []change{{`^split: test`, "split: dev"}}, "split: dev", `split "dev" is not one of train, test`},
		{"wrong desk", "bug", []change{{`^desk: Bug`, "desk: Wish"}}, "desk: Wish", `desk "Wish" is not one of Bug, FeatureRequest, Question`},
		{"wrong tier", "bug", []change{{`^desk:`, "tiers: [gold]\ndesk:"}}, "tiers: [gold]", `tier "gold" is not one of free, pro, business, enterprise`},
		{"tones elsewhere", "bug", []change{{`^desk:`, "tones: [pleased]\ndesk:"}}, "tones:", "tones is for feedback only"},
		{"wrong tone", "feedback", []change{{`^split:`, "tones: [glad]\nsplit:"}}, "tones:", `tone "glad" is not one of furious`},
		{"desk in feedback", "feedback", []change{{`^split:`, "desk: Bug\nsplit:"}}, "desk: Bug", "desk is for billing, technical and feature only"},
		{"secondary in feedback", "feedback", []change{{`^split:`, "secondary: {cosmetic: [x], degraded: [y]}\nsplit:"}}, "secondary:", "secondary is not for feedback: remove it"},
		{"situations in spam", "spam", []change{{`^split:`, "situations: [{severity: cosmetic, impact: one}]\nsplit:"}}, "situations:", "situations is not for spam: remove it"},
		{"desk in spam", "spam", []change{{`^split:`, "desk: Bug\nsplit:"}}, "desk: Bug", "desk is not for spam: remove it"},
		{"unknown key", "bug", []change{{`^desk:`, "colour: red\ndesk:"}}, "colour: red", `there is no key "colour" here: look at its spelling and its indent`},
		{"unknown key in a situation", "bug", []change{{`severity: degraded`, "severity: degraded, when: now"}}, "when: now", `there is no key "when" here`},
		{"a key twice", "bug", []change{{`^split: test`, "split: test\nsplit: train"}}, "split: train", `"split" already defined at line 2`},
		{"a text as a mapping", "bug", []change{{`^details: \[`, "details: [Note: this breaks, "}}, "details:", `expected is a text, here is a key with a value: a text that holds ": " stands in quotes`},
		{"a text for a list", "bug", []change{{`^quoted: .*`, "quoted: some text"}}, "quoted:", "expected is a list, here is a text"},
		{"a list for a text", "bug", []change{{`^title: .*`, "title: [a]"}}, "title:", "expected is a text, here is a list"},
		{"a text for phrasings", "bug", []change{{`^statement: .*`, "statement: x"}}, "statement:", "expected is keys with values, here is a text"},
		{"a text for a switch", "bug", []change{{`workaround: false`, "workaround: perhaps"}}, "perhaps", "expected is true or false, here is a text"},
		{"broken YAML", "bug", []change{{`^desk:`, "desk: [\ndesk:"}}, "", "did not find expected"},
		{"two documents", "bug", []change{{`\z`, "---\ntitle: another\n"}}, "---", "a second document begins here"},
		{"few rows", "bug", []change{{`, \{x: six\}`, ""}}, "params:", "params has 5 rows, needs at least 6"},
		{"a row with another key", "bug", []change{{`\{x: six\}`, "{y: six}"}}, "params:", `key "y" is not in the first row`},
		{"a row with more keys", "bug", []change{{`\{x: six\}`, "{x: six, y: s}"}}, "params:", "row has other keys than the first"},
		{"an empty value", "bug", []change{{`\{x: six\}`, `{x: " "}`}}, "params:", "want a text without braces"},
		{"a brace in a value", "bug", []change{{`\{x: six\}`, `{x: "{ref}"}`}}, "params:", "want a text without braces"},
		{"an unused parameter", "bug", []change{{`\{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}, \{x: (\w+)\}`,
			`{x: $1, y: a}, {x: $2, y: a}, {x: $3, y: a}, {x: $4, y: a}, {x: $5, y: a}, {x: $6, y: a}`}}, "params:", `parameter "y" is used in no text`},
		{"a parameter with a built-in name", "bug", []change{{`\{x: one\}`, "{x: one, ref: a}"}}, "params:", `parameter "ref" has the name of a built-in placeholder`},
		{"an unknown placeholder", "bug", []change{{`A detail of`, "A {nosuch} of"}}, "details:", "placeholder {nosuch} is neither in params nor one of {first}"},
		{"an open brace", "bug", []change{{`A detail of`, "A {detail of"}}, "details:", "a brace that is no placeholder"},
		{"a closing brace", "bug", []change{{`A detail of`, "A detail} of"}}, "details:", "a brace that is no placeholder"},
		{"few subjects", "bug", []change{{`"a thing 0", `, ""}}, "subjects:", "subjects.vague has 2 texts, needs at least 3: add 1 more"},
		{"few details", "bug", []change{{`^details: .*`, `details: ["one {x}."]`}}, "details:", "details has 1 texts, needs at least 5: add 4 more"},
		{"an empty text", "bug", []change{{`"a thing 0"`, `" "`}}, "subjects:", "subjects.vague has an empty text"},
		{"few entities", "bug", []change{{`, \[wheel\]\]`, "]"}}, "entities:", "entities has 3 groups, needs at least 4"},
		{"an entity that is not named", "bug", []change{{`\[wheel\]\]`, "[spoon]]"}}, "entities:", `entity "spoon" is named in no statement or ask`},
		{"few situations", "bug", []change{{`^  - \{severity: degraded.*\n`, ""}}, "situations:", "situations has 3 entries, needs at least 4"},
		{"an urgency is missing", "bug", []change{{`severity: cosmetic, impact: one`, "severity: degraded, impact: one"}}, "situations:", "no situation gives urgency low"},
		{"a severity is missing", "bug", []change{{`severity: degraded`, "severity: cosmetic"}}, "situations:", "a Bug needs a situation with severity degraded"},
		{"wrong severity", "bug", []change{{`severity: degraded`, "severity: awful"}}, "severity: awful", `severity "awful" is not one of cosmetic, degraded`},
		{"wrong impact", "bug", []change{{`impact: team`, "impact: all"}}, "impact: all", `impact "all" is not one of one, team`},
		{"no workaround", "bug", []change{{`, workaround: false`, ""}}, "severity: blocked", "workaround is said with severity blocked, and only there"},
		{"a stake in a bug", "bug", []change{{`severity: degraded`, "severity: degraded, stake: none"}}, "stake: none", "stake is for feature scenarios only"},
		{"no stake in a wish", "wish", []change{{`, stake: none`, ""}}, "severity: cosmetic", `stake "" is not one of none, daily_work, contract`},
		{"a question without a workaround", "question", []change{{`workaround: true`, "workaround: false"}}, "situations:", "a Question needs a situation with severity blocked and workaround true"},
		{"an unknown deadline", "bug", []change{{`deadline: \{days:`, "deadline: {weeks:"}}, "deadline:", `deadline "weeks" is not one of days, hours`},
		{"no deadline in hours", "bug", []change{{`^deadline: .*`, ""}}, "title:", "deadline.hours.plain has 0 texts, needs at least 2"},
		{"one effort", "bug", []change{{`^effort: \{.*investigation:`, "effort: {investigation:"}}, "effort:", "effort has 1 values, needs at least 2"},
		{"an unknown effort", "bug", []change{{`investigation:`, "guesswork:"}}, "effort:", `effort "guesswork" is not one of self_service`},
		{"few mentions", "bug", []change{{`^mentions: .*\n`, ""}}, "title:", "mentions.denied has 0 texts"},
		{"empty", "bug", []change{{`(?s).*`, ""}}, "", "the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := spoil(t, base(t, c.file+".yaml"), c.changes...)
			route := map[string]string{"bug": "technical", "wish": "feature", "question": "billing"}[c.file]
			if route == "" {
				route = c.file
			}
			name := route + "/a.yaml"
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
	for _, want := range []struct{ at, message string }{{"quoted:", "quoted has 1 texts"}, {`  - ""`, "settled has an empty text"}} {
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
