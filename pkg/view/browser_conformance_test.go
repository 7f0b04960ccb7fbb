//go:build conformance

package view_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triagebench/triage/clients/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// someRuns makes a folder with what a leaderboard may have.
func someRuns(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	browser.Run(t, dir, "run", "--progress", "off", "--agent", "heuristic", "--agent", "keyword", "--episodes", "3", "--out", "results/first")
	browser.Run(t, dir, "run", "--progress", "off", "--agent", "random", "--episodes", "3", "--out", "results/a rather long name of a run that breaks no line where there is no space_____________________________")
	browser.Run(t, dir, "run", "--progress", "off", "--agent", "random", "--tasks", "queue-hard", "--split", "train", "--episodes", "3", "--out", "results/train")
	browser.Run(t, dir, "run", "--progress", "off", "--agent", "keyword", "--tasks", "desk-easy", "--episodes", "9", "--out", "results/cut")
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

func TestAxeFindsNothingOnTheLeaderboardAndNothingScrollsSideways(t *testing.T) {
	t.Parallel()
	axe := browser.Axe(t)
	url := browser.Serve(t, someRuns(t), "view").URL
	browser.EachLook(t, func(t *testing.T, theme string, width int64) {
		b := browser.New(t, url+"/")
		b.BypassPolicy()
		b.Look(theme, width)
		b.Open(url + "/")
		b.Script("open all", "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
		b.Judge(axe, "leaderboard")
		b.Picture(fmt.Sprintf("board-%s-%d", theme, width))
	})
}

func TestTheLeaderboardLeadsToRunsAndComparisons(t *testing.T) {
	t.Parallel()
	url := browser.Serve(t, someRuns(t), "view").URL
	b := browser.New(t, url+"/")
	b.Open(url + "/")
	b.Click(`a[href="run?run=first"]`)
	b.Until(`document.title.includes("first") && document.querySelector("#tickets")`)
	b.Click(`.top a`)
	b.Until(`location.pathname === "/" && document.querySelector("form.compare")`)
	b.Click(`form.compare button`)
	b.Until(`location.pathname === "/compare" && document.body.innerText.includes("keyword against heuristic")`)
	b.Open(url + "/")
	b.Click(`a[href^="compare?"]`)
	b.Until(`location.pathname === "/compare" && document.body.innerText.includes("against heuristic")`)
}

// TestARunIsFollowedInTheBrowser lets an agent answer at the test's word, and looks at what the pages show meanwhile.
func TestARunIsFollowedInTheBrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "agent.sh")
	text := "exec 3<'" + gate + "'\nwhile read -r line; do read -r go <&3; echo '{\"category\":\"Bug\"}'; done\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	run := browser.Command(dir, "run", "--agent", "exec:sh "+script, "--tasks", "desk-easy", "--episodes", "6", "--workers", "1", "--timeout", "2m", "--out", "results/live", "--progress", "off")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() { _ = run.Process.Kill() })
	word, err := os.OpenFile(gate, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = word.Close() }()
	answer := func(n int) {
		t.Helper()
		if _, err := word.WriteString(strings.Repeat("go\n", n)); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(browser.Patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "results", "live", "journal.jsonl")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the run does not begin")
		}
	}
	url := browser.Serve(t, dir, "view").URL
	board, b := browser.New(t, url+"/"), browser.New(t, url+"/")
	board.Open(url + "/")
	board.Until(`document.querySelector("[data-run=live] .state").textContent === "going on: 0 of 6"`)
	b.Open(url + "/run?run=live")
	b.Until(`document.body.innerText.includes("No episode of this run is finished yet.")`)
	answer(3) // an episode, as a wrong answer of the desk may be given three times
	b.Until(`document.querySelector("#live-text")`)
	answer(3)
	board.Until(`/going on: [1-6] of 6/.test(document.querySelector("[data-run=live] .state").textContent) && document.querySelector("[data-run=live] progress").value >= 1`)
	b.Until(`document.querySelector("#live-progress").value >= 2`)
	answer(30)
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("the run ends with %v", err)
		}
	case <-time.After(browser.Patience):
		t.Fatal("the run does not end")
	}
	b.Until(`!document.querySelector("#live-text") && document.body.innerText.includes("6 tickets")`) // it loaded itself anew
	board.Until(`!document.querySelector("#changed").hidden`)
	board.Click("#changed a")
	board.Until(`document.querySelector("section.board a[href='run?run=live']")`)
	board.Open(url + "/run?run=live")
	board.Until(`!document.querySelector("#live-text") && document.querySelector("#tickets")`)
}
