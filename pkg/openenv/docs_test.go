package openenv

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

var (
	inlineStyle  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

func TestTheDocsPageKeepsToItsPolicy(t *testing.T) {
	t.Parallel()
	html, policy := DocsHTML(), DocsPolicy()
	for directive, pattern := range map[string]*regexp.Regexp{"style-src": inlineStyle, "script-src": inlineScript} {
		found := pattern.FindAllSubmatch(html, -1)
		if len(found) != 1 {
			t.Fatalf("%s: %d inline texts, want one", directive, len(found))
		}
		if want := directive + " " + digest(found[0][1]) + ";"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not allow the page's own text: %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is not strict: %s", policy)
	}
	for _, what := range []string{` style="`, ` onclick=`, `javascript:`, "{{", "innerHTML", "eval("} {
		if bytes.Contains(html, []byte(what)) {
			t.Errorf("the page holds %q, which its policy forbids or which reads data as markup", what)
		}
	}
}

func TestTheDocsPageAsksNoOtherHost(t *testing.T) {
	t.Parallel()
	html := DocsHTML()
	for _, what := range []string{"http://", "https://", "//cdn", "@import", " url(", ":url("} {
		if bytes.Contains(html, []byte(what)) {
			t.Errorf("the page holds %q", what)
		}
	}
	if !bytes.Contains(html, []byte("fetch('openapi.json'")) {
		t.Error("the page does not read openapi.json beside it")
	}
}

func TestTheDocsPageIsWhole(t *testing.T) {
	t.Parallel()
	html := string(DocsHTML())
	for _, what := range []string{"<!doctype html>", `lang="en"`, `<meta name="viewport"`, "prefers-color-scheme", "focus-visible", "<noscript>", "</html>\n"} {
		if !strings.Contains(html, what) {
			t.Errorf("the page lacks %q", what)
		}
	}
	if n := len(html); n > 64<<10 {
		t.Errorf("the page has %d bytes, more than 64 KiB", n)
	}
	changed := DocsHTML()
	changed[0] = 'x'
	if DocsHTML()[0] == 'x' {
		t.Error("a caller can change the page")
	}
}
