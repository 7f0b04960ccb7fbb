package llm

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/llm/wire"
)

// Endpoint is where a model is and what it is called with. It prints without its secrets.
type Endpoint struct {
	BaseURL *url.URL // up to, without, /chat/completions
	Model   string   // as the endpoint names it; with Azure the deployment
	// Provider is the name in front of the model's name, such as ollama: the price list goes by it. Empty: not known.
	Provider string
	Key      wire.Secret // empty: none is sent
	// KeyVariable is the name of the environment variable that the key is from, for messages.
	KeyVariable string
	// APIVersion is Azure's api-version; where it is set the request goes to the deployment's path with the header api-key.
	APIVersion string
	// Headers go out with every request. Their values are secrets.
	Headers http.Header
}

// String names model and base URL, and nothing that is secret.
func (e Endpoint) String() string { return e.Model + " at " + e.place() }

// GoString is String, so that %#v shows no secret either.
func (e Endpoint) GoString() string { return e.String() }

// MarshalJSON gives base_url, model, provider, api_key_env, api_version and the names of the headers.
func (e Endpoint) MarshalJSON() ([]byte, error) {
	names := make([]string, 0, len(e.Headers))
	for name := range e.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	return json.Marshal(struct {
		BaseURL     string   `json:"base_url"`
		Model       string   `json:"model"`
		Provider    string   `json:"provider,omitempty"`
		KeyVariable string   `json:"api_key_env,omitempty"`
		APIVersion  string   `json:"api_version,omitempty"`
		Headers     []string `json:"headers,omitempty"`
	}{e.place(), e.Model, e.Provider, e.KeyVariable, e.APIVersion, names})
}

// place is the base URL without what may be secret in it.
func (e Endpoint) place() string {
	if e.BaseURL == nil {
		return "no base URL"
	}
	u := *e.BaseURL
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Secrets are what of an endpoint must not be shown or written: the key, the values of headers, the password in the base URL and what
// its query holds under a name that speaks of a key.
func (e Endpoint) Secrets() []wire.Secret {
	secrets := []wire.Secret{e.Key}
	for _, name := range sortedKeys(e.Headers) {
		for _, value := range e.Headers[name] {
			secrets = append(secrets, wire.Secret(value))
		}
	}
	if e.BaseURL == nil {
		return secrets
	}
	if e.BaseURL.User != nil {
		password, _ := e.BaseURL.User.Password()
		secrets = append(secrets, wire.Secret(password))
	}
	query := e.BaseURL.Query()
	for _, name := range sortedKeys(query) {
		if secretName.MatchString(name) {
			for _, value := range query[name] {
				secrets = append(secrets, wire.Secret(value))
			}
		}
	}
	return secrets
}

var secretName = lazyregexp.New(`(?i)key|token|secret|sig|auth|pass|code`)

// provider says where the models of a name are and which variables are read for them.
type provider struct {
	name string
	base string
	// baseVariables may hold another base URL, keyVariables the key: the first one that is set counts.
	baseVariables []string
	keyVariables  []string
	needsKey      bool // at its own base URL
}

const openAI = "openai"

func allProviders() []provider {
	return []provider{
		{name: openAI, base: "https://api.openai.com/v1", baseVariables: []string{"OPENAI_BASE_URL"}, keyVariables: []string{"OPENAI_API_KEY"}, needsKey: true},
		{name: "anthropic", base: "https://api.anthropic.com/v1", keyVariables: []string{"ANTHROPIC_API_KEY"}, needsKey: true},
		{name: "azure", baseVariables: []string{"AZURE_OPENAI_ENDPOINT"}, keyVariables: []string{"AZURE_OPENAI_API_KEY"}, needsKey: true},
		{name: "gemini", base: "https://generativelanguage.googleapis.com/v1beta/openai", keyVariables: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, needsKey: true},
		{name: "groq", base: "https://api.groq.com/openai/v1", keyVariables: []string{"GROQ_API_KEY"}, needsKey: true},
		{name: "llamacpp", base: "http://127.0.0.1:8080/v1", keyVariables: []string{"LLAMA_API_KEY"}},
		{name: "lmstudio", base: "http://127.0.0.1:1234/v1", keyVariables: []string{"LM_API_TOKEN"}},
		{name: "ollama", base: "http://127.0.0.1:11434/v1", keyVariables: []string{"OLLAMA_API_KEY"}},
		{name: "openrouter", base: "https://openrouter.ai/api/v1", keyVariables: []string{"OPENROUTER_API_KEY"}, needsKey: true},
		{name: "together", base: "https://api.together.xyz/v1", keyVariables: []string{"TOGETHER_API_KEY"}, needsKey: true},
		{name: "vllm", base: "http://127.0.0.1:8000/v1", keyVariables: []string{"VLLM_API_KEY"}},
	}
}

// Providers lists the names that may stand in front of a model's name, sorted.
func Providers() []string {
	var out []string
	for _, p := range allProviders() {
		out = append(out, p.name)
	}
	slices.Sort(out)
	return out
}

// ProviderHelp gives a line for each provider, for help texts: name, base URL and the variables that are read.
func ProviderHelp() []string {
	var out []string
	for _, p := range allProviders() {
		base := p.base
		if base == "" {
			base = "$" + p.baseVariables[0]
		}
		out = append(out, fmt.Sprintf("%-11s%s  %s", p.name+":", base, strings.Join(p.keyVariables, ", ")))
	}
	slices.Sort(out)
	return out
}

func knownProvider(name string) bool { return slices.Contains(Providers(), name) }

// EndpointOptions say what the user has set beside the model's name. All may be empty.
type EndpointOptions struct {
	BaseURL     string   // as people type it: see wire.ParseBaseURL
	KeyVariable string   // name of the variable that holds the key
	APIVersion  string   // Azure's
	Headers     []string // "Name: value"; ${VARIABLE} in a value is the variable's value
}

// ParseModel reads a model as users name it: NAME, or PROVIDER:NAME with a known provider, which only sets base URL and key
// variable. A name with a colon and no known provider in front (qwen3:8b) is a whole name. Env looks environment variables
// up. A key that the provider needs and that is not there is an error that names the variable.
func ParseModel(spec string, env func(string) (string, bool), o EndpointOptions) (Endpoint, error) {
	spec = strings.TrimSpace(spec)
	p, model := splitModel(spec)
	if model == "" {
		return Endpoint{}, fmt.Errorf("model %q: there is no name of a model; allowed are NAME and PROVIDER:NAME with PROVIDER one of %s", spec, strings.Join(Providers(), ", "))
	}
	e := Endpoint{Model: model, Provider: p.name}
	text, own, err := p.baseOf(env, o)
	if err != nil {
		return Endpoint{}, fmt.Errorf("model %q: %w", spec, err)
	}
	if e.BaseURL, err = wire.ParseBaseURL(text); err != nil {
		return Endpoint{}, fmt.Errorf("model %q: %w", spec, err)
	}
	if !strings.HasPrefix(spec, p.name+":") && !own {
		e.Provider = providerAt(e.BaseURL.Hostname())
	}
	if err := e.azure(p, env, o); err != nil {
		return Endpoint{}, fmt.Errorf("model %q: %w", spec, err)
	}
	if err := e.readKey(p, env, o, own); err != nil {
		return Endpoint{}, fmt.Errorf("model %q: %w", spec, err)
	}
	if e.Headers, err = ParseHeaders(o.Headers, env); err != nil {
		return Endpoint{}, err
	}
	return e, nil
}

func splitModel(spec string) (provider, string) {
	all := allProviders()
	if name, model, ok := strings.Cut(spec, ":"); ok {
		if i := slices.IndexFunc(all, func(p provider) bool { return p.name == name }); i >= 0 {
			return all[i], strings.TrimSpace(model)
		}
	}
	return all[slices.IndexFunc(all, func(p provider) bool { return p.name == openAI })], spec
}

// baseOf gives the base URL as text, and whether it is the provider's own rather than one that the user has set.
func (p provider) baseOf(env func(string) (string, bool), o EndpointOptions) (text string, own bool, err error) {
	if o.BaseURL != "" {
		return o.BaseURL, false, nil
	}
	if p.name == "ollama" {
		if host, ok := env("OLLAMA_HOST"); ok && strings.TrimSpace(host) != "" {
			return ollamaHost(host), false, nil
		}
	}
	for _, name := range p.baseVariables {
		if v, ok := env(name); ok && strings.TrimSpace(v) != "" {
			return v, p.base == "", nil
		}
	}
	if p.base == "" {
		return "", false, fmt.Errorf("%s has no base URL of its own: set %s or --base-url", p.name, strings.Join(p.baseVariables, " or "))
	}
	return p.base, true, nil
}

// ollamaHost reads OLLAMA_HOST as Ollama does: scheme http, host 127.0.0.1 and port 11434 where they are not given, and
// the usual port of a scheme that is. An address to listen on everywhere is called on this machine.
func ollamaHost(text string) string {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	scheme, rest, hasScheme := strings.Cut(text, "://")
	port := "11434"
	if !hasScheme {
		scheme, rest = "http", text
	} else if port = "80"; scheme == "https" {
		port = "443"
	}
	host, path, _ := strings.Cut(rest, "/")
	if h, p, err := net.SplitHostPort(host); err == nil {
		host = h
		if p != "" {
			port = p
		}
	}
	host = strings.Trim(host, "[]")
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	out := scheme + "://" + net.JoinHostPort(host, port)
	if path = strings.Trim(path, "/"); path != "" {
		out += "/" + path
	}
	return out + "/v1"
}

// providerAt names the provider whose public host this is, or none.
func providerAt(host string) string {
	for _, p := range allProviders() {
		if u, err := url.Parse(p.base); err == nil && p.needsKey && u.Hostname() == host && host != "" {
			return p.name
		}
	}
	return ""
}
