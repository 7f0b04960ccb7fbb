package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/triagebench/triage/clients/tail"
)

// target is a server that runs.
type target struct {
	sys    system
	cmd    *exec.Cmd
	addr   string
	client *http.Client
	said   *tail.Tail
	exited chan struct{}
	status error // after exited
}

// startServer starts the binary with as many descriptors as it may have.
func startServer(ctx context.Context, sys system, binary string, more ...string) (*target, error) {
	raise() // children inherit it
	t := &target{sys: sys, said: &tail.Tail{}, exited: make(chan struct{}),
		client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
	t.cmd = exec.Command(binary, append([]string{"serve", "--port", "0"}, more...)...) //nolint:gosec // what to run is what the caller named
	t.cmd.Stderr = t.said
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		t.status = t.cmd.Wait()
		close(t.exited)
	}()
	_, at, ok := strings.Cut(strings.TrimSpace(line), "://")
	if err != nil || !ok {
		t.kill()
		return nil, fmt.Errorf("start %s: its first line is %q, error %w: %s", binary, line, err, t.said)
	}
	t.addr = at
	for {
		if _, err := t.get(ctx, "/health"); err == nil {
			return t, nil
		}
		if ctx.Err() != nil {
			t.kill()
			return nil, fmt.Errorf("start %s: no health: %w", binary, ctx.Err())
		}
		pause(ctx, 5*time.Millisecond)
	}
}

// kill ends the process where it still runs.
func (t *target) kill() {
	_ = t.cmd.Process.Kill() // one that has ended is as good
	<-t.exited
}

// dial opens a connection to the server.
func (t *target) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: 10 * time.Second}
	return d.DialContext(ctx, "tcp", t.addr)
}

// get asks for a page that must be there.
func (t *target) get(ctx context.Context, path string) (string, error) {
	status, text, err := t.ask(ctx, http.MethodGet, path, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d: %.200s", path, status, text)
	}
	return text, err
}

// ask sends a request; headers come in pairs.
func (t *target) ask(ctx context.Context, method, path string, body []byte, headers ...string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+t.addr+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// figures are what is measured of a server.
type figures struct {
	sessions, sockets, episodes, goroutines int
	descriptors                             int
	kib                                     int // resident memory
	err                                     error
}

func (t *target) figures(ctx context.Context) figures {
	text, err := t.get(ctx, "/metrics")
	f := figures{err: err}
	for name, into := range map[string]*int{"triage_sessions": &f.sessions, "triage_websockets": &f.sockets, "triage_http_episodes": &f.episodes, "go_goroutines": &f.goroutines} {
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, name+" "); ok {
				v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
				f.err = errors.Join(f.err, err)
				*into = int(v)
			}
		}
	}
	proc := fmt.Sprintf("/proc/%d/", t.cmd.Process.Pid)
	list, err := os.ReadDir(proc + "fd")
	f.err = errors.Join(f.err, err)
	f.descriptors = len(list)
	status, err := os.ReadFile(proc + "status")
	f.err = errors.Join(f.err, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			f.kib, err = strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			f.err = errors.Join(f.err, err)
		}
	}
	return f
}

// terminate asks the server to go, and waits.
func (t *target) terminate(patience time.Duration) error {
	if err := t.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-t.exited:
		if t.status != nil {
			return fmt.Errorf("it ended with %w: %s", t.status, t.said)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("it runs %s after SIGTERM", patience)
	}
}

// recovers looks whether the server is as it was, and gives it some time for that.
func (a *arena) recovers(ctx context.Context, before figures) (string, error) {
	const slack, patience = 64 << 10, 20 * time.Second
	bar := before.kib + before.kib/5 + slack
	a.main.client.CloseIdleConnections()
	deadline := a.sys.now().Add(patience)
	for {
		now := a.main.figures(ctx)
		seen := fmt.Sprintf("resident %d MiB, before %d, bar %d; sessions %d; sockets %d; HTTP episodes %d; descriptors %d, before %d; goroutines %d, before %d",
			now.kib>>10, before.kib>>10, bar>>10, now.sessions, now.sockets, now.episodes, now.descriptors, before.descriptors, now.goroutines, before.goroutines)
		err := errors.Join(before.err, now.err)
		const few = 10 // connections of HTTP that are kept alive
		switch {
		case err != nil:
		case now.sessions != 0 || now.sockets != 0:
			err = errors.New("there are sessions or sockets left")
		case now.descriptors > before.descriptors+few:
			err = errors.New("descriptors leak")
		case now.goroutines > before.goroutines+2*few:
			err = errors.New("goroutines leak")
		case now.kib > bar:
			err = errors.New("memory did not return")
		}
		if err == nil || a.sys.now().After(deadline) || ctx.Err() != nil {
			return seen, err
		}
		pause(ctx, 250*time.Millisecond)
	}
}
