package llm

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/triagebench/triage/pkg/lazyregexp"
	"github.com/triagebench/triage/pkg/llm/wire"
)

// classify makes an error of what became of one exchange.
func (c *Client) classify(ex *wire.Exchange, err error) *Error {
	e := &Error{URL: c.o.Endpoint.place(), Model: c.o.Endpoint.Model}
	var kept *wire.StoreError
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &kept):
		e.Kind, e.Text, e.Err = KindNotKept, kept.Err.Error(), kept.Err
	case errors.As(err, &api):
		e.Status = api.HTTPStatusCode
		c.answered(e, ex, wire.ErrorInfo(ex.Normal))
	case errors.As(err, &request):
		e.Status = request.HTTPStatusCode
		c.answered(e, ex, wire.ErrorInfo(ex.Normal))
	case errors.Is(err, errTimeout):
		e.Kind, e.Text = KindTimeout, "no complete answer within "+c.o.Timeout.String()
	case ex.Status != 0 && len(ex.Normal) > 0:
		e.Kind, e.Status, e.Text = KindServer, ex.Status, "the answer is no chat completion: "+innermost(err).Error()
	default:
		c.unreached(e, ex, innermost(err))
	}
	e.Text = oneLine(c.Redact(e.Text), maxErrorText)
	e.Code, e.Type, e.Param = c.short(e.Code), c.short(e.Type), c.short(e.Param)
	e.Hint = c.hint(e)
	return e
}

func (c *Client) short(s string) string { return oneLine(c.Redact(s), 100) }

// innermost takes the request's method and address off an error of net/http: they are in the message already, and an
// address may hold a secret.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// answered classifies a failure that the endpoint has answered with.
func (c *Client) answered(e *Error, ex *wire.Exchange, f wire.Failure) {
	e.Code, e.Type, e.Param, e.Text = f.Code, f.Type, f.Param, f.Message
	e.said = c.Redact(f.Message + " " + f.Code)
	raw := strings.ToLower(string(ex.Body[:min(len(ex.Body), 8192)]) + " " + f.Message)
	now := c.o.Now()
	if d, ok := wire.Wait(e.Status, ex.Header, now); ok {
		e.RetryAfter = d
	} else if m := retryDelay.FindStringSubmatch(raw); m != nil && e.Status == 429 {
		seconds, _ := strconv.ParseFloat(m[1], 64) // the form says that it is a number
		e.RetryAfter = time.Duration(seconds * float64(time.Second))
	}
	e.Kind = kindOf(e, strings.ToLower(f.Code+" "+f.Type), raw)
	if c.served.Load() && (e.Kind == KindKey && e.Status == 403 || e.Kind == KindModel && e.Status == 404) {
		e.Kind = KindRefused // key and model were right a moment ago: it is about this call, or passes
	}
}

var (
	retryDelay  = lazyregexp.New(`"retrydelay"\s*:\s*"([0-9]{1,6}(?:\.[0-9]{1,9})?)s"`)
	perDay      = lazyregexp.New(`per[ _-]?day|perday|daily|\(rpd\)|\(tpd\)|per[ _-]?month|permonth|monthly`)
	perMinute   = lazyregexp.New(`per[ _-]?min|perminute|per[ _-]?second|persecond|\(rpm\)|\(tpm\)`)
	moneyWords  = lazyregexp.New(`insufficient[_ ](quota|balance|funds|credits?)|exceeded your current quota|billing|credit balance|out of credits|not enough credits|hard[_ ]limit|spend(ing)?[_ ]limit|payment|quota_exceeded|usage limit`)
	keyWords    = lazyregexp.New(`api[ _-]?key not valid|(invalid|incorrect|missing|expired|no)[ _](or missing )?api[ _-]?key|invalid_api_key|api_key_invalid`)
	modelWords  = lazyregexp.New(`model_not_found|model_decommissioned|invalid_model|not a valid model|invalid model (id|name)|model [^ ]{1,80} (does not exist|not found|is not found)|access to (the )?model|deploymentnotfound`)
	lengthWords = lazyregexp.New(`context_length_exceeded|exceed_context_size|context (length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|(input|prompt) tokens? exceed`)
	filterWords = lazyregexp.New(`content_filter|content_policy|content management policy|responsibleai|safety system|input was flagged|requires moderation|content moderation|prohibited_content`)
)

// kindOf classifies by status, by the endpoint's code and type, and by its words. Words that name a minute come before
// those that name money: endpoints put a line about billing under every limit.
func kindOf(e *Error, code, raw string) Kind {
	switch {
	case code == "redirect redirect":
		return KindModel
	case filterWords.MatchString(code), e.Status < 500 && filterWords.MatchString(raw):
		return KindContentFilter
	case e.Status == 402:
		return KindQuota
	case e.Status == 429:
		return limitKind(code, raw)
	case e.Status >= 500, e.Status == 409:
		return KindServer
	case e.Status == 408:
		return KindTimeout
	case e.Status == 404, modelWords.MatchString(code), e.Status != 401 && modelWords.MatchString(raw):
		return KindModel
	case e.Status == 401, e.Status == 403, keyWords.MatchString(raw):
		return KindKey
	case lengthWords.MatchString(raw):
		return KindContextLength
	case strings.Contains(raw, "credit balance"):
		return KindQuota
	}
	return KindRefused
}

func limitKind(code, raw string) Kind {
	switch {
	case strings.Contains(code, "insufficient_quota") && !perMinute.MatchString(raw), perDay.MatchString(raw):
		return KindQuota
	case perMinute.MatchString(raw):
		return KindLimited
	case moneyWords.MatchString(code), moneyWords.MatchString(raw):
		return KindQuota
	}
	return KindLimited
}

// unreached classifies an exchange that brought no whole answer. A name that does not exist and a certificate that is not
// trusted do not get better; a refused connection may, since the server may be loading its model.
func (c *Client) unreached(e *Error, ex *wire.Exchange, err error) {
	e.Kind, e.Status, e.Text, e.Err = KindNetwork, ex.Status, err.Error(), nil
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, wire.ErrTooLong):
		e.Kind = KindRefused
	case errors.As(err, &dns):
		e.fatal, e.unsent = dns.IsNotFound && !dns.IsTemporary, true
	case errors.As(err, &verification), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &invalid), errors.As(err, &record),
		strings.Contains(e.Text, "server gave HTTP response to HTTPS client"), strings.Contains(e.Text, "malformed HTTP response"),
		strings.Contains(e.Text, "first record does not look like a TLS handshake"):
		e.fatal, e.unsent = true, true
	case errors.Is(err, syscall.ECONNREFUSED):
		e.unsent, e.closed = true, true
	case strings.Contains(e.Text, "unsupported protocol scheme"), strings.Contains(e.Text, "invalid header field"):
		e.fatal, e.unsent = true, true
	}
}

// failedGeneration finds what a model wrote in an answer of 400 that says that it did not fit the format.
func failedGeneration(body []byte) (string, bool) {
	var a struct {
		Error struct {
			Text *string `json:"failed_generation"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &a) != nil || a.Error.Text == nil {
		return "", false
	}
	return *a.Error.Text, true
}
