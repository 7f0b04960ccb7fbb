package scenario_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// lint checks one good file after edits.
func lint(t *testing.T, file, slug string, bank *scenario.Bank, finds scenario.Finds, changes ...change) (mistakes, advice []string) {
	t.Helper()
	dir := fstest.MapFS{slug + ".yaml": {Data: []byte(spoil(t, base(t, file), changes...))}}
	m, a, n, err := scenario.NewLinter(bank, finds).Check(dir)
	if err != nil || n != 1 {
		t.Fatalf("%d scenarios, %v", n, err)
	}
	text := func(list scenario.Problems) (out []string) {
		for _, p := range list {
			out = append(out, p.String())
		}
		return out
	}
	return text(m), text(a)
}

func holds(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

func TestAdviceNamesWhatReadsBadly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		changes []change
		want    string
	}{
		{"weekday", []change{{`In four days, let be seen 0`, "By Thursday evening"}}, `technical/bug.yaml:14: a reader does not know how far off "Thursday" is`},
		{"month", []change{{`In four hours, by the way 0`, "Due 3 March at noon"}}, `a reader does not know today's date, so "March" tells nothing`},
		{"date", []change{{`In four days, said plainly 0`, "By 3.4. at noon"}}, `a reader does not know today's date`},
		{"too far", []change{{`In four days, said plainly 0`, "In ten days, at the audit"}}, `"In ten days" is more than seven days off`},
		{"much too far", []change{{`In four days, said plainly 0`, "It is due within two months"}}, `"within two months" is more than seven days off`},
		{"comment", []change{{`^details: .*`, "details:\n  - A first one.\n  - A detail of order #7 is here.\n  - Then a third.\n  - The fourth of all.\n  - And number five."}}, `YAML ends the text "A detail of order" at "#7 is here`},
		{"small letter", []change{{`A detail of the lantern 1\.`, "a detail of it."}}, `"a detail of it." begins with a small letter`},
		{"no end", []change{{`A detail of the lantern 1\.`, "A detail without an end"}}, `"A detail without an end" does not end as a sentence does`},
		{"alike", []change{{`A detail of the lantern 1\.`, "A detail, of the lantern 0!"}}, `"A detail, of the lantern 0!" is too like text 1 of details: say it as somebody else would`},
		{"twice", []change{
			{`A detail of the lantern 1`, "My aunt has bought three of them then"},
			{`Thanks for the lantern 1`, "So my aunt has bought three of those"},
		}, `the words "my aunt has bought three of" stand twice in this file`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, before := lint(t, "bug.yaml", "technical/bug", nil, nil); holds(before, c.want) {
				t.Fatalf("the good file is remarked on as well: %q", c.want)
			}
			mistakes, advice := lint(t, "bug.yaml", "technical/bug", nil, nil, c.changes...)
			if len(mistakes) > 0 || !holds(advice, c.want) {
				t.Errorf("mistakes %q, advice %q, want %q", mistakes, advice, c.want)
			}
		})
	}
}

func TestARunThatStandsInAnotherScenarioIsRemarkedOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the whole bank")
	}
	const words = "My aunt has bought {x} of them and more of those"
	edit := change{`A detail of the lantern 1`, words}
	in := func(file, split string, e change) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(spoil(t, base(t, file), e, change{`^split: test`, "split: " + split}))}
	}
	short := change{`A detail of the lantern 1`, "Then my aunt has bought {x} of them"}
	for _, c := range []struct {
		name   string
		other  *fstest.MapFile
		remark bool
	}{{"other split, six words", in("spam.yaml", "train", short), true}, {"same split, six words", in("spam.yaml", "test", short), false}, {"same split, nine words", in("spam.yaml", "test", edit), true}} {
		dir := fstest.MapFS{"technical/one.yaml": in("bug.yaml", "test", edit), "spam/two.yaml": c.other}
		_, advice, _, err := scenario.NewLinter(nil, nil).Check(dir)
		if err != nil {
			t.Fatal(err)
		}
		text := advice.Error()
		for _, want := range []string{`one.yaml:16: the words "my aunt has bought {} of`, `two.yaml:7: the words "my aunt has bought {} of`} {
			if strings.Contains(text, want) != c.remark {
				t.Errorf("%s: advice has %q: %t", c.name, want, !c.remark)
			}
		}
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	s := bank.Scenarios[slices.IndexFunc(bank.Scenarios, func(s *scenario.Scenario) bool {
		return s.Split == triage.Train && len(strings.Fields(s.Details[0])) > 8
	})]
	if _, got := lint(t, "bug.yaml", "technical/bug", bank, nil, change{`A detail of the lantern 1\.`, s.Details[0]}); !holds(got, "stand in "+s.Slug+" (split") {
		t.Errorf("a sentence of %s is not remarked on: %q", s.Slug, got)
	}
	if _, got := lint(t, "bug.yaml", s.Slug, bank, nil, change{`A detail of the lantern 1\.`, s.Details[0]}); holds(got, "stand in "+s.Slug+" (split") {
		t.Errorf("%s is remarked on for its own words", s.Slug)
	}
}

func TestAPlainPhrasingThatNoRuleReadsIsRemarkedOn(t *testing.T) {
	t.Parallel()
	finds := func(fact, value, text string) bool {
		return fact != "severity" || value != "blocked" || !strings.HasPrefix(text, "It is blocked for one, said plainly 1")
	}
	_, advice := lint(t, "bug.yaml", "technical/bug", nil, finds)
	if want := `technical/bug.yaml:12: no rule reads severity blocked from the plain phrasing "It is blocked for one, said plainly 1."`; !holds(advice, want) {
		t.Errorf("advice %q, want %q", advice, want)
	}
	asked := map[string]bool{}
	lint(t, "bug.yaml", "technical/bug", nil, func(fact, value, _ string) bool {
		asked[fact+" "+value] = true
		return true
	})
	for _, want := range []string{"severity cosmetic", "severity degraded", "severity blocked", "severity data_at_risk", "impact one", "impact team",
		"workaround no", "deadline days", "deadline hours", "effort self_service", "effort investigation"} {
		if !asked[want] {
			t.Errorf("%s is not asked for", want)
		}
	}
}

func TestMistakesAreFoundInEveryFile(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"technical/bug.yaml":    {Data: []byte(spoil(t, base(t, "bug.yaml"), change{`^split: test`, "split: dev"}))},
		"sales/x.yaml":          {Data: []byte(base(t, "bug.yaml"))},
		"feature/x.yml":         {Data: []byte("title: x")},
		"voices/x.yaml":         {Data: []byte("name: [x]\n")},
		"feature/empty.yaml":    {},
		"feature/notes.txt":     {Data: []byte("ignored")},
		"feature/duplicate.yml": {Data: []byte("x")},
	}
	mistakes, _, n, err := scenario.NewLinter(nil, nil).Check(dir)
	if err != nil || n != 3 {
		t.Fatalf("%d scenarios, %v", n, err)
	}
	for _, want := range []string{`technical/bug.yaml:2: split "dev"`, `sales/x.yaml: folder "sales" is no route`, "feature/x.yml: files of a bank end in .yaml",
		"voices/x.yaml:1:", "feature/empty.yaml: the file is empty"} {
		if !holds([]string{mistakes.Error()}, want) {
			t.Errorf("mistakes lack %q:\n%v", want, mistakes)
		}
	}
}

// TestThePublicBankPassesItsOwnCheck allows what only reads badly: runs within a split, plain phrasings that no rule reads.
func TestThePublicBankPassesItsOwnCheck(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the whole bank is looked at by one goroutine, for a long time under the race detector")
	}
	mistakes, advice, n, err := scenario.NewLinter(nil, nil).Check(os.DirFS("bank"))
	if err != nil || len(mistakes) > 0 {
		t.Fatalf("%v\n%v", err, mistakes)
	}
	if n < 205 {
		t.Errorf("the bank has %d scenarios, want 205 and more", n)
	}
	splits := map[string]string{}
	bank, err := scenario.LoadDir(os.DirFS("bank"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range bank.Scenarios {
		splits[s.Slug+".yaml"] = string(s.Split)
	}
	for _, p := range advice {
		other := map[string]string{"train": "test", "test": "train"}[splits[p.File]]
		if strings.Contains(p.Message, "a reader does not know") || strings.Contains(p.Message, "stand twice") || strings.Contains(p.Message, "(split "+other+")") {
			t.Error(p)
		}
	}
}
