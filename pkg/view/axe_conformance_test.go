//go:build conformance

package view_test

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

// axeSource gives the text of axe-core: from the file that TRIAGE_AXE names, else by npm.
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
	f, err := os.Open(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the archive has no axe.min.js")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/axe.min.js" {
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
	}
}

func TestAxeFindsNothingOnTheLeaderboardAndNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	if chromium == "" {
		t.Skip("SKIPPED: no chromium; TRIAGE_CHROMIUM=path names one")
	}
	axe := axeSource(t)
	url := viewed(t, someRuns(t))
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 800, 320} {
			t.Run(fmt.Sprintf("%s %d", theme, width), func(t *testing.T) {
				b := browse(t, url)
				if _, err := chromedp.Call(b.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
					t.Fatal(err) // axe itself makes markup out of text
				}
				b.look(theme, width)
				b.open("/")
				b.do("open all", chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('details').forEach((d) => { d.open = true; })"))
				b.judge(axe, "leaderboard")
				if width != 800 {
					shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
					if dir := os.Getenv("TRIAGE_SHOTS"); err == nil && dir != "" {
						_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("board-%s-%d.png", theme, width)), shot, 0o644) // for whoever looks
					}
				}
			})
		}
	}
}

// someRuns makes a folder with what a leaderboard may have.
func someRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	play(t, dir, "run", "--agent", "heuristic", "--agent", "keyword", "--episodes", "3", "--out", "results/first")
	play(t, dir, "run", "--agent", "random", "--episodes", "3", "--out", "results/a rather long name of a run that breaks no line where there is no space_____________________________")
	play(t, dir, "run", "--agent", "random", "--tasks", "queue-hard", "--split", "train", "--episodes", "3", "--out", "results/train")
	play(t, dir, "run", "--agent", "keyword", "--tasks", "desk-easy", "--episodes", "9", "--out", "results/cut")
	for _, name := range []string{"results-keyword.json", "episodes.jsonl"} {
		if err := os.Remove(filepath.Join(dir, "results", "cut", name)); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(dir, "results", "cut", "journal.jsonl")
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "results", "broken"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "results", "broken", "run.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
