//go:build conformance

package view_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The program under test and the browser, as TestMain found them.
var binary, chromium string

func TestMain(m *testing.M) { os.Exit(prepare(m)) }

func prepare(m *testing.M) int {
	dir, err := os.MkdirTemp("", "triage-view")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "triage")
	build := exec.Command("go", "build", "-o", binary, "./cmd/triage")
	build.Dir = filepath.Join("..", "..")
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

// play runs the program to its end.
func play(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, append(args, "--progress", "off")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("triage %q: %v\n%s", args, err, out)
	}
}

// viewed is a running `triage view`; stop ends it as an operator does, and demands that it ends well.
func viewed(t *testing.T, dir string, args ...string) (url string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"view"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("after SIGTERM triage view ends with %v", err)
		}
	})
	if !ok {
		t.Fatalf("the first line is %q (%v), want the address", line, err)
	}
	return url
}

// tab is a browser tab that takes down what pages ask for and complain of.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	problems []string
}

func browse(t *testing.T, base string) *tab {
	t.Helper()
	if chromium == "" {
		t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.WindowSize(1280, 800), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &tab{t: t, ctx: ctx, base: base}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel() })
	if err := chromedp.Do(ctx); err != nil { // the browser ends with the context that started it
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.problems) > 0 {
			t.Errorf("the pages did: %q", b.problems)
		}
	})
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note := func(format string, args ...any) { b.problems = append(b.problems, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.base+"/") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") {
			note("ask for %s", u)
		}
	case *runtime.EventExceptionThrown:
		note("throw %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		note("call console.%s", e.Type)
	case *cdplog.EventEntryAdded:
		note("log %s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
	}
}

const patience = 30 * time.Second

func (b *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do("open "+path, chromedp.Navigate(b.base+path), chromedp.WaitVisible(chromedp.CSS("h1")))
}

func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("evaluate %.200s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true, also over a page that loads itself anew.
func (b *tab) until(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("this did not come true: %s (%v); the page shows\n%s", expression, err, evaluate[string](b, "document.body.innerText"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (b *tab) look(theme string, width int64) {
	b.t.Helper()
	b.do("set the width", chromedp.EmulateViewport(width, 800))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

const runAxe = `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) =>
  v.nodes.map((n) => v.impact + ": " + v.id + ": " + v.help + ", at " + n.target.join(" "))))`

// judge lets axe look at a page, and looks itself whether one has to scroll sideways.
func (b *tab) judge(axe, state string) {
	b.t.Helper()
	b.do("load axe", chromedp.Evaluate[chromedp.Void](axe))
	for _, f := range evaluate[[]string](b, runAxe) {
		b.t.Errorf("%s: %s", state, f)
	}
	if over := evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.t.Errorf("%s: the page is %d pixels wider than the window", state, over)
	}
}

func TestTheLeaderboardLeadsToRunsAndComparisons(t *testing.T) {
	t.Parallel()
	b := browse(t, viewed(t, someRuns(t)))
	b.open("/")
	b.do("open a run", chromedp.Click(chromedp.CSS(`a[href="run?run=first"]`), chromedp.NodeVisible))
	b.until(`document.title.includes("first") && document.querySelector("#tickets")`)
	b.do("go back", chromedp.Click(chromedp.CSS(`.top a`), chromedp.NodeVisible))
	b.until(`location.pathname === "/" && document.querySelector("form.compare")`)
	b.do("compare", chromedp.Click(chromedp.CSS(`form.compare button`), chromedp.NodeVisible))
	b.until(`location.pathname === "/compare" && document.body.innerText.includes("keyword against heuristic")`)
	b.open("/")
	b.do("compare by a link", chromedp.Click(chromedp.CSS(`a[href^="compare?"]`), chromedp.NodeVisible))
	b.until(`location.pathname === "/compare" && document.body.innerText.includes("against heuristic")`)
}

// TestARunIsFollowedInTheBrowser lets an agent answer at the test's word, and looks at what the pages show meanwhile.
func TestARunIsFollowedInTheBrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "agent.sh")
	text := "exec 3<'" + gate + "'\nwhile read -r line; do read -r go <&3; echo '{\"category\":\"Bug\"}'; done\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(binary, "run", "--agent", "exec:sh "+script, "--tasks", "desk-easy", "--episodes", "6", "--workers", "1", "--timeout", "2m", "--out", "results/live", "--progress", "off")
	run.Dir = dir
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() { _ = run.Process.Kill() })
	word, err := os.OpenFile(gate, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = word.Close() }()
	answer := func(n int) {
		t.Helper()
		if _, err := word.WriteString(strings.Repeat("go\n", n)); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "results", "live", "journal.jsonl")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not begin")
		}
	}
	url := viewed(t, dir)
	board, b := browse(t, url), browse(t, url)
	board.open("/")
	board.until(`document.querySelector("[data-run=live] .state").textContent === "going on: 0 of 6"`)
	b.open("/run?run=live")
	b.until(`document.body.innerText.includes("No episode of this run is finished yet.")`)
	answer(3) // an episode, as a wrong answer of the desk may be given three times
	b.until(`document.querySelector("#live-text")`)
	answer(3)
	board.until(`/going on: [1-6] of 6/.test(document.querySelector("[data-run=live] .state").textContent) && document.querySelector("[data-run=live] progress").value >= 1`)
	b.until(`document.querySelector("#live-progress").value >= 2`)
	answer(30)
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("the run ends with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the run does not end")
	}
	b.until(`!document.querySelector("#live-text") && document.body.innerText.includes("6 tickets")`) // it loaded itself anew
	board.until(`!document.querySelector("#changed").hidden`)
	board.do("show it", chromedp.Click(chromedp.CSS("#changed a"), chromedp.NodeVisible))
	board.until(`document.querySelector("section.board a[href='run?run=live']")`)
	board.open("/run?run=live")
	board.until(`!document.querySelector("#live-text") && document.querySelector("#tickets")`)
}
