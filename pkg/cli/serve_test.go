package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serving runs a command in the background on a port of this machine, until the test ends, and gives its address.
func serving(t *testing.T, args ...string) (address string, stop func() (code int, errs string)) {
	t.Helper()
	return servingTo(t, io.Discard, args...)
}

// servingTo is serving with what it prints, which may be read once it has stopped.
func servingTo(t *testing.T, out io.Writer, args ...string) (address string, stop func() (code int, errs string)) {
	t.Helper()
	var errs bytes.Buffer
	app := System()
	app.Out, app.Err, app.ErrTerminal = out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	opened := make(chan net.Addr, 1)
	app.Listen = func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		if err == nil {
			opened <- l.Addr()
		}
		return l, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- Main(ctx, app, append([]string{"serve", "--port", "0"}, args...)) }()
	stopped, code := false, 0
	stop = func() (int, string) {
		if !stopped {
			cancel()
			code, stopped = <-ended, true
		}
		return code, errs.String()
	}
	t.Cleanup(func() { stop() })
	select {
	case a := <-opened:
		return a.String(), stop
	case code, stopped = <-ended:
		t.Fatalf("exit code %d: %s", code, errs.String())
	case <-time.After(30 * time.Second):
		t.Fatal("no address")
	}
	return "", nil
}

func TestServeAnswersUntilItIsToldToStop(t *testing.T) {
	t.Parallel()
	address, stop := serving(t, "--track", "desk", "--log-format", "json")
	resp, err := http.Post("http://"+address+"/reset", "application/json", strings.NewReader(`{"seed":1}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("reset: status %d", resp.StatusCode)
	}
	if code, errs := stop(); code != ExitOK {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		t.Error("the port is still open")
	}
}

func TestHealthAsksOnce(t *testing.T) {
	t.Parallel()
	address, stop := serving(t)
	if code, out, errs := runCLI(t, "health", "http://"+address+"/"); code != ExitOK || out != "healthy\n" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	stop()
	code, _, errs := runCLI(t, "health", "http://"+address, "--timeout", "1s")
	if code != ExitUnavailable || !strings.Contains(errs, address+"/health: ") {
		t.Errorf("of a server that is gone: code %d, %q", code, errs)
	}
}

// runCLI runs a command line with empty surroundings.
func runCLI(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	app := System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	code = Main(t.Context(), app, args)
	return code, out.String(), errs.String()
}

func TestServeRefusesSettingsThatMeanNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string { return written(t, dir, name, text) }
	tokens, secret := file("tokens", "a-token-of-16-characters\n"), file("secret", strings.Repeat("0123456789abcdef", 4))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, taken, _ := net.SplitHostPort(l.Addr().String())
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"port":                {[]string{"--port", "70000"}, "--port 70000 is not allowed; allowed is 0 to 65535"},
		"taken port":          {[]string{"--port", taken}, "listen on 127.0.0.1 port " + taken},
		"also-port":           {[]string{"--also-port", "-1"}, "--also-port -1 is not allowed; allowed is 0 to 65535"},
		"taken second port":   {[]string{"--port", "0", "--also-port", taken}, "--also-port names another, 0 does without"},
		"host":                {[]string{"--host", "192.0.2.1", "--port", "0"}, "listen on 192.0.2.1"},
		"sessions":            {[]string{"--max-sessions", "0"}, "--max-sessions 0 is not allowed"},
		"timeout":             {[]string{"--session-timeout", "10ms"}, "--session-timeout 10ms is not allowed"},
		"cache":               {[]string{"--cache-size", "-1"}, "--cache-size -1 is not allowed"},
		"track":               {[]string{"--track", "tickets"}, `"tickets" is not one of queue, desk`},
		"mode":                {[]string{"--mode", "demo"}, `"demo" is not one of simulation, production`},
		"any origin":          {[]string{"--cors-origin", "*"}, `--cors-origin "*" is not an origin`},
		"origin with a path":  {[]string{"--cors-origin", "https://example.org/"}, "is not an origin"},
		"key without cert":    {[]string{"--tls-key", "k.pem"}, "--tls-cert and --tls-key are needed together"},
		"no such cert":        {[]string{"--port", "0", "--tls-key", "k.pem", "--tls-cert", "c.pem"}, "read c.pem"},
		"bad cert":            {[]string{"--port", "0", "--tls-key", tokens, "--tls-cert", tokens}, "certificate "},
		"sealed alone":        {[]string{"--sealed"}, "--sealed needs --secret-file, --token-file and --ledger"},
		"ledger alone":        {[]string{"--ledger", "l.jsonl"}, "--ledger is for --sealed"},
		"short token":         {[]string{"--token-file", file("short", "# mine\n\nabc\n")}, "short:3: a token is one word of at least 16 characters"},
		"no token":            {[]string{"--token-file", file("none", "# none\n")}, "there is none"},
		"missing tokens":      {[]string{"--token-file", filepath.Join(dir, "nowhere")}, "read tokens"},
		"no ledger":           {[]string{"--sealed", "--token-file", tokens, "--secret-file", secret, "--ledger", file("notes", "hello\n")}, "read the ledger"},
		"ledger is a folder":  {[]string{"--sealed", "--token-file", tokens, "--secret-file", secret, "--ledger", dir}, dir},
		"argument":            {[]string{"now"}, `unexpected argument "now"`},
		"secret of few bytes": {[]string{"--secret-file", file("few", "abc")}, "needs at least 32"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runCLI(t, append([]string{"serve"}, tt.args...)...)
			if code != ExitUsage || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 || out != "" {
				t.Errorf("code %d, stdout %q, stderr %q, want %q", code, out, errs, tt.want)
			}
		})
	}
}

func TestServeReadsItsFlags(t *testing.T) {
	t.Parallel()
	app := System()
	var got *serveOptions
	cmd := newServeCmd(app, func(_ context.Context, o *serveOptions) error {
		got = o
		return nil
	})
	cmd.SetArgs([]string{"--host", "::1", "--port", "8000", "--track", "desk", "--mode", "production", "--rewards", "episode", "--max-sessions", "9",
		"--session-timeout", "5m", "--drain", "1s", "--cors-origin", "https://a.example", "--no-web", "--log-format", "json", "--cache-size", "1"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	got.app = nil
	want := &serveOptions{Host: "::1", Port: 8000, Track: "desk", Mode: "production", Rewards: "episode", MaxSessions: 9, CacheSize: 1,
		Timeout: 5 * time.Minute, Drain: time.Second, Origins: []string{"https://a.example"}, NoWeb: true, LogFormat: "json", LogLevel: "info"}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(serveOptions{})); d != "" {
		t.Error(d)
	}
}

// A server of two ports is one server: what the first port began, the second goes on with.
func TestServeListensOnASecondPortAndOnTheOneOfTheVariable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	also := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(also)
	var out strings.Builder
	address, stop := servingTo(t, &out, "--also-port", port)
	for _, a := range []string{address, also} {
		if code, out, errs := runCLI(t, "health", a); code != ExitOK || out != "healthy\n" {
			t.Errorf("%s: code %d, %q, %q", a, code, out, errs)
		}
	}
	if code, errs := stop(); code != ExitOK {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if want := "Listening on http://" + address + "\nand on http://" + also + "\n"; out.String() != want {
		t.Errorf("it prints %q, want %q", out.String(), want)
	}
	app := System()
	cmd := newServeCmd(app, nil)
	portOf := func(port int) (int, error) {
		err := checkPort(cmd, app, &port)
		return port, err
	}
	app.LookupEnv = func(name string) (string, bool) { return map[string]string{"PORT": "8000"}[name], name == "PORT" }
	if got, err := portOf(7860); err != nil || got != 8000 {
		t.Errorf("%d, %v", got, err)
	}
	for _, bad := range []string{"tcp://10.0.0.1:80", "-1", "70000"} {
		app.LookupEnv = func(string) (string, bool) { return bad, true }
		if _, err := portOf(7860); err == nil || !strings.Contains(err.Error(), "PORT="+bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	app.LookupEnv = func(string) (string, bool) { return "", true }
	if got, err := portOf(7860); err != nil || got != 7860 {
		t.Errorf("of an empty variable: %d, %v", got, err)
	}
}
