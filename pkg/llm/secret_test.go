package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

// lesson D68
func TestNoSecretIsInAnyErrorLogOrString(t *testing.T) {
	t.Parallel()
	const headerSecret = "hush-hush-4711-very-secret"
	echo := `key ` + secretKey + ` and Bearer ` + secretKey + ` and ` + headerSecret
	for name, a := range map[string]answer{
		"an endpoint that echoes the key":  fails(401, openAIError("Incorrect "+echo, secretKey, secretKey)),
		"a page":                           {status: 502, header: http.Header{"Content-Type": {"text/html"}}, body: "<html>" + echo + "</html>"},
		"a refusal of a setting":           fails(400, openAIError("Unsupported parameter: 'seed' "+echo, "seed", "unsupported_parameter")),
		"the network":                      {err: &url.Error{Op: "Post", URL: "https://x.test/?key=" + secretKey, Err: errors.New("broken " + echo)}},
		"an answer that is no completion":  {status: 200, body: `{"choices":[{"message":{"content":{"a":"` + secretKey + `"`},
		"a redirect to an address with it": {status: 307, header: http.Header{"Location": {"https://x.test/" + secretKey}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{reply: func(int, map[string]any) answer { return a }}
				o := options(t, e)
				o.Endpoint.Headers = http.Header{"X-Team": {headerSecret}}
				o.Endpoint.BaseURL.User = url.UserPassword("me", "pass-of-the-proxy")
				o.Proxy = "http://" + secretKey + "@proxy.test"
				o.Budget = 3 * time.Second
				var seen strings.Builder
				o.Log = func(r llm.Record) { fmt.Fprintf(&seen, "%v %+v %#v\n", r, r, r) }
				o.OnLearn = func(l llm.Learned) { fmt.Fprintf(&seen, "%+v\n", l) }
				c := client(t, o)
				_, err := c.Complete(context.Background(), request())
				f := failure(t, err)
				fmt.Fprintf(&seen, "%v %+v %s\n%v\n", err, *f, f.Hint, c.Status())
				for cause := err; cause != nil; cause = errors.Unwrap(cause) {
					fmt.Fprintf(&seen, "%v %+v\n", cause, cause)
				}
				ep := c.Endpoint()
				asJSON, err := json.Marshal(map[string]any{"endpoint": ep, "learned": c.Learned()})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&seen, "%v %+v %#v %s %s\n", ep, ep, ep, asJSON, fmt.Sprint(o.Endpoint))
				for _, secret := range []string{secretKey, headerSecret, "pass-of-the-proxy"} {
					if i := strings.Index(seen.String(), secret); i >= 0 {
						t.Errorf("secret in: …%s", seen.String()[max(0, i-200):min(i+20, seen.Len())])
					}
				}
				if e.header[0].Get("Authorization") != "Bearer "+secretKey || e.header[0].Get("X-Team") != headerSecret {
					t.Error("the secrets did not go out")
				}
			})
		})
	}
}

func TestAnEndpointIsWrittenWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	o := options(t, &endpoint{})
	o.Endpoint.Headers = http.Header{"X-Team": {"a"}, "X-Org": {"b"}}
	o.Endpoint.BaseURL.RawQuery = "key=abc"
	got, err := json.Marshal(o.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"base_url":"https://llm.example.test/v1","model":"gpt-test","provider":"openai","api_key_env":"OPENAI_API_KEY","headers":["X-Org","X-Team"]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestAzureIsCalledAsAzureWants(t *testing.T) {
	t.Parallel()
	env := map[string]string{"AZURE_OPENAI_API_KEY": secretKey, "AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/", "OPENAI_API_VERSION": "2024-10-21"}
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		var err error
		if o.Endpoint, err = llm.ParseModel("azure:gpt-4.1 mini", lookup(env), llm.EndpointOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
			t.Fatal(err)
		}
		got := []string{e.urls[0], e.header[0].Get("Api-Key"), e.header[0].Get("Authorization"), e.field(0, "model")}
		want := []string{"https://mine.openai.azure.com/openai/deployments/gpt-4.1%20mini/chat/completions?api-version=2024-10-21", secretKey, "", `"gpt-4.1 mini"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTheQueryOfABaseURLIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer { return well() }}
		o := options(t, e)
		o.Endpoint.BaseURL.RawQuery = "route=eu"
		if _, err := client(t, o).Complete(context.Background(), request()); err != nil {
			t.Fatal(err)
		}
		if e.urls[0] != "https://llm.example.test/v1/chat/completions?route=eu" {
			t.Error(e.urls[0])
		}
	})
}

// lesson E99
func TestAFailureOfTheNetworkNamesProxyAndCertificate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  string
		want string
	}{
		"certificate": {"tls: failed to verify certificate: x509: certificate signed by unknown authority", "--ca-cert FILE"},
		"proxy":       {"proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused", "HTTPS_PROXY"},
		"refused":     {"dial tcp 127.0.0.1:1: connect: connection refused", "a server runs at https://llm.example.test/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := options(t, &endpoint{reply: func(int, map[string]any) answer { return answer{err: errors.New(c.err)} }})
				o.Proxy, o.Budget = "http://10.0.0.1:3128", time.Second
				_, err := client(t, o).Complete(context.Background(), request())
				f := failure(t, err)
				if !strings.Contains(f.Hint, c.want) || !strings.Contains(f.Hint, "http://10.0.0.1:3128") || !strings.Contains(f.Error(), c.err) {
					t.Errorf("%v; hint %q", f, f.Hint)
				}
			})
		})
	}
}

func TestTheStatusTellsWhyCallsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			return answer{status: 503, header: http.Header{"Retry-After": {"60"}}, body: `{"error":{"message":"Loading model"}}`}
		}}
		c := client(t, options(t, e))
		ctx, cancel := context.WithCancel(context.Background())
		for range 3 {
			go func() { _, _ = c.Complete(ctx, request()) }()
		}
		time.Sleep(10 * time.Second)
		want := "gpt-test at https://llm.example.test/v1: 2 waiting for their turn; 1 waiting to retry, the first in 50s after: Loading model"
		if got := c.Status().String(); got != want {
			t.Errorf("status is %q, want %q", got, want)
		}
		cancel()
		synctest.Wait()
		if got := c.Status().String(); got != "gpt-test at https://llm.example.test/v1: idle; last error: Loading model" {
			t.Errorf("status is %q", got)
		}
	})
}

func TestToolArgumentsAreTheText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{reply: func(int, map[string]any) answer {
			return answer{status: 200, body: `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"triage","arguments":{"category":"billing"}}}]},"finish_reason":"tool_calls"}],"usage":null}`}
		}}
		o := options(t, e)
		o.Format = llm.FormatTools
		r, err := client(t, o).Complete(context.Background(), request())
		if err != nil || !r.Tool || r.Text != `{"category":"billing"}` || r.Finish != "tool_calls" || r.Usage != (llm.Usage{}) || r.Cost.Known {
			t.Errorf("%+v, %v", r, err)
		}
		if got := e.field(0, "tool_choice"); got != `{"function":{"name":"triage"},"type":"function"}` {
			t.Error(got)
		}
	})
}
