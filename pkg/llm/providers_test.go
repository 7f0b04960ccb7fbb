package llm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/llm"
)

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestAModelsNameSetsBaseURLAndKeyVariable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec string
		env  map[string]string
		o    llm.EndpointOptions
		want string // base URL, model, provider, key variable, whether there is a key, api-version; or the error
	}{
		"no prefix":               {spec: "gpt-4.1-mini", env: map[string]string{"OPENAI_API_KEY": "k"}, want: "https://api.openai.com/v1 gpt-4.1-mini openai OPENAI_API_KEY key"},
		"space and lines around":  {spec: " openai:gpt-5 ", env: map[string]string{"OPENAI_API_KEY": " k\n"}, want: "https://api.openai.com/v1 gpt-5 openai OPENAI_API_KEY key"},
		"base URL variable":       {spec: "m", env: map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://api.groq.com/openai/v1/"}, want: "https://api.groq.com/openai/v1 m groq OPENAI_API_KEY key"},
		"local, no key":           {spec: "m", env: map[string]string{"OPENAI_BASE_URL": "localhost:9000"}, want: "http://localhost:9000/v1 m  OPENAI_API_KEY"},
		"a colon in the name":     {spec: "qwen3:8b", o: llm.EndpointOptions{BaseURL: "http://127.0.0.1:11434"}, want: "http://127.0.0.1:11434/v1 qwen3:8b  OPENAI_API_KEY"},
		"prefix and base URL":     {spec: "ollama:qwen3:8b", o: llm.EndpointOptions{BaseURL: "http://10.0.0.5:11434/v1"}, want: "http://10.0.0.5:11434/v1 qwen3:8b ollama OLLAMA_API_KEY"},
		"ollama":                  {spec: "ollama:qwen3:8b", want: "http://127.0.0.1:11434/v1 qwen3:8b ollama OLLAMA_API_KEY"},
		"ollama host":             {spec: "ollama:m", env: map[string]string{"OLLAMA_HOST": "box"}, want: "http://box:11434/v1 m ollama OLLAMA_API_KEY"},
		"ollama port":             {spec: "ollama:m", env: map[string]string{"OLLAMA_HOST": ":1234"}, want: "http://127.0.0.1:1234/v1 m ollama OLLAMA_API_KEY"},
		"ollama listens anywhere": {spec: "ollama:m", env: map[string]string{"OLLAMA_HOST": "0.0.0.0"}, want: "http://127.0.0.1:11434/v1 m ollama OLLAMA_API_KEY"},
		"ollama https":            {spec: "ollama:m", env: map[string]string{"OLLAMA_HOST": "https://box.test"}, want: "https://box.test:443/v1 m ollama OLLAMA_API_KEY"},
		"ollama v6":               {spec: "ollama:m", env: map[string]string{"OLLAMA_HOST": "[::1]:7"}, want: "http://[::1]:7/v1 m ollama OLLAMA_API_KEY"},
		"openrouter":              {spec: "openrouter:openai/gpt-5-mini", env: map[string]string{"OPENROUTER_API_KEY": "k"}, want: "https://openrouter.ai/api/v1 openai/gpt-5-mini openrouter OPENROUTER_API_KEY key"},
		"vllm":                    {spec: "vllm:Qwen/Qwen3-8B", want: "http://127.0.0.1:8000/v1 Qwen/Qwen3-8B vllm VLLM_API_KEY"},
		"llamacpp":                {spec: "llamacpp:any", want: "http://127.0.0.1:8080/v1 any llamacpp LLAMA_API_KEY"},
		"lmstudio":                {spec: "lmstudio:any", want: "http://127.0.0.1:1234/v1 any lmstudio LM_API_TOKEN"},
		"groq":                    {spec: "groq:m", env: map[string]string{"GROQ_API_KEY": "k"}, want: "https://api.groq.com/openai/v1 m groq GROQ_API_KEY key"},
		"together":                {spec: "together:m", env: map[string]string{"TOGETHER_API_KEY": "k"}, want: "https://api.together.xyz/v1 m together TOGETHER_API_KEY key"},
		"gemini":                  {spec: "gemini:m", env: map[string]string{"GOOGLE_API_KEY": "k"}, want: "https://generativelanguage.googleapis.com/v1beta/openai m gemini GOOGLE_API_KEY key"},
		"anthropic":               {spec: "anthropic:m", env: map[string]string{"ANTHROPIC_API_KEY": "k"}, want: "https://api.anthropic.com/v1 m anthropic ANTHROPIC_API_KEY key"},
		"azure, query":            {spec: "azure:d", env: map[string]string{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2025-01-01"}, want: "https://x.openai.azure.com d azure AZURE_OPENAI_API_KEY key 2025-01-01"},
		"azure, newer surface":    {spec: "azure:d", env: map[string]string{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/openai/v1"}, want: "https://x.openai.azure.com/openai/v1 d azure AZURE_OPENAI_API_KEY key"},
		"another key variable":    {spec: "groq:m", env: map[string]string{"MINE": "k"}, o: llm.EndpointOptions{KeyVariable: "MINE"}, want: "https://api.groq.com/openai/v1 m groq MINE key"},

		"no key":                 {spec: "gpt-5", want: `model "gpt-5": no key for https://api.openai.com/v1: set OPENAI_API_KEY, or name the variable that holds it with --api-key-env; another endpoint is PROVIDER:NAME or --base-url`},
		"no key of two":          {spec: "gemini:m", want: `model "gemini:m": no key for https://generativelanguage.googleapis.com/v1beta/openai: set GEMINI_API_KEY or GOOGLE_API_KEY, or name the variable that holds it with --api-key-env; another endpoint is PROVIDER:NAME or --base-url`},
		"named variable empty":   {spec: "vllm:m", o: llm.EndpointOptions{KeyVariable: "MINE"}, want: `model "vllm:m": no key: the variable MINE is empty or not set`},
		"no model":               {spec: "groq:", want: `model "groq:": there is no name of a model; allowed are NAME and PROVIDER:NAME with PROVIDER one of anthropic, azure, gemini, groq, llamacpp, lmstudio, ollama, openai, openrouter, together, vllm`},
		"azure without endpoint": {spec: "azure:d", want: `model "azure:d": azure has no base URL of its own: set AZURE_OPENAI_ENDPOINT or --base-url`},
		"azure without version":  {spec: "azure:d", env: map[string]string{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"}, want: `model "azure:d": azure needs an api-version: set OPENAI_API_VERSION, or give the base URL with ?api-version=…`},
		"a key of two lines":     {spec: "gpt-5", env: map[string]string{"OPENAI_API_KEY": "k\nk"}, want: `model "gpt-5": key in OPENAI_API_KEY holds a line end at byte 2 of 3: a key is one word of letters, digits and signs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := llm.ParseModel(c.spec, lookup(c.env), c.o)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = e.BaseURL.String() + " " + e.Model + " " + e.Provider + " " + e.KeyVariable
				if e.Key.Reveal() == "k" {
					got += " key"
				}
				if e.APIVersion != "" {
					got += " " + e.APIVersion
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeadersMayNameVariables(t *testing.T) {
	t.Parallel()
	env := lookup(map[string]string{"TOKEN": "secret-token\n"})
	got, err := llm.ParseHeaders([]string{"X-Auth: Token ${TOKEN}", "x-team:a: b", "X-Team: c", "X-Empty:"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(http.Header{"X-Auth": {"Token secret-token"}, "X-Team": {"a: b", "c"}, "X-Empty": {""}}, got); diff != "" {
		t.Error(diff)
	}
	for line, want := range map[string]string{
		"no colon, secret": "header 1 is not allowed; allowed is 'Name: value'",
		"bad name: v":      "header 1 is not allowed; allowed is 'Name: value'",
		"X: ${MISSING}":    "header X: the variable MISSING is not set",
		"X: a\nY: b":       "header X: the value has a line break or control character inside",
	} {
		if _, err := llm.ParseHeaders([]string{line}, env); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestProvidersAreListedForHelpTexts(t *testing.T) {
	t.Parallel()
	help := llm.ProviderHelp()
	if len(help) != len(llm.Providers()) {
		t.Fatalf("%d lines for %d providers", len(help), len(llm.Providers()))
	}
	for i, name := range llm.Providers() {
		if !strings.HasPrefix(help[i], name+":") {
			t.Errorf("line %d is %q, want %s", i, help[i], name)
		}
	}
	if want := "azure:     $AZURE_OPENAI_ENDPOINT  AZURE_OPENAI_API_KEY"; help[1] != want {
		t.Errorf("%q, want %q", help[1], want)
	}
}

func FuzzParseModel(f *testing.F) {
	for _, s := range []string{"gpt-5", "ollama:a:b", "azure:", ":", "groq: x"} {
		f.Add(s, "http://127.0.0.1", "box:1")
	}
	f.Fuzz(func(t *testing.T, spec, base, host string) {
		env := lookup(map[string]string{"OPENAI_API_KEY": "k", "OLLAMA_HOST": host, "OPENAI_API_VERSION": "v"})
		e, err := llm.ParseModel(spec, env, llm.EndpointOptions{BaseURL: base})
		if err == nil && (e.Model == "" || e.BaseURL == nil || e.BaseURL.Host == "") {
			t.Errorf("%q at %q gives %v", spec, base, e)
		}
		if e, err := llm.ParseModel("ollama:m", env, llm.EndpointOptions{}); err == nil && e.BaseURL.Host == "" {
			t.Errorf("OLLAMA_HOST %q gives %v", host, e)
		}
	})
}
