package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTicketsGoToAnotherMachineOnlyAfterAYes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain.csv", "body,queue\nhello,a\nbye,b\n")
	const far, near = "http://192.0.2.1:9/act", "http://127.0.0.1:1/act" // of which none is called
	for name, c := range map[string]struct {
		address, answer string
		terminal        bool
		flags           []string
		want            int
		says, not       string
	}{
		"no terminal":           {address: far, want: ExitUsage, says: "nothing was sent: sending tickets to another machine needs a yes", not: "Send them?"},
		"no answer":             {address: far, terminal: true, want: ExitUsage, says: "the answer was not yes"},
		"no":                    {address: far, terminal: true, answer: "n\n", want: ExitUsage, says: "The texts of 2 tickets of plain.csv will be sent; its texts are as you wrote them"},
		"where they go":         {address: far, terminal: true, answer: "yesterday\n", want: ExitUsage, says: "  to http://192.0.2.1:9/act\nSend them? [y/N] "},
		"a dry run":             {address: far, flags: []string{"--dry-run"}, want: ExitOK, not: "will be sent"},
		"yes without --tickets": {address: "", flags: []string{"--yes"}, want: ExitUsage, says: "--yes goes with --tickets FILE"},
	} {
		app := newTestApp()
		app.In, app.InTerminal = strings.NewReader(c.answer), c.terminal
		args := append([]string{"run", "--progress", "off"}, c.flags...)
		if c.address != "" {
			args = append(args, "--agent", "http:"+c.address, "--tickets", plain)
		}
		code := app.run(t.Context(), args...)
		errs := app.errs.String()
		if code != c.want || !strings.Contains(errs, c.says) || c.not != "" && strings.Contains(errs, c.not) {
			t.Errorf("%s: exit %d, want %d:\n%s", name, code, c.want, errs)
		}
	}
	for agent, d := range map[string]destination{
		"http://127.0.0.1:1/act": {address: near, near: true}, "a model": {address: "http://localhost/v1", model: "m\x1b[2J", near: true}} {
		if got := d.String(); !strings.HasSuffix(got, ", on this machine") || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", agent, got)
		}
	}
}
