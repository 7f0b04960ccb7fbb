package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triagebench/triage/pkg/llm/fakellm"
)

// scripted serves a script on this machine.
func scripted(t *testing.T, script string) string {
	t.Helper()
	s, err := fakellm.ParseScript([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(fakellm.New(s, nil, fakellm.Options{}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDoctorReadsItsFlags(t *testing.T) {
	t.Parallel()
	var got *doctorOptions
	cmd := newDoctorCmd(System(), func(_ context.Context, o *doctorOptions) error {
		got = o
		return nil
	})
	cmd.SetArgs([]string{"--model", "a", "--model", "groq:b", "--base-url", "http://h/v1", "--api-key-env", "K", "--temperature", "none", "--seed-request", "5", "--max-output-tokens", "9",
		"--reasoning-effort", "low", "--extra-body", `{"top_k":1}`, "--header", "A: b", "--response-format", "tools", "--timeout", "5s", "--max-wait", "6s", "--ca-cert", "c.pem", "--insecure",
		"--api-version", "v", "--write", "l.json", "--format", "json", "--progress", "off"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	got.app = nil
	want := &doctorOptions{Write: "l.json", Format: "json", Progress: "off", model: modelOptions{Models: []string{"a", "groq:b"}, BaseURL: "http://h/v1", KeyVariable: "K", APIVersion: "v", Temperature: "none",
		SeedRequest: 5, MaxOutputTokens: 9, ReasoningEffort: "low", ExtraBody: `{"top_k":1}`, Format: "tools", Headers: []string{"A: b"}, Timeout: 5 * time.Second, MaxWait: 6 * time.Second,
		CACert: "c.pem", Insecure: true, extra: map[string]json.RawMessage{"top_k": json.RawMessage("1")}}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(doctorOptions{}, modelOptions{}), cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

func TestDoctorRefusesSettingsThatMeanNothing(t *testing.T) {
	t.Parallel()
	foreign := filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(foreign, []byte(`{"my":"notes"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no model":       {nil, "doctor needs a model: --model NAME"},
		"argument":       {[]string{"now"}, `unexpected argument "now"`},
		"temperature":    {[]string{"--model", "m", "--temperature", "9"}, "--temperature 9 is not allowed"},
		"timeout":        {[]string{"--model", "m", "--timeout", "0s"}, "--timeout 0s is not allowed"},
		"format":         {[]string{"--model", "m", "--format", "xml"}, "xml"},
		"no key":         {[]string{"--model", "openai:gpt-5"}, "set OPENAI_API_KEY, or name the variable"},
		"a foreign file": {[]string{"--model", "llamacpp:m", "--write", foreign}, `schema "" is not triage.learned/1`},
		"learned":        {[]string{"--model", "m", "--learned", foreign}, "unknown flag: --learned"},
		"certificate":    {[]string{"--model", "llamacpp:m", "--ca-cert", foreign}, "has no certificate in PEM form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newTestApp()
			if code := a.run(t.Context(), append([]string{"doctor"}, tt.args...)...); code != ExitUsage || !strings.Contains(a.errs.String(), tt.want) || a.out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q, want %q", code, a.out.String(), a.errs.String(), tt.want)
			}
		})
	}
	if got := readFile(t, foreign); got != `{"my":"notes"}` {
		t.Errorf("the file is %s now", got)
	}
}

func TestDoctorWritesWhatItLearnedBesideWhatIsThere(t *testing.T) {
	t.Parallel()
	first := scripted(t, "quirks: [refuse_temperature, refuse_json_schema]\n")
	second := scripted(t, "quirks: [refuse_system]\n")
	broken := scripted(t, "key: another\n")
	file := filepath.Join(t.TempDir(), "learned.json")
	a := newTestApp()
	a.mustRun(t, "doctor", "--model", "llamacpp:m", "--base-url", first, "--write", file, "--progress", "off")
	a.mustRun(t, "doctor", "--model", "llamacpp:m", "--base-url", second, "--write", file, "--progress", "off")
	if code := a.run(t.Context(), "doctor", "--model", "llamacpp:m", "--base-url", broken, "--write", file, "--progress", "off"); code != ExitUnavailable {
		t.Errorf("exits with %d", code)
	}
	want := `{
  "schema": "triage.learned/1",
  "endpoints": {
    "FIRST/v1 m": {
      "drop": [
        "temperature"
      ],
      "format": "json_object",
      "notes": [
        "temperature was not applied: the endpoint refuses it",
        "response format json_object was asked for: the endpoint refuses json_schema"
      ]
    },
    "SECOND/v1 m": {
      "merge_system": true,
      "notes": [
        "the system message was put in front of the first user message: the endpoint refuses the system role"
      ]
    }
  }
}
`
	got := strings.NewReplacer(first, "FIRST", second, "SECOND").Replace(readFile(t, file))
	if d := cmp.Diff(asValue(t, want), asValue(t, got)); d != "" {
		t.Error(d)
	}
}

func asValue(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDoctorSaysForMachinesWhatItFound(t *testing.T) {
	t.Parallel()
	const key = "sk-doctor-0123456789secret"
	good, bad := scripted(t, "key: "+key+"\n"), scripted(t, "models: [a, b]\n")
	a := newTestApp()
	a.env["MY_KEY"] = key
	var got struct {
		Findings []struct{ Model, Check, Verdict, Found, Advice string }
		Models   []struct {
			Model    string
			Endpoint struct {
				KeyVariable string `json:"api_key_env"`
			}
			Usable bool
			Calls  int
		}
	}
	out := a.mustRun(t, "doctor", "--model", "m", "--base-url", good, "--api-key-env", "MY_KEY", "--header", "X-Team: ${MY_KEY}", "--format", "json", "--progress", "off")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if m := got.Models[0]; !m.Usable || m.Calls < 9 || m.Endpoint.KeyVariable != "MY_KEY" || len(got.Findings) != 18 || got.Findings[1].Found != "the key of MY_KEY is accepted, or not looked at" {
		t.Errorf("%+v", got)
	}
	a.out.Reset()
	if code := a.run(t.Context(), "doctor", "--model", "llamacpp:a", "--model", "llamacpp:mistake", "--base-url", bad, "--api-key-env", "MY_KEY", "--progress", "off"); code != ExitUnavailable {
		t.Errorf("exits with %d", code)
	}
	for _, want := range []string{"llamacpp:a: a at " + bad, "llamacpp:mistake: mistake at " + bad + "/v1, 2 calls", "give one that it lists with --model: a, b", "16 other checks were not made."} {
		if !strings.Contains(a.out.String(), want) {
			t.Errorf("no %q in\n%s", want, a.out.String())
		}
	}
	if want := "triage: llamacpp:mistake: model: there is no mistake: status 404"; !strings.Contains(a.errs.String(), want) {
		t.Errorf("no %q in %s", want, a.errs.String())
	}
	if strings.Contains(out+a.out.String()+a.errs.String(), key) {
		t.Error("the key is printed")
	}
}

func TestDoctorReportsThatItCannotWrite(t *testing.T) {
	t.Parallel()
	base := scripted(t, "")
	for name, broken := range map[string]func(*testApp) []string{
		"report": func(a *testApp) []string { a.Out = failing{}; return nil },
		"file": func(*testApp) []string {
			return []string{"--write", filepath.Join(t.TempDir(), "none", "f", "..", "\x00")}
		},
	} {
		a := newTestApp()
		args := append([]string{"doctor", "--model", "llamacpp:m", "--base-url", base, "--progress", "off"}, broken(a)...)
		if code := a.run(t.Context(), args...); code != ExitUsage {
			t.Errorf("%s: exits with %d", name, code)
		}
	}
}

func TestDoctorEndsWithASignal(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	served := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a client that leaves only after it has read the request
		cancel(Interrupted{ExitInterrupted})
		<-r.Context().Done()
	}))
	t.Cleanup(served.Close)
	a := newTestApp()
	if code := a.run(ctx, "doctor", "--model", "llamacpp:m", "--base-url", served.URL, "--progress", "off"); code != ExitInterrupted || a.out.Len() > 0 {
		t.Errorf("exits with %d: %s", code, a.out.String())
	}
}

func TestTheProxyOfAnEndpointIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	m := modelOptions{Temperature: "0"}
	e, err := m.endpoint(app.App, "llamacpp:m")
	if err != nil {
		t.Fatal(err)
	}
	proxy := func(r *http.Request) string {
		if r.URL.String() != "http://127.0.0.1:8080/v1" {
			t.Errorf("the proxy of %s was asked for", r.URL)
		}
		return "http://user:pass@proxy.test:3128"
	}
	transport := &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) { return url.Parse(proxy(r)) }}
	o, err := m.clientOptions(app.App, e, transport)
	if err != nil || o.Proxy != "http://proxy.test:3128" {
		t.Errorf("%q, %v", o.Proxy, err)
	}
	if o, err = m.clientOptions(app.App, e, &http.Transport{}); err != nil || o.Proxy != "" {
		t.Errorf("%q, %v", o.Proxy, err)
	}
}
