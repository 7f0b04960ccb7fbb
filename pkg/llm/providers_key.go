package llm

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/llm/wire"
)

// azure sets what Azure's deployments need. A base URL that ends in /v1 is Azure's newer surface, which is called as
// OpenAI's is.
func (e *Endpoint) azure(p provider, env func(string) (string, bool), o EndpointOptions) error {
	if p.name != "azure" {
		e.APIVersion = o.APIVersion
		return nil
	}
	if strings.HasSuffix(strings.TrimRight(e.BaseURL.Path, "/"), "/openai/v1") {
		return nil
	}
	version := o.APIVersion
	if version == "" {
		version = e.BaseURL.Query().Get("api-version")
	}
	if version == "" {
		version, _ = env("OPENAI_API_VERSION")
	}
	if version = strings.TrimSpace(version); version == "" {
		return fmt.Errorf("azure needs an api-version: set OPENAI_API_VERSION, or give the base URL with ?api-version=…")
	}
	e.APIVersion = version
	u := *e.BaseURL
	u.RawQuery = ""
	// Pasted addresses go on behind the host; go-openai adds /openai/deployments/NAME itself.
	if i := strings.Index(u.Path, "/openai"); i >= 0 {
		u.Path = u.Path[:i]
	}
	if u.Path == "/v1" {
		u.Path = ""
	}
	e.BaseURL = &u
	return nil
}

func (e *Endpoint) readKey(p provider, env func(string) (string, bool), o EndpointOptions, own bool) error {
	names := p.keyVariables
	if o.KeyVariable != "" {
		if !variableName.MatchString(o.KeyVariable) || strings.HasPrefix(o.KeyVariable, "sk-") {
			return fmt.Errorf("what is given is no name of a variable: name the variable that holds the key, such as OPENAI_API_KEY, not the key itself")
		}
		names = []string{o.KeyVariable}
	}
	e.KeyVariable = names[0]
	for _, name := range names {
		v, ok := env(name)
		if !ok || strings.TrimSpace(v) == "" {
			continue
		}
		key, err := wire.ParseSecret(name, v)
		if err != nil {
			return err
		}
		e.KeyVariable, e.Key = name, key
		return nil
	}
	if o.KeyVariable != "" {
		return fmt.Errorf("no key: the variable %s is empty or not set", o.KeyVariable)
	}
	if own && p.needsKey {
		return fmt.Errorf("no key for %s: set %s, or name the variable that holds it with --api-key-env; another endpoint is PROVIDER:NAME or --base-url",
			e.place(), strings.Join(names, " or "))
	}
	return nil
}

var (
	variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	variableForm = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	tokenForm    = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
)

// ParseHeaders reads headers as "Name: value". A ${VARIABLE} in a value is replaced by the variable's value; one that is
// not set is an error. No error shows a value.
func ParseHeaders(lines []string, env func(string) (string, bool)) (http.Header, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	out := http.Header{}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || !tokenForm.MatchString(name) {
			return nil, fmt.Errorf("header %d is not allowed; allowed is 'Name: value'", i+1)
		}
		if bearsKey(name) && !variableForm.MatchString(value) {
			return nil, fmt.Errorf("header %s bears a key, which stands in a variable only: '%s: ${VARIABLE}'", name, name)
		}
		missing := ""
		value = variableForm.ReplaceAllStringFunc(strings.TrimSpace(value), func(ref string) string {
			v, ok := env(ref[2 : len(ref)-1])
			if !ok {
				missing = ref[2 : len(ref)-1]
			}
			return strings.TrimSpace(v)
		})
		if missing != "" {
			return nil, fmt.Errorf("header %s: the variable %s is not set", name, missing)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, fmt.Errorf("header %s: the value has a line break or control character inside", name)
		}
		out.Add(name, value)
	}
	return out, nil
}

// bearsKey tells whether a header is one that keys are sent in.
func bearsKey(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key":
		return true
	}
	return false
}
