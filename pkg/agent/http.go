package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// HTTPOptions say which address is the agent. URL is needed; the zero value of the rest means its default.
type HTTPOptions struct {
	Name string // in messages; default: the URL without a password
	// URL is where observations are posted to: http or https, with its path and query. A host alone means http.
	URL       string
	Transport http.RoundTripper // default: http.DefaultTransport
	Headers   http.Header       // sent with each observation; their values are secrets and stand in no message
	Timeout   time.Duration     // of one attempt, with the reading of the answer; default DefaultTimeout
	Budget    time.Duration     // after which no new attempt is made for an observation; default HTTPBudget
	// Crashes counts failures in a row over all workers that share it. Nil: this agent counts for itself.
	Crashes *Crashes
	// MaxConsecutive is after how many observations in a row that nobody answered the run is given up; default 10.
	MaxConsecutive int
}

// HTTPBudget is for how long an observation is sent again where nobody answers it.
const HTTPBudget = 30 * time.Second

// EpisodeHeader names the episode that an observation belongs to: task/seed, with /position where one ticket alone is played and
// #trial where it is not the first.
const EpisodeHeader = "X-Triage-Episode"

// HTTP is an agent behind an address: it gets each observation as the body of a POST and answers 200 with a JSON object. No answer,
// 429 and 5xx are tried again for a while, then the episode breaks without a score (CodeUnavailable), as it does on other 4xx. An
// address that cannot be right (3xx, 401, 403, 404, 405) gives CodeUnusable.
type HTTP struct {
	o       HTTPOptions
	url     *url.URL
	client  *http.Client
	episode string
}

var (
	_ triage.Agent   = (*HTTP)(nil)
	_ triage.Starter = (*HTTP)(nil)
	_ io.Closer      = (*HTTP)(nil)
)

// NewHTTP makes an agent of an address, which it does not call yet. An address that cannot be read gives CodeUsage.
func NewHTTP(o HTTPOptions) (*HTTP, error) {
	u, err := parseAgentURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = u.Redacted()
	}
	o.Name = clean(o.Name)
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	const consecutive = 10
	if o.Budget <= 0 {
		o.Budget = HTTPBudget
	}
	if o.MaxConsecutive <= 0 {
		o.MaxConsecutive = consecutive
	}
	if o.Crashes == nil {
		o.Crashes = &Crashes{}
	}
	return &HTTP{o: o, url: u, client: &http.Client{Transport: o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// parseAgentURL reads the address of an agent.
func parseAgentURL(text string) (*url.URL, error) {
	bad := func(why string) error {
		return &triage.Error{Code: triage.CodeUsage, Message: "address of an agent: " + why + ", as in http://127.0.0.1:8000/act"}
	}
	asked := strings.TrimSpace(text)
	if strings.HasPrefix(asked, "//") {
		asked = "http:" + asked // --agent http://host is http: and //host
	}
	if !strings.Contains(asked, "://") {
		asked = "http://" + asked
	}
	u, err := url.Parse(asked)
	switch {
	case err != nil: // the cause would show a password
		return nil, bad("it cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, bad(fmt.Sprintf("%q: its scheme must be http or https", u.Redacted()))
	case u.Hostname() == "":
		return nil, bad(fmt.Sprintf("%q: it names no host", u.Redacted()))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// Name is the name in messages. It holds no password.
func (h *HTTP) Name() string { return h.o.Name }

// Start takes the episode that begins.
func (h *HTTP) Start(key triage.Key) {
	key.Agent = ""
	h.episode = strings.TrimPrefix(key.String(), "/")
}

// Close closes connections that wait to be used again.
func (h *HTTP) Close() error {
	h.client.CloseIdleConnections()
	return nil
}

// Act asks the address. What it answers with 200 that is no action of the track comes back as Raw, for the environment to refuse.
func (h *HTTP) Act(ctx context.Context, o triage.Observation) (triage.Action, error) {
	body := observed(o)
	budget, cancel := context.WithTimeout(ctx, h.o.Budget)
	defer cancel()
	for attempt := 0; ; attempt++ {
		got := h.post(ctx, body)
		if ctx.Err() != nil {
			return triage.Action{}, context.Cause(ctx)
		}
		if got.err == nil {
			h.o.Crashes.well()
			if got.tooLong {
				return triage.Action{}, fmt.Errorf("%s: its answer is longer than 1 MiB", h.o.Name)
			}
			return actionOf(o, got.body), nil
		}
		if got.code == triage.CodeUnusable || !got.again || !h.wait(budget, got, attempt) {
			if ctx.Err() != nil {
				return triage.Action{}, context.Cause(ctx)
			}
			return triage.Action{}, h.failed(got, attempt)
		}
	}
}

// failed gives the error of an observation that nobody answered.
func (h *HTTP) failed(got attempted, attempt int) error {
	text := h.o.Name
	if attempt > 0 {
		text += fmt.Sprintf(": %d attempts", attempt+1)
	}
	if got.code == triage.CodeUnusable {
		return &triage.Error{Code: got.code, Message: text, Err: got.err}
	}
	if n := h.o.Crashes.miss(); n >= h.o.MaxConsecutive {
		return &triage.Error{Code: triage.CodeUnusable, Message: fmt.Sprintf("%s: %d observations in a row without an answer", text, n), Err: got.err}
	}
	return &triage.Error{Code: triage.CodeUnavailable, Message: text, Err: got.err}
}

// post makes one attempt.
func (h *HTTP) post(ctx context.Context, body []byte) attempted {
	ctx, cancel := context.WithTimeoutCause(ctx, h.o.Timeout, errors.New("no answer came in "+h.o.Timeout.String()))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url.String(), bytes.NewReader(body))
	if err != nil {
		return attempted{err: h.hide(err), code: triage.CodeUnusable}
	}
	for name, values := range h.o.Headers {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "triage")
	if h.episode != "" {
		req.Header.Set(EpisodeHeader, h.episode)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return attempted{err: h.hide(cause(ctx, err)), again: true}
	}
	defer func() { _ = resp.Body.Close() }() // what counts was read
	answer, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	if err != nil {
		return attempted{err: h.hide(fmt.Errorf("read the answer: %w", cause(ctx, err))), again: true}
	}
	if resp.StatusCode == http.StatusOK {
		return attempted{body: bytes.TrimSpace(answer), tooLong: len(answer) > MaxAnswer}
	}
	return h.refused(resp, answer)
}

// cause takes the method and address off an error of the client, and says that time ran out where it did.
func cause(ctx context.Context, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
