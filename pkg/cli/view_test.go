package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/triagebench/triage/pkg/results"
)

// lineWriter gives the first line that is written, once it is there.
type lineWriter struct {
	once sync.Once
	line chan string
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { w.line <- string(p) })
	return len(p), nil
}

// viewing serves a folder until stop, which gives the exit code.
func viewing(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	app := newTestApp()
	app.Listen = net.Listen
	out := &lineWriter{line: make(chan string, 1)}
	app.Out = out
	ctx, cancel := context.WithCancelCause(t.Context())
	code := make(chan int, 1)
	go func() { code <- app.run(ctx, append([]string{"view"}, args...)...) }()
	select {
	case line := <-out.line:
		address, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
		if !ok {
			t.Fatalf("the first line is %q", line)
		}
		return address, func() int { cancel(Interrupted{ExitInterrupted}); return <-code }
	case c := <-code:
		cancel(nil)
		t.Fatalf("triage view %q exits with %d: %s", args, c, app.errs.String())
		return "", nil
	}
}

// fetch asks for a page.
func fetch(t *testing.T, address string) (int, string) {
	t.Helper()
	resp, err := http.Get(address) //nolint:noctx // the test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// twoRuns makes a folder with two runs, and a results file.
func twoRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, agent := range []string{"keyword", "constant"} {
		newTestApp().mustRun(t, "run", "--agent", agent, "--tasks", "queue-easy", "desk-easy", "--episodes", "3", "--out", filepath.Join(dir, agent), "--no-floor")
	}
	newTestApp().mustRun(t, "baseline", "--agent", "oracle", "--tasks", "queue-easy", "desk-easy", "--episodes", "3", "--output", filepath.Join(dir, "oracle.json"), "--no-floor")
	return dir
}

func TestViewShowsRunsAndComparesThem(t *testing.T) {
	t.Parallel()
	dir := twoRuns(t)
	address, stop := viewing(t, dir)
	has := func(path string, code int, texts ...string) {
		t.Helper()
		got, page := fetch(t, address+path)
		if got != code {
			t.Errorf("%s: %d: %.500s", path, got, page)
		}
		for _, text := range texts {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q", path, text)
			}
		}
	}
	has("/", 200, "oracle.json", "run?run=keyword", "run?run=constant", "1.000")
	has("/run?run=keyword", 200, "All runs", "queue-easy")
	compare := func(base, other string) string {
		return "/compare?" + url.Values{"base": {base}, "new": {other}}.Encode()
	}
	has(compare("constant", "keyword"), 200, "keyword", "constant")
	has(compare(`["constant","constant"]`, `["oracle.json","oracle"]`), 200, "oracle")
	has(compare(`["constant","nobody"]`, "keyword"), 409, "has no agent nobody: it has constant")
	newTestApp().mustRun(t, "run", "--agent", "keyword", "--tasks", "queue-easy", "--split", "train", "--episodes", "3", "--out", filepath.Join(dir, "train"), "--no-floor")
	has(compare("keyword", "train"), 409, "<th scope=\"row\">split</th><td class=\"name\">test</td><td class=\"name\">train</td>", `compare?allow=split&amp;base=`, "Compare them all the same")
	has(compare("keyword", "train")+"&allow=split", 200, "allowed to differ")
	has(compare("keyword", "train")+"&allow=nothing", 409, "it is not one of")
	if code := stop(); code != ExitOK {
		t.Errorf("after the signal it exits with %d", code)
	}
}

func TestViewFollowsARunThatGoesOn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--agent", "keyword", "--tasks", "desk-easy", "--episodes", "6", "--out", dir, "--no-floor"}
	newTestApp().mustRun(t, args...)
	whole := strings.SplitAfter(readFile(t, dir, results.JournalFile), "\n")
	for _, name := range []string{results.EpisodesFile, "results-keyword.json", results.JournalFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, results.JournalFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := results.Lock(f); err != nil {
		t.Fatal(err)
	}
	address, stop := viewing(t, dir)
	if _, page := fetch(t, address); !strings.Contains(page, "No episode of this run is finished yet.") {
		t.Errorf("the first page: %.500s", page)
	}
	for _, line := range whole[:2] {
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	stop() // the app's clock stands still: another server looks again
	address, stop = viewing(t, dir)
	if _, page := fetch(t, address+"/progress?run=."); !strings.Contains(page, `"done":2,"broke":0,"planned":6,"ended":false,"state":"going on: 2 of 6"`) {
		t.Errorf("progress: %s", page)
	}
	if _, page := fetch(t, address); !strings.Contains(page, `max="6" value="2"`) || strings.Contains(page, "All runs") {
		t.Errorf("the page of a run that goes on: %.3000s", page)
	}
	if code := stop(); code != ExitOK {
		t.Errorf("it exits with %d", code)
	}
}

func TestViewRefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--host 0.0.0.0 is not this machine":                             {"--host", "0.0.0.0", dir},
		"--host example.org is not this machine":                         {"--host", "example.org", dir},
		"--port 65536 is not allowed":                                    {"--port", "65536", dir},
		"no such file or directory":                                      {filepath.Join(dir, "nothing")},
		"not a directory":                                                {file},
		"takes one folder":                                               {dir, dir},
		"listen on 127.0.0.1 port 0: it is broken; --port names another": {dir},
	} {
		app := newTestApp()
		app.Listen = func(string, string) (net.Listener, error) { return nil, errBroken }
		if code := app.run(t.Context(), append([]string{"view"}, args...)...); code != ExitUsage || !strings.Contains(app.errs.String(), want) {
			t.Errorf("triage view %q exits with %d: %s", args, code, app.errs.String())
		}
	}
	app := newTestApp()
	app.Listen, app.Out = net.Listen, failing{}
	if code := app.run(t.Context(), "view", dir); code != ExitUsage || !strings.Contains(app.errs.String(), "print the address: it is broken") {
		t.Errorf("it exits with %d: %s", code, app.errs.String())
	}
}
