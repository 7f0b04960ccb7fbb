package cli

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestTicketsGoToAnotherMachineOnlyAfterAYes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string { return written(t, dir, name, text) }
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

// sameAnswer is a network on which every address gives the same answer; it keeps what was sent.
type sameAnswer struct {
	answer string
	mu     sync.Mutex
	sent   []string
}

func (a *sameAnswer) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, string(body))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(a.answer)), Request: req}, nil
}

func TestAYesSendsTheTicketsAndANoSendsNothing(t *testing.T) {
	t.Parallel()
	file := written(t, t.TempDir(), "plain.csv", "body,queue\nhello,a\nbye,b\n")
	for name, c := range map[string]struct {
		address, answer string
		flags           []string
		sent            int
		asks            bool
	}{
		"yes on the terminal": {address: "http://192.0.2.1:9/act", answer: "Yes\n", sent: 2, asks: true},
		"no on the terminal":  {address: "http://192.0.2.1:9/act", answer: "no\n", asks: true},
		"--yes":               {address: "http://192.0.2.1:9/act", flags: []string{"--yes"}, sent: 2},
		"this machine":        {address: "http://127.0.0.1:9/act", sent: 2},
	} {
		app, network := newTestApp(), &sameAnswer{answer: `{"queue":"a"}`}
		app.In, app.InTerminal, app.HTTP = strings.NewReader(c.answer), true, &http.Client{Transport: network}
		code := app.run(t.Context(), append([]string{"run", "--progress", "off", "--agent", "http:" + c.address, "--tickets", file}, c.flags...)...)
		errs := app.errs.String()
		if len(network.sent) != c.sent || (code == ExitOK) != (c.sent > 0) || strings.Contains(errs, "Send them?") != c.asks || !strings.Contains(errs, "  to "+c.address) {
			t.Errorf("%s: exit %d, sent %q:\n%s", name, code, network.sent, errs)
		}
	}
}
