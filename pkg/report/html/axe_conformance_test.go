//go:build conformance

package html_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// axeSource gives the text of axe-core: from the file that TRIAGE_AXE names, else from the npm registry by npm.
func axeSource(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("TRIAGE_AXE"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("TRIAGE_AXE: %v", err)
		}
		return string(data)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "axe-core@4.x")
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: axe-core cannot be had by npm (%v: %s); TRIAGE_AXE=path to axe.min.js names one", err, out)
	}
	packs, err := filepath.Glob(filepath.Join(cmd.Dir, "axe-core-*.tgz"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("npm pack left %q, want one archive (%v)", packs, err)
	}
	source, err := fromArchive(packs[0], "package/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// fromArchive reads one file of an archive.
func fromArchive(archive, name string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return "", fmt.Errorf("%s has no %s", archive, name)
		}
		if err != nil {
			return "", err
		}
		if h.Name == name {
			data, err := io.ReadAll(r)
			return string(data), err
		}
	}
}

// finding is what axe has against the page.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Where  string `json:"where"`
}

const runAxe = `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) =>
  v.nodes.map((n) => ({id: v.id, impact: v.impact, help: v.help, where: n.target.join(" ") + " " + (n.any[0] ? n.any[0].message : "")}))))`

// judge lets axe look at what is shown, and looks itself whether one has to scroll sideways.
func (b *tab) judge(axe, state string) {
	b.t.Helper()
	if !evaluate[bool](b, "Boolean(window.axe)") {
		b.do("load axe", chromedp.Evaluate[chromedp.Void](axe))
	}
	for _, f := range evaluate[[]finding](b, runAxe) {
		if f.Impact == "serious" || f.Impact == "critical" {
			b.t.Errorf("%s: %s (%s): %s, at %s", state, f.ID, f.Impact, f.Help, f.Where)
		} else {
			b.t.Logf("%s: %s (%s): %s, at %s", state, f.ID, f.Impact, f.Help, f.Where)
		}
	}
	if over := evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.t.Errorf("%s: the page is %d pixels wider than the window", state, over)
	}
}

func TestAxeFindsNothingSeriousAndNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	chromium(t)
	axe := axeSource(t)
	path := filed(t, everything(t))
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 800, 320} {
			t.Run(fmt.Sprintf("%s %d", theme, width), func(t *testing.T) {
				b := browse(t)
				if _, err := chromedp.Call(b.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
					t.Fatal(err) // axe itself makes markup out of text
				}
				b.look(theme, width)
				b.open(path)
				name := fmt.Sprintf("%s-%d-", theme, width)
				b.picture(name + "top")
				b.judge(axe, "page")
				b.do("open all", chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('details').forEach((d) => { d.open = true; })"))
				b.judge(axe, "page, all open")
				for _, id := range []string{"comparison-1", "difficulty", "urgency", "slices", "reliability", "models", "tickets"} {
					b.do("scroll", chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelectorAll('details').forEach((d) => { d.open = false; }); document.getElementById(%q).scrollIntoView()", id)))
					b.picture(name + id)
				}
				b.choose("#f-agent", "llamacpp:smollm2-135m-instruct-q4_1")
				b.sees("#count", "16 tickets of")
				b.click("#rows tr:nth-child(2) button")
				b.until("document.querySelector('dialog[open]')")
				b.picture(name + "ticket")
				b.do("open all", chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('dialog details').forEach((d) => { d.open = true; })"))
				b.judge(axe, "ticket")
				b.click("#ticket-close")
				b.choose("#f-result", "broke")
				b.sees("#count", "No ticket is like that.")
				b.judge(axe, "empty list")
			})
		}
	}
}
