package agent

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// attempted is what came of one attempt.
type attempted struct {
	body    []byte // of a 200
	tooLong bool
	err     error
	code    triage.Code   // CodeUnusable: no attempt will do better
	again   bool          // another attempt may do better
	after   time.Duration // that the server asks to wait
}

// refused reads an answer that is not 200.
func (h *HTTP) refused(resp *http.Response, body []byte) attempted {
	text := fmt.Sprintf("it answers %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	a := attempted{}
	switch c := resp.StatusCode; {
	case c >= 300 && c < 400:
		a.code = triage.CodeUnusable
		if to, err := resp.Location(); err == nil {
			text += " to " + to.Redacted() + ": give that address, redirects are not followed"
		}
	case c == http.StatusUnauthorized, c == http.StatusForbidden, c == http.StatusNotFound, c == http.StatusMethodNotAllowed:
		a.code = triage.CodeUnusable
	case c == http.StatusTooManyRequests || c >= 500:
		a.again = true
		a.after = retryAfter(resp.Header)
	}
	a.err = h.hide(errors.New(text))
	const shown = 200 // bytes
	if s := clean(strings.TrimSpace(h.hide(errors.New(string(body))).Error())); len(s) > shown {
		a.err = fmt.Errorf("%w: %s …", a.err, strings.ToValidUTF8(s[:shown], ""))
	} else if s != "" {
		a.err = fmt.Errorf("%w: %s", a.err, s)
	}
	return a
}

// retryAfter reads how many seconds a server asks to wait. A date is not read: the clocks of two machines differ.
func retryAfter(header http.Header) time.Duration {
	n, err := strconv.ParseUint(header.Get("Retry-After"), 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}

// wait waits before the next attempt: 0.25 s, twice as long each time, at most 5 s, and as long as the server asks. It is false
// where the budget does not last so long.
func (h *HTTP) wait(budget context.Context, a attempted, attempt int) bool {
	const first, most = 250 * time.Millisecond, 5 * time.Second
	d := most
	if attempt < 5 { // 0.25 s · 2^5 is above 5 s
		d = min(most, first<<attempt)
	}
	if d = max(d, a.after); d > h.o.Budget || budget.Err() != nil {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-budget.Done():
		return false
	case <-timer.C:
		return true
	}
}

// hide takes the values of our headers and the password out of an error: servers like to repeat what they refuse.
func (h *HTTP) hide(err error) error {
	var secrets []string
	for _, values := range h.o.Headers {
		for _, v := range values {
			secrets = append(secrets, v)
			if f := strings.Fields(v); len(f) > 1 {
				secrets = append(secrets, f[len(f)-1]) // behind "Bearer"
			}
		}
	}
	if p, ok := h.url.User.Password(); ok {
		secrets = append(secrets, p, base64.StdEncoding.EncodeToString([]byte(h.url.User.Username()+":"+p)))
	}
	sort.Slice(secrets, func(i, j int) bool { return len(secrets[i]) > len(secrets[j]) })
	text := err.Error()
	hidden := text
	const short = 4 // characters; hiding those would blot out half of any message
	for _, s := range secrets {
		if len(s) >= short {
			hidden = strings.ReplaceAll(hidden, s, "[hidden]")
		}
	}
	if hidden == text {
		return err
	}
	return errors.New(hidden)
}
