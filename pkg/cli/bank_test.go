package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

func TestABankWhoseOwnScenariosAreInTheOtherSplitSaysSo(t *testing.T) {
	t.Parallel()
	public, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	const none = ", 0 of them in split test, so no ticket comes from them; --split train plays them"
	for name, c := range map[string]struct {
		fresh, changed []triage.Split // of which are new, and changed
		split          triage.Split
		want           string // after "triage: bank DIR: "
	}{
		"nothing new":                         {nil, nil, "test", ""},
		"new in train, test is played":        {[]triage.Split{"train"}, nil, "test", "1 scenario that the public bank has not" + none},
		"new in train, train is played":       {[]triage.Split{"train"}, nil, "train", ""},
		"new in test, train is played":        {[]triage.Split{"test"}, nil, "train", "1 scenario that the public bank has not, 0 of them in split train, so no ticket comes from them; --split test plays them"},
		"new in test, test is played":         {[]triage.Split{"test"}, nil, "test", ""},
		"changed in train":                    {nil, []triage.Split{"train", "train"}, "test", "2 scenarios that the public bank has with other words" + none},
		"new and changed in train":            {[]triage.Split{"train", "train"}, []triage.Split{"train"}, "test", "2 scenarios that the public bank has not and 1 scenario that the public bank has with other words" + none},
		"new in both":                         {[]triage.Split{"train", "test"}, nil, "test", ""},
		"new in train, changed in test":       {[]triage.Split{"train"}, []triage.Split{"test"}, "test", ""},
		"no scenario of the public bank left": {nil, nil, "none", ""},
	} {
		bank := &scenario.Bank{}
		if c.split != "none" {
			bank.Scenarios = slices.Clone(public.Scenarios)
		}
		for i, split := range c.changed {
			of := slices.IndexFunc(bank.Scenarios, func(s *scenario.Scenario) bool { return s.Split == split })
			other := *bank.Scenarios[of+i]
			other.Title, other.Split = "Mine", split
			bank.Scenarios[of+i] = &other
		}
		for i, split := range c.fresh {
			other := *public.Scenarios[i]
			other.Slug, other.Split = fmt.Sprintf("billing/mine-%d", i), split
			bank.Scenarios = append(bank.Scenarios, &other)
		}
		a := newTestApp()
		if err := (&session{bank: bank}).tellBank(a.App, "my-bank", c.split); err != nil {
			t.Fatal(err)
		}
		want := ""
		if c.want != "" {
			want = "triage: bank my-bank: " + c.want + "\n"
		}
		if got := a.errs.String(); got != want {
			t.Errorf("%s: told is %q\nwant %q", name, got, want)
		}
	}
}

func TestCommandsThatPlayABankTellOfItOnStandardErrorAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my-bank")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "scenario", "bank"))); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(readFile(t, dir, "feature", "archive-projects.yaml"), "split: test", "split: train", 1) // whichever it was
	if err := os.WriteFile(filepath.Join(dir, "feature", "zz-mine.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "--agent", "constant", "--tasks", "desk-easy", "--episodes", "1", "--no-floor"},
		{"tickets", "show", "desk-easy", "1"},
		{"tickets", "generate", "--task", "desk-easy", "-n", "1"},
	} {
		a := newTestApp()
		out := a.mustRun(t, append(args, "--bank", dir)...)
		if strings.Contains(out, "the public bank has not") || strings.Count(a.errs.String(), "1 scenario that the public bank has not") != 1 {
			t.Errorf("%s: stdout %s\nstderr %s", args[0], out, a.errs.String())
		}
		a = newTestApp()
		if a.mustRun(t, append(args, "--bank", dir, "--split", "train")...); a.errs.Len() > 0 {
			t.Errorf("%s --split train tells %s", args[0], a.errs.String())
		}
	}
}

func TestABankWithManyMistakesNamesTenAndSaysWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the whole bank")
	}
	for _, n := range []int{1, 10, 11, 125} {
		dir := t.TempDir()
		for i := range n {
			route := []string{"billing", "feature"}[i%2]
			if err := os.MkdirAll(filepath.Join(dir, route), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, route, fmt.Sprintf("s%03d.yaml", i)), []byte("title: ["), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		named, more := min(n, mostMistakes), ""
		if n > mostMistakes {
			more = fmt.Sprintf("triage: … and %d more: triage tickets check %s lists them\n", n-mostMistakes, dir)
		}
		for _, args := range [][]string{
			{"run", "--agent", "constant"}, {"baseline", "--agent", "constant", "--output", filepath.Join(t.TempDir(), "x.json")}, {"serve", "--port", "0"}, {"tickets", "show", "desk-easy", "1"},
		} {
			a := newTestApp()
			code, errs := a.run(t.Context(), append(args, "--bank", dir)...), ""
			if errs = a.errs.String(); code != ExitUsage || strings.Count(errs, ".yaml:") != named || !strings.HasSuffix(errs, more) || strings.Contains(errs, "more:") != (more != "") {
				t.Errorf("%s with %d mistakes: exit code %d: %s", args[0], n, code, errs)
			}
		}
		a := newTestApp()
		if code := a.run(t.Context(), "tickets", "check", dir); code != ExitCheck || strings.Count(a.out.String(), "mistake: ") != n {
			t.Errorf("tickets check with %d mistakes: exit code %d: %s", n, code, a.out.String())
		}
	}
}
