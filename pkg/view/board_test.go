package view_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/view"
)

func TestTheLeaderboardHasTheBestFirstAndLinks(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	if page := r.get("/"); !strings.Contains(page, "There are no runs here yet.") {
		t.Errorf("an empty folder: %s", page)
	}
	r.complete("low", "keyword", "2026-01-02T03:04:05Z", 0, 0.5)
	r.complete("high & <b>", "random", "2026-01-01T03:04:05Z", 1, 1)
	r.complete("another", "random", "2025-01-01T03:04:05Z", 1)
	r.summed("alone.json", "exec:x | y", "", 0.5, 0.5)
	r.must(os.MkdirAll(filepath.Join(r.dir, "broken"), 0o755))
	r.must(os.WriteFile(filepath.Join(r.dir, "broken", "run.json"), []byte("{"), 0o644))
	j := r.begin("going", "keyword", 4)
	r.append(j, 0)
	r.later(time.Second)
	page := r.get("/")
	var last int
	for _, text := range []string{"<h1>Runs in results</h1>", `data-run="going"`, `<a href="run?run=going">going</a>`, `<progress max="4" value="1"`, "going on: 1 of 4", "Compare two",
		`value="[&#34;high \u0026 \u003cb\u003e&#34;,&#34;random&#34;]" selected`, "generator <code>2-abc</code>", "seeds 0 to 1", "1.000", "reached", `href="run?run=high&#43;%26&#43;%3Cb%3E"`,
		"0.500", "missed", "alone.json", "0.250", `href="run?run=low"`, "with first", "with nothing to stand beside (1)", "seed 0", "another", "run.json: not a run", "</html>"} {
		at := strings.Index(page[last:], text)
		if at < 0 {
			t.Fatalf("%q is missing after %.200q in %s", text, page[last:], page)
		}
		last += at
	}
	for _, tag := range []string{"<b>", "run?run=alone.json", "run?run=broken"} {
		if strings.Contains(page, tag) {
			t.Errorf("it has %q", tag)
		}
	}
	type overview struct {
		Version string
		Open    map[string]view.Progress
	}
	var a, b, c overview
	r.must(json.Unmarshal([]byte(r.get("/runs.json")), &a))
	r.append(j, 1)
	r.later(time.Second)
	r.must(json.Unmarshal([]byte(r.get("/runs.json")), &b))
	if a.Version != b.Version || b.Open["going"].Done != 2 || len(b.Open) != 1 {
		t.Errorf("an episode later: %+v, %+v", a, b)
	}
	r.must(j.Finish())
	r.later(time.Second)
	r.must(json.Unmarshal([]byte(r.get("/runs.json")), &c))
	if c.Version == b.Version || len(c.Open) != 0 {
		t.Errorf("a run later: %+v", c)
	}
}

func TestHostileNamesStayTextOnTheLeaderboard(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	names := []string{"<script>alert(1)<", `"onload="x`, "=cmd()", "a\u202eb", "line\u2028end", "tab\tnew\nline", "{{.}}", "javascript:alert(1)", "%2e%2e", "a&b=c#d?e"}
	for i, name := range names {
		r.complete(name, fmt.Sprintf("agent %d %s", i, strings.ReplaceAll(name, "\x00", "")), "", 1, 0)
	}
	page := r.get("/")
	links := 0
	for d := reader(page); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		r.must(err)
		if text, ok := token.(xml.CharData); ok && strings.ContainsAny(string(text), "\u202e\u2028\t") {
			t.Errorf("it shows %q", text)
		}
		n, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style" {
				t.Errorf("<%s %s=%q>", n.Name.Local, a.Name.Local, a.Value)
			}
			if a.Name.Local == "href" && strings.HasPrefix(a.Value, "run?run=") {
				links++
				if w := r.ask(http.MethodGet, "/"+a.Value); w.Code != http.StatusOK {
					t.Errorf("%s is answered with %d", a.Value, w.Code)
				}
			}
		}
		if n.Name.Local == "script" && n.Attr[0].Value != "view.js" {
			t.Errorf("a script: %+v", n)
		}
	}
	if links != len(names) {
		t.Errorf("%d links to %d runs", links, len(names))
	}
}

// reader reads a page as a browser does, as far as its elements are ended.
func reader(page string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	return d
}

func TestALongTableIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for i := range 150 {
		r.summed(fmt.Sprintf("run-%d.json", i), "keyword", "", float64(i%10)/10, 0.5)
	}
	page := r.get("/")
	if n := strings.Count(page, "<tr>"); n != 101 {
		t.Errorf("%d rows", n)
	}
	if !strings.Contains(page, "… and 50 more") {
		t.Error("it does not say that there are more")
	}
}

func TestTheLeaderboardSharesRanksAndSaysWhatAgentsOfOneNameDifferBy(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for name, temperature := range map[string]string{"a": "0.7", "b": "0", "c": "0"} {
		r.agentSettings = map[string]string{"model": "m", "temperature": temperature, "prompt": strings.Repeat("long ", 100) + name}
		r.summed(name+".json", "llm", "", 0.5, 1)
	}
	r.agentSettings = nil
	r.summed("d.json", "keyword", "", 0, 0)
	page := r.get("/")
	var got []string
	for _, row := range strings.Split(page, "<tr>\n")[1:] {
		rank, rest, _ := strings.Cut(strings.TrimPrefix(row, `<td class="number">`), "<")
		_, rest, _ = strings.Cut(rest, `<td class="differ">`)
		differ, _, _ := strings.Cut(rest, "</td>")
		got = append(got, rank+" "+differ)
	}
	prompt := "<span>prompt <b>long long long long long long l…</b></span> <span>temperature <b>"
	want := []string{"1 " + prompt + "0.7</b></span> ", "1 " + prompt + "0</b></span> ", "1 " + prompt + "0</b></span> ", "4 –"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestADamagedRunIsShownAndNotRanked(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.complete("good", "keyword", "2026-01-02T03:04:05Z", 0, 0.5)
	r.complete("cut", "keyword", "2026-01-02T03:04:05Z", 1, 1)
	r.must(os.Truncate(filepath.Join(r.dir, "cut", "episodes.jsonl"), 0))
	page := r.get("/")
	_, damaged, _ := strings.Cut(page, "Damaged, or cannot be read")
	if !strings.Contains(damaged, `<a href="run?run=cut">cut</a>: damaged: the results of keyword tell of 2 episodes of desk-easy, episodes.jsonl holds 0`) {
		t.Errorf("it is not listed: %s", page)
	}
	if strings.Count(page, "<tr>") != 2 || strings.Contains(page, `"cut`) || strings.Contains(page, "Compare two") {
		t.Errorf("it is ranked, or can be chosen: %s", page)
	}
}
