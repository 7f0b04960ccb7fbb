//go:build conformance

package web_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The program under test and the browser, as TestMain found them.
var (
	binary   string
	chromium string
)

func TestMain(m *testing.M) { os.Exit(prepare(m)) }

func prepare(m *testing.M) int {
	dir, err := os.MkdirTemp("", "triage-web")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "triage")
	build := exec.Command("go", "build", "-o", binary, "./cmd/triage")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	for _, name := range []string{os.Getenv("TRIAGE_CHROMIUM"), "/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	return m.Run()
}

// server is a running `triage serve`.
type server struct {
	t    *testing.T
	args []string
	cmd  *exec.Cmd
	url  string
	log  bytes.Buffer
}

// serve starts the program on a free port and stops it after the test.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{t: t, args: args}
	s.start("0")
	t.Cleanup(s.stop)
	return s
}

func (s *server) start(port string) {
	s.t.Helper()
	s.cmd = exec.Command(binary, append([]string{"serve", "--port", port}, s.args...)...)
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if !ok {
		s.stop()
		s.t.Fatalf("the first line of serve %q is %q (%v), want the address\n%s", s.args, line, err, s.log.String())
	}
	s.url = url
}

// stop ends the program as an operator does, and by force if that takes too long.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(15*time.Second, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait() // it was told to end
	timer.Stop()
	s.cmd = nil
}

// restart stops the program and starts it on the same port: it knows no episode then.
func (s *server) restart() {
	s.t.Helper()
	port := s.url[strings.LastIndex(s.url, ":")+1:]
	s.stop()
	s.start(port)
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
	p := &proxy{t: t, target: strings.TrimPrefix(s.url, "http://"), address: "127.0.0.1:0", open: map[net.Conn]bool{}}
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
	out, err := exec.Command(binary, "tickets", "generate", "--task", task, "--seed", strconv.Itoa(seed), "-n", strconv.Itoa(n),
		"--split", "test", "--labels", "--format", "jsonl").Output()
	if err != nil {
		t.Fatal(err)
	}
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
