package cli

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/llm"
)

// endpoint reads a model as the user named it.
func (m *modelOptions) endpoint(app *App, spec string) (llm.Endpoint, error) {
	lookup := app.LookupEnv
	if m.Replay != "" || m.DryRun {
		lookup = m.withoutKeys(lookup) // nothing is called, so that no key is needed
	}
	e, err := llm.ParseModel(spec, lookup, llm.EndpointOptions{BaseURL: m.BaseURL, KeyVariable: m.KeyVariable, APIVersion: m.APIVersion, Headers: m.Headers})
	if err != nil {
		return e, usageError("%v", err)
	}
	return e, nil
}

// clientOptions are those of one endpoint's client; what clients share is not in them.
func (m *modelOptions) clientOptions(app *App, e llm.Endpoint, transport http.RoundTripper) (llm.Options, error) {
	temperature, err := m.temperature()
	if err != nil {
		return llm.Options{}, err
	}
	o := llm.Options{Endpoint: e, Temperature: temperature, MaxOutputTokens: m.MaxOutputTokens, ReasoningEffort: m.ReasoningEffort, ExtraBody: m.extra,
		Format: llm.Format(m.Format), Timeout: m.Timeout, MaxWait: m.MaxWait, Budget: m.Budget, RPM: m.RPM, TPM: m.TPM, MaxConsecutiveErrors: m.MaxConsecutive,
		Transport: transport, Proxy: proxyOf(transport, e), Now: app.Now, Rand: jitter(app, e)}
	if m.SeedRequest >= 0 {
		o.Seed = &m.SeedRequest
	}
	return o, nil
}

// proxyOf names the proxy that an endpoint is called through, without its password, or none.
func proxyOf(transport http.RoundTripper, e llm.Endpoint) string {
	t, ok := transport.(*http.Transport)
	if !ok || t.Proxy == nil {
		return ""
	}
	u, err := t.Proxy(&http.Request{URL: e.BaseURL})
	if err != nil || u == nil {
		return ""
	}
	plain := *u
	plain.User = nil
	return plain.String()
}

// jitter are the draws of waits. Nothing that is recorded depends on them.
func jitter(app *App, e llm.Endpoint) *rand.Rand {
	seed := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(e.String()), uint64(app.Now().UnixNano())))
	return rand.New(rand.NewChaCha8(seed))
}

// transport is the network of models and of agents behind an address: the one that the program was given, or else a new one that goes by the
// flags.
func (m *modelOptions) transport(app *App) (http.RoundTripper, error) {
	if app.HTTP != nil && app.HTTP.Transport != nil {
		return app.HTTP.Transport, nil
	}
	t := http.DefaultTransport.(*http.Transport).Clone() // the library's own
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, max(2, m.Concurrency)
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: m.Insecure} //nolint:gosec // what the user asked for
	if m.CACert != "" {
		pem, err := app.ReadFile(m.CACert)
		if err != nil {
			return nil, fileProblem("read", m.CACert, err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, usageError("--ca-cert %s has no certificate in PEM form", m.CACert)
		}
		t.TLSClientConfig.RootCAs = pool
	}
	return t, nil
}

// notNeeded stands for a key or the value of a header where nothing is called.
const notNeeded = "this-is-no-key-since-nothing-is-called"

// withoutKeys looks variables up; those that hold keys are there, with what is no key. In a dry run those of headers are too; a
// replay needs them, since replies are kept under the headers that came with their requests.
func (m *modelOptions) withoutKeys(lookup func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := lookup(name); ok && strings.TrimSpace(v) != "" {
			return v, true
		}
		named := m.DryRun && slices.ContainsFunc(m.Headers, func(h string) bool { return strings.Contains(h, "${"+name+"}") })
		if named || name == m.KeyVariable || strings.HasSuffix(name, "_KEY") {
			return notNeeded, true
		}
		return "", false
	}
}
