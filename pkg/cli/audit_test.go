package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

// auditApp is the outside world of an audit: buffers, and the one file secret.txt.
func auditApp() (app *App, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &App{Out: out, Err: errs, Environ: func() []string { return nil }, Now: func() time.Time { return time.Unix(0, 0) },
		LookupEnv: func(string) (string, bool) { return "", false },
		ReadFile: func(name string) ([]byte, error) {
			if name == "secret.txt" {
				return []byte(strings.Repeat("s", synth.MinSecret)), nil
			}
			return nil, os.ErrNotExist
		}}, out, errs
}

func TestAuditFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want auditOptions
		err  string
	}{
		{args: "", want: auditOptions{Seed: 42, Format: "table", Progress: "auto", bankOptions: bankOptions{Split: "test"}}},
		{args: "--tasks=desk-hard,queue-easy --episodes 7 --seed 1 --split train --bank b --secret-file s --workers 3 --format csv --progress off",
			want: auditOptions{Tasks: []string{"desk-hard", "queue-easy"}, Episodes: 7, Seed: 1, Workers: 3, Format: "csv", Progress: "off",
				bankOptions: bankOptions{Split: "train", Bank: "b", SecretFile: "s"}}},
		{args: "--episodes 0", err: "--episodes 0 is not allowed; allowed is 1 and more"},
		{args: "--seed -1", err: "--seed -1 is not allowed; allowed is 0 to 9223372036854775807"},
		{args: "--seed 9223372036854775807 --episodes 2", err: "--seed 9223372036854775807 with so many episodes leaves the range 0 to 9223372036854775807"},
		{args: "--workers 0", err: "--workers 0 is not allowed; allowed is 1 and more"},
		{args: "--format xml", err: `"xml" is not one of table, csv, json, markdown`},
		{args: "https://example.org/triage --token-file t --episodes 7 --split train",
			want: auditOptions{URL: "https://example.org/triage", TokenFile: "t", Episodes: 7, Seed: 42, Format: "table", Progress: "auto", bankOptions: bankOptions{Split: "train"}}},
		{args: "desk-hard", err: `unexpected argument "desk-hard": --tasks chooses tasks`},
		{args: "http://a http://b", err: "one URL at most, there are 2"},
		{args: "gopher://a", err: `address "gopher://a": its scheme must be http, https, ws or wss`},
		{args: "http://a?b=c", err: "it must end with the path"},
		{args: "http://a --secret-file s", err: "--secret-file does not go with a URL"},
		{args: "--token-file t", err: "--token-file is for the audit of a server"},
	} {
		app, _, _ := auditApp()
		var got *auditOptions
		cmd := newAuditCmd(app, func(_ context.Context, o *auditOptions) error { got = o; return nil })
		cmd.SetArgs(strings.Fields(c.args))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q gives %v, want %s", c.args, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		got.app = nil
		if d := cmp.Diff(c.want, *got, cmp.AllowUnexported(auditOptions{}, bankOptions{}), cmp.AllowUnexported(App{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, d)
		}
	}
}

// TestAuditPrintsChecks plays one task in full: every check has a line, what is only printed is not counted, and the
// verdict is an error of the check's kind or none.
func TestAuditPrintsChecks(t *testing.T) {
	t.Parallel()
	app, out, errs := auditApp()
	err := runAudit(t.Context(), &auditOptions{bankOptions: bankOptions{app: app, Split: "test", SecretFile: "secret.txt"},
		Tasks: []string{"desk-easy"}, Episodes: 20, Seed: 42, Format: "json", Progress: "off"})
	if err != nil && triage.CodeOf(err) != triage.CodeCheck {
		t.Fatal(err)
	}
	var got struct {
		Checks []struct{ ID, Expected, Passed any }
		Passed int
		Failed int
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, out)
	}
	printed := 0
	for _, c := range got.Checks {
		if c.Expected == "printed" {
			printed++
		}
	}
	if printed == 0 || got.Passed == 0 || got.Passed+got.Failed+printed != len(got.Checks) {
		t.Errorf("%d checks: %d passed, %d failed, %d printed", len(got.Checks), got.Passed, got.Failed, printed)
	}
	if (err != nil) != (got.Failed > 0) {
		t.Errorf("%d failed, the error is %v", got.Failed, err)
	}
	if errs.Len() > 0 {
		t.Errorf("progress is off, but there is: %s", errs)
	}
}

func TestAuditIsAnErrorWhereNothingCanBePlayed(t *testing.T) {
	t.Parallel()
	app, _, _ := auditApp()
	o := auditOptions{bankOptions: bankOptions{app: app, Split: "test"}, Tasks: []string{"desk-easy"}, Episodes: 1, Format: "table", Progress: "off"}
	lost := o
	lost.SecretFile = "lost.txt"
	if err := runAudit(t.Context(), &lost); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("a secret that is not there gives %v", err)
	}
	odd := o
	odd.Tasks = []string{"desk-odd"}
	if err := runAudit(t.Context(), &odd); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("an unknown task gives %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupted{Code: ExitInterrupted})
	if err := runAudit(ctx, &o); !errors.As(err, &Interrupted{}) {
		t.Errorf("an interruption gives %v", err)
	}
}

// TestAuditOfAServer plays a server on this machine that is no server of triage, and one that is not there; the script audit_url
// plays those of triage.
func TestAuditOfAServer(t *testing.T) {
	t.Parallel()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"name":"another","asked":"`+r.URL.RequestURI()+`"}`)
	}))
	t.Cleanup(h.Close)
	for _, c := range []struct {
		change func(*auditOptions)
		want   string
		code   triage.Code
	}{
		{func(o *auditOptions) { o.URL = h.URL }, `audit ` + h.URL + `: the server has the environment "another": only servers of triage can be audited`, triage.CodeUnavailable},
		{func(o *auditOptions) { o.URL = "http://127.0.0.1:1" }, "audit http://127.0.0.1:1: GET /health: dial tcp 127.0.0.1:1: connect: connection refused", triage.CodeUnavailable},
		{func(o *auditOptions) { o.URL = "no address" }, `address "no address": it cannot be read, as in http://127.0.0.1:7860`, triage.CodeUsage},
		{func(o *auditOptions) { o.URL, o.TokenFile = h.URL, "lost.txt" }, "read tokens lost.txt: file does not exist", triage.CodeFiles},
		{func(o *auditOptions) { o.URL, o.Bank = h.URL, "lost" }, "bank lost:", triage.CodeUsage},
		{func(o *auditOptions) { o.URL, o.Tasks = h.URL, []string{"desk-odd"} }, `unknown task "desk-odd"`, triage.CodeUsage},
	} {
		app, out, _ := auditApp()
		app.HTTP, app.DirFS = &http.Client{}, os.DirFS
		o := auditOptions{bankOptions: bankOptions{app: app, Split: "test"}, Seed: 42, Format: "table", Progress: "off"}
		c.change(&o)
		err := runAudit(t.Context(), &o)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || triage.CodeOf(err) != c.code || out.Len() > 0 {
			t.Errorf("error is %v (%s), want %s (%s); printed is %q", err, triage.CodeOf(err), c.want, c.code, out)
		}
	}
}

func TestAddressesWithQueries(t *testing.T) {
	t.Parallel()
	a, err := client.ParseAddress("https://example.org/triage/")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/state": "https://example.org/triage/state", "/state?episode_id=a/b": "https://example.org/triage/state?episode_id=a/b"} {
		if got := withQuery(a.HTTP, path); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}

func TestAuditOfAPrivateBankGivesThePublicOneToTheAttacker(t *testing.T) {
	t.Parallel()
	app, _, _ := auditApp()
	s, err := newSession(app, "", "")
	if err != nil {
		t.Fatal(err)
	}
	public, err := auditDeps(s)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	private := *bank
	private.Scenarios = bank.Scenarios[1:]
	d, err := auditDeps(&session{bank: &private, bankName: "0123", sources: map[sourceKey]*synth.Source{}})
	if err != nil {
		t.Fatal(err)
	}
	if public.Outside != nil || len(public.Bank) != len(bank.Scenarios) {
		t.Errorf("public bank: knows %d scenarios outside of %d", len(public.Outside), len(public.Bank))
	}
	if len(d.Bank) != len(private.Scenarios) || len(d.Outside) != len(bank.Scenarios) {
		t.Errorf("private bank of %d: the attacker knows %d", len(d.Bank), len(d.Outside))
	}
}

func TestAuditEnvironmentsDependOnTheSecretAlone(t *testing.T) {
	t.Parallel()
	app, _, _ := auditApp()
	s, err := newSession(app, "", "secret.txt")
	if err != nil {
		t.Fatal(err)
	}
	d, err := auditDeps(s)
	if err != nil {
		t.Fatal(err)
	}
	task, err := triage.TaskByName("queue-easy")
	if err != nil {
		t.Fatal(err)
	}
	first := func(secret []byte) string {
		e, err := d.NewEnv(task, triage.Test, secret)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Reset(t.Context(), triage.ResetOptions{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		return r.Observation.Queue.Ticket.Description
	}
	tickets, err := d.Source(task, triage.Test)
	if err != nil {
		t.Fatal(err)
	}
	open, hidden := first(nil), first(s.secret)
	if c := tickets(7, 0); c.Ticket.Body != open || open == hidden {
		t.Errorf("the source without a secret gives %q, environments %q and with the secret %q", c.Ticket.Body, open, hidden)
	}
	if again := first(s.secret); again != hidden {
		t.Errorf("the same secret gives %q and %q", hidden, again)
	}
}
