//go:build conformance

package browser

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

// Axe gives the text of axe-core: from the file that TRIAGE_AXE names, else from the npm registry by npm. Where there is neither
// that nor a browser the test is skipped.
func Axe(t *testing.T) string {
	t.Helper()
	Find(t)
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

// BypassPolicy lets scripts do what a page's Content-Security-Policy forbids: axe itself makes markup out of text. It is called
// before the page is opened.
func (b *Tab) BypassPolicy() {
	b.T.Helper()
	if _, err := chromedp.Call(b.Ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
		b.T.Fatal(err)
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

// Judge lets axe (see [Axe]) look at what is shown, and looks itself whether one has to scroll sideways. Any finding is an error;
// state names what is shown.
func (b *Tab) Judge(axe, state string) {
	b.T.Helper()
	if !Evaluate[bool](b, "Boolean(window.axe)") {
		b.Script("load axe", axe)
	}
	for _, f := range Evaluate[[]finding](b, runAxe) {
		b.T.Errorf("%s: %s (%s): %s, at %s", state, f.ID, f.Impact, f.Help, f.Where)
	}
	b.Fits(state)
}

// Fits demands that one need not scroll sideways. state names what is shown.
func (b *Tab) Fits(state string) {
	b.T.Helper()
	if over := Evaluate[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.T.Errorf("%s: the page is %d pixels wider than the window", state, over)
	}
}
