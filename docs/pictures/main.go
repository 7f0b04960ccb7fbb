// Command pictures draws README's pictures as SVG, which is text: what the first command prints in a terminal (table.svg) and the top of
// a report's page (page.svg). It needs chromium and pdftocairo (Debian: chromium, poppler-utils). Run it from the repository's root:
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
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	table, err := triage(ctx, "baseline", "--difficulties", "easy", "medium", "hard", "--seed", "42", "--output", filepath.Join(dir, "baseline_results.json"))
	if err != nil {
		return err
	}
	table, _, _ = strings.Cut(table, "Results: ")
	to, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil { // so that the page calls the run by a short name
		return err
	}
	const out = "results/first"
	if _, err := triage(ctx, "run", "--agent", "heuristic", "--agent", "keyword", "--episodes", "50", "--no-meta", "--out", out); err != nil {
		return err
	}
	report := filepath.Join(dir, "report.html")
	if _, err := triage(ctx, "report", out, "--format", "html", "--output", report); err != nil {
		return err
	}
	terminal := filepath.Join(dir, "terminal.html")
	if err := os.WriteFile(terminal, []byte(screen(table)), 0o600); err != nil {
		return err
	}
	for name, source := range map[string]struct {
		path   string
		height float64 // of the paper in inches, at 96 dots an inch
	}{"table.svg": {terminal, 3.25}, "page.svg": {report, 8}} {
		if err := draw(ctx, source.path, source.height, filepath.Join(to, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
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

// draw prints the first sheet of a page, as a screen shows it, into an SVG file.
func draw(ctx context.Context, path string, height float64, to string) error {
	allocator, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	defer cancel()
	browser, cancel := chromedp.NewContext(allocator)
	defer cancel()
	err := chromedp.Do(browser, chromedp.Navigate("file://"+path))
	if err != nil {
		return err
	}
	if _, err = chromedp.Call(browser, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 800, DeviceScaleFactor: 1}); err != nil {
		return err
	}
	if _, err = chromedp.Call(browser, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"}); err != nil {
		return err
	}
	print, none := true, 0.0
	sheet, err := chromedp.Call(browser, page.PrintToPDF, page.PrintToPDFParams{PrintBackground: &print, PaperWidth: 12.5, PaperHeight: height,
		MarginTop: &none, MarginBottom: &none, MarginLeft: &none, MarginRight: &none, PageRanges: "1"})
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(path), "sheet.pdf")
	if err := os.WriteFile(file, sheet.Data, 0o600); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "pdftocairo", "-svg", file, to).CombinedOutput(); err != nil {
		return fmt.Errorf("pdftocairo: %w: %s", err, out)
	}
	return nil
}
