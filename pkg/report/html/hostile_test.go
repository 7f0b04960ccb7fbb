package html_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/report/html"
	"github.com/triagebench/triage/pkg/results"
	"github.com/triagebench/triage/pkg/testkit"
	"github.com/triagebench/triage/pkg/triage"
)

// hostile is a text that tries to be more than one.
const hostile = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\u2028\u2029\x00\x1b[31m\u202eevil\u202c =cmd()|'\"`]]>&amp;{{.}}\xff"

func TestHostileTextsStayTexts(t *testing.T) {
	t.Parallel()
	agent := "a<b>\"'</script>"
	m := mail{id: hostile, subject: hostile, body: strings.Repeat(hostile, 3), route: "billing", wantRoute: "billing", urgency: hostile, wantUrgency: "low", difficulty: hostile,
		wantEffort: "easy", scenario: "billing/" + hostile, traps: []string{hostile}, refused: hostile, reply: &triage.Reply{Stage: hostile, Cause: hostile, Text: hostile, Model: hostile}}
	page := pageOf(t, html.Options{Title: hostile, Names: []string{hostile}}, run(t, "r", []*triage.Episode{queue(agent, "queue-easy", 1, m, m)}, "generator", hostile))
	markup := structure(page)
	for _, bad := range []string{"<img", "<script", "\x00", "\x1b", "\xff", "a<b>"} {
		if strings.Contains(markup, bad) {
			t.Errorf("the markup holds %q", bad)
		}
	}
	if n := strings.Count(page, "window.pwned=1</script>"); n != 0 {
		t.Errorf("a text ends a script %d times", n)
	}
	_, rest, _ := strings.Cut(page, `id="plain">`)
	plain, _, _ := strings.Cut(rest, "</script>")
	var rows []row
	if err := json.Unmarshal([]byte(plain), &rows); err != nil || strings.ContainsAny(plain, "<>&") {
		t.Errorf("the uncompressed rows are no safe JSON: %v", err)
	}
}

func TestVeryLongTicketsMakeChunksSmallAndStandUncompressedOnlyWithinLimits(t *testing.T) {
	t.Parallel()
	m := mail{id: "T", subject: strings.Repeat("s", 5000), body: strings.Repeat("long ", 1<<18), route: "billing", wantRoute: "billing", urgency: "low", wantUrgency: "low",
		difficulty: "easy", wantEffort: "easy", scenario: "billing/x"}
	var episodes []*triage.Episode
	for seed := range int64(9) {
		episodes = append(episodes, queue("a", "queue-easy", seed, m))
	}
	page := pageOf(t, html.Options{}, run(t, "r", episodes))
	var x index
	unpacked(t, page, "index", &x)
	if diff := cmp.Diff([]int{4, 4, 1}, x.Chunks); diff != "" {
		t.Errorf("rows of the chunks (-want +got):\n%s", diff)
	}
	if n := len([]rune(x.Subject[0])); n != 161 {
		t.Errorf("the subject in the index has %d characters, want 160 and …", n)
	}
	if len(page) > 3<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// lesson C46: a report that is asked for and cannot be written is an error.
func TestAWriterThatFailsAtAnyPlaceIsAnError(t *testing.T) {
	t.Parallel()
	p, err := html.Collect(t.Context(), []*results.Folder{small(t)}, html.Options{})
	if err != nil {
		t.Fatal(err)
	}
	size := len(written(t, p))
	for at := 0; at < size; at += 997 {
		if err := p.Write(&testkit.Full{Room: at}); !errors.Is(err, testkit.ErrFull) || triage.CodeOf(err) != triage.CodeFiles {
			t.Fatalf("a writer that fails after %d bytes gives %v", at, err)
		}
	}
	if err := p.Write(&testkit.Full{Room: size}); err != nil {
		t.Errorf("a writer with room for all gives %v", err)
	}
}
