package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// roundTrip is a network of one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// startsAfter is a network where nothing listens at first, then a server says that it is not ready, and then that it is healthy.
func startsAfter(refused, starting int) roundTrip {
	n := 0
	return func(r *http.Request) (*http.Response, error) {
		n++
		status, text := http.StatusOK, `{"status":"healthy"}`
		switch {
		case n <= refused:
			return nil, errors.New("connection refused")
		case n <= refused+starting:
			status, text = http.StatusServiceUnavailable, `{"status":"starting"}`
		}
		resp := okWith(r, text)
		resp.StatusCode = status
		return resp, nil
	}
}

// okWith is an answer with status 200.
func okWith(r *http.Request, text string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}
}

// silentNetwork never answers.
func silentNetwork(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestHealthWaitAsksEvery100MillisecondsUntilHealthyOrTheTimeIsOver(t *testing.T) {
	t.Parallel()
	const where = "http://127.0.0.1:7860/health: "
	for name, c := range map[string]struct {
		args    []string
		network roundTrip
		code    int
		errs    string
		took    time.Duration
	}{
		"once without it":             {nil, startsAfter(1, 0), ExitUnavailable, where + "connection refused\n", 0},
		"0s asks once":                {[]string{"--wait", "0s"}, startsAfter(1, 0), ExitUnavailable, where + "connection refused\n", 0},
		"healthy at once":             {[]string{"--wait", "30s"}, startsAfter(0, 0), ExitOK, "", 0},
		"healthy later":               {[]string{"--wait", "30s"}, startsAfter(20, 5), ExitOK, "", 2500 * time.Millisecond},
		"never there":                 {[]string{"--wait", "1s"}, startsAfter(99, 0), ExitUnavailable, where + "connection refused; asked for 1s\n", time.Second},
		"never ready":                 {[]string{"--wait", "250ms"}, startsAfter(0, 99), ExitUnavailable, where + `status 503, health "starting": not healthy, or no OpenEnv server; asked for 250ms` + "\n", 250 * time.Millisecond},
		"no answer":                   {[]string{"--wait", "2s"}, silentNetwork, ExitUnavailable, where + "context deadline exceeded; asked for 2s\n", 2 * time.Second},
		"each answer has its timeout": {[]string{"--wait", "2s", "--timeout", "300ms"}, silentNetwork, ExitUnavailable, where + "context deadline exceeded; asked for 2s\n", 2 * time.Second},
		"no duration":                 {[]string{"--wait", "abc"}, startsAfter(0, 0), ExitUsage, "--wait \"abc\" is no duration; allowed is a number with its unit, such as 500ms, 10s or 2m; see `triage health --help`\n", 0},
		"less than nothing":           {[]string{"--wait", "-1s"}, startsAfter(0, 0), ExitUsage, "--wait -1s is not allowed; allowed is 0s, which asks once, and more\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newTestApp()
				a.HTTP = &http.Client{Transport: c.network}
				begun := time.Now()
				code := a.run(t.Context(), append([]string{"health"}, c.args...)...)
				if took := time.Since(begun); code != c.code || took != c.took || !strings.HasSuffix(a.errs.String(), c.errs) {
					t.Errorf("exit code %d after %s: %s\nwant %d after %s: %s", code, took, a.errs.String(), c.code, c.took, c.errs)
				}
				if want := map[bool]string{true: "healthy\n"}[code == ExitOK]; a.out.String() != want {
					t.Errorf("printed was %q, want %q", a.out.String(), want)
				}
			})
		})
	}
}

func TestHealthWaitEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, network := range []roundTrip{startsAfter(1000, 0), silentNetwork} {
			a := newTestApp()
			a.HTTP = &http.Client{Transport: network}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(350*time.Millisecond, func() { cancel(Interrupted{ExitTerminated}) })
			begun := time.Now()
			if code := a.run(ctx, "health", "--wait", "1m"); code != ExitTerminated || time.Since(begun) != 350*time.Millisecond {
				t.Errorf("exit code %d after %s: %s", code, time.Since(begun), a.errs.String())
			}
		}
	})
}

// TestHealthAsksWhereTheServerListens is about the address that is asked: that of the variables as `triage serve` reads them, on either
// loopback, or the one given.
func TestHealthAsksWhereTheServerListens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   map[string]string
		args  []string
		asked string
		code  int
		errs  string
	}{
		"nothing said":          {nil, nil, "127.0.0.1:7860", ExitOK, ""},
		"PORT":                  {map[string]string{"PORT": "9000"}, nil, "127.0.0.1:9000", ExitOK, ""},
		"TRIAGE_PORT":           {map[string]string{"TRIAGE_PORT": "9001", "PORT": "9000"}, nil, "127.0.0.1:9001", ExitOK, ""},
		"no port":               {map[string]string{"TRIAGE_PORT": "abc"}, nil, "", ExitUsage, `TRIAGE_PORT: "abc" is not an integer`},
		"no duration":           {map[string]string{"TRIAGE_WAIT": "abc"}, nil, "", ExitUsage, `TRIAGE_WAIT: "abc" is no duration; allowed is a number with its unit, such as 500ms, 10s or 2m`},
		"no port in PORT":       {map[string]string{"PORT": "abc"}, nil, "", ExitUsage, "PORT=abc in the environment is no port; allowed is 0 to 65535"},
		"--port":                {map[string]string{"PORT": "9000"}, []string{"--port", "9006"}, "127.0.0.1:9006", ExitOK, ""},
		"--port of none":        {nil, []string{"--port", "70000"}, "", ExitUsage, "--port 70000 is not allowed; allowed is 0 to 65535"},
		"an address needs none": {map[string]string{"PORT": "abc"}, []string{"127.0.0.1:9002"}, "127.0.0.1:9002", ExitOK, ""},
		"only on ::1":           {map[string]string{"PORT": "9003"}, nil, "127.0.0.1:9003 [::1]:9003", ExitOK, ""},
		"nowhere":               {map[string]string{"PORT": "9004"}, nil, "127.0.0.1:9004 [::1]:9004", ExitUnavailable, "http://127.0.0.1:9004/health: connection refused"},
		"a query":               {nil, []string{"http://127.0.0.1:7860?x=1"}, "", ExitUsage, `"http://127.0.0.1:7860?x=1" is not an address`},
		"a password":            {nil, []string{"http://u:hush@127.0.0.1:7860"}, "", ExitUsage, `"http://u:xxxxx@127.0.0.1:7860" is not an address`},
		"the whole of it":       {nil, []string{"http://127.0.0.1:9005/health/"}, "127.0.0.1:9005", ExitOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newTestApp()
			a.env = c.env
			var asked []string
			a.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.URL.Host)
				if r.URL.Path != "/health" || r.URL.Host == "127.0.0.1:9003" || strings.HasSuffix(r.URL.Host, ":9004") {
					return nil, syscall.ECONNREFUSED
				}
				return okWith(r, `{"status":"healthy"}`), nil
			})}
			code := a.run(t.Context(), append([]string{"health"}, c.args...)...)
			if got := strings.Join(asked, " "); code != c.code || got != c.asked || !strings.Contains(a.errs.String(), c.errs) || strings.Contains(a.errs.String(), "hush") {
				t.Errorf("exit code %d after asking %q: %s\nwant %d after asking %q: %s", code, got, a.errs.String(), c.code, c.asked, c.errs)
			}
		})
	}
}
