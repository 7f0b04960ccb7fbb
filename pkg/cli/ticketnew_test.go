package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

func TestRouteAndSlugOfANewScenarioComeFromWhereTheyAreSaid(t *testing.T) {
	t.Parallel()
	file := filepath.Join("bank", "billing", "late-invoice.yaml")
	for _, c := range []struct {
		name        string
		args        []string
		route, slug string
		want        string // of the error
	}{
		{"flags", []string{"--route", "spam", "--slug", "x"}, "spam", "x", ""},
		{"a slug with its route", []string{"--slug", "feature/x-2"}, "feature", "x-2", ""},
		{"the file", []string{"-o", file}, "billing", "late-invoice", ""},
		{"all of them", []string{"--route", "billing", "--slug", "late-invoice", "-o", file}, "billing", "late-invoice", ""},
		{"no slug", []string{"--route", "spam"}, "spam", "my-scenario", ""},
		{"no route", []string{"--slug", "x"}, "", "", "--route is missing"},
		{"another route", []string{"--route", "spam", "-o", file}, "", "", "do not agree: leave --route out"},
		{"another slug", []string{"--slug", "x", "-o", file}, "", "", "do not agree: leave --slug out"},
		{"a line break in a slug", []string{"--route", "spam", "--slug", "x\ny"}, "", "", `slug "x\ny" is not allowed`},
		{"a folder above in a slug", []string{"--slug", "spam/../x"}, "", "", `slug "../x" is not allowed`},
		{"a file with capitals", []string{"-o", filepath.Join("bank", "spam", "X.yaml")}, "", "", `slug "X" is not allowed`},
		{"another ending", []string{"-o", "bank/spam/x.yml"}, "", "", "files of a bank end in .yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got newScenarioOptions
			cmd := newTicketsNewScenarioCmd(newTestApp().App, func(_ context.Context, o *newScenarioOptions) error {
				got = *o
				return nil
			})
			cmd.SetArgs(c.args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			switch {
			case c.want == "" && (err != nil || got.Route != c.route || got.Slug != c.slug):
				t.Errorf("route %q, slug %q, %v", got.Route, got.Slug, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || triage.CodeOf(err) != triage.CodeUsage):
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestANewScenarioIsWrittenOnceAndNeverOver(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bank", "spam", "x.yaml")
	a := newTestApp()
	a.mustRun(t, "tickets", "new-scenario", "-o", file)
	if got := readFile(t, file); got != string(scenario.Skeleton(triage.Spam, "x")) {
		t.Errorf("the file has %s", got)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := a.run(t.Context(), "tickets", "new-scenario", "-o", file); code != ExitUsage || readFile(t, file) != "mine" {
		t.Errorf("exit code %d, the file has %s", code, readFile(t, file))
	}
}

func TestWhatCannotBePrintedOrWrittenEndsWithTwo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"tickets", "new-scenario", "--route", "spam"}, {"tickets", "schema"},
		{"tickets", "new-scenario", "-o", filepath.Join(plain, "spam", "x.yaml")}, {"tickets", "schema", "-o", filepath.Join(plain, "x.json")},
		{"tickets", "schema", "-o", plain}, {"tickets", "schema", "-o", dir},
	} {
		a := newTestApp()
		a.Out = failing{}
		if code := a.run(t.Context(), args...); code != ExitUsage {
			t.Errorf("%q exits with %d: %s", args, code, a.errs.String())
		}
	}
}

func TestTheSchemaIsWrittenOverAnEarlierOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"$id": "`+scenario.SchemaID+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newTestApp()
	a.mustRun(t, "tickets", "schema", "-o", file)
	if got := readFile(t, file); !bytes.Equal([]byte(got), scenario.JSONSchema()) {
		t.Error("the earlier schema still stands there")
	}
}
