package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/triagebench/triage/pkg/client"
)

// answer is what a request came to.
type answer struct {
	status  int
	body    []byte
	header  http.Header
	err     error
	json    any  // the body as JSON
	written bool // it is JSON
}

// object gives the body as an object; nil where it is none.
func (a *answer) object() map[string]any {
	m, _ := a.json.(map[string]any)
	return m
}

// said renders what came in place of what was due.
func (a *answer) said() string {
	switch {
	case a.err != nil:
		return "no answer: " + a.err.Error()
	case !a.written:
		return fmt.Sprintf("status %d, no JSON: %s", a.status, brief(a.body))
	}
	return fmt.Sprintf("status %d, %s", a.status, brief(a.body))
}

func (s *server) get(ctx context.Context, path string) answer {
	return s.request(ctx, http.MethodGet, path, nil, nil)
}

// request makes a request and reads its answer.
func (s *server) request(ctx context.Context, method, path string, body []byte, header http.Header) answer {
	ctx, cancel := context.WithTimeout(ctx, ceiling*s.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.address.HTTP(path), bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	o := s.client()
	req.Header = o.Headers()
	for key, values := range header {
		req.Header[key] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return answer{err: withoutAddress(err)}
	}
	defer func() { _ = resp.Body.Close() }() // read as far as it is wanted
	out := answer{status: resp.StatusCode, header: resp.Header}
	if out.body, out.err = s.read(resp.Body); out.err != nil {
		return out
	}
	if out.json, err = decodePython(text(out.body, resp.Header.Get("Content-Type"))); err == nil {
		out.written = true
	}
	return out
}

// withoutAddress takes the address, which may hold a password, out of a request's error.
func withoutAddress(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// read reads a body as far as there is still room.
func (s *server) read(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, s.left.Load()+1))
	if s.left.Add(-int64(len(data))) < 0 {
		return nil, errBudget
	}
	return data, err
}

// client are the options of the sessions.
func (s *server) client() client.Options {
	return client.Options{Token: s.Token, Header: s.Header, Timeout: s.Timeout, HTTPClient: s.http}
}

// pause waits a little.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
