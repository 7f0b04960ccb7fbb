package wire_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/llm/wire"
)

func TestABaseURLIsReadAsPeopleTypeIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://api.openai.com/v1":          "https://api.openai.com/v1",
		" https://api.openai.com/v1/ \n":     "https://api.openai.com/v1",
		"https://api.openai.com":             "https://api.openai.com/v1",
		"https://api.openai.com/":            "https://api.openai.com/v1",
		"api.openai.com":                     "https://api.openai.com/v1",
		"api.openai.com/v1///":               "https://api.openai.com/v1",
		`"https://api.openai.com/v1"`:        "https://api.openai.com/v1",
		"HTTPS://API.OpenAI.com/v1":          "https://api.openai.com/v1",
		"//api.openai.com":                   "https://api.openai.com/v1",
		"localhost:11434":                    "http://localhost:11434/v1",
		"localhost":                          "http://localhost/v1",
		"localhost:8080/v1":                  "http://localhost:8080/v1",
		"127.0.0.1:8000":                     "http://127.0.0.1:8000/v1",
		"127.0.0.2":                          "http://127.0.0.2/v1",
		"0.0.0.0:8000":                       "http://127.0.0.1:8000/v1",
		"[::]:8000":                          "http://[::1]:8000/v1",
		"::1":                                "http://[::1]/v1",
		"[::1]:8000/v1":                      "http://[::1]:8000/v1",
		"192.168.1.5:1234":                   "http://192.168.1.5:1234/v1",
		"10.0.0.1":                           "http://10.0.0.1/v1",
		"8.8.8.8:8000":                       "https://8.8.8.8:8000/v1",
		"gpu-box:8000":                       "http://gpu-box:8000/v1",
		"gpu.local":                          "http://gpu.local/v1",
		"host.docker.internal:11434":         "http://host.docker.internal:11434/v1",
		"https://h.test/v1/chat/completions": "https://h.test/v1",
		"https://api.perplexity.ai/chat/completions/":                                    "https://api.perplexity.ai",
		"https://h.test/v1/completions":                                                  "https://h.test/v1",
		"https://openrouter.ai/api/v1":                                                   "https://openrouter.ai/api/v1",
		"generativelanguage.googleapis.com/v1beta/openai/":                               "https://generativelanguage.googleapis.com/v1beta/openai",
		"https://r.openai.azure.com":                                                     "https://r.openai.azure.com",
		"https://r.openai.azure.com/?api-version=2024-10-21":                             "https://r.openai.azure.com?api-version=2024-10-21",
		"https://h.test?api-version=1":                                                   "https://h.test?api-version=1",
		"https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=1": "https://r.openai.azure.com/openai/deployments/d?api-version=1",
		"https://h.test/v1?a=b#frag":                                                     "https://h.test/v1?a=b",
		"proxy.test/?to=https://x.test":                                                  "http://proxy.test/v1?to=https://x.test",
	} {
		got, err := wire.ParseBaseURL(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got.String() != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
		if again, err := wire.ParseBaseURL(got.String()); err != nil || again.Host != got.Host {
			t.Errorf("%q read twice is %v, %v", text, again, err)
		}
	}
}

func TestWhatIsNoBaseURLIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              `base URL "": it is empty`,
		"  ":                            "it is empty",
		"ftp://x.test":                  "the scheme must be http or https",
		"https://":                      "it names no host",
		"/v1":                           "it names no host",
		"https:///v1":                   "it names no host",
		"https://a b.test":              "it holds a space",
		"https://x.test:0":              "the port must be 1 to 65535, not 0",
		"x.test:99999":                  "the port must be 1 to 65535, not 99999",
		"x.test:":                       "the port is missing after the colon",
		"x.test:abc":                    "it is no URL",
		"https://YOUR<name>.test":       "the host cannot hold '<'",
		"https://${HOST}/v1":            "",
		"https://a..test":               "the host has an empty part",
		"https://%zz":                   "it is no URL",
		"https://me:s3cretpass@x.test/": "holds a user or password",
	} {
		_, err := wire.ParseBaseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "base URL ") {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestTheQueryOfABaseURLIsHandedToTheTransport(t *testing.T) {
	t.Parallel()
	u, err := wire.ParseBaseURL("https://r.openai.azure.com/openai/v1/?api-version=preview&x=1")
	if err != nil {
		t.Fatal(err)
	}
	base, query := wire.SplitQuery(u)
	if base != "https://r.openai.azure.com/openai/v1" || query != "api-version=preview&x=1" {
		t.Errorf("split into %q and %q", base, query)
	}
}

func FuzzParseBaseURL(f *testing.F) {
	for _, s := range []string{"localhost:1", "https://a.test/v1?x=y", "::1", "[::1]:2/v1/chat/completions", "://x", "a@b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := wire.ParseBaseURL(text)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.HasSuffix(u.Path, "/") {
			t.Errorf("%q is %s", text, u)
		}
		if again, err := wire.ParseBaseURL(u.String()); err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Errorf("%q is %s, and that is %v, %v", text, u, again, err)
		}
	})
}
