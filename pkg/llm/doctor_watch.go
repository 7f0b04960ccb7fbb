package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

var errEnough = errors.New(strconv.Itoa(MostDoctorCalls) + " calls were made, the most that are")

// watch is a network that counts requests and sees answers as they come.
type watch struct {
	base http.RoundTripper
	most int

	mu     sync.Mutex
	made   int
	over   bool
	status int         // of the last answer; 0: none came
	header http.Header // of the last answer
	last   *bytes.Buffer
	well   *bytes.Buffer // of the last answer of status 200 to a chat
	limits []limited
	now    func() time.Time
}

// limited is an answer of 429.
type limited struct {
	header http.Header
	at     time.Time
}

// mostWatched is how much is kept of an answer's body.
const mostWatched = 1 << 20

// RoundTrip makes the request, unless enough were made.
func (w *watch) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	if w.made >= w.most {
		w.over = true
		w.mu.Unlock()
		return nil, errEnough
	}
	w.made++
	w.mu.Unlock()
	res, err := w.base.RoundTrip(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = &bytes.Buffer{}
	if err != nil {
		w.status, w.header = 0, nil
		return nil, err
	}
	w.status, w.header = res.StatusCode, res.Header.Clone()
	if res.StatusCode == http.StatusTooManyRequests {
		w.limits = append(w.limits, limited{w.header, w.now()})
	}
	if res.StatusCode == http.StatusOK && r.Method == http.MethodPost {
		w.well = w.last
	}
	if res.Body != nil {
		res.Body = &watched{ReadCloser: res.Body, w: w, into: w.last}
	}
	return res, nil
}

func (w *watch) calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made
}

// limited counts the answers of 429.
func (w *watch) limited() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.limits)
}

// refused tells whether a request was not made, since enough were.
func (w *watch) refused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// answer gives the last answer as it came.
func (w *watch) answer() (status int, h http.Header, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.header, bare(w.last)
}

// good gives the body of the last answer to a chat that went well.
func (w *watch) good() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bare(w.well)
}

// bare copies what was kept, without a byte order mark.
func bare(b *bytes.Buffer) []byte {
	if b == nil {
		return nil
	}
	return bytes.TrimPrefix(bytes.Clone(b.Bytes()), []byte("\xEF\xBB\xBF"))
}

type watched struct {
	io.ReadCloser
	w    *watch
	into *bytes.Buffer
}

// Read keeps what is read.
func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.into.Write(p[:min(n, max(0, mostWatched-b.into.Len()))])
	return n, err
}
