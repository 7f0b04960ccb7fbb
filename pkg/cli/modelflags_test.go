package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

func TestFlagsOfAgentsThatDoNotPlayAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"a model without llm":    {[]string{"run", "--model", "m"}, "--model goes with --agent llm"},
		"llm without a model":    {[]string{"run", "--agent", "llm"}, "agent llm needs a model: --model NAME or --model PROVIDER:NAME (anthropic, azure, "},
		"re-asks":                {[]string{"run", "--reask", "2"}, "--reask goes with --agent llm"},
		"re-asks of a baseline":  {[]string{"baseline", "--reask", "2"}, "--reask goes with --agent llm"},
		"a baseline's model":     {[]string{"baseline", "--model", "m"}, "--model goes with --agent llm"},
		"cassette of a program":  {[]string{"run", "--agent", "exec:sh", "--record", "x"}, "--record goes with --agent llm"},
		"variable of no program": {[]string{"run", "--agent", "http://h/", "--exec-env", "X"}, "--exec-env goes with --agent exec:COMMAND"},
		"header of a program":    {[]string{"run", "--agent", "exec:sh", "--header", "X: y"}, "--header goes with --agent llm or --agent http:URL"},
		"timeout of our own":     {[]string{"run", "--timeout", "3s"}, "--timeout goes with --agent llm, exec:COMMAND or http:URL"},
		"unknown agent":          {[]string{"run", "--agent", "somebody"}, "unknown agent \"somebody\": the agents are random, constant, keyword, heuristic, linear, oracle, linear:FILE, llm (with --model), exec:COMMAND and http:URL\n"},
		"a mistyped agent":       {[]string{"run", "--agent", "heuristc"}, "exec:COMMAND and http:URL; did you mean heuristic?"},
		"a mistyped model":       {[]string{"run", "--agent", "lmm"}, "; did you mean llm?"},
		"a mistyped program":     {[]string{"run", "--agent", "exce:sh x.sh"}, "; did you mean exec:sh x.sh?"},
		"a mistyped address":     {[]string{"run", "--agent", "htp://h/act"}, "; did you mean http://h/act?"},
		"a mistyped file":        {[]string{"run", "--agent", "liner:x.json"}, "; did you mean linear:x.json?"},
		"an agent of a baseline": {[]string{"baseline", "--agent", "keywrod", "--output", "x.json"}, "; did you mean keyword?"},
		"perturbed by hand":      {[]string{"run", "--agent", "heuristic+typos"}, "heuristic+typos"},
		"agent twice":            {[]string{"run", "--agent", "constant,constant"}, "--agent constant is given twice"},
		"temperature":            {[]string{"run", "--agent", "llm", "--model", "m", "--temperature", "null"}, "--temperature null is not allowed; allowed is a number from 0 to 2, or none"},
		"temperature of no end":  {[]string{"run", "--agent", "llm", "--model", "m", "--temperature", "inf"}, "--temperature inf is not allowed"},
		"no number":              {[]string{"run", "--agent", "llm", "--model", "m", "--temperature", "NaN"}, "--temperature NaN is not allowed"},
		"two times":              {[]string{"run", "--agent", "llm", "--model", "m", "--timeout", "0s", "--retry-budget", "0s"}, "--timeout 0s is not allowed; allowed is a time such as 30s or 5m"},
		"concurrency":            {[]string{"run", "--agent", "llm", "--model", "m", "--concurrency", "0"}, "--concurrency 0 is not allowed; allowed is 1 to 4096"},
		"record and replay":      {[]string{"run", "--agent", "llm", "--model", "m", "--record", "a", "--replay", "b"}, "--record and --replay do not go together"},
		"extra body":             {[]string{"run", "--agent", "llm", "--model", "m", "--extra-body", "[1]"}, "--extra-body is not a JSON object"},
		"extra model":            {[]string{"run", "--agent", "llm", "--model", "m", "--extra-body", `{"model":"x"}`}, `--extra-body has "model", which this program sets itself`},
		"trials":                 {[]string{"run", "--trials", "0"}, "--trials 0 is not allowed; allowed is 1 to 1000"},
		"several in a baseline":  {[]string{"baseline", "--agent", "llm", "--model", "llamacpp:a", "--model", "llamacpp:b", "--cache", "off", "--output", "x.json"}, "baseline writes the results of one agent, not of llamacpp:a, llamacpp:b"},
		"perturbed baseline":     {[]string{"baseline", "--perturb", "typos", "--output", "x.json"}, "baseline writes the results of one agent, not of heuristic, heuristic+typos"},
	} {
		a := newTestApp()
		if code := a.run(t.Context(), tt.args...); code != ExitUsage || !strings.Contains(a.errs.String(), tt.want) || a.out.Len() > 0 {
			t.Errorf("%s: it exits with %d and says %q, want %q", name, code, a.errs.String(), tt.want)
		}
	}
	// what a file sets for other runs does not matter
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(settings, []byte("run:\n  reask: 2\n  model: [llamacpp:m]\n  timeout: 3s\nbaseline:\n  model: [llamacpp:m]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--config", settings, "--agent", "constant", "--tasks", "desk-easy", "--episodes", "1", "--no-floor"}
	newTestApp().mustRun(t, append([]string{"run"}, args...)...)
	newTestApp().mustRun(t, append([]string{"baseline", "--output", filepath.Join(t.TempDir(), "b.json")}, args...)...)
}

func TestAgentsAreTakenAsTheyStand(t *testing.T) {
	t.Parallel()
	var values []string
	l := &agentList{values: &values}
	if err := errors.Join(l.Set("a, b"), l.Set("exec:x 'a,b'"), l.Append("https://h/a,b")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "exec:x 'a,b'", "https://h/a,b"}, l.GetSlice()); d != "" || l.String() != `["a","b","exec:x 'a,b'","https://h/a,b"]` {
		t.Errorf("%s: %s", d, l)
	}
	if err := l.Replace([]string{"c,d", "http://h/x,y"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"c", "d", "http://h/x,y"}, values); d != "" || (&agentList{}).String() != "" || l.Type() != "agent" {
		t.Error(d)
	}
}

func TestResultsFilesOfDifferentAgentsAreDifferent(t *testing.T) {
	t.Parallel()
	long := "exec:" + strings.Repeat("x", 400)
	got := resultsFiles([]string{"heuristic", "m:a/b", "m:a_b", "M:A_b", long, long + "y"})
	if got[0] != "results-heuristic.json" {
		t.Errorf("an ordinary name is %s", got[0])
	}
	seen := map[string]bool{}
	for _, name := range got {
		if low := strings.ToLower(name); seen[low] || len(name) > longestName+20 {
			t.Errorf("%s is there twice, or too long", name)
		} else {
			seen[low] = true
		}
	}
	if again := resultsFiles([]string{"m:a_b", "m:a/b"}); again[1] != got[1] || again[0] != got[2] {
		t.Errorf("with others they are called %v", again)
	}
}

func TestTheNetworkOfModelsIsWhatFlagsSay(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that does not trust it is what is tested
	server.StartTLS()
	defer server.Close()
	a := newTestApp()
	e, err := llm.ParseModel("llamacpp:m", a.LookupEnv, llm.EndpointOptions{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	get := func(m *modelOptions) error {
		transport, err := m.transport(a.App)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = hangUp(transport)() }() // it has no error
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	if err := get(&modelOptions{}); err == nil {
		t.Error("an unknown authority is trusted")
	}
	if err := get(&modelOptions{Insecure: true}); err != nil {
		t.Error(err)
	}
	if proxyOf(http.DefaultTransport, e) != "" || proxyOf(&failingTransport{}, e) != "" {
		t.Error("there is a proxy")
	}
	if err := hangUp(&failingTransport{})(); err != nil {
		t.Error(err)
	}
}

type failingTransport struct{}

func (*failingTransport) RoundTrip(*http.Request) (*http.Response, error) { return nil, errBroken }
