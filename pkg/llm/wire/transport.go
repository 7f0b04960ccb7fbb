package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Transport is a [http.RoundTripper] for chat completions. It changes requests as the [Call] in their context says, takes
// answers from Store where they are kept, and gives the client library every answer in the form of OpenAI's (see
// [Normalise]). It never follows a redirect, so that no key goes to another address. It is safe for several goroutines;
// its fields must not change once it is in use.
type Transport struct {
	// Base makes the calls. It must be set.
	Base http.RoundTripper
	// Store keeps complete answers of chat completions; nil: none are kept.
	Store Store
	// Now gives the time, for latencies. Nil: they are 0.
	Now func() time.Time
	// Headers are set in each request, in place of those of the same name.
	Headers http.Header
	// Query is added to the query of each request's URL, such as "api-version=2024-10-21": the client library cannot hold it.
	Query string
}

// ErrTooLong says that an answer is longer than [MaxBody]. It would be so again.
var ErrTooLong = errors.New("the answer is longer than what is read")

// StoreError says that the store has failed: an answer that must be kept is not, or an entry is damaged. Nothing was called.
type StoreError struct {
	URL string // of the request, without secrets
	Err error
}

// Error gives the message.
func (e *StoreError) Error() string { return "kept answers for " + e.URL + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// RoundTrip makes one exchange. Errors are those of Base and of reading the answer (one that was cut short is
// [io.ErrUnexpectedEOF]), a [*StoreError], or of a request that cannot be changed as asked. Every answer of the server is a
// response: a success has status 200, all else a status from 400 to 599 and a body that [ErrorInfo] reads.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	call := CallOf(req.Context())
	if call == nil {
		call = new(Call)
	}
	call.Exchange = Exchange{}
	body, err := requestBody(req)
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if t.Base == nil {
		return nil, errors.New("transport: Base must be set")
	}
	if req.Method == http.MethodPost {
		if body, err = Rewrite(body, call); err != nil {
			return nil, err
		}
	}
	out := t.outgoing(req, body)
	chat := req.Method == http.MethodPost && strings.HasSuffix(out.URL.Path, "/chat/completions")
	ex := &call.Exchange
	ex.URL, ex.Request = CleanURL(out.URL), body
	if t.Store == nil || !chat {
		answer, err := t.exchange(out, ex, chat)
		return answer.response(req, ex), err
	}
	key := Key{URL: ex.URL, Request: body, Scope: call.Scope, Vary: Vary(t.Headers)}
	if kept, ok, err := t.Store.Get(key); err != nil {
		return nil, &StoreError{URL: ex.URL, Err: err}
	} else if ok {
		return fromStore(req, ex, kept)
	}
	answer, err := t.exchange(out, ex, chat)
	if err == nil && answer.complete {
		ex.StoreErr = t.Store.Put(key, ex.Body)
	}
	return answer.response(req, ex), err
}

// requestBody reads and closes the body of a request.
func requestBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer func() { _ = req.Body.Close() }() // it was read; nothing can be done about it
	if n := req.ContentLength; n > 0 && n <= MaxBody {
		b := make([]byte, n)
		_, err := io.ReadFull(req.Body, b)
		return b, err
	}
	return io.ReadAll(req.Body)
}

// outgoing gives the request that is sent: the caller's with another body, headers and query.
func (t *Transport) outgoing(req *http.Request, body []byte) *http.Request {
	out := req.WithContext(req.Context())
	if len(t.Headers) > 0 {
		out.Header = req.Header.Clone()
		if out.Header == nil {
			out.Header = http.Header{}
		}
		for name, values := range t.Headers {
			name = textproto.CanonicalMIMEHeaderKey(name)
			if name == "Host" && len(values) > 0 {
				out.Host = values[0]
				continue
			}
			out.Header[name] = values
		}
	}
	if t.Query != "" {
		u := *req.URL
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += strings.TrimPrefix(t.Query, "?")
		out.URL = &u
	}
	if body == nil {
		out.Body, out.GetBody, out.ContentLength = nil, nil, 0
		return out
	}
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	return out
}

// exchange makes the call, fills in ex, and normalises the answer. The answer is nil where there is an error.
func (t *Transport) exchange(out *http.Request, ex *Exchange, chat bool) (*answer, error) {
	var start time.Time
	if t.Now != nil {
		start = t.Now()
		defer func() { ex.Latency = t.Now().Sub(start) }()
	}
	res, err := t.Base.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	if res.Body == nil {
		res.Body = http.NoBody
	}
	defer func() { _ = res.Body.Close() }() // what counts was read
	ex.Status, ex.Header = res.StatusCode, res.Header
	ex.Body, err = readBody(out, res)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s (status %d, %d bytes so far): %w", ex.URL, res.StatusCode, len(ex.Body), err)
	}
	a := normalise(res.StatusCode, res.Header.Get("Content-Type"), ex.Body, chat)
	if res.StatusCode/100 == 3 {
		a.body = Failure{Message: redirected(out.URL, res), Type: "redirect", Code: "redirect"}.json()
	}
	ex.Normal = a.body
	return &a, nil
}

// readBody reads an answer's body to its end.
func readBody(out *http.Request, res *http.Response) ([]byte, error) {
	var buf bytes.Buffer
	if n := res.ContentLength; n > 0 && n < 1<<20 {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(io.LimitReader(res.Body, MaxBody+1))
	b := buf.Bytes()
	switch {
	case len(b) > MaxBody:
		return b[:MaxBody], fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxBody)
	case err != nil:
		return b, err
	case res.ContentLength > int64(len(b)) && out.Method != http.MethodHead && !res.Uncompressed:
		return b, fmt.Errorf("body of %d bytes ends after %d: %w", res.ContentLength, len(b), io.ErrUnexpectedEOF)
	}
	return b, nil
}

// fromStore gives an answer that was kept.
func fromStore(req *http.Request, ex *Exchange, kept []byte) (*http.Response, error) {
	a := normalise(http.StatusOK, "application/json", kept, true)
	if !a.complete {
		return nil, &StoreError{URL: ex.URL, Err: fmt.Errorf("the entry of %d bytes is not a complete answer: remove it", len(kept))}
	}
	ex.Status, ex.Body, ex.Normal, ex.Kept = http.StatusOK, kept, a.body, true
	ex.Header = http.Header{"Content-Type": {"application/json"}}
	return a.response(req, ex), nil
}

// response gives the answer to the client library; nil for a nil answer.
func (a *answer) response(req *http.Request, ex *Exchange) *http.Response {
	if a == nil {
		return nil
	}
	h := ex.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	h.Del("Location")
	h["Content-Type"] = []string{"application/json"}
	return &http.Response{
		Status:     statusLine(a.status),
		StatusCode: a.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        h,
		Body:          io.NopCloser(bytes.NewReader(a.body)),
		ContentLength: int64(len(a.body)),
		Request:       req,
	}
}

func statusLine(status int) string {
	if status == http.StatusOK {
		return "200 OK"
	}
	text := http.StatusText(status)
	if status == statusOverloaded {
		text = "Overloaded"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, text))
}

// NoRedirect is a CheckRedirect for an [http.Client]: it follows none. With a [Transport] none is seen anyway.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// redirected says where a redirect points and what to do about it.
func redirected(from *url.URL, res *http.Response) string {
	says := fmt.Sprintf("%s answers with the redirect %d", CleanURL(from), res.StatusCode)
	to, err := res.Location()
	if res.Header.Get("Location") == "" || err != nil {
		return says + " that does not say where to: check the base URL"
	}
	if !to.IsAbs() {
		to = from.ResolveReference(to)
	}
	base := *to
	base.Path, _ = cutEndpoint(base.Path)
	base.RawPath = ""
	return fmt.Sprintf("%s to %s: give %s as the base URL (redirects are not followed, so that no key goes to another address)",
		says, CleanURL(to), CleanURL(&base))
}

// keyHeaders bear keys: another key is no other question.
var keyHeaders = []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "Proxy-Authorization"}

// Vary is the digest of the headers that may decide what is answered, those that bear keys left out: 16 hex digits, or empty.
func Vary(headers http.Header) string {
	names := make([]string, 0, len(headers))
	for name := range headers {
		if !slices.Contains(keyHeaders, http.CanonicalHeaderKey(name)) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		for _, value := range headers[name] {
			_, _ = fmt.Fprintf(h, "%d:%s%d:%s", len(name), name, len(value), value) // a hash takes everything
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
