package scenario_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/scenario"
)

// adviceOn checks files and gives what is advised, a line each.
func adviceOn(t *testing.T, bank *scenario.Bank, files map[string]string) []string {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	mistakes, advice, _, err := scenario.NewLinter(bank, nil).Check(dir)
	if err != nil || len(mistakes) > 0 {
		t.Fatalf("%v\n%v", err, mistakes)
	}
	return strings.Split(advice.Error(), "\n")
}

func TestACopyIsNamedOnceAndNotTextByText(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the whole bank")
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("bank/billing/guests-billed-as-seats.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), "title: Guests, who are free,", "title: Visitors, who are free,", 1)
	got := adviceOn(t, bank, map[string]string{"billing/visitors-billed.yaml": changed})
	want := "billing/visitors-billed.yaml:1: 122 of 122 texts share six words in a row and more with billing/guests-billed-as-seats of the public bank: " +
		"this reads as a copy, so whoever learned the one knows the other; write it anew"
	if !holds(got, want) || holds(got, "stand in billing/guests-billed-as-seats") {
		t.Errorf("advice %q, want %q", got, want)
	}
	if got := adviceOn(t, bank, map[string]string{"billing/guests-billed-as-seats.yaml": changed}); holds(got, "reads as a copy") {
		t.Errorf("a file under work is a copy of itself: %q", got)
	}
	two := map[string]string{"technical/one.yaml": base(t, "bug.yaml"), "technical/two.yaml": strings.Replace(base(t, "bug.yaml"), "title: A", "title: Another", 1)}
	if got := adviceOn(t, nil, two); !holds(got, "technical/two.yaml:1: ") || !holds(got, "with technical/one: this reads as a copy") {
		t.Errorf("advice on two of a folder: %q", got)
	}
}

func TestNamesThatTwoScenariosShareAreRemarkedOn(t *testing.T) {
	t.Parallel()
	got := adviceOn(t, nil, map[string]string{"technical/one.yaml": base(t, "bug.yaml"), "feature/one.yaml": base(t, "wish.yaml"), "spam/Two mails.yaml": base(t, "spam.yaml")})
	for _, want := range []string{
		"technical/one.yaml:1: feature/one has the same name: tables are read wrongly so; give one of the two another",
		"technical/one.yaml:1: spam/Two mails has the same title: if it is the same situation, make one file of both",
		`spam/Two mails.yaml:1: the file's name "Two mails.yaml" goes into tables and commands: use small letters, digits and hyphens, such as late-invoice.yaml`,
	} {
		if !holds(got, want) {
			t.Errorf("advice lacks %q:\n%s", want, strings.Join(got, "\n"))
		}
	}
}

func TestHalvesOfUnlikeSizeAreRemarkedOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		train, test int
		want        string
	}{
		{3, 0, ""}, {2, 2, ""}, {3, 2, ""}, {3, 1, "of 4 technical scenarios 3 are in train and 1 in test: change the split of 1 from train to test"},
		{0, 5, "of 5 technical scenarios 0 are in train and 5 in test: change the split of 3 from test to train"},
		{7, 0, "of 7 Bug scenarios 7 are in train and 0 in test: change the split of 4 from train to test"},
	} {
		files := map[string]string{}
		for i := range c.train + c.test {
			text := base(t, "bug.yaml")
			if i < c.train {
				text = strings.Replace(text, "split: test", "split: train", 1)
			}
			files[fmt.Sprintf("technical/s%d.yaml", i)] = text
		}
		got := adviceOn(t, nil, files)
		if c.want == "" && holds(got, "change the split") || c.want != "" && !holds(got, c.want) {
			t.Errorf("%d and %d: want %q in %q", c.train, c.test, c.want, got)
		}
	}
}

// TestTextsThatContradictTheirPlaceAreRemarkedOn puts a sentence into each kind of place.
func TestTextsThatContradictTheirPlaceAreRemarkedOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, to, want string }{
		{"another severity", `It is degraded for team, said plainly 0`, "We are completely stuck", `"completely stuck" tells severity blocked, and situation 2 has severity degraded: change the text or the situation`},
		{"its own severity", `It is blocked for one, said plainly 0`, "I am completely stuck", ""},
		{"data at risk", `It is degraded for team, let be seen 0`, "Our data was lost", `"data was lost" tells severity data_at_risk, and situation 2 has severity degraded`},
		{"a trifle that stops nobody", `It is blocked for one, by the way 0`, "It is only cosmetic", `"only cosmetic" tells severity cosmetic, and situation 3 has severity blocked`},
		{"another way", `It is blocked for one, said plainly 1`, "There is a workaround", `"There is a workaround" tells workaround true, and situation 3 has workaround false`},
		{"no other way", `It is blocked for one, said plainly 1`, "There is no workaround", ""},
		{"no other way where nothing is blocked", `It is cosmetic for one, said plainly 1`, "There is no workaround", `"is no workaround" tells of a workaround, and situation 1 is not blocked: write it without, or make the severity blocked`},
		{"others are hit", `It is blocked for one, said plainly 1`, "Our whole company waits", `"Our whole company" tells impact company, and situation 3 has impact one`},
		{"who else sees a trifle", `It is cosmetic for one, said plainly 1`, "The whole team saw it", ""},
		{"a deadline in a situation", `It is blocked for one, said plainly 1`, "It is due within two hours", `"within two hours" is a deadline, which goes with any situation or none: move it to deadline.hours`},
		{"a deadline of the other kind", `In four days, said plainly 0`, "We need it by tomorrow noon", `"by tomorrow noon" is a deadline of hours, and stands under deadline.days`},
		{"its own deadline", `In four hours, said plainly 0`, "We need it by tomorrow noon", ""},
		{"severity in a statement", `A statement about lantern and \{x\}, told otherwise 0`, "Our lantern {x} is lost and nobody can work", `"nobody can work" tells severity blocked, which is a situation's to say: every statement goes with every situation and deadline, so leave it out here`},
		{"impact in a detail", `A detail of the lantern 0`, "Only I am here", `tells impact one, which is a situation's to say: every detail goes`},
		{"a deadline in an ask", `An ask about lantern and \{x\}, told otherwise 0`, "Mend the lantern {x} by tonight", `"by tonight" tells deadline hours, which is said under deadline: every ask goes`},
		{"a workaround in an effort", `A log, said plainly 0`, "There is no workaround", `"is no workaround" tells workaround false, which is a situation's to say: every effort goes`},
		{"in a mention, which is of another mail", `Not about the lantern 0`, "Nobody can work at {company}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, advice := lint(t, "bug.yaml", "technical/bug", nil, nil, change{c.from, c.to})
			if c.want == "" && (holds(advice, "tells") || holds(advice, "is a deadline")) || c.want != "" && !holds(advice, c.want) {
				t.Errorf("advice %q, want %q", advice, c.want)
			}
		})
	}
	if _, advice := lint(t, "spam.yaml", "spam/x", nil, nil, change{`A detail of the lantern 0`, "Answer within two hours"}); holds(advice, "deadline") {
		t.Errorf("spam has no facts, and its pressure is remarked on: %q", advice)
	}
}

func TestThePublicBankContradictsItselfNowhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the whole bank is looked at by one goroutine, for a long time under the race detector")
	}
	_, advice, _, err := scenario.NewLinter(nil, nil).Check(os.DirFS("bank"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range advice {
		for _, part := range []string{" tells ", "is a deadline", "reads as a copy", "the same name", "the same title", "the file's name", "change the split"} {
			if strings.Contains(p.Message, part) {
				t.Error(p)
			}
		}
	}
}

func TestABankWithoutNoiseIsAMistakeOfTheCheckToo(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{"technical/a.yaml": {Data: []byte(base(t, "bug.yaml"))}, "voices/one.yaml": {Data: []byte(base(t, "voice.yaml"))}}
	mistakes, _, _, err := scenario.NewLinter(nil, nil).Check(dir)
	_, load := scenario.LoadDir(dir)
	if err != nil || load == nil || cmp.Diff(load.Error(), mistakes.Error()) != "" {
		t.Errorf("the check says %v, loading says %v", mistakes, load)
	}
	delete(dir, "technical/a.yaml")
	if mistakes, _, _, err := scenario.NewLinter(nil, nil).Check(dir); err != nil || len(mistakes) > 0 {
		t.Errorf("a voice that is checked alone: %v, %v", mistakes, err)
	}
}
