//go:build conformance

package web_test

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
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	source, err := unpack(packs[0], "package/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// unpack reads one file of an archive.
func unpack(archive, name string) (string, error) {
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
	if chromium == "" {
		t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	}
	axe := axeSource(t)
	s := serve(t)
	queue, desk := truths(t, "queue-easy", 42, 8), truths(t, "desk-hard", 7, 1)[0]
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 800, 320} {
			t.Run(fmt.Sprintf("%s %d", theme, width), func(t *testing.T) {
				p := newProxy(t, s)
				b := browse(t, p.url())
				if _, err := chromedp.Call(b.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
					t.Fatal(err) // axe itself makes markup out of text
				}
				b.look(theme, width)
				b.judgeQueue(axe, p, queue)
				b.judgeDesk(axe, desk)
			})
		}
	}
}

func (b *tab) judgeQueue(axe string, p *proxy, right []answer) {
	b.t.Helper()
	b.open("/web?track=queue&difficulty=easy&seed=42&split=test")
	b.judge(axe, "setup")
	b.retype("#seed", "-1")
	b.keys(kb.Enter)
	b.sees("#error-seed", "greater")
	b.judge(axe, "setup, wrong seed")
	b.begin("queue", "easy", 42)
	b.judge(axe, "ticket")
	b.click("#help-open")
	b.judge(axe, "keys")
	b.keys(kb.Escape)
	b.decide(right[0])
	b.retype("#priority_score", "154")
	b.click("#send")
	b.sees("#error-priority_score", "100")
	b.judge(axe, "ticket, wrong value")
	p.cut()
	b.click("#send")
	b.sees("#banner", "No connection")
	b.judge(axe, "lost connection")
	p.mend()
	for i, a := range right {
		if i > 0 {
			a["urgency_assessment"] = "low"
		}
		b.decide(a)
		b.click("#send")
		b.sees("#decide-title", fmt.Sprintf("Reward for ticket %d", i+1))
		if i == 1 {
			b.judge(axe, "grading")
		}
		b.click("#next")
	}
	b.sees("#summary-title", "done")
	b.click("#summary details summary")
	b.judge(axe, "summary")
	b.click("#new-episode")
	b.judge(axe, "setup over the summary")
	b.click("#tab-handbook")
	b.do("wait for the handbook", chromedp.WaitVisible(chromedp.CSS(".handbook .text")))
	b.judge(axe, "handbook")
	b.click("#tab-calls")
	b.click(".log details:nth-of-type(2) summary")
	b.judge(axe, "calls")
	b.do("open all", chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('#panel-calls details').forEach((d) => { d.open = true; })"))
	b.judge(axe, "calls, all open")
}

func (b *tab) judgeDesk(axe string, right answer) {
	b.t.Helper()
	b.begin("desk", "hard", 7)
	b.judge(axe, "desk ticket")
	b.choose("category", right["category"])
	b.click("#send")
	b.sees("#notice", "Still missing")
	b.judge(axe, "desk, something missing")
	b.choose("priority", right["priority"])
	b.choose("urgency_days", right["urgency_days"])
	b.choose("department", right["department"])
	b.retype("#recommendation", strings.Repeat("Look into it. ", 4))
	b.click("#send")
	b.sees("#summary-title", "Ticket closed")
	b.judge(axe, "desk, closed")
}
