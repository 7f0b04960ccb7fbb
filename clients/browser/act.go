//go:build conformance

package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func run[T any](b *Tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.Ctx, Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Evaluate gives the value of a JavaScript expression, that of a promise once it is kept.
func Evaluate[T any](b *Tab, expression string) T {
	b.T.Helper()
	v, err := run[T](b, expression)
	if err != nil {
		b.T.Fatalf("evaluate %.200s: %v", expression, err)
	}
	return v
}

// Script runs statements in the page. what names them in the message of a failure.
func (b *Tab) Script(what, statements string) {
	b.T.Helper()
	b.Do(what, chromedp.Evaluate[chromedp.Void](statements))
}

// Text is what is written somewhere, empty if there is nothing of the kind.
func (b *Tab) Text(selector string) string {
	b.T.Helper()
	return Evaluate[string](b, textOf(selector))
}

func textOf(selector string) string {
	return fmt.Sprintf("(document.querySelector(%q) || {textContent: ''}).textContent", selector)
}

// Until waits for an expression to be true, also over a page that loads itself anew.
func (b *Tab) Until(expression string) {
	b.T.Helper()
	for deadline := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		ok, err := run[bool](b, "Boolean("+expression+")")
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.T.Fatalf("this did not come true: %s (%v)", expression, err)
		}
	}
}

// Sees waits for a text somewhere.
func (b *Tab) Sees(selector, text string) {
	b.T.Helper()
	b.Until(textOf(selector) + fmt.Sprintf(".includes(%q)", text))
}

// Has reports whether there is such a node, also where no script runs. Numbers of nodes hold only until somebody asks for the document
// anew, which chromedp does after a page was opened: then it is asked again.
func (b *Tab) Has(selector string) bool {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, Patience)
	defer cancel()
	for {
		root, err := chromedp.Call(ctx, dom.GetDocument, dom.GetDocumentParams{})
		if err == nil {
			var found dom.QuerySelectorResult
			found, err = chromedp.Call(ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: root.Root.NodeID, Selector: selector})
			if err == nil {
				return found.NodeID != 0
			}
		}
		if !gone(err) {
			b.T.Fatalf("look for %s: %v", selector, err)
		}
	}
}

// gone reports whether a node was looked up by a number that no longer holds.
func gone(err error) bool { return strings.Contains(err.Error(), "Could not find node") }

// Focused waits for the focus to be on something.
func (b *Tab) Focused(selector string) {
	b.T.Helper()
	b.Until(fmt.Sprintf("document.activeElement && document.activeElement.matches(%q)", selector))
}

// Click clicks on something, once it can be seen. Where another document came while it was looked for, it is looked for again.
func (b *Tab) Click(selector string) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, Patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		if err == nil {
			return
		}
		if !gone(err) {
			b.T.Fatalf("click %s: %v", selector, err)
		}
	}
}

// Keys types as on a keyboard, wherever the focus is, while modifiers are held. A key that the page takes for itself
// types nothing: its text goes with the press, not as an event of its own.
func (b *Tab) Keys(keys string, modifiers ...chromedp.Modifier) {
	b.T.Helper()
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

func (b *Tab) press(k *input.DispatchKeyEventParams) {
	b.T.Helper()
	if _, err := chromedp.Call(b.Ctx, input.DispatchKeyEvent, *k); err != nil {
		b.T.Fatalf("press %q: %v", k.Key, err)
	}
}

// Retype replaces what a field holds, by keys.
func (b *Tab) Retype(selector, text string) {
	b.T.Helper()
	b.Click(selector)
	b.Keys("a", chromedp.ModifierCtrl)
	b.Keys(kb.Delete)
	b.Keys(text)
}

// TabTo presses Tab until the focus is on something: a way that keyboards have.
func (b *Tab) TabTo(selector string) {
	b.T.Helper()
	const most = 200
	for range most {
		if Evaluate[bool](b, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
		b.Keys(kb.Tab)
	}
	b.T.Fatalf("%d times Tab do not lead to %s", most, selector)
}
