//go:build conformance

package web_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/triagebench/triage/clients/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// server is a running `triage serve`.
type server struct {
	*browser.Server
	t    *testing.T
	args []string
}

// serve starts the program on a free port and stops it after the test.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{t: t, args: args}
	s.start("0")
	return s
}

func (s *server) start(port string) {
	s.t.Helper()
	s.Server = browser.Serve(s.t, ".", append([]string{"serve", "--port", port}, s.args...)...)
}

// restart stops the program and starts it on the same port: it knows no episode then.
func (s *server) restart() {
	s.t.Helper()
	s.Stop()
	s.start(s.URL[strings.LastIndex(s.URL, ":")+1:])
}

// tab is a tab on one server.
type tab struct {
	*browser.Tab
	base string // where the server's routes begin
}

func browse(t *testing.T, base string) *tab {
	t.Helper()
	return &tab{Tab: browser.New(t, base+"/"), base: base}
}

func (b *tab) open(path string) {
	b.T.Helper()
	b.Open(b.base + path)
	b.Do("wait for a panel", chromedp.WaitVisible(chromedp.CSS("#panel-play, #panel-handbook, #panel-calls")))
}

// proxy stands between browser and server. It can refuse connections, and swallow the answer to a request.
type proxy struct {
	t       *testing.T
	target  string
	address string
	mu      sync.Mutex
	gate    net.Listener
	open    map[net.Conn]bool
	deaf    bool // passes requests on, and no answers back
}

func newProxy(t *testing.T, s *server) *proxy {
	t.Helper()
	p := &proxy{t: t, target: strings.TrimPrefix(s.URL, "http://"), address: "127.0.0.1:0", open: map[net.Conn]bool{}}
	p.mend()
	t.Cleanup(p.cut)
	return p
}

func (p *proxy) url() string { return "http://" + p.address }

// cut ends all connections and takes no more.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		_ = p.gate.Close()
		p.gate = nil
	}
	p.hangUp()
}

// hangUp ends all connections. The caller holds the lock.
func (p *proxy) hangUp() {
	for c := range p.open {
		_ = c.Close()
	}
	clear(p.open)
}

// swallow ends all connections; what is sent on new ones arrives, and is not answered.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = true
	p.hangUp()
}

// mend takes connections again, on the same address.
func (p *proxy) mend() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = false
	p.hangUp()
	if p.gate != nil {
		return
	}
	gate, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.gate, p.address = gate, gate.Addr().String()
	go func() {
		for {
			c, err := gate.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
}

func (p *proxy) pass(c net.Conn) {
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.open[c], p.open[far] = true, true
	deaf := p.deaf
	p.mu.Unlock()
	go func() {
		_, _ = io.Copy(far, c) // until one of them hangs up
		_ = far.Close()
	}()
	if deaf {
		one := make([]byte, 1)
		_, _ = far.Read(one) // the server has answered
	} else {
		_, _ = io.Copy(c, far)
	}
	_ = c.Close()
	_ = far.Close()
}

// answer is a right action as JSON fields.
type answer map[string]any

// truths gives the right answers of an episode, from the program itself.
func truths(t *testing.T, task string, seed, n int) []answer {
	t.Helper()
	track, _, _ := strings.Cut(task, "-")
	out := browser.Run(t, ".", "tickets", "generate", "--task", task, "--seed", strconv.Itoa(seed), "-n", strconv.Itoa(n),
		"--split", "test", "--labels", "--format", "jsonl")
	var list []answer
	for line := range strings.Lines(string(out)) {
		var ticket struct {
			Truth map[string]answer `json:"truth"`
		}
		if err := json.Unmarshal([]byte(line), &ticket); err != nil {
			t.Fatal(err)
		}
		list = append(list, ticket.Truth[track])
	}
	if len(list) != n {
		t.Fatalf("%d right answers of %s, want %d", len(list), task, n)
	}
	return list
}
