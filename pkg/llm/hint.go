package llm

import (
	"fmt"
	"strings"
	"time"
)

// hint says what to do about an error, in one sentence, or nothing.
func (c *Client) hint(e *Error) string {
	doctor := "; `triage doctor --model " + c.o.Endpoint.Model + "` checks each setting"
	switch e.Kind {
	case KindKey:
		return c.keyHint(e) + doctor
	case KindQuota:
		return "the account behind " + c.keyName() + " has no quota left: add credit or wait until it is renewed"
	case KindModel:
		if e.Code == "redirect" {
			return "give the address that the redirect names as --base-url"
		}
		return fmt.Sprintf("see whether %s has the model %q, and whether the base URL is right: it ends where /chat/completions begins, mostly in /v1%s",
			e.URL, e.Model, doctor)
	case KindRefused:
		if hint := c.refusedHint(e); hint != "" {
			return hint
		}
		return "see what the endpoint says" + doctor
	case KindContentFilter:
		return "a filter of the endpoint refuses this text: turn the filter down there, or take the ticket out"
	case KindNotKept:
		return "replay with the settings of the recording, or record what is missing"
	case KindContextLength:
		return "the messages and --max-output-tokens together are longer than the model takes: use a model with a longer context, or --no-handbook, or fewer examples"
	case KindNetwork:
		return c.networkHint(e)
	case KindTimeout:
		return "give the endpoint more time with --timeout, or ask for less at once with --concurrency"
	case KindLimited:
		return "ask less often with --rpm, --tpm or --concurrency"
	case KindServer:
		return "see the server's own log; if it loads its model for long, try again later"
	}
	return ""
}

func (c *Client) keyName() string {
	if v := c.o.Endpoint.KeyVariable; v != "" {
		return v
	}
	return "the key"
}

func (c *Client) keyHint(e *Error) string {
	name := c.keyName()
	if c.o.Endpoint.Key == "" {
		return "no key was sent: set " + name + " to a key of " + e.URL + ", or name another variable with --api-key-env"
	}
	return "see whether the key in " + name + " is one of " + e.URL + ", or name another variable with --api-key-env"
}

func (c *Client) refusedHint(e *Error) string {
	said := strings.ToLower(e.said)
	for _, name := range sortedKeys(c.o.ExtraBody) {
		if e.Param == name || mention(said, strings.ToLower(name)) != nil {
			return "leave " + name + " out of --extra-body, or use an endpoint that takes it"
		}
	}
	switch {
	case c.o.Format != FormatAuto && (formatWords.MatchString(said) || strings.Contains(said, "tool")):
		return "the endpoint refuses --response-format " + string(c.o.Format) + ", which is never changed: use auto or another one"
	case mention(said, maxTokens) != nil || mention(said, maxCompletionTokens) != nil:
		return "give another --max-output-tokens"
	case mention(said, "temperature") != nil:
		return "give another --temperature"
	case mention(said, "reasoning_effort") != nil:
		return "give another --reasoning-effort"
	}
	return ""
}

func (c *Client) networkHint(e *Error) string {
	text := e.Text
	switch {
	case strings.Contains(text, "server gave HTTP response to HTTPS client"), strings.Contains(text, "does not look like a TLS handshake"):
		return "the server speaks http: give a base URL that begins with http://"
	case strings.Contains(text, "malformed HTTP response"):
		return "the server may speak https: give a base URL that begins with https://"
	case strings.Contains(text, "certificate"), strings.Contains(text, "x509"), strings.Contains(text, "tls:"):
		return "if you trust this server, give the certificate of its authority with --ca-cert FILE (or --insecure for a test)" + c.proxyHint()
	case strings.Contains(text, "proxyconnect"):
		return "the proxy cannot be reached: see HTTPS_PROXY, HTTP_PROXY and NO_PROXY" + c.proxyHint()
	case strings.Contains(text, "no such host"):
		return "see whether the host in the base URL is spelled right" + c.proxyHint()
	case strings.Contains(text, "refused"):
		return "see whether a server runs at " + e.URL + c.proxyHint()
	}
	return "see whether " + e.URL + " can be reached from here" + c.proxyHint()
}

func (c *Client) proxyHint() string {
	if c.o.Proxy == "" {
		return ""
	}
	return "; calls go through the proxy " + c.Redact(c.o.Proxy) + " (HTTPS_PROXY, HTTP_PROXY and NO_PROXY decide)"
}

// comeBack is the failure of a call that would have to wait longer than is allowed.
func (c *Client) comeBack(e *Error) *Error {
	out := *e
	at := c.o.Now().Add(e.RetryAfter)
	out.Kind, out.fatal = KindLimited, true
	out.Text = fmt.Sprintf("the endpoint asks to wait %v, above the longest wait of %v: %s", e.RetryAfter.Round(time.Second), c.o.MaxWait, e.Text)
	out.Hint = "come back after " + at.UTC().Format("2006-01-02 15:04:05") + " UTC, or allow longer waits with --max-wait"
	return &out
}

// tooDear is the refusal to make a call that may cost more than is left.
func (c *Client) tooDear(estimate int64) *Error {
	spent, limit := c.o.Purse.Spent()
	return &Error{
		Kind: KindCost, URL: c.o.Endpoint.place(), Model: c.o.Endpoint.Model,
		Text: fmt.Sprintf("the call may cost up to %s US dollars; %s of %s are spent", dollars(estimate), dollars(spent), dollars(limit)),
		Hint: "allow more with --max-cost, or say with --max-output-tokens that replies are shorter; what is finished is kept",
	}
}

// dollars writes nano-dollars as US dollars with six places, rounded up so that no cost looks like none.
func dollars(nano int64) string {
	micro := (nano + 999) / 1000
	return fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
}
