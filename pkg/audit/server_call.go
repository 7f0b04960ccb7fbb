package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/triagebench/triage/pkg/triage"
)

// request is one of plain HTTP. A body means POST, unless a method is named.
type request struct {
	method, path, body string
	token              string
	header             map[string]string
}

// name is how checks call the request.
func (r *request) name() string { return r.verb() + " " + r.path }

func (r *request) verb() string {
	switch {
	case r.method != "":
		return r.method
	case r.body != "":
		return http.MethodPost
	}
	return http.MethodGet
}

// with gives the request with one more header.
func (r request) with(name, value string) request {
	header := map[string]string{name: value}
	for k, v := range r.header {
		header[k] = v
	}
	r.header = header
	return r
}

// reply is an answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// refused tells whether the answer is that the request was not well: neither did it go through nor did it break the server.
func (r *reply) refused() bool { return r.status >= 400 && r.status < 500 }

// maxReply is how much of an answer is read.
const maxReply = 8 << 20

// askTimeout is how long an answer may take.
const askTimeout = time.Minute

// ask sends a request. Errors have CodeUnavailable.
func (s *server) ask(ctx context.Context, r request) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.verb(), s.URL(r.path), bytes.NewReader([]byte(r.body)))
	if err != nil {
		return reply{}, &triage.Error{Code: triage.CodeUsage, Message: r.name(), Err: err}
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return reply{}, unavailable(r.name(), err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err == nil && len(data) > maxReply {
		err = fmt.Errorf("the answer has more than %d bytes", maxReply)
	}
	if err != nil {
		return reply{}, unavailable(r.name(), err)
	}
	return reply{status: resp.StatusCode, header: resp.Header, body: data}, nil
}

func unavailable(doing string, err error) error {
	return &triage.Error{Code: triage.CodeUnavailable, Message: doing, Err: err}
}

// frame makes a frame of /ws; no data leave its data out.
func frame(kind string, data any) []byte {
	out := map[string]any{"type": kind}
	if data != nil {
		out["data"] = data
	}
	return encoded(out)
}

// encoded is a value as JSON. What is encoded here always can be.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return data
}

// rpc makes a JSON-RPC call.
func rpc(method string, params map[string]any) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
}

// actionJSON is an action as it is on the wire.
func actionJSON(a triage.Action) json.RawMessage {
	var e triage.Encoder
	e.Action(&a)
	return e.Buf
}

// answer is a frame of a server.
type answer struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// problem is the data of an error frame.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Errors  []struct {
		Loc   []any  `json:"loc"`
		Msg   string `json:"msg"`
		Input any    `json:"input"`
	} `json:"errors"`
}

// exchange sends a frame and reads the answer. Errors have CodeUnavailable.
func exchange(ctx context.Context, k Socket, sent []byte) (answer, []byte, error) {
	var a answer
	data, err := k.Exchange(ctx, sent)
	if err != nil {
		return a, nil, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, data, unavailable("read a frame", fmt.Errorf("%q is no frame: %w", short(data), err))
	}
	return a, data, nil
}
