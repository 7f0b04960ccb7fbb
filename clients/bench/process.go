package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/triagebench/triage/clients/tail"
)

// spec says how a server is started. Its first line on standard output must be "Listening on http://host:port".
type spec struct {
	name     string
	dir      string   // to start it in; empty for the current one
	command  []string // the program and its arguments
	sessions int      // to measure memory at
	starts   int      // that are timed
}

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	addr   string
	said   *tail.Tail
	exited chan struct{}
}

// start starts a server and waits for the first 200 of /health, which took so long from the start of the process.
func (s *spec) start(ctx context.Context, sys system) (p *process, took time.Duration, err error) {
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p = &process{said: &tail.Tail{}, exited: make(chan struct{})}
	p.cmd = exec.Command(s.command[0], s.command[1:]...) //nolint:gosec // what to run is what the caller named
	p.cmd.Dir, p.cmd.Stderr = s.dir, p.said
	out, in := io.Pipe() // whose reader never ends before the process does
	p.cmd.Stdout = in
	begin := sys.now()
	if err := p.cmd.Start(); err != nil {
		return nil, 0, fmt.Errorf("start %s: %w", s.name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended does not matter; that it did is noticed
		_ = in.Close()
		close(p.exited)
	}()
	addr := make(chan string, 1)
	go listen(out, addr)
	select {
	case p.addr = <-addr:
	case <-p.exited:
		return nil, 0, fmt.Errorf("start %s: the process ended: %s", s.name, p.said)
	case <-ctx.Done():
		p.stop()
		return nil, 0, fmt.Errorf("start %s: no line \"Listening on\" came: %w: %s", s.name, ctx.Err(), p.said)
	}
	if err := p.healthy(ctx); err != nil {
		p.stop()
		return nil, 0, fmt.Errorf("start %s: %w", s.name, err)
	}
	return p, sys.now().Sub(begin), nil
}

// listen reads all that a process writes to standard output, and the address from the first line.
func listen(out io.Reader, addr chan<- string) {
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n') // a line cut short is no address
	if _, at, ok := strings.Cut(strings.TrimSpace(line), "://"); ok {
		addr <- at
	}
	_, _ = io.Copy(io.Discard, lines)
}

// healthy asks for /health until it answers 200.
func (p *process) healthy(ctx context.Context) error {
	const interval = time.Millisecond
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.addr+"/health", nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(req)
		if err == nil {
			_ = answer.Body.Close() // what it says does not matter
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(answer.Status)
		}
		select {
		case <-p.exited:
			return fmt.Errorf("the process ended: %s", p.said)
		case <-ctx.Done():
			return fmt.Errorf("no answer of /health: %w", err)
		case <-time.After(interval):
		}
	}
}

// stop ends the process, by force if it does not go.
func (p *process) stop() {
	const patience = 3 * time.Second
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that has ended already is as good
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

// cpu is the processor time of a process so far, which Linux counts in hundredths of a second.
func cpu(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseCPU(string(data))
}

// parseCPU reads /proc/PID/stat: fields 14 and 15, counted behind the name, which may hold anything.
func parseCPU(stat string) (time.Duration, error) {
	const user, system, tick = 11, 12, 10 * time.Millisecond
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/PID/stat has %d fields: %s", len(fields), stat)
	}
	var sum time.Duration
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// resident is the resident memory of a process in KiB.
func resident(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return parseResident(string(data))
}

// parseResident reads the line VmRSS of /proc/PID/status.
func parseResident(status string) (float64, error) {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
		}
	}
	return 0, errors.New("/proc/PID/status has no line VmRSS")
}
