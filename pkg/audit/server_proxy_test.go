package audit

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// spoiler stands before a server and spoils what goes through, as a server would that has the fault in it.
type spoiler struct {
	t        *testing.T
	upstream string
	mu       sync.Mutex
	count    int
	kept     []byte
	// ask may change a request; answer may change an answer; frame may change a frame that comes; dial may change the path of a
	// socket; sent may change a frame that goes. Those that are nil change nothing.
	ask    func(s *spoiler, r *http.Request, body []byte) []byte
	answer func(s *spoiler, r *http.Request, a *spoilt)
	dial   func(s *spoiler, r *http.Request) string
	frame  func(s *spoiler, path string, data []byte) []byte
	sent   func(s *spoiler, path string, data []byte) []byte
}

// spoilt is an answer of plain HTTP.
type spoilt struct {
	status int
	header http.Header
	body   []byte
}

// replace changes a text of the body.
func (a *spoilt) replace(old, now string) {
	a.body = bytes.ReplaceAll(a.body, []byte(old), []byte(now))
}

// next counts.
func (s *spoiler) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return s.count
}

// label is another route each time: what a leak tells of different tickets.
func (s *spoiler) label() string {
	return []string{"billing", "technical", "feature", "feedback", "spam"}[s.next()%5]
}

func (s *spoiler) serve() string {
	h := httptest.NewServer(s)
	s.t.Cleanup(h.Close)
	return h.URL
}

func (s *spoiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		s.socket(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	original := r.Clone(r.Context()) // for answer: ask may have changed the request
	if s.ask != nil {
		body = s.ask(s, r, body)
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, s.upstream+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	out.Header = r.Header.Clone()
	resp, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	a := &spoilt{status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return
	}
	if s.answer != nil {
		s.answer(s, original, a)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// socket copies frames in both directions.
func (s *spoiler) socket(w http.ResponseWriter, r *http.Request) {
	path := r.URL.RequestURI()
	if s.ask != nil {
		s.ask(s, r, nil)
	}
	if s.dial != nil {
		path = s.dial(s, r)
	}
	header := http.Header{}
	if v := r.Header.Get("Authorization"); v != "" {
		header.Set("Authorization", v)
	}
	up, resp, err := websocket.Dial(r.Context(), "ws"+strings.TrimPrefix(s.upstream, "http")+path, &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // the library closes it
	if err != nil {
		status := http.StatusBadGateway
		if resp != nil {
			status = resp.StatusCode
		}
		w.WriteHeader(status)
		return
	}
	defer func() { _ = up.CloseNow() }()
	down, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = down.CloseNow() }()
	up.SetReadLimit(1 << 20)
	down.SetReadLimit(1 << 20)
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		defer cancel()
		s.copyFrames(ctx, down, up, r.URL.Path, s.sent)
	}()
	s.copyFrames(ctx, up, down, r.URL.Path, s.frame)
}

func (s *spoiler) copyFrames(ctx context.Context, from, to *websocket.Conn, path string, change func(*spoiler, string, []byte) []byte) {
	for {
		kind, data, err := from.Read(ctx)
		if err != nil {
			_ = to.Close(websocket.StatusNormalClosure, "")
			return
		}
		if change != nil {
			data = change(s, path, data)
		}
		if to.Write(ctx, kind, data) != nil {
			return
		}
	}
}

// swap changes a text of frames that hold another.
func swap(where, old, now string) func(*spoiler, string, []byte) []byte {
	return func(_ *spoiler, _ string, data []byte) []byte {
		if !bytes.Contains(data, []byte(where)) {
			return data
		}
		return bytes.ReplaceAll(data, []byte(old), []byte(now))
	}
}
