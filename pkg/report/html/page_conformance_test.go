//go:build conformance

package html_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/clients/browser"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/triage"
)

func TestTicketsAreFoundFilteredSortedAndOpenedByKeyboard(t *testing.T) {
	t.Parallel()
	b := browser.New(t, "")
	b.Look("light", 1280)
	show(b, filed(t, collected(t, html.Options{}, played(t, "--agent", "heuristic", "--agent", "keyword", "--episodes", "5"))))
	b.Sees("#count", "330 tickets; shown are 1 to 50")
	for _, filter := range []struct{ field, value, holds string }{
		{"#f-agent", "keyword", "index.agent === 'keyword'"}, {"#f-task", "queue-hard", "index.task === 'queue-hard'"}, {"#f-trap", "thread", "index.traps.includes('thread')"},
		{"#f-result", "not", "index.score !== '1.000'"}, {"#f-result", "right", "index.score === '1.000'"}, {"#f-result", "zero", "index.score === '0.000'"},
	} {
		choose(b, filter.field, filter.value)
		b.Sees("#count", " of 330")
		const rows = `[...document.querySelectorAll('#rows tr')].map((r) => ({score: r.cells[0].textContent.slice(2, 7), agent: r.cells[2].textContent, task: r.cells[3].textContent, traps: r.cells[5].textContent}))`
		if !browser.Evaluate[bool](b, "(() => {const rows = "+rows+"; return rows.length > 0 && rows.every((index) => "+filter.holds+")})()") {
			t.Errorf("with %s = %s the list is %v", filter.field, filter.value, browser.Evaluate[[]map[string]string](b, rows))
		}
		b.Click("#f-reset")
		b.Sees("#count", "330 tickets; shown")
	}
	choose(b, "#f-sort", "low")
	const scores = "[...document.querySelectorAll('#rows .score')].map((c) => Number(c.textContent.slice(2, 7)))"
	if got := browser.Evaluate[[]float64](b, scores); got[0] != 0 || !browser.Evaluate[bool](b, scores+".every((v, i, a) => i === 0 || a[i - 1] <= v)") {
		t.Errorf("sorted from the lowest the scores are %v", got)
	}
	b.Click("#last")
	b.Sees("#page-number", "Page 7 of 7")
	b.Sees("#rows", "1.000")
	b.Click("#f-reset")
	b.Script("begin at the top", "document.getElementById('main').focus()")
	b.TabTo("#f-text")
	b.Keys("noise  OFFICE")
	b.Sees("#count", "2 tickets of 330")
	b.TabTo("#rows button")
	b.Keys(kb.Enter)
	b.Until("document.querySelector('dialog').open && document.activeElement.id === 'ticket-title'")
	for _, want := range []string{"lp-3 noise in the office", "roland fontaine", "feedback is right", "Customer tier", "Other answers to this ticket"} {
		b.Sees("dialog", want)
	}
	b.Picture("opened")
	b.TabTo("#ticket-next")
	b.Keys(kb.Enter)
	b.Until("document.querySelector('#ticket-next').disabled")
	b.Sees("dialog", "keyword")
	b.Keys(kb.Escape)
	b.Until("!document.querySelector('dialog').open && document.activeElement.matches('#rows tr:nth-child(2) button')")
	b.Click("#f-reset")
	b.Click("#f-deep")
	b.Do("focus", chromedp.Focus(chromedp.CSS("#f-text")))
	b.Keys("rubber mat for the printer")
	b.Sees("#count", "2 tickets of 330")
	if hash := browser.Evaluate[string](b, "location.hash"); !strings.Contains(hash, "text=rubber+mat") {
		t.Errorf("the address keeps %q", hash)
	}
	b.Do("load again", chromedp.Reload())
	b.Until("document.documentElement.dataset.ready === 'list'")
	b.Sees("#count", "2 tickets of 330")
}

func TestHostileTicketsStayTextInTheBrowser(t *testing.T) {
	t.Parallel()
	m := mail{id: hostile, subject: hostile, body: strings.Repeat(hostile, 3) + strings.Repeat("long ", 1<<18), route: "billing", wantRoute: "billing", urgency: hostile, wantUrgency: "low",
		difficulty: hostile, wantEffort: "easy", scenario: "billing/" + hostile, traps: []string{"<b>"}, refused: hostile, reply: &triage.Reply{Stage: hostile, Text: hostile, Model: hostile}}
	for name, script := range map[string]string{"unpacked": "", "plain": "delete window.DecompressionStream"} {
		t.Run(name, func(t *testing.T) {
			b := browser.New(t, "")
			b.Look("light", 320)
			m := m // its own: the cases come in any order
			if script != "" {
				b.BeforeLoad(script)
				m.body = hostile
			}
			show(b, filed(t, collected(t, html.Options{Title: hostile, Names: []string{hostile}}, run(t, "r", []*triage.Episode{queue("<i>a</i>", "queue-easy", 1, m)}))))
			b.Sees("#rows", "<img src=x onerror=window.pwned=1>")
			b.Click("#rows button")
			b.Sees("dialog", "</script><script>window.pwned=1</script>")
			if script == "" {
				b.Sees("dialog", "Show all 1,311,")
				b.Click("dialog .mail + button")
				b.Until("document.querySelector('dialog .mail').textContent.length > 1310000")
			}
			if browser.Evaluate[bool](b, "Boolean(window.pwned || document.querySelector('img, main script, dialog script, i'))") {
				t.Error("a text became markup")
			}
			b.Fits("the ticket")
		})
	}
}

func TestWithoutDecompressionStreamTheFirst500TicketsAreThere(t *testing.T) {
	t.Parallel()
	b := browser.New(t, "")
	b.Look("light", 1280)
	b.BeforeLoad("delete window.DecompressionStream")
	show(b, filed(t, collected(t, html.Options{}, played(t, "--agent", "keyword", "--tasks", "queue-hard", "--episodes", "50"))))
	b.Sees("#list-note", "the list has the first 500 of 600")
	b.Sees("#count", "500 tickets")
	b.Click("#last")
	b.Click("#rows tr:last-child button")
	b.Sees("dialog", "Grading")
}

func TestWithoutJavaScriptEverythingButTheListIsThere(t *testing.T) {
	t.Parallel()
	b := browser.New(t, "")
	b.Look("dark", 800)
	if _, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + filed(t, everything(t)))
	b.Picture("no-script")
	for _, want := range []string{"noscript p", "#scores table", "#difficulty svg[role=img]", "#confusion .matrix", "#comparison-1 .sides pre", "#models table", "#list[hidden]"} {
		if !b.Has(want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestAPrintHasTheCharts(t *testing.T) {
	t.Parallel()
	b := browser.New(t, "")
	b.Look("dark", 800)
	show(b, filed(t, everything(t)))
	b.Media("print", "dark")
	b.Picture("print")
	if n := browser.Evaluate[int](b, "[...document.querySelectorAll('svg.chart')].filter((s) => s.getBoundingClientRect().height > 20).length"); n < 10 {
		t.Errorf("a print shows %d charts", n)
	}
	if browser.Evaluate[bool](b, "document.querySelector('#tickets').getClientRects().length > 0") {
		t.Error("a print has the list's controls")
	}
	ctx, cancel := context.WithTimeout(b.Ctx, browser.Patience)
	defer cancel()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 50_000 {
		t.Errorf("the PDF has %d bytes", len(pdf))
	}
	b.Keep("print.pdf", pdf)
}
