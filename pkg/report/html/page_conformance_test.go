//go:build conformance

package html_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/triage"
)

// built is where the program is, once a test needs it.
var built string

// program builds the program once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "triage-html")
	if err != nil {
		return "", err
	}
	built = filepath.Join(dir, "triage")
	build := exec.Command("go", "build", "-o", built, "./cmd/triage")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return built, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built)) // a folder for temporary files
	}
	os.Exit(code)
}

// played runs the program and opens the folder that it writes.
func played(t *testing.T, args ...string) *results.Folder {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(binary, append(append([]string{"run"}, args...), "--out", dir)...)
	cmd.Dir = filepath.Join("..", "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("triage run %q: %v\n%s", args, err, out)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return open(t, root)
}

func collected(t *testing.T, o html.Options, folders ...*results.Folder) *html.Page {
	t.Helper()
	p, err := html.Collect(folders, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything is a page that has every kind of section.
func everything(t *testing.T) *html.Page {
	t.Helper()
	const model = "llamacpp:smollm2-135m-instruct-q4_1"
	p := collected(t, html.Options{}, played(t, "--agent", "heuristic", "--agent", "keyword", "--episodes", "5"),
		played(t, "--agent", "random", "--trials", "3", "--episodes", "3", "--tasks", "queue-easy", "--tasks", "desk-medium"),
		played(t, "--agent", "llm", "--model", model, "--no-handbook", "--max-output-tokens", "120", "--response-format", "text", "--tasks", "queue-easy", "--episodes", "2",
			"--replay", "baselines/llm/cassettes/smollm2-135m", "--no-meta"))
	p.AddComparison(comparison())
	return p
}

func TestTicketsAreFoundFilteredSortedAndOpenedByKeyboard(t *testing.T) {
	t.Parallel()
	b := browse(t)
	b.look("light", 1280)
	b.open(filed(t, collected(t, html.Options{}, played(t, "--agent", "heuristic", "--agent", "keyword", "--episodes", "5"))))
	b.sees("#count", "330 tickets; shown are 1 to 50")
	for _, filter := range []struct{ field, value, holds string }{
		{"#f-agent", "keyword", "index.agent === 'keyword'"}, {"#f-task", "queue-hard", "index.task === 'queue-hard'"}, {"#f-trap", "thread", "index.traps.includes('thread')"},
		{"#f-result", "not", "index.score !== '1.000'"}, {"#f-result", "right", "index.score === '1.000'"}, {"#f-result", "zero", "index.score === '0.000'"},
	} {
		b.choose(filter.field, filter.value)
		b.sees("#count", " of 330")
		const rows = `[...document.querySelectorAll('#rows tr')].map((r) => ({score: r.cells[0].textContent.slice(2, 7), agent: r.cells[2].textContent, task: r.cells[3].textContent, traps: r.cells[5].textContent}))`
		if !evaluate[bool](b, "(() => {const rows = "+rows+"; return rows.length > 0 && rows.every((index) => "+filter.holds+")})()") {
			t.Errorf("with %s = %s the list is %v", filter.field, filter.value, evaluate[[]map[string]string](b, rows))
		}
		b.click("#f-reset")
		b.sees("#count", "330 tickets; shown")
	}
	b.choose("#f-sort", "low")
	const scores = "[...document.querySelectorAll('#rows .score')].map((c) => Number(c.textContent.slice(2, 7)))"
	if got := evaluate[[]float64](b, scores); got[0] != 0 || !evaluate[bool](b, scores+".every((v, i, a) => i === 0 || a[i - 1] <= v)") {
		t.Errorf("sorted from the lowest the scores are %v", got)
	}
	b.click("#last")
	b.sees("#page-number", "Page 7 of 7")
	b.sees("#rows", "1.000")
	b.click("#f-reset")
	b.do("begin at the top", chromedp.Evaluate[chromedp.Void]("document.getElementById('main').focus()"))
	b.tabTo("#f-text")
	b.keys("noise  OFFICE")
	b.sees("#count", "2 tickets of 330")
	b.tabTo("#rows button")
	b.keys(kb.Enter)
	b.until("document.querySelector('dialog').open && document.activeElement.id === 'ticket-title'")
	for _, want := range []string{"lp-3 noise in the office", "roland fontaine", "feedback is right", "Customer tier", "Other answers to this ticket"} {
		b.sees("dialog", want)
	}
	b.picture("opened")
	b.tabTo("#ticket-next")
	b.keys(kb.Enter)
	b.until("document.querySelector('#ticket-next').disabled")
	b.sees("dialog", "keyword")
	b.keys(kb.Escape)
	b.until("!document.querySelector('dialog').open && document.activeElement.matches('#rows tr:nth-child(2) button')")
	b.click("#f-reset")
	b.click("#f-deep")
	b.do("focus", chromedp.Focus(chromedp.CSS("#f-text")))
	b.keys("rubber mat for the printer")
	b.sees("#count", "2 tickets of 330")
	if hash := evaluate[string](b, "location.hash"); !strings.Contains(hash, "text=rubber+mat") {
		t.Errorf("the address keeps %q", hash)
	}
	b.do("load again", chromedp.Reload())
	b.until("document.documentElement.dataset.ready === 'list'")
	b.sees("#count", "2 tickets of 330")
}

func TestHostileTicketsStayTextInTheBrowser(t *testing.T) {
	t.Parallel()
	m := mail{id: hostile, subject: hostile, body: strings.Repeat(hostile, 3) + strings.Repeat("long ", 1<<18), route: "billing", wantRoute: "billing", urgency: hostile, wantUrgency: "low",
		difficulty: hostile, wantEffort: "easy", scenario: "billing/" + hostile, traps: []string{"<b>"}, refused: hostile, reply: &triage.Reply{Stage: hostile, Text: hostile, Model: hostile}}
	for name, script := range map[string]string{"unpacked": "", "plain": "delete window.DecompressionStream"} {
		t.Run(name, func(t *testing.T) {
			b := browse(t)
			b.look("light", 320)
			if script != "" {
				b.beforeLoad(script)
				m.body = hostile
			}
			b.open(filed(t, collected(t, html.Options{Title: hostile, Names: []string{hostile}}, run(t, "r", []*triage.Episode{queue("<i>a</i>", "queue-easy", 1, m)}))))
			b.sees("#rows", "<img src=x onerror=window.pwned=1>")
			b.click("#rows button")
			b.sees("dialog", "</script><script>window.pwned=1</script>")
			if script == "" {
				b.sees("dialog", "Show all 1,311,")
				b.click("dialog .mail + button")
				b.until("document.querySelector('dialog .mail').textContent.length > 1310000")
			}
			if evaluate[bool](b, "Boolean(window.pwned || document.querySelector('img, main script, dialog script, i'))") {
				t.Error("a text became markup")
			}
			if over := evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
				t.Errorf("the page is %d pixels wider than the window", over)
			}
		})
	}
}

func TestWithoutDecompressionStreamTheFirst500TicketsAreThere(t *testing.T) {
	t.Parallel()
	b := browse(t)
	b.look("light", 1280)
	b.beforeLoad("delete window.DecompressionStream")
	b.open(filed(t, collected(t, html.Options{}, played(t, "--agent", "keyword", "--tasks", "queue-hard", "--episodes", "50"))))
	b.sees("#list-note", "the list has the first 500 of 600")
	b.sees("#count", "500 tickets")
	b.click("#last")
	b.click("#rows tr:last-child button")
	b.sees("dialog", "Grading")
}

func TestWithoutJavaScriptEverythingButTheListIsThere(t *testing.T) {
	t.Parallel()
	b := browse(t)
	b.look("dark", 800)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.openOnly("file://" + filed(t, everything(t)))
	b.picture("no-script")
	root, err := chromedp.Call(b.ctx, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"noscript p", "#scores table", "#difficulty svg[role=img]", "#confusion .matrix", "#comparison-1 .sides pre", "#models table", "#list[hidden]"} {
		found, err := chromedp.Call(b.ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: root.Root.NodeID, Selector: want})
		if err != nil || found.NodeID == 0 {
			t.Errorf("there is no %s (%v)", want, err)
		}
	}
}

func TestAPrintHasTheCharts(t *testing.T) {
	t.Parallel()
	b := browse(t)
	b.look("dark", 800)
	b.open(filed(t, everything(t)))
	b.media("print", "dark")
	b.picture("print")
	if n := evaluate[int](b, "[...document.querySelectorAll('svg.chart')].filter((s) => s.getBoundingClientRect().height > 20).length"); n < 10 {
		t.Errorf("a print shows %d charts", n)
	}
	if evaluate[bool](b, "document.querySelector('#tickets').getClientRects().length > 0") {
		t.Error("a print has the list's controls")
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 50_000 {
		t.Errorf("the PDF has %d bytes", len(pdf))
	}
	if dir := os.Getenv("TRIAGE_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
