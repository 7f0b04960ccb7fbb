//go:build conformance

package html_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/triagebench/triage/clients/browser"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// played runs the program and opens the folder that it writes.
func played(t *testing.T, args ...string) *results.Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	browser.Run(t, filepath.Join("..", "..", ".."), append(append([]string{"run"}, args...), "--out", dir)...)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return open(t, root)
}

func collected(t *testing.T, o html.Options, folders ...*results.Folder) *html.Page {
	t.Helper()
	p, err := html.Collect(t.Context(), folders, o)
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

// show opens a file and waits for its list.
func show(b *browser.Tab, path string) {
	b.T.Helper()
	b.Open("file://" + path)
	b.Until("document.documentElement.dataset.ready === 'list'")
}

// choose picks a value of a list, as a person's change.
func choose(b *browser.Tab, selector, value string) {
	b.T.Helper()
	if !browser.Evaluate[bool](b, fmt.Sprintf("(() => {const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); return s.value === %q})()", selector, value, value)) {
		b.T.Fatalf("%s has no %q", selector, value)
	}
}

func TestAxeFindsNothingSeriousAndNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	axe := browser.Axe(t)
	path := filed(t, everything(t))
	browser.EachLook(t, func(t *testing.T, theme string, width int64) {
		b := browser.New(t, "")
		b.BypassPolicy()
		b.Look(theme, width)
		show(b, path)
		name := fmt.Sprintf("%s-%d-", theme, width)
		b.Picture(name + "top")
		b.Judge(axe, "page")
		b.Script("open all", "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
		b.Judge(axe, "page, all open")
		for _, id := range []string{"comparison-1", "difficulty", "urgency", "slices", "reliability", "models", "tickets"} {
			b.Script("scroll", fmt.Sprintf("document.querySelectorAll('details').forEach((d) => { d.open = false; }); document.getElementById(%q).scrollIntoView()", id))
			b.Picture(name + id)
		}
		choose(b, "#f-agent", "llamacpp:smollm2-135m-instruct-q4_1")
		b.Sees("#count", "16 tickets of")
		b.Click("#rows tr:nth-child(2) button")
		b.Until("document.querySelector('dialog[open]')")
		b.Picture(name + "ticket")
		b.Script("open all", "document.querySelectorAll('dialog details').forEach((d) => { d.open = true; })")
		b.Judge(axe, "ticket")
		b.Click("#ticket-close")
		choose(b, "#f-result", "broke")
		b.Sees("#count", "No ticket is like that.")
		b.Judge(axe, "empty list")
	})
}
