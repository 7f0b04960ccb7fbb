package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/triagebench/triage/pkg/server/web"
	"github.com/triagebench/triage/pkg/triage"
)

func ask(t *testing.T, cfg web.Config, method string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "/web", nil)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	web.Handler(cfg).ServeHTTP(w, r)
	return w
}

func TestThePageComesWithStrictHeaders(t *testing.T) {
	t.Parallel()
	res := ask(t, web.Config{}, "GET", nil)
	if res.Code != http.StatusOK {
		t.Fatalf("GET: status %d", res.Code)
	}
	want := map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-cache",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = res.Header().Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	policy := res.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %q: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy allows too much: %s", policy)
	}
}

func TestThePolicyHasTheHashesOfStyleAndScript(t *testing.T) {
	t.Parallel()
	res := ask(t, web.Config{}, "GET", nil)
	policy, html := res.Header().Get("Content-Security-Policy"), res.Body.String()
	for _, element := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(html, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s, want 1", len(found), element)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if hash := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, hash) {
			t.Errorf("the policy lacks %s: %s", hash, policy)
		}
	}
}

func TestThePageIsNotSentAgainWhileItIsTheSame(t *testing.T) {
	t.Parallel()
	etag := ask(t, web.Config{}, "GET", nil).Header().Get("ETag")
	if again := ask(t, web.Config{}, "GET", http.Header{"If-None-Match": {etag}}); again.Code != http.StatusNotModified {
		t.Errorf("with the page's ETag %s: status %d, want 304", etag, again.Code)
	}
	if other := ask(t, web.Config{Sealed: true}, "GET", http.Header{"If-None-Match": {etag}}); other.Code != http.StatusOK {
		t.Errorf("the page of other settings: status %d, want 200", other.Code)
	}
}

func TestHeadHasTheHeadersAndNoBody(t *testing.T) {
	t.Parallel()
	get, head := ask(t, web.Config{}, "GET", nil), ask(t, web.Config{}, "HEAD", nil)
	if diff := cmp.Diff(get.Header(), head.Header()); diff != "" {
		t.Error(diff)
	}
	if body := head.Body.String(); head.Code != http.StatusOK || body != "" {
		t.Errorf("HEAD: status %d with a body of %d bytes", head.Code, len(body))
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		res := ask(t, web.Config{}, method, nil)
		if res.Code != http.StatusMethodNotAllowed || res.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d, Allow %q", method, res.Code, res.Header().Get("Allow"))
		}
	}
}

// told is what the script reads.
func told(t *testing.T, cfg web.Config) map[string]any {
	t.Helper()
	html := ask(t, cfg, "GET", nil).Body.String()
	found := regexp.MustCompile(`(?s)<script type="application/json" id="settings">(.*?)</script>`).FindStringSubmatch(html)
	if found == nil {
		t.Fatal("the page has no settings")
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(found[1]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheScriptIsToldTheServersSettings(t *testing.T) {
	t.Parallel()
	cfg := web.Config{Sealed: true, Tokens: true, DefaultTrack: triage.Desk, Mode: "production", BasePath: "/a/</script><b>/"}
	got := told(t, cfg)
	want := map[string]any{"sealed": true, "tokens": true, "track": "desk", "mode": "production", "base_path": "/a/</script><b>"}
	for name, value := range want {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if track := told(t, web.Config{})["track"]; track != "queue" {
		t.Errorf("without a default track the page begins with %v, want queue", track)
	}
}

func TestTheScriptKnowsEveryTaskAndWord(t *testing.T) {
	t.Parallel()
	got := told(t, web.Config{})
	names := []string{}
	for _, task := range got["tasks"].([]any) {
		names = append(names, task.(map[string]any)["name"].(string))
		for _, field := range task.(map[string]any)["asked"].([]any) {
			if field == triage.FieldPriorityScore || field == triage.FieldRecommendation {
				continue
			}
			if words := got["words"].(map[string]any)[field.(string)]; words == nil {
				t.Errorf("no words for %v", field)
			}
		}
	}
	want := []string{}
	for _, task := range triage.Tasks() {
		want = append(want, task.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestThePageAsksNobodyElseAndReadsNoMarkup(t *testing.T) {
	t.Parallel()
	html := ask(t, web.Config{}, "GET", nil).Body.String()
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "@import", "url("} {
		if strings.Contains(html, word) {
			t.Errorf("the page uses %s", word)
		}
	}
	for _, address := range regexp.MustCompile(`https?://[a-z0-9.]+`).FindAllString(html, -1) {
		if address != "http://www.w3.org" { // the name of SVG
			t.Errorf("the page names %s", address)
		}
	}
}

func TestEverySourceIsInThePageAndShort(t *testing.T) {
	t.Parallel()
	html := ask(t, web.Config{}, "GET", nil).Body.String()
	files, err := filepath.Glob("page/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n >= 400 {
			t.Errorf("%s has %d lines, want less than 400", file, n)
		}
		if ext := filepath.Ext(file); (ext == ".js" || ext == ".css") && !strings.Contains(html, string(data)) {
			t.Errorf("%s is not in the page", file)
		}
	}
}
