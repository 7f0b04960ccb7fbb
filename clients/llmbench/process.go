package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/triagebench/triage/clients/tail"
)

// command is a run of the binary, with a made-up key and nothing else of our environment that could matter.
func (o *options) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, o.triage, args...)
	c.Env = append(os.Environ(), "LLMBENCH_KEY=sk-bench")
	c.Stderr = &tail.Tail{}
	return c
}

// fake is a running `triage fake-llm`.
type fake struct {
	url string
	cmd *exec.Cmd
	one sync.Once
}

// startFake starts a server that knows the tickets that are played.
func (o *options) startFake(ctx context.Context, dir, name, script string, episodes int) (*fake, error) {
	file := filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return nil, err
	}
	c := o.command(ctx, "fake-llm", "--script", file, "--tasks", "desk-easy", "--episodes", strconv.Itoa(episodes))
	pipe, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start fake-llm: %w", err)
	}
	f := &fake{cmd: c}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		f.stop()
		return nil, fmt.Errorf("fake-llm does not say where it listens: %q: %s", line, c.Stderr)
	}
	f.url = url
	return f, nil
}

func (f *fake) stop() {
	f.one.Do(func() {
		_ = f.cmd.Process.Signal(syscall.SIGTERM) // it may be gone already
		done := make(chan struct{})
		go func() {
			_ = f.cmd.Wait() // how it ended does not matter here
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			_ = f.cmd.Process.Kill()
			<-done
		}
	})
}

// captured is how many requests of the harness are kept for the bare client.
const captured = 200

// capture lets the harness play a few tickets against a server of ours and keeps what it sends.
func (o *options) capture(ctx context.Context) ([][]byte, error) {
	var mu sync.Mutex
	var bodies [][]byte
	answer := []byte(`{"id":"x","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"{\"category\":\"Bug\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		bodies = append(bodies, data)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // the harness says so if it does not arrive
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() { _ = server.Serve(l) }() // ends with the server
	defer func() { _ = server.Close() }()
	c := o.command(ctx, "run", "--agent", "llm", "--model", "fake", "--base-url", "http://"+l.Addr().String()+"/v1", "--api-key-env", "LLMBENCH_KEY",
		"--tasks", "desk-easy", "--episodes", strconv.Itoa(captured), "--cache", "off", "--no-floor", "--progress", "off", "--format", "json")
	if _, err := c.Output(); err != nil {
		return nil, fmt.Errorf("capture requests: %w: %s", err, c.Stderr)
	}
	if len(bodies) != captured {
		return nil, fmt.Errorf("%d requests came for %d tickets", len(bodies), captured)
	}
	return bodies, nil
}

// bare posts the requests with net/http and nothing around it, and gives the calls a second.
func (o *options) bare(ctx context.Context, url string, bodies [][]byte) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.concurrency}}
	defer client.CloseIdleConnections()
	var wg sync.WaitGroup
	errs := make([]error, o.concurrency)
	begun := o.now()
	for w := range o.concurrency {
		wg.Go(func() {
			for i := w; i < o.calls; i += o.concurrency {
				if errs[w] = post(ctx, client, url+"/chat/completions", bodies[i%len(bodies)]); errs[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return rateOf(o.calls, o.now().Sub(begun)), errors.Join(errs...)
}

func post(ctx context.Context, client *http.Client, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-bench")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// peakMiB is the most memory that a process had, in MiB.
func peakMiB(s *os.ProcessState) float64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) / 1024 // Linux counts in KiB
	}
	return 0
}

// allRight says whether every call was made and every answer was right: a figure of a run that did not do the work is none.
func allRight(out []byte, calls int) error {
	var rep struct {
		Desk []struct {
			N           int     `json:"n"`
			Correctness float64 `json:"correctness"`
		} `json:"desk"`
	}
	if err := json.Unmarshal(out, &rep); err != nil {
		return fmt.Errorf("read its report: %w", err)
	}
	if len(rep.Desk) != 1 {
		return errors.New("its report has no table of the desk track")
	}
	switch row := rep.Desk[0]; {
	case row.N != calls:
		return fmt.Errorf("%d of %d tickets were scored", row.N, calls)
	case row.Correctness != 1:
		return fmt.Errorf("correctness %v of answers that are all right", row.Correctness)
	}
	return nil
}
