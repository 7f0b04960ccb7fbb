//go:build conformance

package web_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	cdplog "github.com/chromedp/cdproto/log"
)

// tab is a browser tab of its own browser, on one server, that takes down what the page asks for and complains of.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	requests []string // methods and addresses
	outside  []string
	problems []string // on the console, but for answers that are errors
	failures []string // answers that are errors, lost connections
}

// browse opens a browser with an empty profile. base is where the server's routes begin.
func browse(t *testing.T, base string) *tab {
	t.Helper()
	if chromium == "" {
		t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &tab{t: t, ctx: ctx, base: base}
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

// hear takes down an event.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		address := e.Request.URL
		b.requests = append(b.requests, e.Request.Method+" "+address)
		if !strings.HasPrefix(address, b.base+"/") && !strings.HasPrefix(address, "data:") {
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

// report fails the test for what the page should not have done.
func (b *tab) report() {
	if b.t.Failed() {
		b.picture()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.outside) > 0 {
		b.t.Errorf("requests to other places than %s: %q", b.base, b.outside)
	}
	if len(b.problems) > 0 {
		b.t.Errorf("the console has: %q", b.problems)
	}
}

// noFailures demands that every answer was a success.
func (b *tab) noFailures() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.failures) > 0 {
		b.t.Errorf("failed requests: %q", b.failures)
	}
}

// asked counts the requests that begin so.
func (b *tab) asked(prefix string) int {
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

// picture logs what the page shows, for a test that failed.
func (b *tab) picture() {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	if text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText")); err == nil {
		b.t.Logf("the page shows:\n%s", text)
	}
}

const patience = 20 * time.Second

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
	b.do("open "+path, chromedp.Navigate(b.base+path), chromedp.WaitVisible(chromedp.CSS("#panel-play, #panel-handbook, #panel-calls")))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// keys types as on a keyboard, wherever the focus is, while modifiers are held. A key that the page takes for itself
// types nothing: its text goes with the press, not as an event of its own.
func (b *tab) keys(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	for _, r := range keys {
		var down *input.DispatchKeyEventParams
		for _, k := range kb.Encode(r) {
			for _, m := range modifiers {
				k.Modifiers |= int64(m)
			}
			switch {
			case k.Type == kb.KeyChar && len(modifiers) == 0:
				down.Type, down.Text, down.UnmodifiedText = kb.KeyDown, k.Text, k.UnmodifiedText
			case k.Type == kb.KeyUp:
				b.press(down)
				b.press(k)
			case k.Type != kb.KeyChar:
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

// retype replaces what a field holds, by keys.
func (b *tab) retype(selector, text string) {
	b.t.Helper()
	b.click(selector)
	b.keys("a", chromedp.ModifierCtrl)
	b.keys(kb.Delete)
	b.keys(text)
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
			b.t.Fatalf("this did not come true: %s", expression)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// sees waits for a text somewhere.
func (b *tab) sees(selector, text string) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := b.text(selector)
		if strings.Contains(got, text) {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s holds %q, want %q in it", selector, got, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// focused waits for the focus to be on something.
func (b *tab) focused(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.activeElement && document.activeElement.matches(%q)", selector))
}

// tabTo presses Tab until the focus is on something: a way that keyboards have.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 60 {
		if evaluate[bool](b, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		b.keys(kb.Tab)
	}
	b.t.Fatalf("60 times Tab do not lead to %s", selector)
}

// look sets theme and width, and stops movement.
func (b *tab) look(theme string, width int64) {
	b.t.Helper()
	var options []chromedp.EmulateViewportOption
	if width < 500 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	b.do("set the width", chromedp.EmulateViewport(width, 800, options...))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}
