package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// refusedBy is the error of a connection that an address, or a proxy on the way to it, refuses.
func refusedBy(op string) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

func TestARefusedConnectionIsToldOnceForAnAddressThatHasNotAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked   []string // addresses, one after the other
		answers []error
		want    []string
	}{
		"once, however often": {[]string{"http://h:1/act", "http://h:1/act", "http://h:1/act"}, []error{refusedBy("dial"), refusedBy("dial"), nil}, []string{"http://h:1/act: connection refused; trying again for 30s"}},
		"for each address":    {[]string{"http://h:1/a", "http://h:2/a"}, []error{refusedBy("dial"), refusedBy("dial")}, []string{"http://h:1/a: connection refused; trying again for 30s", "http://h:2/a: connection refused; trying again for 30s"}},
		"not after an answer": {[]string{"http://h:1/a", "http://h:1/a"}, []error{nil, refusedBy("dial")}, nil},
		"no other failure":    {[]string{"http://h:1/a", "http://h:1/a"}, []error{errBroken, refusedBy("dial")}, []string{"http://h:1/a: connection refused; trying again for 30s"}},
		"a proxy":             {[]string{"https://h/a"}, []error{refusedBy("proxyconnect")}, []string{"https://h/a: its proxy: connection refused; trying again for 30s"}},
		"without secrets":     {[]string{"http://me:pass@h/a/k-1234?key=k-1234#x"}, []error{refusedBy("dial")}, []string{"http://h/a/…: connection refused; trying again for 30s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			a := newTestApp()
			k := a.knock(roundTrip(func(*http.Request) (*http.Response, error) {
				n++
				return nil, c.answers[n-1]
			}), 30*time.Second, func(text string) string { return strings.ReplaceAll(text, "k-1234", "…") })
			for i, address := range c.asked {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := k.RoundTrip(r); !errors.Is(err, c.answers[i]) { //nolint:bodyclose // there is none
					t.Errorf("request %d gives %v", i, err)
				}
			}
			want := ""
			for _, w := range c.want {
				want += "triage: " + w + "\n"
			}
			if d := cmp.Diff(want, a.errs.String()); d != "" {
				t.Errorf("told (-want +got):\n%s", d)
			}
		})
	}
}

// An agent's server that starts a moment later plays all the same, and the run has said what it waited for.
func TestARunSaysThatNothingListensWhereItsAgentIs(t *testing.T) {
	t.Parallel()
	for agent, c := range map[string]struct{ where, again string }{
		"http://127.0.0.1:8000/act": {"http://127.0.0.1:8000/act", "30s"},
		"llm":                       {"http://127.0.0.1:8000/v1/chat/completions", "1m0s"},
	} {
		for name, from := range map[string]int{"a server that is starting": 4, "nobody": 1000} {
			t.Run(agent+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := 0
					a := newTestApp()
					a.Now = time.Now
					a.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
						if n++; n < from {
							return nil, refusedBy("dial")
						}
						text := `{"category":"Bug"}`
						if agent == "llm" {
							text = fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text)
						}
						return okWith(r, text), nil
					})}
					args := []string{"run", "--agent", agent, "--tasks", "desk-easy", "--episodes", "1", "--workers", "1", "--no-floor", "--progress", "off"}
					if agent == "llm" {
						args = append(args, "--model", "x", "--base-url", "http://127.0.0.1:8000/v1", "--cache", "off")
					}
					code := a.run(t.Context(), args...)
					if want := from > 100; (code != ExitOK) != want {
						t.Errorf("exit code %d", code)
					}
					line := "triage: " + c.where + ": connection refused; trying again for " + c.again + "\n"
					if got := a.errs.String(); strings.Count(got, line) != 1 || strings.Count(got, "trying again") != 1 {
						t.Errorf("stderr is %s\nwant once: %s", got, line)
					}
				})
			})
		}
	}
}
