package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestValidateFlags(t *testing.T) {
	t.Parallel()
	defaults := validateOptions{Timeout: 5 * time.Second, Seed: 42, Format: "table", Progress: "auto"}
	with := func(change func(*validateOptions)) validateOptions {
		o := defaults
		change(&o)
		return o
	}
	for _, c := range []struct {
		args []string
		want validateOptions
		err  string
	}{
		{args: nil, want: defaults},
		{args: []string{"."}, want: with(func(o *validateOptions) { o.Target = "." })},
		{args: []string{"localhost:7860"}, want: with(func(o *validateOptions) { o.Target = "localhost:7860" })},
		{args: []string{"http://a", "--action", `{"a":1,"b":2}`, "--action", `{}`, "--header", "A:b", "--token-file", "f", "--timeout", "1s", "--seed", "7", "--format", "junit", "--progress", "off"},
			want: validateOptions{Target: "http://a", Actions: []string{`{"a":1,"b":2}`, `{}`}, Headers: []string{"A:b"}, TokenFile: "f", Timeout: time.Second, Seed: 7, Format: "junit", Progress: "off"}},
		{args: []string{"a", "b"}, err: `"a" and "b": one address or folder at a time`},
		{args: []string{""}, err: "the address or folder is empty"},
		{args: []string{"--seed", "-1"}, err: "--seed -1 is not allowed; allowed is 0 to 4611686018427387903"},
		{args: []string{"http://a", "--timeout", "1ms"}, err: "--timeout 1ms is not allowed; allowed is 100ms to 10m0s"},
		{args: []string{"http://a", "--action", "[]"}, err: "--action [] is no JSON object"},
		{args: []string{"http://a", "--action", "null"}, err: "--action null is no JSON object"},
		{args: []string{".", "--action", "{}"}, err: "--action is for the address of a server"},
		{args: []string{"--token-file", "x"}, err: "--token-file is for the address of a server"},
		{args: []string{".", "--seed", "1"}, err: "--seed means nothing for a folder"},
		{args: []string{"--format", "xml"}, err: `"xml" is not one of table, csv, json, markdown, junit`},
	} {
		app, _, _ := auditApp()
		var got *validateOptions
		cmd := newValidateCmd(app, func(_ context.Context, o *validateOptions) error { got = o; return nil })
		cmd.SetArgs(append([]string{}, c.args...))
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
		if d := cmp.Diff(c.want, *got, cmp.AllowUnexported(validateOptions{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, d)
		}
	}
}

// validated runs a validation and reads its checks.
func validated(t *testing.T, app *App, out *bytes.Buffer, o validateOptions) (map[string]any, error) {
	t.Helper()
	o.app, o.Format, o.Progress = app, "json", "off"
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	out.Reset()
	err := runValidate(t.Context(), &o)
	if err != nil && triage.CodeOf(err) != triage.CodeCheck {
		return nil, err
	}
	var got struct{ Checks []map[string]any }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, out)
	}
	passed := map[string]any{}
	for _, c := range got.Checks {
		passed[c["id"].(string)] = c["passed"]
	}
	return passed, err
}

func TestValidateAServer(t *testing.T) {
	t.Parallel()
	var heads []http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x/health" {
			heads = append(heads, r.Header)
			_, _ = w.Write([]byte(`{"status":"healthy"}`))
			return
		}
		http.NotFound(w, r)
	}))
	defer srv.Close()
	app, out, _ := auditApp()
	app.ReadFile = func(name string) ([]byte, error) {
		switch name {
		case "tokens.txt":
			return []byte("\nfirst-token\nsecond-token\n"), nil
		case "odd.txt":
			return []byte("two words\n"), nil
		}
		return nil, os.ErrNotExist
	}
	address := strings.TrimPrefix(srv.URL, "http://") + "/x/"
	passed, err := validated(t, app, out, validateOptions{Target: address, TokenFile: "tokens.txt", Headers: []string{"X-Team: blue"}})
	if triage.CodeOf(err) != triage.CodeCheck || passed["health_endpoint"] != true || passed["metadata_endpoint"] != false || passed["runtime.state_contract"] != "skipped: no episode was played" {
		t.Errorf("error %v, checks %v", err, passed)
	}
	if h := heads[0]; h.Get("Authorization") != "Bearer first-token" || h.Get("X-Team") != "blue" {
		t.Errorf("headers %v", h)
	}
	for _, c := range []struct {
		o    validateOptions
		code triage.Code
		want string
	}{
		{validateOptions{Target: address, TokenFile: "lost.txt"}, triage.CodeFiles, "read token lost.txt"},
		{validateOptions{Target: address, TokenFile: "odd.txt"}, triage.CodeUsage, "read token odd.txt: its first line is no token"},
		{validateOptions{Target: address, Headers: []string{"X Team:a"}}, triage.CodeUsage, `--header "X Team:a" is not allowed; allowed is Name:value`},
		{validateOptions{Target: address, Headers: []string{"X-Team"}}, triage.CodeUsage, "allowed is Name:value"},
		{validateOptions{Target: "ftp://a"}, triage.CodeUsage, "its scheme must be"},
		{validateOptions{Target: "http://127.0.0.1:1"}, triage.CodeUnavailable, "reach http://127.0.0.1:1"},
	} {
		if _, err := validated(t, app, out, c.o); triage.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gives %v, want %s", c.o, err, c.want)
		}
	}
}

func TestValidateAFolder(t *testing.T) {
	t.Parallel()
	app, out, _ := auditApp()
	app.DirFS = func(dir string) fs.FS {
		if dir == "mine" {
			return fstest.MapFS{"openenv.yaml": {Data: []byte("name: x\n")}}
		}
		return os.DirFS(dir)
	}
	passed, err := validated(t, app, out, validateOptions{Target: "mine"})
	if triage.CodeOf(err) != triage.CodeCheck || passed["package.signature"] != true || passed["static.manifest"] != false {
		t.Errorf("error %v, checks %v", err, passed)
	}
	if _, err := validated(t, app, out, validateOptions{Target: "no/such/folder"}); triage.CodeOf(err) != triage.CodeFiles {
		t.Errorf("no folder gives %v", err)
	}
	if _, err := validated(t, app, out, validateOptions{Target: "validate_test.go"}); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func TestValidateComparesWithAnotherProcess(t *testing.T) {
	t.Parallel()
	app, out, _ := auditApp()
	var asked []string
	app.Self = func(ctx context.Context, args ...string) ([]byte, error) {
		asked = args
		other, printed, _ := auditApp()
		err := runValidate(ctx, &validateOptions{app: other, Fingerprint: args[2]})
		return printed.Bytes(), err
	}
	o := &validateOptions{app: app}
	task, err := triage.TaskByName("queue-hard")
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.elsewhere(t.Context(), task, 7)
	if err != nil || len(got) != 64 {
		t.Errorf("fingerprint %q, error %v", got, err)
	}
	if d := cmp.Diff([]string{"validate", "--fingerprint", "queue-hard/7"}, asked); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	for _, bad := range []string{"queue-hard", "queue-hard/x", "queue-hard/-1", "odd/1"} {
		if err := runValidate(t.Context(), &validateOptions{app: app, Fingerprint: bad}); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%s gives %v", bad, err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("it prints %s", out)
	}
}

func TestValidatePrintsJUnit(t *testing.T) {
	t.Parallel()
	app, out, _ := auditApp()
	app.DirFS = func(string) fs.FS { return fstest.MapFS{} }
	err := runValidate(t.Context(), &validateOptions{app: app, Target: "mine", Format: junit, Progress: "off"})
	if triage.CodeOf(err) != triage.CodeCheck || !strings.Contains(out.String(), `<testsuite name="triage validate" tests="6" failures="1" errors="0" skipped="4">`) {
		t.Errorf("error %v:\n%s", err, out)
	}
	app.Out = fullDisk{}
	if err := runValidate(t.Context(), &validateOptions{app: app, Target: "mine", Format: junit, Progress: "off"}); !errors.Is(err, errFullDisk) {
		t.Errorf("a full disk gives %v", err)
	}
}

var errFullDisk = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFullDisk }

func TestValidateSaysThatAnAddressIsNoServer(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	code, _, errs := runCLI(t, "validate", other.URL, "--format", "csv")
	if code != ExitCheck || !strings.Contains(errs, "nothing at "+other.URL+" answers as an OpenEnv server does") {
		t.Errorf("code %d, %q", code, errs)
	}
	address, _ := serving(t)
	if code, _, errs := runCLI(t, "validate", "http://"+address, "--format", "csv"); code != ExitOK || errs != "" {
		t.Errorf("a server of ours: code %d, %q", code, errs)
	}
}
