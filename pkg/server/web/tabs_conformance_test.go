//go:build conformance

package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/triagebench/triage/clients/browser"
	"github.com/triagebench/triage/pkg/server/web"
)

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTabsFollowTheArrows(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.open("/")
	b.TabTo("#tab-play")
	for _, move := range []struct{ key, tab, panel string }{
		{kb.ArrowRight, "#tab-handbook", "#panel-handbook"}, {kb.ArrowRight, "#tab-calls", "#panel-calls"}, {kb.ArrowRight, "#tab-play", "#panel-play"},
		{kb.ArrowLeft, "#tab-calls", "#panel-calls"}, {kb.Home, "#tab-play", "#panel-play"}, {kb.End, "#tab-calls", "#panel-calls"},
	} {
		b.Keys(move.key)
		b.Focused(move.tab + "[aria-selected=true]")
		if n := browser.Evaluate[int](b.Tab, "document.querySelectorAll('[role=tabpanel]:not([hidden])').length"); n != 1 {
			t.Errorf("%d panels are shown, want 1", n)
		}
		b.Until("document.querySelector('" + move.panel + "').hidden === false")
	}
}

func TestTheHandbookIsShownWhole(t *testing.T) {
	t.Parallel()
	text := browser.Run(t, ".", "handbook")
	b := browse(t, serve(t).URL)
	b.open("/web")
	b.Click("#tab-handbook")
	b.Do("wait for the handbook", chromedp.WaitVisible(chromedp.CSS(".handbook .text")))
	count := func(pattern string) int { return len(regexp.MustCompile(pattern).FindAllString(string(text), -1)) }
	for selector, want := range map[string]int{
		"h2":       count(`(?m)^# `),
		"h3":       count(`(?m)^## `),
		"h4":       count(`(?m)^### `),
		"table":    count(`(?m)^\|[-| :]+\|$`),
		"tbody tr": count(`(?m)^\|`) - 2*count(`(?m)^\|[-| :]+\|$`),
		"li":       count(`(?m)^ *- `),
		"strong":   count(`\*\*[^*]+\*\*`),
		"code":     count("`[^`]+`"),
	} {
		if got := browser.Evaluate[int](b.Tab, "document.querySelectorAll('.handbook .text "+selector+"').length"); got != want || want == 0 {
			t.Errorf("%d of %s, want %d", got, selector, want)
		}
	}
	letters := func(s string) string { return regexp.MustCompile(`[^\pL\pN]+`).ReplaceAllString(s, "") }
	if got, want := letters(b.Text(".handbook .text")), letters(string(text)); got != want {
		t.Errorf("the letters of the handbook differ:\n%s\n%s", got, want)
	}
	b.Click(".toc li:nth-child(3) a")
}

// pasted runs what stands in a block of the third tab in a shell, and gives the answer.
func pasted(b *tab, selector string, env ...string) map[string]any {
	b.T.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		b.T.Skip("SKIPPED: no curl")
	}
	line := b.Text(selector)
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		b.T.Fatalf("%s: %v", line, err)
	}
	var answer map[string]any
	if err := json.Unmarshal(out, &answer); err != nil {
		b.T.Fatalf("%s: %v in %s", line, err, out)
	}
	return answer
}

const (
	resetLine = "#panel-calls section:nth-of-type(1) .block:nth-of-type(1) code"
	stepLine  = "#panel-calls section:nth-of-type(2) .block:nth-of-type(1) code"
	stateLine = "#panel-calls section:nth-of-type(3) .block:nth-of-type(1) code"
)

func TestPastedCurlLinesWork(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.begin("desk", "hard", 9)
	b.choose("category", "Question")
	b.Retype("#recommendation", `It's "quoted", $HOME \ and `+"`date`"+` stay & <that> is it!`)
	b.Click("#tab-calls")
	reset := pasted(b, resetLine)
	session := reset["metadata"].(map[string]any)["session"]
	if session == "" || reset["done"] != false {
		t.Errorf("the pasted reset gave %v", reset)
	}
	step := pasted(b, stepLine)
	if message := step["observation"].(map[string]any)["message"]; message != "Still missing: priority, urgency_days, department." {
		t.Errorf("the pasted step gave the message %v", message)
	}
	state := pasted(b, stateLine)
	if state["step_count"] != 1.0 || state["task"] != "desk-hard" {
		t.Errorf("the pasted state gave %v", state)
	}
}

func TestCopyButtonsCopy(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.open("/web")
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		allowed := cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: cdpbrowser.PermissionSettingGranted}
		if _, err := chromedp.CallBrowser(b.Ctx, cdpbrowser.SetPermission, allowed); err != nil {
			t.Fatal(err)
		}
	}
	b.Click("#tab-calls")
	b.Click("[data-copy=reset-curl]")
	b.Sees("[data-copy=reset-curl]", "Copied")
	if got, want := browser.Evaluate[string](b.Tab, "navigator.clipboard.readText()"), b.Text(resetLine); got != want {
		t.Errorf("the clipboard holds %q, want %q", got, want)
	}
}

// tokenFile writes a file of tokens.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestATokenIsAskedForAndKeptForTheSessionOnly(t *testing.T) {
	t.Parallel()
	const token = "correct-horse-battery-staple"
	b := browse(t, serve(t, "--token-file", fileOf(t, "tokens", token+"\n")).URL)
	b.MayFail()
	b.open("/web?track=queue&difficulty=easy&seed=42")
	b.Click("#setup button[type=submit]")
	b.Sees("#error-token", "token")
	b.Focused("#token")
	b.Keys(token)
	b.Keys(kb.Enter)
	b.Sees("#ticket .eyebrow", "Ticket 1 of 8")
	if kept := browser.Evaluate[string](b.Tab, "JSON.stringify(sessionStorage)"); !strings.Contains(kept, token) {
		t.Errorf("the session forgot the token: %s", kept)
	}
	if kept := browser.Evaluate[string](b.Tab, "JSON.stringify(localStorage) + document.cookie"); strings.Contains(kept, token) {
		t.Errorf("the token is kept beyond the session: %s", kept)
	}
	b.Click("#tab-calls")
	b.Sees(stepLine, `-H "Authorization: Bearer $TOKEN"`)
	if strings.Contains(b.Text("#panel-calls"), token) {
		t.Error("the third tab shows the token")
	}
	if state := pasted(b, stateLine, "TOKEN="+token); state["step_count"] != 0.0 {
		t.Errorf("the pasted state gave %v", state)
	}
	b.Click("#tab-handbook")
	b.Do("wait for the handbook", chromedp.WaitVisible(chromedp.CSS(".handbook .text")))
}

func TestASealedServerTellsOnlyTheEnd(t *testing.T) {
	t.Parallel()
	secret := browser.Run(t, ".", "secret", "new")
	s := serve(t, "--sealed", "--secret-file", fileOf(t, "secret", string(secret)), "--token-file", fileOf(t, "tokens", "one-long-enough-token\n"),
		"--ledger", filepath.Join(t.TempDir(), "ledger.jsonl"))
	b := browse(t, s.URL)
	b.open("/web?track=queue&difficulty=easy")
	if browser.Evaluate[bool](b.Tab, "Boolean(document.getElementById('seed') || document.getElementById('split'))") {
		t.Error("a sealed server's page lets people choose the seed or the split")
	}
	b.Retype("#token", "one-long-enough-token")
	b.Keys(kb.Enter)
	for i := range 8 {
		b.Sees("#running .place", string(rune('0'+i))+" of 8 answered")
		b.Sees("#running .standing", "Sealed")
		b.choose("route_category", "billing")
		b.choose("urgency_assessment", "low")
		b.choose("resolution_difficulty", "easy")
		b.Retype("#priority_score", "10")
		b.Click("#send")
	}
	b.Sees("#summary-title", "The queue is done")
	b.Sees("#summary .figures", "Score0.")
	b.Sees("#summary .figures", "Efficiency0.")
	if browser.Evaluate[bool](b.Tab, "Boolean(document.querySelector('#summary svg, #summary .parts, .key.heuristic'))") {
		t.Error("the summary of a sealed server has a chart, parts or the heuristic")
	}
	if n := b.Asked("GET " + b.base + "/queue/web/review"); n != 0 {
		t.Errorf("the page asked %d times for gradings", n)
	}
}

// hostile is a server whose every text tries to become more than a text.
func hostile(t *testing.T) *httptest.Server {
	t.Helper()
	const attack = `<img src=x onerror=\"window.pwned=1\"><script>window.pwned=1</script>`
	page := web.Handler(web.Config{})
	mux := http.NewServeMux()
	mux.Handle("/a/b/web", page)
	say := func(path, text string) {
		mux.HandleFunc("/a/b"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text)) // the browser may be gone
		})
	}
	envelope := `{"observation":{"task":"queue-easy","ticket":{"ticket_id":"` + attack + `","subject":"` + attack + `","description":"` + attack + `\n> ` + attack +
		`","metadata":{"channel":"` + attack + `","customer_tier":"` + attack + `","wait_time_hours":1.5,"is_escalated":true,"previous_contacts":0,"selected_category":"` +
		attack + `","language":"` + attack + `","attachments":0}},"position":0,"total_tickets":8,"remaining":8,"stats":null,"last_result":null,"message":"` + attack +
		`","metadata":{}},"reward":0.0,"done":false,"metadata":{"session":"` + attack + `"}}`
	say("/queue/web/reset", envelope)
	say("/metadata", `{"name":"x","description":"x","readme_content":"# `+attack+`\n\n[link](javascript:window.pwned=1) [data](data:text/html,x) **`+attack+
		`** `+"`"+attack+"`"+`\n\n| `+attack+` | b |\n|---|---|\n| `+attack+` | c |\n\n- `+attack+`\n"}`)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestTextsStayTextsAndRoutesAreFoundUnderAPrefix(t *testing.T) {
	t.Parallel()
	s := hostile(t)
	b := browse(t, s.URL)
	b.open("/a/b/web?track=queue&difficulty=easy&seed=1")
	b.Click("#setup button[type=submit]")
	b.Sees("#subject", "<img src=x")
	b.Sees("#facts", "<img src=x")
	b.Click("#tab-handbook")
	b.Sees(".handbook .text", "<script>window.pwned=1</script>")
	b.Click("#tab-calls")
	b.Sees("#panel-calls", "/a/b/queue/web/step")
	if browser.Evaluate[bool](b.Tab, "Boolean(window.pwned || document.querySelector('img') || document.querySelector('main script') || document.querySelector('.handbook .text a'))") {
		t.Error("a text became markup")
	}
}

func TestTheRecorderHearsViolations(t *testing.T) {
	t.Parallel()
	b := browse(t, serve(t).URL)
	b.open("/web")
	b.Script("break the policy", `{const s = document.createElement("style"); s.textContent = "body{}"; document.head.append(s)}`)
	var heard []string
	for range 100 {
		heard = append(heard, b.TakeProblems()...) // these were wanted
		if strings.Contains(strings.Join(heard, " "), "Content Security Policy") {
			return
		}
		b.Do("wait", chromedp.Sleep(20e6))
	}
	t.Errorf("a style that the policy forbids is not among the problems %q", heard)
}
