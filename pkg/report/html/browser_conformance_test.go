//go:build conformance

package html_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/pkg/report/html"
)

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("TRIAGE_CHROMIUM"), "/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	return ""
}

// tab is a tab of a browser of its own that takes down what the page asks for and complains of.
type tab struct {
	t   *testing.T
	ctx context.Context
	own string // the page's own address: requests for it are its own

	mu       sync.Mutex
	outside  []string
	problems []string
}

func browse(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &tab{t: t, ctx: ctx}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel() })
	if err := chromedp.Do(ctx); err != nil {
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

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if address := e.Request.URL; !strings.HasPrefix(address, b.own) && !strings.HasPrefix(address, "data:") {
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
		b.problems = append(b.problems, fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
	}
}

// report fails the test for what the page should not have done.
func (b *tab) report() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.outside) > 0 {
		b.t.Errorf("the page asked for %q", b.outside)
	}
	if len(b.problems) > 0 {
		b.t.Errorf("the console has: %q", b.problems)
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

// open opens a file and waits for its list.
func (b *tab) open(path string) {
	b.t.Helper()
	b.openOnly("file://" + path)
	b.until("document.documentElement.dataset.ready === 'list'")
}

func (b *tab) openOnly(address string) {
	b.t.Helper()
	b.mu.Lock()
	b.own = address
	b.mu.Unlock()
	b.do("open "+address, chromedp.Navigate(address))
}

func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// text is what is written somewhere, empty if there is nothing of the kind.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return evaluate[string](b, fmt.Sprintf("(document.querySelector(%q) || {textContent: ''}).textContent", selector))
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for !evaluate[bool](b, "Boolean("+expression+")") {
		if time.Now().After(deadline) {
			b.t.Fatalf("this did not come true: %s; the list says %q %q", expression, b.text("#count"), b.text("#list-note"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// sees waits for a text somewhere.
func (b *tab) sees(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("(document.querySelector(%q) || {textContent: ''}).textContent.includes(%q)", selector, text))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// keys types as on a keyboard, wherever the focus is.
func (b *tab) keys(keys string) {
	b.t.Helper()
	for _, r := range keys {
		var down *input.DispatchKeyEventParams
		for _, k := range kb.Encode(r) {
			switch k.Type {
			case kb.KeyChar:
				down.Type, down.Text, down.UnmodifiedText = kb.KeyDown, k.Text, k.UnmodifiedText
			case kb.KeyUp:
				b.press(down)
				b.press(k)
			default:
				down = k
			}
		}
	}
}

func (b *tab) press(k *input.DispatchKeyEventParams) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, *k); err != nil {
		b.t.Fatalf("press %q: %v", k.Key, err)
	}
}

// tabTo presses Tab until the focus is on something: a way that keyboards have.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 200 {
		if evaluate[bool](b, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		b.keys(kb.Tab)
	}
	b.t.Fatalf("200 times Tab do not lead to %s", selector)
}

// choose picks a value of a list, as a person's change.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	if !evaluate[bool](b, fmt.Sprintf("(() => {const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); return s.value === %q})()", selector, value, value)) {
		b.t.Fatalf("%s has no %q", selector, value)
	}
}

// look sets theme and width, and stops movement.
func (b *tab) look(theme string, width int64) {
	b.t.Helper()
	var options []chromedp.EmulateViewportOption
	if width < 500 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.do("set the width", chromedp.EmulateViewport(width, 800, options...))
	b.media("", theme)
}

func (b *tab) media(kind, theme string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind, Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// picture keeps what is shown as a file, where TRIAGE_PICTURES names a folder for that.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("TRIAGE_PICTURES")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// beforeLoad runs a script in every document before its own.
func (b *tab) beforeLoad(script string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.t.Fatal(err)
	}
}

// filed writes a page into a file.
func filed(t *testing.T, p *html.Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
