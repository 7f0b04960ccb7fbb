//go:build conformance

// Package browser is the rig of the tests that look at the program's pages in a real browser: it builds and starts the program
// ([Main], [Run], [Serve]), opens tabs of Chromium that take down what a page asks for and complains of ([New]), and lets axe-core
// judge what is shown ([Tab.Judge]). It is no part of the program, and only tests under the tag conformance import it.
//
// TRIAGE_CHROMIUM names the browser, TRIAGE_AXE an axe.min.js, and TRIAGE_PICTURES a folder for pictures of what was shown.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Patience is how long a test waits for what must come.
const Patience = time.Minute

// Tab is a tab of a browser of its own. What its page should not do fails the test at its end: a request to another place, an
// exception, a line on the console, and, but for MayFail, an answer that is an error or a lost connection.
type Tab struct {
	T   *testing.T
	Ctx context.Context // of the tab, for what this package has no method for

	mu       sync.Mutex
	own      string
	mayFail  bool
	requests []string // methods and addresses
	outside  []string
	problems []string
	failures []string // answers that are errors, lost connections
}

// Find gives the path of the browser. Without one the test is skipped.
func Find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("TRIAGE_CHROMIUM"), "/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	return ""
}

// New opens a browser with an empty profile. own is how the addresses begin that a page may ask for; where it is empty, the first
// address that is opened.
func New(t *testing.T, own string) *Tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(Find(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &Tab{T: t, Ctx: ctx, own: own}
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
	t.Cleanup(b.report)
	return b
}

// hear takes down an event.
func (b *Tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		address := e.Request.URL
		b.requests = append(b.requests, e.Request.Method+" "+address)
		if !strings.HasPrefix(address, b.own) && !strings.HasPrefix(address, "data:") && !strings.HasPrefix(address, "about:") {
			b.outside = append(b.outside, address)
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		b.problems = append(b.problems, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s was called", e.Type))
	case *cdplog.EventEntryAdded:
		text := fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		if e.Entry.Source == "network" {
			b.failures = append(b.failures, text)
		} else {
			b.problems = append(b.problems, text)
		}
	}
}

// report fails the test for what the page should not have done, and logs what a page shows whose test failed.
func (b *Tab) report() {
	if b.T.Failed() {
		ctx, cancel := context.WithTimeout(b.Ctx, 5*time.Second)
		defer cancel()
		if text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText")); err == nil {
			b.T.Logf("the page shows:\n%.10000s", text)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for what, list := range map[string][]string{"the page asked for": b.outside, "the console has": b.problems} {
		if len(list) > 0 {
			b.T.Errorf("%s: %q", what, list)
		}
	}
	if len(b.failures) > 0 && !b.mayFail {
		b.T.Errorf("failed requests: %q", b.failures)
	}
}

// MayFail lets requests fail, for a test of what a page does then.
func (b *Tab) MayFail() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mayFail = true
}

// Asked counts the requests that begin so: a method, a space, an address.
func (b *Tab) Asked(prefix string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

// TakeProblems gives the exceptions and the lines of the console so far, and forgets them.
func (b *Tab) TakeProblems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.problems
	b.problems = nil
	return list
}

// Do does something in the tab. what names it in the message of a failure.
func (b *Tab) Do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, Patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.T.Fatalf("%s: %v", what, err)
	}
}

// Open opens an address and waits until it is loaded.
func (b *Tab) Open(address string) {
	b.T.Helper()
	b.mu.Lock()
	if b.own == "" {
		b.own = address
	}
	b.mu.Unlock()
	b.Do("open "+address, chromedp.Navigate(address))
}

// BeforeLoad runs a script in every document before its own.
func (b *Tab) BeforeLoad(script string) {
	b.T.Helper()
	if _, err := chromedp.Call(b.Ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.T.Fatal(err)
	}
}

// Look sets theme (light or dark) and width in pixels, and stops movement. What is narrower than 500 is a telephone.
func (b *Tab) Look(theme string, width int64) {
	b.T.Helper()
	var options []chromedp.EmulateViewportOption
	if width < 500 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.Do("set the width", chromedp.EmulateViewport(width, 800, options...))
	b.Media("", theme)
}

// Media sets a medium ("print"; empty for a screen) and a theme, and stops movement.
func (b *Tab) Media(kind, theme string) {
	b.T.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind, Features: features}); err != nil {
		b.T.Fatal(err)
	}
}

// EachLook runs a test in both themes, each as wide as a desk's screen, a tablet and a telephone.
func EachLook(t *testing.T, f func(t *testing.T, theme string, width int64)) {
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 800, 320} {
			t.Run(fmt.Sprintf("%s %d", theme, width), func(t *testing.T) { f(t, theme, width) })
		}
	}
}

// Picture keeps what is shown as NAME.png, where TRIAGE_PICTURES names a folder for that.
func (b *Tab) Picture(name string) {
	b.T.Helper()
	if os.Getenv("TRIAGE_PICTURES") == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.Ctx, Patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.T.Fatal(err)
	}
	b.Keep(name+".png", data)
}

// Keep writes a file into the folder that TRIAGE_PICTURES names, if it does.
func (b *Tab) Keep(name string, data []byte) {
	b.T.Helper()
	if dir := os.Getenv("TRIAGE_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.T.Fatal(err)
		}
	}
}
