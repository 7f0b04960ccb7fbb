// Command pictures draws README's pictures as SVG, which is text: what the first command prints in a terminal (table.svg) and the top of
// a report's page (page.svg, page-dark.svg). It needs chromium and pdftocairo (Debian: chromium, poppler-utils). Run it from the repository's root:
//
//	go run ./docs/pictures
package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/triagebench/triage/pkg/cli"
)

const folder = "docs/pictures"

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	to, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	s, err := shown(ctx, dir)
	if err != nil {
		return err
	}
	report := filepath.Join(dir, "report.html")
	if err := os.Chdir(dir); err != nil { // so that the page calls the run by a short name
		return err
	}
	if _, err := triage(ctx, "report", first, "--format", "html", "--output", report); err != nil {
		return err
	}
	terminal := filepath.Join(dir, "terminal.html")
	if err := os.WriteFile(terminal, []byte(screen(s.table)), 0o600); err != nil {
		return err
	}
	for _, p := range []picture{{"table.svg", terminal, 12.5, 3.25, nil}, {"page.svg", report, 10.4, 8, []string{still}}, {"page-dark.svg", report, 10.4, 8, []string{still, dark}}} {
		if err := p.draw(ctx, to); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return os.WriteFile(filepath.Join(to, sources), []byte(s.String()), 0o644)
}

// sources is the file with the texts that the pictures show, so that a test sees when they are old.
const sources = "sources.txt"

// first is the run whose report is drawn, within a folder.
const first = "results/first"

// texts are what the pictures show.
type texts struct{ table, report string }

// String gives both as the file of sources has them.
func (t texts) String() string { return t.table + "\n" + t.report }

// shown runs what is drawn, in a folder.
func shown(ctx context.Context, dir string) (t texts, err error) {
	if t.table, err = triage(ctx, "baseline", "--difficulties", "easy", "medium", "hard", "--seed", "42", "--output", filepath.Join(dir, "baseline_results.json")); err != nil {
		return t, err
	}
	t.table, _, _ = strings.Cut(t.table, "Results: ")
	out := filepath.Join(dir, filepath.FromSlash(first))
	if _, err := triage(ctx, "run", "--agent", "heuristic", "--agent", "keyword", "--episodes", "200", "--no-meta", "--out", out); err != nil {
		return t, err
	}
	t.report, err = triage(ctx, "report", out)
	t.report = strings.ReplaceAll(t.report, dir+string(filepath.Separator), "")
	return t, err
}

// triage runs the program and gives what it prints.
func triage(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	app := cli.System()
	app.Out, app.Err, app.ErrTerminal = &out, &errs, false
	app.LookupEnv, app.Environ = func(string) (string, bool) { return "", false }, func() []string { return nil }
	if code := cli.Main(ctx, app, args); code != cli.ExitOK {
		return "", fmt.Errorf("triage %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String(), nil
}

// screen is a page that looks like a terminal.
func screen(text string) string {
	return `<!doctype html><meta charset="utf-8"><style>@page{margin:0}body{margin:0;background:#10221f;color:#e6f2ef;padding:18px;font:10.5px/1.25 "DejaVu Sans Mono",monospace;white-space:pre}b{color:#7fd9c4}</style>` +
		`<body><b>$ triage baseline --difficulties easy medium hard --seed 42</b>` + "\n" + html.EscapeString(text)
}

// picture is a picture, the page that it is made of, its paper in inches (96 dots each), and what is changed on it before.
type picture struct {
	name, page    string
	width, height float64
	scripts       []string // run before it is printed
}

// still takes away what tells that a table can be scrolled, as paper shows all of it; dark takes the dark colours, which paper never
// gets of itself. Both go through the page's own rules: its policy allows no other style.
const (
	still = `for (const rule of [".scroll{background:none!important;overflow:visible!important}", ".scroll::after,.scroll::before{content:none!important}"]) document.styleSheets[0].insertRule(rule, document.styleSheets[0].cssRules.length)`
	dark  = `document.documentElement.style.setProperty("color-scheme", "dark", "important")`
)

// draw prints the first sheet of the page, as a screen shows it, into an SVG file of a folder.
func (p *picture) draw(ctx context.Context, to string) error {
	allocator, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	defer cancel()
	browser, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser, chromedp.Navigate("file://"+p.page)); err != nil {
		return err
	}
	if _, err := chromedp.Call(browser, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(p.width * 96), Height: 800, DeviceScaleFactor: 1}); err != nil {
		return err
	}
	if _, err := chromedp.Call(browser, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"}); err != nil {
		return err
	}
	for _, script := range p.scripts {
		if said, err := chromedp.Call(browser, runtime.Evaluate, runtime.EvaluateParams{Expression: script}); err != nil || said.ExceptionDetails != nil {
			return fmt.Errorf("%s: %w: %v", script, err, said)
		}
	}
	print, none := true, 0.0
	sheet, err := chromedp.Call(browser, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: &print, PaperWidth: p.width, PaperHeight: p.height,
		MarginTop: &none, MarginBottom: &none, MarginLeft: &none, MarginRight: &none, PageRanges: "1"})
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(p.page), "sheet.pdf")
	if err := os.WriteFile(file, sheet.Data, 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "pdftocairo", "-svg", file, filepath.Join(to, p.name)).CombinedOutput(); err != nil {
		return fmt.Errorf("pdftocairo: %w: %s", err, out)
	}
	return nil
}
