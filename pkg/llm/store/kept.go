package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/llm/wire"
)

// keyFormat is part of every key: a new one makes all that was kept before unknown.
const keyFormat = "triage.answer/1"

// kept is an answer as it stands in files: an entry of the cache, and a line of a cassette. The request is there only as its
// hash, since its text would be repeated hundreds of times; with its URL and scope it makes the key again, so that what is
// read can be checked without the request.
type kept struct {
	Scope         string `json:"scope"`
	Key           string `json:"key"`
	URL           string `json:"url"`
	RequestBytes  int    `json:"request_bytes"`
	RequestSHA256 string `json:"request_sha256"`
	Vary          string `json:"vary,omitempty"`
	BodyBytes     int    `json:"body_bytes"`
	BodySHA256    string `json:"body_sha256"`
	Body          string `json:"body,omitempty"`
	BodyBase64    string `json:"body_base64,omitempty"` // of a body that is not UTF-8
}

// identify gives a record without its body.
func identify(k wire.Key, redact Redact) kept {
	e := kept{Scope: k.Scope, URL: redact.text(k.URL), RequestBytes: len(k.Request), RequestSHA256: sum(k.Request), Vary: k.Vary}
	e.Key = e.key()
	return e
}

func newKept(k wire.Key, body []byte, redact Redact) (kept, error) {
	e := identify(k, redact)
	for _, s := range []struct{ name, value string }{{"scope", e.Scope}, {"URL", e.URL}} {
		if !utf8.ValidString(s.value) {
			return kept{}, fmt.Errorf("keep an answer: the %s %q is not UTF-8", s.name, s.value)
		}
	}
	clean := redact.bytes(body)
	if redact != nil && json.Valid(body) && !json.Valid(clean) {
		return kept{}, fmt.Errorf("keep an answer of scope %q: without its secrets it is no JSON", e.Scope)
	}
	e.BodyBytes, e.BodySHA256 = len(clean), sum(clean)
	if utf8.Valid(clean) {
		e.Body = string(clean)
	} else {
		e.BodyBase64 = base64.StdEncoding.EncodeToString(clean)
	}
	return e, nil
}

// key is the SHA-256 of all that tells calls apart, each part after its length.
func (e *kept) key() string {
	h := sha256.New()
	parts := []string{keyFormat, e.URL, strconv.Itoa(e.RequestBytes), e.RequestSHA256, e.Scope}
	if e.Vary != "" {
		parts = append(parts, e.Vary)
	}
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// body gives the answer after checking that the record is whole.
func (e *kept) body() ([]byte, error) {
	if k := e.key(); k != e.Key {
		return nil, fmt.Errorf("the key %q is not that of the URL, request and scope, which is %s", e.Key, k)
	}
	body := []byte(e.Body)
	if e.BodyBase64 != "" {
		if e.Body != "" {
			return nil, errors.New("there is both a body and a body_base64")
		}
		var err error
		if body, err = base64.StdEncoding.Strict().DecodeString(e.BodyBase64); err != nil {
			return nil, fmt.Errorf("body_base64: %w", err)
		}
	}
	if len(body) != e.BodyBytes {
		return nil, fmt.Errorf("the body has %d bytes, not %d as said", len(body), e.BodyBytes)
	}
	if s := sum(body); s != e.BodySHA256 {
		return nil, fmt.Errorf("the body's SHA-256 is %s, not %q as said", s, e.BodySHA256)
	}
	return body, nil
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// encode gives v as one line of JSON with its line end. Texts must be UTF-8.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decode reads one JSON value and nothing behind it. Unknown members are an error.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON value")
	}
	return nil
}
