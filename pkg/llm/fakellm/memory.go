package fakellm

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// Transport gives a round tripper that asks the server without a network: it works in a bubble of testing/synctest, where
// waits of a server behind a socket would not be waited for. Answers that break on the way break as they do behind a socket.
func (s *Server) Transport() http.RoundTripper { return memory{s} }

type memory struct{ handler http.Handler }

// RoundTrip runs the handler in a goroutine that ends with the request's context at the latest.
func (m memory) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close() // it was read
		if err != nil {
			return nil, err
		}
	}
	in := req.Clone(ctx)
	in.Body, in.RequestURI, in.ContentLength = io.NopCloser(bytes.NewReader(body)), req.URL.RequestURI(), int64(len(body))
	reader, writer := io.Pipe()
	w := &memoryWriter{header: http.Header{}, pipe: writer, began: make(chan struct{}), ended: make(chan struct{})}
	go w.serve(m.handler, in)
	select {
	case <-w.began:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.err != nil {
		return nil, w.err
	}
	length := int64(-1)
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		length = n
	}
	stop := make(chan struct{})
	go func() { // a reader must not outlive the request
		select {
		case <-ctx.Done():
			_ = reader.CloseWithError(ctx.Err()) // it never fails
		case <-stop:
		case <-w.ended:
		}
	}()
	return &http.Response{Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &memoryBody{PipeReader: reader, stop: stop}, ContentLength: length, Request: req}, nil
}

type memoryBody struct {
	*io.PipeReader
	stop chan struct{}
	once sync.Once
}

// Close ends what still writes.
func (b *memoryBody) Close() error {
	b.once.Do(func() { close(b.stop) })
	return b.PipeReader.Close()
}

// memoryWriter hands headers and body over as they come.
type memoryWriter struct {
	header, sent http.Header
	status       int
	pipe         *io.PipeWriter
	began, ended chan struct{}
	started      bool
	wasReset     bool
	err          error // before the headers
}

var errReset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// resetter is a writer that can break as a connection that is reset.
type resetter interface{ reset() }

func (w *memoryWriter) reset() {
	w.wasReset = true
	panic(http.ErrAbortHandler)
}

func (w *memoryWriter) serve(h http.Handler, r *http.Request) {
	defer close(w.ended)
	defer func() {
		v := recover()
		if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // the value of a panic, compared as net/http does
			panic(v)
		}
		switch {
		case w.started && v == nil:
			_ = w.pipe.Close() // it never fails
		case w.started:
			_ = w.pipe.CloseWithError(io.ErrUnexpectedEOF) // it never fails
		default:
			if w.err = io.EOF; w.wasReset {
				w.err = errReset
			}
			if v == nil && r.Context().Err() == nil {
				w.err = errors.New("the server was closed")
			}
			close(w.began)
		}
	}()
	h.ServeHTTP(w, r)
}

// Header gives the headers that are sent with the first byte.
func (w *memoryWriter) Header() http.Header { return w.header }

// WriteHeader hands status and headers over.
func (w *memoryWriter) WriteHeader(status int) {
	if w.started {
		return
	}
	w.started, w.status, w.sent = true, status, w.header.Clone()
	close(w.began)
}

// Write hands a piece of the body over when the other end reads it.
func (w *memoryWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(p)
}

// Flush does nothing: nothing is held back.
func (w *memoryWriter) Flush() {}
