package view_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/view"
)

func TestARunIsFollowedWhileItGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	j := r.begin("run", "keyword", 3)
	if page := r.get("/run?run=run"); !strings.Contains(page, "No episode of this run is finished yet.") || !strings.Contains(page, `data-address="progress?run=run"`) {
		t.Errorf("before the first episode: %s", page)
	}
	progress := func() view.Progress {
		t.Helper()
		var p view.Progress
		r.must(json.Unmarshal([]byte(r.get("/progress?run=run")), &p))
		return p
	}
	zero := progress()
	if d := cmp.Diff(view.Progress{Planned: 3, State: "going on: 0 of 3", Version: zero.Version}, zero); d != "" || zero.Version == "" {
		t.Error(d)
	}
	r.append(j, 0)
	if p := progress(); p != zero {
		t.Errorf("the journal is looked at again within a second: %+v", p)
	}
	r.later(time.Second)
	one := progress()
	if one.Done != 1 || one.Ended || one.Version == zero.Version {
		t.Errorf("after an episode: %+v", one)
	}
	want := `<p>run "run", 1 episodes, asks "progress?run=run"</p>`
	if page := r.get("/run?run=run"); page != want {
		t.Errorf("the page is %s", page)
	}
	r.append(j, 1)
	r.later(time.Second)
	// the page of a moment ago is shown for a while, and progress says that there is no other
	if p := progress(); p.Done != 2 || p.Version != one.Version {
		t.Errorf("a page is offered that is not shown: %+v", p)
	}
	if page := r.get("/run?run=run"); page != want {
		t.Errorf("the page is %s", page)
	}
	r.later(5 * time.Second)
	if p := progress(); p.Version == one.Version {
		t.Errorf("no new page is offered: %+v", p)
	}
	if page := r.get("/run?run=run"); !strings.Contains(page, "2 episodes") {
		t.Errorf("the page is %s", page)
	}
	r.append(j, 2)
	r.must(j.Finish())
	r.later(time.Second)
	if p := progress(); p.Ended || p.Done != 3 || p.State != "not summed up: 3 of 3" {
		t.Errorf("after the last episode: %+v", p)
	}
	r.summed("run/results-keyword.json", "keyword", "", 0.5, 0.5, 0.5)
	r.later(time.Second)
	if p := progress(); p.State != "complete" || !p.Ended {
		t.Errorf("at the end: %+v", p)
	}
	if page := r.get("/run?run=run"); page != `<p>run "run", 3 episodes, asks ""</p>` {
		t.Errorf("at the end the page is %s", page)
	}
	if made := r.pages(); made != "run run 1, run run 2, run run 3" {
		t.Errorf("made: %s", made)
	}
}

func TestALongReportIsNotMadeWithoutEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.costs = 3 * time.Second
	j := r.begin("run", "keyword", 100)
	for i := range 60 { // an episode and a request a second: 60 s have room for two pages with a pause of 30 s
		r.append(j, i)
		r.later(time.Second)
		r.get("/run?run=run")
	}
	if n := strings.Count(r.pages(), "run"); n > 4 { // "run run": two a page
		t.Errorf("%d pages were made", n/2)
	}
	r.must(j.Finish())
}

func TestAPageIsMadeOnceForEachVersion(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for i := range 6 {
		r.complete(fmt.Sprintf("run-%d", i), "keyword", "", 1)
	}
	first := r.ask(http.MethodGet, "/run?run=run-0")
	tag := first.Header().Get("ETag")
	if w := r.ask(http.MethodGet, "/run?run=run-0", "If-None-Match", tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 || tag == "" {
		t.Errorf("the same page again: %d, %q", w.Code, tag)
	}
	if w := r.ask(http.MethodHead, "/run?run=run-0"); w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("Content-Length") != fmt.Sprint(first.Body.Len()) {
		t.Errorf("HEAD: %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
	if made := r.pages(); made != "run run-0 1" {
		t.Errorf("made: %s", made)
	}
	for i := range 6 {
		r.get(fmt.Sprintf("/run?run=run-%d", i))
	}
	r.pages()
	r.get("/run?run=run-5")
	r.get("/run?run=run-0") // forgotten since: four are remembered
	if made := r.pages(); made != "run run-0 1" {
		t.Errorf("made: %s", made)
	}
	r.summed("run-5/results-x.json", "keyword", "2027-01-01T00:00:00Z", 0.25)
	r.later(time.Second)
	r.get("/run?run=run-5")
	if made := r.pages(); made != "run run-5 1" {
		t.Errorf("made: %s", made)
	}
	for range 2 {
		if page := r.get("/compare?" + url.Values{"base": {`["run-0","keyword"]`}, "new": {"run-1"}}.Encode()); page != `<p>{"run-1" ""} against {"run-0" "keyword"}</p>` {
			t.Errorf("the comparison is %s", page)
		}
	}
	if made := r.pages(); made != "compare" {
		t.Errorf("made: %s", made)
	}
}

func TestWhatCannotBeShownSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *view.Deps) {
		run := d.Run
		d.Run = func(w io.Writer, e *history.Entry, progress string) error {
			switch e.Path {
			case "fails":
				return errMade
			case "panics":
				panic("out of range")
			case "huge":
				_, err := w.Write(make([]byte, 129<<20))
				return err
			}
			return run(w, e, progress)
		}
		d.Compare = func(io.Writer, view.Choice, view.Choice, []string) error { return errMade }
	})
	for _, name := range []string{"fails", "panics", "huge", "gone", "fine"} {
		r.complete(name, "keyword", "", 1)
	}
	r.must(os.MkdirAll(filepath.Join(r.dir, "half"), 0o755))
	r.must(os.WriteFile(filepath.Join(r.dir, "half", "run.json"), []byte(`{"schema": "triage.run/1", "set`), 0o644))
	outside := t.TempDir()
	r.must(os.WriteFile(filepath.Join(outside, "run.json"), []byte(`{"schema": "triage.run/1", "settings": {}}`), 0o644))
	r.must(os.Symlink(outside, filepath.Join(r.dir, "link")))
	r.get("/run?run=gone")
	r.must(os.RemoveAll(filepath.Join(r.dir, "gone")))
	r.later(time.Second)
	for address, want := range map[string]struct {
		code int
		text string
	}{
		"/run?run=fails":                {500, "no such grader"},
		"/run?run=panics":               {500, "the page cannot be made: out of range"},
		"/run?run=huge":                 {500, "the page has more than 128 MiB"},
		"/run?run=gone":                 {404, "no such file or directory"},
		"/run?run=half":                 {404, "run.json: not a run: unexpected end of JSON input"},
		"/run":                          {404, "it is no path below the folder"},
		"/run?run=../x":                 {404, "it is no path below the folder"},
		"/run?run=%2Fetc":               {404, "it is no path below the folder"},
		"/run?run=fine/../fine":         {404, "it is no path below the folder"},
		"/run?run=%ff":                  {404, "it is no path below the folder"},
		"/run?run=link":                 {404, "path escapes from parent"},
		"/run?run=fine%00":              {404, "invalid argument"},
		"/compare":                      {404, "it is no path below the folder"},
		"/compare?base=fine&new=fine":   {409, "no such grader."},
		"/compare?base=fine&new=gone":   {404, "no such file"},
		"/compare?base=fine&new=link":   {404, "path escapes from parent"},
		"/nothing":                      {404, "The address is /nothing."},
		"/page/view.js":                 {404, "no such page"},
		"/%3Cscript%3Ealert(1)/x":       {404, "The address is /&lt;script&gt;alert(1)/x."},
		"/run?run=%3Cscript%3Ealert(1)": {404, "&lt;script&gt;"},
		"/run?run=" + strings.Repeat("a/", 3000) + "b": {404, "no such file"},
	} {
		w := r.ask(http.MethodGet, address)
		if w.Code != want.code || !strings.Contains(html.UnescapeString(w.Body.String()), html.UnescapeString(want.text)) || strings.Contains(w.Body.String(), "<script>alert") {
			t.Errorf("GET %.80s: %d, want %d: %.700s", address, w.Code, want.code, w.Body)
		}
	}
	if page := r.get("/progress?run=gone"); !strings.Contains(page, "broken: no such file") {
		t.Errorf("progress of what is gone: %s", page)
	}
	page := r.get("/run?run=fine")
	if !strings.Contains(page, "1 episodes") {
		t.Errorf("after all that: %s", page)
	}
}

func TestAFolderThatVanishesSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.get("/")
	r.must(os.Remove(r.dir))
	r.later(time.Second)
	if w := r.ask(http.MethodGet, "/"); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "The folder cannot be read.") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if page := r.get("/runs.json"); !strings.Contains(page, `"error"`) {
		t.Errorf("%s", page)
	}
}

func TestOnlyThisMachineIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.complete("run", "keyword", "", 1)
	for name, c := range map[string]struct {
		method  string
		headers []string
		code    int
	}{
		"by its address":                       {"GET", nil, 200},
		"by its name and another port":         {"GET", []string{"Host", "localhost:99"}, 200},
		"a name that points here":              {"GET", []string{"Host", "evil.example"}, 403},
		"a name that looks like one":           {"GET", []string{"Host", "localhost.evil.example:8080"}, 403},
		"no host":                              {"GET", []string{"Host", ""}, 403},
		"a broken host":                        {"GET", []string{"Host", "[::1"}, 403},
		"a link on another site":               {"GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "document"}, 200},
		"an image on another site":             {"GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image"}, 403},
		"a script on another site":             {"GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "script"}, 403},
		"a frame on another site":              {"GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "iframe"}, 403},
		"the page itself":                      {"GET", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "empty"}, 200},
		"HEAD":                                 {"HEAD", nil, 200},
		"POST":                                 {"POST", nil, 405},
		"DELETE":                               {"DELETE", nil, 405},
		"a question before a call of a script": {"OPTIONS", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "GET"}, 405},
	} {
		for _, address := range []string{"/", "/run?run=run", "/progress?run=run", "/runs.json", "/style.css", "/view.js"} {
			w := r.ask(c.method, address, c.headers...)
			if w.Code != c.code {
				t.Errorf("%s: %s is answered with %d, want %d", name, address, w.Code, c.code)
			}
			h := w.Header()
			if h.Get("Access-Control-Allow-Origin") != "" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
				h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s: headers of %s: %v", name, address, h)
			}
		}
	}
}

func TestASingleRunIsShownAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *view.Deps) { d.Single = true })
	r.complete(".", "keyword", "", 1)
	w := r.ask(http.MethodGet, "/")
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/run?run=." {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	if page := r.get("/run?run=."); page != `<p>run ".", 1 episodes, asks ""</p>` {
		t.Errorf("the page is %s", page)
	}
	if w := r.ask(http.MethodGet, "/run?run=x"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "Try again") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
