//go:build conformance

package html_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/triagebench/triage/clients/browser"
	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
)

func TestTwentyThousandTicketsAreListedSoon(t *testing.T) {
	t.Parallel()
	path := filed(t, collected(t, html.Options{}, played(t, "--agent", "heuristic", "--tasks", "queue-hard", "--episodes", "1700")))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 30_000_000 {
		t.Errorf("the file has %d bytes, want 30 MB at most", info.Size())
	}
	b := browser.New(t, "")
	b.Look("light", 1280)
	b.BeforeLoad("addEventListener('DOMContentLoaded', () => new MutationObserver(() => { window.listedAt = window.listedAt || performance.now(); }).observe(document.documentElement, {attributes: true}))")
	show(b, path)
	b.Sees("#count", "20,400 tickets")
	painted := browser.Evaluate[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime")
	listed := browser.Evaluate[float64](b, "window.listedAt")
	began := browser.Evaluate[float64](b, "performance.now()")
	b.Click("#f-deep")
	b.Do("focus", chromedp.Focus(chromedp.CSS("#f-text")))
	b.Keys("auditor")
	b.Until("/^[0-9,]+ tickets of/.test(document.querySelector('#count').textContent)")
	searched := browser.Evaluate[float64](b, "performance.now()") - began
	t.Logf("%.1f MB: painted after %.0f ms, listed after %.0f ms, every text searched in %.0f ms", float64(info.Size())/1e6, painted, listed, searched)
	if listed > 10_000 { // 2 s on a machine that does nothing else
		t.Errorf("the list came after %.0f ms", listed)
	}
	b.Click("#rows tr:nth-child(3) button")
	b.Sees("dialog", "Grading")
}

func TestALivePageFollowsItsRun(t *testing.T) {
	t.Parallel()
	f := small(t)
	var mu sync.Mutex
	now := html.Progress{Done: 2, Planned: 4, Version: "1"}
	mux := http.NewServeMux()
	mux.HandleFunc("/run/", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		p, err := html.Collect(t.Context(), []*results.Folder{f}, html.Options{Live: &html.Live{Address: "progress.json", Progress: now}})
		if err == nil {
			err = p.Write(w)
		}
		if err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/run/progress.json", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"done":%d,"planned":%d,"ended":%t,"version":%q}`, now.Done, now.Planned, now.Ended, now.Version) // the browser may be gone
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	b := browser.New(t, "")
	b.Look("light", 320)
	b.Open(s.URL + "/run/")
	b.Sees("#live-text", "2 of 4")
	b.Until("document.documentElement.dataset.ready === 'list'")
	b.Click("#live-auto") // off
	mu.Lock()
	now = html.Progress{Done: 3, Planned: 4, Version: "2"}
	mu.Unlock()
	b.Sees("#live-text", "3 of 4")
	b.Until("!document.querySelector('#live-now').hidden")
	b.Picture("live")
	b.Script("mark the document", "document.documentElement.dataset.ready = 'old'")
	b.Click("#live-now")
	b.Until("document.documentElement?.dataset.ready === 'list' && document.querySelector('#live-now').hidden && !document.querySelector('#live-auto').checked")
	b.Click("#live-auto")
	b.Script("leave the box", "document.activeElement.blur(); window.old = true")
	mu.Lock()
	now = html.Progress{Done: 4, Planned: 4, Ended: true, Version: "3"}
	mu.Unlock()
	b.Until("!window.old")
	b.Sees("#live-state", "The run has ended.")
}
